/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pages of the program are UAR pages. A page is closed (read-only: each store to it is a fault,
 * watch.h and trap.h) or open (the engine polls its registers).
 *
 * The table is read without a lock, also by handlers of signals. It is filled by the hooks on mmap and munmap. Some
 * libraries overwrite the code of these functions in memory (UCX, src/ucm/bistro) and call the kernel
 * with syscall(2): then the calls are looked at there (hook_map.c).
 */
#ifndef EMU_PRELOAD_UAR_PAGES_H
#define EMU_PRELOAD_UAR_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How stores to UAR pages are noticed, as the process's options want it. */
enum uar_pages_way {
	UAR_PAGES_POLLED,  /* --poll-doorbells; valgrind; not x86-64 */
	UAR_PAGES_WATCHED, /* --check: watch.h */
	UAR_PAGES_TRAPPED, /* trap.h */
};

struct uar_page {
	_Atomic uintptr_t at; /* 0: free */
	atomic_bool open;
	uint32_t uar;
	unsigned int function; /* that it belongs to */
};

enum uar_pages_way uar_pages_way(void);

/* Is such a mapping one of UAR pages that can be written? */
bool uar_pages_are(int prot, int flags, int fd, off64_t offset);
/* The function and the first page number of such a mapping. */
uint32_t uar_pages_number(int fd, off64_t offset, unsigned int *function);
/* It was made, at @at. False: no space. */
bool uar_pages_add(const void *at, size_t len, uint32_t uar, unsigned int function, bool open);
/* They are no more, whatever they were. */
void uar_pages_remove(const void *addr, size_t len);

/* Are the functions the same as when calls of them were last seen to get to the hooks, and always were? */
bool uar_pages_are_known(void);
/* If they changed: do calls get to the hooks? Called by threads of the program, without a lock. */
void uar_pages_try_hooks(void);
/* Is page @uar of @function mapped, as far as the table says? */
bool uar_pages_has(unsigned int function, uint32_t uar);
/* The one at address @at; NULL: none. */
struct uar_page *uar_pages_find(uintptr_t at);
/* From now on stores to it are polled for. */
void uar_pages_open(struct uar_page *p);
void uar_pages_open_all(void);
/* From now on stores to the pages of @function are faults. False: not all of them. */
bool uar_pages_close(unsigned int function);

/* For pthread_atfork. */
void uar_pages_fork_prepare(void);
void uar_pages_fork_done(void);

#endif
