/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dup, close, open and fork are async-signal-safe (signal-safety(7); fork in POSIX.1-2017):
 * also on descriptors of the device, and while the thread is in one of its calls.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

static struct bench b;

static void duplicate(int sig)
{
	int fd = dup(b.ctx->cmd_fd);

	(void)sig;
	CHILD_CHECK(fd >= 0);
	CHILD_CHECK(dup2(b.ctx->cmd_fd, fd) == fd);
	CHILD_CHECK(!close(fd));
}

static void open_again(int sig)
{
	int fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);

	(void)sig;
	CHILD_CHECK(fd >= 0);
	CHILD_CHECK(!close(fd));
}

/* Nothing is blocked in parent or child but the signal whose handler this is. */
static bool only_own_is_blocked(void)
{
	sigset_t now;

	if (pthread_sigmask(SIG_BLOCK, NULL, &now))
		return false;
	for (int sig = 1; sig < SIGRTMAX; sig++)
		if (sigismember(&now, sig) == 1 && sig != SIGUSR1)
			return false;
	return sigismember(&now, SIGUSR1);
}

static void split(int sig)
{
	pid_t pid = fork();
	int status;

	(void)sig;
	CHILD_CHECK(pid >= 0);
	if (!pid)
		_exit(only_own_is_blocked() ? 0 : 1);
	CHILD_CHECK(waitpid(pid, &status, 0) == pid);
	CHILD_CHECK(!status);
	CHILD_CHECK(only_own_is_blocked());
}

static void interrupted(int n, void (*handler)(int))
{
	bench_open(&b);
	on_sigusr1(handler, 0);
	point_arm(n, point_sigusr1);
	CHILD_CHECK(call_channel(&b));
	CHILD_CHECK(call_reg_mr(&b));
	CHILD_CHECK(!ibv_destroy_qp(b.qp));
	CHILD_CHECK(!ibv_destroy_cq(b.cq));
	CHILD_CHECK(!ibv_dealloc_pd(b.pd));
	CHILD_CHECK(!ibv_close_device(b.ctx));
}

static void with_dup(int n)
{
	interrupted(n, duplicate);
}

static void with_open(int n)
{
	interrupted(n, open_again);
}

static void with_fork(int n)
{
	interrupted(n, split);
}

Test(descriptors, are_duplicated_and_closed)
{
	points(with_dup, 0, 7);
}

Test(descriptors, are_opened_and_closed)
{
	points(with_open, 0, 7);
}

Test(descriptors, are_inherited_by_a_child)
{
	points(with_fork, 0, 7);
}
