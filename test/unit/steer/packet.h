/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets in bytes written by hand, and flow tables without firmware.
 *
 *	len = 0; put(ETHERNET_IPV4); put(…); 	-> bytes, len
 *	t = table(PRM_FT_TYPE_NIC_RX); g = group(t, first, last, mask); rule(g, index, value, act)
 */
#ifndef TEST_UNIT_STEER_PACKET_H
#define TEST_UNIT_STEER_PACKET_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prm/prm.h"
#include "steer/steer.h"

#define UNUSED __attribute__((unused))

static struct hca hca;
static uint8_t bytes[10240], mask[HCA_MATCH_SIZE], value[HCA_MATCH_SIZE];
static size_t len;
static struct steer_headers h;

/* Appends bytes. */
#define PUT(...) put((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static UNUSED void put(const uint8_t *from, size_t n)
{
	memcpy(bytes + len, from, n);
	len += n;
}

/* From 02:00:00:00:00:01 to 02:00:00:00:00:02. */
static UNUSED void ethernet(uint16_t type)
{
	PUT(2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, type >> 8, type);
}

/* From 10.0.0.1 to 10.0.0.2, DSCP 46, ECN 1, TTL 63; @payload bytes follow. */
static UNUSED void ipv4(uint8_t protocol, uint16_t payload)
{
	uint16_t total = 20 + payload;

	PUT(0x45, 46 << 2 | 1, total >> 8, total, 0, 7, 0, 0, 63, protocol, 0, 0, 10, 0, 0, 1,
	    10, 0, 0, 2);
}

/* From fd00::1 to fd00::2, class 0x69, flow label 0xabcde, hop limit 64. */
static UNUSED void ipv6(uint8_t next, uint16_t payload)
{
	PUT(0x66, 0x9a, 0xbc, 0xde, payload >> 8, payload, next, 64);
	PUT(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	PUT(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
}

/* From port 0x1234. */
static UNUSED void udp(uint16_t to, uint16_t payload)
{
	uint16_t n = 8 + payload;

	PUT(0x12, 0x34, to >> 8, to, n >> 8, n, 0, 0);
}

/* From port 0x1234 to 80, flags NS, SYN, ACK. */
static UNUSED void tcp(void)
{
	PUT(0x12, 0x34, 0, 80, 0xde, 0xad, 0, 1, 0xbe, 0xef, 0, 2, 0x51, 0x12, 0, 0, 0, 0, 0,
	    0);
}

/* A packet of words: eth:TYPE, v4:PROTOCOL, v6:NEXT, udp:PORT and tcp as above, pad:ZEROS,
 * hexadecimal digits; numbers are hexadecimal. The lengths are those of all that follows, up to
 * a bar. */
static UNUSED void build(const char *text)
{
	size_t start[8], after[8], at[8], n = 0, end = 0;
	char word[128];
	int used;

	for (len = 0; sscanf(text, " %127s%n", word, &used) == 1; text += used) {
		const char *colon = strchr(word, ':');
		uint16_t v = colon ? (uint16_t)strtoul(colon + 1, NULL, 16) : 0;

		start[n] = len;
		if (!strncmp(word, "eth:", 4)) {
			ethernet(v);
		} else if (!strncmp(word, "v4:", 3)) {
			ipv4((uint8_t)v, 0);
			at[n] = 2, after[n++] = 0;
		} else if (!strncmp(word, "v6:", 3)) {
			ipv6((uint8_t)v, 0);
			at[n] = 4, after[n++] = 40;
		} else if (!strncmp(word, "udp:", 4)) {
			udp(v, 0);
			at[n] = 4, after[n++] = 0;
		} else if (!strcmp(word, "tcp")) {
			tcp();
		} else if (!strncmp(word, "pad:", 4)) {
			memset(bytes + len, 0, v);
			len += v;
		} else if (!strcmp(word, "|")) {
			end = len;
		} else {
			for (const char *p = word; *p; p += 2) {
				unsigned int b;

				cr_assert_eq(sscanf(p, "%2x", &b), 1, "%s", word);
				PUT((uint8_t)b);
			}
		}
	}
	end = end ? end : len;
	while (n--)
		core_put_be16(bytes + start[n] + at[n], (uint16_t)(end - start[n] - after[n]));
}

static UNUSED bool parse(void)
{
	return steer_parse(&h, bytes, len);
}

static UNUSED void start(void)
{
	len = 0;
	memset(bytes, 0, sizeof(bytes));
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
	cr_assert_eq(hca_init(&hca, 5), 0);
}

static UNUSED void stop(void)
{
	hca_fini(&hca);
}

/* ---- tables ---- */

static UNUSED struct hca_flow_table *table(uint8_t type)
{
	struct hca_flow_table *t = hca_flow_table_new(&hca);

	t->type = type;
	t->size = 1 << 20;
	return t;
}

static UNUSED struct hca_flow_table *root(uint8_t type)
{
	return hca.roots[type] = table(type);
}

static UNUSED struct hca_flow_group *group(struct hca_flow_table *t, uint32_t first,
					   uint32_t last)
{
	struct hca_flow_group *g = hca_flow_group_new(&hca);

	g->table = t;
	g->first = first;
	g->last = last;
	memcpy(g->mask, mask, HCA_MATCH_SIZE);
	cr_assert(hca_flow_group_join(g));
	return g;
}

static UNUSED struct hca_fte *rule(struct hca_flow_group *g, uint32_t index, uint32_t action)
{
	struct hca_fte_do act = { .action = action };
	struct hca_fte *e = hca_fte_new(g, index, value, &act);

	cr_assert_not_null(e);
	return e;
}

/* Adds a destination to @e. */
static UNUSED void to(struct hca_fte *e, uint8_t type, void *object, uint16_t vport)
{
	uint32_t n = e->act.dests++;

	e->act.dest = realloc(e->act.dest, (n + 1) * sizeof(*e->act.dest));
	e->act.dest[n] =
		(struct hca_flow_dest){ .type = type, .object = object, .vport = vport };
}

/* ---- what came out ---- */

static struct {
	unsigned int tirs, vports, steps;
	uint32_t tirn[16];
	uint16_t vport[16];
	uint8_t did[64];
	const char *why;	/* of the last step */
	struct steer_meta meta; /* of the last */
	uint8_t bytes[10240];
	size_t len;
	struct compared { /* by the last STE, put together from the bits that were named */
		uint8_t mask[44], tag[44], packet[44];
		unsigned int unnamed;
	} compared;
} got;

static void got_packet(const struct steer_packet *p)
{
	got.meta = p->meta;
	got.len = p->len;
	memcpy(got.bytes, p->bytes, p->len);
}

static UNUSED void got_tir(void *ctx, struct hca_tir *tir, const struct steer_packet *p)
{
	(void)ctx;
	got.tirn[got.tirs++ % 16] = tir->tirn;
	got_packet(p);
}

static UNUSED void got_vport(void *ctx, uint16_t vport, const struct steer_packet *p)
{
	(void)ctx;
	got.vport[got.vports++ % 16] = vport;
	got_packet(p);
}

static void add_dword(uint8_t *to, const struct steer_bits *b, uint32_t bits)
{
	core_put_be32(to + 4 * b->dword, core_be32(to + 4 * b->dword) | bits << b->low);
}

static void got_bits(const struct steer_step *s)
{
	memset(&got.compared, 0, sizeof(got.compared));
	for (unsigned int i = 0; i < s->n_bits; i++) {
		const struct steer_bits *b = &s->bits[i];

		cr_assert_eq(core_be32(got.compared.mask + 4 * b->dword) & b->mask << b->low, 0,
			     "%s: a bit is named twice", b->name);
		cr_assert_leq(b->low + b->width, 32);
		add_dword(got.compared.mask, b, b->mask);
		add_dword(got.compared.tag, b, b->tag);
		add_dword(got.compared.packet, b, b->packet);
		got.compared.unnamed += !b->name;
	}
}

static UNUSED void got_step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	if (s->did == STEER_STE_HIT || s->did == STEER_STE_MISS)
		got_bits(s);
	got.did[got.steps++ % 64] = s->did;
	got.why = s->why;
}

static const struct steer_sink sink = { .tir = got_tir, .vport = got_vport, .step = got_step };

/* It arrives, or is sent: to how many TIRs, or vports. */
static UNUSED unsigned int receive(void)
{
	const struct steer_packet p = { .bytes = bytes,
					.len = len,
					.meta = { .source_vport = STEER_UPLINK } };

	memset(&got, 0, sizeof(got));
	steer_receive(&hca, &p, &sink);
	return got.tirs;
}

static UNUSED unsigned int send_it(void)
{
	const struct steer_packet p = { .bytes = bytes, .len = len };

	memset(&got, 0, sizeof(got));
	steer_send(&hca, &p, &sink);
	return got.vports;
}

#endif
