/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw flow: what a flow rule means to the device: its canonical text, and match value and mask.
 *
 *	dvfw flow ingress pattern eth / ipv4 dst is 10.0.0.1 / end actions drop / end
 *
 * The words of the rule are the arguments, so that it needs no quotes. No device is needed, but with
 * --device the fields are compared with what it can match.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "dvfw.h"
#include "flow/match.h"
#include "prm/table.h"

struct request {
	struct dvfw *dvfw;
	bool device;
};

enum { TEXT_MAX = 8192 };

/* The words with blanks between. */
static bool join(char text[TEXT_MAX], char **word, int n)
{
	size_t len = 0;

	text[0] = 0;
	for (int i = 0; i < n; i++) {
		size_t more = strlen(word[i]) + 1;

		if (len + more >= TEXT_MAX)
			return false;
		len += (size_t)sprintf(text + len, "%s%s", i ? " " : "", word[i]);
	}
	return true;
}

/* A message of the parser, with the place under the text. */
static int refused(const struct dvfw *d, const char *text, const struct flow_error *e)
{
	if (e->column)
		fprintf(stderr, "%.*s<- here\n", (int)e->column - 1, text);
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

	json_object_object_add(o, "rule", json_object_new_string(canonical));
	json_object_object_add(o, "criteria", dvfw_json_number(match->criteria));
	json_object_object_add(o, "value", hex(match->value));
	json_object_object_add(o, "mask", hex(match->mask));
	dvfw_print_json(o);
}

static int check(struct request *r, const struct flow_rule *rule,
		 const struct flow_match *match)
{
	uint8_t type = rule->transfer ? PRM_FT_TYPE_FDB
		       : rule->egress ? PRM_FT_TYPE_NIC_TX
				      : PRM_FT_TYPE_NIC_RX;
	struct flow_error error;

	if (dvfw_open(r->dvfw))
		return DVFW_REFUSED;
	return flow_match_check(r->dvfw->ctx, type, match, &error)
		       ? dvfw_refused(r->dvfw, "%s", error.message)
		       : DVFW_OK;
}

static int show(struct request *r, const char *text)
{
	static char canonical[FLOW_TEXT_MAX];
	static struct flow_rule rule;
	struct flow_match match;
	struct flow_error error;

	if (flow_parse(text, &rule, &error) || flow_match_build(&rule, &match, &error))
		return refused(r->dvfw, text, &error);
	flow_print(&rule, canonical, sizeof(canonical));
	if (r->dvfw->json)
		print_json(canonical, &match);
	else
		print_text(canonical, &match);
	return r->device ? check(r, &rule, &match) : DVFW_OK;
}

static const struct option_row options[] = {
	{ "device", 0, NULL, "Check what the device can match",
	  offsetof(struct request, device), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "RULE...",
	.doc = "Shows what a flow rule, written as for DPDK's testpmd, means to the device.",
	.missing = "which rule? as in: ingress pattern eth / ipv4 / end actions drop / end",
	.max = ARGUMENTS_MAX,
};

int flow_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	char *word[ARGUMENTS_MAX], text[TEXT_MAX];
	int n = arguments_parse(&syntax, d, argc, argv, &r, word);

	if (!join(text, word, n))
		return dvfw_usage(d, "the rule has more than %d characters", TEXT_MAX - 1);
	return show(&r, text);
}
