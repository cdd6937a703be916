/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw shell and dvfw run: the same lines, from a terminal or from a file.
 *
 *	shell   errors are printed, and the next line is read; history in
 *		$XDG_STATE_HOME/dvfw/history (~/.local/state/dvfw/history)
 *	run     the first error ends it, with exit status 1; a backslash at the end joins lines
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/base.h"
#include "complete.h"
#include "session/session.h"

#define HISTORY_LINES 1000

struct request {
	struct dvfw *dvfw;
	bool all, offsets, inbox, write;
	char *script;
};

static void begin(struct session *s, const struct request *r)
{
	s->dvfw = r->dvfw;
	s->show.all = r->all;
	s->show.offsets = r->offsets;
	s->inbox = r->inbox;
	s->write = r->write;
}

/* Makes the directories of the history's path and returns it; NULL: there is none. */
static const char *history_path(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (state && *state == '/')
		n = snprintf(path, size, "%s/dvfw/history", state);
	else if (home)
		n = snprintf(path, size, "%s/.local/state/dvfw/history", home);
	else
		return NULL;
	if (n < 0 || (size_t)n >= size)
		return NULL;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int err = mkdir(path, 0700) ? errno : 0;
		*slash = '/';
		if (err && err != EEXIST)
			return NULL;
	}
	return path;
}

/* A line from the terminal, or from a pipe without prompt and echo. The caller frees it. */
static char *read_one(bool terminal)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (terminal)
		return readline("dvfw> ");
	n = getline(&line, &size, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	return line;
}

static int interact(struct session *s)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	char path[512];
	const char *history = terminal ? history_path(path, sizeof(path)) : NULL;
	int status = DVFW_OK;
	char *line;

	if (terminal)
		complete_begin(s);
	if (history)
		read_history(history);
	while (!s->quit && (line = read_one(terminal))) {
		if (terminal && *line)
			add_history(line);
		if (session_line(s, line) && !terminal)
			status = DVFW_REFUSED;
		fflush(stdout);
		free(line);
	}
	if (terminal && !s->quit)
		putchar('\n');
	if (history) {
		stifle_history(HISTORY_LINES);
		write_history(history);
	}
	return status;
}

/* Reads a line into *line, with those that a backslash at the end joins to it; how many lines
 * that were, 0: the end. */
static unsigned int read_joined(FILE *f, char **line, size_t *size)
{
	char *more = NULL;
	size_t capacity = 0;
	unsigned int n = 1;
	ssize_t length = getline(line, size, f);

	if (length < 0)
		return 0;
	for (; length >= 2 && !strcmp(*line + length - 2, "\\\n"); n++) {
		ssize_t next = getline(&more, &capacity, f);
		char *joined;

		if (next < 0)
			break;
		joined = realloc(*line, (size_t)(length + next));
		if (!joined)
			break;
		*line = joined;
		*size = (size_t)(length + next);
		memcpy(joined + length - 2, more, (size_t)next + 1);
		length += next - 2;
	}
	free(more);
	return n;
}

static int run_script(struct session *s, const char *name)
{
	bool standard = !strcmp(name, "-");
	FILE *f = standard ? stdin : fopen(name, "r");
	struct dvfw *d = s->dvfw;
	int status = DVFW_OK;
	char *line = NULL;
	size_t size = 0;
	unsigned int n;

	if (!f)
		return dvfw_usage(d, "%s: %s", name, strerror(errno));
	d->file = standard ? "standard input" : name;
	d->line = 1;
	while (!status && !s->quit && (n = read_joined(f, &line, &size))) {
		if (session_line(s, line))
			status = DVFW_REFUSED;
		else
			d->line += n;
	}
	free(line);
	if (!standard)
		fclose(f);
	return status;
}

static const struct option_row options[] = {
	{ "all", 'a', NULL, "Show fields that are zero, too", offsetof(struct request, all),
	  NULL },
	{ "verbose", 'v', NULL, "Show where each field is", offsetof(struct request, offsets),
	  NULL },
	{ "inbox", 'i', NULL, "Show inboxes, too", offsetof(struct request, inbox), NULL },
	{ "write", 'w', NULL, "Let ACCESS_REGISTER_USER write", offsetof(struct request, write),
	  NULL },
	{ 0 },
};

static const struct syntax shell_syntax = {
	.options = options,
	.args_doc = "",
	.doc = "Reads commands from the terminal; 'help' lists them. Objects live until they are "
	       "destroyed or the shell ends.",
	.max = 1,
};

static const struct syntax run_syntax = {
	.options = options,
	.args_doc = "SCRIPT|-",
	.doc = "Executes the lines of a file, as 'dvfw shell' does; the first error ends it.",
	.max = 1,
};

static struct session session;

int shell_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	int status, end;

	arguments_parse(&shell_syntax, d, argc, argv, &r, &r.script);
	if (r.script)
		return dvfw_usage(d, "the shell takes no script; 'dvfw run %s' does", r.script);
	if (dvfw_open(d))
		return DVFW_REFUSED;
	begin(&session, &r);
	status = interact(&session);
	end = session_end(&session);
	return status ? status : end;
}

int run_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	int status, end;

	arguments_parse(&run_syntax, d, argc, argv, &r, &r.script);
	if (!r.script)
		return dvfw_usage(d, "run: which script?");
	if (access(r.script, R_OK) && strcmp(r.script, "-"))
		return dvfw_usage(d, "%s: %s", r.script, strerror(errno));
	if (dvfw_open(d))
		return DVFW_REFUSED;
	begin(&session, &r);
	status = run_script(&session, r.script);
	end = session_end(&session);
	return status ? status : end;
}
