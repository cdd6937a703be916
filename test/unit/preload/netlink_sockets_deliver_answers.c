/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA netlink sockets: what is sent reaches nldev in one piece, its answers reach the program
 * in order, also when there are more than its queue takes; nothing is left of a socket after
 * its last close. The test is nldev.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/descriptors.h"
#include "lib/steps.h"
#include "nldev/nldev.h"
#include "preload/boot.h"
#include "preload/netlink.h"
#include "running.h"

#define MOST 65536 /* bytes of a request */

static struct {
	size_t devices, len;
	uint32_t portid;
	uint8_t bytes[MOST];
} asked;

static unsigned int answers;
static int closed_meanwhile = -1; /* by another thread */
static size_t answer_len;

size_t boot_identity(struct nldev_device d[OPTIONS_FUNCTIONS])
{
	memcpy(d, devices, OPTIONS_FUNCTIONS * sizeof(*d));
	return OPTIONS_FUNCTIONS;
}

void nldev_request(const struct nldev_device *d, size_t n, uint32_t portid, const void *bytes,
		   size_t len, nldev_send *send, void *to)
{
	static uint8_t answer[4096];

	(void)d;
	asked.devices = n;
	asked.portid = portid;
	asked.len = len;
	memcpy(asked.bytes, bytes, len);
	for (uint32_t i = 0; i < answers; i++) {
		memcpy(answer, &i, sizeof(i));
		send(to, answer, answer_len);
	}
	netlink_closed(closed_meanwhile);
}

static int fd;
static long allocations;

static void begin(void)
{
	close(0); /* the first number that is free */
	allocations = steps.allocations;
	answers = 1;
	answer_len = 100;
	fd = netlink_socket(SOCK_RAW);
	cr_assert_geq(fd, 0, "%m");
}

static void end(void)
{
	netlink_closed(fd);
	close(fd);
	cr_expect_eq(steps.allocations, allocations, "memory is left");
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(netlink, .init = begin, .fini = end);

/* Receives an answer and returns its sequence number; -1: none is there. */
static int64_t next(int from)
{
	uint8_t got[4096];
	uint32_t i;

	netlink_deliver(from);
	if (recv(from, got, sizeof(got), MSG_DONTWAIT) != (ssize_t)answer_len)
		return -1;
	memcpy(&i, got, sizeof(i));
	return i;
}

Test(netlink, request_is_one_piece)
{
	static uint8_t bytes[MOST + 1];
	struct iovec part[3] = { { bytes, 5 }, { bytes + 5, 0 }, { bytes + 5, 11 } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 3 };
	struct sockaddr_nl own;
	socklen_t len = sizeof(own);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	cr_assert_eq(netlink_send(fd, &m), 16);
	cr_expect_eq(asked.len, 16);
	cr_expect_arr_eq(asked.bytes, bytes, 16);
	cr_expect_eq(asked.devices, OPTIONS_FUNCTIONS);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	cr_expect_eq(asked.portid, own.nl_pid);
	cr_expect_eq(next(fd), 0);
	cr_expect_eq(next(fd), -1);
	part[2].iov_len = MOST - 5;
	cr_expect_eq(netlink_send(fd, &m), MOST);
	cr_expect_eq(asked.bytes[MOST - 1], bytes[MOST - 1]);
	part[2].iov_len++;
	cr_expect_eq(netlink_send(fd, &m), -1);
	cr_expect_eq(errno, EMSGSIZE);
	part[2] = (struct iovec){ (void *)8, 1 };
	cr_expect_eq(netlink_send(fd, &m), -1);
	cr_expect_eq(errno, EFAULT);
	asked.len = 7;
	cr_expect_eq(netlink_send_bytes(fd, bytes, 0, NULL, 0), 0);
	cr_expect_eq(asked.len, 7, "a request of no bytes");
}

/* kernel, af_netlink.c: netlink_sendmsg */
Test(netlink, request_is_for_the_kernel)
{
	static const struct {
		struct sockaddr_nl to;
		socklen_t len;
		int error;
	} rows[] = {
		{ { .nl_family = AF_NETLINK }, sizeof(struct sockaddr_nl), 0 },
		{ { .nl_family = AF_NETLINK }, sizeof(struct sockaddr_nl) + 4, 0 },
		{ { .nl_family = AF_NETLINK }, sizeof(struct sockaddr_nl) - 1, EINVAL },
		{ { .nl_family = AF_INET }, sizeof(struct sockaddr_nl), EINVAL },
		{ { .nl_family = AF_NETLINK, .nl_pid = 1 },
		  sizeof(struct sockaddr_nl),
		  ECONNREFUSED },
		{ { .nl_family = AF_NETLINK, .nl_groups = 1 },
		  sizeof(struct sockaddr_nl),
		  ECONNREFUSED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		errno = asked.len = 0;
		cr_expect_eq(netlink_send_bytes(fd, "request", 8, &rows[i].to, rows[i].len),
			     rows[i].error ? -1 : 8, "row %zu", i);
		cr_expect_eq(errno, rows[i].error, "row %zu", i);
		cr_expect_eq(asked.len, rows[i].error ? 0 : 8, "row %zu", i);
	}
}

/* More than the receive buffer has space for; then another request's, after them. */
Test(netlink, answers_wait_for_their_reader)
{
	int size = 4096;

	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	answers = 300;
	answer_len = 1000;
	cr_assert_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	answers = 7;
	cr_assert_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	for (uint32_t i = 0; i < 307; i++)
		cr_assert_eq(next(fd), i < 300 ? i : i - 300, "answer %u", i);
	cr_expect_eq(next(fd), -1);
	errno = EDOM;
	netlink_deliver(fd);
	cr_expect_eq(errno, EDOM);
	answers = 300; /* they are left when the socket is closed */
	cr_assert_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
}

Test(netlink, socket_lasts_until_its_last_close)
{
	int other = open("/dev/null", O_RDONLY);

	cr_assert_eq(dup2(fd, 300), 300);
	netlink_duplicated(fd, 300);
	netlink_duplicated(fd, fd);
	netlink_duplicated(other, other + 200); /* none of them is a socket */
	cr_expect(netlink_has(300));
	cr_expect_not(netlink_has(other));
	cr_expect_not(netlink_has(other + 200));
	cr_expect_not(netlink_has(-1));
	cr_expect_not(netlink_has(65536));
	netlink_closed(fd);
	cr_expect_not(netlink_has(fd));
	cr_assert_eq(netlink_send_bytes(300, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(300), 0);
	netlink_duplicated(300, fd); /* back */
	dup2(other, 300);
	netlink_duplicated(other, 300);
	cr_expect_not(netlink_has(300), "another file took its number");
	cr_expect(netlink_has(fd));
	for (int n = 298; n < 303; n++)
		netlink_duplicated(fd, n);
	netlink_closed_range(299, 301);
	for (int n = 298; n < 303; n++)
		cr_expect_eq(netlink_has(n), n == 298 || n == 302, "%d", n);
	netlink_closed_range(298, ~0u);
	cr_expect_not(netlink_has(302));
	close(300);
	close(other);
}

Test(netlink, answers_of_a_closed_socket_are_dropped)
{
	answers = 3;
	closed_meanwhile = fd;
	cr_expect_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(fd), -1);
}

/* Each descriptor and allocation that a socket needs; none is left. */
Test(netlink, socket_without_memory_or_descriptors)
{
	struct rlimit was, few;
	int other;

	steps.fail_at = 1;
	cr_expect_eq(netlink_socket(SOCK_RAW), -1);
	cr_expect_eq(errno, ENOMEM);
	other = dup(fd);
	close(other);
	cr_expect_eq(netlink_socket(SOCK_RAW), other, "no descriptor is left");
	netlink_closed(other);
	close(other);
	cr_expect_eq(netlink_socket(SOCK_STREAM), -1, "of no such type");
	cr_expect_eq(errno, ESOCKTNOSUPPORT);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	few.rlim_cur = 1;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	cr_expect_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), -1);
	cr_expect_eq(errno, ENOBUFS, "there is no socket to answer from");
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
	steps.fail_at = 1;
	cr_expect_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), -1);
	cr_expect_eq(errno, ENOMEM);
	steps.fail_at = 2; /* the answer */
	cr_expect_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(fd), -1);
	cr_expect_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(fd), 0);
}

/* Both have the socket after a fork, and each its own answers; that of its parent's answers is
 * closed in the child. */
Test(netlink, child_of_a_fork_asks_too)
{
	int status, before = open_descriptors();
	pid_t pid;

	cr_assert_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(fd), 0);
	cr_expect_eq(open_descriptors(), before + 1);
	pid = fork();
	if (!pid)
		_exit(!(open_descriptors() == before && netlink_has(fd) &&
			netlink_send_bytes(fd, "x", 1, NULL, 0) == 1 && next(fd) == 0 &&
			!core_inside()));
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
	cr_assert_eq(netlink_send_bytes(fd, "x", 1, NULL, 0), 1);
	cr_expect_eq(next(fd), 0);
	pid = vfork();
	if (!pid)
		_exit(netlink_has(fd)); /* it is its parent's */
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}
