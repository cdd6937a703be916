/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dvperf.h"
#include "peer.h"
#include "ranks.h"

enum {
	CLIENT_SECONDS = 60, /* how long a server waits for its client */
	SERVER_SECONDS = 3,  /* how long a client tries */
	PEER_SECONDS = 30,   /* how long either waits for the other's next word */
	HELLO_BYTES = 4096,
};

/* ---- bytes ---- */

static void put(struct peer *p, const void *data, size_t size)
{
	if (send(p->fd, data, size, MSG_NOSIGNAL) != (ssize_t)size)
		fail("the peer is gone");
}

/* Waits for @size bytes; ^C ends the wait and the program. */
static void get(struct peer *p, void *data, size_t size, int seconds)
{
	struct pollfd f = { .fd = p->fd, .events = POLLIN };
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		n = poll(&f, 1, seconds < 0 ? -1 : seconds * 1000);
		if (n < 0 && errno == EINTR && !interrupted)
			continue;
		if (n < 0)
			fail("interrupted while waiting for the peer");
		if (!n)
			fail("the peer said nothing for %d s", seconds);
		n = recv(p->fd, (char *)data + have, size - have, 0);
		if (n <= 0)
			fail("the peer is gone");
		have += (size_t)n;
	}
}

void peer_exchange(struct peer *p, const void *ours, void *theirs, size_t size)
{
	put(p, ours, size);
	get(p, theirs, size, PEER_SECONDS);
}

bool peer_both(struct peer *p, bool ours)
{
	bool theirs;

	if (p->ranks)
		return ranks_all(ours);
	peer_exchange(p, &ours, &theirs, sizeof(ours));
	return ours && theirs;
}

void peer_announce(struct peer *p)
{
	if (p->ranks)
		ranks_announce();
	else
		put(p, "s", 1);
}

void peer_await(struct peer *p)
{
	char theirs;

	if (p->ranks) {
		ranks_await();
		return;
	}
	get(p, &theirs, 1, -1); /* a run takes as long as it takes */
	if (theirs != 's')
		fail("the peer is at another place of the protocol");
}

void peer_sync(struct peer *p)
{
	peer_announce(p);
	peer_await(p);
}

bool peer_is_waiting(const struct peer *p)
{
	char byte;

	if (p->ranks)
		return ranks_are_here();
	/* a peer that is gone waits for nothing more, either */
	return recv(p->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

/* ---- connect ---- */

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
		refuse("cannot serve on TCP port %d (-p): %m", port);
	note("waiting for a client on TCP port %d; --loopback runs without one", port);
	if (poll(&p, 1, CLIENT_SECONDS * 1000) != 1)
		refuse("no client came within %d s", CLIENT_SECONDS);
	fd = accept(listener, NULL, NULL);
	close(listener);
	return fd;
}

static int call_server(const struct addrinfo *list, const char *host, int port)
{
	struct timespec pause = { .tv_nsec = 100000000 };
	int fd = connect_to(list);

	for (int i = 0; i < SERVER_SECONDS * 10 && fd < 0 && !interrupted; i++) {
		nanosleep(&pause, NULL);
		fd = connect_to(list);
	}
	if (fd < 0)
		refuse("no peer: no dvperf serves at %s, TCP port %d (-p)", host, port);
	return fd;
}

/* ---- compare ---- */

/* What one side may have for itself. */
static bool is_own(const char *name)
{
	static const char *const own[] = { "api",
					   "doorbell",
					   "uar",
					   "locks",
					   "signal",
					   "pages",
					   "barriers",
					   "rate",
					   "inline_size",
					   "repeats",
					   "mtu",
					   "outstanding",
					   "tx_depth",
					   "cq",
					   "cq_size",
					   "cqe_size",
					   "cqe_compression",
					   "cqe_poll",
					   "collapsed",
					   "events",
					   "mr",
					   "disable_pcie_relaxed",
					   "dm",
					   NULL };

	for (int i = 0; own[i]; i++)
		if (!strcmp(own[i], name))
			return true;
	return false;
}

static const char *letter_of(const char *name)
{
	static const char *const letters[][2] = {
		{ "size", "-s" },	    { "iters", "-n" },	      { "qp", "-q" },
		{ "batch", "-l" },	    { "rx_depth", "-r" },     { "duration", "-D" },
		{ "bidirectional", "-b" },  { "op", "--op" },	      { "connection", "-c" },
		{ "threads", "--threads" }, { "layout", "--layout" }, { "mode", "subcommand" },
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (!strcmp(letters[i][0], name))
			return letters[i][1];
	return name;
}

static void compare(struct json_object *ours, struct json_object *theirs)
{
	json_object_object_foreach(ours, name, value)
	{
		struct json_object *other = json_object_object_get(theirs, name);

		if (!is_own(name) && !(other && json_object_equal(value, other)))
			refuse("the two sides differ: %s %s here, %s there", letter_of(name),
			       json_object_get_string(value),
			       other ? json_object_get_string(other) : "nothing");
	}
}

static void hello(struct peer *p, const struct options *o)
{
	char mine[HELLO_BYTES] = { 0 }, their[HELLO_BYTES];
	struct json_object *ours = json_object_new_object(), *theirs, *version;

	json_object_object_add(ours, "dvperf", json_object_new_string(DVKIT_VERSION));
	json_object_object_add(ours, "options", options_json(o));
	snprintf(mine, sizeof(mine), "%s", json_object_to_json_string(ours));
	peer_exchange(p, mine, their, sizeof(mine));
	their[sizeof(their) - 1] = 0;
	theirs = json_tokener_parse(their);
	version = json_object_object_get(theirs, "dvperf");
	if (!version)
		refuse("the peer is no dvperf");
	if (strcmp(json_object_get_string(version), DVKIT_VERSION))
		refuse("the peer is dvperf %s, this is " DVKIT_VERSION,
		       json_object_get_string(version));
	compare(json_object_object_get(ours, "options"),
		json_object_object_get(theirs, "options"));
	json_object_put(ours);
	json_object_put(theirs);
}

void peer_open(struct peer *p, const struct options *o)
{
	struct addrinfo hints = { .ai_flags = o->host ? 0 : AI_PASSIVE,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	char service[16];
	int failed;

	*p = (struct peer){ .fd = -1, .server = !o->host, .ranks = o->pattern };
	if (p->ranks)
		return;
	snprintf(service, sizeof(service), "%d", o->tcp_port);
	failed = getaddrinfo(o->host, service, &hints, &list);
	if (failed)
		refuse("no peer: %s: %s", o->host ? o->host : "TCP", gai_strerror(failed));
	p->fd = o->host ? call_server(list, o->host, o->tcp_port) : serve(list, o->tcp_port);
	freeaddrinfo(list);
	if (p->fd < 0)
		fail("TCP port %d: %m", o->tcp_port);
	hello(p, o);
}

void peer_close(struct peer *p)
{
	if (!p->ranks)
		close(p->fd);
}
