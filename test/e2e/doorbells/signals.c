/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings with signals blocked, in handlers, and with other handlers of faults. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/raw_call.h"
#include "rings.h"

enum {
	QPS = 300,
};

static void on_alarm(int sig)
{
	(void)sig;
	ring();
}

/* All but the one that comes. */
static sigset_t others(void)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGALRM);
	signal(SIGALRM, on_alarm);
	ualarm(50000, 0);
	return set;
}

static void in_sigsuspend(void)
{
	sigset_t set = others();

	sigsuspend(&set);
	arrives(8);
}

static void in_ppoll(void)
{
	sigset_t set = others();

	ppoll(NULL, 0, NULL, &set);
	arrives(8);
}

static void in_pselect(void)
{
	sigset_t set = others();

	pselect(0, NULL, NULL, NULL, NULL, &set);
	arrives(8);
}

static void in_epoll_pwait(void)
{
	sigset_t set = others();
	struct epoll_event e;

	epoll_pwait(epoll_create1(0), &e, 1, -1, &set);
	arrives(8);
}

static void on_timer(union sigval v)
{
	(void)v;
	ring();
}

/* libc runs the function with all signals blocked. */
static void by_timer(void)
{
	struct sigevent how = { .sigev_notify = SIGEV_THREAD,
				.sigev_notify_function = on_timer };
	struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
	timer_t timer;

	ok(timer_create(CLOCK_MONOTONIC, &how, &timer));
	ok(timer_settime(timer, 0, &soon, NULL));
	usleep(ASLEEP_US);
	arrives(8);
}

static void *in_thread(void *unused)
{
	(void)unused;
	plain();
	return NULL;
}

static void by_attribute(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;

	sigfillset(&all);
	ok(pthread_attr_init(&attr));
	ok(pthread_attr_setsigmask_np(&attr, &all));
	ok(pthread_create(&thread, &attr, in_thread, NULL));
	ok(pthread_join(thread, NULL));
}

static void blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	ok(pthread_sigmask(SIG_BLOCK, &all, NULL));
	plain();
}

static void blocked_by_a_system_call(void)
{
	uint64_t all = ~0ull;

	raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, 0, sizeof(all), 0, 0);
	plain();
}

static void blocked_by_sighold(void)
{
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	ok(sighold(SIGSEGV));
	plain();
}

static void change_mask(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	sigfillset(&((ucontext_t *)context)->uc_sigmask);
}

static void blocked_by_a_handler(void)
{
	struct sigaction act = { .sa_sigaction = change_mask, .sa_flags = SA_SIGINFO };

	ok(sigaction(SIGUSR1, &act, NULL));
	raise(SIGUSR1);
	plain();
}

static void default_by_a_system_call(void)
{
	struct { /* struct sigaction of the kernel */
		void *handler;
		unsigned long flags, restorer, mask;
	} act = { 0 };

	raw_call(SYS_rt_sigaction, SIGSEGV, (long)&act, 0, sizeof(act.mask), 0, 0);
	plain();
}

static char *other_page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	if (info->si_addr != other_page)
		_exit(3);
	mprotect(other_page, PAGE, PROT_READ | PROT_WRITE);
	ring();
}

/* It gets the program's fault, and no other; SIGSEGV is blocked in it. */
static void in_a_handler_of_faults(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	other_page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(sigaction(SIGSEGV, &act, NULL));
	*other_page = 1;
	arrives(8);
	plain();
}

static struct ibv_qp *qps[QPS];
static volatile sig_atomic_t rung;

static void on_first_send(int sig)
{
	(void)sig;
	if (rung == QPS)
		return;
	qp = qps[rung++];
	ring();
	ualarm(1000, 0);
}

/* The first send of a queue, in a handler that interrupts malloc() and free(). */
static void in_malloc(void)
{
	struct ibv_cq *cq = made(ibv_create_cq(dev.ctx, 2 * QPS, NULL, NULL, 0));

	for (int i = 0; i < QPS; i++)
		qps[i] = qp_create(&dev, cq);
	for (int i = 0; i < QPS; i += 2)
		qp_connect_pair(&dev, qps[i], qps[i + 1]);
	signal(SIGALRM, on_first_send);
	ualarm(1000, 0);
	while (rung < QPS)
		free(made(malloc(1 + (size_t)rand() % 100000)));
	for (int i = 0; i < QPS; i++)
		completes(cq);
}

const struct way by_signals[] = {
	WAY(in_sigsuspend),
	WAY(in_ppoll),
	WAY(in_pselect),
	WAY(in_epoll_pwait),
	WAY(by_timer),
	WAY(by_attribute),
	WAY(blocked),
	WAY(blocked_by_a_system_call),
	WAY(blocked_by_sighold),
	WAY(blocked_by_a_handler),
	WAY(default_by_a_system_call),
	WAY(in_a_handler_of_faults),
	WAY(in_malloc),
	{ 0 },
};
