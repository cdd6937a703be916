/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation and access. An mkey maps [start, start + len) onto a list of equal pages, of
 * which the first begins at start rounded down to the page size. Keys of device memory start at
 * 0, page_offset bytes behind the begin of their first page.
 *
 * On demand means that pages come when they are touched. Here the address of a page is the
 * application's own, and core_peek() and core_poke() bring it in as the application's access
 * would: the page fault that the adapter reports to its driver is the host's.
 *
 * A memory window has no pages. It lends its own rights to bytes of a region, of which the region
 * itself has to allow no more than local access (InfiniBand specification, chapter 10, "Memory
 * windows"; rdma-core, libmlx5: the KLM of a bind names the region's lkey).
 */
#include <string.h>

#include "mem/mem.h"

static bool in_bounds(const struct dev_mkey *m, uint64_t addr, uint64_t len)
{
	if (m->length64)
		return true;
	return addr >= m->start && len <= m->len && addr - m->start <= m->len - len;
}

/* A key that was good once is a mistake of its own: it is used after its region is gone. */
static void bad_key(struct dev *d, uint32_t key)
{
	uint32_t place = core_ids_place(&d->mkeys, key >> 8);

	if (place)
		core_check(key, "key 0x%x is used, and was deregistered at [%u:%u]", key, d->slot,
			   place);
}

/* assumed(window_is_no_lkey): the key of a memory window in a data segment, or in the KLM of
 * another window, is refused as if it lacked the local right. */
static enum mem_status window_rights(const struct dev_mkey *m, const struct mem_ref *ref)
{
	if (m->free)
		return MEM_FREE;
	if (m->qpn && m->qpn != ref->qpn)
		return MEM_BAD_QP;
	return ref->rights & (DEV_LOCAL_READ | DEV_LOCAL_WRITE) ? MEM_RIGHTS : MEM_OK;
}

/* What @ref asks of window @m, asked of the region behind it; its length does not fit: MEM_BOUNDS. */
static enum mem_status through_window(const struct dev_mkey *m, const struct mem_ref *ref,
				      struct mem_ref *region)
{
	uint64_t off = ref->addr - m->start;
	uint8_t rights = 0;

	if (ref->len > m->klm.len || off > m->klm.len - ref->len)
		return MEM_BOUNDS;
	if (ref->rights & (DEV_REMOTE_READ | DEV_REMOTE_ATOMIC))
		rights |= DEV_LOCAL_READ;
	if (ref->rights & (DEV_REMOTE_WRITE | DEV_REMOTE_ATOMIC))
		rights |= DEV_LOCAL_WRITE;
	*region = (struct mem_ref){ .pd = ref->pd,
				    .key = m->klm.key,
				    .addr = m->klm.addr + off,
				    .len = ref->len,
				    .qpn = ref->qpn,
				    .rights = rights };
	return MEM_OK;
}

static enum mem_status check_key(struct dev *d, const struct mem_ref *ref,
				 struct dev_mkey **found)
{
	enum mem_status status;
	struct dev_mkey *m = dev_mkey_find(d, ref->key);

	if (!m) {
		bad_key(d, ref->key);
		return MEM_BAD_KEY;
	}
	if (m->pd != ref->pd)
		return MEM_BAD_PD;
	status = m->window ? window_rights(m, ref) : MEM_OK;
	if (status != MEM_OK)
		return status;
	if ((m->access & ref->rights) != ref->rights)
		return MEM_RIGHTS;
	if (!in_bounds(m, ref->addr, ref->len))
		return MEM_BOUNDS;
	*found = m;
	return MEM_OK;
}

/* The region that has the bytes of @ref, and in *@addr where in it. */
static enum mem_status look_up(struct dev *d, const struct mem_ref *ref, struct dev_mkey **found,
			       uint64_t *addr)
{
	enum mem_status status = check_key(d, ref, found);
	struct mem_ref region;

	*addr = ref->addr;
	if (status != MEM_OK || !(*found)->window)
		return status;
	status = through_window(*found, ref, &region);
	if (status != MEM_OK)
		return status;
	*addr = region.addr;
	return check_key(d, &region, found);
}

enum mem_status mem_check(struct dev *d, const struct mem_ref *ref)
{
	struct dev_mkey *m;
	uint64_t addr;

	return ref->len ? look_up(d, ref, &m, &addr) : MEM_OK;
}

/* The process address of region address @addr, and in *@run how many bytes follow it on the
 * same page. 0: behind the page list. */
static uint64_t translate(const struct dev_mkey *m, uint64_t addr, uint64_t *run)
{
	const struct dev_ring *p = &m->pages;
	uint64_t page = 1ull << p->log_page;
	uint64_t off = addr - (m->start & ~(page - 1)) + p->page_offset;
	uint64_t in_page = off & (page - 1);

	if (off >> p->log_page >= p->npas)
		return 0;
	*run = page - in_page;
	return p->pas[off >> p->log_page] + in_page;
}

/* Moves @ref's bytes, page by page: out of the region into @out, or from @in into it. */
static enum mem_status move(struct dev *d, const struct mem_ref *ref, char *out, const char *in)
{
	uint64_t addr, left = ref->len;
	enum mem_status status;
	struct dev_mkey *m;

	if (!left)
		return MEM_OK;
	status = look_up(d, ref, &m, &addr);
	if (status != MEM_OK)
		return status;
	while (left) {
		uint64_t run, va = translate(m, addr, &run);

		if (!va)
			return MEM_FAULT;
		if (run > left)
			run = left;
		/* assumed(failed_page_fault_is_a_protection_error): where on-demand memory cannot
		 * be had, the CQE is that of a wrong key: local protection error on this side,
		 * remote access error from the other; vendor syndrome 0x93 is not seen here. */
		if (out ? !core_peek(out, va, run) : !core_poke(va, in, run))
			return MEM_FAULT;
		out = out ? out + run : NULL;
		in = in ? in + run : NULL;
		addr += run;
		left -= run;
	}
	return MEM_OK;
}

enum mem_status mem_read(struct dev *d, const struct mem_ref *ref, void *dst)
{
	return move(d, ref, dst, NULL);
}

enum mem_status mem_write(struct dev *d, const struct mem_ref *ref, const void *src)
{
	return move(d, ref, NULL, src);
}

const char *mem_status_str(enum mem_status s)
{
	static const char *const text[] = {
		[MEM_OK] = "ok",
		[MEM_BAD_KEY] = "no such mkey",
		[MEM_BAD_PD] = "mkey of another PD",
		[MEM_FREE] = "memory window not bound",
		[MEM_BAD_QP] = "memory window of another QP",
		[MEM_RIGHTS] = "access right missing",
		[MEM_BOUNDS] = "outside the mkey's range",
		[MEM_FAULT] = "pages unmapped",
	};

	return text[s];
}
