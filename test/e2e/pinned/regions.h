/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A region, a pair of QPs that transfer to and from it, and what the cases of regions.c and
 * shared.c ask of both.
 */
#ifndef PINNED_REGIONS_H
#define PINNED_REGIONS_H

#include "common.h"

enum {
	PAGE = 4096,
	PAGES = 4,
	LEN = PAGES * PAGE,
	HUGE = 2 << 20,
	RIGHTS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
};

struct bench {
	struct device dev;
	struct pair pair;
	struct ibv_mr *local, *mr;
	char *mine; /* of the local end of the transfers */
	char *at;   /* the region */
};

struct region_case {
	const char *name;
	void (*run)(struct bench *b);
};

/* Those of files, shared memory and huge pages; the last has no name. */
extern const struct region_case shared_cases[];

char *map_at(void *at, size_t len, char fill);
void all_are(const char *what, const char *m, char c, size_t from, size_t to);
/* The device has the pages: what is written to them can be read from them. */
void device_has(struct bench *b, struct ibv_mr *mr, char *at, char fill, size_t len);
struct ibv_mr *reg(struct bench *b, char *at, size_t len, int more);
void region(struct bench *b, char *at);
void dereg(struct bench *b);
/* Mappings of this process, those with @word in their line of /proc/self/maps (proc(5)). */
int mappings_of(const char *word);

#endif
