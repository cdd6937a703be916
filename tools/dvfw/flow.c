/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw flow: rules on the command line. The words of a rule are the arguments, so that it needs no quotes.
 *
 *	dvfw flow explain RULE		what the rule means to the device: text, match value and mask
 *	dvfw flow RULE			the same
 *	dvfw flow create RULE…		on the device, until ^C
 *	dvfw flow trace PACKET create RULE…	the way of a packet with these rules
 *
 * To explain, no device is needed, but with --device the fields are compared with what it can match.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "dvfw.h"
#include "flow/match.h"
#include "prm/table.h"
#include "rules.h"
#include "session.h"
#include "table.h"

struct request {
	struct dvfw *dvfw;
	bool device;
	const char *backend;
	unsigned long packets;
};

bool rule_join(char text[RULES_TEXT], char **word, int n)
{
	size_t len = 0;

	text[0] = 0;
	for (int i = 0; i < n; i++) {
		size_t more = strlen(word[i]) + 1;

		if (len + more >= RULES_TEXT)
			return false;
		len += (size_t)sprintf(text + len, "%s%s", i ? " " : "", word[i]);
	}
	return true;
}

void rule_point(const char *text, struct flow_error *e)
{
	flow_error_place(e, text);
	if (e->column)
		fprintf(stderr, "%.*s<- here\n", (int)e->column - 1, text);
}

int rule_refused(const struct dvfw *d, const char *text, struct flow_error *e)
{
	rule_point(text, e);
	return dvfw_usage(d, "%s%s%s", e->message, e->expected[0] ? "; expected: " : "",
			  e->expected);
}

static void print_part(const char *name, const uint8_t *bytes)
{
	char text[4096];

	prm_format(text, sizeof(text), prm_struct("fte_match_param"), bytes, FLOW_MATCH_BYTES,
		   PRM_LINE);
	printf("%-9s%s\n", name, text);
}

static void print_text(const char *canonical, const struct flow_match *match)
{
	static const char *const blocks[] = { "outer_headers",	   "misc_parameters",
					      "inner_headers",	   "misc_parameters_2",
					      "misc_parameters_3", "misc_parameters_4",
					      "misc_parameters_5" };

	printf("rule     %s\ncriteria 0x%02x", canonical, match->criteria);
	for (unsigned int i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (match->criteria >> i & 1)
			printf(" %s", blocks[i]);
	printf("\n");
	print_part("value", match->value);
	print_part("mask", match->mask);
}

static struct json_object *hex(const uint8_t *bytes)
{
	char text[2 * FLOW_MATCH_BYTES + 1];

	for (size_t i = 0; i < FLOW_MATCH_BYTES; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return json_object_new_string(text);
}

static void print_json(const char *canonical, const struct flow_match *match)
{
	struct json_object *o = json_object_new_object();

	json_set(o, "rule", canonical);
	json_set(o, "criteria", match->criteria);
	json_set(o, "value", hex(match->value));
	json_set(o, "mask", hex(match->mask));
	dvfw_print_json(o);
}

static int check(struct dvfw *d, const struct flow_rule *rule, const struct flow_match *match)
{
	uint8_t type = rule->transfer ? PRM_FT_TYPE_FDB
		       : rule->egress ? PRM_FT_TYPE_NIC_TX
				      : PRM_FT_TYPE_NIC_RX;
	struct flow_error error;

	if (dvfw_open(d))
		return DVFW_REFUSED;
	return flow_match_check(d->ctx, type, match, &error)
		       ? dvfw_refused(d, "%s", error.message)
		       : DVFW_OK;
}

int rule_explain(struct dvfw *d, const char *text, bool device)
{
	static char canonical[FLOW_TEXT_MAX];
	static struct flow_rule rule;
	struct flow_match match;
	struct flow_error error;

	if (flow_parse(text, &rule, &error) || flow_match_build(&rule, &match, &error))
		return rule_refused(d, text, &error);
	flow_print(&rule, canonical, sizeof(canonical));
	if (d->json)
		print_json(canonical, &match);
	else
		print_text(canonical, &match);
	return device ? check(d, &rule, &match) : DVFW_OK;
}

/* ---- the foreground ---- */

/* The words of the next rule, from *@at on: an argument with blanks, or all up to the word "create". */
static int next_rule(int n, char **word, int *at)
{
	int from;

	while (*at < n && !strcmp(word[*at], "create"))
		++*at;
	from = *at;
	while (*at < n && strcmp(word[*at], "create") != 0 && !strchr(word[*at], ' '))
		++*at;
	if (*at == from && *at < n)
		++*at;
	return *at - from;
}

static int install(struct session *s, const struct request *r, int n, char **word,
		   unsigned int *rules)
{
	char text[RULES_TEXT], backend[64];
	char *line[] = { "flow", "create", backend, text };
	int at = 0, words, status = DVFW_OK;

	snprintf(backend, sizeof(backend), "--backend=%s", r->backend ? r->backend : "");
	while (!status && (words = next_rule(n, word, &at))) {
		if (!rule_join(text, word + at - words, words))
			return dvfw_usage(s->dvfw, "the rule has more than %d characters",
					  RULES_TEXT - 1);
		if (!r->backend)
			line[2] = text;
		status = session_flow(s, r->backend ? 4 : 3, line);
		++*rules;
	}
	return status;
}

/* Counters, and the queues that had packets. */
static int report(struct session *s)
{
	char *query[] = { "flow", "query" }, *queues[] = { "flow", "queues" };
	int status = session_flow(s, 2, query);

	return status ? status : session_flow(s, 2, queues);
}

/* trace PACKET [create RULE…]: as if these rules were there. */
static int trace(const struct request *r, int n, char **word)
{
	static struct session s;
	unsigned int rules = 0;
	int status, end, words = 1;

	if (dvfw_open(r->dvfw))
		return DVFW_REFUSED;
	s.dvfw = r->dvfw;
	while (words < n && strcmp(word[words], "create") != 0)
		words++;
	status = install(&s, r, n - words, word + words, &rules);
	if (!status)
		status = session_trace(&s, words - 1, word + 1);
	end = session_end(&s);
	return status ? status : end;
}

static int create(const struct request *r, int n, char **word)
{
	static struct session s;
	unsigned int rules = 0;
	int status, end;

	if (dvfw_open(r->dvfw))
		return DVFW_REFUSED;
	s.dvfw = r->dvfw;
	status = install(&s, r, n, word, &rules);
	if (!status && !rules)
		status = dvfw_usage(r->dvfw, "which rule?");
	if (!status) {
		fprintf(stderr, "%u %s, until ^C\n", rules, rules == 1 ? "rule" : "rules");
		fflush(stdout);
		status = queues_wait(s.rules, r->packets, true);
	}
	if (!status)
		status = report(&s);
	end = session_end(&s);
	return status ? status : end;
}

/* ---- arguments ---- */

static void read_packets(struct argp_state *state, const char *value, void *member)
{
	uint64_t packets;

	if (!parse_number(value, &packets) || !packets)
		argp_error(state, "'%s' is not a number of packets", value);
	*(unsigned long *)member = packets;
}

static const struct option_row options[] = {
	{ "device", 0, NULL, "Explain: check what the device can match, too",
	  offsetof(struct request, device), NULL },
	{ "backend", 'b', "NAME",
	  "Create: by verbs, kernel, devx or dr (default: the first of the last three that can)",
	  offsetof(struct request, backend), NULL },
	{ "packets", 'n', "N", "Create: end when N packets came to the queues",
	  offsetof(struct request, packets), read_packets },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "RULE...\nexplain RULE...\ncreate RULE... [create RULE...]\n"
		    "trace [tx] [any] PACKET... [create RULE...]",
	.doc = "Shows what a flow rule, written as for DPDK's testpmd, means to the device, or "
	       "installs rules until ^C, or says which way a packet goes with such rules. In the shell rules can be listed, queried and destroyed, "
	       "too: 'dvfw shell', 'flow help'.",
	.missing = "which rule? as in: ingress pattern eth / ipv4 / end actions drop / end",
	.max = ARGUMENTS_MAX,
};

/* A verb of the shell that has a meaning only there. */
static bool is_verb(const char *word)
{
	const char *verb;

	for (unsigned int i = 0; (verb = session_flow_verb(i)); i++)
		if (!strcmp(verb, word))
			return true;
	return false;
}

int flow_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	char *word[ARGUMENTS_MAX], text[RULES_TEXT];
	int n = arguments_parse(&syntax, d, argc, argv, &r, word);
	bool explain = !strcmp(word[0], "explain") || !strcmp(word[0], "validate");

	if (!strcmp(word[0], "create"))
		return create(&r, n, word);
	if (!strcmp(word[0], "trace"))
		return trace(&r, n, word);
	if (!explain && is_verb(word[0]))
		return dvfw_usage(d,
				  "flow %s: in 'dvfw shell' and 'dvfw run'; rules end with the "
				  "process that made them",
				  word[0]);
	if (!rule_join(text, word + explain, n - explain))
		return dvfw_usage(d, "the rule has more than %d characters", RULES_TEXT - 1);
	return rule_explain(d, text, r.device);
}
