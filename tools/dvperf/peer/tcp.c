/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCP connection: server, client, keepalive. */
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "tcp.h"

enum {
	CLIENT_SECONDS = 60, /* how long a server waits for its client */
	SERVER_SECONDS = 3,  /* how long a client tries */
};

static int listen_on(const struct addrinfo *list)
{
	int one = 1, fd = -1;

	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

static int connect_to(const struct addrinfo *list)
{
	int fd = -1;

	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen)) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

static int serve(const struct addrinfo *list, int port)
{
	int fd, listener = listen_on(list);
	struct pollfd p = { .fd = listener, .events = POLLIN };

	if (listener < 0)
		base_refuse("cannot serve on TCP port %d (-p): %m", port);
	base_note("waiting for a client on TCP port %d; --loopback runs without one", port);
	if (poll(&p, 1, CLIENT_SECONDS * 1000) != 1) {
		if (base_interrupted)
			base_fail("interrupted before a client came");
		base_refuse("no client came within %d s", CLIENT_SECONDS);
	}
	fd = accept(listener, NULL, NULL);
	close(listener);
	return fd;
}

static int call_server(const struct addrinfo *list, const char *host, int port)
{
	struct timespec pause = { .tv_nsec = 100000000 };
	int fd = connect_to(list);

	for (int i = 0; i < SERVER_SECONDS * 10 && fd < 0 && !base_interrupted; i++) {
		nanosleep(&pause, NULL);
		fd = connect_to(list);
	}
	if (fd < 0)
		base_refuse("no peer: no dvperf serves at %s, TCP port %d (-p)", host, port);
	return fd;
}

/* Asks after a side that says nothing: it may have nothing to say, or be switched off. */
static void watch_over(int fd)
{
	int on = 1, idle = 3, interval = 1, tries = 4;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int tcp_meet(const char *host, int port)
{
	struct addrinfo hints = { .ai_flags = host ? 0 : AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	char service[16];
	int failed, fd;

	snprintf(service, sizeof(service), "%d", port);
	failed = getaddrinfo(host, service, &hints, &list);
	if (failed)
		base_refuse("no peer: %s: %s", host ? host : "TCP", gai_strerror(failed));
	fd = host ? call_server(list, host, port) : serve(list, port);
	freeaddrinfo(list);
	if (fd < 0)
		base_fail("TCP port %d: %m", port);
	watch_over(fd);
	return fd;
}
