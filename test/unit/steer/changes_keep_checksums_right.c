/* SPDX-License-Identifier: BSD-2-Clause */
/* change: what modify header and reformat contexts make of a packet, byte for byte. */
#include "packet.h"

TestSuite(change, .init = start, .fini = stop);

enum { FWD = 4, REFORMAT = 0x10, DECAP = 0x20, MOD_HDR = 0x40, POP = 0x80, PUSH = 0x100 };
enum { POP_2 = 0x400, PUSH_2 = 0x800 };

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

/* Pseudo header: addresses, protocol, length. */
static uint16_t l4_sum(const uint8_t *frame, uint8_t protocol, uint16_t n)
{
	return sum(sum(protocol + n, frame + 26, 8), frame + 34, n);
}

static void correct(size_t at, uint16_t s)
{
	s = ~s;
	bytes[at] = s >> 8;
	bytes[at + 1] = s;
}

static void tcp_packet(void)
{
	len = 0;
	ethernet(0x0800);
	ipv4(6, 25);
	tcp();
	PUT('h', 'e', 'l', 'l', 'o');
	correct(24, ip_sum(bytes));
	correct(50, l4_sum(bytes, 6, 25));
}

Test(change, set_add_copy)
{
	/* set: source IPv4, TTL, TCP destination port, 12 bits of DMAC 47_16 from bit 4, DSCP;
	 * add to the sequence number; copy 8 bits of the TTL into bits 16… of register B */
	static const uint8_t list[][8] = {
		{ 0x10, 0x15, 0, 0, 192, 168, 7, 9 },
		{ 0x10, 0x0a, 0, 8, 0, 0, 0, 9 },
		{ 0x10, 0x09, 0, 16, 0, 0, 0x1f, 0x90 },
		{ 0x10, 0x04, 4, 12, 0, 0, 0x0a, 0xbc },
		{ 0x10, 0x06, 0, 6, 0, 0, 0, 10 },
		{ 0x20, 0x59, 0, 0, 0xff, 0xff, 0xff, 0xff },
		{ 0x30, 0x0a, 0, 8, 0, 0x50, 16, 0 },
	};
	uint8_t expected[sizeof(bytes)];
	struct hca_fte *e = entry(MOD_HDR);

	tcp_packet();
	e->act.modify = actions(list, 7);
	memcpy(expected, bytes, len);
	expected[2] = 0xab; /* DMAC 02:00:00:00: bits 15…4 are 0xabc */
	expected[3] = 0xc0;
	expected[15] = 10 << 2 | 1;
	expected[22] = 9;
	memcpy(expected + 26, (uint8_t[]){ 192, 168, 7, 9 }, 4);
	expected[36] = 0x1f;
	expected[37] = 0x90;
	memcpy(expected + 38, (uint8_t[]){ 0xde, 0xad, 0, 0 }, 4);
	receive();
	cr_assert_eq(got.len, len);
	cr_assert_eq(ip_sum(got.bytes), 0xffff);
	cr_assert_eq(l4_sum(got.bytes, 6, 25), 0xffff);
	memcpy(expected + 24, got.bytes + 24, 2);
	memcpy(expected + 50, got.bytes + 50, 2);
	cr_assert_arr_eq(got.bytes, expected, len);
	cr_assert_eq(got.meta.reg_b, 9 << 16);
	cr_assert_eq(bytes[22], 63, "the sender's bytes are as they were");
	/* A checksum that was wrong is as wrong as before. */
	bytes[50] ^= 1;
	receive();
	cr_assert_neq(l4_sum(got.bytes, 6, 25), 0xffff);
}

Test(change, udp_may_have_no_checksum)
{
	static const uint8_t list[][8] = { { 0x10, 0x0c, 0, 16, 0, 0, 0, 99 } };
	struct hca_fte *e = entry(MOD_HDR);

	e->act.modify = actions(list, 1);
	ethernet(0x0800);
	ipv4(17, 8);
	udp(53, 0);
	receive();
	cr_assert_eq(got.bytes[37], 99);
	cr_assert_eq(got.bytes[40] | got.bytes[41], 0);
	correct(40, l4_sum(bytes, 17, 8));
	receive();
	cr_assert_eq(l4_sum(got.bytes, 17, 8), 0xffff);
	cr_assert_neq(got.bytes[40] | got.bytes[41], 0);
}

Test(change, what_a_packet_lacks_is_not_set)
{
	static const uint8_t list[][8] = { { 0x10, 0x08, 0, 16, 0, 0, 1, 1 },
					   { 0x10, 0x17, 0, 12, 0, 0, 0, 5 },
					   { 0x10, 0x0d, 0, 0, 1, 2, 3, 4 } };
	struct hca_fte *e = entry(MOD_HDR);

	e->act.modify = actions(list, 3);
	ethernet(0x0800);
	ipv4(17, 8);
	udp(53, 0);
	receive();
	cr_assert_eq(got.tirs, 1);
	cr_assert_arr_eq(got.bytes, bytes, len);
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
	ethernet(0x0800);
	receive();
	cr_assert_eq(got.tirs, 1);
	cr_assert_eq(got.meta.reg_c[0], 42);
}

Test(change, tags)
{
	static const uint8_t two[] = { 0x88, 0xa8, 0x20, 0x07, 0x81,
				       0x00, 0xa0, 0x05, 0x08, 0x00 };
	struct hca_fte *e = entry(PUSH | PUSH_2);

	e->act.push_vlan[0] = 0x8100a005;
	e->act.push_vlan[1] = 0x88a82007;
	tcp_packet();
	receive();
	cr_assert_eq(got.len, len + 8);
	cr_assert_arr_eq(got.bytes, bytes, 12);
	cr_assert_arr_eq(got.bytes + 12, two, sizeof(two));
	cr_assert_arr_eq(got.bytes + 22, bytes + 14, len - 14);
	memcpy(bytes, got.bytes, got.len);
	len = got.len;
	e->act.action = FWD | POP;
	receive();
	cr_assert_eq(got.len, len - 4);
	cr_assert_arr_eq(got.bytes + 12, two + 4, 6);
	e->act.action = FWD | POP | POP_2;
	receive();
	cr_assert_eq(got.len, len - 8);
	cr_assert_eq(got.bytes[12], 0x08);
	tcp_packet();
	receive();
	cr_assert_eq(got.len, len, "without a tag");
}

/* Ethernet, IPv4, UDP 4789, VXLAN in front; lengths and checksum by the device. */
Test(change, a_tunnel_is_added_and_removed)
{
	uint8_t front[50], inner[sizeof(bytes)];
	struct hca_fte *e = entry(REFORMAT);
	size_t n;

	ethernet(0x0800);
	ipv4(17, 0);
	udp(4789, 0);
	PUT(8, 0, 0, 0, 0, 0, 5, 0);
	cr_assert_eq(len, sizeof(front));
	bytes[16] = bytes[17] = bytes[38] = bytes[39] = 0;
	memcpy(front, bytes, sizeof(front));
	tcp_packet();
	n = len;
	memcpy(inner, bytes, n);
	e->act.reformat = reformat(PRM_REFORMAT_L2_TO_L2_TUNNEL, front, sizeof(front));
	receive();
	cr_assert_eq(got.len, 50 + n);
	cr_assert_arr_eq(got.bytes + 50, inner, n);
	cr_assert_eq((size_t)(got.bytes[16] << 8 | got.bytes[17]), 36 + n);
	cr_assert_eq((size_t)(got.bytes[38] << 8 | got.bytes[39]), 16 + n);
	cr_assert_eq(ip_sum(got.bytes), 0xffff);

	memcpy(bytes, got.bytes, got.len);
	len = got.len + 3; /* padding of the outer packet goes with it */
	e->act.action = FWD | DECAP;
	e->act.reformat = NULL;
	receive();
	cr_assert_eq(got.len, n);
	cr_assert_arr_eq(got.bytes, inner, n);
	tcp_packet();
	receive();
	cr_assert_eq(got.len, len, "without a tunnel");
}

Test(change, layer_3_tunnels)
{
	static const uint8_t l2[14] = { 9, 9, 9, 9, 9, 9, 8, 8, 8, 8, 8, 8, 0x08, 0x00 };
	uint8_t front[38], inner[64];
	struct hca_fte *e = entry(REFORMAT);
	size_t n;

	ethernet(0x0800);
	ipv4(47, 4);
	PUT(0, 0, 8, 0); /* GRE */
	memcpy(front, bytes, sizeof(front));
	tcp_packet();
	n = len;
	memcpy(inner, bytes, n);
	e->act.reformat = reformat(PRM_REFORMAT_L2_TO_L3_TUNNEL, front, sizeof(front));
	receive();
	cr_assert_eq(got.len, 38 + n - 14);
	cr_assert_arr_eq(got.bytes + 38, inner + 14, n - 14);
	cr_assert_eq((size_t)(got.bytes[16] << 8 | got.bytes[17]), 24 + n - 14);

	memcpy(bytes, got.bytes, got.len);
	len = got.len;
	e->act.reformat = reformat(PRM_REFORMAT_L3_TUNNEL_TO_L2, l2, sizeof(l2));
	receive();
	cr_assert_eq(got.len, n);
	cr_assert_arr_eq(got.bytes, l2, sizeof(l2));
	cr_assert_arr_eq(got.bytes + 14, inner + 14, n - 14);
}

/* param_0 1: from the Ethernet header, 7: from the IP header */
Test(change, headers_are_inserted_and_removed)
{
	static const uint8_t tag[4] = { 0x81, 0, 0, 3 };
	struct hca_fte *e = entry(REFORMAT);

	tcp_packet();
	e->act.reformat = reformat(PRM_REFORMAT_INSERT_HDR, tag, 4);
	e->act.reformat->param_0 = 1;
	e->act.reformat->param_1 = 12;
	receive();
	cr_assert_eq(got.len, len + 4);
	cr_assert_arr_eq(got.bytes + 12, tag, 4);
	cr_assert_arr_eq(got.bytes + 16, bytes + 12, len - 12);
	e->act.reformat = reformat(PRM_REFORMAT_REMOVE_HDR, NULL, 4);
	e->act.reformat->param_0 = 7;
	e->act.reformat->param_1 = 20;
	receive();
	cr_assert_eq(got.len, len - 4);
	cr_assert_arr_eq(got.bytes + 34, bytes + 38, len - 38);
	e->act.reformat->param_1 = 250; /* beyond the end */
	receive();
	cr_assert_eq(got.tirs, 0);
	cr_assert_eq(got.did[got.steps - 1], STEER_DROP);
}

/* No frame becomes longer than the wire carries. */
Test(change, a_frame_that_becomes_too_long_is_dropped)
{
	static uint8_t big[9950], front[128];
	const struct steer_packet p = { .bytes = big, .len = sizeof(big) };
	struct hca_fte *e = entry(REFORMAT);

	e->act.reformat = reformat(PRM_REFORMAT_L2_TO_L2_TUNNEL, front, sizeof(front));
	memset(&got, 0, sizeof(got));
	steer_receive(&hca, &p, &sink);
	cr_assert_eq(got.tirs, 0);
	cr_assert_eq(got.did[got.steps - 1], STEER_DROP);
}

/* What one destination's tables do to the packet, the others do not see. */
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
	tcp_packet();
	receive();
	cr_assert_eq(got.tirs, 2);
	cr_assert_eq(got.len, len);
	cr_assert_arr_eq(got.bytes, bytes, len);
}
