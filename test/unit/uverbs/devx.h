/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX on the bench: boxes of commands, objects, umems, and the descriptors that answers are
 * read from.
 */
#ifndef TEST_UVERBS_DEVX_H
#define TEST_UVERBS_DEVX_H

#include "prm/prm.h"
#include "queues.h"

#define IN_MAX	512
#define OUT_MAX 1024

struct box {
	uint8_t in[IN_MAX], out[OUT_MAX];
	uint16_t in_len, out_len;
};

static inline void box(struct box *x, uint16_t opcode, size_t in_len, size_t out_len)
{
	memset(x, 0, sizeof(*x));
	x->in_len = in_len;
	x->out_len = out_len;
	PRM_SET(general_obj_in_cmd_hdr, x->in, opcode, opcode);
	/* The kernel overwrites it. */
	PRM_SET(general_obj_in_cmd_hdr, x->in, uid, 0x7777);
}

static inline int devx_create(struct bench *b, struct box *x, uint32_t *handle)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	int ret;

	call_in(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, x->in, x->in_len);
	call_out(&c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, x->out, x->out_len);
	ret = call_run(b, &c);
	if (handle)
		*handle = h->data;
	return ret;
}

static inline int devx_destroy(struct bench *b, uint32_t handle)
{
	return destroy(b, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
		       MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, handle);
}

/* MODIFY and QUERY have the same attributes. */
static inline int devx_use(struct bench *b, uint16_t method, uint32_t handle, struct box *x)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, method);

	call_object(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, handle);
	call_in(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, x->in, x->in_len);
	call_out(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, x->out, x->out_len);
	return call_run(b, &c);
}

static inline int devx_query(struct bench *b, uint32_t handle, struct box *x)
{
	return devx_use(b, MLX5_IB_METHOD_DEVX_OBJ_QUERY, handle, x);
}

static inline int devx_modify(struct bench *b, uint32_t handle, struct box *x)
{
	return devx_use(b, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, handle, x);
}

/* ---- objects ---- */

struct umem {
	uint64_t va, len, sizes; /* sizes: 0 leaves the attribute out */
	uint32_t access;
	uint32_t handle, id;
};

static inline int umem_reg(struct bench *b, struct umem *m)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	int ret;

	call_u64(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, m->va);
	call_u64(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, m->len);
	call_u32(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, m->access);
	call_out(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &m->id, 4);
	if (m->sizes)
		call_u64(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, m->sizes);
	ret = call_run(b, &c);
	m->handle = h->data;
	return ret;
}

static inline int umem_dereg(struct bench *b, uint32_t handle)
{
	return destroy(b, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG,
		       MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, handle);
}

static inline uint32_t devx_pd(struct bench *b, uint32_t *pdn)
{
	struct box x;
	uint32_t handle;

	box(&x, PRM_OP_ALLOC_PD, PRM_SZ(alloc_pd_in), PRM_SZ(alloc_pd_out));
	cr_assert_eq(devx_create(b, &x, &handle), 0);
	*pdn = PRM_GET(alloc_pd_out, x.out, pd);
	return handle;
}

static inline uint32_t query_eqn(struct bench *b, uint32_t vector)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN);
	uint32_t eqn = ~0u;

	call_u32(&c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, vector);
	call_out(&c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, 4);
	cr_assert_eq(call_run(b, &c), 0);
	return eqn;
}

/* A CQ of 64 entries, its record after them. */
struct devx_cq {
	struct uar uar;
	struct umem mem;
	uint32_t handle, cqn;
};

static inline void devx_cq_box(const struct devx_cq *q, uint32_t eqn, struct box *x)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, x->in, cq_context);

	box(x, PRM_OP_CREATE_CQ, PRM_SZ(create_cq_in), PRM_SZ(create_cq_out));
	PRM_SET(create_cq_in, x->in, cq_umem_id, q->mem.id);
	PRM_SET(cqc, cqc, log_cq_size, 6);
	PRM_SET(cqc, cqc, uar_page, q->uar.page);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, eqn);
	PRM_SET(cqc, cqc, dbr_umem_id, q->mem.id);
	PRM_SET(cqc, cqc, dbr_addr, PAGE);
}

static inline void devx_cq_up(struct bench *b, struct devx_cq *q)
{
	struct box x;

	q->mem = (struct umem){ .va = (uintptr_t)pages(2),
				.len = 2 * PAGE,
				.access = IBV_ACCESS_LOCAL_WRITE };
	cr_assert_eq(alloc_uar(b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &q->uar), 0);
	cr_assert_eq(umem_reg(b, &q->mem), 0);
	devx_cq_box(q, query_eqn(b, 0), &x);
	cr_assert_eq(devx_create(b, &x, &q->handle), 0);
	q->cqn = PRM_GET(create_cq_out, x.out, cqn);
}

/* ---- descriptors ---- */

static inline int alloc_cmd_fd(struct bench *b)
{
	struct call c =
		call(MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC);
	struct ib_uverbs_attr *fd =
		call_object(&c, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, 0);

	cr_assert_eq(call_run(b, &c), 0);
	return (int)fd->data_s64;
}

static inline int alloc_event_fd(struct bench *b, uint32_t flags)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD,
			     MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC);
	struct ib_uverbs_attr *fd =
		call_object(&c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, 0);

	call_u32(&c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, flags);
	cr_assert_eq(call_run(b, &c), 0);
	return (int)fd->data_s64;
}

#endif
