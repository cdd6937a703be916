/* SPDX-License-Identifier: BSD-2-Clause */
/* The priority, the processor and the polling of an engine's thread: two processes. */
#include <sched.h>
#include <sys/resource.h>

#include "engine/schedule.h"
#include "rig.h"

TestSuite(schedule, .init = far_pair_open, .fini = rig_close);

/* On a machine with so many processors. */
static struct schedule begin(unsigned int processors)
{
	struct schedule s;

	schedule_begin(&s);
	s.processors = processors;
	return s;
}

static int priority(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

/* Without CAP_SYS_NICE none is granted. */
static bool is_granted(void)
{
	bool yes = !setpriority(PRIO_PROCESS, 0, -20);

	setpriority(PRIO_PROCESS, 0, 0);
	return yes;
}

static cpu_set_t processors(void)
{
	cpu_set_t set;

	cr_assert_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return set;
}

/* Only the @nth processor of @set, from 1 on. */
static cpu_set_t nth_of(cpu_set_t set, int nth)
{
	for (int cpu = 0, i = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && ++i != nth)
			CPU_CLR(cpu, &set);
	return set;
}

static void expect_processors(cpu_set_t expected)
{
	cpu_set_t set = processors();

	cr_expect(CPU_EQUAL(&set, &expected));
}

Test(schedule, with_twice_as_many_processors_any_is_used)
{
	struct schedule s = begin(4);
	cpu_set_t all = processors();
	bool granted = is_granted();

	schedule_choose(&s, near.w);
	cr_expect_eq(priority(), granted ? -20 : 0);
	cr_expect_eq(s.spin, 20000);
	expect_processors(all);
}

Test(schedule, with_fewer_each_process_has_its_processor)
{
	cpu_set_t all = processors();
	bool granted = is_granted();

	for (unsigned int n = 2; n <= 3; n++) {
		struct schedule first = begin(n), second = begin(n);

		schedule_choose(&first, near.w);
		cr_expect_eq(priority(), granted ? -20 : 0);
		cr_expect_eq(first.spin, granted ? 8000 : 2000);
		expect_processors(granted ? nth_of(all, 1) : all);
		schedule_choose(&second, far.w);
		expect_processors(granted ? nth_of(all, CPU_COUNT(&all) > 1 ? 2 : 1) : all);
		sched_setaffinity(0, sizeof(all), &all);
	}
}

Test(schedule, with_one_processor_programs_are_not_kept_from_it)
{
	struct schedule s = begin(1);
	cpu_set_t all = processors();

	schedule_choose(&s, near.w);
	cr_expect_eq(priority(), 0);
	cr_expect_eq(s.spin, 2000);
	expect_processors(all);
}

Test(schedule, changes_with_the_number_of_processors)
{
	struct schedule s = begin(2);
	cpu_set_t all = processors();
	bool granted = is_granted();

	schedule_choose(&s, near.w);
	s.processors = 1;
	schedule_choose(&s, near.w);
	cr_expect_eq(priority(), 0);
	expect_processors(all);
	s.processors = 2;
	schedule_choose(&s, near.w);
	cr_expect_eq(priority(), granted ? -20 : 0);
	expect_processors(granted ? nth_of(all, 1) : all);
	s.processors = 4;
	schedule_choose(&s, near.w);
	expect_processors(all);
}

Test(schedule, takes_only_processors_that_the_process_may_use)
{
	cpu_set_t all = processors(), last = nth_of(all, CPU_COUNT(&all));
	bool granted = is_granted();
	struct schedule s;

	cr_assert_eq(sched_setaffinity(0, sizeof(last), &last), 0);
	for (int i = 0; i < 2; i++) {
		s = begin(2);
		schedule_choose(&s, i ? far.w : near.w);
		cr_expect_eq(s.pinned, granted);
		expect_processors(last);
	}
}
