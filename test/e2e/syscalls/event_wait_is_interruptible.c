/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GET_EVENT of rdma_cm waits as wait_event_interruptible() does (kernel, ucma.c,
 * ucma_get_event): a handler runs at once, then the call is restarted or ends with EINTR, as
 * SA_RESTART says. It is a write(), hence a cancellation point. An interrupted wait holds
 * nothing back.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <rdma/rdma_user_cm.h>

#include "points.h"

#define SIGNALS 50

static int cm;
static pthread_t waiter;
static atomic_int handled;
static atomic_bool over;
static sigjmp_buf back;

static struct {
	struct rdma_ucm_cmd_hdr hdr;
	struct rdma_ucm_get_event cmd;
} ask;
static struct rdma_ucm_event_resp event;

static void begin(void)
{
	cm = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	cr_assert_geq(cm, 0);
	ask.hdr = (struct rdma_ucm_cmd_hdr){ RDMA_USER_CM_CMD_GET_EVENT, sizeof(ask.cmd),
					     sizeof(event) };
	ask.cmd.response = (uintptr_t)&event;
	waiter = pthread_self();
}

TestSuite(wait, .init = begin);

static ssize_t get_event(void)
{
	return write(cm, &ask, sizeof(ask));
}

static void count(int sig)
{
	(void)sig;
	handled++;
}

static void jump(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* A new event: an address is resolved. */
static void cause_event(void)
{
	struct rdma_ucm_create_id_resp made;
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		struct rdma_ucm_create_id cmd;
	} create = { { RDMA_USER_CM_CMD_CREATE_ID, sizeof(create.cmd), sizeof(made) },
		     { .uid = 1, .response = (uintptr_t)&made, .ps = RDMA_PS_TCP } };
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		struct rdma_ucm_resolve_ip cmd;
	} resolve = { { RDMA_USER_CM_CMD_RESOLVE_IP, sizeof(resolve.cmd), 0 },
		      .cmd.timeout_ms = 2000 };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(7),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };

	cr_assert_eq(write(cm, &create, sizeof(create)), sizeof(create));
	resolve.cmd.id = made.id;
	memcpy(&resolve.cmd.dst_addr, &to, sizeof(to));
	cr_assert_eq(write(cm, &resolve, sizeof(resolve)), sizeof(resolve));
}

/* Signals the waiter until it is not waiting any more. */
static void *disturb(void *arg)
{
	(void)arg;
	while (!over) {
		pthread_kill(waiter, SIGUSR1);
		pause_a_little();
	}
	return NULL;
}

/* Signals the waiter for some time, then has an event for it. */
static void *disturb_and_tell(void *arg)
{
	(void)arg;
	while (handled < SIGNALS) {
		pthread_kill(waiter, SIGUSR1);
		pause_a_little();
	}
	cause_event();
	return NULL;
}

Test(wait, ends_with_eintr)
{
	pthread_t t;

	on_sigusr1(count, 0);
	cr_assert_eq(pthread_create(&t, NULL, disturb, NULL), 0);
	cr_assert_eq(get_event(), -1);
	cr_assert_eq(errno, EINTR);
	over = true;
	cr_assert_eq(pthread_join(t, NULL), 0);
	cr_assert_geq(handled, 1);
}

Test(wait, is_restarted)
{
	pthread_t t;

	on_sigusr1(count, SA_RESTART);
	cr_assert_eq(pthread_create(&t, NULL, disturb_and_tell, NULL), 0);
	cr_assert_eq(get_event(), sizeof(ask));
	cr_assert_eq(event.event, 0, "RDMA_CM_EVENT_ADDR_RESOLVED");
	cr_assert_geq(handled, SIGNALS);
	cr_assert_eq(pthread_join(t, NULL), 0);
}

Test(wait, is_left_by_siglongjmp)
{
	pthread_t t;

	on_sigusr1(jump, 0);
	if (!sigsetjmp(back, 1)) {
		cr_assert_eq(pthread_create(&t, NULL, disturb, NULL), 0);
		get_event();
		cr_assert_fail("the wait ended");
	}
	on_sigusr1(SIG_IGN, 0);
	over = true;
	cause_event();
	cr_assert_eq(get_event(), sizeof(ask));
	cr_assert_eq(close(cm), 0);
}

static void *wait_for_event(void *arg)
{
	(void)arg;
	get_event();
	return NULL;
}

Test(wait, is_cancelled)
{
	pthread_t t;
	void *ret;

	cr_assert_eq(pthread_create(&t, NULL, wait_for_event, NULL), 0);
	pause_a_little(); /* in the wait or before it: both are cancellation points */
	cr_assert_eq(pthread_cancel(t), 0);
	cr_assert_eq(pthread_join(t, &ret), 0);
	cr_assert_eq(ret, PTHREAD_CANCELED);
	cause_event();
	cr_assert_eq(get_event(), sizeof(ask));
	cr_assert_eq(close(cm), 0);
}
