/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread that waits for an event holds the file, as a system call does: close() in another
 * thread neither wakes it nor takes what comes for it, even when the number is another file's
 * by then.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "rig.h"

static void begin(void)
{
	rig_start();
	/* calls do not wait unless the application lets them */
	cr_assert_eq(fcntl(left.fd, F_SETFL, 0), 0);
}

TestSuite(wait, .init = begin, .fini = rig_end);

static struct rdma_ucm_event_resp got;

static atomic_int waiter;

static void *wait_for_event(void *arg)
{
	struct rdma_ucm_get_event cmd = { (uintptr_t)&got };

	(void)arg;
	waiter = gettid();
	return (void *)(intptr_t)CALL(&left, GET_EVENT, cmd, sizeof(got));
}

/* Until the thread that was started sleeps in its call. */
static void await_waiter(void)
{
	char path[64], state = 0;
	FILE *f;

	while (!waiter)
		usleep(1000);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
	for (int tries = 0; state != 'S' && tries < 10000; tries++) {
		usleep(1000);
		f = fopen(path, "r");
		cr_assert_not_null(f);
		cr_assert_eq(fscanf(f, "%*d %*s %c", &state), 1);
		fclose(f);
	}
	cr_assert_eq(state, 'S');
}

/* Not with AddressSanitizer, which does not expect a thread to be cancelled anywhere. */
#ifndef __SANITIZE_ADDRESS__
static void *wait_until_cancelled(void *deferred)
{
	int type;

	if (deferred) {
		ucma_wait_event(ucma_events_seen() - 1); /* returns at once */
		pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
		*(bool *)deferred = type == PTHREAD_CANCEL_DEFERRED;
	}
	waiter = gettid();
	while (!ucma_wait_event(ucma_events_seen()))
		;
	return NULL;
}

/* pthreads(7): write() is a cancellation point. */
Test(wait, can_be_cancelled)
{
	bool deferred = false;
	pthread_t thread;
	void *result;

	cr_assert_eq(pthread_create(&thread, NULL, wait_until_cancelled, &deferred), 0);
	await_waiter();
	cr_expect_eq(pthread_cancel(thread), 0);
	cr_expect_eq(pthread_join(thread, &result), 0);
	cr_expect_eq(result, PTHREAD_CANCELED);
	cr_expect(deferred);
}
#endif

Test(wait, goes_on_when_the_number_is_closed_and_another_files)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);
	int number = left.fd, end[2];
	pthread_t thread;
	void *ret;

	cr_assert_eq(pthread_create(&thread, NULL, wait_for_event, NULL), 0);
	await_waiter();
	cr_assert_eq(close(number), 0);
	cr_assert_eq(pipe2(end, O_NONBLOCK), 0);
	cr_assert_eq(end[0], number);
	usleep(50000);
	cr_assert_eq(pthread_tryjoin_np(thread, NULL), EBUSY);
	cr_assert_eq(resolve(&left, id, 0x0a000002, PORT), 0);
	cr_assert_eq(pthread_join(thread, &ret), 0);
	cr_assert_eq((intptr_t)ret, 0);
	cr_assert_eq(got.event, EV_ADDR_RESOLVED);
	close(end[1]);
}

/* The number may be closed between looking the file up and waiting on it. */
Test(wait, begins_when_the_number_was_closed_meanwhile)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);
	int number = dup(left.fd);
	pthread_t thread;
	void *ret;

	cr_assert_eq(close(left.fd), 0);
	cr_assert_eq(pthread_create(&thread, NULL, wait_for_event, NULL), 0);
	await_waiter();
	cr_assert_eq(pthread_tryjoin_np(thread, NULL), EBUSY);
	cr_assert_eq(resolve(&left, id, 0x0a000002, PORT), 0);
	cr_assert_eq(pthread_join(thread, &ret), 0);
	cr_assert_eq((intptr_t)ret, 0);
	cr_assert_eq(got.event, EV_ADDR_RESOLVED);
	close(number);
}
