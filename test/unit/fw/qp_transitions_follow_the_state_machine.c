/* SPDX-License-Identifier: BSD-2-Clause */
/* modify_qp: the state machine, what each transition takes, opt_param_mask, QUERY_QP. */
#include "device.h"

enum {
	RRE = 1 << 1,
	RAE = 1 << 2,
	RWE = 1 << 3,
	PKEY_INDEX = 1 << 4,
	RNR_TIMEOUT = 1 << 6,
	PM_STATE = 1 << 10
};

static struct hca_qp *kicked;
static unsigned int kicks;
static uint8_t kicked_in;

static void kick(struct hca *dev, struct hca_qp *qp)
{
	cr_assert_eq(dev, &hca);
	kicked = qp;
	kicked_in = qp->state;
	kicks++;
}

static void setup_kicked(void)
{
	setup_needs();
	hca.kick = kick;
}

TestSuite(states, .init = setup_kicked, .fini = teardown);

Test(states, the_way_to_rts)
{
	uint32_t qpn = new_qp_in_rts(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	EQUALS(E(qp->state, PRM_QPC_STATE_RTS), E(qp->remote_qpn, 0x60041), E(qp->mtu, 1024),
	       E(qp->log_msg_max, 30), E(qp->resp.epsn, 0xabcdef), E(qp->req.psn, 0x123),
	       E(qp->max_rd_atomic, 2), E(qp->max_dest_rd_atomic, 4), E(qp->ack_timeout, 14),
	       E(qp->retry_count, 7), E(qp->rnr_retry, 6), E(qp->min_rnr_nak, 12));
	cr_assert(qp->rwe && !qp->rre && !qp->rae);
	EQUALS(E(qp->path.sgid_index, 3), E(qp->path.hop_limit, 64), E(qp->path.tclass, 0x68),
	       E(qp->path.flow_label, 0x12345), E(qp->path.udp_sport, 0xc123),
	       E(qp->path.dgid[15], 0x77));
	cr_assert_arr_eq(qp->path.dmac, ((uint8_t[6]){ 2, 0, 0, 0, 0, 6 }), 6);
	cr_assert_eq(kicks, 3);
	cr_assert_eq(kicked_in, PRM_QPC_STATE_RTS);
}

static void packet_ends_it(struct hca *dev, struct hca_qp *qp)
{
	cr_assert_eq(dev, &hca);
	qp->state = PRM_QPC_STATE_ERR;
}

/* A packet that the engine finds while it catches up puts the QP into ERR, and RTS does not
 * take it out again. */
Test(states, packet_before_rts_counts)
{
	uint32_t qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	BOX_OK(init_box(qpn));
	BOX_OK(rtr_box(qpn));
	hca.catch_up = packet_ends_it;
	rts_box(qpn);
	executed(0);
	EQUALS(E(b.out[0], FW_BAD_QP_STATE), E(qp->state, PRM_QPC_STATE_ERR));
}

Test(states, query_shows_state_path_and_live_counters)
{
	uint32_t qpn = new_qp_in_rts(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);
	const uint8_t *qpc = query_qp(qpn);

	cr_assert_eq(PRM_GET(qpc, qpc, state), 3);
	cr_assert_eq(PRM_GET(qpc, qpc, pd), n.pd);
	cr_assert_eq(PRM_GET(qpc, qpc, remote_qpn), 0x60041);
	cr_assert_eq(PRM_GET(qpc, qpc, mtu), 3);
	cr_assert_eq(PRM_GET(qpc, qpc, next_send_psn), 0x123);
	cr_assert_eq(PRM_GET(qpc, qpc, next_rcv_psn), 0xabcdef);
	cr_assert_eq(PRM_GET(ads, ADS(qpc), udp_sport), 0xc123);
	cr_assert_eq(PRM_GET(ads, ADS(qpc), ack_timeout), 14);
	qp->req.psn = 0x1000007;
	qp->req.pi = 9;
	qp->req.next = 8;
	qp->resp.epsn = 77;
	qp->resp.ci = 5;
	dbrec[0] = 0x06000000; /* be32 6 */
	qpc = query_qp(qpn);
	cr_assert_eq(PRM_GET(qpc, qpc, next_send_psn), 7);
	cr_assert_eq(PRM_GET(qpc, qpc, next_rcv_psn), 77);
	cr_assert_eq(PRM_GET(qpc, qpc, sw_sq_wqebb_counter), 9);
	cr_assert_eq(PRM_GET(qpc, qpc, hw_sq_wqebb_counter), 8);
	cr_assert_eq(PRM_GET(qpc, qpc, hw_rq_counter), 5);
	cr_assert_eq(PRM_GET(qpc, qpc, sw_rq_counter), 6);
}

Test(states, wrong_order_is_bad_qp_state)
{
	static const uint16_t ops[] = { PRM_OP_RST2INIT_QP, PRM_OP_INIT2INIT_QP,
					PRM_OP_INIT2RTR_QP, PRM_OP_RTR2RTS_QP,
					PRM_OP_RTS2RTS_QP,  PRM_OP_SQERR2RTS_QP };
	/* bit i: ops[i] fits that state */
	static const uint8_t fits[] = { 1 << 0, 1 << 1 | 1 << 2, 1 << 3, 1 << 4, 0, 0, 0 };
	uint32_t qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	for (int state = PRM_QPC_STATE_RST; state <= PRM_QPC_STATE_ERR; state++) {
		for (int i = 0; i < 6; i++) {
			qp->state = state;
			if (fits[state] & 1 << i || (state == PRM_QPC_STATE_SQER && i == 5))
				continue;
			modify_box(ops[i], qpn);
			cr_assert_eq(execute(), FW_BAD_QP_STATE, "state %d, command %d", state,
				     i);
			cr_assert_eq(qp->state, state);
		}
	}
}

Test(states, err_from_any_state_kicks_the_engine)
{
	for (int state = PRM_QPC_STATE_RST; state <= PRM_QPC_STATE_ERR; state++) {
		uint32_t qpn = new_qp(&n);
		struct hca_qp *qp = hca_qp_find(&hca, qpn);

		qp->state = state;
		cr_assert_eq(execute_on(PRM_OP_2ERR_QP, qpn), FW_OK);
		cr_assert_eq(qp->state, PRM_QPC_STATE_ERR);
		cr_assert_eq(kicked, qp);
		cr_assert_eq(kicked_in, PRM_QPC_STATE_ERR);
	}
	cr_assert_eq(kicks, 7);
	cr_assert_eq(execute_on(PRM_OP_2ERR_QP, 0x5ffff), FW_BAD_RES_STATE);
}

Test(states, reset_forgets_the_connection_and_keeps_the_queues)
{
	uint32_t qpn = new_qp_in_rts(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);
	const uint8_t *qpc;

	qp->req.next = 4;
	kicks = 0;
	cr_assert_eq(execute_on(PRM_OP_2RST_QP, qpn), FW_OK);
	cr_assert_eq(kicks, 1);
	cr_assert_eq(kicked_in, PRM_QPC_STATE_RST);
	EQUALS(E(qp->req.next, 0), E(qp->resp.epsn, 0));
	cr_assert_not(qp->rwe);
	qpc = query_qp(qpn);
	cr_assert_eq(PRM_GET(qpc, qpc, state), 0);
	cr_assert_eq(PRM_GET(qpc, qpc, remote_qpn), 0);
	cr_assert_eq(PRM_GET(qpc, qpc, next_send_psn), 0);
	cr_assert_eq(PRM_GET(ads, ADS(qpc), udp_sport), 0);
	cr_assert_eq(PRM_GET(qpc, qpc, log_sq_size), 6);
	cr_assert_eq(PRM_GET(qpc, qpc, pm_state), 3);
	cr_assert_eq(PRM_GET(qpc, qpc, user_index), 0x123456);
	BOX_OK(init_box(qpn));
	cr_assert_eq(execute_on(PRM_OP_2RST_QP, 0x5ffff), FW_BAD_RES_STATE);
}

Test(states, init_refusals)
{
	uint32_t qpn = new_qp(&n);
	uint8_t *qpc = PRM_ADDR(rst2init_qp_in, b.in, qpc);

	BOX_REFUSED(init_box(qpn + 1), FW_BAD_RES_STATE, WHY_OBJECT);
	BAD_PARAM(WITH(init_box(qpn), PRM_SET(ads, ADS(qpc), vhca_port_num, 2)), WHY_VALUE);
	BAD_PARAM(WITH(init_box(qpn), PRM_SET(ads, ADS(qpc), pkey_index, 1)), WHY_VALUE);
	BAD_PARAM(WITH_FIELD(init_box(qpn), rst2init_qp_in, opt_param_mask, RWE),
		  WHY_OPT_PARAM);
	BAD_PARAM(WITH(init_box(qpn), PRM_SET(qpc, qpc, pd, n.pd + 1)), WHY_VALUE);
	BAD_PARAM(WITH(init_box(qpn), PRM_SET(qpc, qpc, cqn_snd, n.cq + 1)), WHY_VALUE);
	BAD_PARAM(WITH(init_box(qpn), PRM_SET(qpc, qpc, dbr_addr, 64)), WHY_VALUE);
	BOX_REFUSED(WITH(init_box(qpn), PRM_SET(qpc, qpc, counter_set_id, 1)), FW_BAD_RES,
		    WHY_COUNTER);
	BAD_PARAM(WITH(init_box(qpn), b.in[0x18 + 0x74] = 1),
		  WHY_RESERVED); /* the dword after log_ack_req_freq's: nameless */
	/* attributes that mlx5_ib repeats are accepted */
	init_box(qpn);
	SET(qpc, qpc, F(pd, n.pd), F(cqn_snd, n.cq), F(cqn_rcv, n.cq),
	    F(dbr_addr, (uintptr_t)dbrec), F(log_ack_req_freq, 8));
	cr_assert_eq(execute(), FW_OK);
}

Test(states, refusals_and_limits)
{
	uint32_t qpn = new_qp(&n);

	BOX_OK(init_box(qpn));
	BAD_PARAM(PRM_SET(qpc, rtr_box(qpn), mtu, 4), WHY_MTU); /* 2048: the port has 1024 */
	BAD_PARAM(PRM_SET(qpc, rtr_box(qpn), mtu, 0), WHY_MTU);
	BAD_PARAM(PRM_SET(qpc, rtr_box(qpn), mtu, 6), WHY_MTU);
	BAD_PARAM(PRM_SET(ads, ADS(rtr_box(qpn)), src_addr_index, 4), WHY_GID); /* never set */
	BAD_PARAM(PRM_SET(ads, ADS(rtr_box(qpn)), src_addr_index, 255),
		  WHY_GID); /* beyond the table */
	BAD_PARAM(PRM_SET(ads, ADS(rtr_box(qpn)), stat_rate, 3), WHY_UNSUPPORTED);
	AT_LIMIT(log_max_msg, 30, rtr_box(qpn), FW_BAD_PARAM, WHY_VALUE);
	AT_LIMIT(log_max_ra_req_qp, 1, rts_box(qpn), FW_BAD_PARAM, WHY_VALUE);
	qpn = new_qp(&n);
	BOX_OK(init_box(qpn));
	AT_LIMIT(log_max_ra_res_qp, 2, rtr_box(qpn), FW_BAD_PARAM, WHY_VALUE);
}

Test(states, optional_parts_need_their_bit)
{
	uint32_t qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);
	uint8_t *qpc;

	BOX_OK(init_box(qpn));
	qpc = rtr_box(qpn); /* without a bit the rights are not looked at */
	PRM_SET(qpc, qpc, rre, 1);
	cr_assert_eq(execute(), FW_OK);
	cr_assert(qp->rwe && !qp->rre);
	qpc = rts_box(qpn);
	BOX_OK(WITH(SET(qpc, qpc, F(rre, 1), F(rae, 1), F(atomic_mode, 1), F(min_rnr_nak, 20)),
		    PRM_SET(rtr2rts_qp_in, b.in, opt_param_mask, RRE | RAE)));
	cr_assert(qp->rwe && qp->rre && qp->rae);
	cr_assert_eq(qp->min_rnr_nak, 12);
	qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);
	PRM_SET(qpc, qpc, min_rnr_nak, 20);
	BOX_OK(PRM_SET(rts2rts_qp_in, b.in, opt_param_mask, RNR_TIMEOUT | RWE | RRE));
	cr_assert(!qp->rwe && !qp->rre && qp->rae);
	cr_assert_eq(qp->min_rnr_nak, 20);
	/* and a connection is not moved by the way */
	cr_assert_eq(qp->remote_qpn, 0x60041);
	cr_assert_eq(qp->req.psn, 0x123);
	BAD_PARAM(WITH_FIELD(modify_box(PRM_OP_RTS2RTS_QP, qpn), rts2rts_qp_in, opt_param_mask,
			     PKEY_INDEX),
		  WHY_OPT_PARAM);
	qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);
	PRM_SET(qpc, qpc, atomic_mode, 4); /* 16 bytes */
	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask, RAE);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);
	PRM_SET(qpc, qpc, pm_state, 1); /* REARM */
	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask, PM_STATE);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	BOX_OK(PRM_SET(qpc, qpc, pm_state, 3));
}

Test(states, init_may_be_repeated)
{
	uint32_t qpn = new_qp(&n);
	uint8_t *qpc;

	BOX_OK(init_box(qpn));
	qpc = modify_box(PRM_OP_INIT2INIT_QP, qpn);
	PRM_SET(qpc, qpc, rre, 1);
	BOX_OK(PRM_SET(init2init_qp_in, b.in, opt_param_mask, RRE | RWE));
	cr_assert(hca_qp_find(&hca, qpn)->rre && !hca_qp_find(&hca, qpn)->rwe);
	cr_assert_eq(hca_qp_find(&hca, qpn)->state, PRM_QPC_STATE_INIT);
}
