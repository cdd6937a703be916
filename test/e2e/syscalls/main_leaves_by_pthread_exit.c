/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process whose main thread has left ends when the last of its threads does, as if by exit(0)
 * (pthread_exit(3)): no sooner, and although the device is open. A child that does not end
 * makes the test time out.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "points.h"

#define LATER_US 400000 /* longer than the time between two looks of the adapter */

static struct {
	int threads, handlers;
} * seen;

static void setup(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	cr_assert_neq(seen, MAP_FAILED);
}

static void teardown(void)
{
	munmap(seen, sizeof(*seen));
}

TestSuite(main_thread, .init = setup, .fini = teardown, .timeout = 60);

static void at_exit(void)
{
	seen->handlers++;
}

/* The main thread's parts of the process, such as its memory in /proc, do not exist any
 * more. */
static void *works_on(void *none)
{
	struct bench b;

	usleep(LATER_US);
	bench_open(&b);
	CHILD_CHECK(call_reg_mr(&b));
	CHILD_CHECK(call_channel(&b));
	__atomic_add_fetch(&seen->threads, 1, __ATOMIC_RELAXED);
	return none;
}

static void start(void)
{
	pthread_t thread;

	CHILD_CHECK(!pthread_create(&thread, NULL, works_on, NULL));
}

static void leave_with_threads(void)
{
	CHILD_CHECK(!atexit(at_exit));
	CHILD_CHECK(bench_context());
	start();
	start();
	pthread_exit(NULL);
}

static void leave_alone(void)
{
	CHILD_CHECK(!atexit(at_exit));
	CHILD_CHECK(bench_context());
	pthread_exit(NULL);
}

/* The device is opened when the main thread is not there any more. */
static void leave_before_opening(void)
{
	CHILD_CHECK(!atexit(at_exit));
	start();
	pthread_exit(NULL);
}

static void expect_end(void (*child)(void), int threads)
{
	in_child(child);
	cr_expect_eq(seen->threads, threads);
	cr_expect_eq(seen->handlers, 1, "%d times", seen->handlers);
}

Test(main_thread, the_last_thread_ends_the_process)
{
	expect_end(leave_with_threads, 2);
}

Test(main_thread, it_is_the_last_one)
{
	expect_end(leave_alone, 0);
}

Test(main_thread, the_device_is_opened_later)
{
	expect_end(leave_before_opening, 1);
}
