/* SPDX-License-Identifier: BSD-2-Clause */
/* The HTML page: head, style, table of contents, sections. */
#include <string.h>

#include "base/base.h"
#include "page.h"
#include "text.h"

static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1c1e21;--dim:#62676d;--line:#d5d8dc;"
	"--soft:#f4f5f7;--bad:#b3261e}\n"
	"@media (prefers-color-scheme:dark){:root{--bg:#16181b;--fg:#e4e6e9;--dim:#9ba1a8;"
	"--line:#3a3f45;--soft:#202327;--bad:#ff8a80}}\na{color:inherit}\n"
	"body{background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif;"
	"max-width:62rem;margin:2rem auto;padding:0 1rem}\n"
	"h1,h2,h3{line-height:1.2;overflow-wrap:anywhere}h2{margin-top:3rem;border-bottom:1px solid var(--line)}\n"
	"figure{margin:1.5rem 0}figure svg{width:100%;height:auto;display:block}.narrow{display:none}\n"
	"@media screen and (max-width:42rem){.wide{display:none}.narrow{display:block}}\n"
	"nav ul{columns:16rem;padding-left:1.2rem}\n"
	".dim{color:var(--dim)}code{font-family:ui-monospace,monospace;font-size:.9em}\n"
	"code{overflow-wrap:anywhere}.bad{border-left:4px solid var(--bad);background:var(--soft);padding:.4rem .8rem}"
	".bad b{color:var(--bad)}\n"
	".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;"
	"font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
	"white-space:nowrap}th:first-child,td:first-child,.text td{text-align:left}\n"
	"@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;--line:#999;--soft:#fff}"
	"body{max-width:none;margin:0;font-size:10pt}nav{display:none}h2{break-before:page}"
	"section:first-of-type h2{break-before:auto}svg,tr,li,.bad{break-inside:avoid}"
	".wide,figcaption b{break-after:avoid}.scroll{overflow:visible}th,td{white-space:normal;padding:.1rem .3rem}"
	"table{font-size:7pt}}\n"
	"thead th{background:var(--soft)}.text td{white-space:normal}summary{cursor:pointer}\n";

static void put(FILE *out, const char *text)
{
	text_put(out, TEXT_HTML, text);
}

void page_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
	      out);
	put(out, title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	put(out, title);
	fputs("</h1>\n", out);
}

void page_end(FILE *out)
{
	fputs("<p class=\"dim\">Written by dvperf " DVKIT_VERSION ".</p>\n</body>\n</html>\n",
	      out);
}

static void put_heading(FILE *out, const struct record *r)
{
	put(out, r->preset ? r->preset : r->name);
}

void page_contents(FILE *out, const struct record *sections, size_t n)
{
	if (n < 2)
		return;
	fputs("<nav><ul>\n", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<li><a href=\"#result%zu\">", i + 1);
		put_heading(out, &sections[i]);
		fputs("</a></li>\n", out);
	}
	fputs("</ul></nav>\n", out);
}

/* ---- a section ---- */

static void put_reasons(FILE *out, const struct record *r)
{
	struct json_object *reasons = json_object_new_object();

	record_reasons(r, reasons);
	if (json_object_object_length(reasons)) {
		fputs("<div class=\"bad\"><b>Not to be trusted:</b><ul>\n", out);
		json_object_object_foreach(reasons, reason, value)
		{
			(void)value;
			fputs("<li>", out);
			put(out, reason);
			fputs("</li>\n", out);
		}
		fputs("</ul></div>\n", out);
	} else {
		fputs("<p class=\"dim\">dvperf found no reason to distrust these "
		      "results.</p>\n",
		      out);
	}
	json_object_put(reasons);
}

static void put_command(FILE *out, const struct record *r)
{
	struct json_object *command = NULL;

	json_object_object_get_ex(r->all, "command", &command);
	if (!json_object_is_type(command, json_type_array))
		return;
	fputs("<p class=\"dim\"><code>", out);
	for (size_t i = 0; i < json_object_array_length(command); i++) {
		const char *word =
			json_object_get_string(json_object_array_get_idx(command, i));

		fputs(i ? " " : "", out);
		put(out, word ? word : "");
	}
	fputs("</code></p>\n", out);
}

static void put_caption(FILE *out, const struct chart *c)
{
	enum metric m = c->plan->y;

	fputs("<figcaption><b>", out);
	put(out, c->figure.title);
	fputs("</b> over ", out);
	put(out, c->x);
	fprintf(out, "; %s is better. <code>%s</code>",
		c->plan->less_is_better ? "less" : "more", metric_name(m));
	if (*metric_meaning(m)) {
		fputs(": ", out);
		put(out, metric_meaning(m));
	}
	fprintf(out, ". %s", c->plan->bars ? c->plan->bars : "");
	if (c->figure.source) {
		fputs(" The axes on the right have what others published: ", out);
		put(out, c->figure.source);
		fputs("; their machine is another one, so compare the shapes, not the heights.",
		      out);
	}
	if (c->more)
		fprintf(out, " More than %d lines: the rest is in the table only.", MAX_SERIES);
	fputs("\n<ul>\n", out);
	chart_words(c, out);
	fputs("</ul></figcaption>\n", out);
}

/* One picture, in @part of the page that has the class @shown. */
static bool put_picture(FILE *out, struct figure f, const char *id, const char *shown)
{
	bool drawn;

	f.id = id;
	fprintf(out, "<div class=\"%s\">\n", shown);
	drawn = !figure_write(&f, out);
	if (!drawn)
		fputs("<p class=\"bad\">Here is no figure: gnuplot could not draw it.</p>\n",
		      out);
	fputs("</div>\n", out);
	return drawn;
}

/* For a wide window, and for a narrow one, in which panels are below each other. */
static bool put_pictures(FILE *out, const struct figure *f, const char *name)
{
	struct figure narrow = *f;
	bool drawn = put_picture(out, *f, name, "wide");
	char id[80];

	narrow.narrow = true;
	for (int part = FIGURE_MEASURED; drawn && part <= FIGURE_PUBLISHED; part++) {
		narrow.part = (enum figure_part)part;
		snprintf(id, sizeof(id), "%s-narrow%d", name, part);
		if (figure_has(&narrow, narrow.part))
			drawn &= put_picture(out, narrow, id, "narrow");
	}
	return drawn;
}

static bool put_figures(FILE *out, const struct record *r, const struct axes *a, size_t number)
{
	static struct chart c;
	unsigned int n = 0;
	bool all = true;
	char name[64];

	for (const struct plan *p = NULL; (p = chart_next(p, r, a));) {
		chart_make(&c, p, r, a);
		snprintf(name, sizeof(name), "result%zu-figure%u", number, ++n);
		fputs("<figure>\n", out);
		all &= put_pictures(out, &c.figure, name);
		put_caption(out, &c);
		fputs("</figure>\n", out);
		chart_free(&c);
	}
	if (!n)
		fputs("<p class=\"dim\">No figure: no numeric option has several values here.</p>\n",
		      out);
	return all;
}

bool page_section(FILE *out, const struct record *r, size_t number)
{
	struct axes a;
	bool all;

	fprintf(out, "<section id=\"result%zu\">\n<h2>", number);
	put_heading(out, r);
	fputs("</h2>\n", out);
	put_command(out, r);
	put_reasons(out, r);
	if (r->said) {
		fputs("<p><b>Published:</b> ", out);
		put(out, r->said);
		fputs(".</p>\n", out);
	}
	if (r->about) {
		fputs("<p><b>About:</b> ", out);
		put(out, r->about);
		fputs(".</p>\n", out);
	}
	axes_find(&a, r);
	all = put_figures(out, r, &a, number);
	page_tables(out, r, &a);
	fputs("</section>\n", out);
	return all;
}
