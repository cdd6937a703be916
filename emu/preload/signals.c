/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's actions for SIGSEGV and SIGBUS. The handler may run in any thread while another
 * one changes an action, so each change takes the next of a few places and the index follows
 * it.
 *
 * A fault whose action is "default" or "ignore" is given back to the kernel: with the default
 * action restored, the instruction faults again, and the core dump shows it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"
#include "preload/ending.h"
#include "preload/real.h"
#include "preload/signals.h"
#include "preload/watch.h"

#define KEPT   3
#define PLACES 8

struct kept {
	struct sigaction place[PLACES];
	atomic_uint at;
};

static struct kept actions[KEPT]; /* of SIGSEGV, SIGBUS, SIGTRAP */
static atomic_bool started, traps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct kept *kept(int sig)
{
	return &actions[sig == SIGBUS ? 1 : sig == SIGTRAP ? 2 : 0];
}

static struct sigaction *current(struct kept *k)
{
	return &k->place[atomic_load_explicit(&k->at, memory_order_acquire) % PLACES];
}

static void put(struct kept *k, const struct sigaction *act)
{
	unsigned int next = atomic_load(&k->at) + 1;

	k->place[next % PLACES] = *act;
	atomic_store_explicit(&k->at, next, memory_order_release);
}

static bool is_function(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO ||
	       (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

static void set_default(int sig)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	REAL(sigaction)(sig, &dfl, NULL);
}

/* By kill(2) or a similar call, and not by the processor. */
static bool was_sent(const siginfo_t *info)
{
	return info->si_code <= 0;
}

static void without_function(int sig, const siginfo_t *info, const struct sigaction *a)
{
	if (was_sent(info) && a->sa_handler == SIG_IGN)
		return;
	if (a->sa_handler == SIG_DFL || !was_sent(info))
		ending_report(sig);
	set_default(sig);
	/* After a breakpoint or a step the instruction is executed already. */
	if (was_sent(info) || sig == SIGTRAP)
		raise(sig);
}

/* Is it the emulator's own? Then it is done. */
static bool is_ours(int sig, siginfo_t *info, void *ucontext)
{
	if (was_sent(info))
		return false;
	if (sig == SIGTRAP)
		return watch_step(ucontext);
	return core_fault_recover(ucontext) || watch_fault(sig, info, ucontext);
}

static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
	int saved = errno;
	struct kept *k = kept(sig);
	struct sigaction a;

	if (is_ours(sig, info, ucontext)) {
		errno = saved;
		return;
	}
	a = *current(k);
	if (is_function(&a) && a.sa_flags & (int)SA_RESETHAND)
		put(k, &(struct sigaction){ .sa_handler = SIG_DFL });
	errno = saved;
	if (!is_function(&a))
		without_function(sig, info, &a);
	else if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(sig, info, ucontext);
	else
		a.sa_handler(sig);
}

/* The handler with what the kernel is to do for @a. */
static int install(int sig, const struct sigaction *a)
{
	struct sigaction ours = { .sa_sigaction = on_fault,
				  .sa_mask = a->sa_mask,
				  .sa_flags = (a->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO };

	/* Nothing of the program's runs: its stack may be the very thing that faulted. */
	if (!is_function(a))
		ours.sa_flags |= SA_ONSTACK | SA_NODEFER;
	/* Findings are written after a step: not on a stack that may be a small one. */
	if (!is_function(a) && sig == SIGTRAP)
		ours.sa_flags &= ~SA_ONSTACK;
	return REAL(sigaction)(sig, &ours, NULL);
}

static bool start(int sig)
{
	struct sigaction a;

	if (REAL(sigaction)(sig, NULL, &a))
		return false;
	put(kept(sig), &a);
	return !install(sig, &a);
}

void signals_start(void)
{
	if (atomic_load(&started) || !start(SIGSEGV) || !start(SIGBUS))
		return;
	core_fault_handled();
	atomic_store(&started, true);
}

bool signals_start_traps(void)
{
	if (!atomic_load(&started))
		return false;
	if (!atomic_load(&traps) && start(SIGTRAP))
		atomic_store(&traps, true);
	return atomic_load(&traps);
}

bool signals_are_ours(int sig)
{
	struct sigaction a;

	return !REAL(sigaction)(sig, NULL, &a) && a.sa_flags & SA_SIGINFO &&
	       a.sa_sigaction == on_fault;
}

/* Handlers that were installed before would run with the two blocked. */
void signals_open_masks(void)
{
	struct sigaction act;

	for (int sig = 1; sig < NSIG; sig++) {
		if (sig == SIGSEGV || sig == SIGTRAP || REAL(sigaction)(sig, NULL, &act) ||
		    act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN ||
		    (!sigismember(&act.sa_mask, SIGSEGV) &&
		     !sigismember(&act.sa_mask, SIGTRAP)))
			continue;
		sigdelset(&act.sa_mask, SIGSEGV);
		sigdelset(&act.sa_mask, SIGTRAP);
		REAL(sigaction)(sig, &act, NULL);
	}
}

bool signals_has(int sig)
{
	if (sig == SIGTRAP)
		return atomic_load(&traps);
	return (sig == SIGSEGV || sig == SIGBUS) && atomic_load(&started);
}

int signals_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction was;
	int ret = 0;

	core_lock(&lock);
	was = *current(kept(sig));
	if (act) {
		struct sigaction now = *act;

		/* Before the system call, so that the handler finds it. */
		put(kept(sig), &now);
		ret = install(sig, &now);
	}
	core_unlock(&lock);
	if (!ret && old)
		*old = was;
	return ret;
}
