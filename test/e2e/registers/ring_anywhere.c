/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings from wherever a program may: what --check does to see stores must not be noticed.
 *
 *	ring_anywhere blocked | handler | traps | threads | fork | early | interleaved | widths
 *
 * All but the last three are right; all end with "as expected".
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum {
	THREADS = 4,
	ROUNDS = 200,
};

static char bytes[64];

struct end {
	struct pair pair;
	struct dv_sq sq;
	struct dv_cq cq;
};

static struct device dev;
static struct end ends[THREADS];
static volatile sig_atomic_t traps;

static void end_open(struct end *e)
{
	e->pair = pair_create(&dev);
	ok(dv_sq_map(&e->sq, e->pair.a));
	ok(dv_cq_map(&e->cq, e->pair.a_cq));
}

static void nop_and_wait(struct end *e)
{
	const struct mlx5_cqe64 *cqe;

	ok(dv_sq_nop(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE));
	dv_sq_blueflame(&e->sq);
	while (!(cqe = dv_cq_poll(&e->cq)))
		;
	dv_sq_retire(&e->sq, cqe);
	dv_cq_release(&e->cq);
}

static void *with_all_blocked(void *end)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	nop_and_wait(end);
	return NULL;
}

static void blocked(void)
{
	pthread_t thread;

	ok(pthread_create(&thread, NULL, with_all_blocked, &ends[0]));
	ok(pthread_join(thread, NULL));
	with_all_blocked(&ends[0]);
}

static void on_alarm(int sig)
{
	(void)sig;
	nop_and_wait(&ends[1]);
}

/* A handler that has all signals blocked, between the stores of the main program too. */
static void handler(void)
{
	struct sigaction act = { .sa_handler = on_alarm };

	sigfillset(&act.sa_mask);
	ok(sigaction(SIGUSR1, &act, NULL));
	for (int i = 0; i < ROUNDS; i++) {
		raise(SIGUSR1);
		nop_and_wait(&ends[0]);
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	traps += sig == SIGTRAP;
}

/* Breakpoints and single steps of the program's own, with a ring among them. */
static void own_traps(void)
{
	struct sigaction act = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, old;

	ok(sigaction(SIGTRAP, &act, NULL));
	ok(sigaction(SIGTRAP, NULL, &old));
	if (old.sa_sigaction != on_trap || old.sa_flags != SA_SIGINFO)
		errx(1, "the action is another");
	__asm__ volatile("int3");
	if (traps != 1)
		errx(1, "%d traps", traps);
	nop_and_wait(&ends[0]);
	raise(SIGTRAP);
	if (traps != 2)
		errx(1, "%d traps", traps);
	ok(dv_sq_nop(&ends[0].sq, MLX5_WQE_CTRL_CQ_UPDATE));
	__asm__ volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	dv_sq_blueflame(&ends[0].sq);
	__asm__ volatile("pushfq\n\tandl $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
	if (traps < 12)
		errx(1, "%d traps of a program that steps itself", traps);
	while (!dv_cq_poll(&ends[0].cq))
		;
}

static void *many(void *end)
{
	for (int i = 0; i < ROUNDS; i++)
		nop_and_wait(end);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		ok(pthread_create(&thread[i], NULL, many, &ends[i]));
	for (int i = 0; i < THREADS; i++)
		ok(pthread_join(thread[i], NULL));
}

/* The child has no device, and writes a page that belongs to no device; it may open one. */
static void forked(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		struct device own;

		*(volatile uint64_t *)(ends[0].sq.bf_reg + 0x600) = 1;
		own = device_open((struct options){ .port = 1, .gid_index = -1 });
		dev = own;
		end_open(&ends[1]);
		nop_and_wait(&ends[1]);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the child ended with 0x%x", status);
	nop_and_wait(&ends[0]);
}

/* A QP in INIT, that was never moved on; libmlx5 would not post. */
static void early(void)
{
	struct ibv_qp *qp = qp_create(&dev, ends[0].pair.a_cq);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct dv_sq sq;

	ok(ibv_modify_qp(qp, &attr,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	ok(dv_sq_map(&sq, qp));
	ok(dv_sq_nop(&sq, MLX5_WQE_CTRL_CQ_UPDATE));
	dv_sq_doorbell(&sq);
	ok(ibv_destroy_qp(qp));
}

/* ---- two threads, one register ---- */

static volatile uint64_t *words;

static void *other_thread(void *unused)
{
	ok(dv_sq_nop(&ends[0].sq, 0));
	dv_sq_record(&ends[0].sq);
	memcpy(bytes, ends[0].sq.last, sizeof(bytes));
	*words = *(uint64_t *)(void *)bytes;
	return unused;
}

/* Between the first two stores of a copy another thread rings for the next WQE. */
static void interleaved(void)
{
	const char *wqe;
	pthread_t thread;

	ok(dv_sq_nop(&ends[0].sq, MLX5_WQE_CTRL_CQ_UPDATE));
	wqe = ends[0].sq.last;
	dv_sq_record(&ends[0].sq);
	words = (volatile uint64_t *)(void *)ends[0].sq.bf_reg;
	words[0] = *(const uint64_t *)(const void *)wqe;
	ok(pthread_create(&thread, NULL, other_thread, NULL));
	ok(pthread_join(thread, NULL));
	words[1] = *(const uint64_t *)(const void *)(wqe + 8);
	while (!dv_cq_poll(&ends[0].cq))
		;
}

/* Doorbells of queues that do not exist: 8 bytes each, whatever the bytes are. */
static void widths(void)
{
	for (uint64_t byte = 0; byte < 256; byte++)
		*(volatile uint64_t *)ends[0].sq.bf_reg = byte * 0x0101010101010101;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "blocked", blocked },		{ "handler", handler }, { "traps", own_traps },
		{ "threads", threads },		{ "fork", forked },	{ "early", early },
		{ "interleaved", interleaved }, { "widths", widths },
	};
	void (*run)(void) = NULL;

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(argv[1], all[i].name))
			run = all[i].run;
	if (!run)
		errx(2, "usage: ring_anywhere blocked | handler | traps | …");
	deadline(100, "the device");
	dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	for (int i = 0; i < THREADS; i++)
		end_open(&ends[i]);
	run();
	for (int i = 0; i < THREADS; i++)
		pair_destroy(&ends[i].pair);
	device_close(&dev);
	puts("as expected");
	return 0;
}
