/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the program's UAR pages. An entry is free, or written completely before its address. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/boot.h"
#include "preload/files.h"
#include "preload/real.h"
#include "preload/uar_pages.h"

#define PAGES	  4096
#define UAR_PAGES (1u << 16) /* what follows HCA_UAR_PGOFF in the kernel's encoding */

#define CODE 16 /* bytes; what overwrites a function begins with a jump of 5 to 14 bytes */

static struct uar_page pages[PAGES];
static atomic_ushort mapped[OPTIONS_FUNCTIONS][UAR_PAGES]; /* how often each is in the table */
static atomic_uint used; /* all entries that are used are below */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The functions that the program finds under these names. */
static const void *const functions[] = { (void *)mmap, (void *)mmap64, (void *)munmap };

/* How they began when the hooks were seen to be reached: that which is @current. */
static uint8_t begins[2][ARRAY_SIZE(functions)][CODE];
static atomic_uint current;

static atomic_bool lost; /* calls were missed */

/* The address of the last call of a hook in this thread. Volatile, because libc's header says of mmap that it calls
 * nothing here (__THROW: leaf). */
static __thread const void *volatile seen __attribute__((tls_model("initial-exec")));

static enum uar_pages_way way;

/* Lock held, or there are no threads. */
static void remember(void)
{
	unsigned int next = !atomic_load(&current);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		memcpy(begins[next][i], functions[i], CODE);
	atomic_store(&current, next);
}

/* Handlers of signals do not work there as trap.c needs it. Its own libraries are preloaded, too. */
static bool is_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "/vgpreload_");
}

__attribute__((constructor)) static void begin(void)
{
	remember();
#if defined(__x86_64__)
	const char *text = getenv(OPTIONS_ENV);
	struct options o;
	char why[64];

	if (!text || !options_parse(&o, text, why, sizeof(why)))
		return;
	if (o.check)
		way = UAR_PAGES_WATCHED;
	else if (!o.poll_doorbells && !is_valgrind())
		way = UAR_PAGES_TRAPPED;
#endif
}

enum uar_pages_way uar_pages_way(void)
{
	return way;
}

bool uar_pages_are_known(void)
{
	unsigned int now = atomic_load(&current);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (memcmp(begins[now][i], functions[i], CODE))
			return false;
	return !atomic_load(&lost);
}

/* One page is mapped, and unmapped again. */
static bool is_seen(void *at)
{
	bool as_mapped = seen == at;

	seen = NULL;
	return at != MAP_FAILED && !munmap(at, HCA_PAGE_SIZE) && as_mapped && seen == at;
}

static bool are_seen(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	return is_seen(mmap(NULL, HCA_PAGE_SIZE, PROT_NONE, flags, -1, 0)) &&
	       is_seen(mmap64(NULL, HCA_PAGE_SIZE, PROT_NONE, flags, -1, 0));
}

void uar_pages_try_hooks(void)
{
	if (way != UAR_PAGES_TRAPPED || uar_pages_are_known() || atomic_load(&lost))
		return;
	if (!are_seen()) {
		atomic_store(&lost, true);
		return;
	}
	core_lock(&lock);
	remember();
	core_unlock(&lock);
}

bool uar_pages_are(int prot, int flags, int fd, off64_t offset)
{
	uint64_t page = (uint64_t)offset >> HCA_PAGE_SHIFT;

	return prot & PROT_WRITE && flags & MAP_SHARED && page >= HCA_UAR_PGOFF &&
	       page < HCA_UAR_PGOFF + UAR_PAGES && files_has(fd);
}

uint32_t uar_pages_number(int fd, off64_t offset, unsigned int *function)
{
	*function = files_function(fd);
	return (uint32_t)((uint64_t)offset >> HCA_PAGE_SHIFT) - HCA_UAR_PGOFF;
}

bool uar_pages_has(unsigned int function, uint32_t uar)
{
	return uar < UAR_PAGES && atomic_load(&mapped[function][uar]);
}

struct uar_page *uar_pages_find(uintptr_t at)
{
	unsigned int n = atomic_load(&used);

	at &= ~(uintptr_t)(HCA_PAGE_SIZE - 1);
	for (unsigned int i = 0; at && i < n; i++)
		if (atomic_load(&pages[i].at) == at)
			return &pages[i];
	return NULL;
}

/* The page of watch.c has a number that no UAR page has. */
static void count(const struct uar_page *p, int by)
{
	if (p->uar < UAR_PAGES)
		atomic_fetch_add(&mapped[p->function][p->uar], by);
}

/* Lock held. */
static bool add(uintptr_t at, uint32_t uar, unsigned int function, bool open)
{
	unsigned int i = 0, n = atomic_load(&used);

	while (i < n && atomic_load(&pages[i].at))
		i++;
	if (i == PAGES)
		return false;
	pages[i].uar = uar;
	pages[i].function = function;
	atomic_store(&pages[i].open, open);
	count(&pages[i], 1);
	atomic_store(&pages[i].at, at);
	if (i == n)
		atomic_store(&used, n + 1);
	return true;
}

bool uar_pages_add(const void *at, size_t len, uint32_t uar, unsigned int function, bool open)
{
	bool ok = true;

	core_lock(&lock);
	for (size_t off = 0; ok && off < len; off += HCA_PAGE_SIZE)
		ok = add((uintptr_t)at + off, uar++, function, open);
	core_unlock(&lock);
	if (!ok)
		uar_pages_remove(at, len);
	return ok;
}

void uar_pages_remove(const void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr;

	seen = addr;

	if (!atomic_load(&used))
		return;
	core_lock(&lock);
	for (unsigned int i = 0; i < atomic_load(&used); i++) {
		uintptr_t at = atomic_load(&pages[i].at);

		if (!at || at - from >= len)
			continue;
		count(&pages[i], -1);
		atomic_store(&pages[i].at, 0);
	}
	core_unlock(&lock);
}

static bool protect(struct uar_page *p, int prot)
{
	uintptr_t at = atomic_load(&p->at);

	return !at || !REAL(mprotect)((void *)at, HCA_PAGE_SIZE, prot);
}

void uar_pages_open(struct uar_page *p)
{
	atomic_store(&p->open, true);
	protect(p, PROT_READ | PROT_WRITE);
}

void uar_pages_open_all(void)
{
	for (unsigned int i = 0; i < atomic_load(&used); i++)
		uar_pages_open(&pages[i]);
}

/* With the lock, so that what has the address is this page. */
bool uar_pages_close(unsigned int function)
{
	bool all = true;

	core_lock(&lock);
	for (unsigned int i = 0; i < atomic_load(&used); i++) {
		struct uar_page *p = &pages[i];

		if (p->function != function || !atomic_load(&p->open) || !atomic_load(&p->at))
			continue;
		atomic_store(&p->open, false);
		if (!protect(p, PROT_READ)) {
			atomic_store(&p->open, true);
			all = false;
		}
	}
	core_unlock(&lock);
	return all;
}

void uar_pages_fork_prepare(void)
{
	core_lock(&lock);
}

void uar_pages_fork_done(void)
{
	core_unlock(&lock);
}
