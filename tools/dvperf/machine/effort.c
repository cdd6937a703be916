/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the calling thread: getrusage(2) and perf_event_open(2). */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "effort.h"

/* A counter of the calling thread, on whatever CPU; -1 and errno. */
static int open_counter(uint64_t what, int group)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = what;
	attr.disabled = group < 0;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void close_both(struct effort_meter *m)
{
	if (m->follower >= 0)
		close(m->follower);
	if (m->leader >= 0)
		close(m->leader);
	m->leader = m->follower = -1;
}

int effort_open(struct effort_meter *m)
{
	int error = 0;

	*m = (struct effort_meter){ .follower = -1 };
	m->leader = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
	if (m->leader >= 0)
		m->follower = open_counter(PERF_COUNT_HW_CPU_CYCLES, m->leader);
	if (m->follower < 0) {
		error = errno;
		close_both(m);
	}
	return error;
}

void effort_begin(struct effort_meter *m)
{
	m->since = cpu_seconds();
	if (m->leader >= 0)
		ioctl(m->leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

struct effort effort_scaled(const struct effort_group *g)
{
	struct effort e = { .instructions = NAN, .cycles = NAN };
	double part;

	if (g->counters != 2 || !g->running)
		return e;
	part = (double)g->enabled / (double)g->running;
	e.instructions = (double)g->values[0] * part;
	e.cycles = (double)g->values[1] * part;
	return e;
}

struct effort effort_end(struct effort_meter *m)
{
	struct effort_group g = { 0 };
	struct effort e;

	if (m->leader >= 0) {
		ioctl(m->leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
		if (read(m->leader, &g, sizeof(g)) != sizeof(g))
			g.counters = 0;
	}
	e = effort_scaled(&g);
	e.cpu_seconds = cpu_seconds() - m->since;
	close_both(m);
	return e;
}

void effort_add(struct effort *to, const struct effort *from)
{
	to->instructions += from->instructions;
	to->cycles += from->cycles;
	to->cpu_seconds += from->cpu_seconds;
}
