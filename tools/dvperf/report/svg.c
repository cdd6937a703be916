/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script for gnuplot becomes SVG, which is made fit for a page:
 *
 *	script (a file) -> gnuplot -d -> SVG (a file) -> fit_line() -> out
 *
 * Files instead of pipes: neither process waits for the other.
 */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "svg.h"
#include "text.h"

/* ---- gnuplot ---- */

static int run_gnuplot(FILE *script, FILE *svg, FILE *errors)
{
	char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, NULL };
	posix_spawn_file_actions_t files;
	int status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(svg), STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(errors), STDERR_FILENO);
	failed = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed == ENOENT) {
		base_note(
			"no figure: gnuplot is not installed; Debian has it in the package gnuplot-nox");
		return -1;
	}
	if (failed) {
		base_note("no figure: gnuplot: %s", strerror(failed));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? 1 : 0;
}

/* gnuplot repeats the command, then says "line 3: what is wrong". */
static void say_why(FILE *errors)
{
	char line[512], why[512] = "it failed";

	rewind(errors);
	while (fgets(line, sizeof(line), errors)) {
		const char *text = line + strspn(line, " \t");

		if (!strncmp(text, "line ", 5))
			snprintf(why, sizeof(why), "%.*s", (int)strcspn(text, "\n"), text);
	}
	base_note("no figure: gnuplot: %s", why);
}

/* ---- its SVG ---- */

struct swap {
	const char *from, *to;
};

/* An explicit black would stay black on a dark page. */
static const struct swap swaps[] = {
	{ "color=\"black\"", "color=\"currentColor\"" },
	{ "fill=\"black\"", "fill=\"currentColor\"" },
	{ "fill = \"black\"", "fill=\"currentColor\"" },
	{ "stroke=\"black\"", "stroke=\"currentColor\"" },
	{ "stroke='black'", "stroke='currentColor'" },
	{ NULL, NULL },
};

/* Ids are of the whole page. */
static const struct swap ids[] = { { "id='", NULL },
				   { "id=\"", NULL },
				   { "href='#", NULL },
				   { "url(#", NULL },
				   { NULL, NULL } };

static const struct swap *match(const struct swap *table, const char *at)
{
	for (; table->from; table++)
		if (!strncmp(at, table->from, strlen(table->from)))
			return table;
	return NULL;
}

/* Everything but texts, which begin "<text>" and end within the line. */
static void fit_line(const char *id, const char *line, FILE *out)
{
	const char *text = strstr(line, "<text>");

	while (*line && line != text) {
		const struct swap *s = match(swaps, line);
		bool is_swap = s;

		if (!s && id)
			s = match(ids, line);
		if (!s) {
			fputc(*line++, out);
			continue;
		}
		fputs(is_swap ? s->to : s->from, out);
		if (!is_swap)
			fprintf(out, "%s-", id);
		line += strlen(s->from);
	}
	fputs(line, out);
}

/* From the element "<svg" on, which gets a name for screen readers. */
static int fit(const char *id, const char *title, FILE *svg, FILE *out)
{
	char *line = NULL;
	bool inside = !id, complete = false;
	size_t size = 0;

	rewind(svg);
	while (getline(&line, &size, svg) > 0) {
		complete |= !strncmp(line, "</svg>", 6);
		if (!strncmp(line, "<svg", 4)) {
			inside = true;
			fputs("<svg role=\"img\" aria-label=\"", out);
			text_put(out, TEXT_HTML, title);
			fprintf(out, "\"%s", line + 4);
		} else if (inside && strncmp(line, "<title>", 7) &&
			   strncmp(line, "<desc>", 6)) {
			fit_line(id, line, out);
		}
	}
	free(line);
	return complete ? 0 : -1;
}

int svg_write(FILE *script, const char *id, const char *title, FILE *out)
{
	FILE *svg = tmpfile(), *errors = tmpfile();
	int failed = -1;

	if (!svg || !errors) {
		base_note("no figure: a temporary file: %m");
	} else {
		rewind(script);
		failed = run_gnuplot(script, svg, errors);
		if (failed > 0 || (!failed && fit(id, title, svg, out))) {
			say_why(errors);
			failed = -1;
		}
	}
	if (svg)
		fclose(svg);
	if (errors)
		fclose(errors);
	return failed;
}
