/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMO DMA on a QP that was enabled for it: mlx5dv_wr_memcpy() as bytes.
 *
 *	buffer: source at 0x1000, destination at 0x200000, opaque buffer at 0x40
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define SOURCE 0x1000
#define DEST   0x200000
#define OPAQUE 0x40

static void setup(void)
{
	pair_open();
	a.qp->mmo = true;
	memset(near.buf + OPAQUE, 0, 64);
	for (unsigned int i = 0; i < 0x100000; i++)
		near.buf[SOURCE + i] = (uint8_t)(i * 7 + (i >> 8));
}

TestSuite(mmo, .init = setup, .fini = rig_close);

/* @n bytes from SOURCE to DEST. */
#define COPY(n) "dma opaque=0x40 " #n " local=0x1000 " #n " local=0x200000 sig "

/* @wqe ends in @syndrome and copies nothing. */
static void expect_refused(const char *wqe, const char *syndrome)
{
	execute(&a, "%s", wqe);
	expect_cqe(&a, "req_err %s wqe=0", syndrome);
	cr_expect_eq(near.buf[DEST], 0);
	cr_expect_eq(near.buf[OPAQUE + 11], 0);
}

Test(mmo, bytes_are_copied_and_both_lengths_reported)
{
	static const uint8_t opaque[16] = { [9] = 0, [10] = 0x03, 0xe9, [14] = 0x03, 0xe9 };

	memset(near.buf + OPAQUE, 0xff, 64);
	record_frames();
	execute(&a, COPY(1001));
	expect_cqe(&a, "sent dma wqe=0");
	cr_expect_arr_eq(near.buf + DEST, near.buf + SOURCE, 1001);
	cr_expect_eq(near.buf[DEST + 1001], 0);
	cr_expect_arr_eq(near.buf + OPAQUE, opaque, 16);
	cr_expect_eq(near.buf[OPAQUE + 63], 0);
	cr_expect_eq(frames, 0, "no packet leaves");
}

Test(mmo, a_long_copy_takes_several_iterations)
{
	near.mkey->len = RIG_BUF;
	post_rung(&a, COPY(0x100000));
	cr_assert(engine_step(near.e));
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + DEST, near.buf + SOURCE, 0x100000);
}

Test(mmo, the_longest_copy_is_done)
{
	near.hca.dma_max = 1000;
	execute(&a, COPY(1000));
	cr_expect_arr_eq(near.buf + DEST, near.buf + SOURCE, 1000);
}

Test(mmo, a_longer_one_is_refused)
{
	near.hca.dma_max = 1000;
	expect_refused(COPY(1001), "local_length");
}

Test(mmo, other_queues_are_served_meanwhile)
{
	static struct side c, e;

	side_open(&c, &near);
	side_open(&e, &near);
	connect_sides(&c, &e, 1024, 0x100);
	near.mkey->length64 =
		true; /* the copy fails at its end, after the pages of the buffer */
	/* lengths of 0 are 2 GiB */
	post_rung(&a, COPY(1) "byte35=0 byte51=0");
	engine_step(near.e);
	post_rung(&c, "write 8 remote=0x3f0000 sig");
	for (int i = 0; i < 8; i++)
		engine_step(near.e);
	expect_cqe(&c, "sent");
	expect_finding("the memory of the key is not mapped");
}

Test(mmo, runs_in_the_order_of_its_queue)
{
	execute(&a, "write 8 local=0x3000 remote=0x1000; " COPY(8) "fence");
	expect_cqe(&a, "sent dma wqe=1");
}

Test(mmo, a_qp_that_was_not_enabled)
{
	a.qp->mmo = false;
	expect_refused(COPY(8), "local_qp_op");
	expect_finding("MMO: the QP was not enabled for it");
}

Test(mmo, wqes_that_are_refused)
{
	static const struct {
		const char *what, *wqe, *syndrome, *finding;
	} rows[] = {
		{ "other memory to memory operations", COPY(8) "opmod=2", "local_qp_op",
		  "MMO: only DMA (opmod 1) is executed" },
		{ "the last control bit", COPY(8) "byte19=1", "local_qp_op", "" },
		{ "the first one", COPY(8) "byte16=0x80", "local_qp_op", "" },
		{ "the last bit of the immediate", COPY(8) "byte15=1", "local_qp_op", "" },
		{ "the first one", COPY(8) "byte12=0x80", "local_qp_op", "" },
		{ "a unit too many", COPY(8) "ds=5", "local_qp_op", "" },
		{ "lengths that differ", COPY(8) "byte51=9", "local_length", "" },
		{ "opaque buffer that is not aligned", COPY(8) "byte31=0x20", "local_qp_op",
		  "" },
		{ "opaque buffer without a valid key", COPY(8) "byte20=0x77", "local_prot",
		  "local write of 64 bytes at 0xa0000040: there is no such key" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		expect_refused(row->wqe, row->syndrome);
		expect_finding("%s", row->finding);
	}
}

Test(mmo, source_that_may_not_be_read)
{
	near.mkey->access &= ~HCA_LOCAL_READ;
	expect_refused(COPY(8), "local_prot");
	expect_finding("the key lacks local read (mkc.lr)");
}

Test(mmo, destination_that_may_not_be_written)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	m->pd = near.pd;
	m->access = HCA_LOCAL_READ;
	m->start = RIG_VA;
	m->len = RIG_BUF;
	execute(&a, "dma opaque=0x40 8 local=0x1000 8 local=0x200000 lkey=0x%x sig",
		m->index << 8);
	expect_cqe(&a, "req_err local_prot wqe=0");
	cr_expect_eq(near.buf[DEST], 0);
	expect_finding(
		"local write of 8 bytes at 0xa0200000: the key lacks IBV_ACCESS_LOCAL_WRITE");
}

Test(mmo, nothing_is_copied_if_the_last_byte_cannot_be)
{
	execute(&a, "dma opaque=0x40 0x3ff001 0x3ff001 local=0x1000 sig");
	expect_cqe(&a, "req_err local_prot wqe=0");
	cr_expect_eq(near.buf[0x1000 + 0x1000], near.buf[SOURCE + 0x1000]);
	expect_finding(
		"local write of 4190209 bytes at 0xa0001000: the key covers 4194304 bytes");
}
