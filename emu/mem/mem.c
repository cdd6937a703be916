/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation and access. An mkey maps [start, start + len) onto a list of equal pages, of
 * which the first begins at start rounded down to the page size. Keys of device memory start at
 * 0, page_offset bytes after the start of their first page.
 *
 * On-demand paging maps pages at their first access. Here the address of a page is that of the
 * application, and core_peek() and core_poke() fault it in like an access of the application:
 * the page fault that an adapter reports to its driver is one of the host.
 *
 * Indirect keys have entries in place of pages, each of them bytes of another key. The rights
 * asked for are checked at the indirect key; the other key has to allow local access only
 * (InfiniBand specification, chapter 10, "Memory windows"; rdma-core, libmlx5: the KLM of a
 * bind names the region's lkey):
 *
 *	access -> key, rights asked -> entry -> key, local rights -> … -> pages
 *
 *	KLM	entry 0 | entry 1 | …		KSM	entry 0, 1 … of equal length
 *	strided	entry 0 | 1 | 0 + stride | 1 + stride | 0 + 2 strides | …
 *
 * An access that crosses entries is cut into pieces, each in the pages of one key.
 *
 * A key for memory of another function has no translation here; the engine asks that function.
 */
#include <inttypes.h>
#include <string.h>

#include "mem/mem.h"
#include "mem/report.h"

static bool in_bounds(const struct hca_mkey *m, uint64_t addr, uint64_t len)
{
	if (m->length64)
		return true;
	return addr >= m->start && len <= m->len && addr - m->start <= m->len - len;
}

/* assumed(window_is_no_lkey): the key of a memory window in a data segment, or in the KLM of
 * another window, is refused as if it lacked the local right. */
static bool is_local(const struct mem_ref *ref)
{
	return ref->rights & (HCA_LOCAL_READ | HCA_LOCAL_WRITE);
}

static struct hca_mkey nothing = {
	.length64 = true,
	.access = HCA_LOCAL_READ | HCA_LOCAL_WRITE,
};

static bool is_of_nothing(uint32_t key)
{
	return key == HCA_KEY_DUMP_FILL || key == HCA_KEY_NULL;
}

static enum mem_status check_key(struct hca *hca, const struct mem_ref *ref,
				 struct hca_mkey **found)
{
	struct hca_mkey *m = hca_mkey_find(hca, ref->key);

	if (!m && is_of_nothing(ref->key))
		m = &nothing;
	if (!m)
		return MEM_BAD_KEY;
	if (m->pd != ref->pd && m != &nothing)
		return MEM_BAD_PD;
	if (m->target.kind == HCA_TARGET_ALIAS)
		return MEM_OTHER;
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
	/* A crossing mkey has rights and a range, an alias those of its object. */
	return m->target.kind ? MEM_OTHER : MEM_OK;
}

/* An address in another key, and how many bytes of the entry follow it. */
struct place {
	uint32_t key;
	uint64_t addr, left;
};

static bool at_entry(const struct hca_klm *klm, uint64_t off, struct place *p)
{
	*p = (struct place){ .key = klm->key, .addr = klm->addr + off, .left = klm->len - off };
	return true;
}

static bool at_ksm(const struct hca_mkey *m, uint64_t off, struct place *p)
{
	uint64_t i = off >> m->log_entity, in = off & ((1ull << m->log_entity) - 1);

	if (i >= m->entries)
		return false;
	*p = (struct place){ .key = m->list[i].key,
			     .addr = m->list[i].addr + in,
			     .left = (1ull << m->log_entity) - in };
	return true;
}

static bool at_klm(const struct hca_mkey *m, uint64_t off, struct place *p)
{
	uint64_t i;

	for (i = 0; i < m->entries && off >= m->list[i].len; i++)
		off -= m->list[i].len;
	return i < m->entries && at_entry(&m->list[i], off, p);
}

/* A strided key: all entries, then all of them again, each one stride further on (rdma-core,
 * mlx5dv_wr_post(3), mlx5dv_wr_set_mkey_layout_interleaved). */
static bool at_strided(const struct hca_mkey *m, uint64_t off, struct place *p)
{
	uint64_t nth = 0, bytes = 0;
	uint32_t i;

	for (i = 0; i < m->entries; i++)
		bytes += m->list[i].len;
	if (bytes)
		nth = off / bytes;
	if (!bytes || nth >= m->repeat)
		return false;
	off %= bytes;
	for (i = 0; off >= m->list[i].len; i++)
		off -= m->list[i].len;
	at_entry(&m->list[i], off, p);
	p->addr += nth * m->list[i].stride;
	return true;
}

/* Which byte of another key byte @off of @m is; false: no entry of the list covers it. */
static bool place_of(const struct hca_mkey *m, uint64_t off, struct place *p)
{
	if (m->log_entity)
		return at_ksm(m, off, p);
	return m->repeat ? at_strided(m, off, p) : at_klm(m, off, p);
}

/* Replaces @ref, an access to indirect key @m, by the access to the key of its first entry, cut
 * to that entry. */
static enum mem_status through(const struct hca_mkey *m, struct mem_ref *ref)
{
	uint8_t rights = ref->rights & (HCA_LOCAL_READ | HCA_LOCAL_WRITE);
	struct place p;

	if (!place_of(m, ref->addr - m->start, &p))
		return MEM_BOUNDS;
	if (ref->rights & (HCA_REMOTE_READ | HCA_REMOTE_ATOMIC))
		rights |= HCA_LOCAL_READ;
	if (ref->rights & (HCA_REMOTE_WRITE | HCA_REMOTE_ATOMIC))
		rights |= HCA_LOCAL_WRITE;
	ref->rights = rights;
	ref->key = p.key;
	ref->addr = p.addr;
	if (ref->len > p.left)
		ref->len = p.left;
	return MEM_OK;
}

/* Bytes in the pages of one key. */
struct piece {
	struct hca_mkey *m;
	uint64_t addr, len;
};

/* An access while it is followed: the access to the current key, and the last indirect key. */
struct way {
	struct mem_ref at;
	struct hca_mkey *outer; /* NULL: there was none */
};

static bool is_indirect(const struct hca_mkey *m)
{
	return m->list;
}

static enum mem_status follow(struct hca *hca, struct way *w, struct piece *p)
{
	for (int level = 0; level <= HCA_MAX_INDIRECTION; level++) {
		struct hca_mkey *m;
		enum mem_status status = check_key(hca, &w->at, &m);

		if (status != MEM_OK)
			return status;
		if (!is_indirect(m)) {
			*p = (struct piece){ .m = m, .addr = w->at.addr, .len = w->at.len };
			return MEM_OK;
		}
		status = through(m, &w->at);
		if (status != MEM_OK)
			return status;
		w->outer = m;
	}
	return MEM_DEPTH;
}

static enum mem_status follow_and_report(struct hca *hca, const struct mem_ref *ref,
					 struct piece *p)
{
	struct way w = { .at = *ref };
	enum mem_status status = follow(hca, &w, p);

	if (status != MEM_OK)
		mem_report(hca, &w.at, w.outer, status, 0);
	return status;
}

/* The first piece of @ref. Most keys have pages, and are not refused. */
static inline enum mem_status first_piece(struct hca *hca, const struct mem_ref *ref,
					  struct piece *p)
{
	struct hca_mkey *m;

	if (check_key(hca, ref, &m) != MEM_OK || is_indirect(m))
		return follow_and_report(hca, ref, p);
	*p = (struct piece){ .m = m, .addr = ref->addr, .len = ref->len };
	return MEM_OK;
}

const struct hca_target *mem_target(struct hca *hca, const struct mem_ref *ref)
{
	const struct hca_mkey *m = hca_mkey_find(hca, ref->key);
	struct hca_mkey *found;

	if (!m || !m->target.kind)
		return NULL;
	return check_key(hca, ref, &found) == MEM_OTHER ? &m->target : NULL;
}

enum mem_status mem_check(struct hca *hca, const struct mem_ref *ref)
{
	struct mem_ref left;
	struct piece p = { 0 };
	enum mem_status status;

	if (!ref->len)
		return MEM_OK;
	status = first_piece(hca, ref, &p);
	if (status != MEM_OK || p.len == ref->len)
		return status;
	for (left = *ref; left.len > p.len && status == MEM_OK;) {
		left.addr += p.len;
		left.len -= p.len;
		status = first_piece(hca, &left, &p);
	}
	return status;
}

/* The bus address of region address @addr, and in *@run how many bytes follow it on the
 * same page. 0: after the page list. */
static uint64_t translate(const struct hca_mkey *m, uint64_t addr, uint64_t *run)
{
	const struct hca_ring *p = &m->pages;
	uint64_t page = 1ull << p->log_page;
	uint64_t off = addr - (m->start & ~(page - 1)) + p->page_offset;
	uint64_t in_page = off & (page - 1);

	if (off >> p->log_page >= p->npas || p->pas[off >> p->log_page] == HCA_NO_PAGE)
		return 0;
	*run = page - in_page;
	return p->pas[off >> p->log_page] + in_page;
}

/* Reports, once for a key, pages that were unmapped after registration: only the device has
 * them. */
static void report_kept(struct hca_mkey *m, uint64_t at)
{
	uint32_t key = m->index << 8 | m->variant;

	if (m->stale || m->pages.followed)
		return;
	m->stale = true;
	core_check(
		CORE_KEY_UNMAPPED, "key", key,
		"the memory at 0x%" PRIx64
		" was unmapped or replaced after its registration, and the program does not see what the device does there",
		at);
}

static bool copy(const struct hca_mkey *m, uint64_t at, uint64_t len, char *out, const char *in)
{
	if (hca_mkey_is_of_device(m))
		return out ? core_peek(out, at, len) : core_poke(at, in, len);
	if (m->pages.followed)
		return out ? core_bus_read_now(out, at, len) : core_bus_write_now(at, in, len);
	return out ? core_fetch(out, at, len) : core_store(at, in, len);
}

/* Copies a piece, page by page, to @out or from @in; *@at: the address that failed. */
static enum mem_status move_piece(const struct piece *p, char *out, const char *in,
				  uint64_t *at)
{
	uint64_t addr = p->addr, left = p->len, kept;

	if (p->m == &nothing) {
		if (out)
			memset(out, 0, left);
		return MEM_OK;
	}
	while (left) {
		uint64_t run, bus = translate(p->m, addr, &run);

		*at = p->m->pages.followed ? bus : core_bus_origin(bus);
		if (!bus)
			return MEM_FAULT;
		if (run > left)
			run = left;
		if (core_bus_is_kept(bus, run, &kept))
			report_kept(p->m, kept);
		/* assumed(failed_page_fault_is_a_protection_error): if on-demand memory cannot
		 * be accessed, the CQE is that of a wrong key: local protection error on this
		 * side, remote access error from the other; vendor syndrome 0x93 is not seen
		 * here. */
		if (!copy(p->m, bus, run, out, in))
			return MEM_FAULT;
		out = out ? out + run : NULL;
		in = in ? in + run : NULL;
		addr += run;
		left -= run;
	}
	return MEM_OK;
}

/* Copies the first piece of @ref: from the region to @out, or from @in into it. *@n: its
 * bytes. */
static inline enum mem_status move_first(struct hca *hca, const struct mem_ref *ref, char *out,
					 const char *in, uint64_t *n)
{
	struct piece p;
	uint64_t at;
	enum mem_status status = first_piece(hca, ref, &p);

	if (status != MEM_OK)
		return status;
	*n = p.len;
	if (move_piece(&p, out, in, &at) == MEM_OK)
		return MEM_OK;
	mem_report(hca, ref, NULL, MEM_FAULT, at);
	return MEM_FAULT;
}

/* The rest of @ref, of which @n bytes were copied. */
static enum mem_status move_rest(struct hca *hca, const struct mem_ref *ref, char *out,
				 const char *in, uint64_t n)
{
	struct mem_ref left = *ref;

	for (;;) {
		enum mem_status status;

		out = out ? out + n : NULL;
		in = in ? in + n : NULL;
		left.addr += n;
		left.len -= n;
		if (!left.len)
			return MEM_OK;
		status = move_first(hca, &left, out, in, &n);
		if (status != MEM_OK)
			return status;
	}
}

/* Copies the bytes of @ref if they are in one page of a key with pages. False: they are not, or
 * the access is refused. */
static inline bool move_simple(struct hca *hca, const struct mem_ref *ref, char *out,
			       const char *in)
{
	uint64_t run, bus, kept;
	struct hca_mkey *m;

	if (check_key(hca, ref, &m) != MEM_OK || is_indirect(m) || m->memic ||
	    m->pages.followed || m == &nothing)
		return false;
	bus = translate(m, ref->addr, &run);
	if (!bus || run < ref->len || core_bus_is_kept(bus, ref->len, &kept))
		return false;
	return out ? core_fetch(out, bus, ref->len) : core_store(bus, in, ref->len);
}

/* Copies the bytes of @ref, piece by piece; most are one. */
static enum mem_status move(struct hca *hca, const struct mem_ref *ref, char *out,
			    const char *in)
{
	enum mem_status status;
	uint64_t n;

	if (!ref->len || move_simple(hca, ref, out, in))
		return MEM_OK;
	status = move_first(hca, ref, out, in, &n);
	if (status != MEM_OK || n == ref->len)
		return status;
	return move_rest(hca, ref, out, in, n);
}

enum mem_status mem_read(struct hca *hca, const struct mem_ref *ref, void *dst)
{
	return move(hca, ref, dst, NULL);
}

enum mem_status mem_write(struct hca *hca, const struct mem_ref *ref, const void *src)
{
	return move(hca, ref, NULL, src);
}

enum mem_status mem_check_and_write(struct hca *hca, const struct mem_ref *ref, const void *src)
{
	enum mem_status status;

	if (!ref->len || move_simple(hca, ref, NULL, src))
		return MEM_OK;
	status = mem_check(hca, ref);
	return status == MEM_OK ? mem_write(hca, ref, src) : status;
}
