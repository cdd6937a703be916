/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw flow: rules on the command line. The words of a rule are the arguments, so that it needs
 * no quotes.
 *
 *	dvfw flow explain RULE		what the rule means to the device: text, match value and mask
 *	dvfw flow RULE			the same
 *	dvfw flow create RULE…		on the device, until ^C
 *	dvfw flow trace PACKET create RULE…	the way of a packet with these rules
 *	dvfw flow dump FILE		tables of mlx5dv_dr that the library has written to a file
 *
 * To explain, no device is needed, but with --device the fields are compared with what it can
 * match.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "dr_dump.h"
#include "rules.h"

struct request {
	struct dvfw *dvfw;
	bool device;
	const char *backend;
	unsigned long packets;
};

/* The words of the next rule, from *@at on: an argument with blanks, or all up to the word
 * "create". */
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

static int install(struct flows *f, const struct request *r, int n, char **word,
		   unsigned int *rules)
{
	char text[RULES_TEXT], backend[64];
	char *line[] = { "flow", "create", backend, text };
	int at = 0, words, status = DVFW_OK;

	snprintf(backend, sizeof(backend), "--backend=%s", r->backend ? r->backend : "");
	while (!status && (words = next_rule(n, word, &at))) {
		if (!rule_join(text, word + at - words, words))
			return dvfw_usage(f->dvfw, "the rule has more than %d characters",
					  RULES_TEXT - 1);
		if (!r->backend)
			line[2] = text;
		status = flows_verb(f, r->backend ? 4 : 3, line);
		++*rules;
	}
	return status;
}

/* Counters, and the queues that had packets. */
static int report(struct flows *f)
{
	char *query[] = { "flow", "query" }, *queues[] = { "flow", "queues" };
	int status = flows_verb(f, 2, query);

	return status ? status : flows_verb(f, 2, queues);
}

/* trace PACKET [create RULE…]: as if these rules were there. */
static int trace(const struct request *r, int n, char **word)
{
	struct flows f = { .dvfw = r->dvfw };
	unsigned int rules = 0;
	int status, words = 1;

	if (dvfw_open(r->dvfw))
		return DVFW_REFUSED;
	while (words < n && strcmp(word[words], "create") != 0)
		words++;
	status = install(&f, r, n - words, word + words, &rules);
	if (!status)
		status = flows_trace(&f, words - 1, word + 1);
	rules_close(f.rules);
	return status;
}

static int create(const struct request *r, int n, char **word)
{
	struct flows f = { .dvfw = r->dvfw };
	unsigned int rules = 0;
	int status;

	if (dvfw_open(r->dvfw))
		return DVFW_REFUSED;
	status = install(&f, r, n, word, &rules);
	if (!status && !rules)
		status = dvfw_usage(r->dvfw, "which rule?");
	if (!status) {
		fprintf(stderr, "%u %s, until ^C\n", rules, rules == 1 ? "rule" : "rules");
		fflush(stdout);
		status = queues_wait(f.rules, r->packets, true);
	}
	if (!status)
		status = report(&f);
	rules_close(f.rules);
	return status;
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
		    "trace [tx] [any] PACKET... [create RULE...]\ndump FILE",
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

	for (unsigned int i = 0; (verb = flows_verb_name(i)); i++)
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
	if (!strcmp(word[0], "dump"))
		return flows_dr_dump(d, n - 1, word + 1);
	if (!explain && is_verb(word[0]))
		return dvfw_usage(d,
				  "flow %s: in 'dvfw shell' and 'dvfw run'; rules end with the "
				  "process that made them",
				  word[0]);
	if (!rule_join(text, word + explain, n - explain))
		return dvfw_usage(d, "the rule has more than %d characters", RULES_TEXT - 1);
	return rule_explain(d, text, r.device);
}
