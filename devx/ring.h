/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a queue in one umem: the rings, then the doorbell record. */
#ifndef DEVX_RING_H
#define DEVX_RING_H

#include <devx/umem.h>
#include <dv/ring.h>

/* A place in a umem. */
struct devx_ring {
	uint32_t umem_id;
	uint64_t offset, record; /* in the umem */
	char *addr;		 /* of the rings; NULL: the CPU does not reach them */
	__be32 *dbrec;
};

/* Bytes of a place: @bytes of rings, padding, a record. */
size_t devx_ring_bytes(size_t bytes);
/* A place at @offset of @given for @bytes of rings; @given NULL: allocates it, zeroed, as
 * @own. */
int devx_ring_take(struct devx_ring *ring, struct devx_umem *own, struct ibv_context *ctx,
		   const struct devx_umem *given, uint64_t offset, size_t bytes);
/* Only if it was allocated. */
int devx_ring_free(struct devx_umem *own);

/* log_page_size of contexts: the system's pages, counted from 4 KiB. */
unsigned int devx_ring_log_page(void);

static inline unsigned int devx_log2(uint32_t n)
{
	return 31 - (unsigned int)__builtin_clz(n);
}

#endif
