/* SPDX-License-Identifier: BSD-2-Clause */
/* Inboxes of work queues and of the objects that they refer to, by hand from the PRM's
 * layouts. */
#include <criterion/criterion.h>
#include <devx/dct.h>
#include <devx/raw.h>
#include <devx/srq.h>

#include "fake.h"

static const struct devx_wq_attr ring = { .pdn = 0x12,
					  .wq_umem_id = 0x55,
					  .wq_offset = 0x2000,
					  .dbr_umem_id = 0x56,
					  .dbr_offset = 0x1040,
					  .log_size = 8,
					  .log_stride = 6,
					  .log_page_size = 21 };
static struct devx_obj obj;

static void start(void)
{
	fake_reset();
	obj = (struct devx_obj){ .handle = fake_handle(), .id = 0x33 };
}

TestSuite(queue_inboxes_are_these_bytes, .init = start);

Test(queue_inboxes_are_these_bytes, rq)
{
	struct devx_rq_attr attr = { .wq = ring,
				     .cqn = 0x44,
				     .user_index = 0x123,
				     .counter_set_id = 7,
				     .vsd = true,
				     .flush_in_error_en = true };

	answer_word(8, 0x77);
	cr_assert_eq(devx_rq_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09080000", "0020: 10040000 00000123 00000044 07000000",
	     "0050: 10000000 00000000 00000012 00000000",
	     "0060: 00000000 00001040 00000000 00000000",
	     "0070: 00060908 c0000000 00000056 00000055", "0080: 00000000 00002000");
	cr_assert_eq(obj.id, 0x77);
}

Test(queue_inboxes_are_these_bytes, rq_on_a_shared_ring)
{
	struct devx_rq_attr attr = { .rmpn = 0x33, .cqn = 0x44, .scatter_fcs = true };

	cr_assert_eq(devx_rq_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09080000", "0020: 21000000 00000000 00000044 00000000",
	     "0030: 00000033");
}

Test(queue_inboxes_are_these_bytes, rq_state)
{
	cr_assert_eq(devx_rq_modify(&obj, DEVX_WQ_RST, DEVX_WQ_RDY), 0);
	SENT(272, "0000: 09090000 00000000 00000033", "0020: 00100000");
}

Test(queue_inboxes_are_these_bytes, sq)
{
	struct devx_sq_attr attr = { .wq = ring,
				     .cqn = 0x44,
				     .tisn = 9,
				     .uar_page = 0xaa,
				     .user_index = 0x123,
				     .min_wqe_inline_mode = 1,
				     .allow_multi_pkt_send_wqe = true,
				     .flush_in_error_en = true };

	cr_assert_eq(devx_sq_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09040000", "0020: 19000000 00000123 00000044 00000000",
	     "0040: 00010000 00000000 00000000 00000009",
	     "0050: 10000000 00000000 00000012 000000aa",
	     "0060: 00000000 00001040 00000000 00000000",
	     "0070: 00060908 c0000000 00000056 00000055", "0080: 00000000 00002000");
}

Test(queue_inboxes_are_these_bytes, sq_state)
{
	cr_assert_eq(devx_sq_modify(&obj, DEVX_WQ_ERR, DEVX_WQ_RST), 0);
	SENT(272, "0000: 09050000 00000000 30000033");
}

Test(queue_inboxes_are_these_bytes, contexts)
{
	uint8_t rqc[240], sqc[240], rmpc[240], tisc[160], tirc[240];

	answer_word(0x20, 0x00100000);
	answer_word(0x10c, 0xcafe);
	cr_assert_eq(devx_rq_query(&obj, rqc), 0);
	SENT(16, "0000: 090b0000 00000000 00000033");
	cr_assert_eq(rqc[1], 0x10);
	cr_assert_eq(rqc[239], 0xfe);

	AGAIN(devx_sq_query(&obj, sqc));
	SENT(16, "0000: 09070000 00000000 00000033");
	cr_assert_eq(sqc[1], 0x10);

	AGAIN(devx_rmp_query(&obj, rmpc));
	SENT(16, "0000: 090f0000 00000000 00000033");
	cr_assert_eq(rmpc[1], 0x10);

	AGAIN(devx_tir_query(&obj, tirc));
	SENT(16, "0000: 09030000 00000000 00000033");
	cr_assert_eq(tirc[239], 0xfe);

	/* This outbox has its context at 0x10. */
	AGAIN(devx_tis_query(&obj, tisc));
	SENT(16, "0000: 09150000 00000000 00000033");
	cr_assert_eq(tisc[0x11], 0x10);
}

Test(queue_inboxes_are_these_bytes, rmp)
{
	cr_assert_eq(devx_rmp_create(&obj, NULL, &ring), 0);
	SENT(272, "0000: 090c0000", "0020: 00100000",
	     "0050: 00000000 00000000 00000012 00000000",
	     "0060: 00000000 00001040 00000000 00000000",
	     "0070: 00060908 c0000000 00000056 00000055", "0080: 00000000 00002000");
}

Test(queue_inboxes_are_these_bytes, rmp_limit)
{
	cr_assert_eq(devx_rmp_arm(&obj, 0x20), 0);
	SENT(272, "0000: 090d0000 00000000 10000033", "0010: 00000000 00000001",
	     "0020: 00100000", "0050: 00000000 00000020");
}

Test(queue_inboxes_are_these_bytes, domains)
{
	answer_word(8, 0x21);
	cr_assert_eq(devx_td_create(&obj, NULL), 0);
	SENT(16, "0000: 08160000");
	cr_assert_eq(obj.id, 0x21);
	AGAIN(devx_xrcd_create(&obj, NULL));
	SENT(16, "0000: 080e0000");
	cr_assert_eq(obj.id, 0x21);
}

Test(queue_inboxes_are_these_bytes, tis)
{
	struct devx_tis_attr attr = {
		.transport_domain = 5, .pdn = 0x12, .prio = 4, .lag_tx_port_affinity = 2
	};

	cr_assert_eq(devx_tis_create(&obj, NULL, &attr), 0);
	SENT(192, "0000: 09120000", "0020: 02040000",
	     "0040: 00000000 00000005 00000000 00000012");
}

Test(queue_inboxes_are_these_bytes, tir_of_one_rq)
{
	struct devx_tir_attr attr = { .transport_domain = 5, .inline_rqn = 0x77 };

	cr_assert_eq(devx_tir_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09000000", "0030: 00000000 00000000 00000000 00000077",
	     "0040: 00000000 00000005");
	fake.calls = 0;
	attr.self_lb_block = PRM_TIRC_SELF_LB_BLOCK_BLOCK_MULTICAST;
	cr_assert_eq(devx_tir_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09000000", "0030: 00000000 00000000 00000000 00000077",
	     "0040: 00000000 02000005");
}

Test(queue_inboxes_are_these_bytes, tir_of_a_table)
{
	struct devx_tir_attr attr = { .transport_domain = 5,
				      .rqtn = 0x66,
				      .hash_fn = DEVX_RX_HASH_TOEPLITZ,
				      .symmetric = true,
				      .ipv6 = true,
				      .udp = true,
				      .selected_fields = 0xf,
				      .toeplitz_key = { 0x2c, 0xc6, [39] = 0x7f } };

	cr_assert_eq(devx_tir_create(&obj, NULL, &attr), 0);
	SENT(272, "0000: 09000000", "0020: 00000000 10000000",
	     "0040: 80000066 20000005 2cc60000 00000000",
	     "0060: 00000000 00000000 00000000 0000007f", "0070: c000000f");
}

Test(queue_inboxes_are_these_bytes, rq_table)
{
	const uint32_t rqn[] = { 0x77, 0x78 };

	cr_assert_eq(devx_rqt_create(&obj, NULL, rqn, 2, 4), 0);
	SENT(280, "0000: 09160000", "0030: 00000000 00000004 00000002",
	     "0110: 00000077 00000078");
}

Test(queue_inboxes_are_these_bytes, rq_table_changed)
{
	const uint32_t rqn[] = { 0x78 };

	obj.id = 0x66;
	cr_assert_eq(devx_rqt_modify(&obj, rqn, 1), 0);
	SENT(276, "0000: 09170000 00000000 00000066", "0010: 00000000 00000001",
	     "0030: 00000000 00000000 00000001", "0110: 00000078");
}

Test(queue_inboxes_are_these_bytes, dct)
{
	struct devx_dct_attr attr = { .pdn = 0x12,
				      .cqn = 0x44,
				      .srqn = 0x33,
				      .dc_access_key = 0x1122334455667788,
				      .access = IBV_ACCESS_REMOTE_WRITE |
						IBV_ACCESS_REMOTE_READ |
						IBV_ACCESS_REMOTE_ATOMIC,
				      .user_index = 0x123,
				      .flow_label = 0x12345,
				      .mtu = IBV_MTU_1024,
				      .gid_index = 2,
				      .hop_limit = 64,
				      .tclass = 0x20,
				      .min_rnr_nak = 12,
				      .counter_set_id = 7 };
	uint8_t dctc[64];

	answer_word(8, 0x88);
	cr_assert_eq(devx_dct_create(&obj, NULL, &attr), 0);
	SENT(128, "0000: 07100000", "0010: 00000000 00000123 00000044 071e0000",
	     "0020: 00000c00 00000033 00000012 20012345",
	     "0030: 11223344 55667788 03010000 00020040");
	cr_assert_eq(obj.id, 0x88);

	answer_word(0x4c, 0xbeef);
	AGAIN(devx_dct_query(&obj, dctc));
	SENT(16, "0000: 07130000 00000000 00000088");
	cr_assert_eq(dctc[63], 0xef);
}
