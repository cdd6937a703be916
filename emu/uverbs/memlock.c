/* SPDX-License-Identifier: BSD-2-Clause */
/* RLIMIT_MEMLOCK: counts the pages that regions, umems and doorbell records pin. */
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "uverbs/memlock.h"
#include "uverbs/umem.h"

struct uverbs_record_page {
	struct core_list on_file; /* uverbs_file.record_pages */
	struct uverbs *u;
	uint64_t page;
	uint32_t users;
};

/* ib_umem_get: can_do_mlock, then the limit. */
static int count(struct uverbs *u, uint64_t pages)
{
	struct rlimit limit;

	if (!u->memlock || uverbs_capable(CAP_IPC_LOCK) || getrlimit(RLIMIT_MEMLOCK, &limit))
		limit.rlim_cur = RLIM_INFINITY;
	if (!limit.rlim_cur)
		return -EPERM;
	if (atomic_fetch_add(u->pinned, pages) + pages <= limit.rlim_cur >> HCA_PAGE_SHIFT ||
	    limit.rlim_cur == RLIM_INFINITY)
		return 0;
	atomic_fetch_sub(u->pinned, pages);
	return -ENOMEM;
}

int uverbs_memlock(struct uverbs_call *c, uint64_t va, uint64_t len)
{
	uint64_t pages;
	int ret = uverbs_umem_pages(va, len, &pages);

	if (!ret)
		ret = count(c->u, pages);
	if (!ret)
		c->pinned.pages += pages;
	return ret;
}

static struct uverbs_record_page *find(struct uverbs_file *f, uint64_t page)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->record_pages) {
		struct uverbs_record_page *p =
			core_container(pos, struct uverbs_record_page, on_file);

		if (p->page == page)
			return p;
	}
	return NULL;
}

static int count_record(struct uverbs_call *c, uint64_t va)
{
	uint64_t page = va >> HCA_PAGE_SHIFT;
	struct uverbs_record_page *p = find(c->file, page);
	int ret;

	if (!p) {
		p = calloc(1, sizeof(*p));
		ret = p ? count(c->u, 1) : -ENOMEM;
		if (ret) {
			free(p);
			return ret;
		}
		p->u = c->u;
		p->page = page;
		core_list_add(&c->file->record_pages, &p->on_file);
	}
	p->users++;
	c->pinned.record = p;
	return 0;
}

static int hold(__u64 *va, uint64_t len, struct uverbs_range *r)
{
	uint64_t bus = core_bus_pin(*va, len);

	if (!bus)
		return -ENOMEM;
	*r = (struct uverbs_range){ .bus = bus, .len = len };
	*va = bus;
	return 0;
}

static void unhold(struct uverbs_range *r)
{
	if (r->bus)
		core_bus_unpin(r->bus, r->len);
	*r = (struct uverbs_range){ 0 };
}

int uverbs_hold(struct uverbs_call *c, __u64 *va, uint64_t len)
{
	return hold(va, len, &c->pinned.buffer[c->pinned.buffer[0].bus != 0]);
}

int uverbs_umem_get(struct uverbs_call *c, __u64 *va, uint64_t len)
{
	int ret = uverbs_memlock(c, *va, len);

	if (!ret)
		ret = uverbs_pin(*va, len, true);
	return ret ? ret : uverbs_hold(c, va, len);
}

int uverbs_record_get(struct uverbs_call *c, __u64 *va, uint64_t len)
{
	int ret = count_record(c, *va);

	if (!ret)
		ret = uverbs_pin(*va, len, true);
	return ret ? ret : hold(va, len, &c->pinned.record_range);
}

static void leave(struct uverbs_record_page *p)
{
	if (!p || --p->users)
		return;
	atomic_fetch_sub(p->u->pinned, 1);
	core_list_del(&p->on_file);
	free(p);
}

void uverbs_unpin(struct uverbs *u, struct uverbs_pinned *pinned)
{
	atomic_fetch_sub(u->pinned, pinned->pages);
	leave(pinned->record);
	for (unsigned int i = 0; i < UVERBS_BUFFERS; i++)
		unhold(&pinned->buffer[i]);
	unhold(&pinned->record_range);
	*pinned = (struct uverbs_pinned){ 0 };
}

void uverbs_memlock_take(struct uverbs_call *c, struct uverbs_object *o)
{
	struct uverbs_pinned was = o->pinned;

	o->pinned = c->pinned;
	if (!o->pinned.record) {
		o->pinned.record = was.record;
		o->pinned.record_range = was.record_range;
		was.record = NULL;
		was.record_range = (struct uverbs_range){ 0 };
	}
	uverbs_unpin(c->u, &was);
	c->pinned = (struct uverbs_pinned){ 0 };
}

void uverbs_memlock_end(struct uverbs_call *c)
{
	uverbs_unpin(c->u, &c->pinned);
}
