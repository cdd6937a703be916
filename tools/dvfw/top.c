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

#include "arguments.h"
#include "counters.h"
#include "screen.h"

struct request {
	struct dvfw *dvfw;
	double interval;
	unsigned long iterations; /* 0: until q */
	unsigned long port;
	bool all;
};

static bool shown(const struct request *r, const struct counter *k)
{
	return r->all || k->value || k->before;
}

static void print_table(const struct request *r, const struct counters *c)
{
	const struct dvfw *d = r->dvfw;
	int room = screen_lines() - 3, left_out = 0;

	screen_home();
	printf("%s port %u, every %g s; q ends\n%s%-6s %-44s %20s %14s%s\n",
	       ibv_get_device_name(d->ctx->device), c->port, r->interval,
	       dvfw_paint(d, DVFW_FAINT), "from", "counter", "value", "per second",
	       dvfw_paint(d, DVFW_PLAIN));
	for (size_t i = 0; i < c->n; i++) {
		const struct counter *k = &c->all[i];
		double rate = counter_rate(c, k);

		if (!shown(r, k))
			continue;
		if (room-- <= 0) {
			left_out++;
			continue;
		}
		printf("%-6s %s%-44s%s %20" PRIu64 " %s%14.1f%s\n", k->source,
		       dvfw_paint(d, DVFW_NAME), k->name, dvfw_paint(d, DVFW_PLAIN), k->value,
		       dvfw_paint(d, rate > 0 ? DVFW_GOOD : DVFW_FAINT), rate,
		       dvfw_paint(d, DVFW_PLAIN));
	}
	if (left_out)
		printf("%d more do not fit", left_out);
	fflush(stdout);
}

/* On the emulator this process has a function in which nothing runs but dvfw; its tree is no sysfs. */
static const char *why_zero(const struct dvfw *d)
{
	if (strncmp(d->ctx->device->ibdev_path, "/sys/", 5) == 0)
		return "";
	return ": on the emulator each process is a function with separate counters; those of the "
	       "port count what all processes with its --fabric and --ip send and receive";
}

static void print_lines(const struct request *r, const struct counters *c, double since)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (shown(r, &c->all[i]) && ++n)
			printf("%8.1f %-6s %-44s %20" PRIu64 " %14.1f\n", since,
			       c->all[i].source, c->all[i].name, c->all[i].value,
			       counter_rate(c, &c->all[i]));
	if (!n)
		printf("%8.1f all %zu counters are zero%s\n", since, c->n, why_zero(r->dvfw));
	fflush(stdout);
}

static void print_json(const struct request *r, const struct counters *c, double since)
{
	struct json_object *all = json_object_new_object(), *list = json_object_new_array();

	json_object_object_add(all, "seconds", json_object_new_double(since));
	for (size_t i = 0; i < c->n; i++) {
		const struct counter *k = &c->all[i];
		struct json_object *one;

		if (!shown(r, k))
			continue;
		one = json_object_new_object();
		json_object_object_add(one, "source", json_object_new_string(k->source));
		json_object_object_add(one, "name", json_object_new_string(k->name));
		json_object_object_add(one, "value", dvfw_json_number(k->value));
		json_object_object_add(one, "rate", json_object_new_double(counter_rate(c, k)));
		json_object_array_add(list, one);
	}
	json_object_object_add(all, "counters", list);
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
	fflush(stdout);
	json_object_put(all);
}

static int watch(const struct request *r, struct counters *c)
{
	int status = counters_read(c);
	double start = c->when;
	bool table;

	if (status)
		return status;
	table = !r->dvfw->json && screen_begin();
	for (unsigned long i = 1; !status; i++) {
		if (table)
			print_table(r, c);
		else if (r->dvfw->json)
			print_json(r, c, c->when - start);
		else
			print_lines(r, c, c->when - start);
		if (i == r->iterations || !screen_wait(r->interval))
			break;
		status = counters_read(c);
	}
	screen_end();
	return status;
}

static void read_interval(struct argp_state *state, const char *value, void *member)
{
	double seconds;
	char *end;

	seconds = strtod(value, &end);
	if (!*value || *end || !(seconds >= 0.01) || seconds > 3600)
		argp_error(state, "'%s' is not a time from 0.01 to 3600 seconds", value);
	*(double *)member = seconds;
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
	  offsetof(struct request, interval), read_interval },
	{ "iterations", 'n', "N", "End after N readings", offsetof(struct request, iterations),
	  read_iterations },
	{ "port", 'p', "N", "The port (default: 1)", offsetof(struct request, port),
	  read_port },
	{ "all", 'a', NULL, "Counters that are zero, too", offsetof(struct request, all),
	  NULL },
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
	struct request r = { .dvfw = d, .interval = 1, .port = 1 };
	struct ibv_port_attr port;
	struct counters *c;
	int status;

	arguments_parse(&syntax, d, argc, argv, &r, NULL);
	status = dvfw_open(d);
	if (status)
		return status;
	if (ibv_query_port(d->ctx, (uint8_t)r.port, &port))
		return dvfw_usage(d, "the device has no port %lu", r.port);
	c = calloc(1, sizeof(*c));
	if (!c)
		return dvfw_refused(d, "no memory");
	c->dvfw = d;
	c->port = (uint8_t)r.port;
	status = watch(&r, c);
	free(c);
	return status;
}
