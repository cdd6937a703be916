/* SPDX-License-Identifier: BSD-2-Clause */
/* UAR pages of a context that has no objects for them, their registers, and how mmap(2) names
 * them: bfreg.h. */
#include <stdlib.h>

#include "uverbs/bfreg.h"

/* <linux/mlx5/driver.h>; pages of the system have 4 KiB. */
#define PER_UAR	    2u	  /* MLX5_NON_FP_BFREGS_PER_UAR */
#define IN_UAR	    4u	  /* MLX5_BFREGS_PER_UAR: two are for the kernel's fast path */
#define MAX_STATIC  512u  /* MLX5_MAX_BFREGS */
#define MAX_DYNAMIC 1024u /* MLX5_MAX_DYN_BFREGS */
#define PAGES	    ((MAX_STATIC + MAX_DYNAMIC) / PER_UAR)
#define NO_PAGE	    UINT32_MAX

struct uverbs_bfregs {
	bool chooses;
	uint32_t low_latency, n; /* static registers */
	uint32_t uses[MAX_STATIC];
	uint32_t page[PAGES]; /* n / PER_UAR static ones, and the dynamic ones */
};

static uint32_t static_pages(const struct uverbs_bfregs *b)
{
	return b->n / PER_UAR;
}

static void free_page(struct uverbs_file *f, uint32_t i)
{
	if (f->bfregs->page[i] != NO_PAGE)
		uverbs_fw_number(f->u, PRM_OP_DEALLOC_UAR, f->uid, f->bfregs->page[i]);
	f->bfregs->page[i] = NO_PAGE;
}

int uverbs_bfregs_new(struct uverbs_file *f, const struct mlx5_ib_alloc_ucontext_req_v2 *req,
		      bool chooses)
{
	struct uverbs_bfregs *b;
	int ret = 0;

	if (!req->total_num_bfregs)
		return -EINVAL;
	if (req->total_num_bfregs > MAX_STATIC)
		return -ENOMEM;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->chooses = chooses;
	b->low_latency = req->num_low_latency_bfregs;
	b->n = req->total_num_bfregs;
	memset(b->page, 0xff, sizeof(b->page));
	f->bfregs = b;
	for (uint32_t i = 0; !ret && i < static_pages(b); i++)
		ret = uverbs_fw_alloc(f->u, PRM_OP_ALLOC_UAR, f->uid, &b->page[i]);
	if (ret)
		uverbs_bfregs_end(f);
	return ret;
}

void uverbs_bfregs_end(struct uverbs_file *f)
{
	struct uverbs_bfregs *b = f->bfregs;

	for (uint32_t i = 0; b && i < PAGES; i++)
		free_page(f, i);
	free(b);
	f->bfregs = NULL;
}

void uverbs_bfregs_answer(const struct uverbs_file *f, struct mlx5_ib_alloc_ucontext_resp *r)
{
	r->tot_bfregs = f->bfregs ? f->bfregs->n : 0;
	r->num_dyn_bfregs = f->bfregs ? MAX_DYNAMIC : 0;
}

int uverbs_bfreg_page(const struct uverbs_file *f, uint32_t bfreg, bool dynamic, uint32_t *page)
{
	const struct uverbs_bfregs *b = f->bfregs;
	uint32_t i;

	if (!b || bfreg >= (dynamic ? MAX_DYNAMIC : b->n))
		return -EINVAL;
	i = bfreg / PER_UAR + (dynamic ? static_pages(b) : 0);
	if (b->page[i] == NO_PAGE)
		return -EINVAL;
	*page = b->page[i];
	return 0;
}

/* The least used of [@from, @end), the first of them; @end: there is none. */
static uint32_t least(const struct uverbs_bfregs *b, uint32_t from, uint32_t end)
{
	uint32_t at = end;

	for (uint32_t i = from; i < end; i++)
		if (at == end || b->uses[i] < b->uses[at])
			at = i;
	return at;
}

static uint32_t take(struct uverbs_bfregs *b)
{
	uint32_t first_low, at = 0;

	if (b->chooses) {
		first_low = b->n - b->low_latency;
		at = least(b, first_low, b->n);
		if (at == b->n || b->uses[at])
			at = first_low > 1 ? least(b, 1, first_low) : 0;
	}
	b->uses[at]++;
	return at;
}

/* mlx5_ib, qp.c, _create_user_qp. An XRC target, a DCT and a QP that spreads ring none. */
int uverbs_bfreg_choose(struct uverbs_file *f, struct uverbs_qp_attr *a)
{
	struct mlx5_ib_create_qp *m = &a->mlx5;

	a->bfreg = UVERBS_NO_BFREG;
	if (a->type == IB_UVERBS_QPT_XRC_TGT || a->type == UVERBS_QPT_DCT || a->table)
		return 0;
	switch (m->flags & UVERBS_BFREG_FLAGS) {
	case MLX5_QP_FLAG_UAR_PAGE_INDEX:
		return 0;
	case MLX5_QP_FLAG_BFREG_INDEX:
		return uverbs_bfreg_page(f, m->bfreg_index, true, &m->bfreg_index);
	case 0:
		if (!f->bfregs)
			return -EINVAL;
		a->bfreg = take(f->bfregs) + 1;
		return uverbs_bfreg_page(f, a->bfreg - 1, false, &m->bfreg_index);
	default:
		return -EINVAL;
	}
}

void uverbs_bfreg_put(struct uverbs_file *f, uint32_t bfreg)
{
	if (bfreg != UVERBS_NO_BFREG)
		f->bfregs->uses[bfreg - 1]--;
}

uint32_t uverbs_bfreg_index(uint32_t bfreg)
{
	if (bfreg == UVERBS_NO_BFREG)
		return UINT32_MAX; /* MLX5_IB_INVALID_BFREG */
	return (bfreg - 1) / PER_UAR * IN_UAR + (bfreg - 1) % PER_UAR;
}

/* ---- mmap(2) ---- */

/* The kernel's commands are bits 8 to 15 of the page offset; the index is in the bits below,
 * and bits 16 and up. */
static uint32_t command(uint64_t pgoff)
{
	return pgoff >> 8 & 0xff;
}

static uint32_t index_of(uint64_t pgoff)
{
	uint32_t i = pgoff & 0xff;

	return command(pgoff) == MLX5_IB_MMAP_ALLOC_WC ? i | (uint32_t)(pgoff >> 16) << 8 : i;
}

static int make_page(struct uverbs_file *f, uint32_t i)
{
	struct uverbs_bfregs *b = f->bfregs;

	if (i >= MAX_DYNAMIC / PER_UAR || b->page[static_pages(b) + i] != NO_PAGE)
		return -EINVAL;
	return uverbs_fw_alloc(f->u, PRM_OP_ALLOC_UAR, f->uid, &b->page[static_pages(b) + i]);
}

static int map_page(struct uverbs_file *f, size_t len, uint64_t pgoff, uint32_t *page)
{
	bool dynamic = command(pgoff) == MLX5_IB_MMAP_ALLOC_WC;
	int ret = 0;

	if (!f->bfregs || !len || len > HCA_PAGE_SIZE)
		return -EINVAL;
	if (dynamic)
		ret = make_page(f, index_of(pgoff));
	return ret ? ret : uverbs_bfreg_page(f, index_of(pgoff) * PER_UAR, dynamic, page);
}

int uverbs_mmap(struct uverbs_file *f, size_t len, uint64_t *offset)
{
	uint64_t pgoff = *offset >> HCA_PAGE_SHIFT;
	uint32_t page;
	int ret;

	/* Pages that are objects (HCA_UAR_PGOFF), and other mappings, need no page here. */
	if (pgoff >= HCA_UAR_PGOFF ||
	    (command(pgoff) != MLX5_IB_MMAP_REGULAR_PAGE &&
	     command(pgoff) != MLX5_IB_MMAP_WC_PAGE && command(pgoff) != MLX5_IB_MMAP_NC_PAGE &&
	     command(pgoff) != MLX5_IB_MMAP_ALLOC_WC))
		return 0;
	hca_lock(f->u->hca);
	ret = f->u->hca->failed ? -EIO : map_page(f, len, pgoff, &page);
	hca_unlock(f->u->hca);
	if (!ret)
		*offset = (uint64_t)(HCA_UAR_PGOFF + page) << HCA_PAGE_SHIFT;
	return ret;
}

void uverbs_mmap_failed(struct uverbs_file *f, uint64_t offset)
{
	uint64_t pgoff = offset >> HCA_PAGE_SHIFT;

	if (command(pgoff) != MLX5_IB_MMAP_ALLOC_WC)
		return;
	hca_lock(f->u->hca);
	free_page(f, static_pages(f->bfregs) + index_of(pgoff));
	hca_unlock(f->u->hca);
}
