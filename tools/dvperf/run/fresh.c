/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * post --fresh: each repetition is of a process that is started for it, as by hand.
 *
 *	dvperf post ARGUMENT... --repeat=1 --json     once for each repetition: rows, in the order of the points
 *
 * Pages, caches and branch predictors of two processes differ, which repetitions within one do
 * not show: two runs then differ by more than their repetitions say.
 */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "model/model.h"
#include "post_repeats.h"
#include "run.h"

/* In the environment of the processes that are started here. */
#define PART "DVPERF_REPETITION"

static struct json_object *runs[MAX_REPEATS], *rows[MAX_REPEATS];
static unsigned int n_runs;
static size_t next_row;

bool fresh_asked(const struct options *o)
{
	return o->fresh && !getenv(PART);
}

void fresh_adjust(struct options *o)
{
	if (getenv(PART))
		o->csv = false;
}

/* ---- processes ---- */

static struct json_object *read_json(FILE *f)
{
	struct json_object *all;
	char *text = NULL;
	size_t size = 0;

	if (getdelim(&text, &size, 0, f) < 0)
		return NULL;
	all = json_tokener_parse(text);
	free(text);
	return all;
}

/* Its exit status is not 0 where it was interrupted; then it may have reported something. */
static struct json_object *run_once(char **argv)
{
	posix_spawn_file_actions_t files;
	struct json_object *all;
	int ends[2], status = 0;
	pid_t pid;
	FILE *f;

	base_ok(pipe(ends));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&files, ends[0]);
	posix_spawn_file_actions_addclose(&files, ends[1]);
	base_ok(posix_spawn(&pid, "/proc/self/exe", &files, NULL, argv, environ));
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	f = base_made(fdopen(ends[0], "r"));
	all = read_json(f);
	fclose(f);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status && !base_interrupted) /* it has said why */
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : DVPERF_FAILED);
	return all;
}

void fresh_collect(const struct options *o, int argc, char **argv)
{
	char **args = base_made(calloc((size_t)argc + 3, sizeof(*args)));
	char last[] = "--repeat=1", json[] = "--json";

	memcpy(args, argv, (size_t)argc * sizeof(*args));
	args[argc] = last;
	args[argc + 1] = json;
	base_ok(setenv(PART, "1", 1));
	for (int i = 0; i < o->repeats && !base_interrupted; i++) {
		runs[n_runs] = run_once(args);
		if (runs[n_runs] &&
		    json_object_object_get_ex(runs[n_runs], "rows", &rows[n_runs]))
			n_runs++;
		base_progress("post", (i + 1.0) / o->repeats, NAN);
	}
	base_ok(unsetenv(PART));
	free(args);
}

/* ---- their rows ---- */

static struct json_object *row_of(unsigned int run)
{
	return json_object_array_get_idx(rows[run], next_row);
}

/* Copies the doubts of a row, except that it has only one repetition. */
static void add_reasons(struct result *r, struct json_object *row)
{
	struct json_object *reasons = json_object_object_get(row, "not_trusted");

	for (size_t i = 0; i < json_object_array_length(reasons); i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(reasons, i));

		if (strncmp(text, "one repeat", 10))
			result_distrust(r, text);
	}
}

static void add_values(struct post_repeats *all, struct json_object *row)
{
	unsigned int n = all->n++;

	all->post[n] = row_metric(row, metric_name(METRIC_POST_CYCLES));
	all->mops[n] = row_metric(row, metric_name(METRIC_MOPS));
	all->poll[n] = row_metric(row, metric_name(METRIC_POLL_CYCLES));
	all->op[n] = row_metric(row, metric_name(METRIC_OP_CYCLES));
	all->polls = !isnan(all->poll[n]) && !isnan(all->op[n]);
}

/* Values that do not depend on time are those of the first. */
void fresh_point(struct report *rep, struct result *r)
{
	struct post_repeats all = { .n = 0 };
	struct json_object *env;

	if (n_runs && !json_object_object_get_ex(rep->all, "environment", NULL) &&
	    json_object_object_get_ex(runs[0], "environment", &env))
		json_object_object_add(rep->all, "environment", json_object_get(env));
	for (int m = 0; n_runs && m < METRICS && row_of(0); m++)
		r->m[m] = row_metric(row_of(0), metric_name((enum metric)m));
	for (unsigned int i = 0; i < n_runs; i++)
		if (row_of(i)) {
			add_reasons(r, row_of(i));
			add_values(&all, row_of(i));
		}
	next_row++;
	post_keep(r, &all);
	predict_post(r, clock_rate() / 1e9 * clock_core_ratio());
	r->nothing = !all.n;
	report_row(rep, r);
}
