/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz_explain [--seed N] [--count N]
 *
 * Texts as people paste them: the reports of test/e2e/dvfw/explain, cut, mixed and damaged. Whatever
 * they are, each item has a kind, a title and lines within the text, no more lines are counted than
 * there are, and the result is JSON. Memory errors are the sanitizers'.
 *
 *	test_fuzz_explain --seed 4711 --count 200	the round with that seed again, alone
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explain.h"
#include "fuzz/chance.h"
#include "fuzz/round.h"

#define ROUND	   200
#define LINES_MAX  1200
#define TEXT_BYTES (64 << 10)

/* Of the sanitizers' runtime, if it is there. */
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static char *lines[LINES_MAX];
static unsigned int line_count;

static void read_report(const char *name)
{
	char path[512], line[2048];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", REPORTS, name);
	f = fopen(path, "r");
	while (f && line_count < LINES_MAX && fgets(line, sizeof(line), f))
		if (strncmp(line, "# ", 2))
			lines[line_count++] = strdup(line);
	if (f)
		fclose(f);
}

static void read_reports(void)
{
	struct dirent **names;
	int n = scandir(REPORTS, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		if (strstr(names[i]->d_name, ".txt"))
			read_report(names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	FUZZ_CHECK(line_count > 100, "only %u lines in %s", line_count, REPORTS);
}

/* A few lines, mostly consecutive ones. */
static size_t compose(char *text)
{
	unsigned int at = below(line_count);
	size_t used = 0;

	for (unsigned int n = 1 + below(10); n; n--) {
		size_t len = strlen(lines[at]);

		if (used + len < TEXT_BYTES / 2) {
			memcpy(text + used, lines[at], len);
			used += len;
		}
		at = one_in(6) ? below(line_count) : (at + 1) % line_count;
	}
	return used;
}

static size_t damage(char *text, size_t n)
{
	size_t at = n ? below((uint32_t)n) : 0, len = below(40);

	switch (below(6)) {
	case 0: /* another character */
		if (n)
			text[at] = (char)below(256);
		return n;
	case 1: /* a piece less */
		len = len > n - at ? n - at : len;
		memmove(text + at, text + at + len, n - at - len);
		return n - len;
	case 2: /* a piece twice */
		len = len > n - at ? n - at : len;
		memmove(text + at + len, text + at, n - at);
		return n + len;
	case 3: /* the end is missing */
		return at;
	case 4: /* characters that the formats use */
		if (n)
			text[at] = "0x:|[]()#*>\n ,=f9"[below(17)];
		return n;
	default:
		if (n)
			spoil(text + at, 1);
		return n;
	}
}

static void check_item(struct json_object *item, int64_t count, const char *text, size_t n)
{
	struct json_object *place = json_object_object_get(item, "lines");
	int64_t first = json_object_get_int64(json_object_array_get_idx(place, 0));
	int64_t last = json_object_get_int64(json_object_array_get_idx(place, 1));

	FUZZ_CHECK(json_object_get_string_len(json_object_object_get(item, "kind")) &&
			   json_object_get_string_len(json_object_object_get(item, "title")),
		   "no kind or title: %.*s", (int)n, text);
	FUZZ_CHECK(first >= 1 && first <= last && last <= count,
		   "lines %" PRId64 "-%" PRId64 " of %" PRId64 ": %.*s", first, last, count,
		   (int)n, text);
}

/* The text is on the heap, without a byte after its end. */
static bool run_case(void)
{
	static char made[TEXT_BYTES];
	const char *kind = one_in(8) ? bytes_kinds[below(12)].name : NULL;
	size_t n = compose(made);
	int64_t count = 1;

	for (unsigned int i = below(4) ? below(8) : 0; i; i--)
		n = damage(made, n);

	char *text = malloc(n + !n);
	memcpy(text, made, n);
	for (size_t i = 0; i < n; i++)
		count += text[i] == '\n';

	struct json_object *top = explain_read(kind, text, n);
	struct json_object *items = json_object_object_get(top, "explained");
	size_t found = json_object_array_length(items);

	for (size_t i = 0; i < found; i++)
		check_item(json_object_array_get_idx(items, i), count, text, n);
	FUZZ_CHECK(json_object_get_int64(json_object_object_get(top, "not_understood")) <=
			   count,
		   "more lines than there are: %.*s", (int)n, text);
	FUZZ_CHECK(strlen(json_object_to_json_string(top)) > 2, "no JSON: %.*s", (int)n, text);
	json_object_put(top);
	free(text);
	return found;
}

int main(int argc, char **argv)
{
	uint64_t seed = (uint64_t)time(NULL) * 1000, count = 1000000, explained = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else if (!strcmp(argv[i], "--count"))
			count = strtoull(argv[i + 1], NULL, 0);
	}
	read_reports();
	round_setup("test_fuzz_explain", ROUND);
	printf("seed %" PRIu64 ", %" PRIu64 " cases\n", seed, count);
	for (uint64_t at = 0; at < count; at += ROUND) {
		round_begin(seed + at / ROUND);
		for (int i = 0; i < ROUND; i++)
			explained += run_case();
		round_end();
	}
	printf("%" PRIu64 " texts explained: nothing found\n", explained);
	FUZZ_CHECK(explained > count / 2, "most are not understood: this tests little");
	for (unsigned int i = 0; i < line_count; i++)
		free(lines[i]);
	return 0;
}
