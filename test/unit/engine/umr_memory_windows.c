/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory windows on the data path: b binds and invalidates by UMR, a writes through the window
 * and invalidates it by SEND. Bytes of the WQEs are written by hand.
 *
 *	window: mkey 0x010002, variant 0x21 until bound, 0x22 then; the buffer from OFFSET on
 */
#include <stdio.h>

#include "umr.h"

#define OLD_KEY 0x01000221u
#define NEW_KEY 0x01000222u
#define OFFSET	0x100000u

static struct hca_mkey *window;

static void setup(void)
{
	pair_open();
	window = umr_key(true);
	window->window = window->en_rinval = true;
	window->variant = window->mkc[7] = 0x21;
}

TestSuite(memory_window, .init = setup, .fini = rig_close);

/* IBV_WR_BIND_MW of type 2 by QP 0x10002: 512 bytes, remote read and write. */
static const uint8_t bind[192] = {
	0x00,	      0x00, 0x00, 0x25, 0x01,	     0x00,
	0x02,	      0x0c, /* UMR; QPN, 12 units */
	0x00,	      0x00, 0x00, 0x08, 0x01,	     0x00,
	0x02,	      0x21, /* signalled; the mkey */
	0xb0,	      0x00, 0x00, 0x00, 0x00,	     0x04,
	0x00,	      0x00, /* inline, check free, offset 0; 4 KLMs */
	0x00,	      0x00, 0x00, 0x00, 0x20,	     0x3c,
	0x60,	      0x41, /* free a rw rr lw, qpn mkey, start len */
	[64] = 0x00,  0x00, 0x30, 0x00, 0x01,	     0x00,
	0x02,	      0x22,				   /* rr rw; QPN, new variant */
	[84] = 0x00,  0x00, 0x70, 0x00, [94] = 0x02, 0x00, /* start_addr, len */
	[128] = 0x00, 0x00, 0x02, 0x00, 0x01,	     0x00,
	0x01,	      0x42, /* KLM: 512 bytes of the region */
	0x00,	      0x00, 0x00, 0x00, 0xa0,	     0x10,
	0x00,	      0x00
};

/* IBV_WR_LOCAL_INV: check QPN; free, no QPN, variant 0. */
static const uint8_t invalidate[128] = {
	0x00, 0x00, 0x00,	 0x25, 0x01, 0x00, 0x02, 0x08, 0x00, 0x00,
	0x00, 0x08, 0x01,	 0x00, 0x02, 0x22, 0x98, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00,	 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
	0x60, 0x00, [64] = 0x40, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0x00,
};

/* Posts @wqe on b with its index, and changes: "umr_flags=0xf0". */
static void post_umr(const uint8_t *wqe, const char *changes)
{
	uint8_t bytes[256] = { 0 };
	unsigned int ds = wqe[7];

	memcpy(bytes, wqe, ds * 16);
	bytes[2] = (uint8_t)b.pi;
	wqe_change(bytes, changes);
	post_bytes(&b, bytes, bytes[7] ? bytes[7] : ds);
	ring(&b);
}

static void execute_umr(const uint8_t *wqe)
{
	post_umr(wqe, "");
	settle();
	expect_cqe(&b, "sent");
}

/* a writes 16 bytes to @va under @key, and gets @cqe. */
static void write_to(uint32_t key, uint64_t va, const char *cqe)
{
	execute(&a, "write 16 remote_va=0x%x rkey=0x%x sig", (unsigned int)va, key);
	expect_cqe(&a, "%s", cqe);
}

static void expect_refused(const uint8_t *wqe, const char *changes, const char *syndrome)
{
	unsigned int index = b.pi;

	post_umr(wqe, changes);
	settle();
	expect_cqe(&b, "req_err %s wqe=%u", syndrome, index);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(memory_window, bind_makes_the_window_accessible)
{
	post_umr(bind, "");
	settle();
	expect_cqe(&b, "sent umr wqe=0");
	write_to(NEW_KEY, 0x7000, "sent");
	cr_expect_eq(near.buf[OFFSET], near.buf[0]);
	cr_expect_eq(near.buf[OFFSET + 16], 0);
}

Test(memory_window, old_key_is_invalid_after_the_bind)
{
	execute_umr(bind);
	write_to(OLD_KEY, 0x7000, "req_err rem_access wqe=0");
	expect_finding("the low 8 bits of the key are 0x22, not 0x21|the peer refuses");
}

Test(memory_window, write_beyond_the_window)
{
	execute_umr(bind);
	write_to(NEW_KEY, 0x7000 + 512 - 15, "req_err rem_access wqe=0");
	cr_expect_eq(near.buf[OFFSET + 512 - 15], 0);
	expect_finding(
		"remote write of 16 bytes at 0x71f1: the key covers 512 bytes at 0x7000|the peer refuses");
}

Test(memory_window, a_window_of_type_2_is_for_its_qp)
{
	static struct side c, d;

	execute_umr(bind);
	side_open(&c, &near);
	side_open(&d, &near);
	connect_sides(&c, &d, 1024, 0x100);
	execute(&c, "write 16 remote_va=0x7000 rkey=0x%x sig", NEW_KEY);
	expect_cqe(&c, "req_err rem_access wqe=0");
	write_to(NEW_KEY, 0x7000, "sent");
	expect_finding("the key is bound to QP|the peer refuses 16 bytes at 0x7000");
}

Test(memory_window, local_invalidate_unbinds_it)
{
	execute_umr(bind);
	execute_umr(invalidate);
	cr_expect(window->free);
	cr_expect_eq(window->entries, 0);
	write_to(NEW_KEY, 0x7000, "req_err rem_access wqe=0");
	expect_finding(
		"the low 8 bits of the key are 0x00, not 0x22|the peer refuses 16 bytes");
}

Test(memory_window, it_can_be_bound_again)
{
	execute_umr(bind);
	post_umr(invalidate, "");
	execute_umr(bind);
	expect_cqe(&b, "sent");
	write_to(NEW_KEY, 0x7000, "sent");
}

Test(memory_window, a_window_of_type_1_is_bound_over_and_over)
{
	window->en_rinval = false;
	for (uint8_t i = 0; i < 3; i++) { /* no check, no QPN */
		char changes[64];

		snprintf(changes, sizeof(changes), "umr_flags=0x90 byte30=0x20 byte71=%d",
			 0x30 + i);
		post_umr(bind, changes);
		settle();
		expect_cqe(&b, "sent");
		write_to((NEW_KEY & ~0xffu) + 0x30 + i, 0x7000, "sent");
	}
	cr_expect_eq(window->qpn, 0);
}

Test(memory_window, a_bound_window_of_type_2_is_not_bound_again)
{
	execute_umr(bind);
	expect_refused(bind, "", "mw_bind");
	expect_finding("UMR WQE at 0x3: the key is in use, and the WQE requires a free one");
}

Test(memory_window, fields_that_are_refused)
{
	static const struct {
		const char *what;
		const uint8_t *umr;
		const char *changes, *syndrome, *finding;
	} rows[] = {
		{ "a free window is not invalidated", invalidate, "", "mw_bind",
		  "the key is not bound on this QP" },
		{ "unknown key", bind, "byte14=0x09", "mw_bind", "there is no such key" },
		{ "list in memory", bind, "umr_flags=0x30", "local_qp_op",
		  "ds and klm_octowords disagree" },
		{ "unknown mask bit", bind, "mask=0xc1", "local_qp_op",
		  "mkey_mask selects a field that cannot be changed" }, /* PD */
		{ "translation offset", bind, "offset=1", "local_qp_op",
		  "a memory window with more than one KLM" },
		{ "list of two entries", bind, "byte147=1", "local_qp_op",
		  "a memory window with more than one KLM" },
		{ "a fourth entry", bind, "byte191=1", "local_qp_op",
		  "a memory window with more than one KLM" },
		{ "an unknown flag", bind, "umr_flags=0xb4", "local_qp_op", "an unknown flag" },
		{ "a free key that has to be in use", bind, "umr_flags=0xd0", "mw_bind",
		  "the key is free, and the WQE requires one in use" },
		{ "count that differs from the list", bind, "octowords=8", "local_qp_op",
		  "ds and klm_octowords disagree" },
		{ "count without a list", invalidate, "octowords=4", "local_qp_op",
		  "ds and klm_octowords disagree" },
		{ "wqe without mkey context", bind, "ds=7", "local_qp_op", "" },
		{ "wqe with too large ds", bind, "ds=13", "local_qp_op",
		  "ds and klm_octowords disagree" },
		{ "wqe with too small ds", bind, "ds=10", "local_qp_op",
		  "ds and klm_octowords disagree" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		expect_refused(row->umr, row->changes, row->syndrome);
		cr_expect(window->free);
		expect_finding("%s", row->finding);
	}
}

Test(memory_window, another_qp_does_not_invalidate_it)
{
	execute_umr(bind);
	window->qpn = 0x10001;
	expect_refused(invalidate, "", "mw_bind");
	cr_expect_not(window->free);
	expect_finding("UMR WQE at 0x3: the key is not bound on this QP");
}

Test(memory_window, key_of_another_pd)
{
	window->pd = hca_pd_new(&near.hca);
	expect_refused(bind, "", "mw_bind");
	expect_finding("UMR WQE at 0x0: the key is of another PD");
}

Test(memory_window, mkey_without_umr_en)
{
	window->umr_en = false;
	expect_refused(bind, "", "mw_bind");
	expect_finding("the key was created without UMR (mkc.umr_en)");
}

Test(memory_window, mkey_without_entries)
{
	near.mkey->umr_en = true;
	expect_refused(bind, "byte14=0x01", "local_qp_op");
	cr_expect_eq(near.mkey->start, RIG_VA);
	expect_finding("the mkey has pages, and only mkeys with entries can be changed");
}

/* Without an XRC segment, as libmlx5 posts it. */
Test(memory_window, every_connected_service_binds)
{
	for (uint8_t st = RIG_RC; st <= RIG_XRC; st++) {
		if (st == RIG_UD)
			continue;
		be_service(&a, &b, st);
		execute_umr(bind);
		cr_expect_not(window->free, "service %u", st);
		execute_umr(invalidate);
		cr_expect(window->free, "service %u", st);
	}
}

Test(memory_window, refused_on_a_ud_qp)
{
	be_service(&a, &b, RIG_UD);
	post_umr(bind, "");
	settle();
	expect_cqe(&b, "req_err local_qp_op wqe=0");
}

Test(memory_window, waits_for_reads_if_fenced)
{
	post(&b, "read 64 local=0x200000");
	post_umr(bind, "byte11=0x88"); /* fence */
	engine_step(near.e);
	cr_expect_eq(b.qp->req.read_atomic_out, 1);
	cr_expect(window->free);
	settle();
	expect_cqe(&b, "sent");
	cr_expect_not(window->free);
}

/* The first frames of b are lost. The bind after them is not executed a second time, when it
 * would find the window bound. */
Test(memory_window, is_not_executed_again_by_a_retransmission)
{
	uint8_t from;
	size_t len;

	b.qp->ack_timeout = 10;
	post(&b, "write 16");
	post_umr(bind, "");
	engine_step(near.e);
	cr_expect_not(window->free);
	expect_none(&b);
	while (wire_next(near.w, &len, &from))
		;
	wait_cqe(&b, 20000);
	expect_cqe(&b, "sent");
	expect_none(&b);
}

Test(memory_window, send_with_invalidate_unbinds_it)
{
	execute_umr(bind);
	post(&b, "recv 64 local=0x100000");
	record_frames();
	execute(&a, "send_inv inv=0x%x sig", NEW_KEY);
	expect_frames(0, "send_only_inv ack");
	expect_cqe(&a, "sent");
	expect_cqe(&b, "received send_inv 0 inv=0x01000222 wqe=0");
	cr_expect(window->free);
	write_to(NEW_KEY, 0x7000, "req_err rem_access wqe=1");
	expect_finding("the key is bound to no memory|WQE 0x1: the peer refuses");
}

Test(memory_window, key_is_invalidated_by_the_last_packet)
{
	execute_umr(bind);
	post(&b, "recv 4096 local=0x100000");
	record_frames();
	execute(&a, "send_inv 2049 inv=0x%x sig", NEW_KEY);
	expect_frames(0, "send_first send_middle send_last_inv");
	expect_cqe(&a, "sent");
	expect_cqe(&b, "received send_inv");
	cr_expect_eq(near.buf[OFFSET + 2048], near.buf[2048]);
	cr_expect(window->free);
}

static void not_invalidated(uint32_t key)
{
	bool was = window->free;

	a.qp->ack_timeout = 0; /* for ever */
	post(&b, "recv 64 local=0x100000");
	record_frames();
	execute(&a, "send_inv inv=0x%x sig", key);
	expect_cqe(&b, "resp_err local_access wqe=0");
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(frames, 1, "no answer: %u frames", frames);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(window->free, was);
}

Test(memory_window, keys_that_a_peer_does_not_invalidate)
{
	static const struct {
		const char *what;
		bool is_free, is_type_1, is_others, is_foreign;
		uint32_t key;
		const char *why;
	} rows[] = {
		{ "stale", false, false, false, false, OLD_KEY, "there is no such key" },
		{ "free", true, false, false, false, OLD_KEY, "the key is bound to no memory" },
		{ "of type 1", false, true, false, false, NEW_KEY,
		  "the key is not that of a type 2 window" },
		{ "of another QP", false, false, true, false, NEW_KEY,
		  "the key is bound on another QP" },
		{ "of another PD", false, false, false, true, NEW_KEY,
		  "the key is of another PD" },
		{ "of a region", true, false, false, false, RIG_KEY,
		  "the key is not that of a type 2 window" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		if (!row->is_free)
			execute_umr(bind);
		if (row->is_type_1)
			window->en_rinval = false;
		if (row->is_others)
			window->qpn = 0x10001;
		if (row->is_foreign)
			window->pd = hca_pd_new(&near.hca);
		not_invalidated(row->key);
		expect_finding("invalidation by the peer: %s", row->why);
	}
}

/* Earlier requests are acknowledged nevertheless. */
Test(memory_window, earlier_requests_are_acknowledged_when_invalidation_is_refused)
{
	a.qp->ack_timeout = 0;
	post(&b, "recv 64 local=0x100000; recv 64 local=0x100000");
	post(&a, "send 8 sig");
	succeed(&a, "send_inv inv=0x%x sig", RIG_KEY);
	expect_none(&a);
	expect_cqe(&b, "received; resp_err local_access wqe=1");
	expect_finding("the key is not that of a type 2 window");
}

Test(memory_window, refused_invalidation_is_repeated_until_retries_are_exceeded)
{
	a.qp->ack_timeout = 1;
	a.qp->retry_count = 1;
	post(&b, "recv 64 local=0x100000");
	execute(&a, "send_inv inv=0x%x sig", RIG_KEY);
	if (a.cq->pi == a.ci)
		wait_cqe(&a, 10000);
	expect_cqe(&a, "req_err retry_exc wqe=0");
	expect_cqe(&b, "resp_err local_access wqe=0");
	expect_finding("the key is not that of a type 2 window");
}

Test(memory_window, uc_has_no_send_with_invalidate)
{
	be_service(&a, &b, RIG_UC);
	execute(&a, "send_inv inv=0x%x sig", NEW_KEY);
	expect_cqe(&a, "req_err local_qp_op wqe=0");
}
