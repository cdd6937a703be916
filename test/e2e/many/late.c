/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "late.h"

enum { BLOCKS = 16, BLOCK_WORDS = 8, WORDS = BLOCKS * BLOCK_WORDS + 1 };

static char *mine, *visible;
static unsigned long size, record_at, block_at[BLOCKS];
static unsigned int blocks, words;
static struct {
	unsigned long at;
	uint64_t value;
} word[WORDS];

void late_begin(char *memory, unsigned long len, int file, const void *record)
{
	visible = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	mine = mmap(memory, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
	if (visible == MAP_FAILED || mine == MAP_FAILED)
		err(1, "late stores");
	size = len;
	record_at = (unsigned long)((const char *)record - memory);
	srandom((unsigned int)getpid());
}

void late_block(const void *at)
{
	block_at[blocks++ % BLOCKS] = (unsigned long)((const char *)at - mine);
}

static void note(unsigned long at)
{
	uint64_t value = *(volatile uint64_t *)(mine + at);

	if (value == *(volatile uint64_t *)(visible + at))
		return;
	word[words].at = at;
	word[words++].value = value;
}

static void note_blocks(void)
{
	for (unsigned int i = 0; i < blocks && i < BLOCKS; i++)
		for (unsigned int j = 0; j < BLOCK_WORDS; j++)
			note(block_at[i] + j * 8);
}

/* Others may have written a newer record to the page since it became private. */
static void note_record(void)
{
	uint32_t ours = be32toh(*(volatile uint32_t *)(mine + record_at));
	uint32_t theirs = be32toh(*(volatile uint32_t *)(visible + record_at));

	if ((int16_t)(ours - theirs) > 0)
		note(record_at & ~7ul);
}

/* Time for the device to look. */
static void linger(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

void late_fence(void)
{
	if (!mine)
		return;
	note_blocks();
	note_record();
	while (words) {
		unsigned int i = (unsigned int)random() % words;

		linger();
		*(volatile uint64_t *)(visible + word[i].at) = word[i].value;
		word[i] = word[--words];
	}
	blocks = 0;
	madvise(mine, size, MADV_DONTNEED); /* stores of others are seen from now on */
}
