/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on signal actions, of the signals that signals.c and ending.c keep; all others go to libc.
 *
 * Not seen: sigset(3) and sigignore(3), which X/Open has withdrawn, and raw rt_sigaction calls. A
 * handler of theirs is in front of the emulator's, and is called for memory of queues that is gone.
 */
#undef _FORTIFY_SOURCE
#include <signal.h>

#include "preload/ending.h"
#include "preload/real.h"
#include "preload/signals.h"

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
	return is_kept(sig) ? action(sig, act, old) : REAL(sigaction)(sig, act, old);
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

/* What signal() is in programs built for X/Open. */
HOOK sighandler_t __sysv_signal(int sig, sighandler_t handler);

HOOK sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return is_kept(sig) ? simple(sig, handler, SA_RESETHAND | SA_NODEFER)
			    : REAL(__sysv_signal)(sig, handler);
}
