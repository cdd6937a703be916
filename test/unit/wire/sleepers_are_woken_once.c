/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that sleeps is woken by one datagram, for frames or for space; one that is awake by
 * none. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/wire/fabric.h"
#include "wire/inside.h"

ONE_PROCESS(sleeper_alone);
TWO_PROCESSES(sleepers_unmet);

/* How many datagrams wait for @w; they are lost. */
static int datagrams(struct wire *w)
{
	char bytes[64];
	int n = 0;

	while (recv(wire_fd(w), bytes, sizeof(bytes), MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

/* Two processes that know each other, without datagrams. */
static void meet(void)
{
	join_two();
	send_one(a, b);
	send_one(b, a);
	cr_assert_eq(frames_at(a) + frames_at(b), 2);
	cr_assert_not(readable(a));
	cr_assert_not(readable(b));
}

TestSuite(sleepers, .init = meet, .fini = leave);

Test(sleepers, frames_wake_a_sleeper_once)
{
	for (int i = 0; i < 5; i++)
		send_one(a, b);
	cr_expect_eq(datagrams(b), 0, "it is awake");
	cr_expect_not(wire_may_sleep(b), "there are frames");
	send_one(a, b);
	cr_expect_eq(datagrams(b), 0, "it did not sleep");
	cr_expect_eq(frames_at(b), 6);
	cr_expect(wire_may_sleep(b));
	for (int i = 0; i < 5; i++)
		send_one(a, b);
	cr_expect_eq(datagrams(b), 1);
	wire_awake(b);
	cr_expect_eq(frames_at(b), 5);
	send_one(a, b);
	cr_expect_eq(datagrams(b), 0, "it is awake again");
}

Test(sleeper_alone, own_frames_wake_a_sleeper_too)
{
	cr_assert_eq(frames_at(a), 0);
	cr_expect(wire_may_sleep(a));
	send_one(a, a);
	cr_expect(readable(a));
	wire_awake(a);
	cr_expect_eq(frames_at(a), 1);
}

Test(sleepers_unmet, the_first_frame_wakes_a_sleeper)
{
	cr_assert_eq(frames_at(b), 0);
	cr_expect(wire_may_sleep(b));
	send_one(a, b);
	cr_expect(readable(b));
	wire_awake(b);
	cr_expect_eq(frames_at(b), 1);
}

/* No datagram has space: the ring, whose descriptor is in one, is offered later. */
Test(sleepers_unmet, a_ring_that_cannot_be_offered_waits)
{
	for (int i = 0; i < 4096; i++)
		socket_wake(a, wire_slot(b));
	send_one(a, b);
	for (int i = 0; i < 2; i++)
		cr_expect(wire_flush(a), "it is not offered yet");
	cr_expect_gt(datagrams(b), 1);
	cr_expect_not(wire_flush(a));
	cr_expect_eq(frames_at(b), 1);
}

Test(sleepers, space_wakes_who_waits_for_it)
{
	uint32_t sent, seen = 0;
	uint8_t from;
	size_t len;

	sent = fill(a, wire_slot(b), false);
	cr_expect_eq(a->dirty.n, 1, "one slot, once");
	wire_flush(a);
	cr_expect(wire_may_sleep(a));
	for (; seen < sent && !readable(a); seen++)
		cr_assert_not_null(wire_next(b, &len, &from));
	cr_expect_gt(seen, sent / 3, "not for each frame");
	cr_expect_lt(seen, sent, "before all are read");
	frames_at(b);
	cr_expect_eq(datagrams(a), 1);
	wire_awake(a);
	cr_expect(wire_has_space(a, wire_slot(b)));
	fill(a, wire_slot(b), false);
	wire_flush(a);
	frames_at(b);
	cr_expect_eq(datagrams(a), 0, "it is awake");
}

Test(sleepers, who_waits_for_space_does_not_sleep_when_there_is_some)
{
	fill(a, wire_slot(b), false);
	wire_flush(a);
	frames_at(b);
	cr_expect_not(wire_may_sleep(a));
	cr_expect(wire_may_sleep(a), "once is enough");
	wire_awake(a);
}

Test(sleepers, a_parked_ring_is_used_again)
{
	for (int i = 0; i < 3; i++) {
		b->tidied_ns = 0;
		cr_expect(wire_may_sleep(b));
		wire_awake(b);
		cr_assert_eq(frames_at(b), 0);
	}
	cr_expect_eq(b->nactive, 1, "only its own is looked at");
	send_one(a, b);
	send_one(a, b);
	cr_expect_eq(frames_at(b), 2, "although it did not sleep");
	cr_expect_eq(b->nactive, 2);
}

/* Rings of three senders are parked and used again, in each order; none is lost. */
Test(sleepers, any_rings_are_parked)
{
	struct wire *from[3] = { a, join_test_fabric(), join_test_fabric() };

	for (unsigned int round = 0; round < 64; round++) {
		for (int i = 0; i < 3; i++)
			send_one(from[(round + i) % 3], b);
		cr_expect_eq(frames_at(b), 3);
		cr_expect_eq(b->nactive, 4);
		for (int idle = 0; idle < 2; idle++) {
			for (int i = 0; i < 3; i++)
				if (round >> (2 * i + idle) & 1)
					send_one(from[i], b);
			frames_at(b);
			b->tidied_ns = 0;
			cr_expect(wire_may_sleep(b));
			wire_awake(b);
		}
		cr_expect_eq(b->nin, 4);
	}
	wire_close(from[1]);
	wire_close(from[2]);
}

/* How many KiB of @r's entries there are. */
static unsigned int resident(const struct ring *r)
{
	unsigned char page[RING_BYTES / 4096];
	unsigned int n = 0;

	cr_assert_eq(mincore(r->data, RING_BYTES, page), 0, "%m");
	for (size_t i = 0; i < sizeof(page); i++)
		n += page[i] & 1;
	return n * 4;
}

Test(sleepers, who_was_idle_for_a_while_gives_memory_back)
{
	const struct ring *r;

	r = &a->peers[wire_slot(b)].ring;
	fill(a, wire_slot(b), false);
	wire_flush(a);
	for (int i = 0; i < 3; i++) {
		a->tidied_ns = 0;
		cr_expect(wire_may_sleep(a));
		wire_awake(a);
		frames_at(a);
	}
	cr_expect_geq(resident(r), RING_BYTES * 9 / 10 / 1024, "not all is read");
	frames_at(b);
	for (int i = 0; i < 3; i++) {
		a->tidied_ns = 0;
		wire_may_sleep(a);
		wire_awake(a);
	}
	cr_expect_eq(resident(r), 0);
	send_one(a, b);
	cr_expect_eq(frames_at(b), 1);
}

Test(sleepers, rings_of_those_who_left_are_given_up)
{
	send_one(a, b);
	wire_close(a);
	a = NULL;
	cr_expect_eq(frames_at(b), 1, "what was sent is still read");
	for (int i = 0; i < 3; i++) {
		b->tidied_ns = 0;
		wire_may_sleep(b);
		wire_awake(b);
		cr_assert_eq(frames_at(b), 0);
	}
	cr_expect_eq(b->nin, 1);
}

/* ---- killed processes ---- */

/* The fabric of join_test_fabric() in the parent. */
static struct wire *join_parents_fabric(void)
{
	char fabric[32];

	snprintf(fabric, sizeof(fabric), "test-%d", (int)getppid());
	return wire_open(fabric);
}

/* Runs @child in a process that is killed when it returns. */
static void killed(void (*child)(struct wire *parent), struct wire *parent)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		child(parent);
		raise(SIGKILL);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFSIGNALED(status));
}

static void send_three(struct wire *parent)
{
	struct wire *w = join_parents_fabric();
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t to = wire_slot(parent);

	for (int i = 0; i < 3; i++)
		send_packet(w, to, &p);
	wire_flush(w);
	send_packet(w, to, &p); /* not flushed */
}

Test(sleeper_alone, frames_of_a_killed_process_are_read)
{
	for (int i = 0; i < 3; i++) {
		killed(send_three, a);
		cr_expect_eq(frames_at(a), 3);
		cr_expect_leq(a->nin, 2, "its slot was taken again");
	}
}

static void await(int fd)
{
	char c;

	cr_assert_eq(read(fd, &c, 1), 1);
}

/* A child in slot 2, which reads one frame after @in and is killed then; it has joined when it
 * writes to @out. */
static pid_t reader(int in, int out)
{
	pid_t pid = fork();
	struct wire *w;
	uint8_t from;
	size_t len;

	if (pid)
		return pid;
	w = join_parents_fabric();
	if (write(out, "", 1) == 1)
		await(in);
	wire_next(w, &len, &from);
	raise(SIGKILL);
	return 0;
}

/* It was awake, so no datagram is refused. */
Test(sleeper_alone, frames_to_a_killed_process_are_lost)
{
	int to[2], back[2];
	pid_t pid;

	cr_assert_eq(pipe(to) | pipe(back), 0);
	pid = reader(to[0], back[1]);
	await(back[0]);
	fill(a, 2, false);
	wire_flush(a);
	cr_expect_not(wire_has_space(a, 2));
	cr_expect(wire_unread(a, 2));
	cr_assert_eq(write(to[1], "", 1), 1);
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	cr_expect_not(wire_unread(a, 2));
	while (!wire_has_space(a, 2))
		wire_awake(a);
	cr_expect_eq(fill(a, 2, false), 100000, "for no process");
}
