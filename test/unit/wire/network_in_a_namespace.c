/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames on the network of a machine: two fabrics in a network namespace of the test's own,
 * whose packets are on its loopback interface. Each sees all of them, and takes its own.
 *
 *	a (127.0.0.1, fd00::1) -- lo -- b (127.0.0.2, fd00::2)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "lib/descriptors.h"
#include "lib/steps.h"
#include "unit/wire/packet.h"

static struct wire *a, *b;
static int marker;	       /* a UDP socket that is connected to itself */
static uint8_t gids[2][2][16]; /* a's and b's, IPv4 and IPv6 */

static bool enter_namespace(void)
{
	return !unshare(CLONE_NEWNET) &&
	       !system("ip link set lo up && ip addr add fd00::1/128 dev lo nodad && "
		       "ip addr add fd00::2/128 dev lo nodad");
}

/* One CPU has one queue of packets that lo delivers, in their order. */
static bool stay_on_one_cpu(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

static int socket_to_itself(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	cr_assert_eq(connect(fd, (struct sockaddr *)&at, len), 0);
	return fd;
}

/* All that was sent before has arrived. */
static void wait_for_packets(void)
{
	char byte;

	cr_assert_eq(send(marker, "", 1, 0), 1);
	cr_assert_eq(recv(marker, &byte, 1, 0), 1);
}

static struct options_wire options(int side, const char *netdev)
{
	struct options_wire o = { .nips = 2 };

	strcpy(o.netdev, netdev);
	memcpy(o.ip, gids[side], sizeof(gids[side]));
	return o;
}

static struct wire *join(int side)
{
	struct options_wire o = options(side, "lo");
	struct wire *w = join_test_fabric_of(getpid() + side * 0x1000000);

	cr_assert_not_null(w);
	cr_assert_eq(wire_slot(w), 1);
	cr_assert_eq(wire_network(w, &o, (const uint8_t(*)[16])gids[side], 2), 0);
	return w;
}

static void setup(void)
{
	if (!enter_namespace())
		cr_skip_test("needs CAP_SYS_ADMIN and iproute2");
	cr_assert(stay_on_one_cpu());
	marker = socket_to_itself();
	from_hex(gids[0][0], "00000000 00000000 0000ffff 7f000001");
	from_hex(gids[1][0], "00000000 00000000 0000ffff 7f000002");
	from_hex(gids[0][1], "fd000000 00000000 00000000 00000001");
	from_hex(gids[1][1], "fd000000 00000000 00000000 00000002");
	a = join(0);
	b = join(1);
}

static void teardown(void)
{
	wire_close(a);
	wire_close(b);
	close(marker);
	cr_expect_eq(core_own_next(0), -1, "a descriptor is left");
}

TestSuite(network, .init = setup, .fini = teardown);

/* From a to b, of version 4, 6, or 1 of RoCE. */
static struct wire_packet packet(int version, uint32_t dqpn)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	memcpy(p.sgid, gids[0][version != 4], 16);
	memcpy(p.dgid, gids[1][version != 4], 16);
	memset(p.dmac, 0, 6); /* that of lo */
	p.v1 = version == 1;
	p.dqpn = dqpn;
	return p;
}

static void send_it(const struct wire_packet *p)
{
	send_packet(a, WIRE_NETWORK, p);
	cr_expect_not(wire_flush(a));
	wait_for_packets();
}

/* Receives a frame at @w; NULL: none is there. */
static const uint8_t *next(struct wire *w, size_t *len)
{
	uint8_t from = 99;
	const uint8_t *frame = wire_next(w, len, &from);

	cr_expect(!frame || from == WIRE_NETWORK);
	cr_expect(!frame || !wire_is_message(w));
	cr_expect(!frame || !wire_ethernet(w));
	return frame;
}

/* The highest byte of a QP's number is the slot of its process; QP 1 is all processes', and
 * groups are. */
Test(network, frame_is_for_a_qp_of_the_process)
{
	static const struct {
		uint32_t dqpn;
		bool arrives;
	} rows[] = {
		{ 0x010000, true },  { 0x01ffff, true }, { 0x020000, false },
		{ 0x00ffff, false }, { 0x000001, true }, { 0, false },
		{ 0x000002, false }, { 0xffffff, true }, { 0xfffffe, false },
		{ 0x810000, false }, { 0x011234, true },
	};
	static const int versions[] = { 4, 6, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(rows) * 3; i++) {
		struct wire_packet p = packet(versions[i % 3], rows[i / 3].dqpn), got;
		const uint8_t *frame;
		size_t len;

		p.psn = i;
		send_it(&p);
		cr_expect_null(next(a, &len), "own frames");
		frame = next(b, &len);
		cr_expect_eq(!!frame, rows[i / 3].arrives, "QP 0x%x, version %d", p.dqpn,
			     versions[i % 3]);
		if (!frame)
			continue;
		cr_assert(wire_unpack(&got, frame, len));
		cr_expect_eq(got.psn, i);
		cr_expect_eq(got.v1, p.v1);
		cr_expect_arr_eq(got.sgid, p.sgid, 16);
		cr_expect_arr_eq(got.dgid, p.dgid, 16);
		cr_expect_eq(got.tclass, p.tclass);
		cr_expect_eq(got.hop_limit, p.hop_limit);
		cr_expect_arr_eq(got.payload, p.payload, p.payload_len);
		cr_expect_not(wire_is_corrupt(frame, len, WIRE_NETWORK));
		cr_expect_eq(frame[14] >> 4 == 4 && !(frame[14 + 4] | frame[14 + 5]), 0,
			     "the identification is never 0");
		cr_expect_null(next(b, &len), "once");
	}
}

/* Or for a group; those for other hosts are for none of them. */
Test(network, frame_is_for_an_address_of_the_process)
{
	static const struct {
		const char *gid;
		bool at_a, at_b;
	} rows[] = {
		{ "00000000 00000000 0000ffff 7f000001", true, false },
		{ "00000000 00000000 0000ffff 7f000003", false, false },
		{ "00000000 00000000 0000ffff 7f010002", false, false },
		{ "00000000 00000000 0000ffff ef010203", true, true },
		{ "fd000000 00000000 00000000 00000001", true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wire_packet p = packet(rows[i].gid[0] == '0' ? 4 : 6, 0xffffff);
		size_t len;

		from_hex(p.dgid, rows[i].gid);
		send_it(&p);
		cr_expect_eq(!!next(a, &len), rows[i].at_a, "row %zu at a", i);
		cr_expect_eq(!!next(b, &len), rows[i].at_b, "row %zu at b", i);
	}
}

/* Bytes of the IP header and after it that make a packet one of others. */
Test(network, packet_is_roce_and_whole)
{
	static const struct {
		const char *name;
		int version;
		unsigned int at;
		uint8_t value;
		bool arrives;
	} rows[] = {
		{ "IPv4", 4, 0, 0x45, true },
		{ "options", 4, 0, 0x46, false },
		{ "more fragments", 4, 6, 0x20, false },
		{ "a later fragment", 4, 7, 1, false },
		{ "a late fragment", 4, 6, 0x10, false },
		{ "don't fragment", 4, 6, 0x40, true },
		{ "not UDP", 4, 9, 18, false },
		{ "another port", 4, 20 + 3, 0xb6, false },
		{ "a high part of the port", 4, 20 + 2, 0x13, false },
		{ "from another port", 4, 20, 0x12, true },
		{ "IPv6", 6, 7, 9, true },
		{ "not UDP", 6, 6, 18, false },
		{ "another port", 6, 40 + 3, 0xb8, false },
		{ "another destination", 6, 39, 9, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wire_packet p = packet(rows[i].version, 0x010041);
		struct sockaddr_in to4 = { .sin_family = AF_INET };
		struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
		bool v4 = rows[i].version == 4;
		uint8_t frame[WIRE_MAX_FRAME], *ip = frame + 14;
		size_t len = wire_pack(&p, frame, true) - 14;
		int fd = socket(v4 ? AF_INET : AF_INET6, SOCK_RAW, IPPROTO_RAW);

		cr_assert_geq(fd, 0, "%m");
		ip[rows[i].at] = rows[i].value;
		memcpy(&to4.sin_addr, ip + 16, 4);
		memcpy(&to6.sin6_addr, ip + 24, 16);
		sendto(fd, ip, len, 0, v4 ? (void *)&to4 : (void *)&to6,
		       v4 ? sizeof(to4) : sizeof(to6));
		close(fd);
		cr_expect_eq(!!next(b, &len), rows[i].arrives, "%s, IPv%d", rows[i].name,
			     rows[i].version);
	}
}

/* In order, with sizes around those that fill a batch and a burst; none is lost or doubled. */
Test(network, frames_arrive_in_order)
{
	static uint8_t bytes[4096];
	uint32_t sent = 0, got = 0;

	for (unsigned int n = 1; n < 140; n += 23)
		for (unsigned int i = 0; i < n; i++) {
			struct wire_packet p = packet(i % 3 ? 4 : 6, 0x010041), in;
			const uint8_t *frame;
			size_t len;

			p.psn = sent++;
			p.payload = bytes;
			p.payload_len = i % 5 ? 4096 : i % 4;
			send_packet(a, WIRE_NETWORK, &p);
			if (i < n - 1)
				continue;
			cr_expect_not(wire_flush(a));
			wait_for_packets();
			while ((frame = next(b, &len))) {
				cr_assert(wire_unpack(&in, frame, len));
				cr_assert_eq(in.psn, got++);
			}
			cr_assert_eq(got, sent);
		}
}

/* The processes of the fabric, and hosts of the network, have their turns. */
Test(network, fabric_and_network_alternate)
{
	struct wire *c = join_test_fabric_of(getpid() + 0x1000000);
	struct wire_packet p = packet(4, 0x010041);
	unsigned int turns = 0, last = 99;
	uint8_t from;
	size_t len;

	cr_assert_eq(wire_slot(c), 2);
	for (int i = 0; i < 10; i++) {
		send_it(&p);
		send_packet(c, 1, &p);
	}
	wire_flush(c);
	for (int i = 0; i < 20; i++) {
		cr_assert_not_null(wire_next(b, &len, &from));
		turns += from != last;
		last = from;
	}
	cr_expect_eq(turns, 20);
	cr_expect_null(wire_next(b, &len, &from));
	wire_close(c);
}

Test(network, frame_wakes_the_process)
{
	struct pollfd poll_fd = { .fd = wire_fd(b), .events = POLLIN };
	struct wire_packet p = packet(4, 0x010041);
	uint8_t from;
	size_t len;

	cr_expect_null(wire_next(b, &len, &from));
	cr_expect(wire_may_sleep(b));
	cr_expect_eq(poll(&poll_fd, 1, 0), 0);
	send_it(&p);
	cr_expect_eq(poll(&poll_fd, 1, 10000), 1);
	wire_awake(b);
	cr_expect_not_null(wire_next(b, &len, &from));
}

Test(network, routes_are_those_of_the_kernel)
{
	uint8_t gid[16], other[16], mac[6];
	int before = open_descriptors();

	cr_expect(wire_has_network(a));
	for (int v6 = 0; v6 < 2; v6++) {
		cr_expect_eq(wire_route(a, gids[0][v6], 7), 7);
		cr_expect_eq(wire_route(a, gids[1][v6], 7), WIRE_NETWORK);
		memset(gid, 0, sizeof(gid));
		cr_expect_eq(wire_source(a, gids[0][v6], gid), 0);
		cr_expect_arr_eq(gid, gids[0][v6], 16, "version %d", v6);
	}
	from_hex(other, "00000000 00000000 0000ffff 0a090909");
	cr_expect_eq(wire_source(a, other, gid), -ENETUNREACH);
	cr_expect_eq(wire_neighbour(a, gids[1][0], mac), -EHOSTUNREACH);
	cr_expect_eq(wire_neighbour(a, gids[1][1], mac), -EHOSTUNREACH);
	cr_expect_eq(open_descriptors(), before);
}

/* arp(8): an entry that is complete, one that is not, and an address without one. */
Test(network, neighbour_is_that_of_the_table)
{
	static const uint8_t expected[6] = { 2, 0, 0, 0, 0x12, 0x34 };
	struct wire *w = join_test_fabric_of(getpid() + 0x2000000);
	struct options_wire o = options(0, "dvtest1");
	uint8_t gid[16], mac[6];

	if (system("ip tuntap add dvtest1 mode tap && ip link set dvtest1 up && "
		   "ip neigh add 10.1.1.2 lladdr 02:00:00:00:12:34 dev dvtest1 && "
		   "ip neigh add 10.1.1.3 nud incomplete dev dvtest1 2>&1"))
		cr_skip_test("no TAP interface");
	cr_assert_eq(wire_network(w, &o, (const uint8_t(*)[16])gids[0], 2), 0);
	for (uint8_t host = 2; host < 5; host++) {
		from_hex(gid, "00000000 00000000 0000ffff 0a010100");
		gid[15] = host;
		cr_expect_eq(wire_neighbour(w, gid, mac), host == 2 ? 0 : -EHOSTUNREACH, "%u",
			     host);
		if (host == 2)
			cr_expect_arr_eq(mac, expected, 6);
	}
	wire_close(w);
}

/* Is the group that /proc/net/igmp or igmp6 calls @name joined by some socket on lo? */
static bool is_member(const char *file, const char *name)
{
	char line[128];
	bool found = false;
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, name) != NULL;
	if (f)
		fclose(f);
	return found;
}

Test(network, groups_are_joined_until_they_are_left)
{
	static const struct {
		const char *gid, *file, *name;
	} rows[] = {
		{ "00000000 00000000 0000ffff ef010203", "/proc/net/igmp", "030201EF" },
		{ "00000000 00000000 0000ffff ef010204", "/proc/net/igmp", "040201EF" },
		{ "ff020000 00000000 00000000 00000123", "/proc/net/igmp6",
		  "ff020000000000000000000000000123" },
	};
	uint8_t gid[3][16], none[16];
	int before;

	for (int i = 0; i < 3; i++) {
		from_hex(gid[i], rows[i].gid);
		cr_assert_eq(wire_join(a, gid[i]), 0);
	}
	for (int left = 0; left <= 3; left++) {
		for (int i = 0; i < 3; i++)
			cr_expect_eq(is_member(rows[i].file, rows[i].name), i >= left, "%d, %d",
				     i, left);
		if (left < 2)
			wire_leave(a, gid[left]);
		else if (left == 2)
			wire_close(a);
	}
	a = join(0);
	from_hex(none, "00000000 00000000 0000ffff 0a000001");
	before = open_descriptors();
	steps.fail_at = 1;
	cr_expect_eq(wire_join(a, none), ENOMEM);
	cr_expect_eq(wire_join(a, none), EINVAL, "not a group");
	cr_expect_eq(open_descriptors(), before);
}

/* Each step of joining the network. */
Test(network, that_cannot_be_joined)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4791) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct options_wire o = options(0, "none");
	long allocations;
	struct wire *w;

	to.sin_addr.s_addr = htonl(0x7f000009);
	cr_assert_eq(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	for (int i = 0; i < 5; i++) {
		static const int expected[] = { ENODEV, EADDRINUSE, 0, ENOMEM, ENOMEM };

		o = options(0, i ? "lo" : "none");
		memcpy(o.ip[1], gids[0][0], 16);
		o.ip[1][15] = i == 1 ? 9 : 1;
		o.ip[1][12] = i == 2 ? 10 : 127; /* not of this machine */
		allocations = steps.allocations;
		w = join_test_fabric_of(getpid() + 0x2000000);
		steps.fail_at = i > 2 ? (unsigned int)i - 2 : 0;
		cr_expect_eq(wire_network(w, &o, (const uint8_t(*)[16])gids[0], 2), expected[i],
			     "row %d", i);
		steps.fail_at = 0;
		wire_close(w);
		cr_expect_eq(steps.allocations, allocations, "row %d", i);
	}
	close(fd);
}
