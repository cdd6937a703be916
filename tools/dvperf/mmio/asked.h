/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of mmio: what is measured, and how often. */
#ifndef DVPERF_MMIO_ASKED_H
#define DVPERF_MMIO_ASKED_H

#include "options/options.h"
#include "store.h"

enum { MAX_TEAMS = 16 };

enum spacing { SPACING_ALONE, SPACING_BACK_TO_BACK, SPACINGS };
extern const char *const spacing_words[];

/* Which registers several threads have. */
enum sharing { SHARING_NONE, SHARING_ONE, SHARINGS };

struct asked {
	struct options o;
	unsigned int iters;
	unsigned int threads[MAX_TEAMS], teams; /* --threads=1,2,4: three teams */
	unsigned int sharings;			/* a bit for each */
	unsigned int stores, fences, mappings, spacings;
};

/* Reads the command line; refuses what is wrong. */
void asked_read(struct asked *asked, int argc, char **argv);

/* The most threads that are asked for. */
unsigned int asked_most_threads(const struct asked *asked);

#endif
