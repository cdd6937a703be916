/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qpc.send_dbr_mode: byte 0x10, bits 7:6; its capability is in cmd_hca_cap_2, byte 0x5c, bit 6
 * (rdma-core, tests/mlx5_prm_structs.py). ConnectX-8 has it, those before do not (DOCA
 * GPUNetIO, changelog, 2.0.0).
 */
#include "device.h"

#define EXT 0x40
#define INT 0x80

static void on_cx8(void)
{
	setup_needs_as("cx8");
}

TestSuite(send_record, .init = on_cx8, .fini = teardown);

static uint8_t create_qp_status(uint8_t mode)
{
	qp_box(&n)[0x10] |= mode;
	return execute();
}

Test(send_record, may_be_left_out_on_a_connectx_8)
{
	uint32_t qpn;

	cr_assert_eq(create_qp_status(EXT), FW_OK);
	qpn = PRM_GET(create_qp_out, b.out, qpn);
	cr_assert(hca_qp_find(&hca, qpn)->no_send_record);
	cr_assert_eq(query_qp(qpn)[0x10] & 0xc0, EXT);
	cr_assert_eq(create_qp_status(0), FW_OK);
	qpn = PRM_GET(create_qp_out, b.out, qpn);
	cr_assert_not(hca_qp_find(&hca, qpn)->no_send_record);
	cr_assert_eq(query_qp(qpn)[0x10] & 0xc0, 0);
}

Test(send_record, has_modes_that_are_not_here)
{
	cr_assert_eq(create_qp_status(INT), FW_BAD_PARAM);
	cr_assert_eq(syndrome(), 0xe0050005);
	cr_assert_eq(create_qp_status(EXT | INT), FW_BAD_PARAM);
}

Test(send_record, needs_the_capability)
{
	static const char *const names[] = { "cx5", "cx6dx", "cx7", "bf2", "bf3" };

	cr_assert_eq(hca.caps[0x20][0x5c] & 0xc0, 0x40);
	teardown();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		setup_needs_as(names[i]);
		cr_assert_eq(hca.caps[0x20][0x5c] & 0xc0, 0, "%s", names[i]);
		cr_assert_eq(create_qp_status(EXT), FW_BAD_PARAM, "%s", names[i]);
		cr_assert_eq(syndrome(), 0xe0050005);
		teardown();
	}
	on_cx8();
}

/* No receive queue either: nothing has a record, and dbr_addr is 0. */
Test(send_record, is_not_asked_for_if_nothing_reads_it)
{
	uint8_t *qpc = qp_box(&n);

	SET(qpc, qpc, F(rq_type, 3), F(log_rq_size, 0), F(log_rq_stride, 0), F(dbr_addr, 0));
	b.in_len -= 8; /* one page is enough */
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(syndrome(), 0xe0050013);
	qpc[0x10] |= EXT;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(create_qp_status(EXT), FW_OK);
	PRM_SET(qpc, qp_box(&n), dbr_addr, 0);
	qpc[0x10] |= EXT;
	cr_assert_eq(execute(), FW_BAD_PARAM, "the receive queue has a record");
}

/* Back in RESET the ring counts from 0, as the index of WQEs does. */
Test(send_record, of_a_queue_in_reset_is_forgotten)
{
	struct hca_qp *qp;

	cr_assert_eq(create_qp_status(EXT), FW_OK);
	qp = hca_qp_find(&hca, PRM_GET(create_qp_out, b.out, qpn));
	qp->state = PRM_QPC_STATE_RTS;
	qp->req.rung = qp->req.pi = 5;
	BOX_OK(modify_box(PRM_OP_2RST_QP, qp->qpn));
	cr_assert_eq(qp->req.rung, 0);
	cr_assert(qp->no_send_record);
}
