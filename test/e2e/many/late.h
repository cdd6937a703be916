/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Late stores, as a GPU or a CPU that orders nothing may have them, on one that orders stores.
 * A process posts into a private copy of the memory; its words become visible one by one, in
 * random order, and only at a fence. Stores to the register are visible at once.
 *
 * For mutations.sh, with LATE_STORES and a copy of include/dv whose fences and releases call
 * late_fence(); else nothing is late.
 */
#ifndef TEST_E2E_MANY_LATE_H
#define TEST_E2E_MANY_LATE_H

#ifdef LATE_STORES
/* In a child: [@memory, @memory + @len) of @file is private from now on; the send
 * record at @record is late, too. */
void late_begin(char *memory, unsigned long len, int file, const void *record);
/* This process is about to write a block at @at; up to 16 between two fences of WQEs. */
void late_block(const void *at);
void late_fence(void);
#else
static inline void late_begin(char *memory, unsigned long len, int file, const void *record)
{
	(void)memory, (void)len, (void)file, (void)record;
}

static inline void late_block(const void *at)
{
	(void)at;
}
#endif

#endif
