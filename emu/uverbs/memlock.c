/* SPDX-License-Identifier: BSD-2-Clause */
/* RLIMIT_MEMLOCK: counts the pages that regions, umems and doorbell records pin. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
	r->bus = bus;
	r->len = len;
	*va = bus;
	return 0;
}

static void unhold(struct uverbs_range *r)
{
	if (r->bus)
		core_bus_unpin(r->bus, r->len);
	if (r->map)
		munmap(r->map, r->map_len);
	*r = (struct uverbs_range){ 0 };
}

int uverbs_hold(struct uverbs_call *c, __u64 *va, uint64_t len)
{
	return hold(va, len, &c->pinned.buffer[c->pinned.buffer[0].bus != 0]);
}

/* Real ones, as of /dev/udmabuf, are files of this name. A memfd is taken for one: there is no
 * GPU whose memory could be exported. */
static bool is_dmabuf(int fd)
{
	char link[32], name[8] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return fcntl(fd, F_GET_SEALS) >= 0 ||
	       (readlink(link, name, sizeof(name)) == sizeof(name) &&
		!memcmp(name, "/dmabuf:", sizeof(name)));
}

/* ib_core, umem_dmabuf.c, ib_umem_dmabuf_get */
int uverbs_dmabuf_get(struct uverbs_call *c, int fd, uint64_t offset, uint64_t len, bool write,
		      __u64 *va)
{
	struct uverbs_range *r = &c->pinned.buffer[0];
	struct stat st;
	int ret = 0;

	if (offset + len < offset)
		return -EINVAL;
	if (fstat(fd, &st))
		return -EBADF;
	if (!is_dmabuf(fd) || (uint64_t)st.st_size < offset + len || !len)
		return -EINVAL;
	r->map_len = (size_t)st.st_size;
	r->map =
		mmap(NULL, r->map_len, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return -errno;
	}
	*va = (uintptr_t)r->map + offset;
	hca_unlock(c->u->hca);
	ret = uverbs_pin(*va, len, write);
	hca_lock(c->u->hca);
	return ret ? ret : hold(va, len, r);
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
