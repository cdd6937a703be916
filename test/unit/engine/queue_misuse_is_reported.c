/* SPDX-License-Identifier: BSD-2-Clause */
/* --check: CQs that overrun or are never released; refusals at both ends; UMR without a
 * fence. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "rig.h"

#define FENCE_SMALL 0x20

static struct host h;
static struct side a, b;
static char said[16][512];
static unsigned int findings;

static void keep(const struct core_trace *t)
{
	if (t->kind == TRACE_CHECK)
		snprintf(said[findings++ % 16], sizeof(said[0]), "%.*s", (int)t->in_len,
			 (const char *)t->in);
}

static void setup(void)
{
	pair_open(&h, &a, &b);
	core_trace_to = keep;
	core_trace_mask = 1u << TRACE_CHECK;
}

static void teardown(void)
{
	core_trace_mask = 0;
	host_close(&h);
}

TestSuite(misuse, .init = setup, .fini = teardown);

static void begins(const char *want)
{
	cr_expect_eq(strncmp(said[0], want, strlen(want)), 0, "%s", said[0]);
}

static const struct wr write_8 = {
	.opcode = 0x08, .fm_ce_se = SIGNALED, .len = 8, .remote = 0x1000
};

static void write_times(int n)
{
	while (n--)
		post_wr(&a, &write_8);
	ring(&a);
	settle(&h, 1);
}

Test(misuse, cq_overrun)
{
	a.cq->log_size = 1;
	write_times(3);
	cr_assert_eq(findings, 1);
	cr_expect_str_eq(
		said[0],
		"CQ 0x10001: a CQE of QP 0x10001 is lost: 2 CQEs were not released, and "
		"the ring has 2; remedy: release CQEs once they were read "
		"(dv_cq_release, ibv_poll_cq), or make the CQ larger");
}

Test(misuse, cq_that_is_never_released)
{
	write_times(3);
	cr_expect_eq(findings, 0);
	engine_unfinished(&h.hca);
	engine_unfinished(&h.hca);
	cr_assert_eq(findings, 1);
	begins("CQ 0x10001: 3 CQEs were written, and the consumer index never was; "
	       "remedy: poll the CQ,");
}

Test(misuse, cq_whose_qp_is_reset)
{
	a.cq->refs = 2;
	write_times(1);
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&h.hca, a.qp);
	cr_expect_eq(findings, 1);
}

Test(misuse, cq_that_other_queues_use_is_not_reported)
{
	a.cq->refs = 3;
	write_times(1);
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&h.hca, a.qp);
	cr_expect_eq(findings, 0);
}

Test(misuse, released_cq_is_not_reported)
{
	write_times(3);
	a.cq_rec[0] = htobe32(1);
	engine_unfinished(&h.hca);
	cr_expect_eq(findings, 0);
}

/* The CQEs of a QP that goes to ERR. */
Test(misuse, cq_of_flushed_wqes_is_not_reported)
{
	post_recv(&b, RIG_VA, 64, RIG_KEY);
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&h.hca, b.qp);
	settle(&h, 1);
	cr_assert_eq(b.cq->pi, 1);
	engine_unfinished(&h.hca);
	cr_expect_eq(findings, 0);
}

Test(misuse, cq_with_overrun_ignore_is_not_reported)
{
	a.cq->overrun_ignore = true;
	write_times(1);
	engine_unfinished(&h.hca);
	cr_expect_eq(findings, 0);
}

Test(misuse, rkey_is_reported_at_both_ends)
{
	struct wr bad = write_8;

	bad.rkey = RIG_KEY ^ 1;
	post_wr(&a, &bad);
	ring(&a);
	settle(&h, 1);
	cr_assert_eq(findings, 2);
	begins("key 0x1000143: QP 0x10002, remote write of 8 bytes at "
	       "0xa0001000: the low 8 bits");
	cr_expect_str_eq(
		said[1],
		"QP 0x10001: WQE 0x0: the peer refuses 8 bytes at 0xa0001000 of rkey "
		"0x1000143; remedy: see the finding of the peer's process: it says what "
		"the key allows");
}

Test(misuse, lkey_finding_names_the_qp)
{
	struct wr bad = write_8;

	bad.lkey = RIG_KEY + 0x300;
	post_wr(&a, &bad);
	ring(&a);
	settle(&h, 1);
	cr_assert_eq(findings, 1);
	begins("key 0x1000442: QP 0x10001, local read of 8 bytes at "
	       "0xa0000000: there is no such key");
}

Test(misuse, qp_without_the_right)
{
	b.qp->rwe = false;
	write_times(1);
	cr_assert_eq(findings, 1);
	cr_expect_str_eq(
		said[0],
		"QP 0x10002: a request of the peer is refused: the QP has no "
		"IBV_ACCESS_REMOTE_WRITE; remedy: move the QP to INIT with that flag in "
		"qp_access_flags");
}

/* The QP is reset before the device polls the register. */
Test(misuse, pending_doorbell_is_not_reported)
{
	post_wr(&a, &write_8);
	ring(&a);
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&h.hca, a.qp);
	cr_expect_eq(findings, 0, "%s", said[0]);
}

Test(misuse, record_without_a_doorbell)
{
	post_wr(&a, &write_8);
	a.qp->state = PRM_QPC_STATE_RST;
	engine_kick(&h.hca, a.qp);
	cr_assert_eq(findings, 1);
	begins("QP 0x10001: the record is 0x1, the last doorbell was for 0x0; remedy: ");
}

/* ---- UMR ---- */

/* A key with an entry, for UMR. */
static struct hca_mkey *list_key(void)
{
	struct hca_mkey *m = hca_mkey_new(&h.hca);

	m->pd = h.pd;
	m->umr_en = true;
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
	m->len = 64;
	m->room = 4;
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
	post(&a, wqe, 8);
}

static void post_use(const struct hca_mkey *m, uint8_t fence)
{
	struct wr wr = write_8;

	wr.lkey = m->index << 8;
	wr.fm_ce_se |= fence;
	post_wr(&a, &wr);
}

static bool fence_is_missing(void)
{
	for (unsigned int i = 0; i < findings; i++)
		if (strstr(said[i],
			   " which a UMR WQE before it changes, and has no fence; remedy: "
			   "set the small fence"))
			return true;
	return false;
}

Test(misuse, key_changed_by_umr_without_a_fence)
{
	struct hca_mkey *m = list_key();
	char want[64];

	post_umr(m);
	post_use(m, 0);
	ring(&a);
	settle(&h, 1);
	cr_expect(fence_is_missing(), "%u: %s", findings, said[0]);
	snprintf(want, sizeof(want), "QP 0x10001: WQE 0x2 uses key 0x%x,", m->index << 8);
	begins(want);
}

Test(misuse, key_after_a_fence_is_not_reported)
{
	struct hca_mkey *m = list_key();

	post_umr(m);
	post_use(m, FENCE_SMALL);
	post_use(m, 0); /* starts after the one with the fence */
	ring(&a);
	settle(&h, 1);
	cr_expect_not(fence_is_missing());
}

Test(misuse, key_of_a_completed_umr_is_not_reported)
{
	struct hca_mkey *m = list_key();

	post_umr(m);
	ring(&a);
	settle(&h, 1);
	post_use(m, 0);
	ring(&a);
	settle(&h, 1);
	cr_expect_not(fence_is_missing());
}

Test(misuse, another_key_after_a_umr_is_not_reported)
{
	post_umr(list_key());
	write_times(1);
	cr_expect_not(fence_is_missing());
}
