/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGSEGV, SIGBUS and SIGTRAP: the program's action after the emulator's. The watched
 * registers are the test: a fault is a store to one if it says so.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "preload/signals.h"
#include "preload/watch.h"
#include "child.h"

static char *page;
static volatile int handled, informed, fault_signal, steps_asked;
static bool is_store, is_step;

/* A store makes its page writable. */
bool watch_fault(int sig, const siginfo_t *info, void *ucontext)
{
	fault_signal = sig;
	errno = EDOM;
	return is_store && ucontext && info->si_addr == page &&
	       !mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

bool watch_step(void *ucontext)
{
	steps_asked++;
	return is_step && ucontext;
}

static void handle(int sig)
{
	handled = sig;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void inform(int sig, siginfo_t *info, void *context)
{
	informed = context && info->si_addr == page ? sig : -1;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void begin(void)
{
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(page, MAP_FAILED);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
}

TestSuite(fault, .init = begin);

static void store(void)
{
	mprotect(page, 4096, PROT_READ);
	errno = ENODEV;
	*(volatile char *)page = 1;
}

static void set(int sig, void (*handler)(int), int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags };

	cr_assert_eq(signals_action(sig, &a, NULL), 0);
}

static struct sigaction get(int sig)
{
	struct sigaction a;

	memset(&a, 0xee, sizeof(a));
	cr_assert_eq(signals_action(sig, NULL, &a), 0);
	return a;
}

Test(fault, is_kept_from_the_start_on)
{
	struct sigaction before = { .sa_handler = handle, .sa_flags = SA_NODEFER };

	sigaction(SIGBUS, &before, NULL);
	cr_expect_not(signals_has(SIGSEGV) || signals_has(SIGBUS) || signals_has(SIGTRAP));
	cr_expect_not(signals_start_traps());
	signals_start();
	signals_start();
	cr_expect(signals_has(SIGSEGV) && signals_has(SIGBUS));
	cr_expect_not(signals_has(SIGTRAP) || signals_has(SIGTERM));
	cr_expect(signals_are_ours(SIGSEGV) && signals_are_ours(SIGBUS));
	cr_expect_not(signals_are_ours(SIGTRAP));
	cr_expect_eq(get(SIGSEGV).sa_handler, SIG_DFL);
	cr_expect_eq(get(SIGBUS).sa_handler, handle);
	cr_expect_eq(get(SIGBUS).sa_flags & SA_NODEFER, SA_NODEFER);
	cr_expect(signals_start_traps() && signals_start_traps());
	cr_expect(signals_has(SIGTRAP) && signals_are_ours(SIGTRAP));
	cr_expect_eq(get(SIGTRAP).sa_handler, SIG_DFL);
	sigaction(SIGSEGV, &before, NULL);
	cr_expect_not(signals_are_ours(SIGSEGV));
}

static void map(int sig)
{
	handled = sig;
	mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	     0);
}

/* sigaction(2): si_code is SI_USER, 0, of kill(); SEGV_MAPERR, 1, where nothing is mapped. */
Test(fault, is_no_signal_that_was_sent)
{
	signals_start();
	set(SIGSEGV, map, 0);
	kill(getpid(), SIGSEGV);
	cr_expect_eq(handled, SIGSEGV);
	cr_expect_eq(fault_signal, 0);
	handled = 0;
	munmap(page, 4096);
	store();
	cr_expect_eq(handled, SIGSEGV);
	cr_expect_eq(fault_signal, SIGSEGV);
}

Test(fault, is_a_store_or_the_programs)
{
	struct sigaction a = { .sa_sigaction = inform, .sa_flags = SA_SIGINFO };

	signals_start();
	set(SIGSEGV, handle, 0);
	is_store = true;
	store();
	cr_expect_eq(errno, ENODEV);
	cr_expect_eq(handled, 0);
	cr_expect_eq(fault_signal, SIGSEGV);
	is_store = false;
	store();
	cr_expect_eq(errno, ENODEV);
	cr_expect_eq(handled, SIGSEGV);
	cr_assert_eq(signals_action(SIGSEGV, &a, NULL), 0);
	store();
	cr_expect_eq(informed, SIGSEGV);
	cr_expect_eq(get(SIGSEGV).sa_sigaction, inform);
	handled = fault_signal = 0;
	set(SIGSEGV, handle, 0);
	raise(SIGSEGV); /* it was sent */
	cr_expect_eq(handled, SIGSEGV);
	cr_expect_eq(fault_signal, 0);
	handled = 0;
	set(SIGSEGV, SIG_IGN, 0);
	raise(SIGSEGV);
	cr_expect_eq(handled, 0);
	cr_expect(signals_are_ours(SIGSEGV));
}

/* Handlers of one shot; more changes than there are places. */
Test(fault, has_the_latest_action)
{
	signals_start();
	for (int i = 0; i < 30; i++) {
		set(SIGSEGV, i % 2 ? handle : SIG_IGN, i);
		cr_expect_eq(get(SIGSEGV).sa_handler, i % 2 ? handle : SIG_IGN);
		cr_expect_eq(get(SIGSEGV).sa_flags & 7, i & 7);
		cr_expect_eq(get(SIGBUS).sa_handler, SIG_DFL);
	}
	set(SIGSEGV, handle, (int)SA_RESETHAND);
	store();
	cr_expect_eq(handled, SIGSEGV);
	cr_expect_eq(get(SIGSEGV).sa_handler, SIG_DFL);
}

/* One that was sent is no step; a breakpoint is the program's, unless it was ours. */
Test(fault, is_a_step)
{
	signals_start();
	cr_assert(signals_start_traps());
	set(SIGTRAP, handle, 0);
	raise(SIGTRAP);
	cr_expect_eq(handled, SIGTRAP);
	cr_expect_eq(steps_asked, 0);
#ifdef __x86_64__
	handled = 0;
	is_step = true;
	__asm__ volatile("int3");
	cr_expect_eq(steps_asked, 1);
	cr_expect_eq(handled, 0);
	is_step = false;
	__asm__ volatile("int3");
	cr_expect_eq(steps_asked, 2);
	cr_expect_eq(handled, SIGTRAP);
#endif
}

static int way; /* of ends[] */

static void end(void)
{
	if (way == 1)
		set(SIGSEGV, SIG_IGN, 0);
	if (way < 2)
		store();
	raise(way == 2 ? SIGBUS : SIGTRAP);
}

/* An ignored fault ends the process, as the kernel does it. */
Test(fault, ends_the_process)
{
	static const int ends[] = { SIGSEGV, SIGSEGV, SIGBUS, SIGTRAP };

	signals_start();
	cr_assert(signals_start_traps());
	for (way = 0; way < 4; way++)
		cr_expect_eq(WTERMSIG(child(end)), ends[way], "%d", way);
}

Test(fault, is_not_blocked_in_handlers)
{
	struct sigaction a = { .sa_handler = handle }, now;

	sigaddset(&a.sa_mask, SIGSEGV);
	sigaddset(&a.sa_mask, SIGALRM);
	sigaction(SIGUSR1, &a, NULL);
	sigdelset(&a.sa_mask, SIGSEGV);
	sigaddset(&a.sa_mask, SIGTRAP);
	sigaction(SIGRTMAX, &a, NULL);
	signals_open_masks();
	for (int i = 0; i < 2; i++) {
		sigaction(i ? SIGRTMAX : SIGUSR1, NULL, &now);
		cr_expect_eq(now.sa_handler, handle);
		cr_expect_not(sigismember(&now.sa_mask, SIGSEGV));
		cr_expect_not(sigismember(&now.sa_mask, SIGTRAP));
		cr_expect(sigismember(&now.sa_mask, SIGALRM));
	}
}
