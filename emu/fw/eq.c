/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event queues. The driver makes them (uid 0) and says which asynchronous events go where;
 * completion events follow cqc.c_eqn instead.
 */
#include <stdlib.h>

#include "event/event.h"
#include "fw/command.h"

#define EQE_SIZE 64

static_assert(PRM_SZ(eqc) == HCA_EQC_SIZE, "eqc");

#define BIT(type) (1ull << (type))

/* The events that the model raises, and those whose cause never arises here (pages that are
 * wanted): subscribing to the latter is a promise that is kept. <linux/mlx5/device.h>, enum
 * mlx5_event. */
static const uint64_t known_events =
	BIT(PRM_EVENT_PATH_MIG) | BIT(PRM_EVENT_COMM_EST) | BIT(PRM_EVENT_SQ_DRAINED) |
	BIT(PRM_EVENT_CQ_ERROR) | BIT(PRM_EVENT_WQ_CATAS_ERROR) |
	BIT(PRM_EVENT_WQ_INVAL_REQ_ERROR) | BIT(PRM_EVENT_WQ_ACCESS_ERROR) |
	BIT(PRM_EVENT_SRQ_LAST_WQE) | BIT(PRM_EVENT_SRQ_RQ_LIMIT) | BIT(PRM_EVENT_DCT_DRAINED) |
	BIT(PRM_EVENT_DCT_KEY_VIOLATION) | BIT(0x07) /* PATH_MIG_FAILED */ |
	BIT(0x08) /* INTERNAL_ERROR */ | BIT(0x09) /* PORT_CHANGE */ | BIT(0x0a) /* CMD */ |
	BIT(0x0b) /* PAGE_REQUEST */ | BIT(0x12) /* SRQ_CATAS_ERROR */;

/* event_bitmask[0] is the doubleword of types 0 … 63; types above have no bit here, so the
 * list of accepted fields leaves the other three out only by this check. */
static bool events_ok(const uint8_t *mask)
{
	if (core_be64(mask) & ~known_events)
		return false;
	return !core_be64(mask + 8) && !core_be64(mask + 16) && !core_be64(mask + 24);
}

static enum fw_status check_context(struct fw_cmd *c, const uint8_t *eqc)
{
	if (!events_ok(PRM_ADDR(create_eq_in, c->in, event_bitmask)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(eqc, eqc, log_eq_size) > FW_GEN(c->hca, log_max_eq_sz))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (!fw_uar(c, PRM_GET(eqc, eqc, uar_page)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UAR);
	if (c->hca->eqs.used >= FW_GEN(c->hca, max_num_eqs))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

enum fw_status fw_create_eq(struct fw_cmd *c)
{
	const uint8_t *eqc = PRM_ADDR(create_eq_in, c->in, eq_context_entry);
	struct fw_layout layout = { .list = PRM_SZ(create_eq_in),
				    .log_page_size = PRM_GET(eqc, eqc, log_page_size),
				    .page_offset = PRM_GET(eqc, eqc, page_offset),
				    .bytes = (uint64_t)EQE_SIZE
					     << PRM_GET(eqc, eqc, log_eq_size),
				    .entry = EQE_SIZE };
	enum fw_status status = check_context(c, eqc);
	struct hca_ring ring;
	struct hca_eq *eq;

	if (status == FW_OK)
		status = fw_ring(c, &layout, &ring);
	if (status != FW_OK)
		return status;
	eq = hca_eq_new(c->hca);
	if (!eq) {
		free(ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	eq->intr = PRM_GET(eqc, eqc, intr);
	eq->ring = ring;
	eq->log_size = PRM_GET(eqc, eqc, log_eq_size);
	eq->events = core_be64(PRM_ADDR(create_eq_in, c->in, event_bitmask));
	memcpy(eq->eqc, eqc, HCA_EQC_SIZE);
	eq->uar = fw_uar(c, PRM_GET(eqc, eqc, uar_page));
	fw_begin(c, eq);
	PRM_SET(create_eq_out, c->out, eq_number, eq->eqn);
	return FW_OK;
}

enum fw_status fw_query_eq(struct fw_cmd *c)
{
	struct hca_eq *eq = fw_eq(c, PRM_GET(query_eq_in, c->in, eq_number));
	uint8_t *eqc = PRM_ADDR(query_eq_out, c->out, eq_context_entry);

	if (!eq)
		return fw_absent(c);
	memcpy(eqc, eq->eqc, HCA_EQC_SIZE);
	PRM_SET(eqc, eqc, consumer_counter, eq->ci & 0xffffff);
	PRM_SET(eqc, eqc, producer_counter, eq->pi & 0xffffff);
	PRM_SET(query_eq_out, c->out, event_bitmask, eq->events);
	fw_put_pas(c, PRM_SZ(query_eq_out), &eq->ring);
	return FW_OK;
}

enum fw_status fw_destroy_eq(struct fw_cmd *c)
{
	return fw_destroy(c, fw_eq(c, PRM_GET(destroy_eq_in, c->in, eq_number)));
}
