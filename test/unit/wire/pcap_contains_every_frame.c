/* SPDX-License-Identifier: BSD-2-Clause */
/* The file read back by hand: header, records, frames with their ICRC. */
#include <errno.h>
#include <fcntl.h>

#include "unit/wire/fabric.h"

static char path[64];

static void join_two_and_make_path(void)
{
	join_two();
	snprintf(path, sizeof(path), "/tmp/dvkit-wire-%d.pcap", (int)getpid());
}

static void leave_and_remove(void)
{
	leave();
	unlink(path);
}

TestSuite(pcap, .init = join_two_and_make_path, .fini = leave_and_remove);
ONE_PROCESS(pcap_of_one);

static size_t read_file(uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t len;

	cr_assert_not_null(f);
	len = fread(bytes, 1, size, f);
	fclose(f);
	return len;
}

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return value;
}

Test(pcap, pcap_contains_every_frame)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t file[1024], sent[WIRE_MAX_FRAME], from;
	size_t len = wire_pack(&p, sent, true), file_len;

	send_packet(b, wire_slot(a), &p); /* b has no pcap: leaves the ICRC out */
	wire_flush(b);
	cr_assert_eq(wire_pcap(a, path), 0);
	cr_assert_not_null(wire_next(a, &(size_t){ 0 }, &from));
	send_packet(a, wire_slot(b), &p);
	send_packet(a, wire_slot(a), &p);
	wire_flush(a);
	cr_assert_not_null(wire_next(a, &(size_t){ 0 }, &from));

	file_len = read_file(file, sizeof(file));
	cr_assert_eq(file_len, 24 + 3 * (16 + len), "%zu bytes", file_len);
	cr_expect_eq(word(file), 0xa1b23c4d);
	cr_expect_eq(word(file + 4), 2 | 4 << 16);
	cr_expect_eq(word(file + 8), 0);
	cr_expect_eq(word(file + 12), 0);
	cr_expect_eq(word(file + 16), 65535, "no frame is longer");
	cr_expect_eq(word(file + 20), 1, "Ethernet");
	for (int i = 0; i < 3; i++) {
		const uint8_t *record = file + 24 + i * (16 + len);

		cr_expect_gt(word(record), 1000000000);
		cr_expect_lt(word(record + 4), 1000000000);
		cr_expect_eq(word(record + 8), len);
		cr_expect_eq(word(record + 12), len);
		cr_expect_arr_eq(record + 16, sent, len, "record %d", i);
	}
}

/* A damaged frame is in it as it arrived, with the ICRC that is not its own. */
Test(pcap, pcap_contains_damaged_frames)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t file[1024], from;
	size_t len;

	set_faults(b, "corrupt=1:5");
	cr_assert_eq(wire_pcap(a, path), 0);
	for (size_t at = 24, i = 0; i < 5; i++, at += 16 + len) {
		const uint8_t *frame;

		send_packet(b, wire_slot(a), &p);
		wire_flush(b);
		frame = wire_next(a, &len, &from);
		cr_assert_not_null(frame);
		cr_assert_eq(read_file(file, sizeof(file)), at + 16 + len);
		cr_expect_arr_eq(file + at + 16, frame, len, "frame %zu", i);
	}
}

/* Ethernet frames that this process has sent, and those of others. */
Test(pcap, pcap_contains_ethernet)
{
	uint8_t frame[60] = { 1, 2, 3, 4 }, file[1024];
	struct wire_ethernet how = { 0 };
	size_t len;

	cr_assert_eq(wire_pcap(a, path), 0);
	wire_capture(a, frame, sizeof(frame));
	cr_assert(wire_send_ethernet(b, wire_slot(a), &how, frame, sizeof(frame)));
	wire_flush(b);
	cr_assert_not_null(wire_next(a, &len, &(uint8_t){ 0 }));
	cr_assert_eq(read_file(file, sizeof(file)), 24 + 2 * (16 + sizeof(frame)));
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(word(file + 24 + i * 76 + 8), 60);
		cr_expect_arr_eq(file + 24 + i * 76 + 16, frame, 60, "as it is, without ICRC");
	}
}

/* A file that is full ends the capture, with a line of the reason. */
Test(pcap_of_one, pcap_that_is_full_ends)
{
	uint8_t frame[60] = { 0 };
	char line[200] = "";
	int end[2], was = dup(2), full = open("/dev/full", O_WRONLY);

	cr_expect_eq(wire_pcap(a, "/dev/full"), ENOSPC);
	cr_assert_eq(wire_pcap(a, "/dev/null"), 0);
	dup2(full, core_own_next(wire_fd(a) + 1));
	cr_assert_eq(pipe(end), 0);
	dup2(end[1], 2);
	for (int i = 0; i < 2; i++)
		wire_capture(a, frame, sizeof(frame));
	dup2(was, 2);
	cr_expect_gt(read(end[0], line, sizeof(line) - 1), 0);
	cr_expect_not_null(strstr(line, "--pcap: No space left on device"), "%s", line);
	cr_expect_eq(core_own_next(wire_fd(a) + 1), -1, "it is closed");
}

Test(pcap_of_one, a_pcap_that_cannot_be_written_is_refused)
{
	cr_expect_eq(wire_pcap(a, "/nowhere/at/all.pcap"), ENOENT);
}
