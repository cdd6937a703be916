/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ioctl(2) is no cancellation point: a deferred pthread_cancel() that arrives in the middle
 * does not act before the call is over. open(2) is one, but only as a whole.
 */
#include <fcntl.h>
#include <pthread.h>

#include "points.h"

static struct bench b;
static int place;

static void *make_channel(void *arg)
{
	(void)arg;
	point_arm(place, point_cancel);
	ibv_create_comp_channel(b.ctx);
	pthread_testcancel();
	return NULL;
}

static void *open_device(void *arg)
{
	(void)arg;
	point_arm(place, point_cancel);
	bench_context();
	return NULL;
}

static void cancel_in(void *(*thread)(void *))
{
	pthread_t t;

	CHILD_CHECK(!pthread_create(&t, NULL, thread, NULL));
	CHILD_CHECK(!pthread_join(t, NULL));
}

static void in_making_a_channel(int n)
{
	place = n;
	bench_open(&b);
	cancel_in(make_channel);
	CHILD_CHECK(call_channel(&b));
	CHILD_CHECK(call_reg_mr(&b));
}

/* libibverbs, left in the middle of a function, may not be called again; the emulator may. */
static void in_opening_the_device(int n)
{
	place = n;
	cancel_in(open_device);
	CHILD_CHECK(open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC) >= 0);
}

Test(cancellation, of_a_thread_that_makes_a_completion_channel)
{
	points(in_making_a_channel, 0, 3);
}

Test(cancellation, of_a_thread_that_opens_the_device)
{
	points(in_opening_the_device, 0, 4);
}
