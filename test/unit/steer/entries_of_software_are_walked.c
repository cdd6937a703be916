/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stes: entries that software writes into ICM, by hand, in the formats 0 (ConnectX-5), 1
 * (6 Dx), 2 (7) and 3 (8). Layouts: rdma-core, providers/mlx5/mlx5_ifc.h, struct
 * mlx5_ifc_ste_*_bits.
 */
#include "../../lib/hex.h"
#include "stes.h"

#define VXLAN "eth:800 v4:11 udp:12b5 08000000 00000700 eth:800 v4:11 udp:35"

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

/* dword 4: bit 31 and a tag of 24 bits; counter 15:0 in dword 5, 23:16 in dword 6. */
Test(stes, format_0_tags_and_counts)
{
	struct hca_flow_counter *c;
	uint8_t *s;

	begin(0);
	c = hca_object_new(&hca, HCA_KIND_flow_counter, 1);
	s = ste_0(0, 0x0f, tir_address(), DROP);
	put32(s + 16, 0x80abcdef);
	put32(s + 20, c->id & 0xffff);
	s[26] = c->id >> 16;
	receive();
	cr_assert_eq(got.meta.flow_tag, 0xabcdef);
	cr_assert_eq(c->traffic[0].packets, 1);
	cr_assert_eq(c->traffic[0].octets, len);
	put32(s + 16, 0x00abcdef);
	receive();
	cr_assert_eq(got.meta.flow_tag, 0, "not enabled");
}

/* Type 6: a list of 8 bytes each: opcode 2 (set), word, shift, length; data. Word 4 has the TTL
 * in bits 15:8. */
Test(stes, format_0_changes_fields_by_a_list)
{
	uint8_t *s;

	begin(0);
	s = ste_0(0, 0x0f, tir_address(), DROP);
	put32(s, 0x600f0000);
	put32(s + 12, 2 << 16);
	put32(s + 16, 1); /* 64 bytes after the start of the area */
	put32(list->memory.bytes + 64, 0x02040808);
	put32(list->memory.bytes + 68, 0x2a);
	put32(list->memory.bytes + 72, 0x03040808); /* add */
	put32(list->memory.bytes + 76, 0xff);
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.bytes[14 + 8], 0x29);
	put32(list->memory.bytes + 72, 0x02170808); /* a word that there is not */
	cr_assert_eq(receive(), 0);
}

/* A table of 4 STEs: the next one is at the hash of the bytes that byte_mask names. The crc32
 * of zlib, without its two inversions and with its bytes swapped, of 16 bytes that are 0 but
 * for a port in 10 and 11, is 0xf637c169 for port 53, 0x264d612e for 54. */
static uint32_t index_of_port(uint16_t port)
{
	uint32_t hits = 0;
	uint8_t *s;

	len = 14 + 20;
	udp(port, 0);
	s = ste_0(0, 0x0f, ICM + 4 * 64, DROP);
	put_hit(s, 0, ICM + 4 * 64, 4);
	s[2] = 0x00;
	s[3] = 0x30; /* bytes 10 and 11 */
	s[6] = 0x20; /* next lookup */
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t k = 0; k < 4; k++)
			ste_0(4 + k, 0x0f, k == i ? tir_address() : DROP, DROP);
		receive();
		hits += got.tirs ? 1u << i : 0;
	}
	return hits;
}

Test(stes, format_0_hashes_the_next_lookup)
{
	begin(0);
	cr_assert_eq(index_of_port(53), 1u << 1);
	cr_assert_eq(index_of_port(54), 1u << 2);
}

/* Bits 30:28 of dword 5: 1 a tunnel is looked at, 2 it is removed, 4 a tag is. */
Test(stes, format_0_removes_tunnels_and_tags)
{
	static const struct {
		uint32_t action;
		const char *packet, *left;
	} rows[] = {
		{ 0, VXLAN, VXLAN },
		{ 1, VXLAN, VXLAN },
		{ 2, VXLAN, "eth:800 v4:11 udp:35" },
		{ 2, "eth:800 v4:11 udp:35", "eth:800 v4:11 udp:35" },
		{ 4, "eth:8100 0005 0800 v4:11 udp:35", "eth:800 v4:11 udp:35" },
		{ 4, "eth:88a8 0006 8100 0005 0800 v4:11 udp:35",
		  "eth:8100 0005 0800 v4:11 udp:35" },
		{ 3, VXLAN, NULL },
		{ 5, VXLAN, NULL },
		{ 7, VXLAN, NULL },
	};

	begin(0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t left[256];
		size_t n;

		put32(ste_0(0, 0x0f, tir_address(), DROP) + 20, rows[i].action << 28);
		build(rows[i].left ? rows[i].left : "");
		n = len;
		memcpy(left, bytes, n);
		build(rows[i].packet);
		cr_expect_eq(receive(), rows[i].left != NULL, "row %zu", i);
		cr_expect(got.len == n && !memcmp(got.bytes, left, n), "row %zu", i);
	}
}

/* A list of the words 0 (destination), 1 (source), 2 (type at 32, kind of tag at 48, tag). */
Test(stes, format_0_puts_an_ethernet_header_before_what_a_tunnel_had)
{
	static const char *const lists[] = {
		"02001010 0a0b0c0d 02000010 00000e0f 02011010 1a1b1c1d 02010010 00001e1f "
		"02022010 00000800 02023010 00000001 02020010 0000a005",
		"02001010 0a0b0c0d 02000010 00000e0f 02011010 1a1b1c1d 02010010 00001e1f "
		"02022010 00000800 02023010 00000002 02020010 0000a005",
	};
	static const struct {
		uint8_t list, changes, tagged;
		const char *header;
	} rows[] = {
		{ 0, 5, 0, "0a0b0c0d 0e0f1a1b 1c1d1e1f 0800" },
		{ 0, 7, 1, "0a0b0c0d 0e0f1a1b 1c1d1e1f 88a8a005 0800" },
		{ 1, 7, 1, "0a0b0c0d 0e0f1a1b 1c1d1e1f 8100a005 0800" },
	};

	begin(0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t *s = ste_0(0, 0x0f, tir_address(), DROP), header[18];
		size_t n = from_hex(header, rows[i].header);

		from_hex(list->memory.bytes, lists[rows[i].list]);
		s[0] = 0x60;
		put32(s + 12, (uint32_t)rows[i].changes << 16);
		put32(s + 20, 3u << 28 | (uint32_t)rows[i].tagged << 24);
		build("eth:800 v4:2f 00000800 v4:11 udp:35");
		cr_assert_eq(receive(), 1);
		cr_assert_eq(got.len, n + 28, "row %zu", i);
		cr_expect_arr_eq(got.bytes, header, n, "row %zu", i);
		cr_expect_arr_eq(got.bytes + n, bytes + len - 28, 28, "row %zu", i);
	}
}

/* ---- format 1 ---- */

/* IPv4 5-tuple (0x0007); the mask is before the tag. */
Test(stes, format_1_has_the_mask_before_the_tag)
{
	uint8_t *s;

	begin(1);
	s = ste_1(0, 0x0007, tir_address(), DROP);
	put32(s + 32 + 8, 0xffff);
	put32(s + 48 + 8, 53);
	cr_assert_eq(receive(), 1);
	put32(s + 48 + 8, 0x00010035);
	cr_assert_eq(receive(), 0, "a bit outside of the mask");
}

/* Actions in the last 8 bytes of the first 32: 0c, a tag; MATCH (4) has 12 bytes of them. */
Test(stes, format_1_acts_word_by_word)
{
	uint8_t *s;

	begin(1);
	s = ste_1(0, 0x040f, tir_address(), DROP);
	put32(s + 20, 0x06000000 | 0x0e << 16 | 0x28 << 8 | 8); /* set bits 15:8 of word 0x0e */
	put32(s + 24, 9);
	put32(s + 28, 0x0c000123);
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.meta.flow_tag, 0x123);
	cr_assert_eq(got.bytes[14 + 8], 9);
	put32(s + 28, 0x0e000000); /* 8 bytes long, and there are 4 */
	cr_assert_eq(receive(), 0);
}

/* 0a inserts 4 bytes 6 words from the start; 08 removes 2 words from the first tag on. */
Test(stes, format_1_pushes_and_pops_tags)
{
	uint8_t *s;

	begin(1);
	s = ste_1(0, 0x000f, ICM + 64, DROP);
	put32(s + 24, 0x0a000c00);
	put32(s + 28, 0x81000064);
	s = ste_1(1, 0x000f, tir_address(), DROP);
	receive();
	cr_assert_eq(got.len, len + 4);
	cr_assert_arr_eq(got.bytes + 12, "\x81\x00\x00\x64\x08\x00", 6);
	put32(s + 24, 0x08000000 | 2 << 16 | 2);
	receive();
	cr_assert_eq(got.len, len);
	cr_assert_arr_eq(got.bytes, bytes, len);
}

/* Registers are four words higher in format 2: 0x94 is reg_c_0. */
Test(stes, format_2_has_other_numbers_of_registers)
{
	uint8_t *s;

	begin(2);
	s = ste_1(0, 0x000f, tir_address(), DROP);
	put32(s + 24, 0x06000000 | 0x94 << 16 | 0x20 << 8 | 32);
	put32(s + 28, 0x12345678);
	receive();
	cr_assert_eq(got.meta.reg_c[0], 0x12345678);
	PRM_SET(cmd_hca_cap, caps, steering_format_version, 1);
	cr_assert_eq(receive(), 0, "format 1 has no such word");
}

/* ---- format 3 ---- */

/* A header is in bits 23:17, an offset in 16:9 (in words); registers as in format 2. */
Test(stes, format_3_has_other_places_of_headers)
{
	uint8_t *s;

	begin(3);
	s = ste_1(0, 0x000f, ICM + 64, DROP);
	put32(s + 24, 0x0a000000 | 6 << 9); /* insert 4 bytes 6 words from the start */
	put32(s + 28, 0x81000064);
	s = ste_1(1, 0x000f, tir_address(), DROP);
	put32(s + 24, 0x0c000005);
	receive();
	cr_assert_eq(got.len, len + 4);
	cr_assert_arr_eq(got.bytes + 12, "\x81\x00\x00\x64\x08\x00", 6);
	put32(s + 24, 0x08000000 | 2 << 17 | 2); /* remove 2 words from the first tag on */
	receive();
	cr_assert_eq(got.len, len);
	cr_assert_arr_eq(got.bytes, bytes, len);
	put32(s + 24, 0x06000000 | 0x94 << 16 | 0x20 << 8 | 32);
	put32(s + 28, 0x12345678);
	receive();
	cr_assert_eq(got.meta.reg_c[0], 0x12345678);
}

/* 09 removes up to a header: 0x13 is the inner Ethernet header. */
Test(stes, format_3_removes_a_tunnel)
{
	uint8_t *s;

	begin(3);
	build("eth:800 v4:11 udp:12b5 08000000 00000700 eth:800 v4:11 udp:35");
	s = ste_1(0, 0x000f, tir_address(), DROP);
	put32(s + 24, 0x09000000 | 0x13 << 10 | 3 << 2); /* decap, VNI to the CQE */
	receive();
	cr_assert_eq(got.len, 14 + 20 + 8);
	cr_assert_arr_eq(got.bytes, bytes + len - 42, 42);
}

/* ---- RoCE ---- */

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
	cr_assert_gt(got.steps, 4096);
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
}

Test(stes, an_entry_of_firmware_follows)
{
	struct hca_flow_table *t;

	begin(0);
	t = table(PRM_FT_TYPE_NIC_RX);
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
	to(rule(group(t, 0, 1), 0, 4), PRM_DEST_TYPE_TIR, tir, 0);
	ste_0(0, 0x0f, HCA_ICM_TABLE + 64ull * t->table_id, DROP);
	cr_assert_eq(receive(), 1);
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
