/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The priority and the processor of the engine's thread, and how long it polls.
 *
 *	processes of the fabric			priority	polls	processor
 *	up to half as many as processors	-20		20 us	any
 *	up to as many				-20		8 us	its own
 *	more					0		2 us	any
 *
 * These are hints: a kernel without them, or without the privilege (CAP_SYS_NICE), costs time.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"
#include "engine/schedule.h"

#define SPIN_NS	       20000
#define SPIN_OWN_NS    8000 /* a program may wait for the processor, another engine does not */
#define SPIN_SHARED_NS 2000 /* both may */
#define SLICE_NS       100000 /* the shortest that the scheduler grants */
#define NICE	       (-20)
#define NOT_CHOSEN     1

/* struct sched_attr of sched_setattr(2); libc has neither. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool set_priority(int nice)
{
	struct attributes a = { .size = sizeof(a), .nice = nice, .runtime = SLICE_NS };

	return !core_syscall(SYS_sched_setattr, 0, &a, 0);
}

/* An adapter does not wait for a processor while programs poll it. They spin and this thread
 * mostly sleeps, so it should run as soon as it wakes. Without the privilege to raise its
 * priority a short slice helps.
 *
 * With more processes than processors the engines would always find work, of each other, and
 * keep programs from running for seconds: then they have no priority. */
static void choose_priority(struct schedule *s, int nice)
{
	if (nice == s->nice)
		return;
	s->nice = nice;
	s->preempts = set_priority(nice) && nice;
	if (!s->preempts && nice)
		set_priority(0);
}

/* Only the @n-th of @from, counted from 0; the first one again after the last. */
static cpu_set_t one_of(const cpu_set_t *from, unsigned int n)
{
	unsigned int cpu = 0;
	cpu_set_t one;

	while (n || !CPU_ISSET(cpu, from)) {
		n -= CPU_ISSET(cpu, from) != 0;
		cpu = (cpu + 1) % CPU_SETSIZE;
	}
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

/* Where programs poll on all processors, no processor is idle when an engine wakes. The kernel
 * then often lets two engines take turns on one of them, or interrupts no program before the
 * next tick. So each engine has its own processor: that of the process in slot 1 the first one,
 * and so on. It needs the priority: on that processor a program may run that polls. */
static void choose_processor(struct schedule *s, uint8_t slot, bool pin)
{
	cpu_set_t set = s->allowed;

	if (pin == s->pinned || !s->known)
		return;
	s->pinned = pin;
	if (pin)
		set = one_of(&set, slot - 1u);
	core_syscall(SYS_sched_setaffinity, 0, sizeof(set), &set);
}

void schedule_begin(struct schedule *s)
{
	*s = (struct schedule){ .processors = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
				.nice = NOT_CHOSEN };
	CPU_ZERO(&s->allowed);
	s->known = core_syscall(SYS_sched_getaffinity, 0, sizeof(s->allowed), &s->allowed) > 0;
}

void schedule_choose(struct schedule *s, const struct wire *w)
{
	/* A process has a thread that polls beside this one. */
	bool shared = wire_has_more_than(w, s->processors / 2);

	choose_priority(s, wire_has_more_than(w, s->processors) ? 0 : NICE);
	choose_processor(s, wire_slot(w), shared && s->preempts);
	s->spin = !shared ? SPIN_NS : s->pinned ? SPIN_OWN_NS : SPIN_SHARED_NS;
}
