/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on signal actions, of the signals that signals.c and ending.c keep; all others go to
 * libc. And on signal masks, where a store to a register is a fault (watch.h).
 *
 * Not seen: sigset(3) and sigignore(3), which X/Open has withdrawn, and raw rt_sigaction calls.
 * A handler installed by them replaces the emulator's, and is called for unmapped memory of
 * queues.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/ending.h"
#include "preload/real.h"
#include "preload/signals.h"
#include "preload/watch.h"

#define LIBC_SIGNAL 32 /* and 33: nptl(7) */

/* A thread that has one of these blocked could not write a register that is watched. */
static const sigset_t *open_to_faults(sigset_t *to, const sigset_t *from)
{
	if (!from || !watch_wanted())
		return from;
	*to = *from;
	sigdelset(to, SIGSEGV);
	sigdelset(to, SIGTRAP);
	return to;
}

static bool is_kept(int sig)
{
	return signals_has(sig) || ending_has(sig);
}

static int action(int sig, const struct sigaction *act, struct sigaction *old)
{
	return signals_has(sig) ? signals_action(sig, act, old) : ending_action(sig, act, old);
}

HOOK int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction changed;

	if (act && watch_wanted()) {
		changed = *act;
		open_to_faults(&changed.sa_mask, &act->sa_mask);
		act = &changed;
	}
	return is_kept(sig) ? action(sig, act, old) : REAL(sigaction)(sig, act, old);
}

/* Like libc's, which leaves its own two signals unblocked (nptl(7)). By system call: the
 * look-up of libc's function enters the emulator, and that changes the mask. */
static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t changed;
	uint64_t mask;
	long ret;

	if (how != SIG_UNBLOCK)
		set = open_to_faults(&changed, set);
	if (set) {
		memcpy(&mask, set, sizeof(mask));
		if (how != SIG_UNBLOCK)
			mask &= ~(3ull << (LIBC_SIGNAL - 1));
	}
	ret = core_syscall(SYS_rt_sigprocmask, how, set ? &mask : NULL, old, sizeof(mask));
	return ret ? errno : 0;
}

HOOK int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int err = change_mask(how, set, old);

	if (!err)
		return 0;
	errno = err;
	return -1;
}

HOOK int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	int saved = errno, err = change_mask(how, set, old);

	errno = saved;
	return err;
}

static sighandler_t simple(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags }, old;

	if (!(flags & SA_NODEFER))
		sigaddset(&act.sa_mask, sig);
	return action(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

HOOK sighandler_t signal(int sig, sighandler_t handler)
{
	return is_kept(sig) ? simple(sig, handler, SA_RESTART) : REAL(signal)(sig, handler);
}

HOOK sighandler_t ssignal(int sig, sighandler_t handler)
{
	return is_kept(sig) ? simple(sig, handler, SA_RESTART) : REAL(ssignal)(sig, handler);
}

/* This is signal() in programs built for X/Open. */
HOOK sighandler_t __sysv_signal(int sig, sighandler_t handler);

HOOK sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return is_kept(sig) ? simple(sig, handler, SA_RESETHAND | SA_NODEFER)
			    : REAL(__sysv_signal)(sig, handler);
}
