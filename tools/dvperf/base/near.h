/* SPDX-License-Identifier: BSD-2-Clause */
/* "did you mean": of several names, the one that differs least from a word. */
#ifndef DVPERF_NEAR_H
#define DVPERF_NEAR_H

struct near {
	const char *word, *best; /* best: NULL: none is near enough */
	unsigned int distance;
	char text[96];
};

void near_begin(struct near *n, const char *word);

/* @name has to remain valid. */
void near_offer(struct near *n, const char *name);

/* "; did you mean 'NAME'?", or "". */
const char *near_text(struct near *n);

#endif
