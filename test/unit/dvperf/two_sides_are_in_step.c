/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages of peer.h, byte by byte, with a socket in place of the other side; and two sides
 * over TCP, which compare their options. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "peer/peer.h"
#include "peer/tcp.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

static struct peer p;
static int other;

static void begin(void)
{
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	p = (struct peer){ .fd = ends[0] };
	other = ends[1];
}

TestSuite(peer, .init = begin);

static void hears(const char *bytes, size_t n)
{
	cr_assert_eq(write(other, bytes, n), (ssize_t)n);
}

#define HEARS(bytes) hears(bytes, sizeof(bytes) - 1)

static void said(const char *bytes)
{
	char got[64] = { 0 };

	recv(other, got, sizeof(got) - 1, MSG_DONTWAIT); /* nothing: it fails */
	cr_expect_str_eq(got, bytes);
}

/* ---- messages ---- */

Test(peer, exchanges_data)
{
	char theirs[4] = { 0 };

	HEARS("iidwxy");
	peer_exchange(&p, "abc", theirs, 3);
	said("dabc");
	cr_expect_str_eq(theirs, "wxy");
	cr_expect(base_interrupted);
}

/* Long data goes in pieces of 16384 bytes, each with its letter. */
Test(peer, exchanges_long_data)
{
	enum { SIZE = 16384 + 2, WORDS = SIZE + 2 };
	static char ours[SIZE], theirs[SIZE], words[WORDS], got[WORDS];

	for (int i = 0; i < SIZE; i++)
		ours[i] = (char)(i % 251);
	words[0] = words[16385] = 'd';
	memcpy(words + 1, ours, 16384);
	memcpy(words + 16386, ours + 16384, 2);
	hears(words, WORDS);
	peer_exchange(&p, ours, theirs, SIZE);
	cr_expect_arr_eq(theirs, ours, SIZE);
	cr_assert_eq(recv(other, got, WORDS, MSG_WAITALL), WORDS);
	cr_expect_arr_eq(got, words, WORDS);
}

Test(peer, both_have_to_agree)
{
	for (int theirs = 0; theirs < 2; theirs++)
		for (int ours = 0; ours < 2; ours++) {
			hears(theirs ? "d\1" : "d\0", 2);
			cr_expect_eq(peer_both(&p, ours), ours && theirs);
		}
}

Test(peer, waits_for_the_other)
{
	cr_expect_not(peer_is_waiting(&p));
	HEARS("i");
	cr_expect_not(peer_is_waiting(&p));
	cr_expect(base_interrupted);
	peer_announce(&p);
	said("s");
	HEARS("s");
	cr_expect(peer_is_waiting(&p));
	cr_expect(peer_is_waiting(&p));
	peer_await(&p);
	cr_expect_not(peer_is_waiting(&p));
	HEARS("s");
	peer_sync(&p);
	said("s");
	close(other);
	cr_expect(peer_is_waiting(&p), "closed");
}

/* ^C is sent once; one that comes after an announcement is noticed, and both stay. */
Test(peer, looks_for_interruptions)
{
	peer_look(&p);
	HEARS("s");
	peer_look(&p);
	cr_expect_not(base_interrupted);
	said("");
	HEARS("i");
	peer_look(&p);
	cr_expect(base_interrupted);
	peer_look(&p);
	peer_look(&p);
	said("i");
	peer_await(&p);
}

static void with_ranks(const void *of)
{
	(void)of;
	close(other);
	p.ranks = true;
	peer_look(&p);
}

/* Each of these has its own sockets; the other side says no more than these bytes. */
static void begin_and_hear(const char *bytes)
{
	begin();
	hears(bytes, strlen(bytes));
	shutdown(other, SHUT_WR);
}

static void look(const void *bytes)
{
	begin_and_hear(bytes);
	peer_look(&p);
}

static void exchange(const void *bytes)
{
	char theirs[2];

	begin_and_hear(bytes);
	peer_exchange(&p, "ab", theirs, 2);
}

static void put_too_late(const void *bytes)
{
	char theirs;

	begin_and_hear(bytes);
	close(other);
	peer_exchange(&p, "a", &theirs, 1);
}

Test(peer, ends_as_the_other_did)
{
	static char text[600];
	struct said s;

	said_only(1, "the other side: ended", exchange, "q\1ended");
	said_only(2, "the other side: refused", exchange, "q\2refused");
	said_only(2, "the other side: refused", exchange, "iq\2refused");
	said_only(1, "the peer closed the connection", exchange, "d");
	said_only(1, "the peer closed the connection", exchange, "dx");
	said_only(2, "the peer is not dvperf", exchange, "SSH-2.0");
	said_only(1, "the peer closed the connection", put_too_late, "");
	said_only(2, "the other side: why", put_too_late, "q\2why");
	said_only(1, "the peer closed the connection", look, "");
	said_only(1, "the peer closed the connection", look, "s");
	said_only(2, "the other side: why", look, "q\2why");
	cr_expect_eq(said_by(with_ranks, NULL).status, 0);
	/* after an announcement; as much of it as fits */
	memcpy(text, "sq\2", 3);
	memset(text + 3, 'x', 590);
	s = said_by(look, text);
	cr_expect_eq(s.status, 2);
	cr_expect_eq(strspn(strchr(s.err, 'x'), "x"), 511, "%s", s.err);
}

/* ---- two sides ---- */

static int port_of(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static struct options own;

static void open_side(const void *text)
{
	int port = own.tcp_port;

	own = given(text);
	own.tcp_port = port;
	peer_open(&p, &own);
	printf("%s%s\n", p.server ? "server" : "client", p.ranks || p.cm ? " wrong" : "");
}

static struct said two(const char *server, const char *client, int *server_status)
{
	struct said s;
	pid_t pid;

	own.tcp_port = port_of();
	pid = fork();
	if (!pid) {
		FILE *f = freopen("/dev/null", "w", stderr);

		(void)f;
		open_side(server);
		_exit(0);
	}
	s = said_by(open_side, client);
	cr_assert_eq(waitpid(pid, server_status, 0), pid);
	*server_status = WEXITSTATUS(*server_status);
	return s;
}

Test(peer, two_sides_compare_options)
{
	static const struct {
		const char *server, *client, *why; /* of the client; NULL: they agree */
	} of[] = {
		{ "size=8", "size=8 host=127.0.0.1", NULL },
		{ "size=8 api=wr", "size=8 api=verbs host=127.0.0.1", NULL },
		{ "size=8", "size=9 host=127.0.0.1",
		  "the two sides differ: -s 9 here, 8 there" },
		{ "size=8", "size=8 op=read host=127.0.0.1",
		  "differ: --op read here, write there" },
		{ "mode=lat size=8", "size=8 host=127.0.0.1",
		  "differ: subcommand bw here, lat there" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		int server;
		struct said s = two(of[i].server, of[i].client, &server);

		cr_expect_eq(s.status, of[i].why ? 2 : 0, "%s", s.err);
		cr_expect_eq(server, of[i].why ? 2 : 0, "row %zu: %d", i, server);
		if (of[i].why)
			cr_expect(strstr(s.err, of[i].why), "%s", s.err);
		else
			cr_expect_str_eq(s.out, "client\n");
	}
}

struct side {
	unsigned int points;
	const char *why[3]; /* it leaves out a point; NULL: it does not */
};

static void go_through(const void *of)
{
	const struct side *side = of;
	struct options o = own;

	for (int run = 0, fd; run < 2; run++) {
		for (int i = 0; i < 3; i++)
			printf("%s ",
			       peer_point(&o, "test", side->points, side->why[i]) ?: "-");
		peer_part();
		fd = dup(1); /* the number that the connection had */
		peer_part();
		if (fcntl(fd, F_GETFD) < 0)
			printf("closed");
		close(fd);
	}
}

/* The client; the server ends with @status and has said @says. */
static struct said both_go_through(const struct side *client, int status, const char *says)
{
	static const struct side server = { 3, { NULL, "mine", NULL } };
	struct said s;
	pid_t pid;
	int ended;

	own = given("");
	own.tcp_port = port_of();
	pid = fork();
	if (!pid) {
		s = said_by(go_through, &server);
		_exit(strcmp(s.out, says) ? 99 : s.status);
	}
	own.host = "localhost";
	s = said_by(go_through, client);
	cr_assert_eq(waitpid(pid, &ended, 0), pid);
	cr_expect_eq(WEXITSTATUS(ended), status, "%#x", ended);
	return s;
}

/* A point is left out by both; runs of each side come one after the other. */
Test(peer, two_sides_go_through_points)
{
	struct said s = both_go_through(&(struct side){ 3, { NULL, "its own", "no" } }, 0,
					"- mine the other side leaves it out "
					"- mine the other side leaves it out ");

	cr_expect_eq(s.status, 0, "%s", s.err);
	cr_expect_str_eq(s.out, "- its own no - its own no ");
	s = both_go_through(&(struct side){ .points = 4 }, 2, "");
	cr_expect_eq(s.status, 2);
	cr_expect(strstr(s.err, "differ: number of points 4 here"), "%s", s.err);
}

Test(peer, ranks_need_no_connection)
{
	struct options o = given("pattern=pairs");

	peer_open(&p, &o);
	cr_expect(p.ranks && p.server && p.fd == -1 && !p.cm);
}

/* A server that is switched off is noticed within 3 + 4 * 1 seconds. */
Test(peer, a_silent_side_is_asked_after)
{
	static const struct {
		int level, option, value;
	} of[] = { { SOL_SOCKET, SO_KEEPALIVE, 1 },
		   { IPPROTO_TCP, TCP_KEEPIDLE, 3 },
		   { IPPROTO_TCP, TCP_KEEPINTVL, 1 },
		   { IPPROTO_TCP, TCP_KEEPCNT, 4 },
		   { IPPROTO_TCP, TCP_NODELAY, 1 } };
	int port = port_of(), fd, status;
	pid_t pid = fork();

	if (!pid) {
		FILE *f = freopen("/dev/null", "w", stderr);

		(void)f;
		_exit(tcp_meet(NULL, port) < 0);
	}
	fd = tcp_meet("127.0.0.1", port);
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		int value = -1;
		socklen_t size = sizeof(value);

		cr_assert_eq(getsockopt(fd, of[i].level, of[i].option, &value, &size), 0);
		cr_expect_eq(value, of[i].value, "%zu: %d", i, value);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0);
}

static void meet_at(const void *port)
{
	tcp_meet(NULL, *(const int *)port);
}

Test(peer, a_port_that_is_taken_is_refused)
{
	int taken = socket(AF_INET6, SOCK_STREAM, 0), port;
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	socklen_t size = sizeof(a);
	char text[60];

	if (taken < 0 || bind(taken, (struct sockaddr *)&a, size) || listen(taken, 1)) {
		close(taken);
		cr_skip_test("no IPv6");
	}
	cr_assert_eq(getsockname(taken, (struct sockaddr *)&a, &size), 0);
	port = ntohs(a.sin6_port);
	snprintf(text, sizeof(text), "cannot serve on TCP port %d (-p): Address already in use",
		 port);
	said_only(2, text, meet_at, &port);
}

static void call_nobody(const void *port)
{
	base_interrupted = 1; /* it does not try again */
	tcp_meet("127.0.0.1", *(const int *)port);
}

Test(peer, a_port_without_server_is_refused)
{
	int port = port_of();

	said_only(2, "no peer: no dvperf serves at 127.0.0.1", call_nobody, &port);
}
