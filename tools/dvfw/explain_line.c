/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of logs: the first row of explain_line.def that matches, and what its groups say. The patterns are
 * compiled when they are needed: a line that does not have a row's word does not need its pattern.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

#define GROUPS 12

static const struct line_pattern rows[] = {
#define EXPLAIN_LINE(kind, joins, dump, title, word, pattern, names, causes, steps) \
	{ kind, title, joins, dump, word, pattern, names, causes, steps },
#include "explain_line.def"
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* NULL: the pattern is wrong, which the tests would find. */
static const regex_t *compiled(size_t i)
{
	static regex_t made[ROWS];
	static enum { NOT_YET, GOOD, BAD } state[ROWS];

	if (state[i] == NOT_YET)
		state[i] = regcomp(&made[i], rows[i].pattern, REG_EXTENDED | REG_ICASE) ? BAD
											: GOOD;
	return state[i] == GOOD ? &made[i] : NULL;
}

/* Adds a fact for each group that has a name. */
static void add_groups(struct facts *f, const char *line, const char *names,
		       const regmatch_t *group)
{
	char name[32], text[512];

	for (int i = 1; *names && i < GROUPS; i++) {
		size_t n = strcspn(names, " ");

		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		names += n + (names[n] == ' ');
		if (group[i].rm_so < 0 || group[i].rm_eo == group[i].rm_so ||
		    !strcmp(name, "-"))
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(group[i].rm_eo - group[i].rm_so),
			 line + group[i].rm_so);
		fact_add(f, name, text);
	}
}

static struct json_object *explain_row(const struct line_pattern *row, const char *line,
				       const regmatch_t *group)
{
	struct facts f = { .item = item_new(row->kind, row->title) };

	fact_device_text(&f, line);
	add_groups(&f, line, row->names, group);
	facts_end(&f);
	item_list(f.item, "causes", row->causes);
	item_list(f.item, "steps", row->steps);
	return f.item;
}

/* A line of a program that is not in the table, with the text of ibv_wc_status_str(). */
static struct json_object *explain_status(const char *line)
{
	struct facts f = { .item = item_new("work_completion", "a work request failed") };

	fact_device_text(&f, line);
	if (fact_wc_text(&f, line)) {
		fact_vendor_text(&f, line);
		facts_end(&f);
		return f.item;
	}
	json_object_put(f.item);
	return NULL;
}

/* The first row that matches; @after: of those only that add to an item of this kind. */
static const struct line_pattern *find_row(const char *line, const char *after,
					   regmatch_t *group)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct line_pattern *row = &rows[i];
		const regex_t *re;

		if (after && (!row->joins || strcmp(row->kind, after)))
			continue;
		re = strcasestr(line, row->word) ? compiled(i) : NULL;
		if (re && !regexec(re, line, GROUPS, group, 0))
			return row;
	}
	return NULL;
}

struct json_object *line_explain(const char *line, const char *after,
				 const struct line_pattern **row)
{
	regmatch_t group[GROUPS];

	*row = after ? find_row(line, after, group) : NULL;
	if (!*row)
		*row = find_row(line, NULL, group);
	return *row ? explain_row(*row, line, group) : explain_status(line);
}
