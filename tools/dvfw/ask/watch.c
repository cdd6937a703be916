/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of a register or of the answer of a command: dvfw watch, watch in the shell; and the
 * loop of both and of dvfw top.
 *
 *	read -> read -> fields that differ: "    1.0 a_octets_received_ok = 4096 (+1024, 1024.0/s)"
 *	         '- again, until ^C or --count
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/ask.h"
#include "base/base.h"
#include "box/box.h"
#include "devx/devx.h"

struct request {
	struct watch watch;
	char *word[ARGUMENTS_MAX];
};

int watch_begin(struct watch *w, char **word, int n)
{
	struct near near;
	const struct prm_reg *reg = reg_find(word[0], &near);
	int status;

	w->is_reg = reg;
	if (reg)
		return reg_begin(w->dvfw, &w->reg, reg, word + 1, n - 1);
	status = exchange_begin(w->dvfw, w->x, word[0]);
	if (!status)
		status = exchange_encode(w->dvfw, w->x, word + 1, n - 1);
	if (!status && strncmp(w->x->cmd->name, "QUERY_", 6))
		return dvfw_usage(w->dvfw,
				  "%s is no query: watch repeats only what changes nothing",
				  w->x->cmd->name);
	return status;
}

int watch_loop(struct watch *w)
{
	int status = w->read(w);
	double start = dvfw_now(), last = start, now;

	if (!status)
		w->show(w, 0, 0);
	for (unsigned long i = 1; !status && i != w->count; i++) {
		w->interrupted = !screen_wait(w->interval);
		if (w->interrupted)
			break;
		status = w->read(w);
		now = dvfw_now();
		if (!status)
			w->show(w, now - start, now - last);
		last = now;
	}
	return status;
}

/* ---- what changes ---- */

static uint8_t before[BOX_BYTES]; /* the answer before the latest one */

static struct shown shown_now(const struct watch *w)
{
	return w->is_reg ? reg_shown(&w->reg)
			 : (struct shown){ .s = w->x->cmd->out,
					   .cmd = w->x->cmd,
					   .p = w->x->out.bytes,
					   .len = w->x->out.len,
					   .in = w->x->in.bytes,
					   .in_len = w->x->in.len };
}

static int read_now(struct watch *w)
{
	struct shown m = shown_now(w);

	if (m.p)
		memcpy(before, m.p, m.len);
	if (w->is_reg)
		return reg_access(w->dvfw, &w->reg, PRM_REG_OP_READ);
	exchange_fit(w->x);
	return exchange_send(w->dvfw, w->x, w->obj, false);
}

static bool differs(const struct reading_value *a, const struct reading_value *b)
{
	if (a->bytes && b->bytes)
		return a->count != b->count || memcmp(a->bytes, b->bytes, a->count);
	return a->number != b->number;
}

static void print_change(const struct dvfw *d, const struct reading_value *was,
			 const struct reading_value *is, double since, double seconds)
{
	/* It wraps at 2^bits. */
	uint64_t grown = is->number - was->number;

	if (is->bits < 64)
		grown &= (1ULL << is->bits) - 1;
	printf("%8.1f ", since);
	reading_print(d, is);
	if (was->word || is->word)
		printf(" (was %s)\n", was->word ? was->word : "0");
	else if (is->is_counter || (!is->bytes && is->bits >= 32))
		printf(" (+%" PRIu64 ", %.1f/s)\n", grown, (double)grown / seconds);
	else if (!is->bytes)
		printf(" (was 0x%" PRIx64 ")\n", was->number);
	else
		putchar('\n');
}

static void json_change(const struct reading_value *was, const struct reading_value *is,
			double since)
{
	struct json_object *o = json_object_new_object();

	json_set(o, "seconds", since);
	json_set(o, "name", is->name);
	json_set(o, "before", was->number);
	json_set(o, "value", is->number);
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

/* The two have the same fields: the selectors of unions are in the question. */
static void show_changes(struct watch *w, double since, double seconds)
{
	static struct reading_value a, b;
	const struct dvfw *d = w->dvfw;
	struct shown after = shown_now(w), old = after;
	struct reading was, is;

	if (!seconds) {
		if (isatty(STDOUT_FILENO) && !d->json)
			printf("%severy %g s%s%s\n", dvfw_paint(d, DVFW_FAINT), w->interval,
			       w->count ? "" : ", until ^C", dvfw_paint(d, DVFW_PLAIN));
		return;
	}
	w->since = since;
	old.p = before;
	reading_begin(&was, &old);
	reading_begin(&is, &after);
	while (reading_next(&was, &a) && reading_next(&is, &b)) {
		if (!differs(&a, &b))
			continue;
		w->changes++;
		if (d->json)
			json_change(&a, &b, since);
		else
			print_change(d, &a, &b, since, seconds);
	}
	fflush(stdout);
}

int watch_changes(struct watch *w)
{
	int status;

	w->read = read_now;
	w->show = show_changes;
	status = watch_loop(w);
	if (w->interrupted && isatty(STDIN_FILENO))
		putchar('\n'); /* after the terminal's ^C */
	if (!status && !w->changes && !w->dvfw->json)
		printf("%8.1f nothing has changed\n", w->since);
	return status;
}

/* ---- the command line ---- */

bool watch_interval(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return *text && !*end && *seconds >= 0.01 && *seconds <= 3600;
}

bool watch_count(const char *text, unsigned long *count)
{
	char *end;

	*count = strtoul(text, &end, 10);
	return *text && !*end && *count >= 2 && *count <= 1000000000;
}

void watch_read_interval(struct argp_state *state, const char *value, void *member)
{
	if (!watch_interval(value, member))
		argp_error(state, "'%s' is not a time from 0.01 to 3600 seconds", value);
}

static void read_count(struct argp_state *state, const char *value, void *member)
{
	if (!watch_count(value, member))
		argp_error(state, "'%s' is not a number from 2 to 1000000000", value);
}

static const struct option_row options[] = {
	{ "interval", 'i', "SECONDS", "Between two readings (default: 1)",
	  offsetof(struct request, watch.interval), watch_read_interval },
	{ "count", 'n', "N", "End after N readings", offsetof(struct request, watch.count),
	  read_count },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "NAME FIELD=VALUE...",
	.doc = "Prints which fields change: of a register, or of the answer of a command that queries.",
	.missing = "which register or command?",
	.surplus = "more than 512 arguments",
	.max = ARGUMENTS_MAX,
};

int watch_run(struct dvfw *d, int argc, char **argv)
{
	static struct exchange x;
	static struct request r;
	static struct devx_obj none;
	int n, status;

	r.watch = (struct watch){ .dvfw = d, .interval = 1, .x = &x, .obj = &none };
	n = arguments_parse(&syntax, d, argc, argv, &r, r.word);
	status = watch_begin(&r.watch, r.word, n);
	if (!status)
		status = dvfw_connect(d);
	return status ? status : watch_changes(&r.watch);
}
