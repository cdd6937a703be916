/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every finding of dv_wqe_check() and dv_ring_check(): a ring that is valid is made wrong in
 * one place, and the check says so, in these words. The ring is
 *
 *	WQE 60 … as posted, signalled, rung; four blocks before the edge of 64
 */
#include <dv/aso.h>
#include <dv/check.h>
#include <dv/eth.h>
#include <dv/mmo.h>
#include <dv/post_umr.h>
#include "queue.h"

enum {
	START = 60,
	FOUND = 8,
	SIGNALLED = MLX5_WQE_CTRL_CQ_UPDATE,
};

static struct dv_queue_facts q;
static uint8_t *wqe; /* the last one */
static bool seen[DV_FAULTS];
static uint8_t rung[8];
static const struct dv_raddr there = { 0x7f0000001000, 0x1a00 };
static const struct ibv_sge here = { 0x7f0000002000, 64, 0x1700 };

/* ---- valid ---- */

static void start(void)
{
	memory_start(&m, MEMORY_BLOCKS, 16);
	m.sq.pi = m.sq.ci = m.sq.db_pi = START;
}

/* @err: of the call that posted to a ring that start() made. */
static void posted(int err, enum dv_transport transport)
{
	struct dv_finding found[FOUND];

	cr_assert_eq(err, 0);
	dv_sq_doorbell(&m.sq);
	wqe = (uint8_t *)m.sq.last;
	q = dv_sq_facts(&m.sq, transport);
	cr_assert_eq(dv_ring_check(&q, found, FOUND), 0, "%s", found[0].text);
}

static void write_64(void)
{
	posted(dv_sq_write(&m.sq, SIGNALLED, there, &here, 1), DV_RC);
}

static void send_inline(void)
{
	posted(dv_sq_send_inline(&m.sq, SIGNALLED, "0123456789", 10), DV_RC);
}

static void atomic(void)
{
	struct ibv_sge word = { here.addr, 8, here.lkey };

	posted(dv_sq_fetch_add(&m.sq, SIGNALLED, there, &word, 1), DV_RC);
}

static void datagram(void)
{
	struct mlx5_wqe_av av = { .rmac = { 2, 0, 0, 0, 0, 1 }, .rgid = { [15] = 1 } };
	void *seg;

	dv_av_set_ud(&av, 0x46, 0x11111111);
	seg = dv_set_av_seg(dv_sq_reserve(&m.sq, 2), &av);
	dv_sq_commit(&m.sq, dv_set_data_seg(seg, &here), MLX5_OPCODE_SEND, 0, SIGNALLED, 0);
	posted(0, DV_UD);
}

static void packet(void)
{
	static const uint8_t header[18];

	posted(dv_sq_send_eth(&m.sq, SIGNALLED, 0, (struct dv_eth_hdr){ header, 18 }, &here, 1),
	       DV_ETH);
}

static void tso(void)
{
	static const uint8_t header[54];

	posted(dv_sq_tso(&m.sq, SIGNALLED, 0, 1448, (struct dv_eth_hdr){ header, 54 }, &here,
			 1),
	       DV_ETH);
}

static void empw(void)
{
	posted(dv_sq_empw(&m.sq, SIGNALLED, 0, &here, 1), DV_ETH);
}

static void umr(void)
{
	struct ibv_sge list[2] = { here, here };
	struct dv_umr u;

	dv_umr_init(&u, 0x1a00);
	posted(dv_sq_umr_list(&m.sq, SIGNALLED, &u, list, 2), DV_RC);
}

static void umr_ptr(void)
{
	struct dv_umr u;

	dv_umr_init(&u, 0x1a00);
	posted(dv_sq_umr_ptr(&m.sq, SIGNALLED, &u, &here), DV_RC);
}

static void copy(void)
{
	struct dv_laddr to = { .addr = 0x7f0000003000, .lkey = 0x1700 };

	posted(dv_sq_memcpy(&m.sq, SIGNALLED, to, to, (struct dv_laddr){ here.addr, here.lkey },
			    here.length),
	       DV_RC);
}

static void psv(void)
{
	posted(dv_sq_set_psv(&m.sq, SIGNALLED, 1, 2), DV_RC);
}

/* Two NOPs of padding at 62, a WQE of three blocks at 64. */
static void around_the_edge(void)
{
	static uint8_t data[160];

	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	posted(dv_sq_send_inline(&m.sq, SIGNALLED, data, sizeof(data)), DV_RC);
	cr_assert_eq(m.sq.pi, 67);
}

/* 64 blocks, of which the first is signalled. */
static void full(void)
{
	unsigned int i;

	for (i = 0; i < 63; i++)
		cr_assert_eq(dv_sq_write(&m.sq, i ? 0 : SIGNALLED, there, &here, 1), 0);
	posted(dv_sq_write(&m.sq, 0, there, &here, 1), DV_RC);
}

/* ---- wrong ---- */

static uint8_t *block(uint16_t idx)
{
	return dv_sq_at(&m.sq, idx);
}

/* clang-format off */
static void opcode_13(void) { wqe[3] = 0x13; }
static void opcode_bind_mw(void) { wqe[3] = 0x18; }
static void opcode_read(void) { wqe[3] = MLX5_OPCODE_RDMA_READ; }
static void opmod_1(void) { wqe[0] = 1; }
static void opmod_8(void) { wqe[3] = MLX5_OPCODE_ATOMIC_MASKED_FA; }
static void ds_0(void) { wqe[7] = 0; }
static void ds_1(void) { wqe[7] = 1; }
static void ds_less(void) { wqe[7]--; }
static void ds_more(void) { wqe[7]++; memset(wqe + 16 * (wqe[7] - 1), 0, 16); }
static void ds_12(void) { wqe[7] = 12; }
static void ds_bits(void) { wqe[7] |= 0x40; }
static void limit_ds(void) { q.max_ds = 2; }
static void index_off(void) { wqe[2] += 3; }
static void index_lap(void) { wqe[1] += 1; }
static void qpn(void) { wqe[6] ^= 1; }
static void fence_5(void) { wqe[11] |= 5 << 5; }
static void fence_6(void) { wqe[11] |= 6 << 5; }
static void fence_7(void) { wqe[11] |= 7 << 5; }
static void flags_1(void) { wqe[11] |= 1; }
static void signature(void) { q.signature = true; wqe[8] = 7; }
static void signature_none(void) { wqe[8] = 7; }
static void stream(void) { wqe[10] = 9; }
static void raddr_reserved(void) { wqe[28] = OLD; }
static void all_signalled(void) { q.all_signalled = true; wqe[11] = 0; }
static void av_short(void) { wqe[16 + 8] &= 0x7f; }
static void av_empty(void) { memset(wqe + 16 + 20, 0, 6); memset(wqe + 16 + 32, 0, 16); }
static void qkey(void) { memmove(wqe + 20, wqe + 16, 4); memset(wqe + 16, 0, 4); }
static void qkey_reserved(void) { wqe[20] = 1; }
static void raddr_odd(void) { wqe[16 + 7] |= 4; }
static void answer_of_4(void) { wqe[48 + 3] = 4; }
static void zero_length(void) { memset(wqe + 32, 0, 4); }
static void inline_60(void) { wqe[16 + 3] = 60; }
static void inline_to_read(void) { wqe[32] |= 0x80; wqe[3] = MLX5_OPCODE_RDMA_READ; wqe[35] = 8; }
static void limit_inline(void) { q.max_inline = 8; }
static void limit_sge(void) { q.max_sge = 1; wqe[7]++; memcpy(wqe + 48, wqe + 32, 16); }
static void limit_message(void) { q.max_message = 63; }
static void header_17(void) { q.min_inline_hdr = 18; wqe[16 + 13] = 17; }
static void header_13(void) { wqe[16 + 13] = 13; wqe[7] = 4; }
static void header_empw(void) { wqe[16 + 13] = 2; }
static void header_long(void) { wqe[16 + 13] = 200; }
static void mss_0(void) { memset(wqe + 16 + 6, 0, 2); }
static void mss_send(void) { wqe[16 + 7] = 100; }
static void copy_less(void) { wqe[48 + 3]--; }
static void mkey_0(void) { memset(wqe + 12, 0, 4); }
static void klm_8(void) { wqe[16 + 5] = 8; }
static void klm_3(void) { wqe[16 + 5] = 3; }
static void klm_hole(void) { memcpy(wqe + 128 + 48, wqe + 128, 16); }
static void list_nowhere(void) { wqe[7]--; }
static void psv_reserved(void) { wqe[16 + 6] = 1; }
static void wraps(void)
{
	memcpy(block(62), wqe, 64);
	memcpy(block(63), wqe + 64, 64);
	memcpy(block(64), wqe + 128, 64);
	block(62)[2] = 62;
	q.pi = 65;
}
static void old_padding(void) { memset(block(62), OLD, 128); }
static void overrun(void) { q.ci--; }
static void none_signalled(void) { block(START)[11] = 0; }
static void on_first_error(void) { block(START)[11] = 1 << 2; }
static void longer_than_pi(void)
{
	q.pi = START + 1;
	m.dbrec[1] = htobe32(q.pi);
	q.rung_pi = NULL;
}
static void record_ahead(void) { m.dbrec[1] = htobe32(m.sq.pi + 2); q.rung_pi = NULL; }
static void record_behind(void) { m.dbrec[1] = htobe32(START - 1); q.rung_pi = NULL; }
static void unrecorded(void) { m.dbrec[1] = htobe32(START); q.rung_pi = NULL; }
static void unrung(void) { m.sq.db_pi = START; }
static void rung_first(void) { m.dbrec[1] = htobe32(START); }
static void rung_other(void) { memcpy(rung, wqe, 8); rung[6] ^= 1; q.rung = rung; }
static void rung_slot(void) { memcpy(rung, wqe, 8); rung[7]++; q.rung = rung; }
/* clang-format on */

struct mistake {
	void (*right)(void);
	void (*wrong)(void);
	enum dv_fault fault;
	const char *words;
};

static const struct mistake mistakes[] = {
	{ write_64, opcode_13, DV_FAULT_OPCODE, "opcode 0x13 (unknown) is no operation" },
	{ write_64, opcode_bind_mw, DV_FAULT_OPCODE, "opcode 0x18 (BIND_MW) is no operation" },
	{ datagram, opcode_read, DV_FAULT_TRANSPORT, "type UD does not do RDMA_READ" },
	{ write_64, opmod_1, DV_FAULT_OPMOD, "RDMA_WRITE has no opmod 0x1" },
	{ atomic, opmod_8, DV_FAULT_OPMOD, "ATOMIC_MASKED_FA has no opmod 0x0" },
	{ write_64, ds_0, DV_FAULT_DS_ZERO, "ds is 0" },
	{ write_64, limit_ds, DV_FAULT_DS_LIMIT, "ds 3: the queue takes WQEs of up to 2" },
	{ write_64, ds_12, DV_FAULT_DS_END, "it has 3 blocks, and only 1 are committed" },
	{ umr, longer_than_pi, DV_FAULT_DS_END, "it has 3 blocks, and only 1 are committed" },
	{ write_64, index_off, DV_FAULT_INDEX, "the index is 63: it has to be 60" },
	{ write_64, index_lap, DV_FAULT_INDEX,
	  "the index is 316, of another pass over the ring" },
	{ write_64, qpn, DV_FAULT_QPN,
	  "qpn 0x123457 is another queue's: this one is 0x123456" },
	{ write_64, fence_5, DV_FAULT_FLAGS, "flags 0xa8: there are fence modes 0 to 4" },
	{ write_64, fence_6, DV_FAULT_FLAGS, "flags 0xc8: there are fence modes 0 to 4" },
	{ write_64, fence_7, DV_FAULT_FLAGS, "flags 0xe8: there are fence modes 0 to 4" },
	{ write_64, flags_1, DV_FAULT_FLAGS, "flags 0x09" },
	{ write_64, signature, DV_FAULT_SIGNATURE, "signature 0x07: it has to be 0x" },
	{ write_64, signature_none, DV_FAULT_RESERVED, "signature 0x07, and the queue has no" },
	{ write_64, stream, DV_FAULT_RESERVED, "bytes 9 and 10 (9) are a stream of a DCI" },
	{ write_64, ds_bits, DV_FAULT_RESERVED, "bits 6 and 7 of the ds byte (0x43)" },
	{ write_64, raddr_reserved, DV_FAULT_RESERVED,
	  "reserved bytes 28 to 31 (remote address) are not zero" },
	{ psv, psv_reserved, DV_FAULT_RESERVED, "reserved bytes 22 to 23 (PSV)" },
	{ datagram, qkey_reserved, DV_FAULT_RESERVED, "reserved bytes after the Q_Key" },
	{ write_64, all_signalled, DV_FAULT_UNSIGNALLED, "it is not signalled" },
	{ write_64, ds_1, DV_FAULT_SEGMENT,
	  "ds 1 is too short for RDMA_WRITE, which has 16 bytes of remote address at 16" },
	{ datagram, ds_1, DV_FAULT_SEGMENT, "which has 48 bytes of address vector at 16" },
	{ copy, ds_less, DV_FAULT_SEGMENT, "ds 3 is too short for MMO" },
	{ packet, header_long, DV_FAULT_SEGMENT, "which has 224 bytes of Ethernet at 16" },
	{ psv, ds_more, DV_FAULT_SURPLUS,
	  "ds 3 is too long for SET_PSV: 16 bytes follow its last segment" },
	{ datagram, av_short, DV_FAULT_AV_SHORT, "lacks MLX5_EXTENDED_UD_AV" },
	{ datagram, av_empty, DV_FAULT_AV_EMPTY, "no LID, no MAC, no GID" },
	{ datagram, qkey, DV_FAULT_QKEY_PLACE, "the Q_Key (0x11111111?) is in reserved" },
	{ atomic, raddr_odd, DV_FAULT_ATOMIC_ALIGNMENT,
	  "ATOMIC_FA at 0x7f0000001004: the address has to be a multiple of 8" },
	{ atomic, answer_of_4, DV_FAULT_ATOMIC_LENGTH, "returns 8 bytes, and its SGEs hold 4" },
	{ atomic, ds_less, DV_FAULT_ATOMIC_LENGTH, "and its SGEs hold 0" },
	{ packet, header_17, DV_FAULT_ETH_HEADER,
	  "17 bytes of the header are inline: the queue wants 18" },
	{ tso, header_13, DV_FAULT_ETH_HEADER, "13 bytes are less than an Ethernet header" },
	{ empw, header_empw, DV_FAULT_ETH_HEADER, "ENHANCED_MPSW has no header inline" },
	{ tso, mss_0, DV_FAULT_MSS, "TSO with an mss of 0" },
	{ packet, mss_send, DV_FAULT_MSS, "an mss of 100 on a SEND" },
	{ copy, copy_less, DV_FAULT_MMO_LENGTH, "MMO copies 64 bytes to a place of 63" },
	{ umr, mkey_0, DV_FAULT_UMR_MKEY, "UMR, and imm names no mkey" },
	{ umr, klm_8, DV_FAULT_UMR_LIST, "klm_octowords 8: 128 bytes of list, the WQE has 64" },
	{ umr_ptr, list_nowhere, DV_FAULT_UMR_LIST, "no data segment that points to the list" },
	{ umr, klm_3, DV_FAULT_UMR_PADDING, "klm_octowords 3: a list is padded" },
	{ umr, klm_hole, DV_FAULT_UMR_PADDING, "UMR list entry after padding" },
	{ write_64, zero_length, DV_FAULT_ZERO_LENGTH,
	  "a data segment of length 0 means 2 GB" },
	{ write_64, ds_more, DV_FAULT_ZERO_LENGTH, "a data segment of length 0 means 2 GB" },
	{ send_inline, inline_60, DV_FAULT_INLINE_LENGTH,
	  "inline data of 60 bytes takes 64, ds 2 leaves 16" },
	{ send_inline, limit_inline, DV_FAULT_INLINE_LIMIT,
	  "10 bytes inline: the queue takes 8" },
	{ write_64, inline_to_read, DV_FAULT_INLINE_ANSWER, "inline data in RDMA_READ" },
	{ write_64, limit_sge, DV_FAULT_SGE_LIMIT, "2 data segments: the queue takes 1" },
	{ write_64, limit_message, DV_FAULT_MESSAGE_LIMIT,
	  "a message of 64 bytes: 63 are the most" },
	{ around_the_edge, wraps, DV_FAULT_WRAP, "WQE 62: it continues after the edge" },
	{ around_the_edge, old_padding, DV_FAULT_PADDING, "WQE 62: no NOPs in the 2 blocks" },
	{ full, overrun, DV_FAULT_OVERRUN,
	  "65 blocks from here on are in use, and the ring has 64" },
	{ full, none_signalled, DV_FAULT_NO_SIGNAL, "none is signalled" },
	{ full, on_first_error, DV_FAULT_NO_SIGNAL, "none is signalled" },
	{ write_64, record_ahead, DV_FAULT_RECORD_AHEAD,
	  "the record says 63, and the last WQE ends at 61" },
	{ write_64, record_behind, DV_FAULT_RECORD_BEHIND,
	  "the record says 59, and all up to 60 is completed" },
	{ write_64, unrecorded, DV_FAULT_UNRECORDED,
	  "WQE 60: this and what follows is in the ring" },
	{ write_64, unrung, DV_FAULT_UNRUNG,
	  "WQE 60: this is in the record, and the register" },
	{ write_64, rung_first, DV_FAULT_RUNG_FIRST,
	  "the register was rung for WQEs up to 61, and the record says 60" },
	{ write_64, rung_other, DV_FAULT_RUNG_OTHER, "rung with qpn 0x123457: this queue is" },
	{ write_64, rung_slot, DV_FAULT_RUNG_OTHER, "8 bytes that do not begin this WQE" },
};

static void find(const struct mistake *mistake, size_t i)
{
	struct dv_finding found[FOUND];
	bool said = false;
	size_t n, k;

	start();
	mistake->right();
	mistake->wrong();
	n = dv_ring_check(&q, found, FOUND);
	for (k = 0; k < n && k < FOUND; k++)
		said |= found[k].fault == mistake->fault &&
			strstr(found[k].text, mistake->words);
	for (k = 0; !said && k < n && k < FOUND; k++)
		cr_log_info("%zu: %s", i, found[k].text);
	cr_expect(said, "mistake %zu, '%s': not among %zu findings, of which the first is '%s'",
		  i, mistake->words, n, n ? found[0].text : "");
	seen[mistake->fault] = true;
}

Test(check, names_every_mistake)
{
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		find(&mistakes[i], i);
	for (i = 0; i < DV_FAULTS; i++)
		cr_expect(seen[i], "no mistake provokes fault %zu", i);
}

Test(check, counts_findings_that_do_not_fit, .init = start)
{
	struct dv_finding found[2] = { { .idx = 7 }, { .idx = 7 } };

	write_64();
	qpn();
	index_off();
	cr_expect_eq(dv_wqe_check(&q, wqe, 64, START, found, 1), 2);
	cr_expect_eq(found[0].fault, DV_FAULT_INDEX);
	cr_expect_eq(found[0].idx, START);
	cr_expect_eq(found[0].offset, 1);
	cr_expect_eq(found[1].idx, 7);
	cr_expect_eq(dv_wqe_check(&q, wqe, 64, START, NULL, 0), 2);
	cr_expect_eq(dv_wqe_check(&q, wqe, 15, START, found, 1), 1);
	cr_expect_eq(found[0].fault, DV_FAULT_DS_END);
	cr_expect_eq(dv_wqe_check(&q, wqe, 32, START, found, 1), 3);
}

/* A ring of libmlx5's: its WQEs go around the edge, and are read so. */
Test(check, reads_a_wqe_around_the_edge, .init = start)
{
	struct dv_finding found[FOUND];
	uint8_t copied[DV_WQE_MAX_BYTES];

	around_the_edge();
	wraps();
	q.padded = false;
	m.dbrec[1] = htobe32(q.pi);
	m.sq.db_pi = q.pi;
	cr_expect_eq(dv_ring_check(&q, found, FOUND), 0, "%s", found[0].text);
	cr_expect_eq(dv_wqe_copy(copied, m.ring, MEMORY_BLOCKS, 62), 192);
	cr_expect_arr_eq(copied, block(62), 128);
	cr_expect_arr_eq(copied + 128, block(64), 64);
}
