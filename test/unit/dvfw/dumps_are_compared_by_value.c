/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw caps --diff: values are the same if they mean the same, whatever their spelling; a field
 * or a group that one side does not have differs; a group and a word narrow the comparison.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ask/caps_diff.h"
#include "lib/capture.h"

static struct json_object *tree(const char *text)
{
	struct json_object *t = json_tokener_parse(text);

	cr_assert_not_null(t, "%s", text);
	return t;
}

static bool same(const char *a, const char *b)
{
	struct json_object *x = tree(a), *y = tree(b);
	bool answer = caps_same(x, y);

	json_object_put(x);
	json_object_put(y);
	return answer;
}

Test(dumps_are_compared_by_value, spelling_does_not_matter)
{
	cr_expect(same("18", "18"));
	cr_expect(same("18", "\"0x12\""));
	cr_expect(same("\"0xffffffffffffffff\"", "18446744073709551615"));
	cr_expect(same("[1,2]", "[1,2]"));
	cr_expect(same("\"a0a1\"", "\"a0a1\""));
	cr_expect_not(same("18", "17"));
	cr_expect_not(same("[1,2]", "[1,2,3]"));
	cr_expect_not(same("\"a0a1\"", "\"a0a2\""));
	cr_expect(caps_same(NULL, NULL));
}

static const char one[] =
	"{\"device\":{\"name\":\"a\",\"fw_ver\":\"1.2.3\"},\"caps\":{"
	"\"GENERAL\":{\"current\":{\"log_max_qp\":18,\"log_max_cq\":24},\"max\":{\"log_max_qp\":18}},"
	"\"TLS\":{\"current\":{},\"max\":{}}}}";
static const char other[] =
	"{\"device\":{\"name\":\"b\",\"fw_ver\":\"4.5.6\"},\"caps\":{"
	"\"GENERAL\":{\"current\":{\"log_max_qp\":17,\"log_max_cq\":24,\"roce\":1},"
	"\"max\":{\"log_max_qp\":18}}}}";

/* The comparison's lines are in *out; returns its status. */
static int compare(const char *group, const char *word, char *out, size_t size)
{
	struct json_object *a = tree(one), *b = tree(other);
	struct dvfw d = { 0 };
	struct capture c;
	int status;

	capture_begin(&c, stdout);
	status = caps_diff(&d, a, b, group ? caps_group_find(group) : NULL, word);
	capture_end(&c, out, size);
	json_object_put(a);
	json_object_put(b);
	return status;
}

Test(dumps_are_compared_by_value, all_that_differs_is_named)
{
	char out[4096];

	cr_expect_eq(compare(NULL, NULL, out, sizeof(out)), DVFW_REFUSED);
	cr_expect_not_null(strstr(out, "a 1.2.3"));
	cr_expect_not_null(strstr(out, "b 4.5.6"));
	cr_expect_not_null(strstr(out, "GENERAL.log_max_qp "));
	cr_expect_not_null(strstr(out, "GENERAL.roce "));
	cr_expect_not_null(strstr(out, "TLS "));
	cr_expect_null(strstr(out, "log_max_cq"));
	cr_expect_null(strstr(out, "(max)"));
}

Test(dumps_are_compared_by_value, group_and_word_narrow_it)
{
	char out[4096];

	cr_expect_eq(compare("GENERAL", NULL, out, sizeof(out)), DVFW_REFUSED);
	cr_expect_null(strstr(out, "TLS"));
	cr_expect_eq(compare(NULL, "ROCE", out, sizeof(out)), DVFW_REFUSED);
	cr_expect_null(strstr(out, "log_max_qp"));
	cr_expect_eq(compare(NULL, "log_max_cq", out, sizeof(out)), DVFW_OK);
	cr_expect_str_empty(out);
	cr_expect_eq(compare("TLS", "x", out, sizeof(out)), DVFW_OK);
}

Test(dumps_are_compared_by_value, groups_are_found_by_name_and_number)
{
	cr_expect_str_eq(caps_group_find("general_2")->name, "GENERAL_2");
	cr_expect_str_eq(caps_group_find("0x20")->name, "GENERAL_2");
	cr_expect_str_eq(caps_group_find("32")->name, "GENERAL_2");
	cr_expect_null(caps_group_find("0x0a"));
	cr_expect_null(caps_group_find(""));
	cr_expect_null(caps_group_find("nosuch"));
}
