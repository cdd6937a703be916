/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RQ tables: the RQs over which a TIR spreads what it receives.
 *
 *	rqtc: rqt_max_size 8 | rqt_actual_size 4 | rq_num[0..3]
 *	TIR: hash of the packet, modulo the actual size -> rq_num
 *
 * An RQ may be at several places of a table. The number of the list's places may change up
 * to the maximum, its RQs at any time. Tables of virtio queues and of other functions' RQs are
 * refused.
 */
#include <stdlib.h>

#include "fw/command.h"

#define RQN_BYTES 4

static_assert(PRM_SZ(rqtc) == HCA_RQTC_SIZE, "rqtc");
static_assert(PRM_OFF(create_rqt_in, rqt_context) == PRM_OFF(modify_rqt_in, ctx) &&
		      PRM_SZ(create_rqt_in) == PRM_SZ(modify_rqt_in),
	      "both have the list in one place");

/* @n RQs from the list after the inbox, all of them checked. NULL and *status on refusal. */
static struct hca_rq **read_list(struct fw_cmd *c, uint32_t n, enum fw_status *status)
{
	size_t list = PRM_SZ(create_rqt_in), end = list + (size_t)n * RQN_BYTES;
	struct hca_rq **rq;

	*status = fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (c->in_len < end)
		return NULL;
	*status = fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
	for (size_t i = end; i < c->in_len; i++)
		if (c->in[i])
			return NULL;
	rq = calloc(n, sizeof(struct hca_rq *));
	*status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	if (!rq)
		return NULL;
	*status = fw_refuse(c, FW_BAD_RES, FW_WHY_RQ);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *at = c->in + list + (size_t)i * RQN_BYTES;

		rq[i] = at[0] ? NULL : fw_rq(c, PRM_GET(rq_num, at, rq_num));
		if (!rq[i]) {
			free(rq);
			return NULL;
		}
	}
	c->why = 0;
	*status = FW_OK;
	return rq;
}

/* assumed(rqt_actual_size_is_1_to_max): an RQ table with no RQ in it, with more than its
 * maximum, or with a maximum above 1 << log_max_rqt_size is BAD_PARAM. */
static bool sizes_ok(const struct fw_cmd *c, uint32_t actual, uint32_t max)
{
	return actual && actual <= max && max <= 1u << FW_GEN(c->hca, log_max_rqt_size);
}

enum fw_status fw_create_rqt(struct fw_cmd *c)
{
	const uint8_t *rqtc = PRM_ADDR(create_rqt_in, c->in, rqt_context);
	uint32_t n = PRM_GET(rqtc, rqtc, rqt_actual_size);
	enum fw_status status;
	struct hca_rqt *rqt;
	struct hca_rq **rq;

	if (!sizes_ok(c, n, PRM_GET(rqtc, rqtc, rqt_max_size)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (fw_at_limit(&c->hca->rqts, FW_GEN(c->hca, log_max_rqt)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	rq = read_list(c, n, &status);
	if (!rq)
		return status;
	rqt = hca_rqt_new(c->hca);
	if (!rqt) {
		free(rq);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	memcpy(rqt->rqtc, rqtc, HCA_RQTC_SIZE);
	rqt->rq = rq;
	rqt->cnt = n;
	fw_begin(c, rqt);
	PRM_SET(create_rqt_out, c->out, rqtn, rqt->rqtn);
	return FW_OK;
}

enum fw_status fw_modify_rqt(struct fw_cmd *c)
{
	const uint8_t *rqtc = PRM_ADDR(modify_rqt_in, c->in, ctx);
	const uint8_t *mask = PRM_ADDR(modify_rqt_in, c->in, bitmask);
	struct hca_rqt *rqt = fw_rqt(c, PRM_GET(modify_rqt_in, c->in, rqtn));
	uint32_t n = PRM_GET(rqtc, rqtc, rqt_actual_size);
	enum fw_status status;
	struct hca_rq **rq;

	if (!rqt)
		return fw_absent(c);
	/* assumed(modify_without_a_bit_changes_nothing): MODIFY_RQT, MODIFY_TIR and MODIFY_TIS
	 * with an empty bitmask succeed and change nothing. */
	if (!PRM_GET(rqt_bitmask, mask, rqn_list))
		return FW_OK;
	if (!sizes_ok(c, n, PRM_GET(rqtc, rqt->rqtc, rqt_max_size)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	rq = read_list(c, n, &status);
	if (!rq)
		return status;
	hca_object_refer(rqt, -1);
	free(rqt->rq);
	rqt->rq = rq;
	rqt->cnt = n;
	hca_object_refer(rqt, 1);
	PRM_SET(rqtc, rqt->rqtc, rqt_actual_size, n);
	return FW_OK;
}

enum fw_status fw_query_rqt(struct fw_cmd *c)
{
	const struct hca_rqt *rqt = fw_rqt(c, PRM_GET(query_rqt_in, c->in, rqtn));
	size_t at = PRM_SZ(query_rqt_out);

	if (!rqt)
		return fw_absent(c);
	memcpy(PRM_ADDR(query_rqt_out, c->out, rqt_context), rqt->rqtc, HCA_RQTC_SIZE);
	/* As far as the outbox reaches. */
	for (uint32_t i = 0; i < rqt->cnt && at + RQN_BYTES <= c->out_len; i++, at += RQN_BYTES)
		PRM_SET(rq_num, c->out + at, rq_num, rqt->rq[i]->rqn);
	return FW_OK;
}

enum fw_status fw_destroy_rqt(struct fw_cmd *c)
{
	return fw_destroy(c, fw_rqt(c, PRM_GET(destroy_rqt_in, c->in, rqtn)));
}
