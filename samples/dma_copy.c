/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memcpy() by the device: DMA work requests (MMO) on a queue of dv/dma.h. A copy is split into
 * chunks, each of them a work request; the CPU posts and polls, the device moves the bytes.
 *
 *	dv_dma_copy()      chunk | chunk | chunk | ...   into the send ring, as many as there is space for
 *	dv_dma_doorbell()  the device learns of them
 *	dv_dma_poll()      takes their CQEs, posts the other chunks, returns copies that are complete
 *
 * The last copy starts when all before it are complete (a fence): its source is the destination
 * of the first one. No packet is sent, and there is no peer.
 *
 * A BlueField-2 or later has MMO DMA. On the software adapter:
 *
 *	build/bin/dvkit-emu --device bf2 -- build/bin/dma_copy
 *
 * Last line when all is well: "3 copies by the device, 3145729 bytes, all as memcpy() would".
 */
#include "common.h"
#include <dv/dma.h>
#include <dv/reason.h>

enum {
	MIB = 1 << 20,
	SIZE = 2 * MIB,
	CHUNK = 256 << 10,
	DEPTH = 4, /* chunks in flight */
};

/* Three areas, each a part of one MR. */
static struct {
	uint8_t source[SIZE], first[SIZE], second[SIZE];
} memory;

static struct dv_dma *open_queue(struct device *dev)
{
	struct dv_dma_attr attr = {
		.pd = dev->pd, .chunk = CHUNK, .depth = DEPTH, .port = dev->port
	};
	struct dv_dma *dma;
	int error = dv_dma_create(&dma, &attr);

	if (error == EOPNOTSUPP)
		errx(1,
		     "%s: %s. BlueField-2 and later have it; without one:\n"
		     "	build/bin/dvkit-emu --device bf2 -- build/bin/dma_copy",
		     ibv_get_device_name(dev->ctx->device), dv_reason());
	if (error)
		errx(1, "dv_dma_create: %s: %s", dv_reason(), strerror(error));
	return dma;
}

/* The copy that is complete next. */
static struct dv_dma_done next_done(struct dv_dma *dma)
{
	struct dv_dma_done done;

	deadline(10, "a copy");
	while (!dv_dma_poll(dma, &done, 1))
		;
	deadline(0, "a copy");
	if (done.status)
		errx(1, "copy %lu: %s, %lu of %lu bytes are copied", (unsigned long)done.id,
		     done.syndrome ? dv_syndrome_str(done.syndrome) : strerror(done.status),
		     (unsigned long)done.copied, (unsigned long)done.len);
	printf("-- copy %lu is complete: %lu bytes in %u chunks\n", (unsigned long)done.id,
	       (unsigned long)done.len, done.chunks);
	return done;
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv, "memcpy() by the device: MMO DMA");

	o.emulated = "--device bf2 ";

	struct device dev = device_open(o);
	struct dv_dma *dma = open_queue(&dev);
	struct dv_dma_limits limits;

	dv_dma_query_limits(dma, &limits);
	printf("-- the longest work request copies %lu bytes; here %u, %u in flight\n",
	       (unsigned long)limits.max_wr, limits.chunk, limits.depth);

	struct ibv_mr *mr =
		made(ibv_reg_mr(dev.pd, &memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE));
	struct dv_laddr source = { (uintptr_t)memory.source, mr->lkey };
	struct dv_laddr first = { (uintptr_t)memory.first, mr->lkey };
	struct dv_laddr second = { (uintptr_t)memory.second, mr->lkey };

	for (size_t i = 0; i < SIZE; i++)
		memory.source[i] = (uint8_t)(i * 31 + (i >> 8));

	/* One byte more than eight chunks: addresses and lengths need no alignment. */
	must(dv_dma_copy(dma, 1, first, source, SIZE - 1, 0));
	show_wqe("the last chunk in the ring so far", dv_dma_sq(dma));

	/* Another range; the device may execute this copy together with the first one. */
	must(dv_dma_copy(dma, 2, second, source, 1, 0));
	dv_dma_doorbell(dma);
	next_done(dma);
	next_done(dma);

	/* This copy reads the result of the first one: without the fence it could read too
	 * early. */
	first.addr += 3;
	second.addr += MIB - 1;
	must(dv_dma_copy(dma, 3, second, first, MIB + 1, DV_DMA_FENCE));
	next_done(dma);

	struct dv_dma_counters count;

	dv_dma_query_counters(dma, &count);
	printf("-- %lu chunks, %lu doorbells\n", (unsigned long)count.chunks,
	       (unsigned long)count.doorbells);
	if (memcmp(memory.first, memory.source, SIZE - 1) != 0 || memory.first[SIZE - 1] ||
	    memory.second[0] != memory.source[0] ||
	    memcmp(memory.second + MIB - 1, memory.source + 3, MIB + 1) != 0)
		errx(1, "the bytes differ");
	printf("%lu copies by the device, %lu bytes, all as memcpy() would\n",
	       (unsigned long)count.copies, (unsigned long)count.bytes);

	must(dv_dma_destroy(dma));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
