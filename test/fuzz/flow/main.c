/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz_flow [--seed N] [--count N]
 *
 * Texts of flow rules, composed of the parser's words and damaged. Whatever is accepted must
 * have a canonical form that means the same rule and is its own canonical form; whatever is
 * refused, a message and a column within the text. Match parameters have no value outside their
 * mask. Memory errors are the sanitizers'.
 *
 *	test_fuzz_flow --seed 4711 --count 500		the round with that seed again, alone
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flow/match.h>

#include "fuzz/round.h"
#include "text.h"

#define ROUND 500

static void check_refused(const char *text, const struct dv_flow_error *error)
{
	FUZZ_CHECK(error->column >= 1 && error->column <= strlen(text) + 1, "column %u of %s",
		   error->column, text);
	FUZZ_CHECK(error->message[0], "no message for %s", text);
}

static void check_accepted(const char *text, const struct dv_flow_rule *rule)
{
	static char first[FLOW_TEXT_MAX], second[FLOW_TEXT_MAX];
	static struct dv_flow_rule again;
	struct dv_flow_error error;

	FUZZ_CHECK(dv_flow_print(rule, first, sizeof(first)) < sizeof(first), "too long: %s",
		   text);
	FUZZ_CHECK(!dv_flow_parse(&again, first, &error), "%s\nbecame %s\n%s", text, first,
		   error.message);
	FUZZ_CHECK(!memcmp(rule, &again, sizeof(again)), "another rule: %s\n%s", text, first);
	dv_flow_print(&again, second, sizeof(second));
	FUZZ_CHECK(!strcmp(first, second), "not canonical: %s\n%s", first, second);
}

static void check_match(const char *text, const struct dv_flow_rule *rule)
{
	struct dv_flow_error error;
	struct dv_flow_match match;

	if (dv_flow_match_build(&match, rule, &error)) {
		FUZZ_CHECK(error.message[0] && !error.column, "no message for %s", text);
		return;
	}
	for (unsigned int i = 0; i < FLOW_MATCH_BYTES; i++)
		FUZZ_CHECK(!(match.value[i] & ~match.mask[i]), "byte %u of %s", i, text);
}

/* The text is on the heap, without a byte after its end. */
static bool run_case(void)
{
	static struct dv_flow_rule rule;
	struct dv_flow_error error;
	char *text = text_make();
	bool accepted = !dv_flow_parse(&rule, text, &error);

	if (accepted)
		check_accepted(text, &rule), check_match(text, &rule);
	else
		check_refused(text, &error);
	free(text);
	return accepted;
}

int main(int argc, char **argv)
{
	struct round_options o = round_options(argc, argv, 100000, false);
	uint64_t accepted = 0;

	round_setup("test_fuzz_flow", ROUND);
	printf("seed %" PRIu64 ", %" PRIu64 " cases\n", o.seed, o.count);
	for (uint64_t at = 0; at < o.count; at += ROUND) {
		round_begin(o.seed + at / ROUND);
		for (int i = 0; i < ROUND; i++)
			accepted += run_case();
		round_end();
	}
	printf("%" PRIu64 " rules accepted: nothing found\n", accepted);
	FUZZ_CHECK(accepted > o.count / 10, "nearly all are refused: this tests little");
	return 0;
}
