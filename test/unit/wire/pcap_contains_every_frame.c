/* SPDX-License-Identifier: BSD-2-Clause */
/* The file read back by hand: header, records, frames with their ICRC. */
#include <errno.h>
#include <stdlib.h>

#include "unit/wire/packet.h"

static char path[64];

static void make_path(void)
{
	snprintf(path, sizeof(path), "/tmp/dvkit-wire-%d.pcap", (int)getpid());
}

static void remove_file(void)
{
	unlink(path);
}

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

Test(wire, pcap_contains_every_frame, .init = make_path, .fini = remove_file)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
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
	cr_expect_geq(word(file + 16), WIRE_MAX_FRAME);
	cr_expect_eq(word(file + 20), 1, "Ethernet");
	for (int i = 0; i < 3; i++) {
		const uint8_t *record = file + 24 + i * (16 + len);

		cr_expect_gt(word(record), 1000000000);
		cr_expect_lt(word(record + 4), 1000000000);
		cr_expect_eq(word(record + 8), len);
		cr_expect_eq(word(record + 12), len);
		cr_expect_arr_eq(record + 16, sent, len, "record %d", i);
	}
	wire_close(a);
	wire_close(b);
}

Test(wire, a_pcap_that_cannot_be_written_is_refused)
{
	struct wire *a = join_test_fabric();

	cr_expect_eq(wire_pcap(a, "/nowhere/at/all.pcap"), ENOENT);
	wire_close(a);
}
