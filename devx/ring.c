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

int devx_ring_alloc(struct devx_umem *umem, struct ibv_context *ctx, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (bytes + RECORD - 1) / RECORD * RECORD + RECORD;
	void *mem = aligned_alloc(page, (size + page - 1) / page * page);
	int err;

	if (!mem)
		return devx_refuse(CALL_devx_umem_reg, 0, ENOMEM, "no memory for the ring");
	memset(mem, 0, size);
	err = devx_umem_reg(umem, ctx, mem, size, IBV_ACCESS_LOCAL_WRITE);
	if (err)
		free(mem);
	return err;
}

int devx_ring_free(struct devx_umem *umem)
{
	int err = devx_umem_dereg(umem);

	if (err)
		return err;
	free(umem->addr);
	umem->addr = NULL;
	return 0;
}

size_t devx_ring_record(const struct devx_umem *umem)
{
	return umem->size - RECORD;
}

unsigned int devx_ring_log_page(void)
{
	return devx_log2((uint32_t)(sysconf(_SC_PAGESIZE) / ADAPTER_PAGE));
}
