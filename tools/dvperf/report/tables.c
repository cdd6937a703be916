/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a section: rows, counters, environment. */
#include <math.h>
#include <string.h>

#include "page.h"
#include "text.h"

static void put(FILE *out, const char *text)
{
	text_put(out, TEXT_HTML, text);
}

static void put_cell(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	put(out, text);
	fprintf(out, "</%s>", tag);
}

/* ---- rows ---- */

static bool is_main(enum metric m)
{
	static const enum metric main_ones[] = {
		METRIC_MOPS,	    METRIC_SPREAD,     METRIC_GBPS,	   METRIC_CYCLES,
		METRIC_DOORBELLS,   METRIC_CQES,       METRIC_PCIE_PART,   METRIC_LAT_50,
		METRIC_LAT_99,	    METRIC_POST_INSTR, METRIC_POST_CYCLES, METRIC_POLL_INSTR,
		METRIC_POLL_CYCLES, METRIC_OP_INSTR
	};

	for (size_t i = 0; i < sizeof(main_ones) / sizeof(*main_ones); i++)
		if (main_ones[i] == m)
			return true;
	return false;
}

static bool is_there(const struct record *r, enum metric m)
{
	for (size_t i = 0; i < record_rows(r); i++)
		if (row_has(r, i, metric_name(m)))
			return true;
	return false;
}

/* Whose row it is, in a job of ranks; beside its options. */
static const char *const of_ranks[] = { "rank", "host" };

static bool is_of_ranks(const struct record *r)
{
	return json_object_object_get_ex(record_row(r, 0), of_ranks[0], NULL);
}

static void put_rank(FILE *out, const struct record *r, size_t i)
{
	for (size_t k = 0; is_of_ranks(r) && k < 2; k++) {
		struct json_object *value =
			json_object_object_get(record_row(r, i), of_ranks[k]);

		put_cell(out, "td", value ? json_object_get_string(value) : "-");
	}
}

static void put_head(FILE *out, const struct record *r, const struct axes *a, bool all)
{
	fputs("<thead><tr>", out);
	for (size_t k = 0; is_of_ranks(r) && k < 2; k++)
		put_cell(out, "th", of_ranks[k]);
	for (size_t k = 0; k < a->n; k++)
		if (a->varies[k])
			put_cell(out, "th", a->names[k]);
	for (int m = 0; m < METRICS; m++) {
		if (!is_there(r, (enum metric)m) || !(all || is_main((enum metric)m)))
			continue;
		fputs("<th title=\"", out);
		put(out, metric_meaning((enum metric)m));
		fputs("\">", out);
		put(out, metric_name((enum metric)m));
		fputs(metric_is_modelled((enum metric)m) ? "<br/><i>modelled</i></th>"
							 : "</th>",
		      out);
	}
	fputs("<th>doubts</th></tr></thead>\n", out);
}

/* "1, 3": the numbers of a row's reasons in the list of all. */
static void put_doubts(FILE *out, struct json_object *row, struct json_object *all)
{
	struct json_object *reasons = json_object_object_get(row, "not_trusted");
	bool some = false;
	int number = 0;

	fputs("<td>", out);
	json_object_object_foreach(all, reason, value)
	{
		(void)value;
		number++;
		for (size_t i = 0; i < json_object_array_length(reasons); i++)
			if (!strcmp(json_object_get_string(
					    json_object_array_get_idx(reasons, i)),
				    reason)) {
				fprintf(out, "%s%d", some ? ", " : "", number);
				some = true;
				break;
			}
	}
	fputs(some ? "</td>" : "-</td>", out);
}

static void put_row(FILE *out, const struct record *r, size_t i, const struct axes *a, bool all)
{
	char buf[32];

	for (size_t k = 0; k < a->n; k++)
		if (a->varies[k])
			put_cell(out, "td", row_option(record_row(r, i), a->names[k]));
	for (int m = 0; m < METRICS; m++)
		if (is_there(r, (enum metric)m) && (all || is_main((enum metric)m)))
			put_cell(out, "td",
				 text_number(row_metric(record_row(r, i),
							metric_name((enum metric)m)),
					     buf, sizeof(buf)));
}

static void put_rows(FILE *out, const struct record *r, const struct axes *a, bool all)
{
	struct json_object *reasons = json_object_new_object();

	record_reasons(r, reasons);
	fputs("<div class=\"scroll\"><table>\n", out);
	put_head(out, r, a, all);
	fputs("<tbody>\n", out);
	for (size_t i = 0; i < record_rows(r); i++) {
		fputs("<tr>", out);
		put_rank(out, r, i);
		put_row(out, r, i, a, all);
		put_doubts(out, record_row(r, i), reasons);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	json_object_put(reasons);
}

static void put_constants(FILE *out, const struct record *r, const struct axes *a)
{
	bool some = false;

	fputs("<p class=\"dim\">In all rows: ", out);
	for (size_t k = 0; k < a->n; k++) {
		if (a->varies[k])
			continue;
		fputs(some ? ", " : "", out);
		put(out, a->names[k]);
		fputs(" ", out);
		put(out, row_option(record_row(r, 0), a->names[k]));
		some = true;
	}
	fputs(some ? ".</p>\n" : "nothing is the same.</p>\n", out);
}

/* ---- environment, counters ---- */

static void put_pair(const char *name, const char *value, void *arg)
{
	FILE *out = (FILE *)arg;

	fputs("<tr>", out);
	put_cell(out, "td", name);
	put_cell(out, "td", value);
	fputs("</tr>\n", out);
}

/* The member of @of that is called @name, as text; "" if there is none. */
static const char *text_of(struct json_object *of, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(of, json_type_object))
		json_object_object_get_ex(of, name, &value);
	return value ? json_object_get_string(value) : "";
}

static void put_environment(FILE *out, const struct record *r)
{
	struct json_object *device = NULL;

	if (!r->environment)
		return;
	json_object_object_get_ex(r->environment, "device", &device);
	fputs("<details><summary>Environment: ", out);
	put(out, text_of(r->environment, "cpu"));
	fputs(*text_of(device, "name") ? ", " : "", out);
	put(out, text_of(device, "name"));
	fputs(*text_of(device, "firmware") ? ", firmware " : "", out);
	put(out, text_of(device, "firmware"));
	fputs("</summary>\n<div class=\"scroll\"><table class=\"text\"><tbody>\n", out);
	environment_each(r->environment, put_pair, out);
	fputs("</tbody></table></div></details>\n", out);
}

static void put_counters(FILE *out, const struct record *r, const struct axes *a)
{
	struct json_object *counters;
	bool some = false;
	char words[512];

	for (size_t i = 0; i < record_rows(r); i++) {
		counters = json_object_object_get(record_row(r, i), "device_counters");
		if (!json_object_is_type(counters, json_type_object) ||
		    !json_object_object_length(counters))
			continue;
		if (!some)
			fputs("<details><summary>Counters of the device, after minus before"
			      "</summary>\n<div class=\"scroll\"><table class=\"text\"><tbody>\n",
			      out);
		some = true;
		fputs("<tr>", out);
		row_words(record_row(r, i), &a->x, a->x ? 1 : 0, words, sizeof(words));
		fputs("<td>", out);
		put(out, words);
		fputs(a->x && a->n_told ? ", " : "", out);
		put(out, row_words(record_row(r, i), a->told, a->n_told, words, sizeof(words)));
		fputs("</td><td>", out);
		json_object_object_foreach(counters, name, value)
		{
			put(out, name);
			fputs(" ", out);
			put(out, value ? json_object_get_string(value) : "-");
			fputs("; ", out);
		}
		fputs("</td></tr>\n", out);
	}
	if (some)
		fputs("</tbody></table></div></details>\n", out);
}

/* ---- other members than the rows ---- */

static void put_value(FILE *out, struct json_object *value)
{
	bool number = json_object_is_type(value, json_type_double) ||
		      json_object_is_type(value, json_type_int);
	char buf[32];

	if (number)
		put_cell(out, "td",
			 text_number(json_object_get_double(value), buf, sizeof(buf)));
	else
		put_cell(out, "td", value ? json_object_get_string(value) : "-");
}

/* An array of objects with the same members; the members are the columns. */
static void put_list(FILE *out, const struct record *r, const char *member, const char *title)
{
	struct json_object *list = NULL, *row;

	json_object_object_get_ex(r->all, member, &list);
	if (!json_object_is_type(list, json_type_array) || !json_object_array_length(list) ||
	    !json_object_is_type(json_object_array_get_idx(list, 0), json_type_object))
		return;
	fprintf(out, "<h3>%s</h3>\n<div class=\"scroll\"><table><thead><tr>", title);
	json_object_object_foreach(json_object_array_get_idx(list, 0), column, first)
	{
		(void)first;
		put_cell(out, "th", column);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		row = json_object_array_get_idx(list, i);
		fputs("<tr>", out);
		json_object_object_foreach(json_object_array_get_idx(list, 0), name, value)
		{
			put_value(out, json_object_is_type(row, json_type_object)
					       ? json_object_object_get(row, name)
					       : NULL);
			(void)value;
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

/* Of a job of ranks: by metric, over the ranks that post. */
static void put_over_ranks(FILE *out, const struct record *r)
{
	static const char *const columns[] = { "min", "median", "max" };
	struct json_object *spread = NULL, *sum = NULL;

	json_object_object_get_ex(r->all, "spread", &spread);
	json_object_object_get_ex(r->all, "sum", &sum);
	if (!json_object_is_type(spread, json_type_object))
		return;
	fputs("<h3>Over the ranks that post</h3>\n<div class=\"scroll\"><table><thead><tr>"
	      "<th>metric</th><th>least</th><th>median</th><th>most</th><th>sum</th></tr>"
	      "</thead>\n<tbody>\n",
	      out);
	json_object_object_foreach(spread, metric, value)
	{
		fputs("<tr>", out);
		put_cell(out, "td", metric);
		for (size_t k = 0; k < 3; k++)
			put_value(out, json_object_is_type(value, json_type_object)
					       ? json_object_object_get(value, columns[k])
					       : NULL);
		put_value(out, json_object_is_type(sum, json_type_object)
				       ? json_object_object_get(sum, metric)
				       : NULL);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

void page_tables(FILE *out, const struct record *r, const struct axes *a)
{
	fputs("<h3>Rows</h3>\n", out);
	put_constants(out, r, a);
	put_rows(out, r, a, false);
	fputs("<p class=\"dim\">Doubts are numbered as in the list above.</p>\n", out);
	put_over_ranks(out, r);
	put_list(out, r, "quoted",
		 "Others, measured once by the same method on another machine");
	put_list(out, r, "fits",
		 "What a doorbell costs: lines through time over doorbells; of "
		 "post they are modelled");
	fputs("<details><summary>All metrics</summary>\n", out);
	put_rows(out, r, a, true);
	fputs("</details>\n", out);
	put_counters(out, r, a);
	put_environment(out, r);
}
