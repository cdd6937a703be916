/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's own actions for SIGSEGV and SIGBUS, while the device is open: what sigaction(2)
 * promises. Ends with "as expected", or of a fault that nothing handles.
 *
 *	handlers before | after | jump | once | sent | default | ignore | default-sent
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"

enum {
	PAGE = 4096,
};

static sigjmp_buf back;
static volatile sig_atomic_t calls, blocked_usr1, on_alternate;
static char stack[65536];
static char *page;

/* Makes the page accessible, so that the instruction succeeds when it is tried again. */
static void repair(int sig, siginfo_t *info, void *ctx)
{
	sigset_t mask;

	(void)ctx;
	calls++;
	if (sig != SIGSEGV || info->si_addr != page)
		_exit(3);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	blocked_usr1 = sigismember(&mask, SIGUSR1);
	on_alternate = (char *)&mask >= stack && (char *)&mask < stack + sizeof(stack);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void jump(int sig)
{
	calls++;
	siglongjmp(back, sig);
}

static void count(int sig)
{
	(void)sig;
	calls++;
}

static void touch(void)
{
	mprotect(page, PAGE, PROT_NONE);
	*(volatile char *)page = 1;
}

static void set_repair(void)
{
	struct sigaction act = { .sa_sigaction = repair, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaddset(&act.sa_mask, SIGUSR1);
	ok(sigaltstack(&alternate, NULL));
	ok(sigaction(SIGSEGV, &act, NULL));
}

static void check_repair(void)
{
	touch();
	touch();
	if (calls != 2 || !blocked_usr1 || !on_alternate)
		errx(1, "%d calls, SIGUSR1 %d, alternate stack %d", calls, blocked_usr1,
		     on_alternate);
}

static void check_jump(void)
{
	struct sigaction old;

	if (signal(SIGSEGV, jump) != SIG_DFL)
		errx(1, "the action was not the default");
	for (int i = 1; i <= 3; i++) {
		if (!sigsetjmp(back, 1))
			touch();
		if (calls != i)
			errx(1, "%d calls after fault %d", calls, i);
	}
	ok(sigaction(SIGSEGV, NULL, &old));
	if (old.sa_handler != jump || old.sa_flags & SA_SIGINFO || !(old.sa_flags & SA_RESTART))
		errx(1, "the action is not what signal() makes");
	if (signal(SIGSEGV, SIG_DFL) != jump)
		errx(1, "signal() does not return the handler");
}

static void check_once(void)
{
	struct sigaction act = { .sa_handler = jump,
				 .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct sigaction old;

	ok(sigaction(SIGSEGV, &act, NULL));
	if (!sigsetjmp(back, 1))
		touch();
	ok(sigaction(SIGSEGV, NULL, &old));
	if (calls != 1 || old.sa_handler != SIG_DFL)
		errx(1, "SA_RESETHAND: %d calls", calls);
}

static void check_sent(void)
{
	signal(SIGBUS, count);
	signal(SIGSEGV, SIG_IGN);
	raise(SIGBUS);
	kill(getpid(), SIGSEGV);
	if (calls != 1)
		errx(1, "%d calls", calls);
	signal(SIGSEGV, SIG_DFL);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	struct device dev;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!strcmp(what, "before"))
		set_repair();
	dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	if (!strcmp(what, "after"))
		set_repair();
	if (!strcmp(what, "before") || !strcmp(what, "after"))
		check_repair();
	else if (!strcmp(what, "jump"))
		check_jump();
	else if (!strcmp(what, "once"))
		check_once();
	else if (!strcmp(what, "sent"))
		check_sent();
	else if (!strcmp(what, "default"))
		touch();
	else if (!strcmp(what, "ignore") && signal(SIGSEGV, SIG_IGN) != SIG_ERR)
		touch(); /* signal(7): a fault that is ignored ends the program */
	else if (!strcmp(what, "default-sent"))
		kill(getpid(), SIGBUS);
	else
		errx(2, "usage: handlers WHAT");
	puts("as expected");
	device_close(&dev);
	return 0;
}
