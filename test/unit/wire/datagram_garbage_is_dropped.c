/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams and rings of other processes that are not as they should be are dropped, and do not
 * crash the reader. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/descriptors.h"
#include "unit/wire/fabric.h"
#include "wire/inside.h"

ONE_PROCESS(garbage_of_one);
TWO_PROCESSES(garbage);

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

/* From slot @from of the fabric, with the @n descriptors of @fds; @w looks. */
static void throw_from(uint8_t from, struct wire *w, const int *fds, unsigned int n)
{
	struct datagram d = { .from = from };
	struct iovec part = { &d, sizeof(d) };
	char with[CMSG_SPACE(4 * sizeof(int))] = { 0 };
	struct sockaddr_un name;
	struct msghdr m = { .msg_name = &name,
			    .msg_namelen = sizeof(name),
			    .msg_iov = &part,
			    .msg_iovlen = 1 };
	int fd = stranger();

	memcpy(d.key, w->key, sizeof(d.key));
	getsockname(wire_fd(w), (struct sockaddr *)&name, &m.msg_namelen);
	if (n) {
		m.msg_control = with;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){ .cmsg_len = CMSG_LEN(n * sizeof(int)),
						       .cmsg_level = SOL_SOCKET,
						       .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), fds, n * sizeof(int));
	}
	cr_assert_eq(sendmsg(fd, &m, 0), (ssize_t)sizeof(d), "%m");
	close(fd);
	atomic_store(&w->fabric.mail[wire_slot(w)], 1);
}

/* A frame as an acknowledge is. */
static size_t good_frame(uint8_t *frame)
{
	struct wire_packet p = sample_packet(WIRE_ACK);

	return wire_pack(&p, frame, false);
}

Test(garbage, datagrams_without_the_key_are_not_even_queued)
{
	uint8_t datagram[17];
	size_t len = sizeof(datagram);
	int fd = stranger();

	datagram[16] = 2;
	for (int wrong = 0; wrong < 16; wrong++) {
		memcpy(datagram, a->key, 16);
		datagram[wrong] ^= 1 << wrong % 8;
		throw_at(fd, a, datagram, len);
		cr_expect_not(readable(a), "byte %d of the key is wrong", wrong);
	}
	memcpy(datagram, a->key, 16);
	for (size_t cut = 0; cut < 16; cut++) {
		throw_at(fd, a, datagram, cut);
		cr_expect_not(readable(a), "%zu bytes of the key", cut);
	}
	memcpy(datagram, b->key, 16);
	throw_at(fd, a, datagram, len);
	cr_expect_not(readable(a), "the key of another process");
	memcpy(datagram, a->key, 16);
	throw_at(fd, a, datagram, len);
	cr_expect(readable(a), "the right key");
	a->look = true;
	cr_expect_eq(frames_at(a), 0, "it only wakes");
	cr_expect_not(readable(a));
	throw_at(fd, a, datagram, 16);
	a->look = true;
	cr_expect_eq(frames_at(a), 0, "a key and nothing else");
	cr_expect_not(readable(a));
	close(fd);
}

Test(garbage, a_flood_without_the_key_fills_no_queue)
{
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
}

/* The name of a socket can be read in /proc/net/unix; when its process ended, any process can
 * bind it. */
Test(garbage, process_that_takes_the_name_of_an_exited_peer_receives_nothing)
{
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
	c = NULL;
	close(fd);
}

Test(garbage, new_sender_does_not_reach_the_process_with_the_old_name)
{
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
}

/* ---- rings ---- */

/* How many rings @w has, beyond its own, after it was given @fd by a process in slot @from. */
static unsigned int rings_after(struct wire *w, uint8_t from, int fd)
{
	throw_from(from, w, &fd, 1);
	cr_expect_eq(frames_at(w), 0);
	return w->nin - 1;
}

static int memory(off_t size, int seals)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	cr_assert_eq(ftruncate(fd, size), 0);
	cr_assert_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

Test(garbage_of_one, memory_that_could_become_shorter_is_no_ring)
{
	const int both = F_SEAL_SHRINK | F_SEAL_GROW;
	const off_t size = RING_DATA + RING_BYTES;
	int open_before = open_descriptors(), pipes[2];
	int bad[] = { memory(size, F_SEAL_GROW),	 memory(size, F_SEAL_SHRINK),
		      memory(size, both | F_SEAL_WRITE), memory(size - 4096, both),
		      memory(size + 4096, both),	 memory(0, both),
		      open("/proc/self/exe", O_RDONLY) };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cr_expect_eq(rings_after(a, 7, bad[i]), 0, "case %zu", i);
		close(bad[i]);
	}
	cr_assert_eq(pipe(pipes), 0);
	cr_expect_eq(rings_after(a, 7, pipes[0]), 0);
	throw_from(7, a, pipes, 2);
	cr_expect_eq(frames_at(a), 0);
	cr_expect_eq(a->nin, 1);
	close(pipes[0]);
	close(pipes[1]);
	cr_expect_eq(open_descriptors(), open_before, "none is kept");
}

Test(garbage_of_one, a_ring_is_attached_once_and_of_another_slot)
{
	struct ring r;
	int fd = ring_create(&r);

	cr_assert_geq(fd, 0);
	cr_expect_eq(rings_after(a, 0, fd), 0, "no slot has number 0");
	cr_expect_eq(rings_after(a, wire_slot(a), fd), 0, "its own");
	cr_expect_eq(rings_after(a, 7, fd), 1);
	cr_expect_eq(rings_after(a, 7, fd), 1);
	cr_expect_eq(rings_after(a, 8, fd), 1);
	for (int i = 0; i < 20; i++) {
		struct ring more;
		int other = ring_create(&more);
		uint8_t *at = ring_reserve(&more, 100);

		ring_commit(&more, good_frame(at), 0);
		ring_publish(&more);
		throw_from(7, a, &other, 1);
		socket_look(a);
		close(other);
		ring_unmap(&more);
	}
	cr_expect_eq(frames_at(a), 2, "one slot cannot have many");
	ring_unmap(&r);
	close(fd);
}

/* A ring from slot 7 with a good frame in it, which was not published. */
static size_t good_ring(struct wire *w, struct ring *r)
{
	int fd = ring_create(r);
	size_t len;

	throw_from(7, w, &fd, 1);
	close(fd);
	len = good_frame(ring_reserve(r, WIRE_MAX_FRAME));
	ring_commit(r, len, 0);
	return ring_entry(len);
}

Test(garbage_of_one, rings_with_wrong_lengths_end_where_they_go_wrong)
{
	uint32_t wrong[] = { 0,		  WIRE_MAX_FRAME + 1, RING_BYTES,
			     RING_LENGTH, ETHERNET | 9,	      ETHERNET | RING_LENGTH,
			     SEGMENT | 9 };
	struct ring r;
	size_t good;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		good = good_ring(a, &r);
		memcpy(r.data + good, &wrong[i], sizeof(wrong[i]));
		r.head += 16;
		ring_publish(&r);
		cr_expect_eq(frames_at(a), 1, "length %#x", wrong[i]);
		cr_expect_eq(frames_at(a), 0);
		ring_unmap(&r);
	}
}

Test(garbage_of_one, rings_with_an_impossible_end_are_not_read)
{
	uint32_t ends[] = { 1, 4, RING_BYTES + 8, 0x80000000, -8u };
	struct ring r;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		good_ring(a, &r);
		atomic_store(&r.memory->head, ends[i]);
		cr_expect_eq(frames_at(a), 0, "end %#x", ends[i]);
		cr_expect(atomic_load(&r.memory->abandoned));
		ring_unmap(&r);
	}
	good_ring(a, &r);
	ring_publish(&r);
	cr_expect_eq(frames_at(a), 1);
	ring_unmap(&r);
}

Test(garbage_of_one, random_rings_are_dropped)
{
	srandom(2);
	for (int round = 0; round < 2000; round++) {
		struct wire_packet p;
		const uint8_t *frame;
		struct ring r;
		uint8_t from;
		size_t len;

		good_ring(a, &r);
		for (size_t i = 0; i < 4096; i++)
			r.data[i] = random() & (i % 7 ? 0xff : 0x00);
		atomic_store(&r.memory->head, random() % 513 * 8);
		while ((frame = wire_next(a, &len, &from)))
			cr_expect_not(wire_unpack(&p, frame, len));
		ring_unmap(&r);
	}
}
