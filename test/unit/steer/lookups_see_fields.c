/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookups: the 16 bytes that an STE sees of a packet, for each lookup of the formats 0 and
 * 1, by hand, and the dwords of definers that select. Layouts: rdma-core,
 * providers/mlx5/mlx5_ifc.h, struct mlx5_ifc_ste_*_bits.
 */
#include "steer/lookup.h"
#include "stes.h"

TestSuite(lookups, .init = start, .fini = stop);

#define V4	"eth:88a8 a005 8100 7006 0800 v4:6 tcp"
#define V6	"eth:8100 b005 86dd v6:11 udp:35"
#define IN_V4	"eth:800 v4:11 udp:12b5 08000000 00000700 eth:88a8 a005 8100 7006 0800 v4:6 tcp"
#define IN_V6	"eth:800 v4:11 udp:12b5 08000000 00000700 eth:8100 b005 86dd v6:11 udp:35"
#define FIRST	"eth:800 4500001c 00072000 3f110000 0a000001 0a000002 12340035 00080000"
#define LAST	"eth:800 4500001c 00070003 3f110000 0a000001 0a000002 12340035 00080000"
#define PING	"eth:800 v4:1 08001111 22223333"
#define PING_6	"eth:86dd v6:3a 80001111 22223333"
#define GRE	"eth:800 v4:2f 30006558 11223344 55667788 eth:800 v4:11 udp:35"
#define LABEL	"eth:8847 00064140 v4:11 udp:35"
#define ON_UDP	"eth:800 v4:11 udp:19eb 00065140 v4:11 udp:35"
#define ON_GRE	"eth:800 v4:2f 00008847 00066140 v4:11 udp:35"
#define GENEVE	"eth:800 v4:11 udp:17c1 00006558 00000700 eth:800 v4:11 udp:35"
#define GTP_U	"eth:800 v4:11 udp:868 30ff0000 00000777 v4:11 udp:35"
#define BTH	"eth:800 v4:11 udp:12b7 0ab8ffff 55000123 80000007 00000000"
#define NOTHING "00000000 00000000 00000000 00000000"

static const struct row {
	uint8_t format;
	uint16_t lookup;
	const char *packet, *seen;
} rows[] = {
	{ 0, 0x00, V4, NOTHING },
	{ 0, 0x06, V4, "02000000 00020800 000a4005 45078006" },
	{ 0, 0x1b, V4, "02000000 00020800 000a4005 45078006" },
	{ 0, 0x06, V6, "02000000 000286dd 000b8005 0a000000" },
	{ 0, 0x07, IN_V4, "02000000 00020800 000a4005 45078006" },
	{ 0, 0x07, IN_V6, "02000000 000286dd 000b8005 0a000000" },
	{ 0, 0x07, V4, NOTHING },
	{ 0, 0x08, V4, "02000000 00010800 000a4005 45078006" },
	{ 0, 0x1c, V4, "02000000 00010800 000a4005 45078006" },
	{ 0, 0x08, FIRST, "02000000 00010800 00000000 84000000" },
	{ 0, 0x09, IN_V4, "02000000 00010800 000a4005 45078006" },
	{ 0, 0x0a, IN_V4, "02000000 00020800 00000700 45a04005" },
	{ 0, 0x0a, GRE, "02000000 00020800 00000000 06010000" },
	{ 0, 0x0d, V6, "fd000000 00000000 00000000 00000002" },
	{ 0, 0x1e, V6, "fd000000 00000000 00000000 00000002" },
	{ 0, 0x0d, V4, NOTHING },
	{ 0, 0x0e, IN_V6, "fd000000 00000000 00000000 00000002" },
	{ 0, 0x0f, V6, "fd000000 00000000 00000000 00000001" },
	{ 0, 0x1f, V6, "fd000000 00000000 00000000 00000001" },
	{ 0, 0x10, IN_V6, "fd000000 00000000 00000000 00000001" },
	{ 0, 0x11, V4, "0a000002 0a000001 12340050 0312b806" },
	{ 0, 0x20, V4, "0a000002 0a000001 12340050 0312b806" },
	{ 0, 0x11, FIRST, "0a000002 0a000001 00000000 c0000011" },
	{ 0, 0x11, LAST, "0a000002 0a000001 00000000 80000011" },
	{ 0, 0x11, V6, NOTHING },
	{ 0, 0x12, IN_V4, "0a000002 0a000001 12340050 0312b806" },
	{ 0, 0x13, V6, "00110035 62001234 00084068 000abcde" },
	{ 0, 0x21, V6, "00110035 62001234 00084068 000abcde" },
	{ 0, 0x14, IN_V6, "00110035 62001234 00084068 000abcde" },
	{ 0, 0x13, FIRST, "c0110000 40000000 00073f00 00000000" },
	{ 0, 0x15, LABEL, "00064140 00000000 00000000 00000000" },
	{ 0, 0x25, LABEL, "00064140 00000000 00000000 00000000" },
	{ 0, 0x16, GRE, "30006558 00000000 11223344 00000000" },
	{ 0, 0x18, V4, "0a0a0a0a 00000000 00000000 00000000" },
	{ 0, 0x19, IN_V4, "08000000 00000700 00000000 00000000" },
	{ 0, 0x19, GENEVE, "00006558 00000700 00000000 00000000" },
	{ 0, 0x19, GTP_U, "30ff0000 00000777 00000000 00000000" },
	{ 0, 0x19, GRE, NOTHING },
	{ 0, 0x34, IN_V4, "08000000 00000700 00000000 00000000" },
	{ 0, 0x34, GENEVE, "00006558 00000700 00000000 00000000" },
	{ 0, 0x34, GTP_U, "30ff0000 00000777 00000000 00000000" },
	{ 0, 0x34, GRE, NOTHING },
	{ 0, 0x22, PING, "00000000 00000000 22223333 08001111" },
	{ 0, 0x22, PING_6, "22223333 80001111 00000000 00000000" },
	{ 0, 0x23, ON_UDP, "00000000 00000000 00065140 00000000" },
	{ 0, 0x23, ON_GRE, "00000000 00000000 00000000 00066140" },
	{ 0, 0x29, V4, "45000028 00070000 3f000000 00000000" },
	{ 0, 0x2b, V4, "45000028 00070000 3f000000 00000000" },
	{ 0, 0x2a, IN_V4, "45000028 00070000 3f000000 00000000" },
	{ 0, 0x2c, V4, "00000000 dead0001 beef0002 00000000" },
	{ 0, 0x2e, V4, "00000000 dead0001 beef0002 00000000" },
	{ 0, 0x2d, IN_V4, "00000000 dead0001 beef0002 00000000" },
	{ 0, 0x2c, V6, NOTHING },
	{ 0, 0x2f, V4, "c0c0c0c0 c1c1c1c1 c2c2c2c2 c3c3c3c3" },
	{ 0, 0x30, V4, "c4c4c4c4 c5c5c5c5 c6c6c6c6 c7c7c7c7" },
	{ 0, 0x36, V4, "02000000 00020200 00000001 040a4005" },
	{ 0, 0x38, V4, "02000000 00020200 00000001 040a4005" },
	{ 0, 0x37, IN_V6, "02000000 00020200 00000001 080b8005" },
	{ 1, 0x00, V4, NOTHING },
	{ 1, 0x02, IN_V4, "00000700 02000000 00020800 0015a005" },
	{ 1, 0x03, V4, "0015a005 02000000 00020800 02027006" },
	{ 1, 0x03, V6, "002ab005 02000000 000286dd 00000000" },
	{ 1, 0x04, IN_V6, "002ab005 02000000 000286dd 00000000" },
	{ 1, 0x05, V4, "0015a005 02000000 00010800 02027006" },
	{ 1, 0x05, FIRST, "10100000 02000000 00010800 00000000" },
	{ 1, 0x06, IN_V4, "0015a005 02000000 00010800 02027006" },
	{ 1, 0x07, V4, "0a000001 0a000002 12340050 0112b906" },
	{ 1, 0x207, V4, "0a000001 0a000002 12340050 0112b906" }, /* hashes a byte mask, too */
	{ 1, 0x309, V6, "fd000000 00000000 00000000 00000001" },
	{ 1, 0x07, FIRST, "0a000001 0a000002 00000000 02000011" },
	{ 1, 0x08, IN_V4, "0a000001 0a000002 12340050 0112b906" },
	{ 1, 0x09, V6, "60694011 12340035 000abcde 00000008" },
	{ 1, 0x0a, IN_V6, "60694011 12340035 000abcde 00000008" },
	{ 1, 0x09, FIRST, "40003f11 00000000 80000000 02000007" },
	{ 1, 0x0b, V4, "02000000 02000000 00020011 a0050001" },
	{ 1, 0x0c, IN_V6, "02000000 02000000 00020022 b0050001" },
	{ 1, 0x0d, V4, "00070000 00280000 453f0000 00000000" },
	{ 1, 0x0f, IN_V4, "00070000 00280000 453f0000 00000000" },
	{ 1, 0x0e, GENEVE, "00006558 00000700 00000000 00000000" },
	{ 1, 0x117, GENEVE, "00006558 00000700 00000000 00000000" },
	{ 1, 0x103, BTH, "0a000123 a838ffff 00000000 00000000" },
	{ 1, 0x107, V6, "fd000000 00000000 00000000 00000002" },
	{ 1, 0x108, IN_V6, "fd000000 00000000 00000000 00000002" },
	{ 1, 0x109, V6, "fd000000 00000000 00000000 00000001" },
	{ 1, 0x10a, IN_V6, "fd000000 00000000 00000000 00000001" },
	{ 1, 0x10b, LABEL, "00000000 00064140 00000000 00000000" },
	{ 1, 0x10d, GRE, "30006558 00000000 11223344 00000000" },
	{ 1, 0x10e, V4, "0a0a0a0a 00000000 00000000 00000000" },
	{ 1, 0x10f, V4, "c0c0c0c0 c1c1c1c1 c2c2c2c2 c3c3c3c3" },
	{ 1, 0x110, V4, "c4c4c4c4 c5c5c5c5 c6c6c6c6 c7c7c7c7" },
	{ 1, 0x111, PING, "00000000 00000000 22223333 08001111" },
	{ 1, 0x112, ON_GRE, "00000000 00000000 00000000 00066140" },
	{ 1, 0x113, V4, "00000000 beef0002 dead0001 00000000" },
	{ 1, 0x113, PING, "00000000 22223333 08001111 00000000" },
	{ 1, 0x113, PING_6, "00000000 22223333 80001111 00000000" },
	{ 1, 0x113, V6, NOTHING },
	{ 1, 0x114, IN_V4, "00000000 beef0002 dead0001 00000000" },
};

/* Bit by bit, by STEs that compare one, which the trace shows. */
static void look(const struct row *r, uint8_t *seen)
{
	uint8_t *s = ste_1(0, r->lookup, tir_address(), DROP);

	if (!r->format)
		s = ste_0(0, (uint8_t)r->lookup, tir_address(), DROP);
	for (uint32_t bit = 0; bit < 128; bit++) {
		memset(s + 32, 0, 32);
		s[32 + bit / 8] = s[48 + bit / 8] = 0x80 >> bit % 8;
		receive_registers();
		cr_assert_arr_eq(got.compared.mask, s + 48, 16);
		cr_assert_arr_eq(got.compared.tag, s + 32, 16);
		cr_assert_eq(got.compared.packet[bit / 8], got.tirs ? 0x80 >> bit % 8 : 0);
		if (got.tirs)
			seen[bit / 8] |= 0x80 >> bit % 8;
	}
}

Test(lookups, see_these_bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		uint8_t seen[16] = { 0 }, wanted[16];

		start();
		begin(r->format);
		build(r->packet);
		cr_assert_eq(from_hex(wanted, r->seen), 16);
		look(r, seen);
		cr_expect_arr_eq(seen, wanted, 16,
				 "format %u, lookup %x of %s: %08x %08x %08x %08x", r->format,
				 r->lookup, r->packet, core_be32(seen), core_be32(seen + 4),
				 core_be32(seen + 8), core_be32(seen + 12));
		cr_expect_eq(findings, 0);
		stop();
	}
	start();
}

/* ---- match definers that select ---- */

/* Layout: DPDK, mlx5dr_definer.h, struct mlx5_ifc_definer_hl_bits. */
static const struct {
	uint8_t dword;
	const char *packet;
	uint32_t seen;
} selected[] = {
	{ 0, V4, 0x02000000 },
	{ 1, V4, 0x00020800 },
	{ 2, V4, 0x0015a005 },
	{ 3, V4, 0x10027006 },
	{ 8, V4, 0x02000000 },
	{ 9, V4, 0x00010054 },
	{ 14, V4, 0x45b93f06 },
	{ 15, V4, 0x00070000 },
	{ 16, V4, 0x00280000 },
	{ 17, V4, 0x00000000 },
	{ 18, V4, 0x00000000 },
	{ 24, V4, 0x12340050 },
	{ 25, V4, 0x51120000 },
	{ 64, V4, 0x0a000001 },
	{ 65, V4, 0x0a000002 },
	{ 68, V4, 0x00000000 },
	{ 79, V4, 0x00000000 },
	{ 94, V4, 0xdead0001 },
	{ 95, V4, 0xbeef0002 },
	{ 96, V4, 0x51120000 },
	{ 97, V4, 0x00000000 },
	{ 4, V4, 0x00000000 },
	{ 19, V4, 0x00000000 },
	{ 3, V6, 0x20000000 },
	{ 9, V6, 0x000100a8 },
	{ 14, V6, 0x60694011 },
	{ 15, V6, 0x00000000 },
	{ 16, V6, 0x00000000 },
	{ 17, V6, 0x000abcde },
	{ 18, V6, 0x00000008 },
	{ 64, V6, 0x00000000 },
	{ 65, V6, 0x00000000 },
	{ 68, V6, 0xfd000000 },
	{ 69, V6, 0x00000000 },
	{ 71, V6, 0x00000002 },
	{ 76, V6, 0xfd000000 },
	{ 79, V6, 0x00000001 },
	{ 94, V6, 0x00000000 },
	{ 4, IN_V4, 0x02000000 },
	{ 5, IN_V4, 0x00020800 },
	{ 6, IN_V4, 0x0015a005 },
	{ 7, IN_V4, 0x10027006 },
	{ 10, IN_V4, 0x02000000 },
	{ 11, IN_V4, 0x00010054 },
	{ 19, IN_V4, 0x45b93f06 },
	{ 20, IN_V4, 0x00070000 },
	{ 21, IN_V4, 0x00280000 },
	{ 26, IN_V4, 0x12340050 },
	{ 27, IN_V4, 0x51120000 },
	{ 66, IN_V4, 0x0a000001 },
	{ 67, IN_V4, 0x0a000002 },
	{ 97, IN_V4, 0x08000000 },
	{ 98, IN_V4, 0x00000700 },
	{ 99, IN_V4, 0x02000000 },
	{ 100, IN_V4, 0x00020200 },
	{ 19, IN_V6, 0x60694011 },
	{ 22, IN_V6, 0x000abcde },
	{ 23, IN_V6, 0x00000008 },
	{ 72, IN_V6, 0xfd000000 },
	{ 75, IN_V6, 0x00000002 },
	{ 80, IN_V6, 0xfd000000 },
	{ 83, IN_V6, 0x00000001 },
	{ 9, FIRST, 0x00010042 },
	{ 15, FIRST, 0x00072000 },
	{ 24, FIRST, 0x00000000 },
	{ 25, FIRST, 0x02008000 },
	{ 25, LAST, 0x02000000 },
	{ 3, PING, 0x30000000 },
	{ 94, PING, 0x08001111 },
	{ 95, PING, 0x22223333 },
	{ 96, PING, 0x00000000 },
	{ 94, PING_6, 0x80001111 },
	{ 95, PING_6, 0x22223333 },
	{ 97, GRE, 0x30006558 },
	{ 98, GRE, 0x00000000 },
	{ 99, GRE, 0x11223344 },
	{ 100, GRE, 0x55667788 },
	{ 98, "eth:800 v4:2f b0006558 99990000 11223344 55667788 eth:800", 0x99990000 },
	{ 99, "eth:800 v4:2f b0006558 99990000 11223344 55667788 eth:800", 0x11223344 },
	{ 100, "eth:800 v4:2f b0006558 99990000 11223344 55667788 eth:800", 0x55667788 },
	{ 98, "eth:800 v4:2f 10006558 55667788 eth:800", 0x00000000 },
	{ 99, "eth:800 v4:2f 10006558 55667788 eth:800", 0x00000000 },
	{ 100, "eth:800 v4:2f 10006558 55667788 eth:800", 0x55667788 },
	{ 98, "eth:800 v4:2f 80006558 99990000 eth:800", 0x99990000 },
	{ 99, "eth:800 v4:2f 80006558 99990000 eth:800", 0x00000000 },
	{ 100, "eth:800 v4:2f 80006558 99990000 eth:800", 0x00000000 },
	{ 30, BTH, 0x0a000123 },
	{ 31, BTH, 0x20000000 },
	{ 124, V4, 0x0a0a0a0a },
	{ 148, V4, 0xc0c0c0c0 },
	{ 149, V4, 0xc1c1c1c1 },
	{ 146, V4, 0xc2c2c2c2 },
	{ 147, V4, 0xc3c3c3c3 },
	{ 144, V4, 0xc4c4c4c4 },
	{ 145, V4, 0xc5c5c5c5 },
	{ 142, V4, 0xc6c6c6c6 },
	{ 143, V4, 0xc7c7c7c7 },
};

/* The trace names what is seen of the dword, where it is in the 32 or 44 bytes of the STE. */
static void expect_names(const uint8_t *obj, uint16_t lookup, const uint8_t *all)
{
	const uint8_t *tag = all + STE_JUMBO_TAG - ste_tag_size(lookup);
	struct ste_names names = { .tag = tag, .seen = tag };
	struct steer_step s = { .bits = names.bits };

	ste_select_names(obj, lookup, &names);
	s.n_bits = (uint16_t)names.n;
	got_bits(&s);
	cr_expect_arr_eq(got.compared.packet, tag, ste_tag_size(lookup));
	cr_expect_arr_eq(got.compared.tag, tag, ste_tag_size(lookup));
	cr_expect_eq(got.compared.unnamed, 0);
}

Test(lookups, select_these_dwords)
{
	for (size_t i = 0; i < ARRAY_SIZE(selected); i++) {
		uint8_t obj[PRM_SZ(match_definer)] = { 0 }, tag[STE_JUMBO_TAG];
		struct steer_work w;
		struct steer_packet p;

		build(selected[i].packet);
		p = packet_with_registers();
		obj[0x13] = 61;
		obj[0x23] = selected[i].dword;
		memset(obj + 0x40 + 64 - 12, 0xff, 4);
		cr_assert(steer_work_init(&w, &p));
		ste_select(&w, obj, tag);
		steer_work_fini(&w);
		cr_expect_eq(core_be32(tag + 32), selected[i].seen, "dword %u of %s: %08x",
			     selected[i].dword, selected[i].packet, core_be32(tag + 32));
		expect_names(obj, STE_MATCH << 8, tag);
		expect_names(obj, STE_JUMBO << 8, tag);
		memset(tag + 32, 0, 4);
		for (size_t k = 0; k < sizeof(tag); k++)
			cr_expect_eq(tag[k], 0, "dword %u, byte %zu", selected[i].dword, k);
	}
}
