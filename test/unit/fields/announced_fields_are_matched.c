/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow_table_fields_supported, bit by bit. One that is set: a flow group may have the field, a
 * packet with this value matches, with another it does not, and without the bit the group is
 * refused. One that is not set: the group is refused.
 *
 *	capability, packet, place in fte_match_param, value in that packet
 */
#include "steer/steer.h"
#include "unit/fw/flow.h"

TestSuite(fields, .init = setup, .fini = teardown);

/* ---- packets ---- */

static uint8_t bytes[512];
static size_t len;

#define PUT(...) put((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put(const uint8_t *from, size_t n)
{
	memcpy(bytes + len, from, n);
	len += n;
}

/* Tags 0x88a8 with priority 5, CFI, 0x123 and 0x88a8 with priority 2, CFI, 0x456. */
static void tagged(uint16_t type)
{
	PUT(2, 0, 0, 0, 0, 2, 4, 0, 0, 0, 0, 1);
	PUT(0x88, 0xa8, 0xb1, 0x23, 0x88, 0xa8, 0x54, 0x56, type >> 8, type);
}

/* DSCP 46, ECN 1, TTL 63, 10.0.0.1 to 10.0.0.2. */
static void ipv4(uint8_t protocol)
{
	PUT(0x45, 0xb9, 1, 0, 0, 7, 0, 0, 63, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2);
}

/* Class 0x69, label 0xabcde, hop limit 64. */
static void ipv6(uint8_t next)
{
	PUT(0x66, 0x9a, 0xbc, 0xde, 1, 0, next, 64);
	PUT(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
	PUT(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2);
}

static void udp(uint16_t to)
{
	PUT(0x12, 0x34, to >> 8, to, 0, 0x80, 0, 0);
}

enum kind { TCP4, UDP6, FRAGMENT, ESP4, MPLS, GENEVE, GRE, MPLS_GRE, MPLS_UDP, ROCE, KINDS };
enum { INNER = KINDS }; /* inside VXLAN */

/* Label 0x12345, exp 5, bottom of the stack, ttl 9. */
static void label(void)
{
	PUT(0x12, 0x34, 0x5b, 9);
}

static void in_ipv4(enum kind kind)
{
	tagged(0x0800);
	switch (kind) {
	case TCP4:
		ipv4(6);
		PUT(0x12, 0x34, 0x56, 0x78, 0, 0, 0, 1, 0, 0, 0, 2, 0x51, 0x12, 0, 0, 0, 0, 0,
		    0);
		break;
	case FRAGMENT:
		ipv4(17);
		bytes[len - 14] = 0x20; /* more fragments */
		break;
	case ESP4:
		ipv4(50);
		PUT(0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1);
		break;
	case GENEVE:
		ipv4(17);
		udp(6081);
		PUT(1, 0x80, 0x65, 0x58, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0);
		break;
	case GRE:
		ipv4(47);
		PUT(0x20, 0, 0x65, 0x58, 0xde, 0xad, 0xbe, 0xef);
		break;
	case MPLS_GRE:
		ipv4(47);
		PUT(0, 0, 0x88, 0x47);
		label();
		break;
	case MPLS_UDP:
		ipv4(17);
		udp(6635);
		label();
		break;
	default:
		ipv4(17);
		udp(4791);
		PUT(0x2a, 0, 0xff, 0xff, 0, 0x12, 0x34, 0x56, 0, 0, 0, 1);
	}
}

static void packet(unsigned int kind)
{
	memset(bytes, 0, sizeof(bytes));
	len = 0;
	if (kind >= INNER) {
		in_ipv4(MPLS_UDP);
		len -= 12; /* another UDP header, VXLAN */
		udp(4789);
		PUT(8, 0, 0, 0, 0x77, 0x88, 0x99, 0);
		kind -= INNER;
	}
	switch (kind) {
	case UDP6:
		tagged(0x86dd);
		ipv6(17);
		udp(53);
		break;
	case MPLS:
		tagged(0x8847);
		label();
		break;
	default:
		in_ipv4(kind);
	}
	len = 300;
}

/* ---- the table ---- */

struct field {
	const char *cap;
	unsigned int kind; /* of a packet that has the field */
	uint16_t bit, bits;
	uint32_t value;
	uint8_t criteria;
	bool second; /* of flow_table_fields_supported_2 */
	bool shared; /* another bit is the one that counts: the field has two */
};

/* A field of both layers. */
#define LAYER(c, kind, f, v)                                                         \
	{ "outer_" c,                                                                \
	  kind,                                                                      \
	  PRM_OFF(fte_match_param, outer_headers.f),                                 \
	  PRM_W(fte_match_set_lyr_2_4, f),                                           \
	  v,                                                                         \
	  1,                                                                         \
	  false,                                                                     \
	  false },                                                                   \
	{                                                                            \
		"inner_" c, INNER + kind, PRM_OFF(fte_match_param, inner_headers.f), \
			PRM_W(fte_match_set_lyr_2_4, f), v, 4, false, false          \
	}
#define MISC(n, set, c, kind, f, v, criteria)                                             \
	{                                                                                 \
		c, kind, PRM_OFF(fte_match_param, n) + PRM_OFF(set, f), PRM_W(set, f), v, \
			criteria, false, false                                            \
	}
#define MISC_1(c, kind, f, v) MISC(misc_parameters, fte_match_set_misc, c, kind, f, v, 2)
#define MISC_2(c, kind, f, v) MISC(misc_parameters_2, fte_match_set_misc2, c, kind, f, v, 8)
#define REGISTER(i)	      MISC_2("metadata_reg_c_" #i, TCP4, metadata_reg_c_##i, 0xc000000 + (i))

static const struct field fields[] = {
	LAYER("dmac", TCP4, dmac_47_16, 0x02000000),
	LAYER("smac", TCP4, smac_15_0, 1),
	LAYER("ether_type", TCP4, ethertype, 0x0800),
	LAYER("ip_version", UDP6, ip_version, 6),
	LAYER("first_prio", TCP4, first_prio, 5),
	LAYER("first_cfi", TCP4, first_cfi, 1),
	LAYER("first_vid", TCP4, first_vid, 0x123),
	LAYER("first_svlan", TCP4, svlan_tag, 1),
	LAYER("ipv4_ttl", TCP4, ttl_hoplimit, 63),
	LAYER("sip", TCP4, src_ipv4_src_ipv6.ipv4_layout.ipv4, 0x0a000001),
	LAYER("dip", TCP4, dst_ipv4_dst_ipv6.ipv4_layout.ipv4, 0x0a000002),
	LAYER("frag", FRAGMENT, frag, 1),
	LAYER("ip_protocol", TCP4, ip_protocol, 6),
	LAYER("ip_ecn", TCP4, ip_ecn, 1),
	LAYER("ip_dscp", TCP4, ip_dscp, 46),
	LAYER("udp_sport", UDP6, udp_sport, 0x1234),
	LAYER("udp_dport", UDP6, udp_dport, 53),
	LAYER("tcp_sport", TCP4, tcp_sport, 0x1234),
	LAYER("tcp_dport", TCP4, tcp_dport, 0x5678),
	LAYER("tcp_flags", TCP4, tcp_flags, 0x112),
	{ "outer_ipv6_hop_limit", UDP6, PRM_OFF(fte_match_param, outer_headers.ttl_hoplimit), 8,
	  64, 1, false, true },
	{ "inner_ipv6_hop_limit", INNER + UDP6,
	  PRM_OFF(fte_match_param, inner_headers.ttl_hoplimit), 8, 64, 4, false, true },
	{ "outer_l4_type", TCP4, PRM_OFF(fte_match_param, outer_headers.l4_type),
	  PRM_W(fte_match_set_lyr_2_4, l4_type), 1, 1, true, false },
	{ "inner_l4_type", INNER + UDP6, PRM_OFF(fte_match_param, inner_headers.l4_type),
	  PRM_W(fte_match_set_lyr_2_4, l4_type), 2, 4, true, false },
	MISC_1("outer_second_prio", TCP4, outer_second_prio, 2),
	MISC_1("outer_second_cfi", TCP4, outer_second_cfi, 1),
	MISC_1("outer_second_vid", TCP4, outer_second_vid, 0x456),
	MISC_1("outer_second_svlan", TCP4, outer_second_svlan_tag, 1),
	MISC_1("inner_second_prio", INNER + TCP4, inner_second_prio, 2),
	MISC_1("inner_second_cfi", INNER + TCP4, inner_second_cfi, 1),
	MISC_1("inner_second_vid", INNER + TCP4, inner_second_vid, 0x456),
	MISC_1("inner_second_svlan", INNER + TCP4, inner_second_svlan_tag, 1),
	MISC_1("outer_ipv6_flow_label", UDP6, outer_ipv6_flow_label, 0xabcde),
	MISC_1("inner_ipv6_flow_label", INNER + UDP6, inner_ipv6_flow_label, 0xabcde),
	MISC_1("outer_gre_protocol", GRE, gre_protocol, 0x6558),
	{ "outer_gre_key", GRE, PRM_OFF(fte_match_param, misc_parameters.gre_key), 32,
	  0xdeadbeef, 2, false, false },
	MISC_1("outer_vxlan_vni", INNER + TCP4, vxlan_vni, 0x778899),
	MISC_1("outer_geneve_vni", GENEVE, geneve_vni, 0xabcdef),
	MISC_1("outer_geneve_oam", GENEVE, geneve_oam, 1),
	MISC_1("outer_geneve_protocol_type", GENEVE, geneve_protocol_type, 0x6558),
	MISC_1("outer_geneve_opt_len", GENEVE, geneve_opt_len, 1),
	MISC_1("source_vhca_port", TCP4, source_vhca_port, 1),
	MISC_1("source_eswitch_port", TCP4, source_port, 0xffff),
	MISC_1("source_sqn", TCP4, source_sqn, 0x4711),
	MISC_1("outer_esp_spi", ESP4, outer_esp_spi, 0xcafebabe),
	MISC_1("inner_esp_spi", INNER + ESP4, inner_esp_spi, 0xcafebabe),
	MISC_1("bth_dst_qp", ROCE, bth_dst_qp, 0x123456),
	{ "bth_opcode", ROCE, PRM_OFF(fte_match_param, misc_parameters.bth_opcode), 8, 0x2a, 2,
	  true, false },
	MISC_1("geneve_tlv_option_0_exist", GENEVE, geneve_tlv_option_0_exist, 1),
	MISC(misc_parameters_3, fte_match_set_misc3, "geneve_tlv_option_0_data", GENEVE,
	     geneve_tlv_option_0_data, 1, 16),
#define MPLS_ROW(c, kind, f)                                                               \
	{                                                                                  \
		c, kind, PRM_OFF(fte_match_param, misc_parameters_2.f), 32, 0x12345b09, 8, \
			false, false                                                       \
	}
	MPLS_ROW("outer_first_mpls", MPLS, outer_first_mpls),
	MPLS_ROW("inner_first_mpls", INNER + MPLS, inner_first_mpls),
	MPLS_ROW("outer_first_mpls_over_gre", MPLS_GRE, outer_first_mpls_over_gre),
	MPLS_ROW("outer_first_mpls_over_udp", MPLS_UDP, outer_first_mpls_over_udp),
	REGISTER(0),
	REGISTER(1),
	REGISTER(2),
	REGISTER(3),
	REGISTER(4),
	REGISTER(5),
	REGISTER(6),
	REGISTER(7),
	MISC_2("metadata_reg_a", TCP4, metadata_reg_a, 0xa),
	{ "tunnel_header_0_1", GENEVE,
	  PRM_OFF(fte_match_param, misc_parameters_5.tunnel_header_1), 32, 0xabcdef00, 64, true,
	  false },
	{ "tunnel_header_2_3", GENEVE,
	  PRM_OFF(fte_match_param, misc_parameters_5.tunnel_header_2), 32, 0, 64, true, false },
};

/* No field of fte_match_param, in the kernel's header either; not announced. */
static const char *const without_field[] = {
	"metadata_reg_b",	"outer_emd_tag",
	"inner_l3_ok",		"inner_l4_ok",
	"outer_l3_ok",		"outer_l4_ok",
	"psp_header",		"inner_ipv4_checksum_ok",
	"inner_l4_checksum_ok", "outer_ipv4_checksum_ok",
	"outer_l4_checksum_ok",
};

/* ---- the device ---- */

static uint8_t *support(bool second)
{
	uint8_t *caps = hca.caps[PRM_CAP_FLOW_TABLE];

	if (second)
		return PRM_ADDR(flow_table_nic_cap, caps, ft_field_support_2_nic_receive);
	caps = PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_receive);
	return PRM_ADDR(flow_table_prop_layout, caps, ft_field_support);
}

static const struct prm_field *cap_row(const char *name, bool second)
{
	const struct prm_struct *s = prm_struct(second ? "flow_table_fields_supported_2"
						       : "flow_table_fields_supported");

	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	cr_assert(false, "no capability %s", name);
	return NULL;
}

static void put_mask(uint8_t *mask, const struct field *f)
{
	memset(mask, 0, 0x200);
	prm_store(mask, f->bit, f->bits, UINT32_MAX >> (32 - f->bits));
}

static bool hit;

static void step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	hit |= s->did == STEER_HIT;
}

/* Does the packet of @f match an entry of @value? */
static bool matches(const struct field *f, uint32_t t, uint32_t g, uint32_t value)
{
	static const struct steer_sink sink = { .step = step };
	struct steer_packet p = {
		.bytes = bytes,
		.meta = { .reg_a = 0xa, .source_vport = STEER_UPLINK, .source_sqn = 0x4711 }
	};
	uint8_t image[0x200] = { 0 };

	for (uint32_t i = 0; i < 8; i++)
		p.meta.reg_c[i] = 0xc000000 + i;
	packet(f->kind);
	p.len = len;
	prm_store(image, f->bit, f->bits, value);
	entry_box(RX, t, g, 0, PRM_FLOW_CONTEXT_ACTION_DROP, image);
	cr_assert_eq(execute(), FW_OK, "%s: syndrome %#x", f->cap, syndrome());
	hit = false;
	steer_receive(&hca, &p, &sink);
	on_table(PRM_OP_DELETE_FLOW_TABLE_ENTRY, RX, t);
	put32(0x20, 0);
	cr_assert_eq(execute(), FW_OK);
	return hit;
}

static void group_is_refused(const struct field *f, uint32_t t, const uint8_t *mask)
{
	group_box(RX, t, 8, 8, f->criteria, mask);
	cr_assert_eq(execute(), FW_BAD_PARAM, "%s", f->cap);
}

static void check_field(const struct field *f, uint32_t t)
{
	const struct prm_field *cap = cap_row(f->cap, f->second);
	uint8_t mask[0x200], *caps = support(f->second);
	uint64_t was = prm_load(caps, cap->bit, cap->width);
	uint32_t g;

	put_mask(mask, f);
	if (!was) {
		group_is_refused(f, t, mask);
		return;
	}
	g = new_group(RX, t, 0, 7, f->criteria, mask);
	cr_assert(matches(f, t, g, f->value), "%s", f->cap);
	cr_assert_not(matches(f, t, g, f->value ^ 1), "%s", f->cap);
	if (!f->shared) {
		prm_store(caps, cap->bit, cap->width, 0);
		group_is_refused(f, t, mask);
		prm_store(caps, cap->bit, cap->width, was);
	}
	on_table(PRM_OP_DESTROY_FLOW_GROUP, RX, t);
	put32(0x18, g);
	cr_assert_eq(execute(), FW_OK);
}

Test(fields, that_are_announced_are_matched)
{
	uint32_t t = new_table(RX, 4, 1);

	on_table(PRM_OP_SET_FLOW_TABLE_ROOT, RX, t);
	cr_assert_eq(execute(), FW_OK);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		check_field(&fields[i], t);
}

static bool is_known(const char *cap)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].cap, cap))
			return true;
	return false;
}

static void check_known(const char *layout, bool second)
{
	for (const struct prm_field *f = prm_struct(layout)->fields; f->name; f++) {
		bool out = false;

		for (size_t i = 0; i < sizeof(without_field) / sizeof(without_field[0]); i++)
			out |= !strcmp(f->name, without_field[i]);
		cr_assert(out || is_known(f->name), "%s", f->name);
		cr_assert(!out || !prm_load(support(second), f->bit, f->width), "%s", f->name);
	}
}

Test(fields, every_capability_is_in_the_table)
{
	check_known("flow_table_fields_supported", false);
	check_known("flow_table_fields_supported_2", true);
}
