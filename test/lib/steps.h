/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The n-th step fails: each allocation is one, and each call of step_fails(). The
 * allocations are those of all static libraries of a program that is linked with
 * test_failing_steps. Such a program aborts if it gives back a lock that it does not have.
 */
#ifndef TEST_LIB_STEPS_H
#define TEST_LIB_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>

extern struct steps {
	unsigned int fail_at;	 /* the n-th from now on, 0: none */
	atomic_long allocations; /* made and not freed */
} steps;

/* Does this one fail? */
bool step_fails(void);

#endif
