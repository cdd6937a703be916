/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A typing error is distinguished from an unrelated word.
 */
#include <criterion/criterion.h>

#include "near/near.h"

static const char *ask(struct near *s, const char *word)
{
	near_begin(s, word);
	near_offer(s, "CREATE_QP");
	near_offer(s, "CREATE_CQ");
	near_offer(s, "QUERY_HCA_CAP");
	near_offer(s, "NOP");
	return near_text(s);
}

Test(near, nearest)
{
	struct near s;

	cr_expect_str_eq(ask(&s, "CRAETE_QP"), "; did you mean 'CREATE_QP'?");
	cr_expect_str_eq(ask(&s, "create_cq_"), "; did you mean 'CREATE_CQ'?");
	cr_expect_str_eq(ask(&s, "QUERY_HCA"), "; did you mean 'QUERY_HCA_CAP'?");
	cr_expect_str_eq(ask(&s, "NPO"), "; did you mean 'NOP'?");
	cr_expect_str_eq(ask(&s, "que"), "; did you mean 'QUERY_HCA_CAP'?");
	cr_expect_str_eq(ask(&s, "qu"), "");
	cr_expect_str_eq(ask(&s, "foo"), ""); /* two letters of three */
	cr_expect_str_eq(ask(&s, "banana"), "");
	cr_expect_str_eq(ask(&s, ""), "");
}
