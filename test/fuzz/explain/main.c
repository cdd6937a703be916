/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz_explain [--seed N] [--count N]
 *
 * Texts as people paste them: the reports of test/e2e/dvfw/explain, cut, mixed and damaged, with lines joined,
 * CRLF, UTF-8, bits flipped, NULs; a few are a megabyte, or one line. Whatever they are, each item has a kind, a title and lines within the text, no more lines are counted than
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
#define BIG_BYTES  (1 << 20)

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

static size_t insert(char *text, size_t n, size_t at, const char *piece)
{
	size_t len = strlen(piece);

	memmove(text + at + len, text + at, n - at);
	memcpy(text + at, piece, len);
	return n + len;
}

/* CRLF at the end of each line, as far as there is space. */
static size_t end_as_dos(char *text, size_t n)
{
	for (size_t at = 0; at < n && n < TEXT_BYTES - 1; at++)
		if (text[at] == '\n')
			n = insert(text, n, at++, "\r");
	return n;
}

/* The next line goes on where this one ends. */
static size_t join_lines(char *text, size_t n, size_t at)
{
	char *end = memchr(text + at, '\n', n - at);

	if (!end)
		return n;
	if (one_in(2)) {
		*end = ' ';
		return n;
	}
	memmove(end, end + 1, n - (size_t)(end + 1 - text));
	return n - 1;
}

/* What mailers, editors and broken files do. */
static size_t deform(char *text, size_t n, size_t at, size_t len)
{
	static const char *const words[] = { "\u201c", "\u00a0", "\xff\xfe", "\u2026",
					     "\ufeff", "> ",	 "\x1b[31m" };

	switch (below(5)) {
	case 0:
		return end_as_dos(text, n);
	case 1:
		return join_lines(text, n, at);
	case 2:
		return insert(text, n, at, words[below(7)]);
	case 3:
		memset(text + at, 0, len > n - at ? n - at : len);
		return n;
	default:
		if (n)
			text[at] ^= (char)(1 << below(8));
		return n;
	}
}

static size_t damage(char *text, size_t n)
{
	size_t at = n ? below((uint32_t)n) : 0, len = below(40);

	switch (below(8)) {
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
	case 5:
	case 6:
		return deform(text, n, at, len);
	default:
		if (n)
			spoil(text + at, 1);
		return n;
	}
}

/* The text again and again, a megabyte of it; or all in one line. */
static size_t enlarge(char *text, size_t n)
{
	size_t used = n;

	while (n && used + n <= BIG_BYTES) {
		memcpy(text + used, text, n);
		used += n;
	}
	if (one_in(2))
		for (size_t i = 0; i < used; i++)
			text[i] = text[i] == '\n' ? ' ' : text[i];
	return used;
}

static const char *some_kind(void)
{
	unsigned int n = 0;

	while (bytes_kinds[n].name)
		n++;
	return bytes_kinds[below(n)].name;
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
	static char made[BIG_BYTES + TEXT_BYTES];
	const char *kind = one_in(8) ? some_kind() : NULL;
	size_t n = compose(made);
	int64_t count = 1;

	for (unsigned int i = below(4) ? below(8) : 0; i; i--)
		n = damage(made, n);
	if (one_in(20000))
		n = enlarge(made, n);

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
