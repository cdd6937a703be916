/* SPDX-License-Identifier: BSD-2-Clause */
/* EQEs: slot, owner bit, a full ring, the consumer index of a doorbell, and the bytes of each
 * kind (<linux/mlx5/device.h>, struct mlx5_eqe). */
#include "lib/hex.h"
#include "queues.h"

TestSuite(eq, .init = setup, .fini = teardown);

Test(eq, owner_bit_changes_with_every_pass)
{
	uint8_t eqe[64];

	for (uint32_t i = 0; i < 12; i++) {
		event_async(&hca, PRM_EVENT_WQ_CATAS_ERROR, i, 0);
		cr_assert_eq(eq_ring[i & 3][63], i >> 2 & 1, "entry %u", i);
		cr_assert(event_eq_next(eq, eqe));
		cr_assert_arr_eq(eqe, eq_ring[i & 3], 64, "entry %u", i);
		cr_assert_eq(eqe[32 + 27], i);
		cr_assert_not(event_eq_next(eq, eqe));
	}
	cr_expect_eq(irqs, 12);
}

Test(eq, full_ring_loses_the_newest)
{
	for (uint32_t i = 0; i < 6; i++)
		event_async(&hca, PRM_EVENT_WQ_CATAS_ERROR, i, 0);
	cr_expect_eq(irqs, 4);
	for (uint32_t i = 0; i < 4; i++)
		cr_expect_eq(eq_ring[i][32 + 27], i);
}

/* The index has 24 bits. */
Test(eq, doorbell_moves_the_index_and_arms)
{
	eq->pi = eq->ci = 0xffffff;
	for (int i = 0; i < 3; i++)
		event_async(&hca, PRM_EVENT_WQ_CATAS_ERROR, 1, 0);
	irqs = 0;
	cr_expect_not(event_eq_update(&hca, eq, 3, true), "beyond what was written");
	cr_expect_eq(eq->ci, 0xffffff);
	cr_expect(event_eq_update(&hca, eq, 1, false));
	cr_expect_eq(eq->ci, 0x1000001);
	cr_expect_eq(irqs, 0);
	cr_expect(event_eq_update(&hca, eq, 1, true));
	cr_expect_eq(irqs, 1, "one is left");
	cr_expect(event_eq_update(&hca, eq, 2, true));
	cr_expect_eq(irqs, 1, "none is left");
}

/* Bytes 0 to 3, and those of the data that the kind has. */
static void expect_eqe(const char *head, unsigned int at, const char *data)
{
	uint8_t eqe[64], want[64] = { 0 };
	unsigned int owner = eq->ci >> 2 & 1;

	cr_assert(event_eq_next(eq, eqe), "%s", head);
	from_hex(want, head);
	from_hex(want + 32 + at, data);
	want[63] = (uint8_t)owner;
	cr_expect_arr_eq(eqe, want, 64, "%s", head);
}

Test(eq, bytes_of_each_kind)
{
	uint32_t sqn = hca_sq_new(&hca)->sqn, rqn = hca_rq_new(&hca)->rqn,
		 srqn = hca_srq_new(&hca)->srqn, xrcn, dctn = hca_dct_new(&hca)->dctn;
	struct hca_srq *xrc = hca_srq_new(&hca);
	char number[32];

	xrc->xrc = true;
	xrcn = xrc->srqn;
	const struct {
		uint8_t type;
		uint32_t number, queue;
	} rows[] = {
		{ PRM_EVENT_WQ_CATAS_ERROR, 0x10001, 0 },
		{ PRM_EVENT_WQ_CATAS_ERROR, sqn, PRM_EVENT_QUEUE_TYPE_SQ },
		{ PRM_EVENT_WQ_INVAL_REQ_ERROR, rqn, PRM_EVENT_QUEUE_TYPE_RQ },
		{ PRM_EVENT_WQ_ACCESS_ERROR, dctn, PRM_EVENT_QUEUE_TYPE_DCT },
		{ PRM_EVENT_SRQ_RQ_LIMIT, srqn, PRM_EVENT_QUEUE_TYPE_RQ },
		{ PRM_EVENT_SRQ_CATAS_ERROR, xrcn, 0 },
		{ PRM_EVENT_COMM_EST, 0x10001, 0 },
	};

	eq->events = ~0ull;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char head[16];

		event_async(&hca, rows[i].type, rows[i].number, 9);
		snprintf(head, sizeof(head), "00%02x0000", rows[i].type);
		snprintf(number, sizeof(number), "%08x %08x", rows[i].queue << 24,
			 rows[i].number);
		expect_eqe(head, 20, number);
	}
	event_async(&hca, PRM_EVENT_CQ_ERROR, cq->cqn, EVENT_CQ_ACCESS);
	snprintf(number, sizeof(number), "%08x 00000000 00000002", cq->cqn);
	expect_eqe("00040000", 0, number);
	event_port(&hca);
	expect_eqe("00090004", 8, "10");
	hca.port.down = true;
	event_port(&hca);
	expect_eqe("00090001", 8, "10");
	cr_expect(event_cmd_wanted(&hca));
	event_cmd(&hca, 0x80000001);
	expect_eqe("000a0000", 0, "80000001");
}

Test(eq, gets_what_it_asked_for)
{
	eq->events = 0;
	event_async(&hca, PRM_EVENT_WQ_CATAS_ERROR, 1, 0);
	event_port(&hca);
	event_cmd(&hca, 1);
	cr_expect_not(event_cmd_wanted(&hca));
	cr_expect_eq(irqs, 0);
}
