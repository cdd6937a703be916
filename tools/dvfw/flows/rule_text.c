/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a rule: from words, with the place of an error, and what it means to the device.
 *
 *	rule     ingress pattern eth / end actions drop / end
 *	criteria 0x01 outer_headers
 *	value    …
 *	mask     …
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "flow/match.h"
#include "prm/table.h"
#include "rules.h"

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

void rule_point(const char *text, struct dv_flow_error *e)
{
	dv_flow_error_place(e, text);
	if (e->column)
		fprintf(stderr, "%.*s<- here\n", (int)e->column - 1, text);
}

int rule_refused(const struct dvfw *d, const char *text, struct dv_flow_error *e)
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

static void print_text(const char *canonical, const struct dv_flow_match *match)
{
	static const char *const blocks[] = { "outer_headers",	   "misc_parameters",
					      "inner_headers",	   "misc_parameters_2",
					      "misc_parameters_3", "misc_parameters_4",
					      "misc_parameters_5" };

	printf("rule     %s\ncriteria 0x%02x", canonical, match->criteria);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		if (match->criteria >> i & 1)
			printf(" %s", blocks[i]);
	printf("\n");
	print_part("value", match->value);
	print_part("mask", match->mask);
}

static void print_json(const char *canonical, const struct dv_flow_match *match)
{
	struct json_object *o = json_object_new_object();

	json_set(o, "rule", canonical);
	json_set(o, "criteria", match->criteria);
	json_set(o, "value", json_hex(match->value, FLOW_MATCH_BYTES));
	json_set(o, "mask", json_hex(match->mask, FLOW_MATCH_BYTES));
	dvfw_print_json(o);
}

static int check(struct dvfw *d, const struct dv_flow_rule *rule,
		 const struct dv_flow_match *match)
{
	uint8_t type = rule->transfer ? PRM_FT_TYPE_FDB
		       : rule->egress ? PRM_FT_TYPE_NIC_TX
				      : PRM_FT_TYPE_NIC_RX;
	struct dv_flow_error error;

	if (dvfw_open(d))
		return DVFW_REFUSED;
	return dv_flow_match_check(d->ctx, type, match, &error)
		       ? dvfw_refused(d, "%s", error.message)
		       : DVFW_OK;
}

int rule_explain(struct dvfw *d, const char *text, bool device)
{
	static char canonical[FLOW_TEXT_MAX];
	static struct dv_flow_rule rule;
	struct dv_flow_match match;
	struct dv_flow_error error;

	if (dv_flow_parse(&rule, text, &error) || dv_flow_match_build(&match, &rule, &error))
		return rule_refused(d, text, &error);
	dv_flow_print(&rule, canonical, sizeof(canonical));
	if (d->json)
		print_json(canonical, &match);
	else
		print_text(canonical, &match);
	return device ? check(d, &rule, &match) : DVFW_OK;
}
