/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs: slot, owner bit, overrun; arming; EQEs. */
#include "queues.h"

TestSuite(cq, .init = setup, .fini = teardown);

Test(cq, owner_bit_changes_with_every_pass)
{
	for (uint32_t i = 0; i < 12; i++) {
		cr_assert(put_cqe(SEND_CQE, PLAIN));
		cr_assert_eq(ring[i & 3][63], 0x20 | (i >> 2 & 1), "entry %u", i);
		cr_assert_eq(ring[i & 3][0], 0x11);
		consume(i + 1);
	}
}

Test(cq, a_full_ring_is_an_overrun_and_loses_the_cqe)
{
	for (int i = 0; i < 4; i++)
		cr_assert(put_cqe(SEND_CQE, PLAIN));
	cr_assert_not(event_cq_has_space(cq));
	cr_assert_not(put_cqe(SEND_IMM_CQE, PLAIN));
	cr_assert_eq(ring[0][63], 0x20, "nothing was overwritten");
	cr_assert_eq(eq_ring[0][1], PRM_EVENT_CQ_ERROR);
	cr_assert_eq(eq_ring[0][32 + 11], EVENT_CQ_OVERRUN);
	cr_assert_eq(be32toh(*(uint32_t *)&eq_ring[0][32]), cq->cqn);
	cr_assert_eq(irqs, 1);
	cr_assert_not(put_cqe(SEND_IMM_CQE, PLAIN));
	cr_assert_eq(irqs, 1, "one event");
}

Test(cq, overrun_ignored_wraps)
{
	cq->overrun_ignore = true;
	for (int i = 0; i < 5; i++)
		cr_assert(put_cqe(SEND_CQE, PLAIN));
	cr_assert_eq(ring[0][63], 0x21);
	cr_assert_eq(irqs, 0);
}

Test(cq, an_armed_cq_raises_one_event)
{
	uint8_t eqe[64];

	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 0, "not armed");
	consume(1);
	cr_assert_eq(arm(0, PLAIN, 1), 0, "nothing new yet");
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	cr_assert(event_eq_next(eq, eqe));
	cr_assert_eq(eqe[1], PRM_EVENT_COMP);
	cr_assert_eq(be32toh(*(uint32_t *)&eqe[32 + 24]), cq->cqn);
	cr_assert_not(event_eq_next(eq, eqe));
}

Test(cq, arming_late_raises_at_once)
{
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(arm(0, PLAIN, 0), 1);
}

Test(cq, solicited_only_waits_for_a_solicited_one_or_an_error)
{
	arm(0, SOLICITED, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 0);
	cr_assert_eq(after_cqe(SEND_CQE, SOLICITED), 1);
	consume(2);
	arm(1, SOLICITED, 2);
	cr_assert_eq(after_cqe(REQ_ERR_CQE, PLAIN), 2);
}

Test(cq, the_first_arm_of_a_fresh_cq_is_seen)
{
	/* All zero: differs from "never armed" by the value written at creation. */
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

Test(cq, entry_of_128_bytes_has_the_cqe_in_its_second_half)
{
	uint8_t entry[128];

	for (int i = 0; i < 128; i++)
		entry[i] = (uint8_t)i;
	entry[126] = 0;
	entry[127] = 0x20;
	cq->cqe_size_log = 7;
	cq->log_size = 1;
	cr_assert(event_cqe(&hca, cq, entry, false));
	cr_assert_arr_eq(&ring[0][0], entry, 126);
	cr_assert_eq(ring[1][63], 0x20);
}

Test(cq, async_events_are_written_to_the_eqs_that_select_them)
{
	event_async(&hca, PRM_EVENT_WQ_CATAS_ERROR, 0x10007, 0);
	cr_assert_eq(irqs, 1);
	cr_assert_eq(eq_ring[0][1], PRM_EVENT_WQ_CATAS_ERROR);
	cr_assert_eq(be32toh(*(uint32_t *)&eq_ring[0][32 + 24]), 0x10007);
	event_async(&hca, PRM_EVENT_COMM_EST, 0x10007, 0);
	cr_assert_eq(irqs, 1, "no EQ selects it");
}

/* <linux/mlx5/device.h>, MLX5_EVENT_QUEUE_TYPE_*: 0 QP, 1 RQ, 2 SQ, 6 DCT; kernel, devx.c,
 * get_legacy_obj_type: an RMP is an RQ, an XRC SRQ has no type. */
static uint8_t type_reported(uint8_t type, uint32_t obj)
{
	uint32_t slot = eq->pi & 3;

	eq->ci = eq->pi;
	eq->events = 1u << type;
	event_async(&hca, type, obj, 0);
	return eq_ring[slot][32 + 20];
}

Test(cq, work_queue_events_have_the_queue_type)
{
	struct hca_srq *rmp = hca_srq_new(&hca), *xrc = hca_srq_new(&hca);

	xrc->xrc = true;
	cr_assert_eq(type_reported(PRM_EVENT_WQ_CATAS_ERROR, hca_qp_new(&hca)->qpn), 0);
	cr_assert_eq(type_reported(PRM_EVENT_WQ_CATAS_ERROR, hca_rq_new(&hca)->rqn), 1);
	cr_assert_eq(type_reported(PRM_EVENT_WQ_CATAS_ERROR, hca_sq_new(&hca)->sqn), 2);
	cr_assert_eq(type_reported(PRM_EVENT_WQ_ACCESS_ERROR, hca_dct_new(&hca)->dctn), 6);
	cr_assert_eq(type_reported(PRM_EVENT_SRQ_RQ_LIMIT, rmp->srqn), 1);
	cr_assert_eq(type_reported(PRM_EVENT_SRQ_CATAS_ERROR, rmp->srqn), 1);
	cr_assert_eq(type_reported(PRM_EVENT_SRQ_RQ_LIMIT, xrc->srqn), 0);
	cr_assert_eq(type_reported(PRM_EVENT_CQ_ERROR, cq->cqn), 0);
}
