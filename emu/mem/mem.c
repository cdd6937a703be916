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
 * Indirect keys have no pages but entries, each some bytes of another key. A key lends its own
 * rights to them, and the other has to allow no more than local access (InfiniBand specification,
 * chapter 10, "Memory windows"; rdma-core, libmlx5: the KLM of a bind names the region's lkey):
 *
 *	access -> key, rights asked -> entry -> key, local rights -> … -> pages
 *
 * An access that crosses entries is cut into pieces, each in the pages of one key.
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
		core_check(key, "key 0x%x is used, and was deregistered at [%u:%u]", key,
			   d->slot, place);
}

/* assumed(window_is_no_lkey): the key of a memory window in a data segment, or in the KLM of
 * another window, is refused as if it lacked the local right. */
static bool is_local(const struct mem_ref *ref)
{
	return ref->rights & (DEV_LOCAL_READ | DEV_LOCAL_WRITE);
}

static enum mem_status check_key(struct dev *d, const struct mem_ref *ref,
				 struct dev_mkey **found)
{
	struct dev_mkey *m = dev_mkey_find(d, ref->key);

	if (!m) {
		bad_key(d, ref->key);
		return MEM_BAD_KEY;
	}
	if (m->pd != ref->pd)
		return MEM_BAD_PD;
	if (m->free)
		return MEM_FREE;
	if (m->qpn && m->qpn != ref->qpn)
		return MEM_BAD_QP;
	if (m->window && is_local(ref))
		return MEM_RIGHTS;
	if ((m->access & ref->rights) != ref->rights)
		return MEM_RIGHTS;
	if (!in_bounds(m, ref->addr, ref->len))
		return MEM_BOUNDS;
	*found = m;
	return MEM_OK;
}

/* The entry of @m that has byte @off of the list, and in *@off which byte of the entry that is.
 * NULL: none has. */
static const struct dev_klm *entry_at(const struct dev_mkey *m, uint64_t *off)
{
	const struct dev_klm *klm = m->list;
	uint64_t i;

	if (m->window)
		return *off < m->klm.len ? &m->klm : NULL;
	if (m->log_entity) {
		i = *off >> m->log_entity;
		*off &= (1ull << m->log_entity) - 1;
		return i < m->entries ? &klm[i] : NULL;
	}
	for (i = 0; i < m->entries && *off >= klm[i].len; i++)
		*off -= klm[i].len;
	return i < m->entries ? &klm[i] : NULL;
}

/* @ref asks something of @m: its first bytes, as far as they are of one entry, asked of the key
 * that the entry names. */
static enum mem_status through(const struct dev_mkey *m, struct mem_ref *ref)
{
	uint64_t off = ref->addr - m->start, room;
	const struct dev_klm *klm = entry_at(m, &off);
	uint8_t rights = ref->rights & (DEV_LOCAL_READ | DEV_LOCAL_WRITE);

	if (!klm)
		return MEM_BOUNDS;
	room = (m->log_entity ? 1ull << m->log_entity : klm->len) - off;
	if (ref->rights & (DEV_REMOTE_READ | DEV_REMOTE_ATOMIC))
		rights |= DEV_LOCAL_READ;
	if (ref->rights & (DEV_REMOTE_WRITE | DEV_REMOTE_ATOMIC))
		rights |= DEV_LOCAL_WRITE;
	ref->rights = rights;
	ref->key = klm->key;
	ref->addr = klm->addr + off;
	if (ref->len > room)
		ref->len = room;
	return MEM_OK;
}

/* Bytes in the pages of one key. */
struct piece {
	const struct dev_mkey *m;
	uint64_t addr, len;
};

/* The first piece of @ref. */
static enum mem_status first_piece(struct dev *d, const struct mem_ref *ref, struct piece *p)
{
	struct mem_ref at = *ref;

	for (int level = 0; level <= DEV_MAX_INDIRECTION; level++) {
		struct dev_mkey *m;
		enum mem_status status = check_key(d, &at, &m);

		if (status != MEM_OK)
			return status;
		if (!m->window && !m->list) {
			*p = (struct piece){ .m = m, .addr = at.addr, .len = at.len };
			return MEM_OK;
		}
		status = through(m, &at);
		if (status != MEM_OK)
			return status;
	}
	return MEM_DEPTH;
}

enum mem_status mem_check(struct dev *d, const struct mem_ref *ref)
{
	struct mem_ref left = *ref;

	while (left.len) {
		struct piece p;
		enum mem_status status = first_piece(d, &left, &p);

		if (status != MEM_OK)
			return status;
		left.addr += p.len;
		left.len -= p.len;
	}
	return MEM_OK;
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

/* Moves a piece, page by page: into @out, or from @in. */
static enum mem_status move_piece(const struct piece *p, char *out, const char *in)
{
	uint64_t addr = p->addr, left = p->len;

	while (left) {
		uint64_t run, va = translate(p->m, addr, &run);

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

/* Moves @ref's bytes, piece by piece: out of the region into @out, or from @in into it. */
static enum mem_status move(struct dev *d, const struct mem_ref *ref, char *out, const char *in)
{
	struct mem_ref left = *ref;

	while (left.len) {
		struct piece p;
		enum mem_status status = first_piece(d, &left, &p);

		if (status == MEM_OK)
			status = move_piece(&p, out, in);
		if (status != MEM_OK)
			return status;
		out = out ? out + p.len : NULL;
		in = in ? in + p.len : NULL;
		left.addr += p.len;
		left.len -= p.len;
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
		[MEM_FREE] = "mkey not bound to memory",
		[MEM_BAD_QP] = "mkey of another QP",
		[MEM_RIGHTS] = "access right missing",
		[MEM_BOUNDS] = "outside the mkey's range",
		[MEM_DEPTH] = "mkeys of mkeys nested too deeply",
		[MEM_FAULT] = "pages unmapped",
	};

	return text[s];
}
