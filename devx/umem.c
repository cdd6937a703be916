/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registration of memory. The page sizes that the kernel may choose are those at which the
 * address has no offset, so that byte 0 of the umem is byte 0 of a page.
 */
#include <devx/umem.h>

#include "refuse.h"

/* mlx5_ib, devx.c, devx_umem_get: any other flag is EINVAL. */
#define UMEM_ACCESS                                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_RELAXED_ORDERING)
#define ADAPTER_PAGE ((uint64_t)4096) /* PRM, log_page_size counts from here */

uint64_t devx_umem_page_sizes(const void *addr)
{
	uint64_t va = (uintptr_t)addr;
	uint64_t lowest = va & -va;

	if (!va)
		return -ADAPTER_PAGE;
	if (lowest < ADAPTER_PAGE)
		return ADAPTER_PAGE;
	/* Every bit from the adapter's page to the lowest of the address. */
	return (lowest - ADAPTER_PAGE) | lowest;
}

static int check(size_t size, uint32_t access)
{
	if (!size)
		return devx_refuse(CALL_devx_umem_reg, 0, EINVAL, "size is 0");
	if (access & IBV_ACCESS_REMOTE_ATOMIC)
		return devx_refuse(CALL_devx_umem_reg, 0, EINVAL,
				   "REMOTE_ATOMIC is a right of the mkey, not of the umem");
	if (access & ~(uint32_t)UMEM_ACCESS)
		return devx_refuse(CALL_devx_umem_reg, 0, EINVAL,
				   "an access flag that umems do not have");
	/* InfiniBand specification, ch. 10; ib_core, ib_check_mr_access. */
	if (access & IBV_ACCESS_REMOTE_WRITE && !(access & IBV_ACCESS_LOCAL_WRITE))
		return devx_refuse(CALL_devx_umem_reg, 0, EINVAL,
				   "REMOTE_WRITE without LOCAL_WRITE");
	return 0;
}

int devx_umem_reg_ex(struct devx_umem *umem, struct ibv_context *ctx,
		     const struct devx_umem_attr *attr)
{
	struct mlx5dv_devx_umem_in in = { .addr = attr->addr,
					  .size = attr->size,
					  .access = attr->access,
					  .pgsz_bitmap = attr->page_sizes };
	int err = check(attr->size, attr->access);

	if (err)
		return err;
	if (attr->dmabuf) {
		in.comp_mask = MLX5DV_UMEM_MASK_DMABUF;
		in.dmabuf_fd = attr->dmabuf_fd;
		in.addr = (void *)(uintptr_t)attr->dmabuf_offset;
	}
	if (!in.pgsz_bitmap)
		in.pgsz_bitmap = devx_umem_page_sizes(in.addr);
	*umem = (struct devx_umem){ .addr = attr->addr,
				    .size = attr->size,
				    .sizes = in.pgsz_bitmap };
	errno = 0;
	umem->handle = mlx5dv_devx_umem_reg_ex(ctx, &in);
	if (!umem->handle && errno == EPROTONOSUPPORT && !attr->dmabuf && !attr->page_sizes) {
		umem->sizes = 0;
		umem->handle = mlx5dv_devx_umem_reg(ctx, attr->addr, attr->size, attr->access);
	}
	if (!umem->handle)
		return devx_refused(CALL_devx_umem_reg, 0, errno);
	umem->id = umem->handle->umem_id;
	return 0;
}

int devx_umem_reg(struct devx_umem *umem, struct ibv_context *ctx, void *addr, size_t size,
		  uint32_t access)
{
	return devx_umem_reg_ex(
		umem, ctx,
		&(struct devx_umem_attr){ .addr = addr, .size = size, .access = access });
}

int devx_umem_dereg(struct devx_umem *umem)
{
	int err = umem->handle ? mlx5dv_devx_umem_dereg(umem->handle) : 0;

	if (err)
		return devx_refused(CALL_devx_umem_dereg, 0, err);
	umem->handle = NULL;
	return 0;
}
