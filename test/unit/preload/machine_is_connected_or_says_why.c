/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --wire, --pcap, --netdev, --tap, --inject and faults: which calls connect a function, the
 * line of each that fails, and that what was opened is closed. wire and net are the test.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture.h"
#include "lib/descriptors.h"
#include "lib/steps.h"
#include "preload/outside.h"

#define WIRE ((struct wire *)8)
#define NET  ((struct net *)16)

static char calls[300];
static int error;
static struct boot b;

static int call(bool right, const char *what, const char *name)
{
	snprintf(calls + strlen(calls), sizeof(calls) - strlen(calls), "%s%s(%s) ",
		 right ? "" : "wrong:", what, name);
	return step_fails() ? error : 0;
}

int wire_network(struct wire *w, const struct options_wire *o, const uint8_t (*own)[16],
		 unsigned int nown)
{
	char text[20];

	snprintf(text, sizeof(text), "%u,%u", nown, own[1][15]);
	return call(w == WIRE && o == &b.options.wire, "network", text);
}

int wire_pcap(struct wire *w, const char *path)
{
	return call(w == WIRE, "pcap", path);
}

int wire_join(struct wire *w, const uint8_t gid[16])
{
	return call(w == WIRE && gid == (void *)24, "join", "") ? ENOMEM : 0;
}

void wire_leave(struct wire *w, const uint8_t gid[16])
{
	call(w == WIRE && gid == (void *)24, "leave", "");
}

void wire_abandon(struct wire *w)
{
	call(w == WIRE, "abandon", "wire");
}

struct net *net_open(struct hca *hca, struct wire *w)
{
	errno = error;
	return call(hca == &b.hca && w == WIRE, "open", "") ? NULL : NET;
}

void net_close(struct net *n)
{
	call(n == NET, "close", "");
}

void net_abandon(struct net *n)
{
	call(n == NET, "abandon", "net");
}

void net_answer(struct net *n)
{
	call(n == NET, "answer", "");
}

int net_netdev(struct net *n, const char *name)
{
	return call(n == NET, "netdev", name);
}

int net_tap(struct net *n, const char *name)
{
	return call(n == NET, "tap", name);
}

int net_inject(struct net *n, const char *path)
{
	return call(n == NET, "inject", path);
}

static void begin(void)
{
	close(0); /* the first number that is free */
	memset(&b, 0, sizeof(b));
	b.wire = WIRE;
	b.options.ipv4 = 0x0a000007;
}

TestSuite(outside, .init = begin);

/* @act on b: its result, its calls and its lines, without "dvkit-emu: ". */
static void expect(bool (*act)(struct boot *), bool result, const char *did, const char *line)
{
	char said[300] = "dvkit-emu: ";
	struct capture c;
	bool got;

	calls[0] = 0;
	capture_begin(&c, stderr);
	got = act(&b);
	capture_end(&c, said, sizeof(said));
	cr_expect_eq(got, result, "%s", calls);
	cr_expect_str_eq(calls, did);
	cr_expect_str_eq(*said ? said + strlen("dvkit-emu: ") : "", line);
}

Test(outside, network)
{
	static const struct {
		int error;
		const char *line;
	} rows[] = {
		{ EPERM, "--wire: " OPTIONS_WIRE_EPERM "\n" },
		{ EADDRINUSE, "--wire: " OPTIONS_WIRE_EADDRINUSE "\n" },
		{ ENOMEM, "--wire: Cannot allocate memory\n" },
	};

	expect(outside_network, true, "", "");
	strcpy(b.options.wire.netdev, "eth0");
	b.options.wire.nips = 1;
	b.options.wire.ip[0][15] = 9;
	expect(outside_network, true, "network(2,9) ", "");
	for (int i = 0; i < 3; i++) {
		error = rows[i].error;
		steps.fail_at = 1;
		expect(outside_network, false, "network(2,9) ", rows[i].line);
	}
}

/* Each call in its order; the n-th fails. */
Test(outside, net)
{
	static const struct {
		unsigned int fails;
		int error;
		const char *calls, *line;
	} rows[] = {
		{ 0, 0, "open() answer() netdev(e0) tap(t) inject(/i) ", "" },
		{ 1, EMFILE, "open() ", "network: Too many open files\n" },
		{ 3, ENODEV, "open() answer() netdev(e0) ", "e0: No such device\n" },
		{ 4, EPERM, "open() answer() netdev(e0) tap(t) close() ",
		  "t: Operation not permitted: create the interface before: ip tuntap add dev NAME "
		  "mode tap user USER\n" },
		{ 4, EBUSY, "open() answer() netdev(e0) tap(t) close() ",
		  "t: Device or resource busy: another process has the TAP interface\n" },
		{ 4, EINVAL, "open() answer() netdev(e0) tap(t) close() ",
		  "t: Invalid argument\n" },
		{ 5, EINVAL, "open() answer() netdev(e0) tap(t) inject(/i) close() ",
		  "/i: Invalid argument\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		strcpy(b.options.netdev[0], "e0");
		strcpy(b.options.netdev[1], "e1");
		strcpy(b.options.tap, "t");
		strcpy(b.options.inject, "/i");
		steps.fail_at = rows[i].fails;
		error = rows[i].error;
		expect(outside_net, !rows[i].fails, rows[i].calls, rows[i].line);
	}
	b.function = 1;
	expect(outside_net, true, "open() answer() netdev(e1) ", "");
	memset(&b.options, 0, sizeof(b.options));
	b.function = 0;
	expect(outside_net, true, "open() answer() ", "");
	cr_expect_eq(b.net, NET);
	strcpy(b.options.faults, "no fault");
	expect(outside_net, false, "", "faults: Invalid argument\n");
}

Test(outside, upcalls)
{
	char said[200];
	struct capture c;

	expect(outside_net, true, "open() answer() ", "");
	calls[0] = 0;
	cr_expect_eq(b.hca.join(&b.hca, (void *)24), 0);
	steps.fail_at = 1;
	error = ENOBUFS;
	cr_expect_eq(b.hca.join(&b.hca, (void *)24), ENOMEM);
	b.hca.leave(&b.hca, (void *)24);
	outside_abandon(&b);
	cr_expect_str_eq(calls, "join() join() leave() abandon(net) abandon(wire) ");
	strcpy(b.options.tap, "tap3");
	capture_begin(&c, stderr);
	b.hca.tap_gone(&b.hca);
	capture_end(&c, said, sizeof(said));
	cr_expect_str_eq(said, "dvkit-emu: --tap: tap3 was deleted: the link is down\n");
}

/* The empty file is this function's while it lives; another one is not. */
Test(outside, capture_has_one_writer)
{
	char dir[] = "/tmp/pcap.XXXXXX", want[120], line[120];
	int other, descriptors;

	expect(outside_pcap, true, "", "");
	cr_assert(mkdtemp(dir));
	snprintf(b.options.pcap, sizeof(b.options.pcap), "%s/p", dir);
	snprintf(want, sizeof(want), "pcap(%s/p) ", dir);
	expect(outside_pcap, true, want, "");
	other = open(b.options.pcap, O_RDWR);
	cr_expect_neq(flock(other, LOCK_EX | LOCK_NB), 0, "it is not claimed");
	descriptors = open_descriptors();
	snprintf(want, sizeof(want), "pcap(%s/p.%d) ", dir, (int)getpid());
	expect(outside_pcap, true, want, "");
	cr_expect_eq(open_descriptors(), descriptors, "a claim of no use");
	b.function = 1;
	snprintf(want, sizeof(want), "pcap(%s/p.%d.1) ", dir, (int)getpid());
	expect(outside_pcap, true, want, "");
	snprintf(b.options.pcap, sizeof(b.options.pcap), "%s/full", dir);
	other = open(b.options.pcap, O_RDWR | O_CREAT, 0600);
	cr_assert_eq(write(other, "x", 1), 1);
	snprintf(want, sizeof(want), "pcap(%s/full.%d.1) ", dir, (int)getpid());
	snprintf(line, sizeof(line), "%s/full.%d.1: Permission denied\n", dir, (int)getpid());
	steps.fail_at = 1;
	error = EACCES;
	expect(outside_pcap, false, want, line);
}
