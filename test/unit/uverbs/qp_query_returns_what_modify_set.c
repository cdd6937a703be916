/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole life of an RC QP; every query gives back what modify said. */
#include "queues.h"

QP_SUITE(qp_query_returns_what_modify_set);

Test(qp_query_returns_what_modify_set, every_attribute_comes_back)
{
	struct ib_uverbs_query_qp_resp q;
	const uint8_t dgid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 2 };

	q = query(&r);
	cr_assert_eq(q.qp_state, IBV_QPS_RESET);
	cr_assert_eq(q.max_recv_wr, 16);
	cr_assert_eq(q.max_recv_sge, 4);
	cr_assert_eq(q.dest.port_num, 0);

	walk_to(&r, IBV_QPS_INIT);
	q = query(&r);
	cr_assert_eq(q.qp_state, IBV_QPS_INIT);
	cr_assert_eq(q.port_num, 1);
	/* No responder resources yet: writes only. */
	cr_assert_eq(q.qp_access_flags, IBV_ACCESS_REMOTE_WRITE);

	struct ib_uverbs_modify_qp rtr = to_rtr(&r), rts = to_rts(&r);
	cr_assert_eq(modify(&r, &rtr), 0);
	q = query(&r);
	cr_assert_eq(q.qp_state, IBV_QPS_RTR);
	cr_assert_eq(q.qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	cr_assert_eq(q.path_mtu, IBV_MTU_1024);
	cr_assert_eq(q.dest_qp_num, 0x020123);
	cr_assert_eq(q.rq_psn, 0x123456);
	cr_assert_eq(q.max_dest_rd_atomic, 4);
	cr_assert_eq(q.min_rnr_timer, 12);
	cr_assert_arr_eq(q.dest.dgid, dgid, 16);
	cr_assert_eq(q.dest.sgid_index, 3);
	cr_assert_eq(q.dest.traffic_class, 0x68);
	cr_assert_eq(q.dest.hop_limit, 64, "the route's, not the application's");
	cr_assert_eq(q.dest.is_global, 1);

	cr_assert_eq(modify(&r, &rts), 0);
	q = query(&r);
	cr_assert_eq(q.qp_state, IBV_QPS_RTS);
	cr_assert_eq(q.cur_qp_state, IBV_QPS_RTS);
	cr_assert_eq(q.timeout, 14);
	cr_assert_eq(q.retry_cnt, 7);
	cr_assert_eq(q.rnr_retry, 6);
	cr_assert_eq(q.sq_psn, 0x654321);
	cr_assert_eq(q.max_rd_atomic, 8);
	cr_assert_eq(q.path_mig_state, IBV_MIG_MIGRATED);

	struct ib_uverbs_modify_qp err = to_state(&r, IBV_QPS_ERR);
	struct ib_uverbs_modify_qp reset = to_state(&r, IBV_QPS_RESET);
	cr_assert_eq(modify(&r, &err), 0);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_ERR);
	cr_assert_eq(modify(&r, &reset), 0);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RESET);
	walk_to(&r, IBV_QPS_RTS);
}

Test(qp_query_returns_what_modify_set, the_path_of_the_device_is_resolved)
{
	const uint8_t mac[6] = { 0x02, 0xc5, 10, 0, 0, 2 };
	const struct hca_qp *qp;

	walk_to(&r, IBV_QPS_RTR);
	qp = hca_qp_find(&r.b.hca, r.qp.qpn);
	cr_assert(qp);
	cr_assert_arr_eq(qp->path.dmac, mac, 6);
	cr_assert_eq(qp->mtu, 1024);
	cr_assert_eq(qp->user_index, 7);
	/* Flow label 0: folded from both QP numbers (rdma_calc_flow_label of the kernel). */
	uint64_t v = (uint64_t)r.qp.qpn * 0x020123;
	v ^= v >> 20;
	v ^= v >> 40;
	cr_assert_eq(qp->path.udp_sport, 0xc000 | ((v & 0x3fff) ^ (v >> 14 & 0x3f)));
}

Test(qp_query_returns_what_modify_set, link_local_addresses_carry_their_mac)
{
	const uint8_t mac[6] = { 0x02, 0xc5, 10, 0, 0, 9 };
	const uint8_t gid[16] = { 0xfe, 0x80, 0,  0,	0,    0, 0, 0,
				  0x00, 0xc5, 10, 0xff, 0xfe, 0, 0, 9 };

	walk_to(&r, IBV_QPS_INIT);
	struct ib_uverbs_modify_qp rtr = to_rtr(&r);
	memcpy(rtr.dest.dgid, gid, 16);
	rtr.dest.sgid_index = 0; /* RoCE v1: no UDP, and the hop limit stays */
	cr_assert_eq(modify(&r, &rtr), 0);
	cr_assert_arr_eq(hca_qp_find(&r.b.hca, r.qp.qpn)->path.dmac, mac, 6);
	cr_assert_eq(hca_qp_find(&r.b.hca, r.qp.qpn)->path.udp_sport, 0);
	cr_assert_eq(query(&r).dest.hop_limit, 1);
}

Test(qp_query_returns_what_modify_set, init_and_rts_change_in_place)
{
	walk_to(&r, IBV_QPS_INIT);
	struct ib_uverbs_modify_qp again = to_init(&r);
	again.qp_access_flags = 0;
	cr_assert_eq(modify(&r, &again), 0);
	cr_assert_eq(query(&r).qp_access_flags, 0);

	struct ib_uverbs_modify_qp rtr = to_rtr(&r), rts = to_rts(&r);
	cr_assert_eq(modify(&r, &rtr), 0);
	cr_assert_eq(modify(&r, &rts), 0);
	struct ib_uverbs_modify_qp more = { .qp_handle = r.qp.handle,
					    .attr_mask =
						    IBV_QP_MIN_RNR_TIMER | IBV_QP_ACCESS_FLAGS,
					    .min_rnr_timer = 3,
					    .qp_access_flags = IBV_ACCESS_REMOTE_READ };
	cr_assert_eq(modify(&r, &more), 0);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RTS);
	cr_assert_eq(query(&r).min_rnr_timer, 3);
	cr_assert_eq(query(&r).qp_access_flags, IBV_ACCESS_REMOTE_READ);
}

Test(qp_query_returns_what_modify_set, the_extended_command_does_the_same)
{
	struct ib_uverbs_ex_modify_qp_resp resp = { 0 };
	struct ib_uverbs_ex_modify_qp cmd = { 0 };
	struct mlx5_ib_modify_qp uhw = { 0 };
	uint64_t ex = IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	struct buf core = { &cmd, sizeof(cmd), &resp, sizeof(resp) };

	cmd.base = to_init(&r);
	cr_assert_eq(write_uhw(&r.b, ex, core, (struct buf){ &uhw, sizeof(uhw), NULL, 0 }), 0);
	cr_assert_eq(resp.response_length, sizeof(resp));
	cr_assert_eq(query(&r).qp_state, IBV_QPS_INIT);
	uhw.comp_mask = 1;
	cr_assert_eq(write_uhw(&r.b, ex, core, (struct buf){ &uhw, sizeof(uhw), NULL, 0 }),
		     -EOPNOTSUPP);
	cmd.base.attr_mask = 1 << 22;
	cr_assert_eq(write_uhw(&r.b, ex, core, (struct buf){ 0 }), -EOPNOTSUPP);
	cmd.base.attr_mask = IBV_QP_RATE_LIMIT;
	cr_assert_eq(write_uhw(&r.b, ex, core, (struct buf){ 0 }), -EINVAL);
}

Test(qp_query_returns_what_modify_set, creation_says_whether_all_complete)
{
	for (uint8_t all = 0; all < 2; all++) {
		r.attr.flags = all ? IB_UVERBS_QP_CREATE_SQ_SIG_ALL : 0;
		cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
		cr_expect_eq(query(&r).sq_sig_all, all);
	}
}
