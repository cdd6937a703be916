/* SPDX-License-Identifier: BSD-2-Clause */
/* entry, file_limit, syscall: a call of the emulator has no handlers and no cancellation
 * inside, and leaves errno, mask and limits as they were. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/core.h"
#include "lib/asleep.h"

static volatile sig_atomic_t handled;

static void count(int sig)
{
	(void)sig;
	handled++;
	errno = EDOM;
}

static bool is_blocked(int sig)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, sig) == 1;
}

/* Handlers run when the outermost call ends; signals that the program blocks stay blocked. */
Test(entry, has_no_handlers_inside)
{
	sigset_t own;

	signal(SIGUSR1, count);
	sigemptyset(&own);
	sigaddset(&own, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &own, NULL);
	cr_expect_not(core_inside());
	core_enter();
	core_enter();
	raise(SIGUSR1);
	core_leave();
	cr_expect(core_inside());
	cr_expect_eq(handled, 0);
	errno = EFBIG;
	core_leave();
	cr_expect_eq(errno, EFBIG, "a handler has its own");
	cr_expect_eq(handled, 1);
	cr_expect_not(core_inside());
	cr_expect(is_blocked(SIGUSR2));
	cr_expect_not(is_blocked(SIGUSR1));
}

/* signal(7): those that an instruction causes. */
Test(entry, blocks_all_but_faults)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };

	core_enter();
	for (int sig = 1; sig < 32; sig++) {
		bool fault = false;

		for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
			fault |= sig == faults[i];
		cr_expect_eq(is_blocked(sig), !fault && sig != SIGKILL && sig != SIGSTOP, "%d",
			     sig);
	}
	core_leave();
	for (int sig = 1; sig < 32; sig++)
		cr_expect_not(is_blocked(sig), "%d", sig);
}

static void *enter_and_be_cancelled(void *progress)
{
	core_enter();
	pthread_cancel(pthread_self());
	pthread_testcancel();
	*(int *)progress = 1;
	core_leave();
	pthread_testcancel();
	*(int *)progress = 2;
	return NULL;
}

Test(entry, is_not_cancelled_inside)
{
	pthread_t thread;
	int progress = 0;
	void *result;

	cr_assert_eq(pthread_create(&thread, NULL, enter_and_be_cancelled, &progress), 0);
	cr_assert_eq(pthread_join(thread, &result), 0);
	cr_expect_eq(progress, 1);
	cr_expect_eq(result, PTHREAD_CANCELED);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A thread that waits for the lock looks for signals again each time that it wakes up. */
#define PIECES 3

/* Has the lock until the main thread, which waits for it, has slept a few times. */
static void *hold(void *held)
{
	core_lock(&lock);
	atomic_store((atomic_int *)held, 1);
	await_sleep(getpid(), PIECES);
	cr_expect(core_inside());
	core_unlock(&lock);
	cr_expect_not(core_inside());
	return NULL;
}

static pthread_t start_holder(void)
{
	atomic_int held = 0;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, hold, &held), 0);
	while (!atomic_load(&held))
		sched_yield();
	return thread;
}

/* The signal that ended a thread that waits, of SIGTERM; 0: it got the lock. */
static int end_of_waiter(bool handler, bool blocked)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		sigset_t term;

		signal(SIGTERM, handler ? count : SIG_DFL);
		sigemptyset(&term);
		sigaddset(&term, SIGTERM);
		start_holder();
		if (blocked)
			pthread_sigmask(SIG_BLOCK, &term, NULL);
		core_enter();
		raise(SIGTERM);
		core_lock(&lock);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

Test(entry, that_waits_can_be_ended, .timeout = 60)
{
	cr_expect_eq(end_of_waiter(false, false), SIGTERM);
	cr_expect_eq(end_of_waiter(true, false), 0, "its handler runs later");
	cr_expect_eq(end_of_waiter(false, true), 0);
}

Test(entry, waits_for_a_lock, .timeout = 60)
{
	pthread_t thread = start_holder();

	core_enter();
	raise(SIGURG); /* its default action is to do nothing */
	core_lock(&lock);
	cr_expect(is_blocked(SIGURG), "again");
	cr_expect_neq(pthread_mutex_trylock(&lock), 0);
	core_unlock(&lock);
	core_leave();
	pthread_join(thread, NULL);
	cr_expect_eq(pthread_mutex_trylock(&lock), 0);
}

/* ---- the limit of file sizes ---- */

/* setrlimit(2): only the administrator raises the hard limit. */
Test(file_limit, is_raised_and_restored)
{
	static const struct {
		rlim_t soft, hard;
		uint64_t want, gets;
		rlim_t meanwhile;
	} rows[] = {
		{ RLIM_INFINITY, RLIM_INFINITY, 100, 100, RLIM_INFINITY },
		{ 100, RLIM_INFINITY, 100, 100, 100 },
		{ 99, RLIM_INFINITY, 100, 100, RLIM_INFINITY },
		{ 99, 1000, 100, 100, 1000 },
		{ 50, 100, 100, 100, 100 },
		{ 50, 99, 100, 99, 99 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			struct rlimit set = { rows[i].soft, rows[i].hard }, was, now;
			bool ok = !setrlimit(RLIMIT_FSIZE, &set);

			ok &= !setresuid(65534, 65534, 65534);
			ok &= core_file_limit_raise(rows[i].want, &was) == rows[i].gets;
			ok &= !getrlimit(RLIMIT_FSIZE, &now);
			ok &= now.rlim_cur == rows[i].meanwhile;
			core_file_limit_restore(rows[i].want, &was);
			ok &= !getrlimit(RLIMIT_FSIZE, &now) && now.rlim_cur == rows[i].soft;
			_exit(ok ? 0 : 1);
		}
		waitpid(pid, &status, 0);
		cr_expect(!geteuid() ? status == 0 : true, "row %zu", i);
	}
}

/* ---- system calls ---- */

Test(entry, of_the_kernel_has_its_errno)
{
	int end[2];

	errno = 0;
	cr_expect_eq(core_syscall(SYS_close, -1), -1);
	cr_expect_eq(errno, EBADF);
	errno = 0;
	cr_assert_eq(pipe(end), 0);
	cr_expect_eq(core_syscall(SYS_fcntl, end[0], F_GETFD), 0);
	cr_expect_eq(core_syscall(SYS_pwrite64, end[1], "x", 1, 0), -1, "all of the arguments");
	cr_expect_eq(errno, ESPIPE);
	cr_expect_eq(core_syscall(SYS_getpid), getpid());
}

#if defined(__x86_64__)
extern int core_fault_copy(void *dst, const void *src, size_t len);
extern int core_fault_end(void);

/* The routines that may fault, and the bytes before and after. */
Test(entry, fault_is_one_of_the_routines)
{
	const uintptr_t first = (uintptr_t)core_fault_copy, end = (uintptr_t)core_fault_end;
	ucontext_t u;

	for (uintptr_t pc = first - 1; pc <= end; pc++) {
		bool inside = pc >= first && pc < end;

		u.uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
		cr_expect_eq(core_fault_recover(&u), inside);
		cr_expect_eq((uintptr_t)u.uc_mcontext.gregs[REG_RIP], inside ? end : pc);
	}
}
#endif
