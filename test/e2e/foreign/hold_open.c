/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hold_open QPS: what an idle device costs: opens the first device, makes a protection domain,
 * a CQ and QPS connected QPs so that there is something to watch, and does nothing for two
 * seconds.
 *
 * Exit status 0: at most a tenth of a core, and 250 wake-ups in a second; 1: more, or no
 * device. Other programs on the machine change neither.
 */
#define _DEFAULT_SOURCE
#include <dv/endpoint.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
	SECONDS = 2,
	WAKEUPS = 250, /* in a second; the engine sleeps 8 ms at a time */
	SHARE = 10,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void rest(unsigned int s)
{
	struct timespec t = { .tv_sec = s };

	while (nanosleep(&t, &t))
		;
}

static double cpu(const struct rusage *u)
{
	return u->ru_utime.tv_sec + u->ru_stime.tv_sec +
	       (u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1e6;
}

static int idle(void)
{
	struct rusage before, after;
	double share, elapsed = -now(), wakeups;

	getrusage(RUSAGE_SELF, &before);
	rest(SECONDS);
	getrusage(RUSAGE_SELF, &after);
	elapsed += now();
	share = (cpu(&after) - cpu(&before)) / elapsed;
	wakeups = (after.ru_nvcsw - before.ru_nvcsw) / elapsed;
	printf("an idle device uses %.2f %% of a core, and wakes up %.0f times a second\n",
	       share * 100, wakeups);
	return share * SHARE < 1 && wakeups <= WAKEUPS ? 0 : 1;
}

/* A QP that is connected to itself. */
static struct ibv_qp *connected(struct ibv_pd *pd, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { .max_send_wr = 1, .max_send_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(pd, &attr);
	struct dv_endpoint self;

	if (!qp || dv_endpoint_init(&self, qp, 1, DV_GID_DEFAULT) ||
	    dv_qp_connect(qp, &self, &self, NULL)) {
		perror("cannot connect a QP");
		exit(1);
	}
	return qp;
}

int main(int argc, char **argv)
{
	unsigned int qps = argc == 2 ? (unsigned int)atoi(argv[1]) : 0;
	struct ibv_qp **qp = calloc(qps + 1, sizeof(*qp));
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 16, NULL, NULL, 0) : NULL;
	int status;

	if (!pd || !cq || !qp) {
		perror("cannot set the device up");
		return 1;
	}
	for (unsigned int i = 0; i < qps; i++)
		qp[i] = connected(pd, cq);
	rest(1);
	status = idle();
	for (unsigned int i = 0; i < qps; i++)
		ibv_destroy_qp(qp[i]);
	free(qp);
	ibv_destroy_cq(cq);
	ibv_dealloc_pd(pd);
	ibv_close_device(ctx);
	ibv_free_device_list(list);
	return status;
}
