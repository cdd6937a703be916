/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A time-out by siglongjmp() out of a handler: the call is over by then, whatever it was, and
 * the device goes on working. First at every place of some calls, then at any moment of many.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "points.h"

#define ALARMS 3000

static struct bench b;
static sigjmp_buf back;

static void jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void goes_on(void)
{
	sigset_t now;

	CHILD_CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &now));
	CHILD_CHECK(sigisemptyset(&now));
	CHILD_CHECK(call_channel(&b));
	CHILD_CHECK(call_reg_mr(&b));
	CHILD_CHECK(!ibv_destroy_qp(b.qp));
	CHILD_CHECK(!ibv_destroy_cq(b.cq));
}

static void out_of(int n, bool (*call)(struct bench *))
{
	bench_open(&b);
	on_sigusr1(jump, 0);
	if (!sigsetjmp(back, 1)) {
		point_arm(n, point_sigusr1);
		call(&b);
	}
	point_disarm();
	goes_on();
}

static void out_of_registration(int n)
{
	out_of(n, call_reg_mr);
}

static void out_of_a_channel(int n)
{
	out_of(n, call_channel);
}

Test(siglongjmp, out_of_registration)
{
	points(out_of_registration, 0, 4);
}

Test(siglongjmp, out_of_making_a_completion_channel)
{
	points(out_of_a_channel, 0, 3);
}

/* QUERY_PORT as bytes, so that nothing of a library is jumped over. */
static int query_port(void)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct {
		uint64_t hdr[sizeof(struct ib_uverbs_ioctl_hdr) / 8];
		struct ib_uverbs_attr attr[2];
	} c = {
		.attr = { { .attr_id = UVERBS_ATTR_QUERY_PORT_PORT_NUM,
			    .len = 8,
			    .flags = UVERBS_ATTR_F_MANDATORY,
			    .data = 1 },
			  { .attr_id = UVERBS_ATTR_QUERY_PORT_RESP,
			    .len = sizeof(resp),
			    .flags = UVERBS_ATTR_F_MANDATORY,
			    .data = (uintptr_t)&resp } },
	};
	const struct ib_uverbs_ioctl_hdr hdr = { .length = sizeof(c),
						 .object_id = UVERBS_OBJECT_DEVICE,
						 .method_id = UVERBS_METHOD_QUERY_PORT,
						 .num_attrs = 2,
						 .driver_id = RDMA_DRIVER_MLX5 };

	memcpy(c.hdr, &hdr, sizeof(hdr));
	return ioctl(b.ctx->cmd_fd, RDMA_VERBS_IOCTL, &c);
}

Test(siglongjmp, at_any_moment)
{
	struct itimerval often = { { 0, 150 }, { 0, 150 } }, never = { 0 };
	struct sigaction sa = { .sa_handler = jump };
	static volatile int alarms;

	bench_open(&b);
	cr_assert_eq(query_port(), 0);
	cr_assert_eq(sigaction(SIGALRM, &sa, NULL), 0);
	if (sigsetjmp(back, 1))
		alarms++;
	else if (setitimer(ITIMER_REAL, &often, NULL))
		abort();
	while (alarms < ALARMS) {
		int fd = dup(b.ctx->cmd_fd);

		query_port();
		close(fd);
	}
	cr_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
	goes_on();
}
