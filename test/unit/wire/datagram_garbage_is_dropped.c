/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of other processes are dropped, and do not crash the reader. */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "unit/wire/packet.h"
#include "wire/burst.h"

/* A socket of another user: it can see the name, and knows no key. */
static int stranger(void)
{
	return socket(AF_UNIX, SOCK_DGRAM, 0);
}

static ssize_t throw_at(int fd, struct wire *w, const void *bytes, size_t len)
{
	struct sockaddr_un name;
	socklen_t name_len = sizeof(name);

	getsockname(wire_fd(w), (struct sockaddr *)&name, &name_len);
	return sendto(fd, bytes, len, MSG_DONTWAIT, (struct sockaddr *)&name, name_len);
}

/* Random bytes from a slot of the fabric. */
static void throw_from(int fd, uint8_t slot, struct wire *w, const void *bytes, size_t len)
{
	uint8_t datagram[17 + 64 * 1024];

	memcpy(datagram, w->key, 16);
	datagram[16] = slot;
	memcpy(datagram + 17, bytes, len);
	cr_assert_eq(throw_at(fd, w, datagram, 17 + len), (ssize_t)(17 + len), "%m");
}

/* One valid frame as it is in a burst. */
static size_t good_burst(uint8_t *burst)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint16_t len = wire_pack(&p, burst + 2, false);

	memcpy(burst, &len, 2);
	return 2 + len;
}

static int frames_at(struct wire *w)
{
	uint8_t from;
	size_t len;
	int n = 0;

	while (wire_next(w, &len, &from))
		n++;
	return n;
}

static bool readable(struct wire *w)
{
	struct pollfd fd = { .fd = wire_fd(w), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

Test(wire, datagrams_without_the_key_are_not_even_queued)
{
	struct wire *w = join_test_fabric(), *other = join_test_fabric();
	uint8_t datagram[17 + WIRE_MAX_FRAME + 2];
	size_t len = 17 + good_burst(datagram + 17);
	int fd = stranger();

	datagram[16] = 2;
	for (int wrong = 0; wrong < 16; wrong++) {
		memcpy(datagram, w->key, 16);
		datagram[wrong] ^= 1 << wrong % 8;
		throw_at(fd, w, datagram, len);
		cr_expect_not(readable(w), "byte %d of the key is wrong", wrong);
	}
	memcpy(datagram, w->key, 16);
	for (size_t cut = 0; cut < 16; cut++) {
		throw_at(fd, w, datagram, cut);
		cr_expect_not(readable(w), "%zu bytes of the key", cut);
	}
	memcpy(datagram, other->key, 16);
	throw_at(fd, w, datagram, len);
	cr_expect_not(readable(w), "the key of another process");
	memcpy(datagram, w->key, 16);
	throw_at(fd, w, datagram, len);
	cr_expect_eq(frames_at(w), 1, "the right key");
	datagram[16] = 0;
	throw_at(fd, w, datagram, len);
	cr_expect_eq(frames_at(w), 0, "no slot has number 0");
	throw_at(fd, w, datagram, 16);
	cr_expect_eq(frames_at(w), 0, "a key and nothing else");
	close(fd);
	wire_close(w);
	wire_close(other);
}

Test(wire, a_flood_without_the_key_fills_no_queue)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t noise[4096] = { 1 };
	int fd = stranger();

	for (int i = 0; i < 5000; i++)
		throw_at(fd, b, noise, sizeof(noise));
	cr_expect_not(readable(b));
	send_packet(a, wire_slot(b), &p);
	cr_expect_not(wire_flush(a), "it is not stuck");
	cr_expect_eq(frames_at(b), 1);
	close(fd);
	wire_close(a);
	wire_close(b);
}

/* The name of a socket can be read in /proc/net/unix; when its process ended, any process can
 * bind it. */
Test(wire, process_that_takes_the_name_of_an_exited_peer_receives_nothing)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric(), *c;
	struct wire_packet p = sample_packet(WIRE_ACK);
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	uint8_t byte;
	int fd = stranger();

	getsockname(wire_fd(b), (struct sockaddr *)&name, &len);
	send_packet(a, 2, &p);
	wire_flush(a);
	cr_assert_eq(frames_at(b), 1);
	wire_abandon(b);
	cr_assert_eq(bind(fd, (struct sockaddr *)&name, len), 0, "%m");
	c = join_test_fabric();
	cr_assert_eq(wire_slot(c), 2);
	wire_abandon(c); /* and another process had its slot since */
	for (int i = 0; i < 3; i++) {
		send_packet(a, 2, &p);
		wire_flush(a);
		cr_expect_lt(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	}
	wire_close(c);
	close(fd);
	wire_close(a);
	wire_close(b);
}

Test(wire, new_sender_does_not_reach_the_process_with_the_old_name)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_ACK);
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	uint8_t byte;
	int fd = stranger();

	getsockname(wire_fd(b), (struct sockaddr *)&name, &len);
	wire_abandon(b);
	cr_assert_eq(bind(fd, (struct sockaddr *)&name, len), 0, "%m");
	send_packet(a, 2, &p);
	cr_expect_not(wire_flush(a), "lost, as on a network");
	cr_expect_lt(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	wire_send_all(a, &p);
	cr_expect_lt(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	close(fd);
	wire_close(a);
	wire_close(b);
}

Test(wire, bursts_with_wrong_lengths_end_where_they_go_wrong)
{
	struct wire *w = join_test_fabric();
	uint8_t burst[3 * (WIRE_MAX_FRAME + 2)] = { 0 };
	size_t good = good_burst(burst);
	uint16_t wrong[] = { 0, WIRE_MAX_FRAME + 1, 0xffff, 9 };
	int fd = stranger();

	throw_from(fd, 7, w, burst, 0);
	cr_expect_eq(frames_at(w), 0);
	for (size_t len = 1; len < good; len++) {
		throw_from(fd, 7, w, burst, len);
		cr_expect_eq(frames_at(w), 0, "%zu bytes", len);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(burst + good, &wrong[i], 2);
		throw_from(fd, 7, w, burst, good + 2 + 8);
		cr_expect_eq(frames_at(w), 1, "length %u", wrong[i]);
	}
	throw_from(fd, 7, w, burst, good + 1);
	cr_expect_eq(frames_at(w), 1);
	close(fd);
	wire_close(w);
}

Test(wire, a_datagram_larger_than_any_burst_is_dropped)
{
	struct wire *w = join_test_fabric();
	size_t size = 64 * 1024;
	uint8_t *burst = calloc(1, size);
	int fd = stranger();

	good_burst(burst);
	throw_from(fd, 7, w, burst, size);
	cr_expect_eq(frames_at(w), 0);
	close(fd);
	free(burst);
	wire_close(w);
}

Test(wire, random_datagrams_are_dropped)
{
	struct wire *w = join_test_fabric();
	uint8_t noise[512];
	int fd = stranger();

	srandom(2);
	for (int round = 0; round < 5000; round++) {
		size_t len = random() % sizeof(noise);
		struct wire_packet p;
		const uint8_t *frame;
		uint8_t from;

		for (size_t i = 0; i < len; i++)
			noise[i] = random() & (i % 7 ? 0xff : 0x00);
		throw_from(fd, 7, w, noise, len);
		while ((frame = wire_next(w, &len, &from)))
			cr_expect_not(wire_unpack(&p, frame, len));
	}
	close(fd);
	wire_close(w);
}
