/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that DevX objects lie in (mlx5_ib, devx.c, MLX5_IB_METHOD_DEVX_UMEM_REG).
 *
 *	address, length, access -> pin -> page size -> CREATE_UMEM -> umem id
 *	or a dma-buf, and the address is the offset in it
 *
 *	|page_offset|.....................|
 *	mtt[0]       mtt[1]      mtt[2]		1 << log_page_size each
 *
 * The page size is the largest of the application's bitmap that the memory fits: above 4 KiB
 * only if it begins and ends with a page. That is what makes offsets into it a trap: without a
 * bitmap the application does not know what the offset is relative to.
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/devx.h"
#include "uverbs/memlock.h"
#include "uverbs/mr.h"
#include "uverbs/umem.h"

#define ACCESS                                                                       \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_RELAXED_ORDERING)
#define SHIFT_MAX (HCA_PAGE_SHIFT + 31) /* umem.log_page_size has 5 bits */
#define MTT_READ  1
#define MTT_WRITE 2
#define ALL_SIZES (~(uint64_t)(HCA_PAGE_SIZE - 1))
#define PAGES_MAX (1u << 24) /* of 128 MiB of page list, which only a typing error needs */

struct range {
	__u64 va; /* its bus address, once pinned */
	uint64_t len, sizes;
	uint32_t access;
};

static int read_range(const struct uverbs_call *c, struct range *r)
{
	int ret = uverbs_flags(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, ACCESS, &r->access);

	if (ret)
		return ret;
	r->va = uverbs_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR);
	r->len = uverbs_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN);
	r->sizes = uverbs_has(c, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP)
			   ? uverbs_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP)
			   : ALL_SIZES;
	/* ib_check_mr_access */
	if (r->access & IBV_ACCESS_REMOTE_WRITE && !(r->access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

static uint8_t log_ceil(uint64_t v)
{
	uint8_t log = 0;

	while (log < 63 && 1ull << log < v)
		log++;
	return log;
}

/* ib_umem_find_best_pgoff, where all memory is one block of bus addresses: the emulated bus
 * address is the virtual one. */
static uint8_t largest(uint64_t sizes, uint8_t top)
{
	for (uint8_t shift = top; shift >= HCA_PAGE_SHIFT; shift--)
		if (sizes >> shift & 1)
			return shift;
	return 0;
}

/* devx_umem_find_best_pgsize; 0: none fits. */
static uint8_t page_shift(const struct range *r)
{
	uint8_t top = log_ceil(r->len), shift;

	if (top < HCA_PAGE_SHIFT)
		top = HCA_PAGE_SHIFT;
	shift = largest(r->sizes, top < SHIFT_MAX ? top : SHIFT_MAX);
	while (shift > HCA_PAGE_SHIFT && ((r->va | r->len) & ((1ull << shift) - 1)))
		shift--;
	return shift;
}

static void cut(struct uverbs_umem *m, const struct range *r, uint8_t shift)
{
	*m = (struct uverbs_umem){ .va = r->va, .len = r->len, .page_shift = shift };
	m->npas = ((r->va + r->len - !!r->len) >> shift) - (r->va >> shift) + 1;
}

static int fw_create(struct uverbs_file *f, const struct range *r, uint32_t *umem_id)
{
	uint8_t out[PRM_SZ(create_umem_out)] = { 0 }, *in, *umem;
	struct uverbs_umem m;
	size_t in_len;
	int ret;

	cut(&m, r, page_shift(r));
	if (!m.page_shift)
		return -EINVAL;
	if (m.npas > PAGES_MAX)
		return -ENOMEM;
	in_len = PRM_SZ(create_umem_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	umem = PRM_ADDR(create_umem_in, in, umem);
	PRM_SET(create_umem_in, in, opcode, PRM_OP_CREATE_UMEM);
	PRM_SET(create_umem_in, in, uid, f->uid);
	PRM_SET(umem, umem, num_of_mtt, m.npas);
	PRM_SET(umem, umem, log_page_size, m.page_shift - HCA_PAGE_SHIFT);
	PRM_SET(umem, umem, page_offset, m.va & ((1ull << m.page_shift) - 1));
	uverbs_umem_fill(&m, PRM_ADDR(umem, umem, mtt),
			 MTT_READ | (uverbs_access_writable(r->access) ? MTT_WRITE : 0));
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	*umem_id = PRM_GET(create_umem_out, out, umem_id);
	return ret;
}

/* Pinning may take long: the device lock is free meanwhile. */
static int pin(struct uverbs_call *c, struct range *r)
{
	int ret;

	if (uverbs_has(c, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD))
		return uverbs_dmabuf_get(
			c, (int)uverbs_number(c, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD), r->va,
			r->len, uverbs_access_writable(r->access), &r->va);
	ret = uverbs_memlock(c, r->va, r->len);
	if (ret)
		return ret;
	hca_unlock(c->u->hca);
	ret = uverbs_pin_region(c->u, r->va, r->len, uverbs_access_writable(r->access));
	hca_lock(c->u->hca);
	return ret ? ret : uverbs_hold(c, &r->va, r->len);
}

int uverbs_devx_umem_reg(struct uverbs_call *c)
{
	struct uverbs_devx_umem *m = c->made;
	struct range r = { 0 };
	int ret;

	if (!c->file->uid)
		return -EINVAL;
	ret = read_range(c, &r);
	if (!ret)
		ret = pin(c, &r);
	if (!ret)
		ret = fw_create(c->file, &r, &m->umem_id);
	if (!ret)
		uverbs_answer(c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, m->umem_id);
	return ret;
}

/* EINVAL: an object still uses it. */
int uverbs_devx_umem_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_devx_umem *m = obj;

	return uverbs_fw_number(u, PRM_OP_DESTROY_UMEM, m->obj.file->uid, m->umem_id);
}
