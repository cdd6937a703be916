/* SPDX-License-Identifier: BSD-2-Clause */
/* change: what modify header and reformat contexts make of a packet, byte for byte. */
#include "packet.h"

TestSuite(change, .init = start, .fini = stop);

enum { FWD = 4, REFORMAT = 0x10, DECAP = 0x20, MOD_HDR = 0x40, POP = 0x80, PUSH = 0x100 };
enum { POP_2 = 0x400, PUSH_2 = 0x800 };

#define UDP "eth:0800 v4:11 udp:35"

static struct hca_fte *entry(uint32_t action)
{
	struct hca_tir *tir = hca_tir_new(&hca);
	struct hca_fte *e = rule(group(root(PRM_FT_TYPE_NIC_RX), 0, 0), 0, FWD | action);

	to(e, PRM_DEST_TYPE_TIR, tir, 0);
	return e;
}

static struct hca_modify_header *actions(const uint8_t (*list)[8], uint8_t n)
{
	struct hca_modify_header *m = hca_modify_header_new(&hca);

	m->cnt = n;
	memcpy(m->actions, list, n * 8);
	return m;
}

static struct hca_packet_reformat *reformat(uint8_t type, const uint8_t *data, uint16_t n)
{
	struct hca_packet_reformat *r = hca_packet_reformat_new(&hca);

	r->type = type;
	r->size = n;
	r->data = calloc(1, n);
	if (data)
		memcpy(r->data, data, n);
	return r;
}

/* The ones' complement sum of 16-bit words; 0xffff over a header with a correct checksum. */
static uint16_t sum(uint32_t s, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s += i % 2 ? p[i] : p[i] << 8;
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

static uint16_t ip_sum(const uint8_t *frame)
{
	return sum(0, frame + 14, 20);
}

/* ---- each field, in each kind of packet ---- */

enum header { L2, TYPE, TAG, CLASS, V4, V6, AT_TCP, AT_UDP };

/* Bits from the start of the header: IEEE 802.3 and 802.1Q, RFC 791, 8200, 9293, 768. */
static const struct {
	uint8_t id, header;
	uint16_t bit, bits;
} fields[] = {
	{ 0x01, L2, 48, 32 },	  { 0x02, L2, 80, 16 },	    { 0x03, TYPE, 0, 16 },
	{ 0x04, L2, 0, 32 },	  { 0x05, L2, 32, 16 },	    { 0x06, CLASS, 0, 6 },
	{ 0x07, AT_TCP, 103, 9 }, { 0x08, AT_TCP, 0, 16 },  { 0x09, AT_TCP, 16, 16 },
	{ 0x0a, V4, 64, 8 },	  { 0x0b, AT_UDP, 0, 16 },  { 0x0c, AT_UDP, 16, 16 },
	{ 0x0d, V6, 64, 32 },	  { 0x0e, V6, 96, 32 },	    { 0x0f, V6, 128, 32 },
	{ 0x10, V6, 160, 32 },	  { 0x11, V6, 192, 32 },    { 0x12, V6, 224, 32 },
	{ 0x13, V6, 256, 32 },	  { 0x14, V6, 288, 32 },    { 0x15, V4, 96, 32 },
	{ 0x16, V4, 128, 32 },	  { 0x17, TAG, 20, 12 },    { 0x47, V6, 56, 8 },
	{ 0x59, AT_TCP, 32, 32 }, { 0x5b, AT_TCP, 64, 32 },
};

/* The first bit in the packet that h describes; 0 for one that it has not. */
static size_t bit_of(size_t i)
{
	const struct steer_layer *l = &h.outer;
	const size_t starts[] = {
		[TYPE] = 12 + 4 * l->vlans,
		[TAG] = l->vlans ? l->vlan[0] : 0,
		[CLASS] = l->l3,
		[V4] = l->version == 4 ? l->l3 : 0,
		[V6] = l->version == 6 ? l->l3 : 0,
		[AT_TCP] = l->protocol == 6 ? l->l4 : 0,
		[AT_UDP] = l->protocol == 17 ? l->l4 : 0,
	};
	size_t start = 8 * starts[fields[i].header];

	if (fields[i].header == CLASS)
		start += start ? l->version == 4 ? 8 : 4 : 0;
	return start || fields[i].header == L2 ? start + fields[i].bit : 0;
}

/* The checksums of the packet that h describes are right in @frame; or made right. */
static void sums(uint8_t *frame, bool make)
{
	const struct steer_layer *l = &h.outer;
	size_t n = len - l->l4, ip = l->l3, check = l->l4 + (l->protocol == 6 ? 16 : 6);
	uint16_t s;

	if (l->version == 4) {
		s = ~sum(0, frame + ip, 20);
		if (make)
			core_put_be16(frame + ip + 10, s);
		cr_assert(make || !s);
	}
	if (!l->l4)
		return;
	s = sum(l->protocol + n, frame + ip + (l->version == 4 ? 12 : 8),
		l->version == 4 ? 8 : 32);
	s = ~sum(s, frame + l->l4, n);
	if (make)
		core_put_be16(frame + check, s);
	cr_assert(make || !s);
}

/* The packet of @text with right checksums. */
static void build_right(const char *text)
{
	build(text);
	cr_assert(parse());
	if (h.outer.protocol != 6 && h.outer.protocol != 17)
		h.outer.l4 = 0;
	sums(bytes, true);
}

/* Set: source IPv4, TTL, TCP destination port, 12 bits of DMAC 47_16 from bit 4, DSCP; add to
 * the sequence number; copy 8 bits of the TTL into bits 16… of register B. */
Test(change, set_add_copy)
{
	static const uint8_t list[][8] = {
		{ 0x10, 0x15, 0, 0, 192, 168, 7, 9 },
		{ 0x10, 0x0a, 0, 8, 0, 0, 0, 9 },
		{ 0x10, 0x09, 0, 16, 0, 0, 0x1f, 0x90 },
		{ 0x10, 0x04, 4, 12, 0, 0, 0x0a, 0xbc },
		{ 0x10, 0x06, 0, 6, 0, 0, 0, 10 },
		{ 0x20, 0x59, 0, 0, 0xff, 0xff, 0xff, 0xff },
		{ 0x30, 0x0a, 0, 8, 0, 0x50, 16, 0 },
	};
	struct hca_fte *e = entry(MOD_HDR);
	uint8_t expected[64];

	e->act.modify = actions(list, 7);
	build_right(
		"0200abc00002 020000000001 0800 4529002d 00070000 09060000 c0a80709 0a000002 "
		"12341f90 dead0000 beef0002 51120000 00000000 68656c6c6f");
	memcpy(expected, bytes, len);
	build_right("eth:0800 v4:6 tcp 68656c6c6f");
	receive();
	cr_assert_eq(got.len, len);
	cr_assert_arr_eq(got.bytes, expected, len);
	cr_assert_eq(got.meta.reg_b, 9 << 16);
	cr_assert_eq(bytes[22], 63, "the sender's bytes are as they were");
	bytes[50] ^= 1; /* a checksum that was wrong stays wrong */
	receive();
	cr_assert_neq(core_be16(got.bytes + 50), core_be16(expected + 50));
}

Test(change, udp_may_have_no_checksum)
{
	static const uint8_t list[][8] = { { 0x10, 0x0c, 0, 16, 0, 0, 0, 99 } };
	struct hca_fte *e = entry(MOD_HDR);

	e->act.modify = actions(list, 1);
	build_right(UDP);
	bytes[40] = bytes[41] = 0;
	receive();
	cr_assert_eq(got.bytes[37], 99);
	cr_assert_eq(got.bytes[40] | got.bytes[41], 0);
	build_right(UDP);
	receive();
	sums(got.bytes, false);
	cr_assert_neq(got.bytes[40] | got.bytes[41], 0);
}

static uint8_t *action(struct hca_fte *e, uint8_t type, uint8_t field)
{
	uint8_t *a = e->act.modify->actions[0];

	memset(a, 0, 8);
	a[0] = (uint8_t)(type << 4);
	a[1] = field;
	return a;
}

/* The packet is received with bits flipped where @at says, and right checksums. */
static void flips(size_t at, unsigned int bits, uint64_t flip, size_t field)
{
	uint8_t expected[sizeof(bytes)];

	memcpy(expected, bytes, len);
	for (unsigned int b = 0; b < bits; b++)
		if (flip >> b & 1)
			expected[(at + bits - 1 - b) / 8] ^= 0x80 >> (at + bits - 1 - b) % 8;
	cr_assert_eq(receive(), 1);
	sums(got.bytes, false);
	if (h.outer.version == 4)
		memcpy(expected + h.outer.l3 + 10, got.bytes + h.outer.l3 + 10, 2);
	if (h.outer.l4)
		memcpy(expected + h.outer.l4 + (h.outer.protocol == 6 ? 16 : 6),
		       got.bytes + h.outer.l4 + (h.outer.protocol == 6 ? 16 : 6), 2);
	cr_assert_arr_eq(got.bytes, expected, len, "field 0x%x", fields[field].id);
}

static void one_field(struct hca_fte *e, size_t i)
{
	size_t at = bit_of(i), bits = fields[i].bits;
	bool there = at || fields[i].id == 0x04;
	uint64_t all = (1ull << bits) - 1, is = there ? prm_load(bytes, at, bits) : 0;
	uint8_t *a;

	for (unsigned int b = 0; b < bits; b++) {
		a = action(e, PRM_ACTION_SET, fields[i].id);
		a[2] = (uint8_t)b; /* offset; one bit; the others of the data are not used */
		a[3] = 1;
		core_put_be32(a + 4, is >> b & 1 ? 0xfffffffe : 1);
		flips(at, bits, (uint64_t)there << b, i);
	}
	a = action(e, PRM_ACTION_SET, fields[i].id);
	a[3] = bits % 32;
	core_put_be32(a + 4, (uint32_t)~is);
	flips(at, bits, there ? all : 0, i);
	a = action(e, PRM_ACTION_ADD, fields[i].id);
	core_put_be32(a + 4, (uint32_t)all);
	flips(at, bits, there ? is ^ ((is + all) & all) : 0, i);
	a = action(e, PRM_ACTION_COPY, fields[i].id);
	a[2] = 1; /* from bit 1 on, to register C 7 */
	a[5] = 0x58;
	flips(0, 0, 0, i);
	cr_assert_eq(got.meta.reg_c[7], is >> 1, "field 0x%x", fields[i].id);
}

Test(change, of_each_field_alone)
{
	static const char *const packets[] = {
		"eth:0800 v4:6 tcp 68656c6c6f",
		"eth:86dd v6:6 tcp",
		"eth:8100 60050800 v4:11 udp:35 ffff",
		"eth:88a8 6005810070060800 v4:11 udp:35",
		"eth:86dd v6:11 udp:35",
		"eth:0800 v4:1 0800000000000000",
		"eth:0806 0001080006040001",
	};
	static const uint8_t none[1][8];
	struct hca_fte *e = entry(MOD_HDR);

	e->act.modify = actions(none, 1);
	for (size_t p = 0; p < sizeof(packets) / sizeof(packets[0]); p++) {
		build_right(packets[p]);
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			one_field(e, i);
	}
}

Test(change, of_each_register_alone)
{
	static const uint8_t none[1][8];
	struct hca_fte *e = entry(MOD_HDR);

	e->act.modify = actions(none, 1);
	build("eth:0806");
	for (unsigned int i = 0; i < 10; i++) {
		uint8_t *a = action(e, PRM_ACTION_SET,
				    i == 8   ? 0x49
				    : i == 9 ? 0x50
					     : 0x51 + i);
		struct steer_meta m = { .source_vport = STEER_UPLINK };

		*(i == 8 ? &m.reg_a : i == 9 ? &m.reg_b : &m.reg_c[i]) = 0x87654321;
		core_put_be32(a + 4, 0x87654321);
		receive();
		cr_assert_eq(memcmp(&got.meta, &m, sizeof(m)), 0, "%u", i);
	}
}

/* Registers are what later tables match. */
Test(change, a_register_is_matched_by_the_next_table)
{
	static const uint8_t list[][8] = { { 0x10, 0x51, 0, 0, 0, 0, 0, 42 } };
	struct hca_flow_table *next = table(PRM_FT_TYPE_NIC_RX);
	struct hca_fte *e = rule(group(root(PRM_FT_TYPE_NIC_RX), 0, 0), 0, FWD | MOD_HDR);
	struct hca_tir *tir = hca_tir_new(&hca);

	e->act.modify = actions(list, 1);
	to(e, PRM_DEST_TYPE_FLOW_TABLE, next, 0);
	memset(mask + 0xc0 + 0x2c, 0xff, 4); /* metadata_reg_c_0 */
	value[0xc0 + 0x2f] = 42;
	to(rule(group(next, 0, 0), 0, FWD), PRM_DEST_TYPE_TIR, tir, 0);
	build("eth:0800");
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.meta.reg_c[0], 42);
}

/* ---- headers ---- */

#define TAGGED "eth:8100 a005 0800 v4:11 udp:35"
#define QINQ   "eth:88a8 2007 8100 a005 0800 v4:11 udp:35"
#define VXLAN  "eth:0800 v4:11 udp:12b5 0800000000000500 "
#define VXLAN6 "eth:86dd v6:11 udp:12b5 0800000000000500 "
#define GRE    "eth:0800 v4:2f 00000800 "
#define NEW    "090909090909 080808080808 0800 "
#define OTHER  "eth:0800 v4:2 00000000"
enum { TO_L2 = PRM_REFORMAT_L2_TO_L2_TUNNEL, TO_L3 = PRM_REFORMAT_L2_TO_L3_TUNNEL };
enum { OF_L3 = PRM_REFORMAT_L3_TUNNEL_TO_L2, INSERT = PRM_REFORMAT_INSERT_HDR };
enum { REMOVE = PRM_REFORMAT_REMOVE_HDR };

/* The tags are 0x8100a005 and 0x88a82007. A reformat context has a type, param_0 (1: from the
 * Ethernet header, 7: from the IP header, 9: from TCP or UDP), param_1 (how far from there) and
 * data, which for REMOVE are as many bytes as it removes. */
static const struct {
	uint16_t action;
	uint8_t type, from, by;
	const char *data, *packet, *after; /* after, NULL: it is dropped */
} headers[] = {
	{ PUSH, 0, 0, 0, "", UDP, TAGGED },
	{ PUSH | PUSH_2, 0, 0, 0, "", UDP, QINQ },
	{ POP, 0, 0, 0, "", QINQ, TAGGED },
	{ POP | POP_2, 0, 0, 0, "", QINQ, UDP },
	{ POP | POP_2, 0, 0, 0, "", UDP, UDP },
	{ POP | PUSH, 0, 0, 0, "", QINQ, "eth:8100 a005 8100 a005 0800 v4:11 udp:35" },
	{ DECAP, 0, 0, 0, "", VXLAN UDP " | 000000", UDP }, /* padding goes with it */
	{ DECAP, 0, 0, 0, "", UDP, UDP },
	{ DECAP | PUSH, 0, 0, 0, "", VXLAN UDP, TAGGED },
	/* lengths and the checksum of IPv4 by the device */
	{ REFORMAT, TO_L2, 0, 0, VXLAN, UDP, VXLAN UDP },
	{ REFORMAT, TO_L2, 0, 0, VXLAN6, UDP, VXLAN6 UDP },
	{ REFORMAT | PUSH, TO_L2, 0, 0, VXLAN6, UDP, VXLAN6 TAGGED },
	{ REFORMAT, TO_L3, 0, 0, GRE, UDP, GRE "v4:11 udp:35" },
	{ REFORMAT, TO_L3, 0, 0, GRE, QINQ, GRE "v4:11 udp:35" },
	{ REFORMAT, OF_L3, 0, 0, NEW, GRE "v4:11 udp:35", NEW "v4:11 udp:35" },
	{ REFORMAT, OF_L3, 0, 0, NEW, UDP, UDP },
	{ REFORMAT, INSERT, 1, 12, "81000003", UDP, "eth:8100 0003 0800 v4:11 udp:35" },
	{ REFORMAT, REMOVE, 1, 12, "81000003", TAGGED, UDP },
	{ REFORMAT, INSERT, 7, 0, "81000003", UDP, "eth:0800 81000003 v4:11 udp:35" },
	{ REFORMAT, REMOVE, 7, 20, "01020304", "eth:0800 v4:11 | 01020304", "eth:0800 v4:11" },
	{ REFORMAT, INSERT, 9, 8, "01020304", UDP, UDP " | 01020304" },
	{ REFORMAT, REMOVE, 9, 8, "01020304", UDP " | 01020304", UDP },
	{ REFORMAT, INSERT, 9, 9, "01020304", UDP, NULL }, /* beyond the end */
	{ REFORMAT, REMOVE, 9, 9, "01020304", UDP " | 01020304", NULL },
	{ REFORMAT, INSERT, 9, 0, "01020304", OTHER, OTHER }, /* which a packet lacks */
	{ REFORMAT, REMOVE, 9, 0, "01020304", OTHER, OTHER },
	{ REFORMAT, REMOVE, 7, 0, "01020304", "eth:0806 00010800", "eth:0806 00010800" },
	/* frames of 10000 bytes, and one more */
	{ REFORMAT, TO_L2, 0, 0, NEW, "eth:88b5 pad:26f4", NEW "eth:88b5 pad:26f4" },
	{ REFORMAT, TO_L2, 0, 0, NEW, "eth:88b5 pad:26f5", NULL },
};

Test(change, headers_are_added_and_removed)
{
	static uint8_t after[sizeof(bytes)];
	struct hca_fte *e = entry(0);

	e->act.push_vlan[0] = 0x8100a005;
	e->act.push_vlan[1] = 0x88a82007;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		size_t n;

		build(headers[i].data);
		e->act.action = FWD | headers[i].action;
		e->act.reformat = headers[i].type
					  ? reformat(headers[i].type, bytes, (uint16_t)len)
					  : NULL;
		if (e->act.reformat) {
			e->act.reformat->param_0 = headers[i].from;
			e->act.reformat->param_1 = headers[i].by;
		}
		build(headers[i].after ? headers[i].after : "");
		memcpy(after, bytes, n = len);
		build(headers[i].packet);
		cr_expect_eq(receive(), n != 0, "row %zu", i);
		cr_expect(n || got.did[got.steps - 1] == STEER_DROP, "row %zu", i);
		if (*headers[i].data == 'e' && got.bytes[12] == 8) {
			cr_expect_eq(ip_sum(got.bytes), 0xffff, "row %zu", i);
			got.bytes[24] = got.bytes[25] = 0;
		}
		cr_expect(got.len == n && !memcmp(got.bytes, after, n), "row %zu", i);
	}
}

/* Sums of an IPv4 header with each carry: of a packet of which the TTL is changed, and
 * of a header in front of it. */
Test(change, sums_carry)
{
	static const uint8_t ttl[][8] = { { 0x10, 0x0a, 0, 8, 0, 0, 0, 9 } };
	struct hca_fte *e = entry(MOD_HDR | REFORMAT);

	e->act.modify = actions(ttl, 1);
	build("eth:0800 v4:6 tcp");
	memset(bytes + 26, 0xff, 8);
	e->act.reformat = reformat(PRM_REFORMAT_L2_TO_L2_TUNNEL, bytes, 34);
	for (uint32_t id = 0; id < 0x10000; id++) {
		core_put_be16(e->act.reformat->data + 18, (uint16_t)id);
		core_put_be16(bytes + 18, (uint16_t)id);
		core_put_be16(bytes + 24, 0);
		core_put_be16(bytes + 24, (uint16_t)~ip_sum(bytes));
		receive();
		cr_assert_eq(ip_sum(got.bytes), 0xffff, "%x", id);
		cr_assert_eq(ip_sum(got.bytes + 34), 0xffff, "%x", id);
	}
}

/* Changes by the tables of one destination are not visible to the others. */
Test(change, copies_are_separate)
{
	struct hca_flow_table *next = table(PRM_FT_TYPE_NIC_RX);
	struct hca_tir *tir[2] = { hca_tir_new(&hca), hca_tir_new(&hca) };
	struct hca_fte *e = rule(group(root(PRM_FT_TYPE_NIC_RX), 0, 0), 0, FWD), *f;

	to(e, PRM_DEST_TYPE_FLOW_TABLE, next, 0);
	to(e, PRM_DEST_TYPE_TIR, tir[1], 0);
	f = rule(group(next, 0, 0), 0, FWD | PUSH);
	f->act.push_vlan[0] = 0x81000001;
	to(f, PRM_DEST_TYPE_TIR, tir[0], 0);
	build(UDP);
	cr_assert_eq(receive(), 2);
	cr_assert_eq(got.len, len);
	cr_assert_arr_eq(got.bytes, bytes, len);
}
