/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A call that the emulator handles looks like a system call to the program: signal handlers
 * run before or after it, and a thread is not cancelled inside (signal(7), pthreads(7)).
 *
 *	core_enter() -> signals blocked, cancellation off -> locks, the work -> core_leave()
 *
 * So no handler ever runs while this thread holds a lock of the emulator: it may exit, fork,
 * close the device, or leave by siglongjmp().
 *
 * Not blocked: the signals that report a fault of the current instruction. A fault with its
 * signal blocked kills the process without calling the handler of the program, of sanitizers or
 * of sandboxes (SIGSYS).
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/core.h"

#define PATIENCE_NS 50000000

static __thread struct {
	unsigned int depth;
	int cancel;
	sigset_t mask; /* the program's */
} inside;

void core_block_signals(sigset_t *old)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&held, faults[i]);
	pthread_sigmask(SIG_BLOCK, &held, old);
}

void core_enter(void)
{
	sigset_t mask;

	if (!inside.depth) {
		core_block_signals(&mask);
		inside.mask = mask;
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &inside.cancel);
	}
	inside.depth++;
}

void core_leave(void)
{
	sigset_t mask = inside.mask;
	int saved = errno;

	if (--inside.depth)
		return;
	pthread_setcancelstate(inside.cancel, &(int){ 0 });
	/* The handlers that waited run in here; errno is that of the call. */
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	errno = saved;
}

bool core_inside(void)
{
	return inside.depth;
}

/* rt_sigaction(2): the first word of the kernel's structure is the handler. */
static bool is_default(int sig)
{
	void *action[8];

	return !core_syscall(SYS_rt_sigaction, sig, NULL, action, sizeof(uint64_t)) &&
	       action[0] == (void *)SIG_DFL;
}

/* The default action of a signal runs no code of the program, so it may happen at any time. */
static void let_default_actions_happen(void)
{
	sigset_t due;

	sigpending(&due);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&due, sig) == 1 &&
		    (sigismember(&inside.mask, sig) || !is_default(sig)))
			sigdelset(&due, sig);
	pthread_sigmask(SIG_UNBLOCK, &due, NULL);
	pthread_sigmask(SIG_BLOCK, &due, NULL);
}

/* Like the kernel's killable sleep: a thread that waits for one that is blocked (writing its
 * trace to a pipe that is not read) can still be interrupted from the keyboard. */
void core_lock(pthread_mutex_t *m)
{
	struct timespec until;

	core_enter();
	if (!pthread_mutex_trylock(m))
		return;
	do {
		let_default_actions_happen();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PATIENCE_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_mutex_timedlock(m, &until));
}

void core_unlock(pthread_mutex_t *m)
{
	pthread_mutex_unlock(m);
	core_leave();
}
