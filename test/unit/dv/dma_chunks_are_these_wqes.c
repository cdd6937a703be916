/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue of copies on rings in plain memory: the WQEs of its chunks, written by hand, and what
 * it reports when CQEs that are written by hand arrive.
 */
#include <errno.h>
#include <stdlib.h>
#include <criterion/criterion.h>
#include <dv/dma.h>
#include <dv/reason.h>

enum { BLOCKS = 8, QPN = 0x1234, FLUSHED = MLX5_CQE_SYNDROME_WR_FLUSH_ERR };

static uint8_t ring[BLOCKS * 64] __attribute__((aligned(64)));
static uint8_t cqes[BLOCKS * 64] __attribute__((aligned(64)));
static uint64_t reg[64] __attribute__((aligned(64)));
static __be32 dbrec[2], cq_dbrec[2];
static struct dv_sq sq;
static struct dv_cq cq;
static struct dv_dma *dma;
static uint32_t written;  /* CQEs by the device */
static uint16_t executed; /* WQEs */
static struct dv_dma_done done[64];

static uint64_t status = 0x7f0000001000;

static const struct dv_laddr src = { 0x7f0000100000, 0x11100 };
static const struct dv_laddr dst = { 0x7f0011223000, 0x184200 };

static int create(struct dv_dma_attr attr, uint64_t max_wr)
{
	struct dv_dma_queue queue = {
		.sq = &sq, .cq = &cq, .opaque = { status, 0xdead01 }, .max_wr = max_wr
	};
	struct mlx5dv_qp qp = { .dbrec = dbrec,
				.sq = { ring, BLOCKS, 64 },
				.bf = { .reg = reg, .size = 0 } };
	struct mlx5dv_cq dvcq = { .buf = cqes,
				  .dbrec = cq_dbrec,
				  .cqe_cnt = BLOCKS,
				  .cqe_size = 64,
				  .cq_uar = reg,
				  .cqn = 1 };

	dv_dma_destroy(dma);
	memset(dbrec, 0, sizeof(dbrec));
	memset(ring, 0xee, sizeof(ring));
	written = executed = 0;
	dv_cq_blank(cqes, BLOCKS, 64);
	cr_assert_eq(dv_sq_init(&sq, &qp, QPN), 0);
	cr_assert_eq(dv_cq_init(&cq, &dvcq), 0);
	dma = NULL;
	return dv_dma_create_on(&dma, &queue, &attr);
}

static void start(struct dv_dma_attr attr)
{
	cr_assert_eq(create(attr, 1ull << 31), 0);
}

/* The device writes the CQE of its next WQE. */
static void complete(uint8_t syndrome)
{
	uint8_t *cqe = cqes + written % BLOCKS * 64;
	uint8_t opcode = syndrome ? MLX5_CQE_REQ_ERR : MLX5_CQE_REQ;

	memset(cqe, 0, 63);
	cqe[52] = syndrome ? 0x17 : 0; /* hardware syndrome */
	cqe[54] = syndrome ? 0x51 : 0; /* vendor syndrome */
	cqe[55] = syndrome;
	cqe[56] = MLX5_OPCODE_MMO;
	cqe[58] = QPN >> 8;
	cqe[59] = QPN & 0xff;
	cqe[60] = (uint8_t)(executed >> 8);
	cqe[61] = (uint8_t)executed;
	cqe[63] = (uint8_t)(opcode << 4 | (written / BLOCKS & 1));
	written++;
	executed++;
}

static uint16_t posted(void)
{
	return dv_dma_sq(dma)->pi;
}

static uint16_t rung(void)
{
	return (uint16_t)be32toh(dbrec[1]);
}

static int copy(uint64_t id, uint64_t len)
{
	return dv_dma_copy(dma, id, dst, src, len, 0);
}

static unsigned int poll(void)
{
	return dv_dma_poll(dma, done, 64);
}

/* WQE @i, words in network order. */
static void is_wqe(unsigned int i, const uint32_t words[16])
{
	for (size_t w = 0; w < 16; w++) {
		uint32_t be;

		memcpy(&be, ring + i % BLOCKS * 64 + 4 * w, 4);
		cr_assert_eq(be32toh(be), words[w], "WQE %u, byte 0x%zx: 0x%08x, not 0x%08x", i,
			     4 * w, be32toh(be), words[w]);
	}
}

/* Number 5, so its index can be seen in it. */
Test(dma, wqe)
{
	start((struct dv_dma_attr){ 0 });
	for (uint64_t id = 0; id < 5; id++)
		cr_assert_eq(copy(id, 1), 0);
	cr_assert_eq(copy(5, 4096), 0);
	is_wqe(5, (const uint32_t[16]){ 0x0100052f, 0x00123404, 0x00000008, 0x00000000,
					0x00000000, 0x00dead01, 0x00007f00, 0x00001000,
					0x00001000, 0x00011100, 0x00007f00, 0x00100000,
					0x00001000, 0x00184200, 0x00007f00, 0x11223000 });
}

Test(dma, chunks)
{
	start((struct dv_dma_attr){ .chunk = 4096 });
	cr_assert_eq(dv_dma_copy(dma, 1, dst, src, 10000, DV_DMA_FENCE), 0);
	is_wqe(0, (const uint32_t[16]){ 0x0100002f, 0x00123404, 0x00000068, 0, 0, 0x00dead01,
					0x7f00, 0x1000, 4096, 0x00011100, 0x7f00, 0x00100000,
					4096, 0x00184200, 0x7f00, 0x11223000 });
	is_wqe(1, (const uint32_t[16]){ 0x0100012f, 0x00123404, 0x00000008, 0, 0, 0x00dead01,
					0x7f00, 0x1000, 4096, 0x00011100, 0x7f00, 0x00101000,
					4096, 0x00184200, 0x7f00, 0x11224000 });
	is_wqe(2, (const uint32_t[16]){ 0x0100022f, 0x00123404, 0x00000008, 0, 0, 0x00dead01,
					0x7f00, 0x1000, 1808, 0x00011100, 0x7f00, 0x00102000,
					1808, 0x00184200, 0x7f00, 0x11225000 });
	cr_assert_eq(posted(), 3);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(poll(), 0, "not before its last chunk");
		complete(0);
	}
	cr_assert_eq(poll(), 1);
	cr_assert_eq(done[0].id, 1);
	cr_assert_eq(done[0].status, 0);
	cr_assert_eq(done[0].len, 10000);
	cr_assert_eq(done[0].copied, 10000);
	cr_assert_eq(done[0].chunks, 3);
	cr_assert_eq(done[0].chunks_ok, 3);
	cr_assert_eq(done[0].fail_len, 0);
}

/* 2 GiB are 0 in a WQE; a limit of the device is the chunk; the default is 1 MiB. */
Test(dma, longest_chunk)
{
	struct dv_dma_limits limits;

	start((struct dv_dma_attr){ .chunk = 1u << 31 });
	cr_assert_eq(copy(1, 1ull << 32), 0);
	cr_assert_eq(posted(), 2);
	is_wqe(1, (const uint32_t[16]){ 0x0100012f, 0x00123404, 0x00000008, 0, 0, 0x00dead01,
					0x7f00, 0x1000, 0, 0x00011100, 0x7f00, 0x80100000, 0,
					0x00184200, 0x7f00, 0x91223000 });
	cr_assert_eq(create((struct dv_dma_attr){ 0 }, 65536), 0);
	dv_dma_query_limits(dma, &limits);
	cr_assert_eq(limits.chunk, 65536);
	cr_assert_eq(limits.max_wr, 65536);
	cr_assert_eq(limits.depth, BLOCKS);
	cr_assert_eq(limits.copies, 64);
	cr_assert_eq(create((struct dv_dma_attr){ .depth = 3 }, 1ull << 40), 0);
	dv_dma_query_limits(dma, &limits);
	cr_assert_eq(limits.chunk, 1 << 20);
	cr_assert_eq(limits.max_wr, 1ull << 31);
	cr_assert_eq(limits.depth, 3);
	cr_assert_eq(limits.copies, 3);
}

Test(dma, copies_longer_than_the_ring)
{
	start((struct dv_dma_attr){ .chunk = 100 });
	cr_assert_eq(copy(1, 2000), 0);
	cr_assert_eq(copy(2, 250), 0);
	cr_assert_eq(posted(), 8, "all that fits");
	for (int i = 0; i < 3; i++)
		complete(0);
	cr_assert_eq(poll(), 0);
	cr_assert_eq(posted(), 11, "as many more");
	cr_assert_eq(be32toh(cq_dbrec[0]), 3, "their slots of the CQ are free again");
	cr_assert_eq(rung(), 11);
	for (int i = 3; i < 20; i++) {
		cr_assert_eq(poll(), 0);
		complete(0);
	}
	cr_assert_eq(poll(), 1);
	cr_assert_eq(done[0].id, 1);
	cr_assert_eq(done[0].copied, 2000);
	cr_assert_eq(posted(), 23);
	for (int i = 0; i < 3; i++)
		complete(0);
	cr_assert_eq(poll(), 1);
	cr_assert_eq(done[0].id, 2);
	cr_assert_eq(done[0].chunks_ok, 3);
	cr_assert_eq(dv_dma_outstanding(dma), 0);
}

Test(dma, no_more_copies_than_there_is_space_for)
{
	start((struct dv_dma_attr){ .copies = 3 });
	for (uint64_t id = 0; id < 3; id++)
		cr_assert_eq(copy(id, 1), 0);
	cr_assert_eq(copy(3, 1), EAGAIN);
	cr_assert_not_null(strstr(dv_reason(), "poll"));
	cr_assert_eq(posted(), 3);
	cr_assert_eq(dv_dma_outstanding(dma), 3);
	complete(0);
	cr_assert_eq(dv_dma_poll(dma, done, 0), 0, "no place for it");
	cr_assert_eq(copy(3, 1), EAGAIN, "not reported yet");
	cr_assert_eq(poll(), 1);
	cr_assert_eq(copy(3, 1), 0);
}

Test(dma, wrong_arguments)
{
	start((struct dv_dma_attr){ .chunk = 1 });
	cr_assert_eq(copy(1, 0), EINVAL);
	cr_assert_eq(dv_dma_copy(dma, 1, dst, src, 1, 2), EINVAL);
	cr_assert_eq(dv_dma_copy(dma, 1, (struct dv_laddr){ UINT64_MAX, 0 }, src, 2, 0),
		     EINVAL);
	cr_assert_eq(dv_dma_copy(dma, 1, dst, (struct dv_laddr){ UINT64_MAX, 0 }, 2, 0),
		     EINVAL);
	cr_assert_eq(copy(1, 1ull << 32), EINVAL, "2^32 chunks");
	cr_assert_eq(dv_dma_outstanding(dma), 0);
	cr_assert_eq(dv_dma_copy(dma, 1, (struct dv_laddr){ UINT64_MAX, 0 }, src, 1, 0), 0);
	cr_assert_eq(create((struct dv_dma_attr){ .chunk = (1u << 31) + 1 }, 1), EINVAL);
	cr_assert_eq(create((struct dv_dma_attr){ .depth = 1 << 16 }, 1), EINVAL);
	cr_assert_eq(create((struct dv_dma_attr){ .copies = 1 << 20 }, 1), EINVAL);
	cr_assert_eq(create((struct dv_dma_attr){ 0 }, 0), EOPNOTSUPP);
	cr_assert_not_null(strstr(dv_reason(), "max_wr"));
	for (int bit = 0; bit < 7; bit++) {
		status ^= 1 << bit;
		cr_assert_eq(create((struct dv_dma_attr){ 0 }, 1), bit < 6 ? EINVAL : 0);
		status ^= 1 << bit;
	}
	cr_assert_not_null(strstr(dv_reason(), "64"));
	start((struct dv_dma_attr){ 0 });
	cr_assert_eq(dv_dma_recover(dma), EOPNOTSUPP, "the QP is the caller's");
}

Test(dma, doorbells)
{
	struct dv_dma_counters n;

	start((struct dv_dma_attr){ 0 });
	cr_assert_eq(copy(1, 1), 0);
	cr_assert_eq(rung(), 0);
	dv_dma_doorbell(dma);
	cr_assert_eq(rung(), 1);
	dv_dma_doorbell(dma);
	cr_assert_eq(copy(2, 1), 0);
	cr_assert_eq(poll(), 0);
	cr_assert_eq(rung(), 2, "a poll rings");
	dv_dma_query_counters(dma, &n);
	cr_assert_eq(n.doorbells, 2, "none for nothing");
	start((struct dv_dma_attr){ .batch = 3, .chunk = 1 });
	cr_assert_eq(copy(1, 2), 0);
	cr_assert_eq(rung(), 0);
	cr_assert_eq(copy(2, 5), 0);
	cr_assert_eq(posted(), 7);
	cr_assert_eq(rung(), 6);
}

static void is_done(const struct dv_dma_done *d, uint64_t id, int status, uint64_t copied,
		    uint32_t ok, uint32_t error)
{
	cr_assert_eq(d->id, id, "%d, not %d", (int)d->id, (int)id);
	cr_assert_eq(d->status, status, "%d: %s", (int)id, strerror(d->status));
	cr_assert_eq(d->copied, copied);
	cr_assert_eq(d->fail_offset, copied);
	cr_assert_eq(d->chunks_ok, ok);
	cr_assert_eq(d->chunks_error, error);
}

/* Chunk 1 of copy 2 fails: one CQE for each chunk in flight, none for what waits. */
Test(dma, errors)
{
	struct dv_dma_counters n;

	start((struct dv_dma_attr){ .chunk = 100 });
	cr_assert_eq(copy(1, 200), 0);
	cr_assert_eq(copy(2, 350), 0);
	cr_assert_eq(copy(3, 500), 0);
	cr_assert_eq(copy(4, 1), 0);
	cr_assert_eq(posted(), 8);
	for (int i = 0; i < 3; i++)
		complete(0);
	complete(MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	complete(FLUSHED);
	cr_assert_eq(poll(), 1);
	is_done(&done[0], 1, 0, 200, 2, 0);
	cr_assert_eq(posted(), 8, "nothing more is posted");
	cr_assert_eq(copy(5, 1), EIO);
	cr_assert_not_null(strstr(dv_reason(), "recover"));
	for (int i = 0; i < 3; i++)
		complete(FLUSHED);
	cr_assert_eq(poll(), 3);
	is_done(&done[0], 2, EIO, 100, 1, 3);
	cr_assert_eq(done[0].syndrome, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_assert_eq(done[0].vendor_syndrome, 0x51);
	cr_assert_eq(done[0].hw_syndrome, 0x17);
	cr_assert_eq(done[0].fail_len, 100);
	is_done(&done[1], 3, ECANCELED, 0, 0, 2);
	cr_assert_eq(done[1].syndrome, FLUSHED);
	is_done(&done[2], 4, ECANCELED, 0, 0, 0);
	cr_assert_eq(done[2].syndrome, 0);
	cr_assert_eq(done[2].fail_len, 1);
	cr_assert_eq(dv_dma_outstanding(dma), 0);
	dv_dma_query_counters(dma, &n);
	cr_assert_eq(n.chunks, 8);
	cr_assert_eq(n.ok, 3);
	cr_assert_eq(n.failed, 1);
	cr_assert_eq(n.flushed, 4);
	cr_assert_eq(n.bytes, 300);
	cr_assert_eq(n.copies, 4);
	cr_assert_eq(n.reported, 4);
}

/* The last chunk of a copy is shorter: what failed of it, and what is certain. */
Test(dma, error_in_the_last_chunk)
{
	start((struct dv_dma_attr){ .chunk = 100 });
	cr_assert_eq(copy(1, 250), 0);
	complete(0);
	complete(0);
	complete(MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	cr_assert_eq(poll(), 1);
	is_done(&done[0], 1, EIO, 200, 2, 1);
	cr_assert_eq(done[0].fail_len, 50);
}

/* RESET in the middle: everything is reported once, and the queue begins again. */
Test(dma, restart)
{
	start((struct dv_dma_attr){ .chunk = 100 });
	cr_assert_eq(copy(1, 100), 0);
	cr_assert_eq(copy(2, 350), 0);
	cr_assert_eq(copy(3, 900), 0);
	complete(0);
	complete(0);
	complete(MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	dv_dma_restart(dma);
	cr_assert_eq(dv_dma_outstanding(dma), 3);
	cr_assert_eq(poll(), 3);
	is_done(&done[0], 1, 0, 100, 1, 0);
	is_done(&done[1], 2, EIO, 100, 1, 1);
	is_done(&done[2], 3, ECANCELED, 0, 0, 0);
	cr_assert_eq(posted(), 0);
	cr_assert_eq(rung(), 0);
	executed = 0;
	cr_assert_eq(copy(4, 100), 0);
	cr_assert_eq(posted(), 1);
	complete(0);
	cr_assert_eq(poll(), 1);
	is_done(&done[0], 4, 0, 100, 1, 0);
}

/* A completion that no chunk in flight has, as of before a RESET, is not taken for one. */
Test(dma, stale_completion)
{
	start((struct dv_dma_attr){ 0 });
	cr_assert_eq(copy(1, 100), 0);
	executed = 5;
	complete(0);
	cr_assert_eq(poll(), 0);
	executed = 0;
	complete(0);
	cr_assert_eq(poll(), 1);
	is_done(&done[0], 1, 0, 100, 1, 0);
}

/* ---- nothing is lost ---- */

static struct {
	uint64_t id, len;
} expected[64];
static uint32_t first, last; /* of expected */

static void reported(unsigned int n, bool failed)
{
	for (unsigned int i = 0; i < n; i++, first++) {
		const struct dv_dma_done *d = &done[i];

		cr_assert_neq(first, last);
		cr_assert_eq(d->id, expected[first % 64].id);
		cr_assert_eq(d->len, expected[first % 64].len);
		cr_assert(failed || !d->status);
		cr_assert_eq(d->copied == d->len, !d->status);
		cr_assert_leq(d->chunks_ok + d->chunks_error, d->chunks);
	}
}

/* Accepts, completes and polls in any order; now and then a chunk fails. The indices wrap
 * several times. */
Test(dma, random_order)
{
	uint64_t id = 0, failures = 0;
	bool failed = false;

	srand(3);
	start((struct dv_dma_attr){ .chunk = 64, .copies = 20, .batch = 2 });
	for (int i = 0; i < 600000; i++) {
		struct dv_dma_counters n;
		uint64_t len = (uint64_t)(rand() % (rand() % 8 ? 200 : 3000)) + 1;
		int err;

		switch (rand() % 4) {
		case 0:
			err = copy(id, len);
			cr_assert(!err || err == EAGAIN || (failed && err == EIO));
			if (err)
				break;
			expected[last % 64].id = id++;
			expected[last++ % 64].len = len;
			break;
		case 1:
		case 2:
			if (executed == rung())
				break;
			if (!failed && i > 400000 && rand() % 1000 == 0) {

				failed = true;
				failures++;
				complete(MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
			} else {
				complete(failed ? FLUSHED : 0);
			}
			break;
		default:
			reported(dv_dma_poll(dma, done, (unsigned int)rand() % 8), failed);
			if (!failed || executed != rung() || rand() % 4)
				break;
			dv_dma_restart(dma);
			executed = 0;
			reported(poll(), true);
			cr_assert_eq(dv_dma_outstanding(dma), 0);
			failed = false;
			break;
		}
		cr_assert_eq(dv_dma_outstanding(dma), last - first);
		dv_dma_query_counters(dma, &n);
		if (i == 400000)
			cr_assert_gt(n.chunks, 65536u, "the indices wrapped");
	}
	cr_assert_gt(id, 20000u);
	cr_assert_gt(failures, 20u);
}
