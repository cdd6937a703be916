/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pasted lines and dumps to items (explain.h).
 *
 *	text -> lines -> a line that a pattern matches		an item, or more facts of the item before it
 *		      -> lines of hex digits, together a dump	an item, or the dump that the line before announces
 *		      -> the rest				counted, the first of them shown
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "encode.h"
#include "explain.h"
#include "prm/visible.h"

#define LINE_BYTES \
	(2 * BOX_BYTES + 128) /* the longest dump in one line; the rest is not looked at */
#define OTHERS	 5	      /* lines that are shown, of those that are not understood */
#define WRAPPED	 3	      /* lines that a mailer made of one */
#define COMPARED 32	      /* items before that the same one may repeat */

struct text {
	const char *kind; /* --kind, or NULL */
	const char *at, *end;
	unsigned int line;	   /* number of the next one */
	struct json_object *items; /* what was understood */
	struct json_object *open;  /* the latest item, if the next line may belong to it */
	const char *dump;	   /* what a dump that follows is */
	uint16_t opcode;	   /* and of which command */
	struct json_object *others;
	unsigned int other;
};

/* The next line, without what mailers put before it, cut off; false: the end. */
static bool next_line(struct text *t, char line[LINE_BYTES])
{
	const char *end;
	size_t n;

	if (t->at >= t->end)
		return false;
	end = memchr(t->at, '\n', (size_t)(t->end - t->at));
	end = end ? end : t->end;
	while (t->at < end && (*t->at == '>' || *t->at == ' ' || *t->at == '\t'))
		t->at++;
	n = (size_t)(end - t->at) < LINE_BYTES ? (size_t)(end - t->at) : LINE_BYTES - 1;
	memcpy(line, t->at, n);
	line[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (!line[i])
			line[i] = ' ';
	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	t->at = end < t->end ? end + 1 : end;
	t->line++;
	return true;
}

/* ---- dumps ---- */

/* Words of hex digits only, at least @words of them, each of @digits; "|" or ">" ends them. */
static bool only_words(const char *p, size_t digits, int words)
{
	int n = 0;

	for (;;) {
		size_t word;

		p += strspn(p, " \t,");
		if (!*p || strchr("|>[*#", *p))
			break;
		p += 2 * !strncmp(p, "0x", 2);
		word = strspn(p, "0123456789abcdefABCDEF");
		if (word != digits || (p[word] && !strchr(" \t,|[", p[word])))
			return n >= words && digits == 2; /* characters follow */
		p += word;
		n++;
	}
	return n >= words;
}

/* The row of a dump in @line, after what a log puts before it; NULL: it is not one. */
static const char *row_of(const char *line)
{
	const char *p = line + dump_log_prefix(line, strlen(line)), *rest;
	size_t n;

	if (!strncmp(p, "cmd[", 4) && strstr(p, "]: "))
		p = strstr(p, "]: ") + 3;
	n = strspn(p, "0123456789abcdefABCDEF");
	rest = p + n + strspn(p + n, " \t");
	if (n >= 3 && n <= 8 && p[n] == ':')
		return p[n + 1] == ' ' &&
				       isxdigit(
					       (unsigned char)p[n + 1 + strspn(p + n + 1, " ")])
			       ? p
			       : NULL;
	if (n >= 6 && n <= 8 &&
	    (only_words(rest, 2, 4) || only_words(rest, 4, 4) || (n == 7 && !*rest)))
		return p;
	if (only_words(p, 8, 2) || only_words(p, 2, 8))
		return p;
	return n >= 32 && n % 2 == 0 && !*rest ? p : NULL;
}

/* "00000000: …" begins another dump. */
static bool starts_over(const char *row)
{
	size_t n = strspn(row, "0");

	return n >= 3 && row[n] == ':';
}

/* The rows of one dump. */
struct rows {
	size_t used;
	char text[8 * BOX_BYTES];
};

static void add_row(struct rows *r, const char *row)
{
	r->used += (size_t)snprintf(r->text + r->used, sizeof(r->text) - r->used, "%.*s\n",
				    (int)strcspn(row, "["), row);
}

static size_t parse(const struct rows *r, uint8_t *bytes)
{
	size_t n = 0;

	return dump_parse(r->text, r->used, bytes, BOX_BYTES, &n, NULL) ? n : 0;
}

/* A line that may go on with a dump, but not begin one: a short last row, "*", the offset at the end. */
static bool may_continue(const struct rows *r, const char *line, uint8_t *bytes)
{
	static struct rows more;

	if (!*line || line[strspn(line, "0123456789abcdefABCDEF *")])
		return false;
	more.used = r->used;
	memcpy(more.text, r->text, r->used);
	add_row(&more, line);
	return parse(&more, bytes) != 0;
}

/* Takes rows until another line follows, another dump begins, or a CQE is complete. */
static size_t gather(struct text *t, const char *first, uint8_t *bytes)
{
	bool cqe = t->dump && !strcmp(t->dump, "cqe");
	static struct rows r;
	char line[LINE_BYTES];

	r.used = 0;
	add_row(&r, first);
	while (r.used + LINE_BYTES < sizeof(r.text) && !(cqe && parse(&r, bytes) >= 64)) {
		struct text saved = *t;
		bool any = next_line(t, line);
		const char *row = any ? row_of(line) : NULL;

		if (any && !row && may_continue(&r, line, bytes))
			row = line;
		if (!row || starts_over(row)) {
			*t = saved;
			break;
		}
		add_row(&r, row);
	}
	return parse(&r, bytes);
}

/* ---- items ---- */

static void set_lines(struct json_object *item, unsigned int first, unsigned int last)
{
	struct json_object *lines = json_object_new_array(),
			   *old = json_object_object_get(item, "lines");

	if (old)
		first = (unsigned int)json_object_get_int64(json_object_array_get_idx(old, 0));
	json_object_array_add(lines, dvfw_json_number(first));
	json_object_array_add(lines, dvfw_json_number(last));
	json_object_object_add(item, "lines", lines);
	if (!old)
		json_object_object_add(item, "times", dvfw_json_number(1));
}

static void keep(struct text *t, struct json_object *item, unsigned int first)
{
	set_lines(item, first, t->line);
	json_object_array_add(t->items, item);
	t->open = item;
}

static const char *kind_of(struct json_object *item)
{
	return json_object_get_string(json_object_object_get(item, "kind"));
}

/* Whether @to has another fact of the same name: then @item is about something else. */
static bool repeats(struct json_object *to, struct json_object *item)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	for (size_t i = 0; i < json_object_array_length(facts); i++) {
		struct json_object *fact = json_object_array_get_idx(facts, i);
		const char *name = json_object_get_string(json_object_object_get(fact, "name"));

		if (item_says(to, fact))
			continue;
		if (strcmp(name, "device") && strcmp(name, "assert_var") && item_has(to, name))
			return true;
	}
	return false;
}

static void append(struct json_object *to, struct json_object *item, const char *list)
{
	struct json_object *from = json_object_object_get(item, list);

	for (size_t i = 0; from && i < json_object_array_length(from); i++)
		item_list(to, list, json_object_get_string(json_object_array_get_idx(from, i)));
}

/* Before those of @to: a line that follows says more. */
static void prepend_causes(struct json_object *to, struct json_object *item)
{
	struct json_object *from = json_object_object_get(item, "causes");

	for (size_t i = from ? json_object_array_length(from) : 0; i; i--)
		item_list_first(to, "causes",
				json_object_get_string(json_object_array_get_idx(from, i - 1)));
}

/* Adds @item to the item of the lines before, and drops it. */
static void join(struct text *t, struct json_object *item)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	for (size_t i = 0; i < json_object_array_length(facts); i++) {
		struct json_object *fact = json_object_array_get_idx(facts, i);
		const char *name = json_object_get_string(json_object_object_get(fact, "name"));

		if ((!strcmp(name, "device") && item_has(t->open, name)) ||
		    item_says(t->open, fact))
			continue;
		json_object_array_add(json_object_object_get(t->open, "facts"),
				      json_object_get(fact));
	}
	struct json_object *summary = json_object_object_get(item, "summary");

	if (summary && !json_object_object_get(t->open, "summary"))
		json_object_object_add(t->open, "summary", json_object_get(summary));
	prepend_causes(t->open, item);
	append(t->open, item, "steps");
	append(t->open, item, "unknown");
	set_lines(t->open, 0, t->line);
	json_object_put(item);
}

/* What a dump in the next lines is: of a mailbox, the line has the opcode of its command. */
static void announce(struct text *t, const struct line_pattern *row, const char *line)
{
	const char *at = row ? strstr(line, "(0x") : NULL;

	t->dump = row ? row->dump : NULL;
	t->opcode = at ? (uint16_t)strtoul(at + 1, NULL, 16) : 0;
}

/* @first: the number of its first line. */
static bool take_pattern(struct text *t, const char *line, unsigned int first)
{
	const struct line_pattern *row;
	struct json_object *item = line_explain(line, t->open ? kind_of(t->open) : NULL, &row);

	if (!item)
		return false;
	announce(t, row, line);
	if (row && row->joins && t->open && !strcmp(kind_of(t->open), row->kind) &&
	    !repeats(t->open, item))
		join(t, item);
	else
		keep(t, item, first);
	return true;
}

static bool has_pattern(const char *line)
{
	const struct line_pattern *row;
	struct json_object *item = line_explain(line, NULL, &row);

	json_object_put(item);
	return row;
}

/* Joins @first and lines that follow, with @between, until they have @word and are known. */
static bool take_joined(struct text *t, const char *first, const char *between,
			const char *word)
{
	static char whole[WRAPPED * LINE_BYTES];
	struct text saved = *t;
	char line[LINE_BYTES];

	snprintf(whole, sizeof(whole), "%s", first);
	for (int i = 1; i < WRAPPED && next_line(t, line) && !row_of(line); i++) {
		size_t used = strlen(whole);

		snprintf(whole + used, sizeof(whole) - used, "%s%s", between, line);
		if (strstr(whole, word) && has_pattern(whole) &&
		    take_pattern(t, whole, saved.line))
			return true;
	}
	t->at = saved.at;
	t->line = saved.line;
	return false;
}

/* A line that a mailer wrapped, between words, or a terminal, anywhere. */
static bool take_wrapped(struct text *t, const char *first)
{
	if (strstr(first, "handle_wc]"))
		return take_joined(t, first, " ", " qp_idx ") ||
		       take_joined(t, first, "", " qp_idx ");
	return (strstr(first, "op_mod(") || strstr(first, "mlx5_c")) &&
	       take_joined(t, first, " ", "op_mod(");
}

static void leave_out(struct text *t, unsigned int number, const char *line)
{
	char safe[4 * 160], cut[160];
	struct json_object *one;

	t->open = NULL;
	t->dump = NULL;
	if (t->other++ >= OTHERS)
		return;
	snprintf(cut, sizeof(cut), "%.*s", (int)sizeof(cut) - 1, line);
	one = json_object_new_object();
	json_object_object_add(one, "line", dvfw_json_number(number));
	json_object_object_add(one, "text",
			       json_object_new_string(prm_visible(safe, sizeof(safe), cut)));
	json_object_array_add(t->others, one);
}

/* A dump of something else: its first line is shown, all are counted. One line may be no dump at all. */
static bool skip_dump(struct text *t, unsigned int first, const char *line)
{
	if (t->line == first)
		return false;
	leave_out(t, first, line);
	t->other += t->line - first;
	return true;
}

static bool take_dump(struct text *t, const char *line)
{
	static uint8_t bytes[BOX_BYTES];
	const char *row = row_of(line), *kind = t->kind ? t->kind : t->dump;
	unsigned int first = t->line;
	struct facts f = { .opcode = t->opcode };
	size_t n = row ? gather(t, row, bytes) : 0;

	kind = n && !kind ? bytes_guess(bytes, n) : kind;
	if (!n || !kind)
		return skip_dump(t, first, line);
	if (t->dump && t->open) {
		f.item = t->open;
		set_lines(f.item, 0, t->line);
	} else {
		f.item = item_new(kind, "a dump");
		keep(t, f.item, first);
	}
	item_fact(f.item, "dump", "%zu bytes, read as: %s%s", n, kind,
		  t->dump || t->kind ? "" : " (a guess: --kind says what it is)");
	bytes_explain(&f, kind, bytes, n);
	t->dump = NULL;
	t->open = NULL;
	return true;
}

/* "0x2c4154", "syndrome 0x2c4154", "(0x2c4154)": of a firmware command; of 8 bits: of a CQE. */
static bool take_syndrome(struct text *t, const char *line)
{
	const char *at = strstr(line, "0x");
	struct facts f = { 0 };
	char number[16];
	size_t n;

	if (!at || (size_t)(at - line) > strlen("syndrome = ("))
		return false;
	n = strspn(at + 2, "0123456789abcdefABCDEF");
	if (!n || n > 8 || at[2 + n + strspn(at + 2 + n, ") ")])
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)(n + 2), at);
	if (strtoul(number, NULL, 16) <= UINT8_MAX) {
		f.item = item_new("syndrome", "a number of 8 bits");
		fact_add(&f, "syndrome", number);
		fact_add(&f, "vendor", number);
	} else {
		f.item = item_new("syndrome", "a syndrome of a firmware command");
		fact_add(&f, "fw_syndrome", number);
	}
	keep(t, f.item, t->line);
	t->open = NULL;
	return true;
}

static void take_line(struct text *t, const char *line)
{
	if (!*line)
		return;
	if (!take_dump(t, line) && !take_pattern(t, line, t->line) && !take_wrapped(t, line) &&
	    !take_syndrome(t, line))
		leave_out(t, t->line, line);
}

/* ---- the same again ---- */

static bool same(struct json_object *a, struct json_object *b)
{
	return json_object_equal(json_object_object_get(a, "title"),
				 json_object_object_get(b, "title")) &&
	       json_object_equal(json_object_object_get(a, "facts"),
				 json_object_object_get(b, "facts")) &&
	       json_object_equal(json_object_object_get(a, "fields"),
				 json_object_object_get(b, "fields"));
}

/* The items, each once; how often it was there is its "times". */
static struct json_object *once(struct json_object *items)
{
	struct json_object *kept = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(items); i++) {
		struct json_object *item = json_object_array_get_idx(items, i);
		size_t n = json_object_array_length(kept), at = n;

		while (at && n - at < COMPARED &&
		       !same(json_object_array_get_idx(kept, at - 1), item))
			at--;
		if (!at || n - at >= COMPARED) {
			json_object_array_add(kept, json_object_get(item));
			continue;
		}
		struct json_object *first = json_object_array_get_idx(kept, at - 1);
		int64_t times = json_object_get_int64(json_object_object_get(first, "times"));

		json_object_object_add(first, "times",
				       dvfw_json_number((unsigned long long)times + 1));
	}
	json_object_put(items);
	return kept;
}

struct json_object *explain_read(const char *kind, const char *text, size_t n)
{
	struct json_object *top = json_object_new_object();
	struct text t = { .kind = kind, .at = text, .end = text + n };
	char line[LINE_BYTES];

	t.items = json_object_new_array();
	t.others = json_object_new_array();
	while (next_line(&t, line))
		take_line(&t, line);
	json_object_object_add(top, "explained", once(t.items));
	json_object_object_add(top, "not_understood", dvfw_json_number(t.other));
	json_object_object_add(top, "first_not_understood", t.others);
	return top;
}
