/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings on small stacks: nothing beside them is written. */
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "rings.h"

enum {
	CANARY = 0x5a,
};

/* @size bytes between two areas that have to stay as they are. */
static char *fenced(size_t size)
{
	char *at = made(aligned_alloc(PAGE, 2 * SIZE + size));

	memset(at, CANARY, 2 * SIZE + size);
	return at + SIZE;
}

static void is_intact(const char *at, size_t size)
{
	int n = 0;

	for (int i = 0; i < SIZE; i++)
		n += (at[i - SIZE] != CANARY) + (at[(long)size + i] != CANARY);
	if (n)
		errx(1, "%d bytes beside the stack were changed", n);
}

static void alternate_stack(size_t size)
{
	char *at = fenced(size);
	stack_t stack = { .ss_sp = at, .ss_size = size };

	ok(sigaltstack(&stack, NULL));
	plain();
	is_intact(at, size);
}

static void on_the_smallest_alternate_stack(void)
{
	alternate_stack((size_t)sysconf(_SC_MINSIGSTKSZ));
}

static void on_an_alternate_stack(void)
{
	alternate_stack(SIZE);
}

static void *in_thread(void *unused)
{
	(void)unused;
	plain();
	return NULL;
}

static void on_a_small_stack(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	ok(pthread_attr_init(&attr));
	ok(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	ok(pthread_create(&thread, &attr, in_thread, NULL));
	ok(pthread_join(thread, NULL));
}

/* A coroutine; with @mask all signals are blocked in it. */
static void coroutine(size_t size, bool mask)
{
	char *at = fenced(size);
	ucontext_t back, there;

	ok(getcontext(&there));
	there.uc_stack = (stack_t){ .ss_sp = at, .ss_size = size };
	there.uc_link = &back;
	if (mask)
		sigfillset(&there.uc_sigmask);
	makecontext(&there, ring, 0);
	ok(swapcontext(&back, &there));
	arrives(8);
	is_intact(at, size);
}

static void in_a_coroutine(void)
{
	coroutine(PAGE, false);
}

static void in_a_coroutine_with_a_mask(void)
{
	coroutine(2 * SIZE, true);
}

const struct way on_stacks[] = {
	WAY(on_the_smallest_alternate_stack),
	WAY(on_an_alternate_stack),
	WAY(on_a_small_stack),
	WAY(in_a_coroutine),
	WAY(in_a_coroutine_with_a_mask),
	{ 0 },
};
