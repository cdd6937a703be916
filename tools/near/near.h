/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "did you mean": of several names, the one that differs least from a word. For dvfw and
 * dvperf.
 *
 *	near_begin(&near, "CRAETE_QP");
 *	while (…)
 *		near_offer(&near, name);
 *	near_text(&near)			"; did you mean 'CREATE_QP'?"
 */
#ifndef NEAR_H
#define NEAR_H

struct near {
	const char *word;
	char best[128]; /* "": no name is near enough */
	unsigned int distance;
	char text[160];
};

void near_begin(struct near *n, const char *word);

/* Case does not matter. */
void near_offer(struct near *n, const char *name);

/* "; did you mean 'NAME'?", or "". */
const char *near_text(struct near *n);

#endif
