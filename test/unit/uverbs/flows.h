/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows by hand: a raw packet QP, specifications as bytes, and what the device has of it. */
#ifndef TEST_UVERBS_FLOWS_H
#define TEST_UVERBS_FLOWS_H

#include "ethernet.h"

#define TABLES(r) ((r)->b.hca.flow_tables.used)
#define ROOT(r)	  ((r)->b.hca.roots[PRM_FT_TYPE_NIC_RX])

/* In the order of the message: two of them end in arrays of no size. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif
struct flow_request {
	struct ib_uverbs_create_flow cmd;
	uint8_t specs[512];
	struct mlx5_ib_create_flow uhw;
	struct mlx5_ib_flow_counters_data data;
};

/* A raw packet QP that receives. */
static inline void flow_rig(struct rig *r, void (*change)(struct hca *))
{
	struct ib_uverbs_modify_qp m;

	if (!has_cap(CAP_NET_RAW))
		cr_skip_test("CAP_NET_RAW is needed");
	rig_up_with(r, change);
	r->attr.type = IB_UVERBS_QPT_RAW_PACKET;
	r->attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	r->attr.uhw.flags &= ~(uint32_t)MLX5_QP_FLAG_SCATTER_CQE;
	cr_assert_eq(create_qp(&r->b, &r->attr, &r->qp), 0);
	m = to_state(r, IBV_QPS_INIT);
	m.attr_mask |= IBV_QP_PORT;
	m.port_num = 1;
	cr_assert_eq(modify(r, &m), 0);
}

static inline void flow_open(void)
{
	flow_rig(&r, NULL);
}

/* r has a raw packet QP for flows. */
#define FLOW_SUITE(name) TestSuite(name, .init = flow_open, .fini = qp_close)

static inline uint32_t tirn_of(struct rig *r)
{
	uint32_t tirn = 0;

	cr_assert_not_null(core_ids_next(&r->b.hca.tirs, &tirn));
	return tirn;
}

static inline struct flow_request flow_of(const struct rig *r)
{
	return (struct flow_request){ .cmd = { .qp_handle = r->qp.handle,
					       .flow_attr = { .port = 1 } } };
}

/* @half bytes of value and of mask. */
static inline void add_spec(struct flow_request *f, uint32_t type, const void *value,
			    const void *mask, uint16_t half)
{
	struct ib_uverbs_flow_attr *a = &f->cmd.flow_attr;
	uint8_t *at = f->specs + a->size;
	uint16_t size = 8 + 2 * half;

	memcpy(at, &type, 4);
	memcpy(at + 4, &size, 2);
	memset(at + 6, 0, 2);
	memcpy(at + 8, value, half);
	memcpy(at + 8 + half, mask, half);
	a->size += size;
	a->num_of_specs++;
}

static inline void add_action(struct flow_request *f, uint32_t type, uint32_t number)
{
	uint32_t both[2] = { number, 0 };

	if (type == IBV_FLOW_SPEC_ACTION_DROP)
		add_spec(f, type, both, both, 0);
	else
		add_spec(f, type, &both[0], &both[1], 4);
}

/* Frames to @mac. */
static inline void add_dmac(struct flow_request *f, const uint8_t mac[6])
{
	uint8_t value[16] = { 0 }, mask[16] = { 0 };

	memcpy(value, mac, 6);
	memset(mask, 0xff, 6);
	add_spec(f, IBV_FLOW_SPEC_ETH, value, mask, 16);
}

static inline int create_flow(struct rig *r, const struct flow_request *f, uint32_t *handle)
{
	struct ib_uverbs_create_flow_resp resp = { 0 };
	uint8_t core[sizeof(f->cmd) + sizeof(f->specs)];
	uint8_t uhw[sizeof(f->uhw) + sizeof(f->data)];
	size_t uhw_len = sizeof(f->uhw) + (f->uhw.ncounters_data ? sizeof(f->data) : 0);
	int ret;

	memcpy(core, &f->cmd, sizeof(f->cmd));
	memcpy(core + sizeof(f->cmd), f->specs, f->cmd.flow_attr.size);
	memcpy(uhw, &f->uhw, sizeof(f->uhw));
	memcpy(uhw + sizeof(f->uhw), &f->data, sizeof(f->data));
	ret = write_uhw(&r->b, EX(IB_USER_VERBS_EX_CMD_CREATE_FLOW),
			(struct buf){ core, sizeof(f->cmd) + f->cmd.flow_attr.size, &resp,
				      sizeof(resp) },
			(struct buf){ uhw, uhw_len, NULL, 0 });
	if (handle)
		*handle = resp.flow_handle;
	return ret;
}

static inline int destroy_flow(struct rig *r, uint32_t flow)
{
	struct ib_uverbs_destroy_flow cmd = { .flow_handle = flow };

	return write_cmd(&r->b, EX(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), &cmd, sizeof(cmd), NULL,
			 0);
}

/* The entry at index 0 of @t. */
static inline struct hca_fte *first_entry(const struct hca_flow_table *t)
{
	struct hca_fte *e = t ? hca_fte_find(t, 0) : NULL;

	cr_assert_not_null(e);
	return e;
}

#endif
