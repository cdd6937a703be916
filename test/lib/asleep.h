/* SPDX-License-Identifier: BSD-2-Clause */
/* Another thread's sleep, read in /proc: no test has to guess how long the thread takes. */
#ifndef TEST_LIB_ASLEEP_H
#define TEST_LIB_ASLEEP_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* The number of times that thread @tid of this process has slept (proc(5),
 * voluntary_ctxt_switches). */
static inline unsigned long times_asleep(pid_t tid)
{
	char path[64], line[128];
	unsigned long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) &&
	       sscanf(line, "voluntary_ctxt_switches: %lu", &n) != 1)
		;
	if (f)
		fclose(f);
	return n;
}

/* Waits until it has slept @n times more. */
static inline void await_sleep(pid_t tid, unsigned long n)
{
	unsigned long from = times_asleep(tid);

	while (times_asleep(tid) < from + n)
		usleep(1000);
}

#endif
