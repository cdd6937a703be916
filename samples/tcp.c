/* SPDX-License-Identifier: BSD-2-Clause */
/* How two hosts exchange QPNs, keys and addresses: over TCP. */
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tcp.h"

enum {
	CLIENT_SECONDS = 60, /* how long a server waits for its client */
	PEER_SECONDS = 10,   /* how long either waits for the other afterwards */
};

static int wait_for_client(int listener, int port)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };

	printf("server: waiting for a client on TCP port %d\n", port);
	if (poll(&p, 1, CLIENT_SECONDS * 1000) != 1)
		errx(1, "no client came within %d s", CLIENT_SECONDS);
	return accept(listener, NULL, NULL);
}

static int try_address(const struct addrinfo *a, int listening)
{
	int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol), one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listening ? !bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, 1)
		      : !connect(fd, a->ai_addr, a->ai_addrlen))
		return fd;
	close(fd);
	return -1;
}

int tcp_open(const char *host, int port)
{
	struct addrinfo hints = { .ai_flags = host ? 0 : AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	struct timeval patience = { .tv_sec = PEER_SECONDS };
	struct addrinfo *list, *a;
	char service[16];
	int fd = -1, failed, listener;

	snprintf(service, sizeof(service), "%d", port);
	failed = getaddrinfo(host, service, &hints, &list);
	if (failed)
		errx(1, "%s: %s", host ? host : "TCP", gai_strerror(failed));
	for (a = list; a && fd < 0; a = a->ai_next)
		fd = try_address(a, !host);
	if (fd < 0)
		err(1, host ? "no server at %s, TCP port %d" : "cannot serve %s TCP port %d",
		    host ? host : "on", port);
	freeaddrinfo(list);
	if (!host) {
		listener = fd;
		fd = wait_for_client(listener, port);
		close(listener);
	}
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		err(1, "TCP port %d", port);
	return fd;
}

void tcp_exchange(int fd, const void *ours, void *theirs, size_t size)
{
	ssize_t n;

	if (send(fd, ours, size, MSG_NOSIGNAL) != (ssize_t)size)
		err(1, "the peer has closed the connection");
	n = recv(fd, theirs, size, MSG_WAITALL);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		errx(1, "the peer said nothing for %d s", PEER_SECONDS);
	if (n != (ssize_t)size)
		errx(1, "the peer has closed the connection");
}

void tcp_sync(int fd)
{
	char ours = 's', theirs;

	tcp_exchange(fd, &ours, &theirs, 1);
}
