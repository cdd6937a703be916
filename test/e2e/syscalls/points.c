/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"
#include "trapped.h"

#define UNREACHED 77

static __thread struct {
	int left; /* -1: nothing is armed */
	void (*happens)(void);
} armed = { .left = -1 };
static volatile bool reached;

/* Those of a call that the emulator answers. */
static const int calls[] = {
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_pipe2, SYS_memfd_create, SYS_bind, -1
};

static void here(void)
{
	if (armed.left < 0 || armed.left--)
		return;
	reached = true;
	armed.happens();
}

void point_arm(int n, void (*happens)(void))
{
	static bool is_trapped;

	if (!is_trapped)
		trapped(calls, here);
	is_trapped = true;
	reached = false;
	armed.happens = happens;
	armed.left = n;
}

void point_disarm(void)
{
	armed.left = -1;
}

bool point_reached(void)
{
	return reached;
}

void point_sigusr1(void)
{
	raise(SIGUSR1);
}

void point_cancel(void)
{
	pthread_cancel(pthread_self());
}

void child_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	fflush(stderr);
	_exit(1);
}

static bool one(void (*child)(int n), int n, int sig)
{
	pid_t pid = fork();
	int status;

	cr_assert(pid >= 0);
	if (!pid) {
		child(n);
		_exit(point_reached() ? 0 : UNREACHED);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == UNREACHED)
		return false;
	if (sig)
		cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == sig, "place %d: status %x",
			  n, status);
	else
		cr_assert_eq(status, 0, "place %d: status %x", n, status);
	return true;
}

void points(void (*child)(int n), int sig, int least)
{
	int n = 0;

	while (one(child, n, sig))
		n++;
	cr_assert_geq(n, least, "only %d places", n);
}

void in_child(void (*child)(void))
{
	pid_t pid = fork();
	int status;

	cr_assert(pid >= 0);
	if (!pid) {
		child();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0, "status %x", status);
}

void in_child_refuse(int number, int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	CHILD_CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHILD_CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog));
}

struct ibv_context *bench_context(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	CHILD_CHECK(list && *list);
	ctx = ibv_open_device(*list);
	ibv_free_device_list(list);
	return ctx;
}

void bench_open(struct bench *b)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 4, 4, 1, 1, 0 } };

	b->ctx = bench_context();
	CHILD_CHECK(b->ctx);
	b->pd = ibv_alloc_pd(b->ctx);
	CHILD_CHECK(b->pd);
	attr.send_cq = attr.recv_cq = b->cq = ibv_create_cq(b->ctx, 8, NULL, NULL, 0);
	CHILD_CHECK(b->cq);
	b->qp = ibv_create_qp(b->pd, &attr);
	CHILD_CHECK(b->qp);
}

void on_sigusr1(void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	CHILD_CHECK(!sigaction(SIGUSR1, &sa, NULL));
}

bool call_reg_mr(struct bench *b)
{
	struct ibv_mr *mr =
		ibv_reg_mr(b->pd, b->memory, sizeof(b->memory), IBV_ACCESS_LOCAL_WRITE);

	return mr && !ibv_dereg_mr(mr);
}

bool call_channel(struct bench *b)
{
	struct ibv_comp_channel *c = ibv_create_comp_channel(b->ctx);

	return c && !ibv_destroy_comp_channel(c);
}

void expect_outside(int uverbs)
{
	int cancel, n, status;
	sigset_t blocked;
	pid_t pid;

	cr_expect(!pthread_sigmask(SIG_BLOCK, NULL, &blocked) && sigisemptyset(&blocked));
	cr_expect(!pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel));
	cr_expect_eq(cancel, PTHREAD_CANCEL_ENABLE);
	pid = fork();
	if (!pid)
		_exit(!(ioctl(uverbs, FIONREAD, &n) == -1 && errno == EIO));
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}
