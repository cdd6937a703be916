/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A signal that arrives while a call is in the emulated kernel is delivered when the call is
 * over, as from a system call. Its handler may end the program, with or without cleaning up
 * before, and its default action ends it.
 */
#include <signal.h>
#include <stdlib.h>

#include "points.h"

static struct bench b;

static void leave(int sig)
{
	(void)sig;
	exit(0);
}

static void clean_up_and_leave(int sig)
{
	(void)sig;
	CHILD_CHECK(!ibv_destroy_qp(b.qp));
	CHILD_CHECK(!ibv_destroy_cq(b.cq));
	exit(0);
}

static void register_memory(int n)
{
	bench_open(&b);
	on_sigusr1(leave, 0);
	point_arm(n, point_sigusr1);
	call_reg_mr(&b);
}

static void register_and_clean_up(int n)
{
	bench_open(&b);
	on_sigusr1(clean_up_and_leave, 0);
	point_arm(n, point_sigusr1);
	call_reg_mr(&b);
}

static void register_with_default_action(int n)
{
	bench_open(&b);
	on_sigusr1(SIG_DFL, 0);
	point_arm(n, point_sigusr1);
	call_reg_mr(&b);
}

static void make_channel(int n)
{
	bench_open(&b);
	on_sigusr1(leave, 0);
	point_arm(n, point_sigusr1);
	call_channel(&b);
}

static void open_first(int n)
{
	on_sigusr1(leave, 0);
	point_arm(n, point_sigusr1);
	bench_context();
}

Test(exit, in_registration)
{
	points(register_memory, 0, 4);
}

Test(exit, in_registration_after_destroying_a_qp)
{
	points(register_and_clean_up, 0, 4);
}

Test(exit, by_default_action)
{
	points(register_with_default_action, SIGUSR1, 4);
}

Test(exit, in_making_a_completion_channel)
{
	points(make_channel, 0, 3);
}

Test(exit, in_the_open_that_brings_the_adapter_up)
{
	points(open_first, 0, 4);
}
