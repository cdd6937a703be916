/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * definers: what STEs see of a packet by match definers, each format by hand: 32 bytes of mask,
 * and those of the tag that a packet hits. Layouts: rdma-core, providers/mlx5/mlx5_ifc.h,
 * struct mlx5_ifc_ste_def*_v1_bits.
 */
#include "stes.h"

TestSuite(definers, .init = start, .fini = stop);

enum { MATCH = 0x400, FIRST = 16 };

static struct hca_general *definer(uint8_t format, const char *bits)
{
	struct hca_general *g = hca_object_new(&hca, HCA_KIND_definer, 1);

	cr_assert_not_null(g);
	memset(g->obj, 0, sizeof(g->obj));
	g->obj[0x13] = format;
	cr_assert_eq(from_hex(g->obj + 0x60, bits), 32);
	return g;
}

#define TAGGED "eth:88a8 a005 8100 7006 0800 v4:6 tcp"
#define VXLAN  "eth:800 v4:11 udp:12b5 08000000 00000700 eth:800 v4:11 udp:35"

static const struct row {
	uint8_t format;
	const char *packet, *mask, *tag;
} rows[] = {
	{ 0, TAGGED, "ffffffff ffffffff ffffffff ffffffff 103fffff 0003ffff ffffffff ffff00ff",
	  "c0c0c0c0 c1c1c1c1 02000000 00020800 0015a005 00027006 02000000 00010012" },
	{ 2, TAGGED, "ffffffff ffffffff ffffffff ffffffff 000fffff 00000000 ffffffff f3ff8000",
	  "0a0a0a0a 45b93f06 00070000 00280000 00000000 00000000 12340050 51120000" },
	{ 2, "eth:86dd v6:11 udp:35",
	  "ffffffff ffffffff ffffffff ffffffff 000fffff 00000000 ffffffff f3ff8000",
	  "0a0a0a0a 60694011 00000000 00000000 000abcde 00000000 12340035 00000000" },
	{ 6, "eth:86dd v6:6 tcp",
	  "ffffffff ffffffff ffffffff ffffffff 00000000 00000000 ffffffff 03ff0000",
	  "fd000000 00000000 00000000 00000002 00000000 00000000 12340050 01120000" },
	{ 16, VXLAN, "ffffffff ffffffff 00000000 00000000 00000000 ffffffff 00fc0000 60ffffff",
	  "08000000 00000700 00000000 00000000 00000000 0a0a0a0a 00600000 00000000" },
	{ 22, "eth:8100 a005 0800 v4:11 udp:35",
	  "ffffffff ffffffff ffffffff 103fffff ffffffff ffffffff ffffffff ffffffff",
	  "0a000001 0a000002 12340035 001aa005 c0c0c0c0 02000000 02000000 00010002" },
	{ 22, "eth:86dd v6:11 udp:35", /* no addresses of IPv4 */
	  "ffffffff ffffffff ffffffff 103fffff ffffffff ffffffff ffffffff ffffffff",
	  "00000000 00000000 12340035 00280000 c0c0c0c0 02000000 02000000 00010002" },
	{ 24, VXLAN, "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff fffefffe",
	  "c2c2c2c2 c3c3c3c3 c0c0c0c0 c1c1c1c1 0a000001 0a000002 123412b5 11601160" },
	{ 25, VXLAN, "ffffffff ffffffff ffffffff ffffffff ffffffff 00000000 3f3fffff 00000000",
	  "0a000001 0a000002 12340035 08000000 00000700 00000000 181812b5 00000000" },
	{ 26, "eth:88a8 a005 8100 7006 86dd v6:6 tcp",
	  "ffffffff ffffffff ffffffff ffffffff 103fffff 0003ffff ffffffff ffffffff",
	  "fd000000 00000000 00000000 00000001 0025a005 00027006 02000000 00010612" },
	{ 28, "eth:800 v4:11 udp:868 30ff0000 00000777 v4:11 udp:35",
	  "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff fffefffe",
	  "12340035 00000777 0a000001 0a000002 0a000001 0a000002 12340868 11601160" },
	{ 33, "eth:8100 a005 0800 v4:11 udp:35",
	  "ffffffff ffffffff ffffffff 103fffff 00000000 00000000 00000000 ff00ffff",
	  "0a000001 0a000002 12340035 001aa005 00000000 00000000 00000000 45003f11" },
	{ 33, "eth:800 4500001c 00072000 3f110000 0a000001 0a000002 12340035 00080000",
	  "ffffffff ffffffff ffffffff 103fffff 00000000 00000000 00000000 ff00ffff",
	  "0a000001 0a000002 00000000 10100000 00000000 00000000 00000000 45003f11" },
};

/* The trace names each bit of the mask, with its values in the STE's @tag and in @packet. */
static void expect_compared(const struct hca_general *g, const uint8_t *tag,
			    const uint8_t *packet)
{
	cr_expect_arr_eq(got.compared.mask, g->obj + 0x60, 32);
	cr_expect_arr_eq(got.compared.tag, tag, 32);
	cr_expect_arr_eq(got.compared.packet, packet, 32);
	cr_expect_eq(got.compared.unnamed, 0);
}

/* The tag hits; with any bit of the mask changed it does not. */
Test(definers, each_bit_of_a_mask_is_compared)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct hca_general *g;
		uint8_t *s, tag[32];

		start();
		begin(1 + i % 2);
		g = definer(r->format, r->mask);
		build(r->packet);
		s = ste_1(0, MATCH | g->id, tir_address(), DROP);
		cr_assert_eq(from_hex(tag, r->tag), 32);
		memcpy(s + 32, tag, 32);
		receive_registers();
		cr_assert_eq(got.tirs, 1, "row %zu", i);
		expect_compared(g, tag, tag);
		for (uint32_t bit = 0; bit < 256; bit++) {
			if (!(g->obj[0x60 + bit / 8] >> (7 - bit % 8) & 1))
				continue;
			s[32 + bit / 8] ^= 0x80 >> bit % 8;
			receive_registers();
			expect_compared(g, s + 32, tag);
			s[32 + bit / 8] ^= 0x80 >> bit % 8;
			cr_assert_eq(got.tirs, 0, "row %zu, dword %u, bit %u", i, bit / 32,
				     31 - bit % 32);
		}
		cr_assert_eq(findings, 0);
		stop();
	}
	start();
}

#define PORT_ONLY "00000000 00000000 0000ffff 00000000 00000000 00000000 00000000 00000000"

/* The next one of 4 STEs is at the hash of the 32 bytes, masked. The crc32 of zlib, without its
 * two inversions and with its bytes swapped, of 32 bytes that are 0 but for a port in 10 and
 * 11, is 0x11b00f51 for port 53, 0xf232112a for 54. */
Test(definers, a_table_is_entered_at_the_hash_of_32_bytes)
{
	static const struct {
		uint16_t port, index;
	} cases[] = { { 53, 1 }, { 54, 2 } };
	struct hca_general *g;

	begin(1);
	g = definer(22, PORT_ONLY);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t *s = ste_1(0, MATCH | 0x0f, 0, 0);

		put_hit(s, 1, ICM + 4 * 64, 4);
		s[14] = (uint8_t)g->id; /* next lookup */
		for (uint32_t k = 0; k < 4; k++)
			ste_1(4 + k, MATCH | 0x0f, k == cases[i].index ? tir_address() : DROP,
			      DROP);
		core_put_be16(bytes + 36, cases[i].port);
		cr_assert_eq(receive(), 1, "port %u", cases[i].port);
	}
}

Test(definers, those_that_cannot_be_executed_drop)
{
	struct hca_general *g;

	begin(1);
	ste_1(0, MATCH | FIRST, tir_address(), tir_address());
	cr_assert_eq(receive(), 0, "no such definer");
	g = definer(22, "00000000 00000000 00000000 0c000000 " /* the type of a QP */
			"00000000 00000000 00000000 00000000");
	cr_assert_eq(g->id, FIRST);
	cr_assert_eq(receive(), 0, "a field that is not there");
	g->obj[0x13] = 60;
	cr_assert_eq(receive(), 0, "no such format");
	cr_assert_eq(findings, 3);
}

/* Numbers are bytes: 16 to 255. */
Test(definers, there_are_240)
{
	uint32_t n = 0;
	const struct hca_general *g;

	while ((g = hca_object_new(&hca, HCA_KIND_definer, 1))) {
		cr_assert_geq(g->id, 16);
		cr_assert_leq(g->id, 255);
		n++;
	}
	cr_assert_eq(n, 240);
}
