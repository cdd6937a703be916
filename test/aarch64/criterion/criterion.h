/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Criterion's words for where Criterion does not start: in a cross-built program under
 * qemu-user. The files of test/unit/ see this header instead of the real one, and main.c beside
 * it runs them: one process per test, as there.
 *
 *	Test(ring, wraps, .init = start) { cr_assert_eq(pi, 0, "pass %u", pass); }
 *	  -> a struct plain_test that enters itself into the list, and a function
 *
 * Only what the tests use: Test and TestSuite with .init, .fini and .timeout; cr_assert* ends
 * the test, cr_expect* notes the failure and goes on; both take a message in printf()'s way, a
 * literal.
 */
#ifndef TEST_PLAIN_CRITERION_H
#define TEST_PLAIN_CRITERION_H

/* Headers that the real one includes and tests rely on. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plain_options {
	void (*init)(void);
	void (*fini)(void);
	double timeout; /* in seconds; 0: that of main.c */
};

struct plain_test {
	const char *suite, *name; /* of a TestSuite: no name, nothing to run */
	void (*run)(void);
	struct plain_options options;
	struct plain_test *next;
};

/* Appends a test or a suite to the list. */
void plain_add(struct plain_test *t);

/* Notes that the running test failed at @file:@line; if @fatal, ends it. Nothing, if @holds. */
void plain_check(bool fatal, bool holds, const char *file, int line, const char *what,
		 const char *message, ...) __attribute__((format(printf, 6, 7)));

#define PLAIN_ADD(id, ...)                                                                         \
	static struct plain_test plain_##id = { __VA_ARGS__ };                                     \
	__attribute__((constructor)) static void plain_add_##id(void)                              \
	{                                                                                          \
		plain_add(&plain_##id);                                                            \
	}

#define Test(s, n, ...)                                                                            \
	static void plain_run_##s##_##n(void);                                                     \
	PLAIN_ADD(s##_##n, .suite = #s, .name = #n, .run = plain_run_##s##_##n,                    \
		  .options = { __VA_ARGS__ })                                                      \
	static void plain_run_##s##_##n(void)

#define TestSuite(s, ...)                                                                          \
	PLAIN_ADD(suite_##s, .suite = #s, .options = { __VA_ARGS__ })                              \
	struct plain_test

#define PLAIN_CHECK(fatal, holds, what, ...)                                                       \
	plain_check(fatal, holds, __FILE__, __LINE__, what, " " __VA_ARGS__)
#define PLAIN_ARR(a, b, n)     (!memcmp((a), (b), (n)))
#define PLAIN_STR(a, b)	       (!strcmp((a), (b)))

#define cr_assert(c, ...)      PLAIN_CHECK(true, c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...)  PLAIN_CHECK(true, !(c), "!(" #c ")", __VA_ARGS__)
#define cr_assert_null(p, ...) PLAIN_CHECK(true, !(p), #p " == NULL", __VA_ARGS__)
#define cr_assert_not_null(p, ...) PLAIN_CHECK(true, (p) != NULL, #p " != NULL", __VA_ARGS__)
#define cr_assert_eq(a, b, ...) PLAIN_CHECK(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) PLAIN_CHECK(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) PLAIN_CHECK(true, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) PLAIN_CHECK(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) PLAIN_CHECK(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) PLAIN_CHECK(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
	PLAIN_CHECK(true, PLAIN_ARR(a, b, n), "bytes of " #a " == " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) PLAIN_CHECK(true, PLAIN_STR(a, b), #a " == " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) PLAIN_CHECK(true, !PLAIN_STR(a, b), #a " != " #b, __VA_ARGS__)

#define cr_expect(c, ...)      PLAIN_CHECK(false, c, #c, __VA_ARGS__)
#define cr_expect_not(c, ...)  PLAIN_CHECK(false, !(c), "!(" #c ")", __VA_ARGS__)
#define cr_expect_null(p, ...) PLAIN_CHECK(false, !(p), #p " == NULL", __VA_ARGS__)
#define cr_expect_not_null(p, ...) PLAIN_CHECK(false, (p) != NULL, #p " != NULL", __VA_ARGS__)
#define cr_expect_eq(a, b, ...) PLAIN_CHECK(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) PLAIN_CHECK(false, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) PLAIN_CHECK(false, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) PLAIN_CHECK(false, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) PLAIN_CHECK(false, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) PLAIN_CHECK(false, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...)                                                             \
	PLAIN_CHECK(false, PLAIN_ARR(a, b, n), "bytes of " #a " == " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) PLAIN_CHECK(false, PLAIN_STR(a, b), #a " == " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...)                                                               \
	PLAIN_CHECK(false, !PLAIN_STR(a, b), #a " != " #b, __VA_ARGS__)

/* Shown only when asked for, by Criterion: nothing here. */
static inline __attribute__((format(printf, 1, 2))) void cr_log_info(const char *format, ...)
{
	(void)format;
}

#endif
