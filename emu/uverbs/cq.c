/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion queues (mlx5_ib, cq.c; uverbs_std_types_cq.c). The application brings the ring,
 * the doorbell record and the doorbell page; the kernel sizes: cqe + 1 entries, rounded up to a
 * power of two.
 */
#include <stdlib.h>

#include "uverbs/bfreg.h"
#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/method.h"
#include "uverbs/umem.h"

#define CQ_FLAGS                                                                         \
	(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD | MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX | \
	 MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)
#define DBREC_SIZE 8

struct attr {
	uint32_t cqe, vector, flags;
	struct mlx5_ib_create_cq mlx5;
	uint32_t uar;
	uint32_t log_size;
};

static int read_size(const struct uverbs *u, struct attr *a)
{
	uint32_t log_max = UVERBS_CAP(u, log_max_cq_sz);

	if (a->cqe > 1u << log_max)
		return -EINVAL;
	while (1ull << a->log_size < (uint64_t)a->cqe + 1)
		a->log_size++;
	return a->log_size > log_max ? -EINVAL : 0;
}

/* mlx5_ib, cq.c: mini_cqe_res_format_to_hw */
static int mini_format(const struct uverbs *u, uint32_t format)
{
	switch (format) {
	case MLX5_IB_CQE_RES_FORMAT_HASH:
		return PRM_CQC_MINI_CQE_HASH;
	case MLX5_IB_CQE_RES_FORMAT_CSUM:
		return PRM_CQC_MINI_CQE_CSUM;
	case MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX:
		return UVERBS_CAP(u, mini_cqe_resp_stride_index) ? PRM_CQC_MINI_CQE_CSUM_STRIDX
								 : -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static int check_compression(const struct uverbs *u, const struct mlx5_ib_create_cq *m)
{
	int format;

	if (m->cqe_comp_en != 1)
		return 0;
	if (!(m->cqe_size == 128 ? UVERBS_CAP(u, cqe_compression_128)
				 : UVERBS_CAP(u, cqe_compression)))
		return -EOPNOTSUPP;
	format = mini_format(u, m->cqe_comp_res_format);
	return format < 0 ? format : 0;
}

/* mlx5_ib, cq.c: create_cq_user */
static int read_mlx5(const struct uverbs_call *c, struct mlx5_ib_create_cq *m)
{
	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < offsetof(struct mlx5_ib_create_cq, flags))
		return -EINVAL;
	if (uverbs_get(c, UVERBS_ATTR_UHW_IN, m, sizeof(*m)))
		return -EFAULT;
	if (m->flags & ~CQ_FLAGS || m->reserved0 || m->reserved1 ||
	    (m->cqe_size != 64 && m->cqe_size != 128))
		return -EINVAL;
	/* Real-time stamps are not here. */
	if (m->flags & MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS)
		return -EOPNOTSUPP;
	if (m->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD &&
	    (m->cqe_size != 128 || !UVERBS_CAP(c->u, cqe_128_always)))
		return -EOPNOTSUPP;
	return check_compression(c->u, m);
}

static int read_attr(const struct uverbs_call *c, struct attr *a)
{
	int ret = uverbs_flags(c, UVERBS_ATTR_CREATE_CQ_FLAGS,
			       IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
				       IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN,
			       &a->flags);

	if (ret)
		return ret;
	a->cqe = uverbs_number(c, UVERBS_ATTR_CREATE_CQ_CQE);
	a->vector = uverbs_number(c, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR);
	if (a->vector >= c->u->vectors)
		return -EINVAL;
	ret = read_size(c->u, a);
	if (!ret)
		ret = read_mlx5(c, &a->mlx5);
	if (ret)
		return ret;
	a->uar = a->mlx5.uar_page_index;
	if (uverbs_has(c, UVERBS_CREATE_CQ_UAR_INDEX))
		a->uar = uverbs_number(c, UVERBS_CREATE_CQ_UAR_INDEX);
	else if (!(a->mlx5.flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX))
		return uverbs_bfreg_page(c->file, 0, false, &a->uar);
	return 0;
}

static int pin(struct uverbs_call *c, struct attr *a)
{
	uint64_t bytes = (uint64_t)a->mlx5.cqe_size << a->log_size;
	int ret = uverbs_umem_get(c, &a->mlx5.buf_addr, bytes);

	return ret ? ret : uverbs_record_get(c, &a->mlx5.db_addr, DBREC_SIZE);
}

/* mlx5_ib, cq.c: cqe_sz_to_mlx_sz */
static uint32_t cqe_sz(const struct mlx5_ib_create_cq *m)
{
	if (m->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD)
		return PRM_CQC_CQE_SZ_128_BYTES_PAD;
	return m->cqe_size == 64 ? PRM_CQC_CQE_SZ_64_BYTES : PRM_CQC_CQE_SZ_128_BYTES;
}

static int fw_create(struct uverbs_file *f, const struct attr *a, uint32_t *cqn)
{
	uint64_t bytes = (uint64_t)a->mlx5.cqe_size << a->log_size;
	uint8_t out[PRM_SZ(create_cq_out)] = { 0 }, *in, *cqc;
	struct uverbs_umem m;
	uint32_t offset;
	size_t in_len;
	int ret = uverbs_umem_for_queue(&m, a->mlx5.buf_addr, bytes, &offset);

	if (ret)
		return ret;
	in_len = PRM_SZ(create_cq_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, uid, f->uid);
	cqc = PRM_ADDR(create_cq_in, in, cq_context);
	PRM_SET(cqc, cqc, cqe_sz, cqe_sz(&a->mlx5));
	if (a->mlx5.cqe_comp_en == 1) {
		PRM_SET(cqc, cqc, cqe_comp_en, 1);
		PRM_SET(cqc, cqc, mini_cqe_res_format,
			mini_format(f->u, a->mlx5.cqe_comp_res_format));
	}
	PRM_SET(cqc, cqc, oi, !!(a->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN));
	PRM_SET(cqc, cqc, page_offset, offset);
	PRM_SET(cqc, cqc, log_cq_size, a->log_size);
	PRM_SET(cqc, cqc, uar_page, a->uar);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, f->u->comp_eq[a->vector].eqn);
	PRM_SET(cqc, cqc, log_page_size, m.page_shift - HCA_PAGE_SHIFT);
	PRM_SET(cqc, cqc, dbr_addr, a->mlx5.db_addr);
	uverbs_umem_fill(&m, PRM_ADDR(create_cq_in, in, pas), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	*cqn = PRM_GET(create_cq_out, out, cqn);
	return ret;
}

int uverbs_create_cq(struct uverbs_call *c)
{
	struct uverbs_cq *cq = c->made;
	struct attr a = { 0 };
	int ret = read_attr(c, &a);

	if (!ret)
		ret = pin(c, &a);
	if (!ret)
		ret = fw_create(c->file, &a, &cq->cqn);
	if (ret)
		return ret;
	cq->cqe = (1u << a.log_size) - 1;
	cq->cqe_size = a.mlx5.cqe_size;
	cq->pad = a.mlx5.flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD;
	cq->channel = uverbs_arg(c, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	uverbs_events_set(c, &cq->events, UVERBS_ATTR_CREATE_CQ_EVENT_FD,
			  uverbs_number(c, UVERBS_ATTR_CREATE_CQ_USER_HANDLE));
	if (cq->channel)
		core_list_add(&c->u->notified, &cq->on_notified);
	uverbs_answer(c, UVERBS_ATTR_UHW_OUT, cq->cqn);
	uverbs_answer(c, UVERBS_ATTR_CREATE_CQ_RESP_CQE, cq->cqe);
	return 0;
}

int uverbs_cq_destroy(struct uverbs *u, void *obj)
{
	struct uverbs_cq *cq = obj;
	int ret = uverbs_fw_number(u, PRM_OP_DESTROY_CQ, cq->obj.file->uid, cq->cqn);

	if (!ret && cq->channel)
		cq->events.reported.comp -=
			uverbs_event_fd_purge(cq->channel, cq->events.user_handle, 0);
	return ret;
}

void uverbs_cq_fini(struct uverbs *u, void *obj)
{
	(void)u;
	core_list_del(&((struct uverbs_cq *)obj)->on_notified);
}
