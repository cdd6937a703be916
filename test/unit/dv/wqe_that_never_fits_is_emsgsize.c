/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ENOMEM: retire, and try again. EMSGSIZE: the WQE is longer than any that the ring holds. Each
 * call of dv that posts is made with a WQE of a length that the comment beside it derives from
 * the segments, in rings that are just too small and just large enough, empty and full.
 */
#include <dv/aso.h>
#include <dv/cross.h>
#include <dv/eth.h>
#include <dv/masked.h>
#include <dv/mmo.h>
#include <dv/post_umr.h>
#include "queue.h"

static struct ibv_sge sge[80];
static uint8_t bytes[2048];
static const struct dv_raddr to = { 0x1000, 7 };
static const struct dv_eth_hdr header = { bytes, 18 };

static int umr_of(unsigned int n_bsf, unsigned int entries)
{
	static struct dv_wqe_bsf_seg bsf[4];
	struct dv_umr umr;

	dv_umr_init(&umr, 0x100);
	if (n_bsf)
		dv_umr_set_bsf(&umr, bsf, (uint8_t)n_bsf);
	return entries ? dv_sq_umr_list(&m.sq, 0, &umr, sge, entries)
		       : dv_sq_umr(&m.sq, 0, &umr);
}

static int bind(void)
{
	struct ibv_mr mr = { .lkey = 1 };
	struct ibv_mw mw = { .rkey = 0x100, .type = IBV_MW_TYPE_2 };
	struct ibv_mw_bind_info info = { .mr = &mr, .addr = 0x1000, .length = 8 };

	return dv_sq_bind_mw(&m.sq, 0, &mw, 0x101, &info);
}

static int interleaved(uint16_t n)
{
	static struct mlx5dv_mr_interleaved column[80];
	struct dv_repeat r = { .count = 1, .n = n, .column = column };
	struct dv_umr umr;

	dv_umr_init(&umr, 0x100);
	return dv_sq_umr_interleaved(&m.sq, 0, &umr, &r);
}

static int ksm(unsigned int n)
{
	static struct dv_laddr area[80];
	struct dv_umr umr;

	dv_umr_init(&umr, 0x100);
	return dv_sq_umr_ksm(&m.sq, 0, &umr, area, n);
}

static int list_in_memory(void)
{
	struct dv_umr umr;

	dv_umr_init(&umr, 0x100);
	return dv_sq_umr_ptr(&m.sq, 0, &umr, sge);
}

static int empw_inline(unsigned int n)
{
	struct ibv_data_buf packet[80];

	for (unsigned int i = 0; i < n; i++)
		packet[i] = (struct ibv_data_buf){ bytes, 12 };
	return dv_sq_empw_inline(&m.sq, 0, 0, packet, n);
}

/* @ds segments. */
static int raw(uint8_t ds)
{
	uint8_t wqe[1024] = { [7] = ds };

	return dv_sq_raw(&m.sq, wqe);
}

/* Every call, by number; the blocks of its WQE in @nbb. -1: there is no such call. */
static int call(unsigned int number, unsigned int *nbb)
{
	static const struct dv_masked_cs cs;
	static const struct dv_laddr at;
	static const struct dv_aso aso;
	static const struct dv_wait wait;

#define CASE(number, blocks, posts) \
	case number:                \
		*nbb = (blocks);    \
		return posts
	switch (number) {
		CASE(0, 2, dv_sq_send(&m.sq, 0, sge, 4));	    /* 1 + 4 segments */
		CASE(1, 3, dv_sq_send_imm(&m.sq, 0, sge, 8, 0));    /* 1 + 8 */
		CASE(2, 4, dv_sq_send_inv(&m.sq, 0, sge, 12, 7));   /* 1 + 12 */
		CASE(3, 2, dv_sq_send_inline(&m.sq, 0, bytes, 45)); /* 16 + 4 + 45 bytes */
		CASE(4, 2, dv_sq_send_imm_inline(&m.sq, 0, bytes, 45, 0));
		CASE(5, 2, dv_sq_write(&m.sq, 0, to, sge, 3));		 /* 2 + 3 segments */
		CASE(6, 3, dv_sq_write_imm(&m.sq, 0, to, sge, 7, 0));	 /* 2 + 7 */
		CASE(7, 2, dv_sq_write_inline(&m.sq, 0, to, bytes, 29)); /* 32 + 4 + 29 bytes */
		CASE(8, 15, dv_sq_write_imm_inline(&m.sq, 0, to, bytes, 924, 0));
		CASE(9, 5, dv_sq_read(&m.sq, 0, to, sge, 15)); /* 2 + 15 segments */
		CASE(10, 1, dv_sq_cmp_swap(&m.sq, 0, to, sge, 1, 2));
		CASE(11, 1, dv_sq_fetch_add(&m.sq, 0, to, sge, 1));
		CASE(12, 1, dv_sq_nop(&m.sq, 0));
		CASE(13, 7, raw(25));					    /* 25 segments */
		CASE(14, 2, dv_sq_masked_cmp_swap(&m.sq, 0, to, sge, &cs)); /* 1 + 1 + 2 + 1 */
		CASE(15, 1, dv_sq_masked_cmp_swap32(&m.sq, 0, to, sge, &cs));
		CASE(16, 1, dv_sq_masked_fetch_add(&m.sq, 0, to, sge, 1, 0));
		CASE(17, 1, dv_sq_masked_fetch_add32(&m.sq, 0, to, sge, 1, 0));
		CASE(18, 1, dv_sq_memcpy(&m.sq, 0, at, at, at, 1));
		CASE(19, 2, dv_sq_aso(&m.sq, 0, 0, 1, &aso, bytes)); /* 16 + 48 + 64 bytes */
		CASE(20, 1, dv_sq_wait_cq(&m.sq, 0, 1, 1));
		CASE(21, 1, dv_sq_wait(&m.sq, 0, DV_OPMOD_WAIT_DATA, &wait));
		CASE(22, 1, dv_sq_send_en(&m.sq, 0, 1, 1));
		CASE(23, 2,
		     dv_sq_send_eth(&m.sq, 0, 0, header, sge, 2)); /* 16 + 32 + 32 bytes */
		CASE(24, 2,
		     dv_sq_send_eth_vlan(&m.sq, 0, 0, 5, sge, 3)); /* 1 + 1 + 3 segments */
		CASE(25, 3,
		     dv_sq_tso(&m.sq, 0, 0, 1000, header, sge, 6)); /* 16 + 32 + 96 bytes */
		CASE(26, 6, dv_sq_empw(&m.sq, 0, 0, sge, 19));	    /* 1 + 1 + 19 segments */
		CASE(27, 4, empw_inline(11));			    /* 1 + 1 + 11 */
		CASE(28, 2, umr_of(0, 0));			    /* 16 + 48 + 64 bytes … */
		CASE(29, 4, umr_of(2, 0));			    /* … and 2 BSFs of 64 */
		CASE(30, 3, umr_of(0, 1));     /* … and 4 entries of 16 */
		CASE(31, 4, umr_of(0, 5));     /* … and 8 */
		CASE(32, 4, interleaved(4));   /* … and a head and 4, padded */
		CASE(33, 5, ksm(9));	       /* … and 12 */
		CASE(34, 3, list_in_memory()); /* … and 16 */
		CASE(35, 3, bind());	       /* … and 64 */
		CASE(36, 2, dv_sq_local_inv(&m.sq, 0, 0x100)); /* 16 + 48 + 64 */
		CASE(37, 1, dv_sq_set_psv(&m.sq, 0, 1, 1));
	default:
		return -1;
	}
}

enum { CALLS = 38 };

static uint32_t ring_for(unsigned int nbb)
{
	uint32_t cnt = 1;

	while ((cnt + 1) / 2 < nbb)
		cnt *= 2;
	return cnt;
}

static void start(uint32_t wqe_cnt)
{
	memory_start(&m, wqe_cnt, 64);
	for (unsigned int i = 0; i < 80; i++)
		sge[i] = (struct ibv_sge){ 0x1000, 8, 1 };
}

Test(never_fits, every_call)
{
	unsigned int i, nbb = 0;

	for (i = 0; i < CALLS; i++) {
		start(MEMORY_BLOCKS);
		cr_assert_eq(call(i, &nbb), 0, "call %u", i);
		cr_assert_eq(m.sq.pi, nbb, "call %u has %u blocks", i, m.sq.pi);

		/* The smallest ring that can hold it: full, then empty. */
		start(ring_for(nbb));
		m.sq.pi = (uint16_t)(m.sq.ci + m.sq.wqe_cnt);
		cr_assert_eq(call(i, &nbb), ENOMEM, "call %u, full ring", i);
		cr_assert_eq(m.sq.pi, (uint16_t)(m.sq.ci + m.sq.wqe_cnt), "call %u", i);
		m.sq.ci = m.sq.pi;
		cr_assert_eq(call(i, &nbb), 0, "call %u, empty ring", i);
		if (nbb == 1)
			continue;

		/* The largest that cannot. */
		start(ring_for(nbb) / 2);
		cr_assert_eq(call(i, &nbb), EMSGSIZE, "call %u, ring too small", i);
		cr_assert_eq(m.sq.pi, 0, "call %u", i);
		m.sq.pi = m.sq.wqe_cnt;
		cr_assert_eq(call(i, &nbb), EMSGSIZE, "call %u, ring too small and full", i);
	}
	cr_assert_eq(call(CALLS, &nbb), -1);
}

Test(never_fits, composed)
{
	start(16);
	cr_assert_null(dv_sq_reserve(&m.sq, 9));
	cr_assert_eq(dv_sq_reserve_error(&m.sq, 9), EMSGSIZE);
	m.sq.pi = 9;
	cr_assert_null(dv_sq_reserve(&m.sq, 8));
	cr_assert_eq(dv_sq_reserve_error(&m.sq, 8), ENOMEM);
}

Test(never_fits, batch)
{
	struct dv_batch b;

	start(16);
	cr_assert_eq(dv_batch_begin(&b, &m.sq, 16), 0);
	cr_assert_eq(dv_batch_begin(&b, &m.sq, 17), EMSGSIZE);
	m.sq.pi = 1;
	cr_assert_eq(dv_batch_begin(&b, &m.sq, 16), ENOMEM);
	cr_assert_eq(dv_batch_begin(&b, &m.sq, 17), EMSGSIZE);
}

/* Slots of 64 bytes hold 4 SGEs. */
Test(never_fits, receives)
{
	start(16);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 5), EMSGSIZE);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(dv_rq_post(&m.rq, sge, 4), 0);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 4), ENOMEM);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 5), EMSGSIZE, "a full ring changes nothing");
}
