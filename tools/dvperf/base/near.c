/* SPDX-License-Identifier: BSD-2-Clause */
/* The number of letters to change, insert or leave out decides; more than a third of the word is too
 * far. A name that begins with the word is near. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "near.h"

enum { LONGEST = 40 };

/* Levenshtein's distance, in one row of its table. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[LONGEST + 1], corner, above;
	size_t la = strlen(a), lb = strlen(b);

	if (la > LONGEST || lb > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= lb; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		corner = row[0];
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			above = row[j];
			corner += strncasecmp(&a[i - 1], &b[j - 1], 1) != 0;
			if (above + 1 < corner)
				corner = above + 1;
			if (row[j - 1] + 1 < corner)
				corner = row[j - 1] + 1;
			row[j] = corner;
			corner = above;
		}
	}
	return row[lb];
}

void near_begin(struct near *n, const char *word)
{
	size_t letters = strlen(word);

	*n = (struct near){ .word = word };
	n->distance = letters < 2 ? 0 : letters < 6 ? 2 : (unsigned int)letters / 3 + 1;
}

void near_offer(struct near *n, const char *name)
{
	unsigned int far = distance(n->word, name);

	if (far && strlen(n->word) >= 3 && !strncasecmp(name, n->word, strlen(n->word)))
		far = 1;
	if (far < n->distance) {
		n->distance = far;
		n->best = name;
	}
}

const char *near_text(struct near *n)
{
	if (n->best)
		snprintf(n->text, sizeof(n->text), "; did you mean '%.60s'?", n->best);
	return n->text;
}
