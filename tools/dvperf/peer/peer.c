/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol of peer.h: messages with a letter before them, options compared, both sides in
 * step.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "cm.h"
#include "peer.h"
#include "ranks.h"
#include "tcp.h"

enum {
	PEER_SECONDS = 120, /* how long either waits for the other's next word */
	HELLO_BYTES = 4096,
	CHUNK_BYTES = 16384, /* capacity of a socket while the peer does not read */
	END_BYTES = 512,
};

/* The letter before a word. */
enum { DATA = 'd', HERE = 's', INTERRUPTED = 'i', END = 'q' };

static int connection = -1;
static bool interruption_sent; /* the other side knows that we were interrupted */
static bool met;	       /* the other side is a dvperf */

/* ---- words ---- */

static void put(struct peer *p, char letter, const void *data, size_t size)
{
	struct iovec parts[] = { { &letter, 1 }, { (void *)data, size } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = size ? 2 : 1 };

	if (sendmsg(p->fd, &m, MSG_NOSIGNAL) == (ssize_t)(size + 1))
		return;
	/* it may have sent the reason before it closed the connection */
	peer_look(p);
	base_fail("the peer closed the connection");
}

/* ^C does not end the wait: the other side is notified and ends the run too. A second one ends
 * the program. */
static size_t get_some(int fd, void *data, size_t size, int seconds)
{
	struct pollfd f = { .fd = fd, .events = POLLIN };
	ssize_t n;

	do
		n = poll(&f, 1, seconds < 0 ? -1 : seconds * 1000);
	while (n < 0 && errno == EINTR);
	if (!n)
		base_fail("nothing from the peer for %d s", seconds);
	n = recv(fd, data, size, 0);
	if (n <= 0)
		base_fail("the peer closed the connection");
	return (size_t)n;
}

static void get_all(int fd, void *data, size_t size, int seconds)
{
	size_t have = 0;

	while (have < size)
		have += get_some(fd, (char *)data + have, size - have, seconds);
}

/* The line that the other side ended with; it follows its letter. */
static _Noreturn void hear_end(int fd)
{
	char text[END_BYTES] = "";
	uint8_t status;
	size_t have = 0;
	ssize_t n;

	get_all(fd, &status, 1, PEER_SECONDS);
	while (have < sizeof(text) - 1 &&
	       (n = recv(fd, text + have, sizeof(text) - 1 - have, 0)) > 0)
		have += (size_t)n;
	if (status == DVPERF_USAGE)
		base_refuse("the other side: %s", text);
	base_fail("the other side: %s", text);
}

/* At the end, if there is a connection. */
static void say_end(int status, const char *text)
{
	char word[END_BYTES];
	int n = snprintf(word, sizeof(word), "%c%c%s", END, status, text);

	if (connection >= 0)
		send(connection, word, n < END_BYTES ? (size_t)n : END_BYTES - 1,
		     MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The next word has @letter and @size bytes. */
static void get(struct peer *p, char letter, void *data, size_t size, int seconds)
{
	char theirs = INTERRUPTED;

	while (theirs == INTERRUPTED) {
		get_all(p->fd, &theirs, 1, seconds);
		if (theirs == INTERRUPTED)
			base_interrupted = 1;
	}
	if (theirs == END)
		hear_end(p->fd);
	if (theirs != letter && !met)
		base_refuse("the peer is not dvperf");
	if (theirs != letter)
		base_fail("unexpected message from the peer");
	get_all(p->fd, data, size, PEER_SECONDS);
}

/* ---- what they are used for ---- */

void peer_exchange(struct peer *p, const void *ours, void *theirs, size_t size)
{
	size_t n;

	for (size_t at = 0; at < size; at += n) {
		n = size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES;
		put(p, DATA, (const char *)ours + at, n);
		get(p, DATA, (char *)theirs + at, n, PEER_SECONDS);
	}
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
		put(p, HERE, NULL, 0);
}

void peer_await(struct peer *p)
{
	if (p->ranks)
		ranks_await();
	else /* a run takes as long as it takes */
		get(p, HERE, NULL, 0, -1);
}

void peer_sync(struct peer *p)
{
	peer_announce(p);
	peer_await(p);
}

bool peer_is_waiting(struct peer *p)
{
	char letter;
	ssize_t n;

	if (p->ranks)
		return ranks_are_here();
	for (;;) {
		n = recv(p->fd, &letter, 1, MSG_PEEK | MSG_DONTWAIT);
		if (n != 1 || letter != INTERRUPTED)
			break;
		recv(p->fd, &letter, 1, 0);
		base_interrupted = 1;
	}
	/* a closed connection counts as waiting */
	return n >= 0;
}

void peer_look(struct peer *p)
{
	struct pollfd f = { .events = POLLRDHUP };
	char words[4];
	ssize_t n, i = 0;

	if (p->ranks)
		return;
	if (base_interrupted && !interruption_sent) {
		interruption_sent = true;
		put(p, INTERRUPTED, NULL, 0);
	}
	n = recv(p->fd, words, sizeof(words), MSG_PEEK | MSG_DONTWAIT);
	for (; i < n && (words[i] == HERE || words[i] == INTERRUPTED); i++)
		if (words[i] == INTERRUPTED)
			base_interrupted = 1;
	if (i < n && words[i] == END) {
		recv(p->fd, words, (size_t)i + 1, 0);
		hear_end(p->fd);
	}
	f.fd = p->fd;
	if (!n || (poll(&f, 1, 0) == 1 && f.revents & (POLLRDHUP | POLLERR | POLLHUP)))
		base_fail("the peer closed the connection");
}

/* ---- compare ---- */

/* How the command line calls what differs: an option, or what whole() adds. */
static const char *flag_of(const char *name)
{
	if (!strcmp(name, "mode"))
		return "subcommand";
	return strcmp(name, "points") ? options_flag(name) : "number of points";
}

static void compare(struct json_object *ours, struct json_object *theirs)
{
	json_object_object_foreach(ours, name, value)
	{
		struct json_object *other = json_object_object_get(theirs, name);

		if (json_object_is_type(value, json_type_object))
			compare(value, other);
		else if (options_must_be_equal(name) &&
			 !(other && json_object_equal(value, other)))
			base_refuse("the two sides differ: %s %s here, %s there", flag_of(name),
				    json_object_get_string(value),
				    other ? json_object_get_string(other) : "nothing");
	}
}

static struct json_object *whole(const char *run, unsigned int points)
{
	struct json_object *j = json_object_new_object();

	json_object_object_add(j, "dvperf", json_object_new_string(DVKIT_VERSION));
	json_object_object_add(j, "mode", json_object_new_string(run));
	json_object_object_add(j, "points", json_object_new_int64(points));
	return j;
}

/* Owns @ours. */
static void hello(struct peer *p, struct json_object *ours)
{
	char mine[HELLO_BYTES] = { 0 }, their[HELLO_BYTES];
	struct json_object *theirs, *version;

	snprintf(mine, sizeof(mine), "%s", json_object_to_json_string(ours));
	peer_exchange(p, mine, their, sizeof(mine));
	their[sizeof(their) - 1] = 0;
	theirs = json_tokener_parse(their);
	version = json_object_object_get(theirs, "dvperf");
	if (!version)
		base_refuse("the peer is not dvperf");
	if (strcmp(json_object_get_string(version), DVKIT_VERSION))
		base_refuse("the peer is dvperf %s, this is " DVKIT_VERSION,
			    json_object_get_string(version));
	met = true;
	compare(ours, theirs);
	json_object_put(ours);
	json_object_put(theirs);
}

/* ---- points ---- */

static struct peer connect_both(const struct options *o)
{
	if (connection < 0) {
		connection = tcp_meet(o->host, o->tcp_port);
		base_before_end(say_end);
	}
	return (struct peer){ .fd = connection, .server = !o->host };
}

void peer_open(struct peer *p, struct options *o)
{
	struct json_object *ours;

	*p = (struct peer){ .fd = -1, .server = !o->host, .ranks = true };
	if (o->pattern)
		return;
	*p = connect_both(o);
	ours = whole(mode_word(o->mode), 1);
	json_object_object_add(ours, "options", options_json(o));
	hello(p, ours);
	if (o->rdma_cm)
		p->cm = cm_open(o, p);
}

const char *peer_check(const struct options *o)
{
	return o->rdma_cm ? cm_check() : NULL;
}

void peer_connect_qps(struct peer *p, struct ibv_qp *const *qps, unsigned int n)
{
	cm_connect(p->cm, qps, n, p);
}

void peer_close_qps(struct peer *p)
{
	if (p->cm)
		cm_close(p->cm);
	p->cm = NULL;
}

/* Message that the sides exchange before a point. */
struct point_state {
	bool left_out, stop;
};

const char *peer_point(const struct options *o, const char *run, unsigned int points,
		       const char *bad)
{
	struct point_state ours = { bad, base_interrupted }, theirs;
	bool first = connection < 0;
	struct peer p = connect_both(o);

	if (first)
		hello(&p, whole(run, points));
	peer_exchange(&p, &ours, &theirs, sizeof(ours));
	if (theirs.stop)
		base_interrupted = 1;
	if (!bad && theirs.left_out)
		return "the other side leaves it out";
	return bad;
}

void peer_part(void)
{
	struct peer p = { .fd = connection };
	struct point_state ours = { .stop = true };

	if (connection < 0)
		return;
	if (base_interrupted)
		put(&p, DATA, &ours, sizeof(ours));
	close(connection);
	connection = -1;
}
