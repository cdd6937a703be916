/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A umem: memory of the process that commands can name, for mkeys and for the rings and
 * doorbell records of queues. Its pages are pinned as long as it lives; access says how.
 *
 *	devx_umem_reg(&umem, ctx, buf, size, IBV_ACCESS_LOCAL_WRITE);
 *	PRM_SET(create_mkey_in, in, mkey_umem_id, umem.id);
 *
 * The device sees a list of pages of one size, and the kernel likes them large. But an address
 * that is derived from the first page must have the buffer's offset in it, or CREATE_MKEY says
 * syndrome 0x317175. So only those sizes are allowed that leave no offset:
 *
 *	buf 0x7f00_0020_0000   lowest set bit 2 MiB: pages of 4 KiB … 2 MiB
 *	buf 0x7f00_0020_5000   lowest set bit 4 KiB: pages of 4 KiB
 *	buf 0x7f00_0020_5040   below 4 KiB, the device's smallest page: pages of 4 KiB
 *
 * Kernels before 5.12 take no page sizes: they choose them, and sizes is 0.
 *
 * Queues with their ring in a umem begin at a multiple of a 64th of its page: with pages of 2
 * MiB of 32 KiB. Several queues in one umem want page_sizes 4096, which allows each multiple of
 * 64.
 *
 * Memory of a GPU is a dma-buf, a file descriptor: devx_umem_reg_ex(). Rings there are written
 * by the GPU only, and addr is NULL.
 *
 * RELAXED_ORDERING maps the pages for weakly ordered DMA (ib_core, umem.c). Whether the device
 * uses it, is in the key: mkc.relaxed_ordering_write and _read, which need the capabilities of
 * those names (mlx5_ib, mr.c); devx_mkey_create() sets both.
 */
#ifndef DEVX_UMEM_H
#define DEVX_UMEM_H

#include <stdbool.h>

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_umem {
	struct mlx5dv_devx_umem *handle;
	uint32_t id;	/* umem_id of inboxes */
	uint64_t sizes; /* bit n: pages of 2^n bytes were allowed; 0: the kernel chose */
	void *addr;
	size_t size;
};

struct devx_umem_attr {
	void *addr; /* where the process has the memory; NULL: nowhere, of a dma-buf */
	size_t size;
	uint32_t access;
	bool dmabuf;   /* dmabuf_fd is valid, and may be closed afterwards */
	int dmabuf_fd; /* the memory is this dma-buf, from dmabuf_offset on */
	uint64_t dmabuf_offset;
	uint64_t page_sizes;  /* bit n: 2^n bytes are allowed; 0: devx_umem_page_sizes() */
	uint64_t reserved[2]; /* 0 */
};

/* The page sizes, a bit each, that leave @addr at the start of a page, and 4 KiB. */
uint64_t devx_umem_page_sizes(const void *addr);

/*
 * @access: of IBV_ACCESS_LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, RELAXED_ORDERING; 0: the
 * device only reads. EINVAL: REMOTE_ATOMIC and others, which are rights of an mkey and not of a
 * umem; REMOTE_WRITE without LOCAL_WRITE; size 0. ENOMEM: RLIMIT_MEMLOCK. EFAULT: not mapped,
 * or not writable.
 */
int devx_umem_reg(struct devx_umem *umem, struct ibv_context *ctx, void *addr, size_t size,
		  uint32_t access);

/* devx_umem_reg() of memory that @attr describes. EBADF, EINVAL: the file descriptor is that of
 * no dma-buf, or size is beyond its end. EPROTONOSUPPORT: a kernel that has no page sizes or
 * dma-bufs here (5.12, 6.1), or rdma-core without them. */
int devx_umem_reg_ex(struct devx_umem *umem, struct ibv_context *ctx,
		     const struct devx_umem_attr *attr);

/* EINVAL: a queue or an mkey still uses it (status BAD_RES_STATE). */
int devx_umem_dereg(struct devx_umem *umem);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
