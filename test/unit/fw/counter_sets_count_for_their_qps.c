/* SPDX-License-Identifier: BSD-2-Clause */
/* counters: sets of Q counters and their QPs, flow counters, the vport's, the vnic's. */
#include "device.h"

NEEDS_SUITE(counters);

static uint32_t new_set(uint16_t u)
{
	return alloc_as(u, PRM_OP_ALLOC_Q_COUNTER);
}

static void query_box(uint32_t id)
{
	CMD(QUERY_Q_COUNTER, F(counter_set_id, id));
}

static uint32_t out_of_buffer(void)
{
	cr_assert_eq(execute(), FW_OK);
	return PRM_GET(query_q_counter_out, b.out, out_of_buffer);
}

Test(counters, a_qp_counts_into_the_set_that_it_names)
{
	uint32_t set = new_set(0), qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	cr_assert(set >= 1 && set <= 255);
	cr_assert_eq(qp->counter, &hca.counts.no_set);
	HCA_COUNT(&hca, qp, out_of_buffer);
	BOX_OK(WITH(init_box(qpn),
		    PRM_SET(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), counter_set_id, set)));
	HCA_COUNT(&hca, qp, out_of_buffer);
	HCA_COUNT(&hca, qp, out_of_buffer);
	query_box(0);
	cr_assert_eq(out_of_buffer(), 1);
	query_box(set);
	cr_assert_eq(out_of_buffer(), 2);
	query_box(0);
	PRM_SET(query_q_counter_in, b.in, aggregate, 1);
	cr_assert_eq(out_of_buffer(), 3);
	cr_assert_eq(PRM_GET(qpc, query_qp(qpn), counter_set_id), set);
}

Test(counters, reading_may_clear)
{
	struct hca_qp *qp = hca_qp_find(&hca, new_qp(&n));

	HCA_COUNT(&hca, qp, out_of_buffer);
	for (uint32_t i = 0; i < 2; i++) {
		query_box(0);
		PRM_SET(query_q_counter_in, b.in, clear, 1);
		cr_assert_eq(out_of_buffer(), !i);
	}
	query_box(0);
	PRM_SET(query_q_counter_in, b.in, aggregate, 1);
	cr_assert_eq(out_of_buffer(), 1, "the sum was not cleared");
}

Test(counters, a_set_with_qps_stays)
{
	uint32_t set = new_set(0), qpn;
	uint8_t *qpc = qp_box(&n);

	PRM_SET(qpc, qpc, counter_set_id, set);
	qpn = made();
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_2RST_QP, qpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, 0), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(hca.counts.no_set.refs, 0);
}

/* RTS2RTS_QP, opt_param_mask bit 25: rdma statistic bind. */
Test(counters, a_qp_in_rts_changes_its_set)
{
	uint32_t set = new_set(0), qpn = new_qp_in_rts(&n);
	uint8_t *qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);

	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask, 1 << 25);
	BOX_OK(PRM_SET(qpc, qpc, counter_set_id, set));
	cr_assert_eq(hca_qp_find(&hca, qpn)->counter->id, set);
	qpc = modify_box(PRM_OP_RTS2RTS_QP, qpn);
	PRM_SET(rts2rts_qp_in, b.in, opt_param_mask, 1 << 25);
	PRM_SET(qpc, qpc, counter_set_id, set + 1);
	REFUSED(FW_BAD_RES, WHY_COUNTER);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_Q_COUNTER, set), FW_OK);
}

Test(counters, refusals_of_sets)
{
	uint16_t u = new_uctx(), v = new_uctx();
	uint32_t set = new_set(u);

	BOX_REFUSED(AS(v, query_box(set)), FW_BAD_RES_STATE, WHY_OBJECT);
	BOX_REFUSED(number_box(v, PRM_OP_DEALLOC_Q_COUNTER, set), FW_BAD_RES_STATE, WHY_OBJECT);
	BAD_PARAM(WITH_FIELD(query_box(set), query_q_counter_in, aggregate, 1), WHY_VALUE);
	BAD_PARAM(WITH_FIELD(query_box(0), query_q_counter_in, other_vport, 1),
		  WHY_UNSUPPORTED);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, 0), FW_BAD_RES_STATE);
	AT_LIMIT(max_qp_cnt, 2, box(PRM_OP_ALLOC_Q_COUNTER), FW_LIM_ERR, WHY_LIMIT);
}

/* ---- flow counters ---- */

static uint32_t new_bulk(uint32_t bulk)
{
	BOX_OK(CMD(ALLOC_FLOW_COUNTER, F(flow_counter_bulk, bulk)));
	return PRM_GET(alloc_flow_counter_out, b.out, flow_counter_id);
}

static void flow_box(uint32_t id, uint32_t n)
{
	box(PRM_OP_QUERY_FLOW_COUNTER);
	b.out_len += (n ? n : 1) * PRM_SZ(traffic_counter);
	SET(query_flow_counter_in, b.in, F(flow_counter_id, id), F(num_of_counters, n));
}

Test(counters, flow_counters_come_alone_or_in_bulks)
{
	uint32_t one = new_bulk(0), many = new_bulk(2); /* 256 */
	struct hca_flow_counter *f = core_ids_get(&hca.flow_counters, many);
	const uint8_t *stat = b.out + PRM_SZ(query_flow_counter_out);

	cr_assert_neq(one, many);
	cr_assert_eq(f->numbers, 256);
	cr_assert_eq(core_ids_get(&hca.flow_counters, many + 255), f);
	cr_assert_neq(core_ids_get(&hca.flow_counters, many + 256), f);
	f->traffic[17] = (struct hca_traffic){ 3, 0x300000001 };
	BOX_OK(WITH_FIELD(flow_box(many + 16, 4), query_flow_counter_in, clear, 1));
	cr_assert_eq(PRM_GET(traffic_counter, stat, packets), 0);
	cr_assert_eq(PRM_GET(traffic_counter, stat + 16, packets), 3);
	cr_assert_eq(PRM_GET(traffic_counter, stat + 16, octets), 0x300000001);
	BOX_OK(flow_box(many + 17, 0));
	cr_assert_eq(PRM_GET(traffic_counter, stat, octets), 0);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, many + 1), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, many), FW_OK);
	cr_assert_null(core_ids_get(&hca.flow_counters, many + 255));
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_FLOW_COUNTER, one), FW_OK);
	cr_assert_eq(hca.flow_counters.used, 0);
}

Test(counters, refusals_of_flow_counters)
{
	uint32_t id = new_bulk(1);
	uint16_t u = new_uctx();

	BAD_PARAM(CMD(ALLOC_FLOW_COUNTER, F(flow_counter_bulk, 3)), WHY_SIZE);
	BAD_PARAM(CMD(ALLOC_FLOW_COUNTER, F(flow_counter_bulk_log_size, 15)), WHY_SIZE);
	BAD_PARAM(flow_box(id + 127, 2), WHY_SIZE);
	BOX_REFUSED(flow_box(id + 128, 1), FW_BAD_RES_STATE, WHY_OBJECT);
	BOX_REFUSED(WITH(flow_box(id, 2), b.out_len--), FW_BAD_OUTP_LEN, WHY_OUT_LEN);
	box(PRM_OP_DEALLOC_FLOW_COUNTER);
	uid(u);
	PRM_SET(dealloc_flow_counter_in, b.in, flow_counter_id, id);
	REFUSED(FW_BAD_RES_STATE, WHY_OBJECT);
	AT_LIMIT(max_flow_counter_15_0, 129, box(PRM_OP_ALLOC_FLOW_COUNTER), FW_LIM_ERR,
		 WHY_LIMIT);
}

/* ---- vport, vnic ---- */

/* Offsets of query_vport_counter_out (mlx5_ifc.h), a pair of 64 bits each: packets, octets. */
static const struct {
	enum hca_cast cast;
	size_t rx, tx;
} casts[] = {
	{ HCA_IB_UNICAST, 0x30, 0x40 },	   { HCA_IB_MULTICAST, 0x50, 0x60 },
	{ HCA_ETH_BROADCAST, 0x70, 0x80 }, { HCA_ETH_UNICAST, 0x90, 0xa0 },
	{ HCA_ETH_MULTICAST, 0xb0, 0xc0 },
};

static void expect_traffic(size_t at, uint64_t packets, uint64_t octets)
{
	cr_assert_eq(PRM_GET(traffic_counter, b.out + at, packets), packets, "%#zx", at);
	cr_assert_eq(PRM_GET(traffic_counter, b.out + at, octets), octets, "%#zx", at);
}

Test(counters, the_vport_has_seen_frames)
{
	for (unsigned int i = 0; i < HCA_CASTS; i++) {
		hca.counted->vport.rx.of[casts[i].cast].packets = 5 + i;
		hca.counted->vport.rx.of[casts[i].cast].octets = 500;
		hca.counted->vport.tx.of[casts[i].cast].packets = 6;
		hca.counted->vport.tx.of[casts[i].cast].octets = 0x600000000 + i;
	}
	for (unsigned int cleared = 0; cleared < 2; cleared++) {
		BOX_OK(CMD(QUERY_VPORT_COUNTER, F(clear, 1)));
		for (unsigned int i = 0; i < HCA_CASTS; i++) {
			expect_traffic(casts[i].rx, cleared ? 0 : 5 + i, cleared ? 0 : 500);
			expect_traffic(casts[i].tx, cleared ? 0 : 6,
				       cleared ? 0 : 0x600000000 + i);
		}
	}
	BAD_PARAM(CMD(QUERY_VPORT_COUNTER, F(port_num, 2)), WHY_VALUE);
	BAD_PARAM(CMD(QUERY_VPORT_COUNTER, F(other_vport, 1)), WHY_UNSUPPORTED);
}

Test(counters, the_vnic_knows_what_went_wrong)
{
	const uint8_t *env = PRM_ADDR(query_vnic_env_out, b.out, vport_env);
	uint32_t qpn = new_qp(&n);

	execute_on(PRM_OP_DEALLOC_PD, 0);    /* BAD_RES */
	execute_on(PRM_OP_CREATE_XRQ, 0);    /* BAD_OP */
	execute_on(PRM_OP_DEALLOC_PD, n.pd); /* in use */
	PRM_SET(cmd_hca_cap, hca.caps[0], log_max_pd, 0);
	execute_on(PRM_OP_ALLOC_PD, 0); /* LIM_ERR */
	cr_assert_eq(execute_on(PRM_OP_2ERR_QP, qpn), FW_OK);
	hca.counts.cq_overrun = 2;
	BOX_OK(box(PRM_OP_QUERY_VNIC_ENV));
	cr_assert_eq(PRM_GET(vnic_diagnostic_statistics, env, invalid_command), 3);
	cr_assert_eq(PRM_GET(vnic_diagnostic_statistics, env, quota_exceeded_command), 1);
	cr_assert_eq(PRM_GET(vnic_diagnostic_statistics, env, total_error_queues), 1);
	cr_assert_eq(PRM_GET(vnic_diagnostic_statistics, env, cq_overrun), 2);
	BAD_PARAM(number_box(0, PRM_OP_QUERY_VNIC_ENV, 1), WHY_UNSUPPORTED);
}
