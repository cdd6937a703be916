/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A typing error is distinguished from an unrelated word.
 */
#include <criterion/criterion.h>

#include "dvfw.h"

static const char *ask(struct suggest *s, const char *word)
{
	suggest_begin(s, word);
	suggest_offer(s, "CREATE_QP");
	suggest_offer(s, "CREATE_CQ");
	suggest_offer(s, "QUERY_HCA_CAP");
	suggest_offer(s, "NOP");
	return suggest_text(s);
}

Test(dvfw_suggest, nearest)
{
	struct suggest s;

	cr_expect_str_eq(ask(&s, "CRAETE_QP"), "; did you mean 'CREATE_QP'?");
	cr_expect_str_eq(ask(&s, "create_cq_"), "; did you mean 'CREATE_CQ'?");
	cr_expect_str_eq(ask(&s, "QUERY_HCA"), "; did you mean 'QUERY_HCA_CAP'?");
	cr_expect_str_eq(ask(&s, "NPO"), "; did you mean 'NOP'?");
	cr_expect_str_eq(ask(&s, "foo"), ""); /* two letters of three */
	cr_expect_str_eq(ask(&s, "banana"), "");
	cr_expect_str_eq(ask(&s, ""), "");
}
