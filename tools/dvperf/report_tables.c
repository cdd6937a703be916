/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "report_page.h"
#include "report_text.h"

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

static struct json_object *row_at(const struct record *r, size_t i)
{
	return json_object_array_get_idx(r->rows, i);
}

static size_t rows_of(const struct record *r)
{
	return json_object_array_length(r->rows);
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
	for (size_t i = 0; i < rows_of(r); i++)
		if (row_has(r, i, metric_name(m)))
			return true;
	return false;
}

static void put_head(FILE *out, const struct record *r, const struct axes *a, bool all)
{
	fputs("<thead><tr>", out);
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
		fputs("</th>", out);
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
			put_cell(out, "td", row_option(row_at(r, i), a->names[k]));
	for (int m = 0; m < METRICS; m++)
		if (is_there(r, (enum metric)m) && (all || is_main((enum metric)m)))
			put_cell(out, "td",
				 text_number(
					 row_metric(row_at(r, i), metric_name((enum metric)m)),
					 buf, sizeof(buf)));
}

static void put_rows(FILE *out, const struct record *r, const struct axes *a, bool all)
{
	struct json_object *reasons = json_object_new_object();

	record_reasons(r, reasons);
	fputs("<div class=\"scroll\"><table>\n", out);
	put_head(out, r, a, all);
	fputs("<tbody>\n", out);
	for (size_t i = 0; i < rows_of(r); i++) {
		fputs("<tr>", out);
		put_row(out, r, i, a, all);
		put_doubts(out, row_at(r, i), reasons);
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
		put(out, row_option(row_at(r, 0), a->names[k]));
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

static void put_environment(FILE *out, const struct record *r)
{
	if (!r->environment)
		return;
	fputs("<details open=\"open\"><summary>Environment</summary>\n<table class=\"text\"><tbody>\n",
	      out);
	environment_each(r->environment, put_pair, out);
	fputs("</tbody></table></details>\n", out);
}

static void put_counters(FILE *out, const struct record *r, const struct axes *a)
{
	struct json_object *counters;
	bool some = false;
	char words[512];

	for (size_t i = 0; i < rows_of(r); i++) {
		counters = json_object_object_get(row_at(r, i), "device_counters");
		if (!json_object_is_type(counters, json_type_object) ||
		    !json_object_object_length(counters))
			continue;
		if (!some)
			fputs("<details><summary>Counters of the device, after minus before"
			      "</summary>\n<table class=\"text\"><tbody>\n",
			      out);
		some = true;
		fputs("<tr>", out);
		row_words(row_at(r, i), &a->x, a->x ? 1 : 0, words, sizeof(words));
		fputs("<td>", out);
		put(out, words);
		fputs(a->x && a->n_told ? ", " : "", out);
		put(out, row_words(row_at(r, i), a->told, a->n_told, words, sizeof(words)));
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
		fputs("</tbody></table></details>\n", out);
}

void page_tables(FILE *out, const struct record *r, const struct axes *a)
{
	fputs("<h3>Rows</h3>\n", out);
	put_constants(out, r, a);
	put_rows(out, r, a, false);
	fputs("<p class=\"dim\">Doubts are numbered as in the list above.</p>\n"
	      "<details><summary>All metrics</summary>\n",
	      out);
	put_rows(out, r, a, true);
	fputs("</details>\n", out);
	put_counters(out, r, a);
	put_environment(out, r);
}
