/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw watch: what changes in a register or in the answer of a command.
 *
 *	read -> read -> fields that differ: "    1.0 a_octets_received_ok = 4096 (+1024, 1024.0/s)"
 *	         '- again, until ^C or --count
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "devx/devx.h"
#include "exchange.h"
#include "reading.h"
#include "reg.h"
#include "screen.h"

struct request {
	struct dvfw *dvfw;
	double interval;
	unsigned long count; /* readings; 0: until ^C */
	char *word[ARGUMENTS_MAX];
	int words;
};

/* What is read: one of the two. */
static struct watched {
	bool is_reg;
	struct reg reg;
	struct exchange x;
} now;

static int begin(struct request *r)
{
	struct suggest near;
	const struct prm_reg *reg = reg_find(r->word[0], &near);
	int status;

	now.is_reg = reg;
	if (reg)
		return reg_begin(r->dvfw, &now.reg, reg, r->word + 1, r->words - 1);
	status = exchange_begin(r->dvfw, &now.x, r->word[0]);
	if (!status)
		status = exchange_encode(r->dvfw, &now.x, r->word + 1, r->words - 1);
	if (!status && strncmp(now.x.cmd->name, "QUERY_", 6))
		return dvfw_usage(r->dvfw,
				  "%s is no query: watch repeats only what changes nothing",
				  now.x.cmd->name);
	return status;
}

static int read_now(struct request *r)
{
	struct devx_obj none = { 0 };

	if (now.is_reg)
		return reg_access(r->dvfw, &now.reg, PRM_REG_OP_READ);
	exchange_fit(&now.x);
	return exchange_send(r->dvfw, &now.x, &none, false);
}

static struct shown shown_now(void)
{
	return now.is_reg ? reg_shown(&now.reg)
			  : (struct shown){ .s = now.x.cmd->out,
					    .cmd = now.x.cmd,
					    .p = now.x.out.bytes,
					    .len = now.x.out.len,
					    .in = now.x.in.bytes,
					    .in_len = now.x.in.len };
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

	json_object_object_add(o, "seconds", json_object_new_double(since));
	json_object_object_add(o, "name", json_object_new_string(is->name));
	json_object_object_add(o, "before", dvfw_json_number(was->number));
	json_object_object_add(o, "value", dvfw_json_number(is->number));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

/* The two have the same fields: the selectors of unions are in the question. How many differ. */
static unsigned int compare(const struct request *r, const struct shown *before, double since,
			    double seconds)
{
	static struct reading_value a, b;
	struct shown after = shown_now();
	struct reading was, is;
	unsigned int n = 0;

	reading_begin(&was, before);
	reading_begin(&is, &after);
	while (reading_next(&was, &a) && reading_next(&is, &b)) {
		if (!differs(&a, &b))
			continue;
		n++;
		if (r->dvfw->json)
			json_change(&a, &b, since);
		else
			print_change(r->dvfw, &a, &b, since, seconds);
	}
	fflush(stdout);
	return n;
}

static int watch(struct request *r)
{
	static uint8_t bytes[BOX_BYTES];
	double start, last, t;
	unsigned int changes = 0;
	int status = read_now(r);

	start = last = dvfw_now();
	for (unsigned long i = 1; !status && i != r->count && screen_wait(r->interval); i++) {
		struct shown before = shown_now();

		memcpy(bytes, before.p, before.len);
		before.p = bytes;
		status = read_now(r);
		t = dvfw_now();
		if (!status)
			changes += compare(r, &before, t - start, t - last);
		last = t;
	}
	if (!status && !changes && !r->dvfw->json)
		printf("%8.1f nothing has changed\n", last - start);
	return status;
}

static void read_interval(struct argp_state *state, const char *value, void *member)
{
	char *end;
	double seconds = strtod(value, &end);

	if (!*value || *end || !(seconds >= 0.01) || seconds > 3600)
		argp_error(state, "'%s' is not a time from 0.01 to 3600 seconds", value);
	*(double *)member = seconds;
}

static void read_count(struct argp_state *state, const char *value, void *member)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!*value || *end || n < 2 || n > 1000000000)
		argp_error(state, "'%s' is not a number from 2 to 1000000000", value);
	*(unsigned long *)member = n;
}

static const struct option_row options[] = {
	{ "interval", 'i', "SECONDS", "Between two readings (default: 1)",
	  offsetof(struct request, interval), read_interval },
	{ "count", 'n', "N", "End after N readings", offsetof(struct request, count),
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
	static struct request r;
	int status;

	r.dvfw = d;
	r.interval = 1;
	r.words = arguments_parse(&syntax, d, argc, argv, &r, r.word);
	status = begin(&r);
	if (!status)
		status = dvfw_connect(d);
	return status ? status : watch(&r);
}
