/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pages of the program are UAR pages whose stores are watched (watch.h). Such a page is
 * read-only: each store to it is a fault. Once opened, its registers are polled as those of all
 * other pages.
 *
 * The table is read without a lock, also by handlers of signals. The hooks on mmap and munmap
 * fill it.
 */
#ifndef EMU_PRELOAD_UAR_PAGES_H
#define EMU_PRELOAD_UAR_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct uar_page {
	_Atomic uintptr_t at; /* 0: free */
	atomic_bool open;
	uint32_t uar;
	unsigned int function; /* that it belongs to */
};

/* Is such a mapping one of UAR pages that can be written? */
bool uar_pages_are(int prot, int flags, int fd, off64_t offset);
/* The function and the first page number of such a mapping. */
uint32_t uar_pages_number(int fd, off64_t offset, unsigned int *function);
/* It was made, at @at, read-only. False: no space. */
bool uar_pages_add(const void *at, size_t len, uint32_t uar, unsigned int function);
/* They are no more, whatever they were. */
void uar_pages_remove(const void *addr, size_t len);

/* The one at address @at; NULL: none. */
struct uar_page *uar_pages_find(uintptr_t at);
/* From now on stores to it are polled for. False: its protection cannot be changed. */
bool uar_pages_open(struct uar_page *p);
void uar_pages_open_all(void);
/* The same for those in the range, which are about to move, or to have a second address. */
void uar_pages_let_go(const void *addr, size_t len);

/* For pthread_atfork. */
void uar_pages_fork_prepare(void);
void uar_pages_fork_done(void);

#endif
