/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an idle device costs: opens the first device, makes a protection domain and a CQ so
 * that there is something to watch, does nothing for five seconds, and compares the CPU time
 * of the whole process, all threads, with the time that went by.
 *
 *	open | settle 1 s | ........ 5 s ........ | CPU time / time < 2 % ?
 *
 * Exit status 0: below; 1: not, or no device.
 */
#define _POSIX_C_SOURCE 200809L
#include <infiniband/verbs.h>
#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void rest(unsigned int s)
{
	struct timespec t = { .tv_sec = s };

	while (nanosleep(&t, &t))
		;
}

static double idle_share(void)
{
	double cpu, wall;

	rest(1);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds(CLOCK_MONOTONIC);
	rest(5);
	return (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (seconds(CLOCK_MONOTONIC) - wall);
}

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 16, NULL, NULL, 0) : NULL;
	double share;

	if (!pd || !cq) {
		perror("cannot set the device up");
		return 1;
	}
	share = idle_share();
	printf("an idle device uses %.2f %% of a core\n", share * 100);
	ibv_destroy_cq(cq);
	ibv_dealloc_pd(pd);
	ibv_close_device(ctx);
	ibv_free_device_list(list);
	return share < 0.02 ? 0 : 1;
}
