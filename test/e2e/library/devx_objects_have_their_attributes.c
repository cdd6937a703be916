/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects made by command: the device knows them as they were asked for, changes them, and lets
 * go of them in the order that it wants. */
#include <errno.h>
#include <devx/caps.h>
#include <devx/counter.h>
#include <devx/dct.h>
#include <devx/general.h>
#include <devx/psv.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <devx/srq.h>

#include "devx_fixture.h"

TestSuite(devx_objects, .init = devx_start, .fini = devx_stop);

/* A ring in the second half of memory, its record after it. */
static struct devx_wq_attr ring(void)
{
	return (struct devx_wq_attr){ .pdn = x.pdn,
				      .wq_umem_id = x.umem.id,
				      .wq_offset = X_SIZE,
				      .dbr_umem_id = x.umem.id,
				      .dbr_offset = X_SIZE + 8192,
				      .log_size = 6,
				      .log_stride = 6 };
}

static void has_ring(const uint8_t *wq, unsigned int type)
{
	cr_assert_eq(PRM_GET(wq, wq, wq_type), type);
	cr_assert_eq(PRM_GET(wq, wq, pd), x.pdn);
	cr_assert_eq(PRM_GET(wq, wq, log_wq_sz), 6);
	cr_assert_eq(PRM_GET(wq, wq, log_wq_stride), 6);
}

static bool refused_as_unknown(int err)
{
	return err == EREMOTEIO && devx_last_error()->status == PRM_STATUS_BAD_OP;
}

Test(devx_objects, rq_from_reset_to_ready_and_back)
{
	struct devx_rq_attr attr = { .wq = ring(), .cqn = x.cq.obj.id, .user_index = 0x77 };
	struct devx_obj rq;
	uint8_t rqc[240];

	devx_ok(devx_rq_create(&rq, x.ctx, &attr));
	devx_ok(devx_rq_query(&rq, rqc));
	has_ring(PRM_ADDR(rqc, rqc, wq), 1);
	cr_assert_eq(PRM_GET(rqc, rqc, state), DEVX_WQ_RST);
	cr_assert_eq(PRM_GET(rqc, rqc, cqn), x.cq.obj.id);
	cr_assert_eq(PRM_GET(rqc, rqc, user_index), 0x77);
	devx_ok(devx_rq_modify(&rq, DEVX_WQ_RST, DEVX_WQ_RDY));
	devx_ok(devx_rq_query(&rq, rqc));
	cr_assert_eq(PRM_GET(rqc, rqc, state), DEVX_WQ_RDY);
	devx_ok(devx_rq_modify(&rq, DEVX_WQ_RDY, DEVX_WQ_ERR));
	devx_ok(devx_rq_modify(&rq, DEVX_WQ_ERR, DEVX_WQ_RST));
	devx_ok(devx_rq_destroy(&rq));
}

Test(devx_objects, sq_holds_its_tis_and_that_its_domain)
{
	struct devx_tis_attr tis_attr = { 0 };
	struct devx_sq_attr attr = { .wq = ring(),
				     .cqn = x.cq.obj.id,
				     .uar_page = x.uar.page_id };
	struct devx_obj td, tis, sq;
	uint8_t sqc[240], tisc[160];

	devx_ok(devx_td_create(&td, x.ctx));
	tis_attr.transport_domain = td.id;
	devx_ok(devx_tis_create(&tis, x.ctx, &tis_attr));
	devx_ok(devx_tis_query(&tis, tisc));
	cr_assert_eq(PRM_GET(tisc, tisc, transport_domain), td.id);
	attr.tisn = tis.id;
	devx_ok(devx_sq_create(&sq, x.ctx, &attr));
	devx_ok(devx_sq_modify(&sq, DEVX_WQ_RST, DEVX_WQ_RDY));
	devx_ok(devx_sq_query(&sq, sqc));
	has_ring(PRM_ADDR(sqc, sqc, wq), 1);
	cr_assert_eq(PRM_GET(sqc, sqc, state), DEVX_WQ_RDY);
	cr_assert_eq(PRM_GET(sqc, sqc, tis_num_0), tis.id);
	cr_assert_eq(devx_td_destroy(&td), EINVAL);
	cr_assert_eq(devx_tis_destroy(&tis), EINVAL);
	devx_ok(devx_sq_destroy(&sq));
	devx_ok(devx_tis_destroy(&tis));
	devx_ok(devx_td_destroy(&td));
}

Test(devx_objects, tir_spreads_over_a_table)
{
	struct devx_rq_attr rq_attr = { .wq = ring(), .cqn = x.cq.obj.id };
	struct devx_tir_attr attr = { .hash_fn = DEVX_RX_HASH_TOEPLITZ,
				      .selected_fields =
					      DEVX_RX_HASH_SRC_IP | DEVX_RX_HASH_DST_IP,
				      .toeplitz_key = { 1, 2, 3 } };
	struct devx_obj td, rq, rqt, tir;
	uint8_t tirc[240];
	uint32_t twice[2];

	devx_ok(devx_td_create(&td, x.ctx));
	devx_ok(devx_rq_create(&rq, x.ctx, &rq_attr));
	twice[0] = twice[1] = rq.id;
	devx_ok(devx_rqt_create(&rqt, x.ctx, twice, 1, 2));
	devx_ok(devx_rqt_modify(&rqt, twice, 2));
	attr.transport_domain = td.id;
	attr.rqtn = rqt.id;
	devx_ok(devx_tir_create(&tir, x.ctx, &attr));
	devx_ok(devx_tir_query(&tir, tirc));
	cr_assert_eq(PRM_GET(tirc, tirc, indirect_table), rqt.id);
	cr_assert_eq(PRM_GET(tirc, tirc, rx_hash_fn), DEVX_RX_HASH_TOEPLITZ);
	cr_assert_eq(devx_rqt_destroy(&rqt), EINVAL);
	devx_ok(devx_tir_destroy(&tir));
	devx_ok(devx_rqt_destroy(&rqt));
	devx_ok(devx_rq_destroy(&rq));
	devx_ok(devx_td_destroy(&td));
}

Test(devx_objects, tir_leads_to_one_rq)
{
	struct devx_rq_attr rq_attr = { .wq = ring(), .cqn = x.cq.obj.id };
	struct devx_tir_attr attr = { 0 };
	struct devx_obj td, rq, tir;
	uint8_t tirc[240];

	devx_ok(devx_td_create(&td, x.ctx));
	devx_ok(devx_rq_create(&rq, x.ctx, &rq_attr));
	attr.transport_domain = td.id;
	attr.inline_rqn = rq.id;
	devx_ok(devx_tir_create(&tir, x.ctx, &attr));
	devx_ok(devx_tir_query(&tir, tirc));
	cr_assert_eq(PRM_GET(tirc, tirc, inline_rqn), rq.id);
	devx_ok(devx_tir_destroy(&tir));
	devx_ok(devx_rq_destroy(&rq));
	devx_ok(devx_td_destroy(&td));
}

Test(devx_objects, rmp_is_armed_and_disarmed)
{
	struct devx_wq_attr wq = ring();
	struct devx_obj rmp;
	uint8_t rmpc[240];

	devx_ok(devx_rmp_create(&rmp, x.ctx, &wq));
	devx_ok(devx_rmp_arm(&rmp, 5));
	devx_ok(devx_rmp_query(&rmp, rmpc));
	has_ring(PRM_ADDR(rmpc, rmpc, wq), 0);
	cr_assert_eq(PRM_GET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm), 5);
	devx_ok(devx_rmp_arm(&rmp, 0));
	devx_ok(devx_rmp_destroy(&rmp));
}

Test(devx_objects, xrc_domain)
{
	struct devx_obj xrcd;

	devx_ok(devx_xrcd_create(&xrcd, x.ctx));
	devx_ok(devx_xrcd_destroy(&xrcd));
}

Test(devx_objects, psvs_have_separate_numbers)
{
	struct devx_obj a, b;

	devx_ok(devx_psv_create(&a, x.ctx, x.pdn));
	devx_ok(devx_psv_create(&b, x.ctx, x.pdn));
	cr_assert_neq(a.id, b.id);
	devx_ok(devx_psv_destroy(&a));
	devx_ok(devx_psv_destroy(&b));
}

Test(devx_objects, q_counter_of_no_qp_counts_nothing)
{
	struct devx_obj counter;
	uint8_t out[256];

	devx_ok(devx_q_counter_create(&counter, x.ctx));
	devx_ok(devx_q_counter_query(&counter, false, out));
	cr_assert_eq(PRM_GET(query_q_counter_out, out, rx_write_requests), 0);
	cr_assert_eq(PRM_GET(query_q_counter_out, out, out_of_sequence), 0);
	devx_ok(devx_q_counter_destroy(&counter));
}

Test(devx_objects, flow_counters_alone_and_in_bulk)
{
	struct devx_flow_count count[8] = { [7] = { 1, 1 } };
	struct devx_obj one, bulk;

	devx_ok(devx_flow_counter_create(&one, x.ctx, 0));
	devx_ok(devx_flow_counter_query(&one, 1, count));
	cr_assert_eq(count[0].packets, 0);
	devx_ok(devx_flow_counter_create(&bulk, x.ctx, 128));
	devx_ok(devx_flow_counter_query(&bulk, 8, count));
	cr_assert_eq(count[7].packets, 0);
	cr_assert_eq(count[7].octets, 0);
	devx_ok(devx_flow_counter_destroy(&one));
	devx_ok(devx_flow_counter_destroy(&bulk));
}

/* Messages of the fixture's pair are counted, on a device that counts. */
Test(devx_objects, vport_and_vnic_counters)
{
	uint8_t before[528], after[528], env[528];
	struct ibv_sge sge = { (uintptr_t)x.src, X_SIZE, x.mkey.key };

	devx_ok(devx_vport_counter_query(x.ctx, 1, before));
	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED,
				 (struct dv_raddr){ (uintptr_t)x.dst, x.mkey.key }, &sge, 1),
		     0);
	dv_sq_doorbell(&x.a.sq);
	devx_completion();
	devx_ok(devx_vport_counter_query(x.ctx, 1, after));
	cr_assert_geq(PRM_GET(traffic_counter,
			      PRM_ADDR(query_vport_counter_out, after, transmitted_ib_unicast),
			      packets),
		      PRM_GET(traffic_counter,
			      PRM_ADDR(query_vport_counter_out, before, transmitted_ib_unicast),
			      packets));
	devx_ok(devx_vnic_env_query(x.ctx, env));
}

/* A register that does not exist is refused by kernel or firmware. */
Test(devx_objects, registers)
{
	uint8_t reg[16] = { 0 }, caps[DEVX_CAPS_BYTES];
	int err = devx_reg_read(x.ctx, 0x0001, 0, reg, sizeof(reg));

	devx_ok(devx_caps_query(caps, x.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR));
	if (DEVX_CAP(GENERAL, caps, access_register_user)) {
		cr_assert_eq(err, EREMOTEIO);
		cr_assert_neq(devx_last_error()->status, PRM_STATUS_OK);
		cr_assert_eq(devx_last_error()->opcode, PRM_OP_ACCESS_REGISTER_USER);
	} else {
		cr_assert_eq(err, EOPNOTSUPP);
	}
}

/* PTYS, the link's speeds; an adapter need not open it to users. */
Test(devx_objects, register_of_the_port)
{
	uint8_t reg[PRM_SZ(ptys_reg)] = { 0 };
	int err;

	PRM_SET(ptys_reg, reg, local_port, 1);
	PRM_SET(ptys_reg, reg, proto_mask, 4);
	err = devx_reg_read(x.ctx, 0x5004, 0, reg, sizeof(reg));
	if (!err)
		cr_assert_neq(PRM_GET(ptys_reg, reg, eth_proto_oper), 0);
	else
		cr_assert(err == EREMOTEIO || err == EOPNOTSUPP);
}

/* Where there is no DCT, the firmware says so. */
Test(devx_objects, dct)
{
	struct devx_wq_attr wq = ring();
	struct devx_dct_attr attr = { .pdn = x.pdn,
				      .cqn = x.cq.obj.id,
				      .dc_access_key = 0xdc,
				      .access = IBV_ACCESS_REMOTE_WRITE,
				      .mtu = IBV_MTU_1024,
				      .gid_index = x.gid_index,
				      .hop_limit = 64 };
	uint8_t caps[DEVX_CAPS_BYTES], dctc[64];
	struct devx_obj rmp, dct;
	int err;

	devx_ok(devx_caps_query(caps, x.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR));
	devx_ok(devx_rmp_create(&rmp, x.ctx, &wq));
	attr.srqn = rmp.id;
	err = devx_dct_create(&dct, x.ctx, &attr);
	if (!DEVX_CAP(GENERAL, caps, dct)) {
		cr_assert(refused_as_unknown(err));
	} else {
		devx_ok(err);
		devx_ok(devx_dct_query(&dct, dctc));
		cr_assert_eq(PRM_GET(dctc, dctc, dc_access_key), 0xdc);
		devx_ok(devx_dct_destroy(&dct));
	}
	devx_ok(devx_rmp_destroy(&rmp));
}

/* Every type that the capabilities do not name is refused before the firmware is asked. */
Test(devx_objects, general_objects_of_types_that_are_not_there)
{
	uint8_t caps[DEVX_CAPS_BYTES], context[64] = { 0 };
	struct devx_obj obj;

	devx_ok(devx_caps_query(caps, x.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR));
	for (uint16_t type = 0; type < 64; type++) {
		if (DEVX_CAP(GENERAL, caps, general_obj_types) >> type & 1)
			continue;
		cr_assert_eq(devx_general_create(&obj, x.ctx, type, 0, context, 64),
			     EOPNOTSUPP);
		cr_assert_eq(devx_last_error()->origin, DEVX_FROM_LIBRARY);
	}
}

/* A match definer, which is nothing but its description. */
Test(devx_objects, general_object_from_birth_to_death)
{
	uint8_t caps[DEVX_CAPS_BYTES], definer[PRM_SZ(match_definer)] = { 0 };
	struct devx_obj obj;

	devx_ok(devx_caps_query(caps, x.ctx, PRM_CAP_GENERAL, PRM_CAP_CUR));
	if (!(DEVX_CAP(GENERAL, caps, general_obj_types) >> PRM_OBJ_MATCH_DEFINER & 1))
		cr_skip_test("no match definers");
	PRM_SET(match_definer, definer, format_id, 22);
	memset(PRM_ADDR(match_definer, definer, match_mask), 0xff, 8);
	devx_ok(devx_general_create(&obj, x.ctx, PRM_OBJ_MATCH_DEFINER, 0, definer,
				    sizeof(definer)));
	cr_assert_eq(obj.type, PRM_OBJ_MATCH_DEFINER);
	memset(definer, 0, sizeof(definer));
	devx_ok(devx_general_query(&obj, definer, sizeof(definer)));
	cr_assert_eq(PRM_GET(match_definer, definer, format_id), 22);
	devx_ok(devx_general_destroy(&obj));
}
