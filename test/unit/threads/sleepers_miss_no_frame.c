/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two threads send to each other, each as a process on the fabric, and sleep without a limit
 * when there is nothing to read and when there is no space: if one wakeup is missing, both
 * sleep, and SIGALRM ends the program. Then both ends of one ring in the same memory, where
 * ThreadSanitizer sees what they do.
 *
 * A plain program with an exit status, since Criterion does not start under ThreadSanitizer
 * (DVKIT_SANITIZE=thread).
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/inside.h"

enum { FRAMES = 100000, ENTRIES = 200000, SECONDS = 100 };

static void check(bool ok, const char *what)
{
	if (!ok)
		errx(1, "%s", what);
}

/* ---- two processes ---- */

struct side {
	struct wire *w;
	uint8_t to;
	unsigned int seed, sent, seen, slept;
};

/* How many frames more than it has received a side sends: one by one at times, at times until
 * the ring is full. Both cannot wait for each other. */
static unsigned int window(const struct side *s)
{
	return s->seen / 1000 % 2 ? 1 : 1 + s->seen % 2000;
}

/* The number of a frame is its PSN. False: the rest has to wait. */
static bool send_some(struct side *s)
{
	static const uint8_t payload[4096];
	unsigned int n = 1 + rand_r(&s->seed) % 100;
	struct wire_packet p = { .opcode = WIRE_SEND_MIDDLE };

	for (; n; n--) {
		if (s->sent == FRAMES || s->sent >= s->seen + window(s) ||
		    !wire_has_space(s->w, s->to))
			return false;
		p.psn = s->sent++;
		p.payload_len = rand_r(&s->seed) % 4 ? 8 : sizeof(payload);
		p.payload = payload;
		if (rand_r(&s->seed) % 4) /* in the segment of the packet before */
			p.payload = wire_payload_of_next(s->w, s->to, &p);
		wire_send(s->w, s->to, &p);
	}
	return true;
}

static void read_some(struct side *s)
{
	unsigned int n = rand_r(&s->seed) % 200;
	struct wire_packet p;
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	for (; n && (frame = wire_next(s->w, &len, &from)); n--) {
		check(wire_unpack(&p, frame, len), "a frame is damaged");
		check(p.psn == s->seen++, "a frame is lost");
	}
}

static void sleep_if_possible(struct side *s)
{
	struct pollfd fd = { .fd = wire_fd(s->w), .events = POLLIN };

	if (wire_may_sleep(s->w)) {
		poll(&fd, 1, -1);
		s->slept++;
	}
	wire_awake(s->w);
}

static void *process(void *arg)
{
	struct side *s = arg;

	while (s->sent < FRAMES || s->seen < FRAMES) {
		bool more;

		read_some(s);
		more = send_some(s);
		if (!wire_flush(s->w) && !more && s->seen < FRAMES)
			sleep_if_possible(s);
	}
	return NULL;
}

static void two_processes(void)
{
	struct side side[2] = { { .seed = 1 }, { .seed = 2 } };
	pthread_t thread[2];
	char fabric[32];

	snprintf(fabric, sizeof(fabric), "stress-%d", (int)getpid());
	for (int i = 0; i < 2; i++) {
		side[i].w = wire_open(fabric);
		check(side[i].w, "no slot");
		side[i].to = 2 - i;
	}
	for (int i = 0; i < 2; i++)
		check(!pthread_create(&thread[i], NULL, process, &side[i]), "thread");
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		check(side[i].slept, "it never slept");
		wire_close(side[i].w);
	}
	printf("slept %u and %u times\n", side[0].slept, side[1].slept);
}

/* ---- one ring ---- */

static size_t length_of(unsigned int i)
{
	return 1 + i * 37 % 5000;
}

static void *put_entries(void *arg)
{
	struct ring *r = arg;

	for (unsigned int i = 0; i < ENTRIES;) {
		uint8_t *at = ring_reserve(r, length_of(i));

		if (at) {
			memset(at, (int)i, length_of(i));
			ring_commit(r, length_of(i++), 0);
		}
		if (!at || i % 16 == 0)
			ring_publish(r);
		if (!at)
			sched_yield();
	}
	ring_publish(r);
	return NULL;
}

static void get_entries(struct ring *r)
{
	uint32_t flags;
	size_t len;

	for (unsigned int i = 0; i < ENTRIES;) {
		const uint8_t *at = ring_next(r, &len, &flags);

		if (!at) {
			sched_yield();
			continue;
		}
		check(len == length_of(i) && at[0] == (uint8_t)i && at[len - 1] == (uint8_t)i,
		      "an entry is not what was put");
		i++;
	}
}

static void one_ring(void)
{
	struct ring out, in;
	pthread_t thread;

	check(!ring_private(&out), "memory");
	in = out;
	check(!pthread_create(&thread, NULL, put_entries, &out), "thread");
	get_entries(&in);
	pthread_join(thread, NULL);
	ring_unmap(&out);
}

int main(void)
{
	alarm(SECONDS);
	two_processes();
	one_ring();
	return 0;
}
