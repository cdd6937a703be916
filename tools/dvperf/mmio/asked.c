/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of mmio. Lists choose from what would otherwise all be measured. */
#include <argp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "machine/machine.h"
#include "asked.h"

enum { STORES_MAX = 1000000 };
enum {
	KEY_REPEAT = 256,
	KEY_PIN,
	KEY_JSON,
	KEY_THREADS,
	KEY_UAR,
	KEY_STORE,
	KEY_FENCE,
	KEY_MAPPING,
	KEY_SPACING
};

const char *const spacing_words[] = { "alone", "back-to-back", NULL };
static const char *const sharing_words[] = { "thread", "shared", NULL };

static const struct argp_option table[] = {
	{ "ib-dev", 'd', "DEV", 0, "device (default: the first mlx5 device)", 0 },
	{ "iters", 'n', "N", 0, "stores of a pass, one after the other (default: 1000)", 0 },
	{ "repeat", KEY_REPEAT, "N", 0, "repetitions (default: 5)", 0 },
	{ "pin", KEY_PIN, "CPUS", 0, "CPUs of the threads: a list 0,2,4-7 or auto", 0 },
	{ "threads", KEY_THREADS, "LIST", 0, "threads that store: 1 (default), or 1,2,4", 0 },
	{ "uar", KEY_UAR, "LIST", 0,
	  "of several threads: thread (a register each), shared (one) (default: both)", 0 },
	{ "store", KEY_STORE, "LIST", 0, "bytes of a store: 8,64,… (default: all)", 0 },
	{ "fence", KEY_FENCE, "LIST", 0, "what is after it: none,dv,… (default: all)", 0 },
	{ "mapping", KEY_MAPPING, "LIST", 0, "WC, NC (default: both)", 0 },
	{ "spacing", KEY_SPACING, "LIST", 0, "alone, back-to-back (default: both)", 0 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 0 },
	{ 0 }
};

/* ---- lists ---- */

/* The index of @word in @words; refuses a missing one. */
static unsigned int word_index(const char *name, const char *word, const char *const *words)
{
	char all[128] = "";
	struct near near;

	near_begin(&near, word);
	for (unsigned int i = 0; words[i]; i++) {
		size_t n = strlen(all);

		if (!strcasecmp(words[i], word))
			return i;
		snprintf(all + n, sizeof(all) - n, "%s %s", i ? "," : "", words[i]);
		near_offer(&near, words[i]);
	}
	base_refuse("--%s: '%.60s' is not one of%s%s", name, word, all, near_text(&near));
}

/* A bit for each word of @list. */
static unsigned int take_words(const char *name, const char *list, const char *const *words)
{
	char *copy = base_made(strdup(list)), *rest = copy, *word;
	unsigned int bits = 0;

	while ((word = strsep(&rest, ",")))
		bits |= 1u << word_index(name, word, words);
	free(copy);
	return bits;
}

static void take_threads(struct asked *a, const char *list)
{
	char *copy = base_made(strdup(list)), *rest = copy, *word;
	const char *bad;

	a->teams = 0;
	while ((word = strsep(&rest, ","))) {
		bad = options_take_name(&a->o, "threads", word);
		if (bad)
			base_refuse("--threads: %s", bad);
		if (a->teams == MAX_TEAMS)
			base_refuse("--threads: at most %d numbers", MAX_TEAMS);
		a->threads[a->teams++] = (unsigned int)a->o.threads;
	}
	free(copy);
}

/* ---- options ---- */

/* Whether @key is a list of words. */
static bool take_list(struct asked *a, int key, const char *name, const char *list)
{
	const struct {
		int key;
		unsigned int *bits;
		const char *const *words;
	} lists[] = { { KEY_UAR, &a->sharings, sharing_words },
		      { KEY_STORE, &a->stores, store_words },
		      { KEY_FENCE, &a->fences, fence_words },
		      { KEY_MAPPING, &a->mappings, mapping_words },
		      { KEY_SPACING, &a->spacings, spacing_words } };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].key == key) {
			*lists[i].bits = take_words(name, list, lists[i].words);
			return true;
		}
	return false;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct asked *a = state->input;
	const char *bad = NULL, *name = NULL;

	for (const struct argp_option *row = table; row->name; row++)
		if (row->key == key)
			name = row->name;
	if (key == ARGP_KEY_ARG)
		base_refuse("mmio takes no argument: '%s'; see --help", arg);
	if (!name)
		return ARGP_ERR_UNKNOWN;
	if (key == KEY_JSON)
		a->o.json = true;
	else if (key == KEY_THREADS)
		take_threads(a, arg);
	else if (!take_list(a, key, name, arg))
		bad = options_take_name(&a->o, name, arg);
	if (bad)
		base_refuse("--%s: %s", name, bad);
	return 0;
}

unsigned int asked_most_threads(const struct asked *asked)
{
	unsigned int most = 1;

	for (unsigned int i = 0; i < asked->teams; i++)
		most = asked->threads[i] > most ? asked->threads[i] : most;
	return most;
}

void asked_read(struct asked *a, int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = take,
		.doc = "The time of a store to a doorbell register that no queue uses."
	};

	*a = (struct asked){ .o = options_new(MODE_POST),
			     .threads = { 1 },
			     .teams = 1,
			     .sharings = ~0u,
			     .stores = ~0u,
			     .fences = ~0u,
			     .mappings = ~0u,
			     .spacings = ~0u };
	argp_parse(&argp, argc, argv, 0, NULL, a);
	a->iters = a->o.iters ? (unsigned int)a->o.iters : 1000;
	options_defaults(&a->o);
	if (a->iters > STORES_MAX)
		base_refuse("--iters: at most %d", STORES_MAX);
	if (pin_check(&a->o))
		base_refuse("%s", pin_check(&a->o));
}
