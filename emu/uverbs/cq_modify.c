/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of a CQ: completion channel, resize, moderation.
 *
 *	RESIZE_CQ   cqe -> entries as at creation -> the application's new ring, pinned
 *	            -> MODIFY_CQ -> a CQE of opcode RESIZE_CQ ends the old ring
 *	MODIFY_CQ   count, period -> MODIFY_CQ
 *
 * (ib_uverbs, uverbs_cmd.c; mlx5_ib, cq.c, mlx5_ib_resize_cq and mlx5_ib_modify_cq.)
 */
#include <stdlib.h>

#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/method.h"
#include "uverbs/umem.h"

/* <linux/mlx5/cq.h>: MLX5_CQ_MODIFY_*, MLX5_CQ_OPMOD_RESIZE, MLX5_MODIFY_CQ_MASK_* */
#define SELECT_PERIOD_AND_COUNT 0x3
#define OP_MOD_RESIZE		1
#define SELECT_RESIZE		0x7

#define PERIOD_MAX 0xfff /* cqc.cq_period has 12 bits */
#define MODERATE   1	 /* ib_core: IB_CQ_MODERATE */

int uverbs_create_comp_channel(struct uverbs_call *c)
{
	struct ib_uverbs_create_comp_channel_resp resp;
	struct ib_uverbs_create_comp_channel cmd;
	const struct uverbs_object *o;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	o = uverbs_object_new(c, UVERBS_COMP_FD);
	if (!o)
		return c->error;
	resp.fd = o->handle;
	uverbs_response(c, &resp);
	return 0;
}

static int find(const struct uverbs_call *c, uint32_t handle, struct uverbs_cq **cq)
{
	/* uverbs_cmd.c: a handle that is not a CQ's is EINVAL, whatever else it is. */
	*cq = uverbs_named(c, handle, UVERBS_CQ);
	return *cq ? 0 : -EINVAL;
}

static uint8_t *field_select(uint8_t *in)
{
	return PRM_ADDR(modify_cq_in, in, modify_field_select_resize_field_select);
}

/* ---- another ring ---- */

/* How many entries @cqe asks for: the next power of two above it. */
static int log_entries(const struct uverbs *u, uint32_t cqe, uint8_t *log)
{
	uint32_t log_max = UVERBS_CAP(u, log_max_cq_sz);

	if (!cqe || cqe > 1u << log_max)
		return -EINVAL;
	for (*log = 0; 1ull << *log < (uint64_t)cqe + 1; (*log)++)
		;
	return *log > log_max ? -EINVAL : 0;
}

static int read_ring(const struct uverbs_call *c, const struct uverbs_cq *cq,
		     struct mlx5_ib_resize_cq *ring)
{
	int ret = uverbs_get(c, UVERBS_ATTR_UHW_IN, ring, sizeof(*ring));

	if (ret == -ENOENT)
		return -EINVAL;
	if (ret)
		return ret;
	if (ring->reserved0 || ring->reserved1 ||
	    (ring->cqe_size != 64 && ring->cqe_size != 128))
		return -EINVAL;
	/* The kernel would go on and let the device write beyond the end. */
	return cq->pad && ring->cqe_size != 128 ? -EINVAL : 0;
}

static int fw_resize(struct uverbs_cq *cq, const struct mlx5_ib_resize_cq *ring, uint8_t log)
{
	uint8_t out[PRM_SZ(modify_cq_out)] = { 0 }, *in, *cqc;
	struct uverbs_file *f = cq->obj.file;
	struct uverbs_umem m;
	uint32_t offset;
	size_t in_len;
	int ret = uverbs_umem_for_queue(&m, ring->buf_addr, (uint64_t)ring->cqe_size << log,
					&offset);

	if (ret)
		return ret;
	in_len = PRM_SZ(modify_cq_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(modify_cq_in, in, opcode, PRM_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, in, uid, f->uid);
	PRM_SET(modify_cq_in, in, op_mod, OP_MOD_RESIZE);
	PRM_SET(modify_cq_in, in, cqn, cq->cqn);
	PRM_SET(resize_field_select, field_select(in), resize_field_select, SELECT_RESIZE);
	cqc = PRM_ADDR(modify_cq_in, in, cq_context);
	/* mlx5_ib, cq.c: cqe_sz_to_mlx_sz */
	PRM_SET(cqc, cqc, cqe_sz,
		cq->pad			? PRM_CQC_CQE_SZ_128_BYTES_PAD
		: ring->cqe_size == 128 ? PRM_CQC_CQE_SZ_128_BYTES
					: PRM_CQC_CQE_SZ_64_BYTES);
	PRM_SET(cqc, cqc, log_cq_size, log);
	PRM_SET(cqc, cqc, page_offset, offset);
	PRM_SET(cqc, cqc, log_page_size, m.page_shift - HCA_PAGE_SHIFT);
	uverbs_umem_fill(&m, PRM_ADDR(modify_cq_in, in, pas), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	return ret;
}

static int resize(struct uverbs_call *c, struct uverbs_cq *cq, uint32_t cqe)
{
	struct mlx5_ib_resize_cq ring;
	uint8_t log;
	int ret;

	if (!UVERBS_CAP(c->u, cq_resize))
		return -ENOSYS;
	ret = log_entries(c->u, cqe, &log);
	if (ret)
		return ret;
	if ((1u << log) - 1 == cq->cqe)
		return 0;
	ret = read_ring(c, cq, &ring);
	if (!ret)
		ret = uverbs_umem_get(c, &ring.buf_addr, (uint64_t)ring.cqe_size << log);
	if (!ret)
		ret = fw_resize(cq, &ring, log);
	if (ret)
		return ret;
	uverbs_memlock_take(c, &cq->obj);
	cq->cqe = (1u << log) - 1;
	cq->cqe_size = ring.cqe_size;
	return 0;
}

int uverbs_resize_cq(struct uverbs_call *c)
{
	struct ib_uverbs_resize_cq_resp resp = { 0 };
	struct ib_uverbs_resize_cq cmd;
	struct uverbs_cq *cq;
	int ret = uverbs_request(c, &cmd);

	if (!ret)
		ret = find(c, cmd.cq_handle, &cq);
	if (!ret)
		ret = resize(c, cq, cmd.cqe);
	if (ret)
		return ret;
	resp.cqe = cq->cqe;
	uverbs_response(c, &resp);
	return 0;
}

/* ---- moderation ---- */

static int moderate(struct uverbs_cq *cq, uint16_t count, uint16_t period)
{
	uint8_t in[PRM_SZ(modify_cq_in)] = { 0 }, out[PRM_SZ(modify_cq_out)] = { 0 };
	struct uverbs_file *f = cq->obj.file;
	uint8_t *cqc = PRM_ADDR(modify_cq_in, in, cq_context);

	if (!UVERBS_CAP(f->u, cq_moderation))
		return -EOPNOTSUPP;
	if (period > PERIOD_MAX)
		return -EINVAL;
	PRM_SET(modify_cq_in, in, opcode, PRM_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, in, uid, f->uid);
	PRM_SET(modify_cq_in, in, cqn, cq->cqn);
	PRM_SET(modify_field_select, field_select(in), modify_field_select,
		SELECT_PERIOD_AND_COUNT);
	PRM_SET(cqc, cqc, cq_period, period);
	PRM_SET(cqc, cqc, cq_max_count, count);
	return uverbs_fw(f->u, in, sizeof(in), out, sizeof(out));
}

int uverbs_ex_modify_cq(struct uverbs_call *c)
{
	struct ib_uverbs_ex_modify_cq cmd;
	struct uverbs_cq *cq;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (!cmd.attr_mask || cmd.reserved)
		return -EINVAL;
	if (cmd.attr_mask > MODERATE)
		return -EOPNOTSUPP;
	ret = find(c, cmd.cq_handle, &cq);
	return ret ? ret : moderate(cq, cmd.attr.cq_count, cmd.attr.cq_period);
}
