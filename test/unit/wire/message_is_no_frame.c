/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between functions: in the order of the frames, and in no trace and no capture. */
#include <stdlib.h>
#include <sys/stat.h>

#include "unit/wire/fabric.h"

TWO_PROCESSES(messages);

static unsigned int traced;

static void count(const struct core_trace *t)
{
	(void)t;
	traced++;
}

static void send_message(struct wire *w, uint8_t slot, uint32_t serial, size_t len)
{
	static const uint8_t data[4096] = { 1, 2, 3 };
	struct wire_message m = { .kind = WIRE_WRITE, .serial = serial, .len = (uint32_t)len };

	cr_assert(wire_has_space(w, slot));
	wire_send_message(w, slot, &m, data, len);
}

static void expect_message(struct wire *w, uint32_t serial, size_t data)
{
	struct wire_message m;
	const uint8_t *at;
	uint8_t from;
	size_t len;

	at = wire_next(w, &len, &from);
	cr_assert_not_null(at);
	cr_assert(wire_is_message(w));
	cr_assert_eq(len, sizeof(m) + data);
	memcpy(&m, at, sizeof(m));
	cr_expect_eq(m.serial, serial);
	cr_expect_eq(from, 1);
	if (data > 2)
		cr_expect_eq(at[sizeof(m) + 2], 3);
}

static void expect_frame(struct wire *w)
{
	uint8_t from;
	size_t len;

	cr_assert_not_null(wire_next(w, &len, &from));
	cr_expect_not(wire_is_message(w));
}

Test(messages, message_is_no_frame)
{
	char path[] = "/tmp/dvkit-message.XXXXXX";
	struct wire_packet p = sample_packet(WIRE_ACK);
	struct stat st;
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(wire_pcap(a, path), 0);
	core_trace_to = count;
	core_trace_mask = ~0u;
	for (uint8_t to = 1; to <= 2; to++) { /* the own slot, another one */
		send_message(a, to, 7, 4096);
		send_message(a, to, 8, 0);
	}
	wire_flush(a);
	expect_message(a, 7, 4096);
	expect_message(a, 8, 0);
	expect_message(b, 7, 4096);
	expect_message(b, 8, 0);
	cr_expect_eq(traced, 0);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_expect_eq(st.st_size, 24, "the header only");
	send_message(a, 2, 9, 1);
	send_packet(a, 2, &p);
	send_message(a, 2, 10, 1);
	wire_flush(a);
	expect_message(b, 9, 1);
	expect_frame(b);
	expect_message(b, 10, 1);
	cr_expect_eq(traced, 2, "the frame, sent and received");
	unlink(path);
}
