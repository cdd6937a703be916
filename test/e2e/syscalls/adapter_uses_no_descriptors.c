/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An adapter has no descriptors in a process. A program that closes all that it has, as daemons
 * do, opens the device again, and its next descriptors are its own; one without standard
 * streams gets the lowest numbers for what it opens, and no other code does.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "points.h"

#define SOCKETS 200

static struct bench b;

/* The device and its queues are closed with their descriptor; it can be opened again. */
static void opens_again(void)
{
	struct bench again = { 0 };

	bench_open(&again);
	CHILD_CHECK(call_channel(&again));
	CHILD_CHECK(call_reg_mr(&again));
}

/* Sockets in whatever numbers are free: what is sent is received, all of it. */
static void sockets_are_own(void)
{
	int end[SOCKETS][2];
	char byte;

	for (int i = 0; i < SOCKETS; i++)
		CHILD_CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, end[i]));
	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < SOCKETS; i++) {
			CHILD_CHECK(send(end[i][0], "x", 1, 0) == 1);
			CHILD_CHECK(send(end[i][1], "y", 1, 0) == 1);
		}
		usleep(20000); /* long enough for the engine to take them, if it did */
		for (int i = 0; i < SOCKETS; i++) {
			CHILD_CHECK(recv(end[i][1], &byte, 1, MSG_DONTWAIT) == 1);
			CHILD_CHECK(recv(end[i][0], &byte, 1, MSG_DONTWAIT) == 1);
		}
	}
}

static enum { EACH, FROM, RANGE } how;

static void close_all(void)
{
	long limit = sysconf(_SC_OPEN_MAX);

	bench_open(&b);
	CHILD_CHECK(ibv_create_comp_channel(b.ctx));
	for (int fd = 3; how == EACH && fd < (limit < 70000 ? limit : 70000); fd++)
		close(fd);
	if (how == FROM)
		closefrom(3);
	if (how == RANGE)
		CHILD_CHECK(!close_range(3, ~0u, 0));
	sockets_are_own();
	opens_again();
}

/* A thread of the adapter has one there until it has moved it, at once. */
static bool stays_closed(int fd)
{
	for (int i = 0; i < 1000 && fcntl(fd, F_GETFD) != -1; i++)
		usleep(1000);
	return fcntl(fd, F_GETFD) == -1;
}

static void close_standard_streams(void)
{
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	bench_open(&b);
	for (int fd = 0; fd < 256; fd++)
		CHILD_CHECK(fd == b.ctx->cmd_fd || fd == b.ctx->async_fd || stays_closed(fd));
	CHILD_CHECK(b.ctx->cmd_fd < 3);
}

static void forked(void)
{
	bench_open(&b);
	in_child(close_all);
	CHILD_CHECK(call_reg_mr(&b));
}

Test(own, after_all_are_closed)
{
	for (how = EACH; how <= RANGE; how++) {
		in_child(close_all);
		in_child(forked);
	}
}

Test(own, without_standard_streams)
{
	in_child(close_standard_streams);
}
