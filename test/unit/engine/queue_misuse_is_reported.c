/* SPDX-License-Identifier: BSD-2-Clause */
/* --check: CQs that overrun or are never released; refusals at both ends; UMR without a
 * fence. */
#include <endian.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "rig.h"

PAIR_SUITE(misuse);

/* a executes @n WRITEs of 8 bytes. */
static void write_times(int n)
{
	while (n--)
		post(&a, "write 8 remote=0x1000 sig");
	work(&a);
}

Test(misuse, cq_that_is_never_released)
{
	write_times(3);
	expect_no_finding();
	engine_unfinished(&near.hca);
	engine_unfinished(&near.hca);
	expect_finding("CQ 0x10001: 3 CQEs were written, and the consumer index never was; "
		       "remedy: poll the CQ,");
}

Test(misuse, cq_whose_qp_is_reset)
{
	a.cq->refs = b.cq->refs = 1;
	post(&b, "recv 64");
	execute(&a, "send 8 sig");
	b.qp->scq = a.cq;
	b.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&near.hca, b.qp);
	expect_finding("CQ 0x10001: 1 CQEs were written|CQ 0x10002: 1 CQEs were written");
}

Test(misuse, cq_that_other_queues_use_is_not_reported)
{
	a.cq->refs = 3;
	write_times(1);
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&near.hca, a.qp);
}

Test(misuse, released_cq_is_not_reported)
{
	write_times(3);
	a.cq_rec[0] = htobe32(1);
	engine_unfinished(&near.hca);
}

/* The CQEs of a QP that goes to ERR. */
Test(misuse, cq_of_flushed_wqes_is_not_reported)
{
	post(&b, "recv 64");
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&near.hca, b.qp);
	settle();
	cr_assert_eq(b.cq->pi, 1);
	engine_unfinished(&near.hca);
}

Test(misuse, cq_with_overrun_ignore_is_not_reported)
{
	a.cq->overrun_ignore = true;
	write_times(1);
	engine_unfinished(&near.hca);
}

/* The QP is reset before the device polls the register. */
Test(misuse, pending_doorbell_is_not_reported)
{
	post_rung(&a, "write 8 remote=0x1000 sig");
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&near.hca, a.qp);
}

Test(misuse, record_without_a_doorbell)
{
	post(&a, "write 8 remote=0x1000 sig");
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&near.hca, a.qp);
	expect_finding(
		"QP 0x10001: the record is 0x1, the last doorbell was for 0x0; remedy: ");
}

/* Once, as soon as no block is free; a signalled WQE frees all before it. */
Test(misuse, ring_without_a_signalled_wqe)
{
	for (int n = 1; n < 3 * RIG_SQ; n++) {
		execute(&a, n == 2 * RIG_SQ - 1 ? "nop sig" : "nop");
		if (n == RIG_SQ || n == 3 * RIG_SQ - 1)
			expect_finding("QP 0x10001: a whole ring of 64 blocks without");
		expect_no_finding();
	}
}

/* ---- UMR ---- */

/* A key with an entry, for UMR. */
static struct hca_mkey *key_for_umr(void)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	m->pd = near.pd;
	m->umr_en = true;
	m->mkc[2] = 0x0c; /* lw, lr */
	m->mkc[31] = 64;  /* len */
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	m->len = 64;
	m->capacity = 4;
	m->entries = 1;
	m->list = calloc(4, sizeof(*m->list));
	m->list[0] = (struct hca_klm){ 64, RIG_KEY, RIG_VA, 0 };
	return m;
}

static void post_umr(const struct hca_mkey *m)
{
	uint8_t wqe[128] = { [3] = 0x25,
			     [4] = 0x01,
			     [6] = 0x01,
			     [7] = 8,
			     [12] = (uint8_t)(m->index >> 16),
			     [13] = (uint8_t)(m->index >> 8),
			     [14] = (uint8_t)m->index };

	wqe[1] = a.pi >> 8;
	wqe[2] = (uint8_t)a.pi;
	post_bytes(&a, wqe, 8);
}

static void post_write_from(const struct hca_mkey *m, const char *fence)
{
	post(&a, "write 8 lkey=0x%x local_va=0 remote=0x1000 %s", m->index << 8, fence);
}

Test(misuse, key_changed_by_umr_without_a_fence)
{
	struct hca_mkey *m = key_for_umr();

	post_umr(m);
	post_write_from(m, "sig");
	work(&a);
	expect_finding(
		"QP 0x10001: WQE 0x2 uses key 0x%x, which a UMR WQE before it changes, and "
		"has no fence; remedy: set the small fence",
		m->index << 8);
}

Test(misuse, key_after_a_fence_is_not_reported)
{
	struct hca_mkey *m = key_for_umr();

	post_umr(m);
	post_write_from(m, "small_fence sig");
	post_write_from(m, "sig"); /* starts after the one with the fence */
	work(&a);
}

Test(misuse, key_of_a_completed_umr_is_not_reported)
{
	struct hca_mkey *m = key_for_umr();

	post_umr(m);
	work(&a);
	post_write_from(m, "sig");
	work(&a);
}

Test(misuse, another_key_after_a_umr_is_not_reported)
{
	post_umr(key_for_umr());
	write_times(1);
}
