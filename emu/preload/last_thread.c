/* SPDX-License-Identifier: BSD-2-Clause */
/* Which threads are left, see last_thread.h: the main thread stays in the table of the kernel,
 * as a zombie. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/boot.h"
#include "preload/ending.h"
#include "preload/last_thread.h"

#define THREADS 17 /* fields after the state of the main thread, proc_pid_stat(5) */

/* Its destructor runs when the main thread of process @process leaves by pthread_exit(3). Until
 * then /proc is not opened, whose descriptor the program could see among its own. In a process
 * that was forked it is. */
static struct {
	pthread_key_t key;
	pid_t process; /* 0: there is no key */
	atomic_bool left;
} main_thread;

static void leaves(void *none)
{
	(void)none;
	atomic_store(&main_thread.left, true);
}

__attribute__((constructor)) static void watch_main_thread(void)
{
	if (!pthread_key_create(&main_thread.key, leaves) &&
	    !pthread_setspecific(main_thread.key, &main_thread))
		main_thread.process = getpid();
}

static bool main_runs(void)
{
	return main_thread.process == getpid() && !atomic_load(&main_thread.left);
}

/* Has the main thread ended, and how many are there with it? */
static bool main_ended(unsigned long *threads)
{
	char stat[512] = { 0 }, *at;
	int fd = core_own(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
	ssize_t n = read(fd, stat, sizeof(stat) - 1);

	core_own_close(fd);
	at = n > 0 ? strrchr(stat, ')') : NULL; /* its name may contain anything */
	if (!at || at[1] != ' ' || at[2] != 'Z')
		return false;
	at += 2;
	for (int i = 0; at && i < THREADS; i++)
		at = strchr(at + 1, ' ');
	*threads = at ? strtoul(at, NULL, 10) : 0;
	return at;
}

static unsigned long own_threads(void)
{
	unsigned long n = ending_has_thread();

	for (unsigned int i = 0; i < OPTIONS_FUNCTIONS; i++)
		n += boot_running(i) != NULL;
	return n;
}

/* As a thread of the program, which has no signals blocked. */
static void *leave(void *none)
{
	sigset_t mask;

	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	exit(EXIT_SUCCESS);
	return none;
}

void last_thread_look(struct hca *hca)
{
	static atomic_bool leaving;
	unsigned long threads;
	pthread_t thread;

	(void)hca;
	if (main_runs() || !main_ended(&threads) || threads != 1 + own_threads() ||
	    atomic_exchange(&leaving, true))
		return;
	if (pthread_create(&thread, NULL, leave, NULL))
		atomic_store(&leaving, false);
	else
		pthread_detach(thread);
}
