/* SPDX-License-Identifier: BSD-2-Clause */
/* UC, UD, XRC: what they are created from, what each transition needs and allows. */
#include <fcntl.h>

#include <prm/prm.h>

#include "shared.h"

#define SUITE qp_type_has_its_own_masks

QP_SUITE(SUITE);

#define INIT	  (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define PEER	  (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define TIMERS	  (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define RESPONDER (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

/* Attributes that each type needs on its way to RTS. */
static const struct way {
	uint32_t type, init, rtr, rts;
} ways[] = {
	{ IB_UVERBS_QPT_RC, INIT | IBV_QP_ACCESS_FLAGS, PEER | RESPONDER,
	  TIMERS | IBV_QP_SQ_PSN },
	{ IB_UVERBS_QPT_UC, INIT | IBV_QP_ACCESS_FLAGS, PEER, IBV_QP_SQ_PSN },
	{ IB_UVERBS_QPT_UD, INIT | IBV_QP_QKEY, 0, IBV_QP_SQ_PSN },
	{ IB_UVERBS_QPT_XRC_INI, INIT | IBV_QP_ACCESS_FLAGS, PEER, TIMERS | IBV_QP_SQ_PSN },
	{ IB_UVERBS_QPT_XRC_TGT, INIT | IBV_QP_ACCESS_FLAGS, PEER | RESPONDER,
	  IBV_QP_TIMEOUT | IBV_QP_SQ_PSN },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* A QP of each type into r->qp. */
static void make_qp(struct rig *r, uint32_t type)
{
	struct typed_attr a = typed_attr(r, type);
	uint32_t xrcd;

	if (type == IB_UVERBS_QPT_XRC_TGT) {
		cr_assert_eq(open_xrcd(&r->b, -1, O_CREAT, &xrcd), 0);
		a = target_attr(r, xrcd);
	}
	if (type == IB_UVERBS_QPT_XRC_INI) {
		a.rcq = ABSENT;
		a.uhw.rq_wqe_count = a.uhw.rq_wqe_shift = 0;
	}
	cr_assert_eq(create_typed(&r->b, &a, &r->qp), 0, "type %u", type);
}

/* Every attribute that a test may name. */
static struct ib_uverbs_modify_qp attrs(const struct rig *r, uint8_t state, uint32_t mask)
{
	struct ib_uverbs_modify_qp a = to_rtr(r), rts = to_rts(r);

	a.attr_mask = mask | IBV_QP_STATE;
	a.qp_state = state;
	a.port_num = 1;
	a.qkey = 0x01020304;
	a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	a.timeout = rts.timeout;
	a.retry_cnt = rts.retry_cnt;
	a.rnr_retry = rts.rnr_retry;
	a.sq_psn = rts.sq_psn;
	a.max_rd_atomic = rts.max_rd_atomic;
	return a;
}

static int modify_to(struct rig *r, uint8_t state, uint32_t mask)
{
	struct ib_uverbs_modify_qp a = attrs(r, state, mask);

	return modify(r, &a);
}

/* mlx5_ib, qp.c, query_qp_attr: a UD QP has a port and no address. */
Test(SUITE, only_a_connected_qp_has_an_address)
{
	for (size_t i = 0; i < WAYS; i++) {
		struct ib_uverbs_query_qp_resp q;

		make_qp(&r, ways[i].type);
		cr_assert_eq(modify_to(&r, IBV_QPS_INIT, ways[i].init), 0);
		q = query(&r);
		cr_expect_eq(q.port_num, 1, "type %u", ways[i].type);
		cr_expect_eq(q.dest.port_num, ways[i].type != IB_UVERBS_QPT_UD, "type %u",
			     ways[i].type);
		cr_expect_eq(q.dest.is_global, ways[i].type != IB_UVERBS_QPT_UD, "type %u",
			     ways[i].type);
	}
}

/* Each attribute left out is missed, one of another type is too much. */
static void expect_needs(struct rig *r, uint8_t state, uint32_t needs)
{
	for (uint32_t bit = 1; bit <= needs; bit <<= 1)
		if (needs & bit)
			cr_assert_eq(modify_to(r, state, needs & ~bit), -EINVAL,
				     "state %u without %#x", state, bit);
	cr_assert_eq(modify_to(r, state, needs | IBV_QP_CAP), -EINVAL);
	cr_assert_eq(modify_to(r, state, needs), 0, "state %u", state);
}

Test(SUITE, the_way_to_rts)
{
	for (size_t i = 0; i < WAYS; i++) {
		make_qp(&r, ways[i].type);
		expect_needs(&r, IBV_QPS_INIT, ways[i].init);
		expect_needs(&r, IBV_QPS_RTR, ways[i].rtr);
		expect_needs(&r, IBV_QPS_RTS, ways[i].rts);
		cr_assert_eq(query(&r).qp_state, IBV_QPS_RTS);
		cr_assert_eq(modify_to(&r, IBV_QPS_ERR, 0), 0);
		cr_assert_eq(modify_to(&r, IBV_QPS_RESET, 0), 0);
		cr_assert_eq(query(&r).qp_state, IBV_QPS_RESET);
	}
}

Test(SUITE, what_belongs_to_another_type_is_refused)
{
	make_qp(&r, IB_UVERBS_QPT_UD);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_QKEY | IBV_QP_ACCESS_FLAGS),
		     -EINVAL);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_QKEY), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, PEER), -EINVAL);
	make_qp(&r, IB_UVERBS_QPT_UC);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_QKEY), -EINVAL);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, PEER | RESPONDER), -EINVAL);
}

/* perftest says of each XRC QP what belongs to the other half too; ib_uverbs drops it. */
Test(SUITE, the_other_half_of_xrc_is_not_looked_at)
{
	make_qp(&r, IB_UVERBS_QPT_XRC_INI);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, PEER | RESPONDER), 0);
	cr_assert_eq(query(&r).min_rnr_timer, 0);
	make_qp(&r, IB_UVERBS_QPT_XRC_TGT);
	cr_assert_eq(modify_to(&r, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTR, PEER | RESPONDER), 0);
	cr_assert_eq(modify_to(&r, IBV_QPS_RTS, TIMERS | IBV_QP_SQ_PSN), 0);
	cr_assert_eq(query(&r).retry_cnt, 0);
}

Test(SUITE, ud_shows_its_q_key)
{
	struct ib_uverbs_query_qp_resp q;
	struct ib_uverbs_modify_qp a;

	make_qp(&r, IB_UVERBS_QPT_UD);
	expect_needs(&r, IBV_QPS_INIT, INIT | IBV_QP_QKEY);
	cr_assert_eq(query(&r).qkey, 0x01020304);
	expect_needs(&r, IBV_QPS_RTR, 0);
	expect_needs(&r, IBV_QPS_RTS, IBV_QP_SQ_PSN);
	q = query(&r);
	cr_assert_eq(q.sq_psn, 0x654321);
	cr_assert_eq(q.path_mtu, IBV_MTU_4096);
	a = attrs(&r, IBV_QPS_RTS, IBV_QP_QKEY);
	a.qkey = 0x55;
	cr_assert_eq(modify(&r, &a), 0);
	cr_assert_eq(query(&r).qkey, 0x55);
	cr_assert_eq(hca_qp_find(&r.b.hca, r.qp.qpn)->qkey, 0x55);
}

Test(SUITE, mlx5_ib_cannot_drain_a_send_queue)
{
	for (size_t i = 0; i < WAYS; i++) {
		make_qp(&r, ways[i].type);
		cr_assert_eq(modify_to(&r, IBV_QPS_INIT, ways[i].init), 0);
		cr_assert_eq(modify_to(&r, IBV_QPS_RTR, ways[i].rtr), 0);
		cr_assert_eq(modify_to(&r, IBV_QPS_RTS, ways[i].rts), 0);
		cr_assert_eq(modify_to(&r, IBV_QPS_SQD, 0), -EINVAL);
		cr_assert_eq(query(&r).qp_state, IBV_QPS_RTS);
	}
}

Test(SUITE, creation_asks_for_what_the_type_needs)
{
	struct typed_attr a;
	uint32_t xrcd;
	struct qp qp;

	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	WITH(a, target_attr(&r, xrcd), a.pd = r.pd, create_typed(&r.b, &a, &qp), -EINVAL,
	     "a target has no PD");
	WITH(a, target_attr(&r, xrcd), a.rcq = r.cq.handle, create_typed(&r.b, &a, &qp),
	     -EINVAL, "nor a CQ");
	WITH(a, target_attr(&r, xrcd), a.xrcd = ABSENT, create_typed(&r.b, &a, &qp), -ENOENT);
	WITH(a, typed_attr(&r, IB_UVERBS_QPT_UC), a.xrcd = xrcd, create_typed(&r.b, &a, &qp),
	     -EINVAL, "UC has no domain");
	WITH(a, typed_attr(&r, IB_UVERBS_QPT_UD), a.rcq = ABSENT, create_typed(&r.b, &a, &qp),
	     -ENOENT);
}

Test(SUITE, what_concerns_xrc_is_the_drivers)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct typed_attr a;
	uint32_t xrcd;
	struct qp qp;

	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	a = target_attr(&r, xrcd);
	cr_assert_eq(create_typed(&r.b, &a, &qp), 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->uid, 0);
	cr_assert_eq(close_xrcd(&r.b, xrcd), -EBUSY);
	cr_assert_eq(destroy_qp(&r.b, qp.handle, &resp), 0);
	cr_assert_eq(close_xrcd(&r.b, xrcd), 0);
	make_qp(&r, IB_UVERBS_QPT_XRC_INI);
	cr_assert_eq(hca_qp_find(&r.b.hca, r.qp.qpn)->uid, 0);
	make_qp(&r, IB_UVERBS_QPT_UC);
	cr_assert_neq(hca_qp_find(&r.b.hca, r.qp.qpn)->uid, 0);
}

static uint8_t first_qpc[PRM_SZ(qpc)];

static void keep_first(const struct core_trace *t)
{
	if (t->obj == PRM_OP_RST2INIT_QP)
		memcpy(first_qpc, PRM_ADDR(rst2init_qp_in, (const uint8_t *)t->in, qpc),
		       sizeof(first_qpc));
}

/* mlx5_ib, qp.c, __mlx5_ib_modify_qp: a target of XRC is a QP of the kernel's. */
Test(SUITE, targets_have_the_reserved_key)
{
	for (size_t i = 0; i < WAYS; i++) {
		make_qp(&r, ways[i].type);
		core_trace_to = keep_first;
		core_trace_mask = 1u << TRACE_FW;
		cr_assert_eq(modify_to(&r, IBV_QPS_INIT, ways[i].init), 0);
		core_trace_mask = 0;
		cr_expect_eq(PRM_GET(qpc, first_qpc, rlky),
			     ways[i].type == IB_UVERBS_QPT_XRC_TGT, "type %u", ways[i].type);
	}
}
