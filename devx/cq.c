/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_CQ over one umem, MODIFY_CQ for moderation, QUERY_CQ.
 *
 *	umem:  | CQEs | doorbell record |        CQEs are invalid until the device writes them
 */
#include <devx/cq.h>
#include <dv/map.h>
#include <prm/prm.h>

#include "context.h"
#include "refuse.h"
#include "ring.h"

enum {
	MAX_CQES = 1 << 22, /* as libmlx5 has it; the device checks its own limit */
	MODERATE = 0,	    /* op_mod of MODIFY_CQ; <linux/mlx5/cq.h>, MLX5_CQ_MODIFY_* */
	SELECT_PERIOD = 1,
	SELECT_COUNT = 2,
};

static int refuse(const char *why)
{
	return devx_refuse(CALL_devx_cq_create, PRM_OP_CREATE_CQ, EINVAL, why);
}

static int check(const struct devx_cq_attr *attr, uint32_t cqe_size)
{
	if (!dv_is_power_of_2(attr->cqe_cnt) || attr->cqe_cnt > MAX_CQES)
		return refuse("cqe_cnt is not a power of two up to 4194304");
	if (cqe_size != 64 && cqe_size != 128)
		return refuse("cqe_size is neither 64 nor 128");
	if (attr->period >> PRM_W(cqc, cq_period))
		return refuse("period is above 4095 microseconds");
	return attr->uar ? 0 : refuse("no UAR");
}

static void fill(uint8_t *in, const struct devx_ring *ring, const struct devx_cq_attr *attr,
		 uint32_t cqe_size)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);

	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_valid, 1);
	PRM_SET(create_cq_in, in, cq_umem_id, ring->umem_id);
	PRM_SET(create_cq_in, in, cq_umem_offset, ring->offset);
	PRM_SET(cqc, cqc, dbr_umem_valid, 1);
	PRM_SET(cqc, cqc, dbr_umem_id, ring->umem_id);
	PRM_SET(cqc, cqc, dbr_addr, ring->record);
	PRM_SET(cqc, cqc, cqe_sz,
		cqe_size == 64 ? PRM_CQC_CQE_SZ_64_BYTES : PRM_CQC_CQE_SZ_128_BYTES);
	PRM_SET(cqc, cqc, oi, attr->overrun_ignore);
	PRM_SET(cqc, cqc, cc, attr->collapsed);
	PRM_SET(cqc, cqc, log_cq_size, devx_log2(attr->cqe_cnt));
	PRM_SET(cqc, cqc, log_page_size, devx_ring_log_page());
	PRM_SET(cqc, cqc, uar_page, attr->uar->page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, attr->eqn);
	PRM_SET(cqc, cqc, cq_period, attr->period);
	PRM_SET(cqc, cqc, cq_max_count, attr->max_count);
}

static uint32_t size_of_cqe(const struct devx_cq_attr *attr)
{
	return attr->cqe_size ? attr->cqe_size : 64;
}

size_t devx_cq_bytes(const struct devx_cq_attr *attr)
{
	return devx_ring_bytes((size_t)attr->cqe_cnt * size_of_cqe(attr));
}

int devx_cq_create(struct devx_cq *cq, struct ibv_context *ctx, const struct devx_cq_attr *attr)
{
	uint8_t in[PRM_SZ(create_cq_in)] = { 0 }, out[PRM_SZ(create_cq_out)];
	uint32_t cqe_size = size_of_cqe(attr);
	struct devx_ring ring;
	struct mlx5dv_cq dvcq = { .cqe_cnt = attr->cqe_cnt, .cqe_size = cqe_size };
	int err = check(attr, cqe_size);

	if (err)
		return err;
	err = devx_ring_take(&ring, &cq->umem, ctx, attr->umem, attr->umem_offset,
			     (size_t)attr->cqe_cnt * cqe_size);
	if (err)
		return err;
	if (ring.addr) {
		dv_cq_blank(ring.addr, attr->cqe_cnt, cqe_size);
		memset(ring.dbrec, 0, 2 * sizeof(*ring.dbrec));
	}
	fill(in, &ring, attr, cqe_size);
	err = devx_obj_create(&cq->obj, ctx, in, sizeof(in), out, sizeof(out));
	if (err) {
		devx_ring_free(&cq->umem);
		return err;
	}
	memset(&cq->cq, 0, sizeof(cq->cq));
	if (!ring.addr)
		return 0;
	dvcq.buf = ring.addr;
	dvcq.dbrec = ring.dbrec;
	dvcq.cq_uar = attr->uar->base;
	dvcq.cqn = cq->obj.id;
	return dv_cq_init(&cq->cq, &dvcq);
}

int devx_cq_moderate(struct devx_cq *cq, uint16_t max_count, uint16_t period)
{
	uint8_t in[PRM_SZ(modify_cq_in)] = { 0 }, out[PRM_SZ(modify_cq_out)];
	uint8_t *cqc = PRM_ADDR(modify_cq_in, in, cq_context);
	uint8_t *select = PRM_ADDR(modify_cq_in, in, modify_field_select_resize_field_select);

	if (period >> PRM_W(cqc, cq_period))
		return devx_refuse(CALL_devx_cq_moderate, PRM_OP_MODIFY_CQ, EINVAL,
				   "period is above 4095 microseconds");
	PRM_SET(modify_cq_in, in, opcode, PRM_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, in, op_mod, MODERATE);
	PRM_SET(modify_cq_in, in, cqn, cq->obj.id);
	PRM_SET(modify_field_select, select, modify_field_select, SELECT_PERIOD | SELECT_COUNT);
	PRM_SET(cqc, cqc, cq_period, period);
	PRM_SET(cqc, cqc, cq_max_count, max_count);
	return devx_obj_modify(&cq->obj, in, sizeof(in), out, sizeof(out));
}

int devx_cq_query(struct devx_cq *cq, uint8_t cqc[PRM_SZ(cqc)])
{
	return DEVX_QUERY_CONTEXT(&cq->obj, QUERY_CQ, query_cq, cq_context, cqc, cqc);
}

int devx_cq_destroy(struct devx_cq *cq)
{
	int err = devx_obj_destroy(&cq->obj);

	return err ? err : devx_ring_free(&cq->umem);
}
