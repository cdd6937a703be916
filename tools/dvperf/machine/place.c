/* SPDX-License-Identifier: BSD-2-Clause */
/* Where threads run and where memory is: CPUs, nodes, page sizes. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "device.h"
#include "memory.h"

enum {
	CPUS = 1024,
	BIND = 2, /* MPOL_BIND of linux/mempolicy.h */
};

/* "0,2,4-7" to @cpu; how many, or 0: not of that form. */
static unsigned int parse_list(const char *list, int *cpu)
{
	unsigned int n = 0;
	char *end;

	while (*list) {
		long first = strtol(list, &end, 10), last = first;

		if (end == list || first < 0 || first >= CPUS)
			return 0;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list || last < first || last >= CPUS)
				return 0;
		}
		for (; first <= last && n < CPUS; first++)
			cpu[n++] = (int)first;
		if (*end != ',' && *end && *end != '\n')
			return 0;
		list = *end ? end + 1 : end;
	}
	return n;
}

static unsigned int node_cpus(int node, int *cpu)
{
	char path[80], line[4096];
	unsigned int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f))
		n = parse_list(line, cpu);
	if (f)
		fclose(f);
	return n;
}

/* The CPUs of the program before it pinned a thread: a thread that is created later has no more
 * than the one of its creator. */
static cpu_set_t allowed;

static void find_allowed(void)
{
	base_ok(sched_getaffinity(0, sizeof(allowed), &allowed));
}

/* Those that the threads of @o take in turn; 0: it pins none. */
static unsigned int cpus_of(const struct options *o, int *cpu)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned int n = 0;

	base_ok(pthread_once(&once, find_allowed));
	if (o->pin && strcmp(o->pin, "auto"))
		return parse_list(o->pin, cpu);
	if (o->numa >= 0)
		return node_cpus(o->numa, cpu);
	if (!o->pin)
		return 0;
	for (int i = 0; i < CPU_SETSIZE && n < CPUS; i++)
		if (CPU_ISSET(i, &allowed))
			cpu[n++] = i;
	return n;
}

const char *pin_check(const struct options *o)
{
	static char text[120];
	int cpu[CPUS];
	unsigned int n;

	if (!o->pin && o->numa < 0)
		return NULL;
	n = cpus_of(o, cpu);
	if (!n && o->numa >= 0 && !o->pin) {
		snprintf(text, sizeof(text), "--numa: this machine has no node %d", o->numa);
		return text;
	}
	if (!n)
		return "--pin wants CPUs like 0,2,4-7, or auto";
	for (unsigned int i = 0; i < n; i++)
		if (!CPU_ISSET(cpu[i], &allowed)) {
			snprintf(text, sizeof(text), "--pin: there is no CPU %d for us",
				 cpu[i]);
			return text;
		}
	return NULL;
}

void pin_thread(const struct options *o, int index)
{
	int cpu[CPUS];
	unsigned int n = cpus_of(o, cpu);
	cpu_set_t set;

	if (!n)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu[(unsigned int)index % n], &set);
	base_ok(sched_setaffinity(0, sizeof(set), &set));
}

void numa_bind(const struct options *o)
{
	unsigned long mask[CPUS / (8 * sizeof(unsigned long))] = { 0 };

	if (o->numa < 0)
		return;
	mask[(size_t)o->numa / (8 * sizeof(*mask))] |= 1UL
						       << o->numa % (8 * (int)sizeof(*mask));
	if (syscall(SYS_set_mempolicy, BIND, mask, CPUS))
		base_refuse("--numa: no memory on node %d", o->numa);
}

static size_t page_size(const struct options *o)
{
	return o->pages == PAGES_1G ? 1UL << 30 : o->pages == PAGES_2M ? 2UL << 20 : 4096;
}

long pages_count(enum pages pages, const char *file)
{
	long n = -1;
	char path[120];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%dkB/%s",
		 pages == PAGES_1G ? 1 << 20 : 2 << 10, file);
	f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/* Free pages may be promised to others; beyond those there are, some may be made at need
 * (Linux, admin-guide/mm/hugetlbpage.rst). */
long pages_left(enum pages pages)
{
	long left = pages_count(pages, "free_hugepages") - pages_count(pages, "resv_hugepages");
	long more = pages_count(pages, "nr_overcommit_hugepages") -
		    pages_count(pages, "surplus_hugepages");

	return pages_count(pages, "nr_hugepages") < 0 ? -1 : left + (more > 0 ? more : 0);
}

/* Available memory, in bytes; 0: unknown. */
static uint64_t available(void)
{
	unsigned long long kilobytes = 0;
	char line[120];
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && !kilobytes && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu", &kilobytes) != 1)
			kilobytes = 0;
	if (f)
		fclose(f);
	return kilobytes << 10;
}

/* The huge pages of @bytes, and one at least for the rings: libmlx5 takes those of 2 MB. */
static void check_huge(const struct options *o, size_t bytes)
{
	long rings = pages_left(PAGES_2M);
	long data = pages_left(o->pages);
	long want = (long)(bytes / page_size(o));

	if (o->pages == PAGES_2M)
		want++;
	if (data < want)
		base_refuse(
			"there are not enough huge pages of %s (--pages): %ld wanted, %ld free; see "
			"/sys/kernel/mm/hugepages/*/nr_hugepages",
			pages_word(o->pages), want, data < 0 ? 0 : data);
	if (rings < 1)
		base_refuse(
			"there are no huge pages of 2m, in which libmlx5 has its rings (--pages); see "
			"/sys/kernel/mm/hugepages/*/nr_hugepages");
}

void *pages_get(const struct options *o, size_t bytes)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	size_t page = page_size(o);
	void *mem;

	if (o->pages != PAGES_4K) /* the page size as in linux/mman.h: log2, from bit 26 on */
		flags |= MAP_HUGETLB | __builtin_ctzl(page) << 26;
	bytes = (bytes + page - 1) & ~(page - 1);
	if (o->pages != PAGES_4K)
		check_huge(o, bytes);
	else if (available() && bytes > available())
		base_refuse(
			"%zu bytes of data (-s, -l, -q, --remote-size) are more than this machine has",
			bytes);
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (mem == MAP_FAILED && o->pages != PAGES_4K)
		base_refuse("no huge pages of %s for %zu bytes of data (--pages): %m",
			    pages_word(o->pages), bytes);
	if (mem == MAP_FAILED)
		base_refuse("no memory for %zu bytes of data", bytes);
	/* touched here, by the thread that is bound to the node */
	memset(mem, MEMORY_FILL, bytes);
	return mem;
}

void pages_put(const struct options *o, void *mem, size_t bytes)
{
	size_t page = page_size(o);

	munmap(mem, (bytes + page - 1) & ~(page - 1));
}
