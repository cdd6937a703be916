/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that end the process, under --check and --stats; see ending.h.
 *
 * Not seen: SIGKILL; a program that sets an action by other calls than those of hook_signal.c.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "preload/check.h"
#include "preload/ending.h"
#include "preload/real.h"
#include "preload/stats.h"
#include "preload/signals.h"

#define PATIENCE_S 2

/* signal(7): those whose default action is to end the process; not those of signals.c. */
static const int fatal[] = {
	SIGHUP,	   SIGINT,  SIGQUIT,   SIGILL,	SIGTRAP, SIGABRT, SIGFPE,
	SIGUSR1,   SIGUSR2, SIGPIPE,   SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ,
	SIGVTALRM, SIGPROF, SIGSTKFLT, SIGIO,	SIGPWR,	 SIGSYS,
};
#define FATAL (ARRAY_SIZE(fatal))

static int log_fd;
/* the process that the reporter thread belongs to; 0: no such thread */
static _Atomic pid_t owner;
static atomic_int ended_by;
static sem_t due, done;
static struct sigaction defaults[FATAL]; /* as the program has set them; lock held */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report_of(struct boot *b)
{
	stats_finish(b);
	if (b->options.check)
		check_finish(b, atomic_load(&ended_by));
}

static void *report(void *arg)
{
	while (sem_wait(&due))
		;
	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++)
		if (boot_running(i))
			report_of(boot_running(i));
	sem_post(&done);
	return arg;
}

void ending_report(int sig)
{
	static const char late[] = "dvkit-emu: check: no summary: the device was in use\n";
	struct timespec until;
	int none = 0, ret;

	if (atomic_load(&owner) != getpid() ||
	    !atomic_compare_exchange_strong(&ended_by, &none, sig))
		return;
	sem_post(&due);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	while ((ret = sem_timedwait(&done, &until)) && errno == EINTR)
		;
	if (ret)
		core_output(log_fd, CORE_LOG, late, sizeof(late) - 1);
}

/* The signal is blocked here, and ends the process on return. */
static void on_fatal(int sig)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	ending_report(sig);
	REAL(sigaction)(sig, &dfl, NULL);
	raise(sig);
}

static int install(int sig)
{
	struct sigaction ours = { .sa_handler = on_fatal, .sa_flags = SA_ONSTACK };

	sigfillset(&ours.sa_mask);
	return REAL(sigaction)(sig, &ours, NULL);
}

/* Signals are for the threads of the program. */
static bool start_reporter(void)
{
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (sem_init(&due, 0, 0) || sem_init(&done, 0, 0))
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, NULL, report, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		pthread_detach(thread);
	return !err;
}

static bool is_default(const struct sigaction *a)
{
	return !(a->sa_flags & SA_SIGINFO) && a->sa_handler == SIG_DFL;
}

/* A child that opens the device has handlers already, and no reporter. */
void ending_start(struct boot *b)
{
	if (atomic_load(&owner) == getpid())
		return; /* of another function */
	log_fd = b->log_fd;
	atomic_store(&ended_by, 0);
	if (!start_reporter())
		return;
	atomic_store(&owner, getpid());
	for (size_t i = 0; i < FATAL; i++) {
		struct sigaction a;

		if (signals_has(fatal[i]) || REAL(sigaction)(fatal[i], NULL, &a) ||
		    !is_default(&a))
			continue;
		defaults[i] = a;
		install(fatal[i]);
	}
}

bool ending_has_thread(void)
{
	return atomic_load(&owner) == getpid();
}

void ending_stop(void)
{
	atomic_store(&owner, 0);
}

static size_t index_of(int sig)
{
	size_t i = 0;

	while (i < FATAL && fatal[i] != sig)
		i++;
	return i;
}

bool ending_has(int sig)
{
	return atomic_load(&owner) && index_of(sig) < FATAL;
}

static int change(int sig, const struct sigaction *act, struct sigaction *old)
{
	size_t i = index_of(sig);
	struct sigaction now, was;

	if (REAL(sigaction)(sig, NULL, &was))
		return -1;
	if (was.sa_handler == on_fatal)
		was = defaults[i];
	if (act) {
		now = *act;
		if (is_default(&now) ? install(sig) : REAL(sigaction)(sig, &now, NULL))
			return -1;
		if (is_default(&now))
			defaults[i] = now;
	}
	if (old)
		*old = was;
	return 0;
}

int ending_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	sigset_t all, mask;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	pthread_mutex_lock(&lock);
	ret = change(sig, act, old);
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return ret;
}
