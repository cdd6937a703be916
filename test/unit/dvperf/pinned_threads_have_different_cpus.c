/* SPDX-License-Identifier: BSD-2-Clause */
/* --pin=auto: a thread created by one that is pinned inherits its CPU, and is pinned to another
 * one nevertheless, in the order of the CPUs that the program had. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>

#include "machine/machine.h"

static struct options o;

static cpu_set_t own(void)
{
	cpu_set_t set;

	cr_assert_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

static void *pinned(void *set)
{
	pin_thread(&o, 1);
	*(cpu_set_t *)set = own();
	return NULL;
}

Test(pin, threads_of_a_pinned_one)
{
	cpu_set_t all = own(), first, second;
	pthread_t thread;

	if (CPU_COUNT(&all) < 2)
		cr_skip_test("one CPU only");
	o = options_new(MODE_POST);
	o.pin = "auto";
	cr_assert_null(pin_check(&o));
	for (int repeat = 0; repeat < 2; repeat++) {
		pin_thread(&o, 0);
		first = own();
		cr_assert_eq(CPU_COUNT(&first), 1);
		pthread_create(&thread, NULL, pinned, &second);
		pthread_join(thread, NULL);
		cr_assert_eq(CPU_COUNT(&second), 1);
		cr_assert_not(CPU_EQUAL(&first, &second), "repeat %d", repeat);
		cr_assert_null(pin_check(&o));
	}
}
