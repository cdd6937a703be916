/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's own memory; part of core.h. A program may have another malloc(), may be inside
 * of it while a handler of signals calls the emulator, or may count what it allocates.
 *
 *	preload/libc.c: malloc() and free() of the emulator's code -> these
 *
 * Blocks of up to 32 KiB are in classes of sizes, a list of free blocks each; larger ones are
 * mappings. All of it is memory of mmap(2); that of small blocks is never given back. Any
 * thread may call.
 */
#ifndef EMU_CORE_MEMORY_H
#define EMU_CORE_MEMORY_H

#include <stddef.h>

/* At multiples of 16. NULL with ENOMEM. */
void *core_memory_get(size_t size);
void *core_memory_get_zeroed(size_t n, size_t size);
/* Moves it if need be; as realloc(3). */
void *core_memory_resize(void *p, size_t size);
void core_memory_put(void *p);

/* For pthread_atfork. */
void core_memory_fork_prepare(void);
void core_memory_fork_done(void);

#endif
