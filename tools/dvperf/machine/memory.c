/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions: host memory or device memory, planned, registered and handed out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <devx/pd.h>

#include "base/base.h"
#include "memory.h"

enum {
	LINE = 64,
	LOG_LINE = 6,
	PAGE = 4096,
};

struct memory memory_new(const struct options *o)
{
	return (struct memory){ .o = o };
}

/* ---- parts ---- */

static size_t alignment(const struct memory *m, size_t bytes)
{
	size_t align = LINE;

	while (!m->o->dm && align < bytes && align < PAGE)
		align *= 2;
	return align;
}

/* Where a part of @bytes begins that comes after @end. */
static size_t begin(const struct memory *m, size_t end, size_t bytes)
{
	size_t align = alignment(m, bytes);

	return (end + align - 1) & ~(align - 1);
}

static size_t whole_lines(size_t bytes)
{
	return (bytes + LINE - 1) & ~((size_t)LINE - 1);
}

void memory_plan(struct memory *m, size_t bytes)
{
	if (bytes)
		m->size = begin(m, m->size, bytes) + whole_lines(bytes);
}

char *memory_take(struct memory *m, size_t bytes)
{
	size_t at = begin(m, m->given, bytes);

	if (!bytes)
		return NULL;
	m->given = at + whole_lines(bytes);
	if (m->given > m->size)
		base_fail("memory: more is taken than was planned");
	return m->bytes + at;
}

uint64_t memory_address(const struct memory *m, const char *at)
{
	return at ? m->first + (uint64_t)(at - m->bytes) : m->first;
}

/* ---- what is known of it ---- */

/* False: there is none. */
static bool locked_limit(uint64_t *bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	*bytes = limit.rlim_cur;
	return true;
}

static void add(struct json_object *to, const char *name, int64_t value)
{
	json_object_object_add(to, name, json_object_new_int64(value));
}

static void add_pages(struct json_object *to, enum pages pages)
{
	long all = pages_count(pages, "nr_hugepages"),
	     left = pages_count(pages, "free_hugepages");
	struct json_object *j;

	if (all < 0 || left < 0)
		return;
	j = json_object_new_object();
	add(j, "free", left);
	add(j, "used", all - left);
	json_object_object_add(to, pages == PAGES_1G ? "huge_1g" : "huge_2m", j);
}

struct json_object *memory_json(const struct options *o)
{
	struct json_object *j = json_object_new_object();
	uint64_t limit;

	add_pages(j, PAGES_2M);
	add_pages(j, PAGES_1G);
	if (locked_limit(&limit))
		add(j, "locked_limit", (int64_t)limit);
	else
		json_object_object_add(j, "locked_limit", json_object_new_string("none"));
	json_object_object_add(j, "relaxed_ordering",
			       json_object_new_string(o->dm		? "not of device memory"
						      : o->strict_order ? "off"
									: "asked for"));
	return j;
}

const char *memory_hint(int error, const struct options *o)
{
	static char text[160];
	uint64_t limit;

	/* ib_umem_get() of Linux says nothing else where the limit is reached */
	if (error != ENOMEM)
		return "";
	if (o->pages != PAGES_4K && pages_left(PAGES_2M) <= 0)
		return "; its rings want huge pages of 2m, and none is free "
		       "(/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages)";
	if (!locked_limit(&limit))
		return "";
	snprintf(text, sizeof(text), "; the limit of locked memory is %llu bytes (ulimit -l)",
		 (unsigned long long)limit);
	return text;
}

/* ---- of the machine ---- */

static void open_host(struct memory *m, const struct device *dev, int access)
{
	/* perftest's default. libibverbs leaves it out where the kernel does not know it. */
	if (!m->o->strict_order)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	m->bytes = pages_get(m->o, m->size);
	m->first = (uintptr_t)m->bytes;
	m->mr = ibv_reg_mr(dev->pd, m->bytes, m->size, access);
	if (!m->mr)
		base_refuse(
			"the device cannot register %zu bytes (-s, -l, -q, --remote-size): %m%s",
			m->size, memory_hint(errno, m->o));
}

/* ---- of the device ---- */

static size_t dm_limit(const struct device *dev)
{
	struct ibv_device_attr_ex attr;

	return ibv_query_device_ex(dev->ctx, NULL, &attr) ? 0 : attr.max_dm_size;
}

static void fill_dm(const struct memory *m)
{
	char line[LINE];

	memset(line, MEMORY_FILL, sizeof(line));
	for (size_t at = 0; at < m->size; at += LINE)
		base_ok(ibv_memcpy_to_dm(m->dm, at, line, sizeof(line)));
}

static void open_dm(struct memory *m, const struct device *dev, int access)
{
	struct ibv_alloc_dm_attr attr = { .length = m->size, .log_align_req = LOG_LINE };
	const char *name = ibv_get_device_name(dev->ctx->device);
	struct mlx5dv_dm seen = { 0 };
	struct mlx5dv_obj obj;
	size_t limit = dm_limit(dev);

	if (!limit)
		base_refuse("%s has no device memory (--dm)", name);
	if (m->size > limit)
		base_refuse(
			"%zu bytes of data (-s, -l, -q, --remote-size) are above the memory of "
			"%s (--dm): %zu",
			m->size, name, limit);
	m->dm = ibv_alloc_dm(dev->ctx, &attr);
	if (!m->dm)
		base_refuse("%s cannot allocate %zu of its %zu bytes (--dm): %m", name, m->size,
			    limit);
	obj.dm.in = m->dm;
	obj.dm.out = &seen;
	base_ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_DM));
	m->bytes = seen.buf;
	fill_dm(m);
	/* no IBV_ACCESS_RELAXED_ORDERING: nothing crosses PCI Express, and mlx5_ib refuses
	 * it */
	m->mr = ibv_reg_dm_mr(dev->pd, m->dm, 0, m->size, access | IBV_ACCESS_ZERO_BASED);
	if (!m->mr)
		base_refuse("%s cannot register %zu bytes of its memory (--dm): %m", name,
			    m->size);
}

/* ---- for another function of the adapter ---- */

/* The client's function may read it, or write, too. */
static void export_it(struct memory *m, const struct device *dev)
{
	struct devx_export_attr attr = { .access = m->o->remote_vhca == REMOTE_VHCA_WRITE
							   ? DEVX_EXPORT_READ_WRITE
							   : 0 };
	const char *name = ibv_get_device_name(dev->ctx->device);
	char line[256];

	base_ok(devx_pdn_query(&attr.pdn, dev->pd));
	if (devx_export_create(&m->exported, dev->ctx, m->bytes, m->size, &attr))
		base_refuse(
			"%s cannot export memory (--remote-vhca): %s; 'dvfw check cross-vhca' says "
			"what is missing",
			name, devx_error_str(devx_last_error(), line, sizeof(line)));
	m->is_exported = true;
}

/* ---- open, close ---- */

void memory_open(struct memory *m, const struct device *dev)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;

	if (m->o->dm)
		open_dm(m, dev, access);
	else
		open_host(m, dev, access);
	if (m->o->remote_vhca && !options_copies(m->o))
		export_it(m, dev);
}

void memory_close(struct memory *m)
{
	if (!m->mr)
		return;
	if (m->is_exported)
		base_ok(devx_export_destroy(&m->exported));
	base_ok(ibv_dereg_mr(m->mr));
	if (m->dm)
		base_ok(ibv_free_dm(m->dm));
	else
		pages_put(m->o, m->bytes, m->size);
}
