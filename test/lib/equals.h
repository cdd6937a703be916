/* SPDX-License-Identifier: BSD-2-Clause */
/* Several numbers: EQUALS(E(qp->mtu, 1024), E(qp->st, 6)) names the one that differs. */
#ifndef TEST_LIB_EQUALS_H
#define TEST_LIB_EQUALS_H

#include <criterion/criterion.h>
#include <stdint.h>

struct equal {
	const char *text;
	uint64_t is, expected;
};

static inline void equals(int line, const struct equal *e, size_t n)
{
	for (; n--; e++)
		cr_assert_eq(e->is, e->expected, "line %d: %s is %#llx", line, e->text,
			     (unsigned long long)e->is);
}

#define E(is, expected) ((struct equal){ #is, (uint64_t)(is), (uint64_t)(expected) })
#define EQUALS(...)                                             \
	equals(__LINE__, (const struct equal[]){ __VA_ARGS__ }, \
	       sizeof((const struct equal[]){ __VA_ARGS__ }) / sizeof(struct equal))

#endif
