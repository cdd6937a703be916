/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nearest name: the number of letters to change, insert, drop or swap with the neighbour
 * decides, and more than a third of the word (of a short one: more than one letter) is too far.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "near.h"

#define LONGEST 80

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment of two words, without regard to case. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][LONGEST + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > LONGEST || lb > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *now = rows[i % 3], *up = rows[(i + 2) % 3],
			     *upup = rows[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);

			now[j] = least(least(up[j] + 1, now[j - 1] + 1), up[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				now[j] = least(now[j], upup[j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

void near_begin(struct near *n, const char *word)
{
	size_t letters = strlen(word);

	n->word = word;
	n->best[0] = n->text[0] = '\0';
	n->distance = letters < 2 ? 0 : letters < 6 ? 1 : (unsigned int)letters / 3;
}

void near_offer(struct near *n, const char *name)
{
	unsigned int far = distance(n->word, name);

	/* A name that begins with the whole word is near, however long it is. */
	if (far > n->distance && strlen(n->word) >= 3 &&
	    !strncasecmp(name, n->word, strlen(n->word)))
		far = n->distance;
	if (far < n->distance || (far == n->distance && !*n->best)) {
		n->distance = far;
		snprintf(n->best, sizeof(n->best), "%s", name);
	}
}

const char *near_text(struct near *n)
{
	if (*n->best)
		snprintf(n->text, sizeof(n->text), "; did you mean '%s'?", n->best);
	return n->text;
}
