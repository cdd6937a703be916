/* SPDX-License-Identifier: BSD-2-Clause */
/* Work queues, tables of them and QPs on these, as libmlx5 would create them; and an adapter
 * that has more, or less, than usual. */
#ifndef TEST_UVERBS_ETHERNET_H
#define TEST_UVERBS_ETHERNET_H

#include <linux/capability.h>
#include <sys/syscall.h>

#include "prm/prm.h"
#include "queues.h"
#include "unit/addresses.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)

struct wq_attr {
	struct ib_uverbs_ex_create_wq cmd;
	struct mlx5_ib_create_wq uhw;
};

static inline bool has_cap(uint32_t cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	cr_assert(!syscall(SYS_capget, &head, data));
	return data[cap / 32].effective & 1u << cap % 32;
}

static inline void drop_cap(uint32_t cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	cr_assert(!syscall(SYS_capget, &head, data));
	data[cap / 32].effective &= ~(1u << cap % 32);
	cr_assert(!syscall(SYS_capset, &head, data));
}

/* A rig on an adapter whose capabilities @change edits before there is a driver. */
static inline void rig_up_with(struct rig *r, void (*change)(struct hca *))
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	memset(r, 0, sizeof(*r));
	bench_up_with(&r->b, NULL, KERNEL_DEFAULT, change);
	cr_assert_eq(get_context(&r->b, &usual_context, &resp), 0);
	rig_queues(r);
}

/* 16 WQEs of 64 bytes. */
static inline struct wq_attr wq_attr(const struct rig *r)
{
	return (struct wq_attr){
		.cmd = { .user_handle = 0xfeed,
			 .pd_handle = r->pd,
			 .cq_handle = r->cq.handle,
			 .max_wr = 16,
			 .max_sge = 4 },
		.uhw = { .buf_addr = (uintptr_t)pages(1),
			 .db_addr = (uintptr_t)pages(1),
			 .rq_wqe_count = 16,
			 .rq_wqe_shift = 6,
			 .user_index = 5 },
	};
}

static inline int create_wq(struct rig *r, const struct wq_attr *a,
			    struct ib_uverbs_ex_create_wq_resp *resp)
{
	struct mlx5_ib_create_wq_resp uhw;

	return write_uhw(&r->b, EX(IB_USER_VERBS_EX_CMD_CREATE_WQ),
			 (struct buf){ &a->cmd, sizeof(a->cmd), resp, sizeof(*resp) },
			 (struct buf){ &a->uhw, sizeof(a->uhw), &uhw, sizeof(uhw) });
}

static inline struct ib_uverbs_ex_create_wq_resp new_wq(struct rig *r)
{
	struct ib_uverbs_ex_create_wq_resp resp;
	struct wq_attr a = wq_attr(r);

	cr_assert_eq(create_wq(r, &a, &resp), 0);
	return resp;
}

static inline int destroy_wq(struct rig *r, uint32_t wq)
{
	struct ib_uverbs_ex_destroy_wq cmd = { .wq_handle = wq };
	struct ib_uverbs_ex_destroy_wq_resp resp;

	return write_cmd(&r->b, EX(IB_USER_VERBS_EX_CMD_DESTROY_WQ), &cmd, sizeof(cmd), &resp,
			 sizeof(resp));
}

static inline int modify_wq_with(struct rig *r, const struct ib_uverbs_ex_modify_wq *cmd,
				 struct mlx5_ib_modify_wq uhw)
{
	return write_uhw(&r->b, EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ),
			 (struct buf){ .in = cmd, .in_len = sizeof(*cmd) },
			 (struct buf){ .in = &uhw, .in_len = sizeof(uhw) });
}

static inline int modify_wq(struct rig *r, const struct ib_uverbs_ex_modify_wq *cmd)
{
	return modify_wq_with(r, cmd, (struct mlx5_ib_modify_wq){ 0 });
}

#define TABLE_MAX 16

/* @n: 1 << @log_size unless a test wants something else. */
static inline int create_table(struct rig *r, uint32_t log_size, const uint32_t *wq, uint32_t n,
			       struct ib_uverbs_ex_create_rwq_ind_table_resp *resp)
{
	uint32_t cmd[2 + TABLE_MAX] = { 0, log_size };

	memcpy(cmd + 2, wq, n * sizeof(*wq));
	return write_cmd(&r->b, EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), cmd,
			 (2 + n + (n & 1)) * sizeof(uint32_t), resp, sizeof(*resp));
}

static inline int destroy_table(struct rig *r, uint32_t table)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd = { .ind_tbl_handle = table };

	return write_cmd(&r->b, EX(IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL), &cmd, sizeof(cmd),
			 NULL, 0);
}

/* DPDK's key is not needed: any 40 bytes. */
static inline struct mlx5_ib_create_qp_rss rss_attr(void)
{
	struct mlx5_ib_create_qp_rss a = { .rx_hash_fields_mask = MLX5_RX_HASH_SRC_IPV4 |
								  MLX5_RX_HASH_DST_IPV4,
					   .rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
					   .rx_key_len = 40 };

	for (int i = 0; i < 40; i++)
		a.rx_hash_key[i] = (uint8_t)(i + 1);
	return a;
}

struct rss_qp {
	uint32_t handle, qpn;
	struct mlx5_ib_create_qp_resp uhw;
};

static __attribute__((unused)) struct ib_uverbs_qp_cap rss_cap;

static inline int create_rss(struct rig *r, uint32_t table,
			     const struct mlx5_ib_create_qp_rss *rss, uint64_t flags,
			     struct rss_qp *qp)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	struct ib_uverbs_qp_cap cap = rss_cap;
	int ret;

	memset(&qp->uhw, 0, sizeof(qp->uhw));
	call_object(&c, UVERBS_ATTR_CREATE_QP_PD_HANDLE, r->pd);
	call_object(&c, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, table);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 1);
	call_in(&c, UVERBS_ATTR_CREATE_QP_CAP, &cap, sizeof(cap));
	call_u64(&c, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RAW_PACKET);
	call_u64(&c, UVERBS_ATTR_CREATE_QP_FLAGS, flags);
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap, sizeof(cap));
	call_out(&c, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->qpn, 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, rss, sizeof(*rss));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &qp->uhw, sizeof(qp->uhw));
	ret = call_run(&r->b, &c);
	qp->handle = h->data;
	return ret;
}

#endif
