/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of a queue in one umem: the rings, then the doorbell record. */
#ifndef DEVX_RING_H
#define DEVX_RING_H

#include <devx/umem.h>
#include <dv/ring.h>

/* Allocates @bytes for rings and a record, zeroed and registered. */
int devx_ring_alloc(struct devx_umem *umem, struct ibv_context *ctx, size_t bytes);
int devx_ring_free(struct devx_umem *umem);

/* Where the record is: umem offset. */
size_t devx_ring_record(const struct devx_umem *umem);

/* log_page_size of contexts: the system's pages, counted from 4 KiB. */
unsigned int devx_ring_log_page(void);

static inline unsigned int devx_log2(uint32_t n)
{
	return 31 - (unsigned int)__builtin_clz(n);
}

#endif
