/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of signals and the mask, with the device open: each function that sets one
 * returns and keeps what the program asked for, also where the action is the emulator's.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/raw_call.h"
#include "points.h"

sighandler_t __sysv_signal(int sig, sighandler_t handler);

#define LIBCS 0x24000000 /* SA_INTERRUPT, SA_RESTORER */

/* Those of the emulator, always or with --check or --stats; and two that never are. */
static const int signals[] = { SIGSEGV, SIGBUS,	 SIGTRAP, SIGTERM, SIGHUP,
			       SIGSYS,	SIGUSR2, SIGCHLD, SIGWINCH };
static volatile int handled, informed;
static struct bench b;

static void handle(int sig)
{
	handled = sig;
}

static void inform(int sig, siginfo_t *info, void *context)
{
	informed = context && info->si_signo == sig && info->si_code == SI_TKILL ? sig : -1;
}

/* Is this the action? @masked: 0, or the only signal of its mask. */
static void expect_action(int sig, sighandler_t handler, int flags, int masked)
{
	struct sigaction now;

	memset(&now, 0xee, sizeof(now));
	cr_assert_eq(sigaction(sig, NULL, &now), 0, "%d", sig);
	cr_expect_eq(now.sa_handler, handler, "%d", sig);
	cr_expect_eq(now.sa_flags & ~LIBCS, flags, "%d: %x", sig, now.sa_flags);
	for (int i = 1; i < 32; i++)
		cr_expect_eq(sigismember(&now.sa_mask, i), i == masked, "%d masks %d", sig, i);
}

static void check_actions(int sig)
{
	struct sigaction act = { .sa_sigaction = inform, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			 old;

	sigaddset(&act.sa_mask, SIGALRM);
	expect_action(sig, SIG_DFL, 0, 0);
	cr_expect_eq(sigaction(sig, &act, &old), 0);
	cr_expect_eq(old.sa_handler, SIG_DFL);
	expect_action(sig, act.sa_handler, SA_SIGINFO | SA_ONSTACK, SIGALRM);
	raise(sig);
	cr_expect_eq(informed, sig);
	cr_expect_eq(signal(sig, handle), act.sa_handler);
	expect_action(sig, handle, SA_RESTART, sig);
	raise(sig);
	cr_expect_eq(handled, sig);
	cr_expect_eq(ssignal(sig, SIG_IGN), handle);
	expect_action(sig, SIG_IGN, SA_RESTART, sig);
	raise(sig);
	handled = 0;
	cr_expect_eq(__sysv_signal(sig, handle), SIG_IGN);
	expect_action(sig, handle, (int)SA_RESETHAND | SA_NODEFER, 0);
	raise(sig);
	cr_expect_eq(handled, sig);
	cr_expect_eq(signal(sig, SIG_DFL), SIG_DFL, "once only");
	cr_expect_eq(sigaction(sig, &act, NULL), 0);
	cr_expect_eq(sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, &old), 0);
	cr_expect_eq(old.sa_sigaction, inform);
	expect_action(sig, SIG_DFL, 0, 0);
}

Test(actions, are_the_programs)
{
	static const int none[] = { 0, -1, 65, SIGKILL, SIGSTOP };
	const struct sigaction act = { .sa_handler = handle };

	bench_open(&b);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		check_actions(signals[i]);
	for (int i = 0; i < 5; i++) {
		errno = 0;
		cr_expect(sigaction(none[i], &act, NULL) == -1 && errno == EINVAL, "%d",
			  none[i]);
		cr_expect(signal(none[i], handle) == SIG_ERR && errno == EINVAL, "%d", none[i]);
	}
	expect_outside(b.ctx->cmd_fd);
}

#define BIT(sig) (1ull << ((sig)-1))

/* With --check a store to a register is a fault, which no thread may have blocked. */
static uint64_t open_to(void)
{
	return strstr(getenv("DVKIT_EMU"), "check=1") ? BIT(SIGSEGV) | BIT(SIGTRAP) : 0;
}

static uint64_t mask(void)
{
	uint64_t now = 0;

	cr_assert_eq(raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&now, 8, 0, 0), 0);
	return now;
}

/* The signals 32 and 33 are libc's, which never blocks them (nptl(7)). */
Test(actions, of_the_mask)
{
	static int (*const calls[])(int, const sigset_t *, sigset_t *) = { sigprocmask,
									   pthread_sigmask };
	sigset_t all, some, old;

	bench_open(&b);
	memset(&all, 0xff, sizeof(all));
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, 64);
	for (int i = 0; i < 2; i++) {
		const uint64_t two = BIT(64) | BIT(SIGUSR1);

		cr_expect_eq(calls[i](SIG_BLOCK, &some, &old), 0);
		cr_expect(sigisemptyset(&old));
		cr_expect_eq(mask(), two);
		errno = EDOM;
		cr_expect_eq(calls[i](99, &some, NULL), i ? EINVAL : -1);
		cr_expect_eq(errno, i ? EDOM : EINVAL);
		cr_expect_eq(calls[i](99, NULL, &old), 0);
		cr_expect(sigismember(&old, 64) && sigismember(&old, SIGUSR1));
		cr_expect_eq(mask(), two);
		cr_expect_eq(calls[i](SIG_UNBLOCK, &some, NULL), 0);
		cr_expect_eq(mask(), 0);
		cr_expect_eq(calls[i](SIG_SETMASK, &all, NULL), 0);
		cr_expect_eq(mask(), ~(3ull << 31 | BIT(SIGKILL) | BIT(SIGSTOP) | open_to()));
		cr_expect_eq(calls[i](SIG_SETMASK, &old, NULL), 0);
		cr_expect_eq(mask(), two);
		cr_expect_eq(calls[i](SIG_UNBLOCK, &all, NULL), 0);
	}
	expect_outside(b.ctx->cmd_fd);
}

Test(actions, of_the_mask_of_a_thread_that_rings)
{
	struct mlx5dv_devx_uar *uar;

	bench_open(&b);
	uar = mlx5dv_devx_alloc_uar(b.ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	cr_assert(uar);
	cr_expect_eq(mask(), 0);
	for (int i = 0; i < 2; i++) {
		const uint64_t blocked = i ? BIT(SIGUSR1) | BIT(64) : 0;

		raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&blocked, 0, 8, 0, 0);
		*(volatile uint64_t *)uar->reg_addr = htobe64(0xabcdef03); /* no queue */
		cr_expect_eq(mask(), blocked, "%d", i);
	}
}
