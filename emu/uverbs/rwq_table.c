/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indirection tables: the work queues over which a QP spreads what it receives (ib_uverbs,
 * uverbs_cmd.c, ib_uverbs_ex_create_rwq_ind_table; mlx5_ib, qp.c,
 * mlx5_ib_create_rwq_ind_table).
 *
 *	comp_mask | log_ind_tbl_size | handle 0 | … | handle 2^n - 1   --> CREATE_RQT
 */
#include <stdlib.h>

#include "uverbs/ethernet.h"

#define LOG_SIZE_MAX 13 /* <rdma/ib_user_verbs.h>: IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE */
#define RQN_BYTES    4

void uverbs_rwq_table_use(void *obj, int by)
{
	const struct uverbs_rwq_table *t = obj;

	for (uint32_t i = 0; i < 1u << t->log_size; i++)
		t->wq[i]->obj.uses += by;
}

/* The WQs that the handles after the request name. */
static int read_wqs(const struct uverbs_call *c, struct uverbs_rwq_table *t)
{
	size_t n = 1u << t->log_size, head = sizeof(struct ib_uverbs_ex_create_rwq_ind_table);
	size_t len = head + n * sizeof(uint32_t);
	uint8_t *cmd;
	int ret;

	if (uverbs_len(c, UVERBS_ATTR_CORE_IN) < len)
		return -ENOSPC;
	cmd = malloc(len);
	t->wq = calloc(n, sizeof(struct uverbs_wq *));
	ret = cmd && t->wq ? uverbs_get_all(c, UVERBS_ATTR_CORE_IN, cmd, len) : -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++) {
		uint32_t handle;

		memcpy(&handle, cmd + head + i * sizeof(handle), sizeof(handle));
		t->wq[i] = uverbs_named(c, handle, UVERBS_WQ);
		ret = t->wq[i] ? 0 : -EINVAL;
	}
	free(cmd);
	return ret;
}

static int fw_create(struct uverbs *u, struct uverbs_rwq_table *t)
{
	uint32_t n = 1u << t->log_size;
	size_t in_len = PRM_SZ(create_rqt_in) + (size_t)n * RQN_BYTES;
	uint8_t out[PRM_SZ(create_rqt_out)] = { 0 }, *in = calloc(1, in_len), *rqtc;
	int ret;

	if (!in)
		return -ENOMEM;
	rqtc = PRM_ADDR(create_rqt_in, in, rqt_context);
	PRM_SET(create_rqt_in, in, opcode, PRM_OP_CREATE_RQT);
	PRM_SET(create_rqt_in, in, uid, t->uid);
	PRM_SET(rqtc, rqtc, rqt_max_size, n);
	PRM_SET(rqtc, rqtc, rqt_actual_size, n);
	for (uint32_t i = 0; i < n; i++)
		PRM_SET(rq_num, in + PRM_SZ(create_rqt_in) + (size_t)i * RQN_BYTES, rq_num,
			t->wq[i]->rqn);
	ret = uverbs_fw(u, in, in_len, out, sizeof(out));
	free(in);
	t->rqtn = PRM_GET(create_rqt_out, out, rqtn);
	return ret;
}

static int check_driver(const struct uverbs_call *c, uint8_t log_size)
{
	uint8_t none[1];
	size_t out = uverbs_len(c, UVERBS_ATTR_UHW_OUT);
	int ret = uverbs_has(c, UVERBS_ATTR_UHW_IN)
			  ? uverbs_get_all(c, UVERBS_ATTR_UHW_IN, none, 0)
			  : 0;

	if (ret)
		return ret;
	if (log_size > UVERBS_CAP(c->u, log_max_rqt_size))
		return -EINVAL;
	return out && out < sizeof(struct mlx5_ib_create_rwq_ind_tbl_resp) ? -EINVAL : 0;
}

static void answer(struct uverbs_call *c, const struct uverbs_rwq_table *t)
{
	struct mlx5_ib_create_rwq_ind_tbl_resp uhw = { .response_length = sizeof(uhw) };
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {
		.response_length = sizeof(resp),
		.ind_tbl_handle = t->obj.handle,
		.ind_tbl_num = t->rqtn,
	};

	uverbs_response(c, &resp);
	uverbs_answer(c, UVERBS_ATTR_UHW_OUT, uhw);
}

int uverbs_ex_create_rwq_table(struct uverbs_call *c)
{
	uint32_t cmd[2]; /* comp_mask, log_ind_tbl_size */
	struct uverbs_rwq_table *t;
	int ret = uverbs_get(c, UVERBS_ATTR_CORE_IN, cmd, sizeof(cmd));

	if (ret)
		return ret;
	if (cmd[0])
		return -EOPNOTSUPP;
	if (cmd[1] > LOG_SIZE_MAX)
		return -EINVAL;
	t = uverbs_object_new(c, UVERBS_RWQ_TABLE);
	if (!t)
		return c->error;
	t->log_size = cmd[1];
	ret = read_wqs(c, t);
	if (!ret)
		ret = check_driver(c, t->log_size);
	if (ret)
		return ret;
	t->uid = t->wq[0]->pd->uid;
	ret = fw_create(c->u, t);
	if (!ret)
		answer(c, t);
	return ret;
}

int uverbs_rwq_table_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_rwq_table *t = obj;

	return uverbs_fw_number(u, PRM_OP_DESTROY_RQT, t->uid, t->rqtn);
}

void uverbs_rwq_table_fini(struct uverbs *u, void *obj)
{
	(void)u;
	free(((struct uverbs_rwq_table *)obj)->wq);
}

int uverbs_ex_destroy_rwq_table(struct uverbs_call *c)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd;
	struct uverbs_object *o;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	ret = uverbs_object_get(c->file, cmd.ind_tbl_handle, UVERBS_RWQ_TABLE, &o);
	return ret ? ret : uverbs_object_destroy(o, NULL);
}
