/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets in bytes written by hand, and flow tables without firmware.
 *
 *	build("eth:800 v4:11 udp:35")	-> bytes, len
 *	t = table(PRM_FT_TYPE_NIC_RX); g = group(t, first, last, mask); rule(g, index, value, act)
 */
#ifndef TEST_UNIT_STEER_PACKET_H
#define TEST_UNIT_STEER_PACKET_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/hex.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define UNUSED __attribute__((unused))

static struct hca hca;
static uint8_t bytes[10240], mask[HCA_MATCH_SIZE], value[HCA_MATCH_SIZE];
static size_t len;
static struct steer_headers h;

/* A word of a packet: a header in hexadecimal, the bytes in it where the number after the word
 * is, of @size bytes, and where its length is, which is without the first @without bytes. */
static const struct packet_word {
	const char *word, *header;
	uint8_t number, size, length, without;
} packet_words[] = {
	{ "eth:", "020000000002 020000000001 0000", 12, 2, 0, 0 },
	/* DSCP 46, ECN 1, TTL 63 */
	{ "v4:", "45b90000 00070000 3f000000 0a000001 0a000002", 9, 1, 2, 0 },
	/* class 0x69, flow label 0xabcde, hop limit 64 */
	{ "v6:",
	  "669abcde 00000040 fd000000000000000000000000000001 fd000000000000000000000000000002",
	  6, 1, 4, 40 },
	{ "udp:", "12340000 00000000", 2, 2, 4, 0 },
	/* port 80, flags NS, SYN, ACK */
	{ "tcp", "12340050 dead0001 beef0002 51120000 00000000", 0, 0, 0, 0 },
};

/* A packet of words: those of the table, pad:ZEROS, hexadecimal digits; numbers are
 * hexadecimal. The lengths are those of all that follows, up to a bar. */
static UNUSED void build(const char *text)
{
	size_t start[8], n = 0, end = 0;
	const struct packet_word *of[8];
	char word[128];
	int used;

	for (len = 0; sscanf(text, " %127s%n", word, &used) == 1; text += used) {
		const char *colon = strchr(word, ':');
		uint16_t v = colon ? (uint16_t)strtoul(colon + 1, NULL, 16) : 0;
		const struct packet_word *w = packet_words,
					 *last = w + ARRAY_SIZE(packet_words);

		while (w < last && strncmp(word, w->word, strlen(w->word)) != 0)
			w++;
		if (w < last) {
			uint8_t *at = bytes + len;

			len += from_hex(at, w->header);
			for (int i = 0; i < w->size; i++)
				at[w->number + i] = (uint8_t)(v >> 8 * (w->size - 1 - i));
			if (w->length)
				start[n] = (size_t)(at - bytes), of[n++] = w;
		} else if (!strncmp(word, "pad:", 4)) {
			memset(bytes + len, 0, v);
			len += v;
		} else if (!strcmp(word, "|")) {
			end = len;
		} else {
			len += from_hex(bytes + len, word);
		}
	}
	end = end ? end : len;
	while (n--)
		core_put_be16(bytes + start[n] + of[n]->length,
			      (uint16_t)(end - start[n] - of[n]->without));
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
