/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory windows on the data path: b binds and invalidates by UMR, a writes through the window
 * and invalidates it by SEND. Bytes of the WQEs are written by hand.
 *
 *	window: mkey 0x010002, variant 0x21 until bound, 0x22 then; the buffer from OFFSET on
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define OLD_KEY 0x01000221u
#define NEW_KEY 0x01000222u
#define OFFSET	0x100000u
#define FENCED	(0x80 | SIGNALED)

static struct host h;
static struct side a, b;
static struct hca_mkey *window;

static void setup(void)
{
	pair_open(&h, &a, &b);
	memset(h.buf, 0x5a, 8192);
	window = hca_mkey_new(&h.hca);
	window->window = window->free = window->umr_en = window->en_rinval = true;
	window->pd = h.pd;
	window->variant = 0x21;
	window->mkc[0] = 0x40;
	window->mkc[2] = 0x04; /* lr */
	memset(window->mkc + 4, 0xff, 3);
	window->mkc[7] = 0x21;
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(memory_window, .init = setup, .fini = teardown);

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

/* Posts @wqe on b with its index, and byte @at of it replaced by @value. */
static void post_spoilt(const uint8_t *wqe, unsigned int at, uint8_t value)
{
	uint8_t bytes[256] = { 0 };
	unsigned int ds = wqe[7];

	memcpy(bytes, wqe, ds * 16);
	bytes[2] = (uint8_t)b.pi;
	bytes[at] = value;
	post(&b, bytes, bytes[7] ? bytes[7] : ds);
	ring(&b);
}

static void post_umr(const uint8_t *wqe)
{
	post_spoilt(wqe, 3, 0x25);
}

static void done(struct side *s)
{
	const uint8_t *cqe = next_cqe(s);

	cr_assert_not_null(cqe, "no CQE");
	cr_assert_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void bound(void)
{
	post_umr(bind);
	settle(&h, 1);
	done(&b);
}

/* a writes 16 bytes to @va under @key. */
static void write_to(uint32_t key, uint64_t va)
{
	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = 16,
				  .remote = va - RIG_VA,
				  .rkey = key });
	ring(&a);
	settle(&h, 1);
}

static void refused(const uint8_t *wqe, unsigned int at, uint8_t value, unsigned int syndrome)
{
	unsigned int index = b.pi;

	post_spoilt(wqe, at, value);
	settle(&h, 1);
	expect_error(&b, 13, syndrome, index);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(memory_window, bind_makes_the_window_accessible)
{
	static const uint8_t golden[32] = { 0, 0, 0, 0x72, [24] = 0x25, 1, 0, 2 };

	post_umr(bind);
	settle(&h, 1);
	expect_cqe(&b, golden);
	write_to(NEW_KEY, 0x7000);
	done(&a);
	cr_expect_eq(h.buf[OFFSET], 0x5a);
	cr_expect_eq(h.buf[OFFSET + 16], 0);
}

Test(memory_window, mask_selects_the_fields_of_the_context)
{
	static const uint8_t mkc[32] = {
		0x00, 0x00,	   0x34, 0x00, 0x01, 0x00,	  0x02,
		0x22, [20] = 0x00, 0x00, 0x70, 0x00, [30] = 0x02, 0x00
	};

	bound();
	cr_expect_arr_eq(window->mkc, mkc, sizeof(mkc));
	cr_expect_eq(window->qpn, 0x10002);
	cr_expect_eq(window->access, HCA_LOCAL_READ | HCA_REMOTE_READ | HCA_REMOTE_WRITE);
}

Test(memory_window, a_field_outside_the_mask_stays)
{
	post_spoilt(bind, 16 + 13, 0x2c); /* mask without rw */
	settle(&h, 1);
	done(&b);
	cr_expect_eq(window->mkc[2], 0x14 /* lr rr */, "0x%x", window->mkc[2]);
}

Test(memory_window, old_key_is_invalid_after_the_bind)
{
	bound();
	write_to(OLD_KEY, 0x7000);
	expect_error(&a, 13, 0x13, 0);
}

Test(memory_window, write_beyond_the_window)
{
	bound();
	write_to(NEW_KEY, 0x7000 + 512 - 15);
	expect_error(&a, 13, 0x13, 0);
	cr_expect_eq(h.buf[OFFSET + 512 - 15], 0);
}

Test(memory_window, a_window_of_type_2_is_for_its_qp)
{
	static struct side c, d;

	bound();
	side_open(&c, &h);
	side_open(&d, &h);
	connect_sides(&c, &d, 1024, 0x100);
	post_wr(&c, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = 16,
				  .remote = 0x7000 - RIG_VA,
				  .rkey = NEW_KEY });
	ring(&c);
	settle(&h, 1);
	expect_error(&c, 13, 0x13, 0);
	write_to(NEW_KEY, 0x7000);
	done(&a);
}

Test(memory_window, local_invalidate_unbinds_it)
{
	bound();
	post_umr(invalidate);
	settle(&h, 1);
	done(&b);
	cr_expect(window->free);
	write_to(NEW_KEY, 0x7000);
	expect_error(&a, 13, 0x13, 0);
}

Test(memory_window, it_can_be_bound_again)
{
	bound();
	post_umr(invalidate);
	post_umr(bind);
	settle(&h, 1);
	done(&b);
	done(&b);
	write_to(NEW_KEY, 0x7000);
	done(&a);
}

Test(memory_window, a_window_of_type_1_is_bound_over_and_over)
{
	window->en_rinval = false;
	for (uint8_t i = 0; i < 3; i++) { /* no check, no QPN */
		uint8_t wqe[192];

		memcpy(wqe, bind, sizeof(wqe));
		wqe[16] = 0x90;
		wqe[16 + 14] = 0x20;
		wqe[71] = 0x30 + i;
		post_umr(wqe);
		settle(&h, 1);
		done(&b);
		write_to((NEW_KEY & ~0xffu) + 0x30 + i, 0x7000);
		done(&a);
	}
	cr_expect_eq(window->qpn, 0);
}

Test(memory_window, a_bound_window_of_type_2_is_not_bound_again)
{
	bound();
	refused(bind, 3, 0x25, 0x06);
}

Test(memory_window, a_free_window_is_not_invalidated)
{
	refused(invalidate, 3, 0x25, 0x06);
}

Test(memory_window, another_qp_does_not_invalidate_it)
{
	bound();
	window->qpn = 0x10001;
	refused(invalidate, 3, 0x25, 0x06);
	cr_expect_not(window->free);
}

Test(memory_window, unknown_key)
{
	refused(bind, 14, 0x09, 0x06);
}

Test(memory_window, key_of_another_pd)
{
	window->pd = hca_pd_new(&h.hca);
	refused(bind, 3, 0x25, 0x06);
}

Test(memory_window, mkey_without_umr_en)
{
	window->umr_en = false;
	refused(bind, 3, 0x25, 0x06);
}

Test(memory_window, mkey_without_entries)
{
	h.mkey->umr_en = true;
	refused(bind, 14, 0x01, 0x02);
	cr_expect_eq(h.mkey->start, RIG_VA);
}

Test(memory_window, unknown_flag)
{
	refused(bind, 16, 0xf0, 0x02);
	cr_expect(window->free);
}

Test(memory_window, list_in_memory)
{
	refused(bind, 16, 0x30, 0x02);
}

Test(memory_window, unknown_mask_bit)
{
	refused(bind, 16 + 15, 0xc1, 0x02); /* PD */
}

Test(memory_window, translation_offset)
{
	refused(bind, 16 + 7, 1, 0x02);
}

Test(memory_window, list_of_two_entries)
{
	refused(bind, 144 + 3, 1, 0x02);
}

Test(memory_window, count_that_differs_from_the_list)
{
	refused(bind, 16 + 5, 8, 0x02);
}

Test(memory_window, count_without_a_list)
{
	refused(invalidate, 16 + 5, 4, 0x02);
}

Test(memory_window, wqe_without_mkey_context)
{
	refused(bind, 7, 7, 0x02);
}

Test(memory_window, wqe_with_too_large_ds)
{
	refused(bind, 7, 13, 0x02);
}

Test(memory_window, wqe_with_too_small_ds)
{
	refused(bind, 7, 10, 0x02);
}

/* Without an XRC segment, as libmlx5 posts it. */
Test(memory_window, every_connected_service_binds)
{
	for (uint8_t st = RIG_RC; st <= RIG_XRC; st++) {
		if (st == RIG_UD)
			continue;
		be_service(&a, &b, st);
		bound();
		cr_expect_not(window->free, "service %u", st);
		post_umr(invalidate);
		settle(&h, 1);
		done(&b);
		cr_expect(window->free, "service %u", st);
	}
}

Test(memory_window, refused_on_a_ud_qp)
{
	be_service(&a, &b, RIG_UD);
	post_umr(bind);
	settle(&h, 1);
	expect_error(&b, 13, 0x02, 0);
}

Test(memory_window, waits_for_reads_if_fenced)
{
	post_wr(&b, &(struct wr){ .opcode = 0x10, .len = 64, .local = 0x200000 });
	post_spoilt(bind, 11, FENCED);
	engine_step(h.e);
	cr_expect_eq(b.qp->req.read_atomic_out, 1);
	cr_expect(window->free);
	settle(&h, 1);
	done(&b);
	cr_expect_not(window->free);
}

/* The first frames of b are lost. The bind after them is not executed a second time, when it
 * would find the window bound. */
Test(memory_window, is_not_executed_again_by_a_retransmission)
{
	uint8_t from;
	size_t len;

	b.qp->ack_timeout = 10;
	post_wr(&b, &(struct wr){ .opcode = 0x08, .len = 16 });
	post_umr(bind);
	engine_step(h.e);
	cr_expect_not(window->free);
	expect_none(&b);
	while (wire_next(h.w, &len, &from))
		;
	wait_cqe(&h, 1, &b, 20000);
	done(&b);
	expect_none(&b);
}

/* SEND with invalidate of @key from a, of no data. */
static void send_invalidate(uint32_t key)
{
	uint8_t wqe[16] = { 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x01, 0x01, [11] = 0x08 };

	key = htobe32(key);
	memcpy(wqe + 12, &key, sizeof(key));
	wqe[2] = (uint8_t)a.pi;
	post(&a, wqe, 1);
	ring(&a);
	settle(&h, 1);
}

Test(memory_window, send_with_invalidate_unbinds_it)
{
	static const uint8_t golden[32] = { 0,	  0,	0,	  0x72, 0x01, 0x00,
					    0x02, 0x22, [25] = 1, 0,	2,    [31] = 0x40 };

	bound();
	post_recv(&b, RIG_VA + OFFSET, 64, RIG_KEY);
	record_frames();
	send_invalidate(NEW_KEY);
	expect_opcodes(0, (uint8_t[]){ 0x17, 0x11 }, 2);
	done(&a);
	expect_cqe(&b, golden);
	cr_expect(window->free);
	write_to(NEW_KEY, 0x7000);
	expect_error(&a, 13, 0x13, 1);
}

Test(memory_window, key_is_invalidated_by_the_last_packet)
{
	uint8_t wqe[32] = { 0x00, 0x00, 0x00, 0x01, 0x01, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00,
			    0x08, 0x01, 0x00, 0x02, 0x22, 0x00, 0x00, 0x08, 0x01, 0x01, 0x00,
			    0x01, 0x42, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x00, 0x00, 0x00 };

	bound();
	post_recv(&b, RIG_VA + OFFSET, 4096, RIG_KEY);
	record_frames();
	post(&a, wqe, 2);
	ring(&a);
	settle(&h, 1);
	expect_opcodes(0, (uint8_t[]){ 0x00, 0x01, 0x16 }, 3);
	done(&a);
	cr_expect_eq(next_cqe(&b)[63] >> 4, 4);
	cr_expect_eq(h.buf[OFFSET + 2048], 0x5a);
	cr_expect(window->free);
}

static void not_invalidated(uint32_t key)
{
	bool was = window->free;

	a.qp->ack_timeout = 0; /* for ever */
	post_recv(&b, RIG_VA + OFFSET, 64, RIG_KEY);
	record_frames();
	send_invalidate(key);
	expect_error(&b, 14, 0x11, 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(frames, 1, "no answer: %u frames", frames);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(window->free, was);
}

Test(memory_window, a_peer_does_not_invalidate_a_stale_key)
{
	bound();
	not_invalidated(OLD_KEY);
}

Test(memory_window, a_peer_does_not_invalidate_a_free_window)
{
	not_invalidated(OLD_KEY);
}

Test(memory_window, a_peer_does_not_invalidate_type_1)
{
	bound();
	window->en_rinval = false;
	not_invalidated(NEW_KEY);
}

Test(memory_window, a_peer_does_not_invalidate_through_another_qp)
{
	bound();
	window->qpn = 0x10001;
	not_invalidated(NEW_KEY);
}

Test(memory_window, a_peer_does_not_invalidate_a_region)
{
	not_invalidated(RIG_KEY);
}

/* Earlier requests are acknowledged nevertheless. */
Test(memory_window, earlier_requests_are_acknowledged_when_invalidation_is_refused)
{
	a.qp->ack_timeout = 0;
	post_recv(&b, RIG_VA + OFFSET, 64, RIG_KEY);
	post_recv(&b, RIG_VA + OFFSET, 64, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = 8 });
	send_invalidate(RIG_KEY);
	done(&a);
	expect_none(&a);
	cr_expect_eq(next_cqe(&b)[63] >> 4, 2);
	expect_error(&b, 14, 0x11, 1);
}

Test(memory_window, refused_invalidation_is_repeated_until_retries_are_exceeded)
{
	a.qp->ack_timeout = 1;
	a.qp->retry_count = 1;
	post_recv(&b, RIG_VA + OFFSET, 64, RIG_KEY);
	send_invalidate(RIG_KEY);
	if (a.cq->pi == a.ci)
		wait_cqe(&h, 1, &a, 10000);
	expect_error(&a, 13, 0x15, 0);
	expect_error(&b, 14, 0x11, 0);
}

Test(memory_window, uc_has_no_send_with_invalidate)
{
	be_service(&a, &b, RIG_UC);
	send_invalidate(NEW_KEY);
	expect_error(&a, 13, 0x02, 0);
}
