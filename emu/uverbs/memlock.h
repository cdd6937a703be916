/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RLIMIT_MEMLOCK: how much of the application's memory may be pinned (ib_core, umem.c,
 * ib_umem_get; mlx5_ib, doorbell.c, mlx5_ib_db_map_user).
 *
 *	call counts pages -> object takes them -> object destroyed: given back
 *	                  '-> call fails: given back
 *
 * The count is the address space's (mm->pinned_vm): all contexts of the process share it, and a
 * page that two regions cover counts twice. The page of a doorbell record is pinned once for
 * all queues of a context whose records lie in it. CAP_IPC_LOCK lifts the limit; pages on
 * demand and device memory are not pinned.
 */
#ifndef EMU_UVERBS_MEMLOCK_H
#define EMU_UVERBS_MEMLOCK_H

#include <linux/types.h>

#include "uverbs/method.h"

/* Counts the pages of [@va, @va + @len). -EINVAL: there is none, or the range wraps; -EPERM:
 * the limit is 0; -ENOMEM: the limit is reached. */
int uverbs_memlock(struct uverbs_call *c, uint64_t va, uint64_t len);

/* Pages that were made sure of (uverbs_pin) are the device's from now on: *@va becomes their
 * bus address. -ENOMEM. */
int uverbs_hold(struct uverbs_call *c, __u64 *va, uint64_t len);

/* [@offset, @offset + @len) of the dma-buf @fd, which does not count: *@va becomes its bus
 * address. -EBADF, -EINVAL: it is not a dma-buf, or ends before. */
int uverbs_dmabuf_get(struct uverbs_call *c, int fd, uint64_t offset, uint64_t len, bool write,
		      __u64 *va);

/* The ring of a queue, and its doorbell record: counted, pinned and held. */
int uverbs_umem_get(struct uverbs_call *c, __u64 *va, uint64_t len);
int uverbs_record_get(struct uverbs_call *c, __u64 *va, uint64_t len);

/* @o owns what @c counted and held, in the place of the pages that it owned. */
void uverbs_memlock_take(struct uverbs_call *c, struct uverbs_object *o);
/* Gives back what @c counted or held and no object took. */
void uverbs_memlock_end(struct uverbs_call *c);

#endif
