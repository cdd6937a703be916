/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw top: counters of the device and how fast they grow.
 *
 *	terminal         a table that is redrawn; q or ^C ends it
 *	no terminal      lines: second, source, counter, value, rate
 *	--json           an object a reading, on one line
 *
 * Shown are the counters that are not zero. The first reading has no rates.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "ask/ask.h"
#include "base/base.h"
#include "counters.h"

struct top {
	struct watch watch; /* of which it is a preset */
	unsigned long port;
	bool all, table;
	struct counters c;
};

static enum dvfw_paint rate_paint(struct json_object *row)
{
	return json_object_get_double(json_get(row, "rate")) > 0 ? DVFW_GOOD : DVFW_FAINT;
}

static const struct column columns[] = {
	COLUMN("", "source", "%-6s"),
	COLUMN(" ", "name", "%-44s", .paint = DVFW_NAME),
	COLUMN(" ", "value", "%20llu"),
	COLUMN(" ", "rate", "%14.1f", .painted = rate_paint),
	{ 0 },
};

/* The counters that are shown. */
static struct json_object *rows_of(const struct top *t)
{
	struct json_object *rows = json_object_new_array(), *row;

	for (const struct counter *k = t->c.all; k < t->c.all + t->c.n; k++) {
		if (!t->all && !k->value && !k->before)
			continue;
		row = json_object_new_object();
		json_set(row, "source", k->source);
		json_set(row, "name", k->name);
		json_set(row, "value", k->value);
		json_set(row, "rate", counter_rate(&t->c, k));
		json_object_array_add(rows, row);
	}
	return rows;
}

static void print_table(const struct top *t, struct json_object *rows)
{
	const struct dvfw *d = t->watch.dvfw;
	int n = (int)json_object_array_length(rows), fit = screen_lines() - 3, i;

	screen_home();
	printf("%s port %u, every %g s; q ends\n%s%-6s %-44s %20s %14s%s\n",
	       ibv_get_device_name(d->ctx->device), t->c.port, t->watch.interval,
	       dvfw_paint(d, DVFW_FAINT), "from", "counter", "value", "per second",
	       dvfw_paint(d, DVFW_PLAIN));
	for (i = 0; i < n && i < fit; i++)
		row_print(d, columns, json_object_array_get_idx(rows, (size_t)i));
	if (i < n)
		printf("%d more do not fit", n - i);
}

/* On the emulator this process has a function in which nothing runs but dvfw; its tree is not
 * sysfs. */
static const char *why_zero(const struct dvfw *d)
{
	if (strncmp(d->ctx->device->ibdev_path, "/sys/", 5) == 0)
		return "";
	return ": on the emulator each process is a function with separate counters; those of the "
	       "port count what all processes with its --fabric and --ip send and receive";
}

static void print_lines(const struct top *t, struct json_object *rows, double since)
{
	static const struct dvfw plain;
	size_t n = json_object_array_length(rows);

	for (size_t i = 0; i < n; i++) {
		printf("%8.1f ", since);
		row_print(&plain, columns, json_object_array_get_idx(rows, i));
	}
	if (!n)
		printf("%8.1f all %zu counters are zero%s\n", since, t->c.n,
		       why_zero(t->watch.dvfw));
}

static void print_json(struct json_object *rows, double since)
{
	struct json_object *all = json_object_new_object();

	json_set(all, "seconds", since);
	json_set(all, "counters", json_object_get(rows));
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
	json_object_put(all);
}

static int read_counters(struct watch *w)
{
	return counters_read(&((struct top *)w)->c);
}

static void show(struct watch *w, double since, double seconds)
{
	struct top *t = (struct top *)w;
	struct json_object *rows = rows_of(t);

	if (!seconds)
		t->table = !w->dvfw->json && screen_begin();
	if (t->table)
		print_table(t, rows);
	else if (w->dvfw->json)
		print_json(rows, since);
	else
		print_lines(t, rows, since);
	fflush(stdout);
	json_object_put(rows);
}

static void read_number(struct argp_state *state, const char *value, unsigned long max,
			unsigned long *n)
{
	char *end;

	*n = strtoul(value, &end, 10);
	if (!*value || *end || !*n || *n > max)
		argp_error(state, "'%s' is not a number from 1 to %lu", value, max);
}

static void read_iterations(struct argp_state *state, const char *value, void *member)
{
	read_number(state, value, 1000000000, member);
}

static void read_port(struct argp_state *state, const char *value, void *member)
{
	read_number(state, value, UINT8_MAX, member);
}

static const struct option_row options[] = {
	{ "interval", 'i', "SECONDS", "Between two readings (default: 1)",
	  offsetof(struct top, watch.interval), watch_read_interval },
	{ "iterations", 'n', "N", "End after N readings", offsetof(struct top, watch.count),
	  read_iterations },
	{ "port", 'p', "N", "The port (default: 1)", offsetof(struct top, port), read_port },
	{ "all", 'a', NULL, "Counters that are zero, too", offsetof(struct top, all), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.doc = "Shows vport, vnic and Q counters as they grow: on a terminal as a table that q "
	       "ends, otherwise line by line.",
	.surplus = "no argument is expected",
};

int top_run(struct dvfw *d, int argc, char **argv)
{
	static struct top t;
	struct ibv_port_attr port;
	int status;

	t = (struct top){
		.watch = { .dvfw = d, .interval = 1, .read = read_counters, .show = show },
		.port = 1
	};
	arguments_parse(&syntax, d, argc, argv, &t, NULL);
	status = dvfw_open(d);
	if (status)
		return status;
	if (ibv_query_port(d->ctx, (uint8_t)t.port, &port))
		return dvfw_usage(d, "the device has no port %lu", t.port);
	t.c.dvfw = d;
	t.c.port = (uint8_t)t.port;
	status = watch_loop(&t.watch);
	screen_end();
	return status;
}
