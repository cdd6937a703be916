/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Places inside a call that the emulator answers, and something that happens there.
 *
 * The system calls that the emulator makes meanwhile are seen (trapped.h). So "while this
 * thread is in its third copy from user memory" is a matter of counting, and every such place
 * is tried in turn.
 */
#ifndef POINTS_H
#define POINTS_H

#include <criterion/criterion.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdbool.h>

/* At place @n, from 0, that this thread comes by @happens is called, once. */
void point_arm(int n, void (*happens)(void));
void point_disarm(void);
bool point_reached(void);

void point_sigusr1(void); /* raises it */
void point_cancel(void);  /* of this thread: pending until a cancellation point */

/* Runs @child(n) in a child process for n = 0, 1, …, until it reaches fewer than n places: it
 * returns then, and @child's exit status has to be 0 or, with @sig, death by that signal. At
 * least @least places were reached. A child that hangs hangs the test. */
void points(void (*child)(int n), int sig, int least);

/* Runs @child in a child process; its exit status has to be 0. */
void in_child(void (*child)(void));

/* From now on system call @number answers @err, in this child. */
void in_child_refuse(int number, int err);

/* Resources of a child. */
struct bench {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	char memory[4096];
};

void bench_open(struct bench *b);
struct ibv_context *bench_context(void);
void on_sigusr1(void (*handler)(int), int flags);

/* The calls that are interrupted. False: it failed. */
bool call_reg_mr(struct bench *b);
bool call_channel(struct bench *b);

/* No call that the emulator answers is left open: signals and cancellation are as they were,
 * and a child of fork() has an inherited @uverbs, which answers EIO. */
void expect_outside(int uverbs);

#define CHILD_CHECK(cond)                                        \
	do {                                                     \
		if (!(cond))                                     \
			child_failed(#cond, __FILE__, __LINE__); \
	} while (0)

void child_failed(const char *what, const char *file, int line) __attribute__((noreturn));

#endif
