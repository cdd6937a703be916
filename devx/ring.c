/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of queues: aligned to the page of the system, zeroed, and registered as one umem.
 *
 *	| rings | padding to 64 bytes | doorbell record, 64 bytes |
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "refuse.h"
#include "ring.h"

enum {
	RECORD = 64, /* a separate cache line */
	ADAPTER_PAGE = 4096,
};

size_t devx_ring_bytes(size_t bytes)
{
	return (bytes + RECORD - 1) / RECORD * RECORD + RECORD;
}

static int allocate(struct devx_umem *own, struct ibv_context *ctx, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mem = aligned_alloc(page, (size + page - 1) / page * page);
	int err;

	if (!mem)
		return devx_refuse(CALL_devx_umem_reg, 0, ENOMEM, "no memory for the ring");
	memset(mem, 0, size);
	err = devx_umem_reg(own, ctx, mem, size, IBV_ACCESS_LOCAL_WRITE);
	if (err)
		free(mem);
	return err;
}

int devx_ring_take(struct devx_ring *ring, struct devx_umem *own, struct ibv_context *ctx,
		   const struct devx_umem *given, uint64_t offset, size_t bytes)
{
	size_t size = devx_ring_bytes(bytes);
	int err = 0;

	memset(own, 0, sizeof(*own));
	if (given && (offset % RECORD || offset > given->size || size > given->size - offset))
		return devx_refuse(CALL_devx_umem_reg, 0, EINVAL,
				   "the umem does not hold the queue at this offset");
	if (!given)
		err = allocate(own, ctx, size);
	if (err)
		return err;
	if (!given) {
		given = own;
		offset = 0;
	}
	*ring = (struct devx_ring){ .umem_id = given->id,
				    .offset = offset,
				    .record = offset + size - RECORD };
	if (given->addr) {
		ring->addr = (char *)given->addr + offset;
		ring->dbrec = (__be32 *)(ring->addr + size - RECORD);
	}
	return 0;
}

int devx_ring_free(struct devx_umem *own)
{
	int err = own->handle ? devx_umem_dereg(own) : 0;

	if (err)
		return err;
	free(own->addr);
	own->addr = NULL;
	return 0;
}

unsigned int devx_ring_log_page(void)
{
	return devx_log2((uint32_t)(sysconf(_SC_PAGESIZE) / ADAPTER_PAGE));
}
