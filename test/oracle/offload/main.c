/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle_offload FILE: offloads of the emulated adapter against scapy. FILE is of packets.py:
 * what is posted, and what has to leave the adapter, byte for byte; what arrives, and what the
 * CQE has to say of its checksums.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "engine/ethernet_offload.h"

struct record {
	uint32_t kind, opcode, flags, mss, hdr, len, packets;
};

static unsigned long packets, records;

static bool take(FILE *f, void *to, size_t len)
{
	return fread(to, 1, len, f) == len;
}

static void differ(const char *what, const uint8_t *got, size_t got_len, const uint8_t *want,
		   size_t len)
{
	size_t at = 0;

	while (at < len && at < got_len && got[at] == want[at])
		at++;
	errx(1, "record %lu: %s: %zu bytes, not %zu; byte %zu is %02x, not %02x", records, what,
	     got_len, len, at, got[at], want[at]);
}

/* The headers of the message, and the data of packet @i. */
static size_t packet_of(const struct record *r, const uint8_t *posted, uint32_t i,
			uint8_t *frame)
{
	size_t data = r->len - r->hdr - (size_t)i * r->mss;

	if (r->opcode != EWQE_TSO) {
		memcpy(frame, posted, r->len);
		return r->len;
	}
	data = data < r->mss ? data : r->mss;
	memcpy(frame, posted, r->hdr);
	memcpy(frame + r->hdr, posted + r->hdr + (size_t)i * r->mss, data);
	return r->hdr + data;
}

static void check_sent(FILE *f, const struct record *r, const uint8_t *posted)
{
	static uint8_t frame[WIRE_MAX_ETHERNET], want[WIRE_MAX_ETHERNET];
	static struct ethernet_wqe w;

	w.opcode = (uint8_t)r->opcode;
	w.cs_flags = (uint8_t)r->flags;
	w.mss = (uint16_t)r->mss;
	w.npkt = r->packets;
	for (w.packet = 0; w.packet < r->packets; w.packet++) {
		uint32_t len;
		size_t got;

		if (!take(f, &len, sizeof(len)) || len > sizeof(want) || !take(f, want, len))
			errx(1, "record %lu ends early", records);
		got = packet_of(r, posted, w.packet, frame);
		got = offload_packet(&w, frame, got);
		if (got != len || memcmp(frame, want, len) != 0)
			differ("sent packet", frame, got, want, len);
		packets++;
	}
}

static void check_received(const struct record *r, const uint8_t *frame)
{
	struct steer_headers h;
	struct offload_result got;
	uint32_t flags;

	if (!steer_parse(&h, frame, r->len))
		errx(1, "record %lu: not a packet", records);
	offload_verify(&got, frame, r->len, &h);
	flags = got.tunneled | (uint32_t)got.l3_ok << 1 | (uint32_t)got.l4_ok << 2;
	if (flags != r->flags || got.sum != r->mss)
		errx(1, "record %lu: checks %u, not %u; sum 0x%x, not 0x%x", records, flags,
		     r->flags, got.sum, r->mss);
	packets++;
}

int main(int argc, char **argv)
{
	static uint8_t posted[1 << 16];
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	struct record r;

	if (!f)
		errx(2, "oracle_offload FILE");
	for (; take(f, &r, sizeof(r)); records++) {
		if (r.len > sizeof(posted) || !take(f, posted, r.len))
			errx(1, "record %lu ends early", records);
		if (r.kind)
			check_received(&r, posted);
		else
			check_sent(f, &r, posted);
	}
	if (!records)
		errx(1, "no records");
	printf("%lu packets of %lu records equal scapy's\n", packets, records);
	return 0;
}
