/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stes: entries that software writes into ICM, by hand, in the formats 0 (ConnectX-5), 1
 * (6 Dx), 2 (7) and 3 (8). Layouts: rdma-core, providers/mlx5/mlx5_ifc.h, struct
 * mlx5_ifc_ste_*_bits.
 */
#include <inttypes.h>

#include "stes.h"

TestSuite(stes, .init = start, .fini = stop);

/* ---- format 0 ---- */

/* IPv4 5-tuple, D (0x20): the destination port is the low half of dword 2. */
static void match_dport_0(uint8_t *s, uint16_t port)
{
	put32(s + 32 + 8, port);
	put32(s + 48 + 8, 0xffff);
}

Test(stes, format_0_compares_under_its_mask)
{
	begin(0);
	match_dport_0(ste_0(0, 0x20, tir_address(), DROP), 53);
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.tirn[0], tir->tirn);
	cr_assert_eq(got.did[1], STEER_STE_HIT);
	match_dport_0(ste(0), 54);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(got.did[1], STEER_STE_MISS);
	cr_assert_eq(got.did[2], STEER_DROP);
}

/* 15:0 in dword 5, 23:16 in dword 6. */
Test(stes, format_0_counts)
{
	struct hca_flow_counter *c;
	uint8_t *s;

	begin(0);
	c = hca_object_new(&hca, HCA_KIND_flow_counter, 1);
	s = ste_0(0, 0x0f, tir_address(), DROP);
	put32(s + 20, c->id & 0xffff);
	s[26] = c->id >> 16;
	receive();
	cr_assert_eq(c->traffic[0].packets, 1);
	cr_assert_eq(c->traffic[0].octets, len);
}

static uint8_t *ste_of(uint8_t format, uint32_t nth, uint16_t lookup, uint64_t hit)
{
	PRM_SET(cmd_hca_cap, caps, steering_format_version, format);
	return format ? ste_1(nth, lookup, hit, DROP) : ste_0(nth, (uint8_t)lookup, hit, DROP);
}

/* A table of 4 STEs: the next one is at the hash of the bytes that byte_mask names. The crc32
 * of zlib, without its two inversions and with its bytes swapped, of 16 bytes that are 0 but
 * for these: 0xf637c169 for port 53 in 10 and 11, 0x264d612e for 54; 0x617c0867 and 0x397a7b1a
 * for opcode and QP of these BTHs in the first four. */
Test(stes, the_next_lookup_is_hashed)
{
	static const struct {
		uint8_t format;
		uint16_t lookup, mask;
		const char *packet;
		uint32_t index;
	} rows[] = {
		{ 0, 0x20, 0x0030, "eth:800 v4:11 udp:35", 1 },
		{ 0, 0x20, 0x0030, "eth:800 v4:11 udp:36", 2 },
		{ 1, 0x07, 0x0030, "eth:800 v4:11 udp:35", 1 },
		{ 1, 0x07, 0x0030, "eth:800 v4:11 udp:36", 2 },
		{ 1, 0x07, 0, "eth:800 v4:11 udp:36", 0 },
		{ 1, 0x103, 0xf000, "eth:800 v4:11 udp:12b7 0a40ffff 00000123 80000007", 3 },
		{ 1, 0x103, 0xf000, "eth:800 v4:11 udp:12b7 0a40ffff 00000124 80000007", 2 },
	};

	begin(0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t format = rows[i].format, *s = ste_of(format, 0, 0x0f, DROP);

		core_put_be16(s + (format ? 20 : 2), rows[i].mask);
		s[format ? 14 : 6] = (uint8_t)rows[i].lookup;
		if (format)
			s[22] = (uint8_t)(rows[i].lookup >> 8 << 7);
		put_hit(s, format, ICM + 4 * 64, 4);
		for (uint32_t k = 0; k < 4; k++)
			ste_of(format, 4 + k, 0x0f, k == rows[i].index ? tir_address() : DROP);
		build(rows[i].packet);
		cr_expect_eq(receive(), 1, "row %zu", i);
	}
}

/* ---- format 1 ---- */

/* IPv4 5-tuple (0x0007): the mask is before the tag. */
static uint8_t *port_1(uint32_t nth, uint16_t port, uint64_t hit, uint64_t miss)
{
	uint8_t *s = ste_1(nth, 0x0007, hit, miss);

	put32(s + 32 + 8, 0xffff);
	put32(s + 48 + 8, port);
	return s;
}

Test(stes, format_1_has_the_mask_before_the_tag)
{
	begin(1);
	port_1(0, 53, tir_address(), DROP);
	cr_assert_eq(receive(), 1);
	ste(0)[48 + 9] = 1;
	cr_assert_eq(receive(), 0, "a bit outside of the mask");
}

/* 0103: opcode and QP of the BTH in dword 0, the bit that asks for an ACK in 29 of dword 1, the
 * partition key in its low half. */
Test(stes, format_1_sees_the_bth)
{
	uint8_t *s;

	begin(1);
	build("eth:800 v4:11 udp:12b7 0a40ffff 00000123 80000007 00000000");
	s = ste_1(0, 0x0103, tir_address(), DROP);
	put32(s + 32, 0xffffffff);
	put32(s + 36, 0x2000ffff);
	put32(s + 48, 0x0a000123);
	put32(s + 52, 0x2000ffff);
	cr_assert_eq(receive(), 1);
	put32(s + 48, 0x0a000122);
	cr_assert_eq(receive(), 0);
}

/* ---- what ends a way ---- */

Test(stes, misses_that_lead_back_end)
{
	begin(0);
	for (uint32_t i = 0; i < 5; i++)
		match_dport_0(ste_0(i, 0x20, tir_address(), ICM + 64 * (i == 4 ? 2 : i + 1)),
			      1);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(got.did[(got.steps - 1) % 64], STEER_DROP);
	cr_assert_lt(got.steps, 32);
	cr_assert_eq(findings, 1);
}

Test(stes, hits_that_lead_back_end)
{
	begin(1);
	ste_1(0, 0x000f, ICM, DROP);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(got.steps, 1 + 4096 + 1 + 1, "the root, hits, one too many, the drop");
}

/* Misses lead from STE 0 to 2, which changes the port and leads by 4 to 0 again, and then to
 * 3. */
Test(stes, each_entry_sees_the_packet_as_it_is_then)
{
	static const uint8_t steps[] = {
		STEER_ROOT,	STEER_STE_MISS, STEER_STE_HIT,	STEER_STE_HIT,
		STEER_CHANGED,	STEER_STE_HIT,	STEER_STE_MISS, STEER_STE_HIT,
		STEER_STE_MISS, STEER_STE_HIT,	STEER_DEST,
	};
	uint8_t *s;

	begin(1);
	port_1(0, 1, DROP, ICM + 64);
	s = ste_1(1, 0x0109, ICM + 2 * 64, DROP); /* IPv6 addresses, which are 0 */
	memset(s + 32, 0xff, 16);
	s = port_1(2, 53, ICM + 4 * 64, ICM + 3 * 64);
	put32(s + 24, 0x06182010);
	put32(s + 28, 54);
	port_1(3, 54, tir_address(), DROP);
	port_1(4, 54, ICM, DROP);
	cr_assert_eq(receive(), 1);
	cr_assert_eq(findings, 0);
	cr_assert_arr_eq(got.did, steps, sizeof(steps));
}

Test(stes, an_address_without_an_ste_drops)
{
	begin(0);
	cr_assert_eq(receive(), 0, "zeros are no STE");
	cr_assert_str_eq(got.why, "there is no STE");
	ste_0(0, 0x0f, ICM + SIZE, DROP);
	cr_assert_eq(receive(), 0, "after the end");
	ste_0(0, 0x0f, HCA_ICM_TIR, DROP);
	cr_assert_eq(receive(), 0, "no such TIR");
	match_dport_0(ste_0(0, 0x3f, tir_address(), DROP), 53);
	cr_assert_eq(receive(), 0, "no such lookup");
	cr_assert_eq(findings, 4);
	ste_0(0, 0x3f, tir_address(), DROP);
	cr_assert_eq(receive(), 1, "the mask has no bit: every packet hits");
	ste_0(0, 0x3f, DROP, tir_address())[32] = 0xdc;
	cr_assert_eq(receive(), 1, "no packet hits");
	ste_0(0, 0x0f, DROP, 0);
	receive();
	cr_assert_eq(findings, 4, "to drop is no mistake");
	cr_assert_null(got.why);
	ste_0(0, 0x0f, tir_address(), 0)[23] = 1;
	cr_assert_eq(receive(), 0, "no such counter");
	cr_assert_str_eq(got.why, "its counter does not exist");
	memset(ste_0(0, 0x0f, 0, 0) + 4, 0, 8);
	cr_assert_eq(receive(), 0);
	cr_assert_str_eq(got.why, "no address follows its hit");
}

/* A table of firmware whose only entry goes to a new TIR, or of NIC_TX lets the packet go. */
static struct hca_flow_table *table_to_tir(uint8_t type, struct hca_tir **tir)
{
	struct hca_flow_table *t = table(type);
	struct hca_fte *e = rule(group(t, 0, 1), 0, tir ? 4 : 1);

	if (tir)
		to(e, PRM_DEST_TYPE_TIR, *tir = hca_tir_new(&hca), 0);
	return t;
}

static struct hca_general *new_sampler(uint32_t nth, struct hca_tir *to[2])
{
	struct hca_general *g = hca_object_new(&hca, HCA_KIND_general, 1);

	g->type = PRM_OBJ_SAMPLER;
	g->sampler.nth = nth;
	g->sampler.sample = table_to_tir(PRM_FT_TYPE_NIC_RX, &to[0]);
	g->sampler.then = table_to_tir(PRM_FT_TYPE_NIC_RX, &to[1]);
	return g;
}

/* Where an address leads on receive, and on transmit: + the packet gets there, - it is dropped,
 * ! so it is, with a finding. */
Test(stes, addresses_are_ends)
{
	struct hca_tir *to[2];
	uint32_t rx, tx, sampler;

	begin(0);
	hca.roots[PRM_FT_TYPE_NIC_TX] = hca.roots[PRM_FT_TYPE_NIC_RX];
	rx = table_to_tir(PRM_FT_TYPE_NIC_RX, to)->table_id;
	tx = table_to_tir(PRM_FT_TYPE_NIC_TX, NULL)->table_id;
	sampler = new_sampler(1, to)->id;
	hca_object_new(&hca, HCA_KIND_general, 1); /* of another type */
	const struct {
		uint64_t area;
		uint32_t number;
		const char *ends;
	} rows[] = {
		{ HCA_ICM_END, HCA_ICM_RX_DROP, "-!" },
		{ HCA_ICM_END, HCA_ICM_TX_DROP, "!-" },
		{ HCA_ICM_END, HCA_ICM_TX_ALLOW, "!+" },
		{ HCA_ICM_END, HCA_ICM_RX_ALLOW, "-!" },
		{ HCA_ICM_END, 4, "!!" },
		{ HCA_ICM_TIR, tir->tirn, "+!" },
		{ HCA_ICM_TABLE, rx, "+!" },
		{ HCA_ICM_TABLE, tx, "!+" },
		{ HCA_ICM_TABLE, tx + 1000, "!!" },
		{ HCA_ICM_SAMPLER, sampler, "+!" },
		{ HCA_ICM_SAMPLER, sampler + 1, "!!" },
		{ HCA_ICM_SAMPLER, sampler + 2, "!!" },
		{ HCA_ICM_SAMPLER + HCA_ICM_AREA, sampler, "!!" },
		{ HCA_ICM_TIR - HCA_ICM_AREA, tir->tirn, "!!" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t addr = HCA_ICM_AT(rows[i].area, rows[i].number);
		char ends[3] = "";

		ste_0(0, 0x0f, addr, DROP);
		for (int send = 0; send < 2; send++) {
			findings = 0;
			ends[send] = (send ? send_it() : receive()) ? '+'
				     : findings			    ? '!'
								    : '-';
			cr_expect_eq(got.why != NULL, ends[send] == '!');
			cr_expect(!got.tirs || got.did[got.steps - 1] == STEER_DEST);
		}
		cr_expect_str_eq(ends, rows[i].ends, "0x%" PRIx64 ": %s", addr, ends);
	}
}

/* A copy of every third packet; a question does not count. */
Test(stes, a_sampler_copies_every_nth_packet)
{
	struct steer_sink question = { .dry = true };
	struct hca_tir *to[2];

	begin(0);
	ste_0(0, 0x0f, HCA_ICM_AT(HCA_ICM_SAMPLER, new_sampler(3, to)->id), DROP);
	for (int i = 1; i <= 7; i++) {
		const struct steer_packet p = { .bytes = bytes, .len = len };

		cr_assert_eq(receive(), i % 3 ? 1 : 2);
		cr_assert_eq(got.tirn[0], to[i % 3 != 0]->tirn);
		cr_assert_eq(got.tirn[got.tirs - 1], to[1]->tirn);
		cr_assert_eq(traced, got.steps, "each step is in the trace");
		steer_receive(&hca, &p, &question);
		steer_receive(&hca, &p, &question);
		cr_assert_eq(traced, got.steps);
		traced = 0;
	}
}

/* ---- random bytes ---- */

static uint64_t seed;

static uint32_t draw(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

/* Match definers 16 to 18, which random STEs name: a bit, a port, a byte of an address. */
static void add_definers(void)
{
	static const struct {
		uint8_t format, at, bits;
	} all[] = { { 0, 0x03, 0x01 }, { 2, 0x1b, 0xff }, { 22, 0x04, 0xff } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct hca_general *g = hca_object_new(&hca, HCA_KIND_definer, 1);

		g->obj[0x13] = all[i].format;
		g->obj[0x60 + all[i].at] = all[i].bits;
	}
}

/* 16 STEs of random bytes, half of them with addresses that lead to one another. */
static void fill(uint8_t format)
{
	for (uint32_t i = 0; i < 16 * 64; i++)
		icm->memory.bytes[i] = draw() % 3 ? draw() : 0;
	for (uint32_t i = 0; i < 256; i++)
		list->memory.bytes[i] = draw();
	for (uint32_t i = 0; i < 16; i++) {
		uint8_t *s = ste(i);

		if (format && draw() % 2) {
			s[6] = 16 + draw() % 4;
			s[14] = 16 + draw() % 4;
		}
		if (draw() % 8)
			s[0] = format ? draw() % 5 : (draw() % 2 ? 0x20 : 0x60);
		if (draw() % 4)
			put_hit(s, format, ICM + 64 * (draw() % 16), 1u << draw() % 3);
		if (draw() % 4)
			put_miss(s, format, ICM + 64 * (draw() % 16));
		if (draw() % 2)
			memset(s + 32, 0, 32);
		if (!format && draw() % 2)
			put32(s + 16, draw() % 4);
	}
}

/* Each packet ends somewhere: by a step that is an end, within the limits. */
Test(stes, random_bytes_end)
{
	const char *n = getenv("DVKIT_TEST_STES");

	begin(0);
	add_definers();
	seed = 1;
	for (long i = n ? atol(n) : 20000; i > 0; i--) {
		uint8_t format = i % 4;

		PRM_SET(cmd_hca_cap, caps, steering_format_version, format);
		fill(format);
		receive();
		cr_assert(got.tirs == 1 || got.did[(got.steps - 1) % 64] == STEER_DROP,
			  "case %ld", i);
	}
}
