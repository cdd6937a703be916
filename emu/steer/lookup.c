/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookups: what an STE sees of a packet, 16 bytes with fields at places that are the lookup's.
 *
 *	number -> layout -> for each field: bits of fte_match_param, or of a header, or a code
 *
 * Fields of a layout that have no row are 0: the type of a QP, the port, checks of checksums,
 * priorities of queues.
 *
 * Layouts: rdma-core, providers/mlx5/mlx5_ifc.h, struct mlx5_ifc_ste_*_bits; numbers:
 * dr_ste_v0.c, dr_ste_v1.c.
 */
#include <netinet/in.h>
#include <string.h>

#include "steer/lookup.h"

static const struct field nothing[] = { END };

/* ---- format 0 ---- */

#define L2_FIRST_0(dw)                                               \
	LAYER(dw, 19, 17, first_prio), LAYER(dw, 16, 16, first_cfi), \
		CODE(dw, 15, 14, VLAN, "first_vlan_qualifier"), LAYER(dw, 11, 0, first_vid)
#define L2_REST_0                                                                   \
	LAYER(1, 15, 0, ethertype), L2_FIRST_0(2), LAYER(3, 31, 31, frag),          \
		PART(3, 30, 30, tcp_flags, 7), CODE(3, 27, 26, L3_TYPE, "l3_type"), \
		LAYER(3, 25, 24, l4_type), BOTH(3, 19, 17, 1, second_prio),         \
		BOTH(3, 16, 16, 1, second_cfi),                                     \
		CODE(3, 15, 14, VLAN_2, "second_vlan_qualifier"),                   \
		BOTH(3, 11, 0, 1, second_vid), END

static const struct field l2_dst_0[] = { LAYER(0, 31, 0, dmac_47_16),
					 LAYER(1, 31, 16, dmac_15_0), L2_REST_0 };
static const struct field l2_src_0[] = { LAYER(0, 31, 0, smac_47_16),
					 LAYER(1, 31, 16, smac_15_0), L2_REST_0 };
static const struct field l2_both_0[] = {
	LAYER(0, 31, 0, dmac_47_16),
	LAYER(1, 31, 16, dmac_15_0),
	PART(1, 15, 0, smac_47_16, 0),
	PART(2, 31, 16, smac_47_16, 16),
	LAYER(2, 15, 0, smac_15_0),
	CODE(3, 27, 26, L3_TYPE, "l3_type"),
	L2_FIRST_0(3),
	END,
};
static const struct field l2_tunnel_0[] = {
	LAYER(0, 31, 0, dmac_47_16),
	LAYER(1, 31, 16, dmac_15_0),
	LAYER(1, 15, 0, ethertype),
	MISC_1(2, 31, 8, vxlan_vni),
	LAYER(3, 31, 31, frag),
	PART(3, 30, 30, tcp_flags, 7),
	CODE(3, 27, 26, L3_TYPE, "l3_type"),
	LAYER(3, 25, 24, l4_type),
	LAYER(3, 23, 21, first_prio),
	LAYER(3, 20, 20, first_cfi),
	MISC_1(3, 16, 16, gre_k_present),
	CODE(3, 15, 14, VLAN, "first_vlan_qualifier"),
	LAYER(3, 11, 0, first_vid),
	END,
};
static const struct field ipv4_0[] = {
	ADDRESS(0, dst_ipv4_dst_ipv6, 3),
	ADDRESS(1, src_ipv4_src_ipv6, 3),
	RAW(2, 31, 16, PORT, 0, "l4_sport"),
	RAW(2, 15, 0, PORT, 16, "l4_dport"),
	LAYER(3, 31, 31, frag),
	CODE(3, 30, 30, FRAGMENT_1, "first_fragment"),
	LAYER(3, 26, 25, ip_ecn),
	LAYER(3, 24, 16, tcp_flags),
	LAYER(3, 15, 10, ip_dscp),
	LAYER(3, 7, 0, ip_protocol),
	END,
};
static const struct field ipv4_misc_0[] = {
	RAW(0, 31, 24, L3, 0, "version_ihl"),
	RAW(0, 15, 0, L3, 16, "total_length"),
	RAW(1, 31, 0, L3, 32, "identification_flags_offset"),
	RAW(2, 31, 24, L3, 64, "ttl"),
	RAW(2, 15, 0, L3, 80, "checksum"),
	END,
};
static const struct field ipv6_dst[] = {
	ADDRESS(0, dst_ipv4_dst_ipv6, 0),
	ADDRESS(1, dst_ipv4_dst_ipv6, 1),
	ADDRESS(2, dst_ipv4_dst_ipv6, 2),
	ADDRESS(3, dst_ipv4_dst_ipv6, 3),
	END,
};
static const struct field ipv6_src[] = {
	ADDRESS(0, src_ipv4_src_ipv6, 0),
	ADDRESS(1, src_ipv4_src_ipv6, 1),
	ADDRESS(2, src_ipv4_src_ipv6, 2),
	ADDRESS(3, src_ipv4_src_ipv6, 3),
	END,
};
static const struct field l4_0[] = {
	LAYER(0, 31, 31, frag),
	CODE(0, 30, 30, FRAGMENT_1, "first_fragment"),
	LAYER(0, 23, 16, ip_protocol),
	RAW(0, 15, 0, PORT, 16, "l4_dport"),
	RAW(1, 31, 28, L3, 0, "ip_version"),
	LAYER(1, 26, 25, ip_ecn),
	LAYER(1, 24, 16, tcp_flags),
	RAW(1, 15, 0, PORT, 0, "l4_sport"),
	RAW(2, 31, 16, L3, 32, "payload_length"),
	LAYER(2, 15, 8, ttl_hoplimit),
	LAYER(2, 7, 2, ip_dscp),
	RAW(3, 31, 28, L4, 96, "tcp_data_offset"),
	BOTH(3, 19, 0, 1, ipv6_flow_label),
	END,
};
static const struct field l4_misc_0[] = { BOTH(1, 31, 0, 3, tcp_seq_num),
					  BOTH(2, 31, 0, 3, tcp_ack_num), END };
static const struct field mpls_0[] = { BOTH(0, 31, 0, 2, first_mpls), END };

/* ---- format 1 ---- */

#define L2_REST_1                                                                \
	L2_DWORD(0), LAYER(2, 15, 0, ethertype), PART(3, 25, 25, tcp_flags, 7),  \
		CODE(3, 17, 16, VLAN_2, "second_vlan_qualifier"),                \
		BOTH(3, 15, 13, 1, second_prio), BOTH(3, 12, 12, 1, second_cfi), \
		BOTH(3, 11, 0, 1, second_vid), END

static const struct field l2_dst_1[] = { LAYER(1, 31, 0, dmac_47_16),
					 LAYER(2, 31, 16, dmac_15_0), L2_REST_1 };
static const struct field l2_src_1[] = { LAYER(1, 31, 0, smac_47_16),
					 LAYER(2, 31, 16, smac_15_0), L2_REST_1 };
static const struct field l2_both_1[] = {
	LAYER(0, 31, 0, dmac_47_16),
	LAYER(1, 31, 0, smac_47_16),
	LAYER(2, 31, 16, dmac_15_0),
	CODE(2, 5, 4, L3_TYPE, "l3_type"),
	CODE(2, 1, 0, VLAN, "first_vlan_qualifier"),
	LAYER(3, 31, 29, first_prio),
	LAYER(3, 28, 28, first_cfi),
	LAYER(3, 27, 16, first_vid),
	LAYER(3, 15, 0, smac_15_0),
	END,
};
static const struct field l2_tunnel_1[] = {
	MISC_1(0, 31, 8, vxlan_vni),  LAYER(1, 31, 0, dmac_47_16),
	LAYER(2, 31, 16, dmac_15_0),  LAYER(2, 15, 0, ethertype),
	LAYER(3, 28, 28, frag),	      CODE(3, 21, 20, L3_TYPE, "l3_type"),
	LAYER(3, 19, 18, l4_type),    CODE(3, 17, 16, VLAN, "first_vlan_qualifier"),
	LAYER(3, 15, 13, first_prio), LAYER(3, 12, 12, first_cfi),
	LAYER(3, 11, 0, first_vid),   END,
};
static const struct field ipv4_1[] = {
	ADDRESS(0, src_ipv4_src_ipv6, 3),
	ADDRESS(1, dst_ipv4_dst_ipv6, 3),
	RAW(2, 31, 16, PORT, 0, "l4_sport"),
	RAW(2, 15, 0, PORT, 16, "l4_dport"),
	LAYER(3, 25, 25, frag),
	LAYER(3, 24, 16, tcp_flags),
	LAYER(3, 15, 10, ip_dscp),
	LAYER(3, 9, 8, ip_ecn),
	LAYER(3, 7, 0, ip_protocol),
	END,
};
static const struct field ipv4_misc_1[] = {
	RAW(0, 31, 0, L3, 32, "identification_flags_offset"),
	RAW(1, 31, 16, L3, 16, "total_length"),
	RAW(1, 15, 0, L3, 80, "checksum"),
	RAW(2, 31, 24, L3, 0, "version_ihl"),
	RAW(2, 23, 16, L3, 64, "ttl"),
	END,
};
static const struct field l4_1[] = {
	RAW(0, 31, 28, L3, 0, "ip_version"),
	LAYER(0, 23, 18, ip_dscp),
	LAYER(0, 17, 16, ip_ecn),
	LAYER(0, 15, 8, ttl_hoplimit),
	LAYER(0, 7, 0, ip_protocol),
	RAW(1, 31, 16, PORT, 0, "l4_sport"),
	RAW(1, 15, 0, PORT, 16, "l4_dport"),
	CODE(2, 31, 31, FRAGMENT_1, "first_fragment"),
	BOTH(2, 19, 0, 1, ipv6_flow_label),
	RAW(3, 31, 28, L4, 96, "tcp_data_offset"),
	LAYER(3, 25, 25, frag),
	LAYER(3, 24, 16, tcp_flags),
	RAW(3, 15, 0, L3, 32, "payload_length"),
	END,
};
/* Dwords of the header from the last one on: TCP's acknowledgement and sequence number; type,
 * code and data of an ICMP message. */
static const struct field l4_misc_1[] = { RAW(1, 31, 0, L4, 64, "tcp_ack_num"),
					  RAW(2, 31, 0, L4, 32, "tcp_seq_num"), END };
static const struct field icmp_1[] = { RAW(1, 31, 0, L4, 32, "icmp_header_data"),
				       RAW(2, 31, 0, L4, 0, "icmp_type_code"), END };
static const struct field mpls_1[] = { BOTH(1, 31, 0, 2, first_mpls), END };

/* ---- both ---- */

static const struct field gre[] = {
	MISC_1(0, 31, 31, gre_c_present), MISC_1(0, 29, 29, gre_k_present),
	MISC_1(0, 28, 28, gre_s_present), MISC_1(0, 15, 0, gre_protocol),
	MISC_1(2, 31, 0, gre_key),	  END,
};
static const struct field tunnel[] = { RAW(0, 31, 0, TUNNEL, 0, "tunnel_header_0"),
				       RAW(1, 31, 0, TUNNEL, 32, "tunnel_header_1"), END };
static const struct field reg_a[] = { MISC_2(0, 31, 0, metadata_reg_a), END };
static const struct field regs_0[] = {
	MISC_2(0, 31, 0, metadata_reg_c_0),
	MISC_2(1, 31, 0, metadata_reg_c_1),
	MISC_2(2, 31, 0, metadata_reg_c_2),
	MISC_2(3, 31, 0, metadata_reg_c_3),
	END,
};
static const struct field regs_1[] = {
	MISC_2(0, 31, 0, metadata_reg_c_4),
	MISC_2(1, 31, 0, metadata_reg_c_5),
	MISC_2(2, 31, 0, metadata_reg_c_6),
	MISC_2(3, 31, 0, metadata_reg_c_7),
	END,
};
/* The parsers 3 to 0 and 7 to 4, as flex_parser_id_* of the general capabilities says. */
static const struct field parsers_0[] = {
	RAW(0, 31, 0, ICMP_6, 32, "icmpv6_header_data"),
	RAW(1, 31, 0, ICMP_6, 0, "icmpv6_type_code"),
	RAW(2, 31, 0, ICMP_4, 32, "icmp_header_data"),
	RAW(3, 31, 0, ICMP_4, 0, "icmp_type_code"),
	END,
};
static const struct field parsers_1[] = {
	MISC_2(2, 31, 0, outer_first_mpls_over_udp),
	MISC_2(3, 31, 0, outer_first_mpls_over_gre),
	END,
};
static const struct field source_0[] = { CODE(1, 24, 24, SOURCE, "source_is_requestor"),
					 MISC_1(1, 23, 0, source_sqn), END };
static const struct field source_1[] = { CODE(1, 29, 29, SOURCE, "source_is_requestor"),
					 MISC_1(1, 23, 0, source_sqn), END };

static const struct field ib_l4[] = {
	RAW(0, 31, 24, BTH, 0, "bth_opcode"),
	RAW(0, 23, 0, BTH, 40, "bth_dst_qp"),
	RAW(1, 31, 31, BTH, 8, "bth_se"),
	RAW(1, 30, 30, BTH, 9, "bth_migreq"),
	RAW(1, 29, 29, BTH, 64, "bth_a"),
	RAW(1, 28, 28, BTH, 32, "bth_fecn"),
	RAW(1, 27, 27, BTH, 33, "bth_becn"),
	RAW(1, 21, 20, BTH, 10, "bth_pad_count"),
	RAW(1, 19, 16, BTH, 12, "bth_tver"),
	RAW(1, 15, 0, BTH, 16, "bth_pkey"),
	END,
};

/* ---- numbers ---- */

enum need { ANY, IS_V4, IS_V6, IS_TCP, IS_ICMP };

struct lookup {
	uint16_t number;
	bool inner;
	uint8_t needs; /* enum need */
	const struct field *fields;
};

static const struct lookup format_0[] = {
	{ 0x00, false, ANY, nothing },
	{ 0x05, false, ANY, source_0 },
	{ 0x06, false, ANY, l2_dst_0 },
	{ 0x07, true, ANY, l2_dst_0 },
	{ 0x08, false, ANY, l2_src_0 },
	{ 0x09, true, ANY, l2_src_0 },
	{ 0x0a, true, ANY, l2_tunnel_0 },
	{ 0x0d, false, IS_V6, ipv6_dst },
	{ 0x0e, true, IS_V6, ipv6_dst },
	{ 0x0f, false, IS_V6, ipv6_src }, /* and "don't care", with a mask of 0 */
	{ 0x10, true, IS_V6, ipv6_src },
	{ 0x11, false, IS_V4, ipv4_0 },
	{ 0x12, true, IS_V4, ipv4_0 },
	{ 0x13, false, ANY, l4_0 },
	{ 0x14, true, ANY, l4_0 },
	{ 0x15, false, ANY, mpls_0 },
	{ 0x16, false, ANY, gre },
	{ 0x18, false, ANY, reg_a },
	{ 0x19, false, ANY, tunnel },
	{ 0x1b, false, ANY, l2_dst_0 },
	{ 0x1c, false, ANY, l2_src_0 },
	{ 0x1e, false, IS_V6, ipv6_dst },
	{ 0x1f, false, IS_V6, ipv6_src },
	{ 0x20, false, IS_V4, ipv4_0 },
	{ 0x21, false, ANY, l4_0 },
	{ 0x22, false, ANY, parsers_0 },
	{ 0x23, false, ANY, parsers_1 },
	{ 0x24, true, ANY, mpls_0 },
	{ 0x25, false, ANY, mpls_0 },
	{ 0x29, false, IS_V4, ipv4_misc_0 },
	{ 0x2a, true, IS_V4, ipv4_misc_0 },
	{ 0x2b, false, IS_V4, ipv4_misc_0 },
	{ 0x2c, false, ANY, l4_misc_0 },
	{ 0x2d, true, ANY, l4_misc_0 },
	{ 0x2e, false, ANY, l4_misc_0 },
	{ 0x2f, false, ANY, regs_0 },
	{ 0x30, false, ANY, regs_1 },
	{ 0x34, false, ANY, tunnel },
	{ 0x36, false, ANY, l2_both_0 },
	{ 0x37, true, ANY, l2_both_0 },
	{ 0x38, false, ANY, l2_both_0 },
};

static const struct lookup format_1[] = {
	{ 0x0000, false, ANY, nothing },       { 0x0002, true, ANY, l2_tunnel_1 },
	{ 0x0003, false, ANY, l2_dst_1 },      { 0x0004, true, ANY, l2_dst_1 },
	{ 0x0005, false, ANY, l2_src_1 },      { 0x0006, true, ANY, l2_src_1 },
	{ 0x0007, false, IS_V4, ipv4_1 },      { 0x0008, true, IS_V4, ipv4_1 },
	{ 0x0009, false, ANY, l4_1 },	       { 0x000a, true, ANY, l4_1 },
	{ 0x000b, false, ANY, l2_both_1 },     { 0x000c, true, ANY, l2_both_1 },
	{ 0x000d, false, IS_V4, ipv4_misc_1 }, { 0x000e, false, ANY, tunnel },
	{ 0x000f, true, IS_V4, ipv4_misc_1 }, /* and "don't care", with a mask of 0 */
	{ 0x0103, false, ANY, ib_l4 },	       { 0x0104, false, ANY, source_1 },
	{ 0x0107, false, IS_V6, ipv6_dst },    { 0x0108, true, IS_V6, ipv6_dst },
	{ 0x0109, false, IS_V6, ipv6_src },    { 0x010a, true, IS_V6, ipv6_src },
	{ 0x010b, false, ANY, mpls_1 },	       { 0x010c, true, ANY, mpls_1 },
	{ 0x010d, false, ANY, gre },	       { 0x010e, false, ANY, reg_a },
	{ 0x010f, false, ANY, regs_0 },	       { 0x0110, false, ANY, regs_1 },
	{ 0x0111, false, ANY, parsers_0 },     { 0x0112, false, ANY, parsers_1 },
	{ 0x0113, false, IS_TCP, l4_misc_1 },  { 0x0113, false, IS_ICMP, icmp_1 },
	{ 0x0114, true, IS_TCP, l4_misc_1 },   { 0x0114, true, IS_ICMP, icmp_1 },
	{ 0x0117, false, ANY, tunnel },
};

/* ---- looking ---- */

static bool is_icmp(const struct steer_layer *l)
{
	return l->l4 && (l->protocol == IPPROTO_ICMP || l->protocol == IPPROTO_ICMPV6);
}

static bool is_needed(uint8_t needs, const struct steer_layer *l)
{
	switch (needs) {
	case IS_V4:
		return l->version == 4;
	case IS_V6:
		return l->version == 6;
	case IS_TCP:
		return l->l4 && l->protocol == IPPROTO_TCP;
	case IS_ICMP:
		return is_icmp(l);
	default:
		return true;
	}
}

static uint32_t raw(const struct steer_work *w, size_t at, uint32_t bit, uint32_t width)
{
	if (!at || at + (bit + width + 7) / 8 > w->p.len)
		return 0;
	return (uint32_t)prm_load(w->p.bytes + at, bit, width);
}

static size_t tunnel_at(const struct steer_headers *h)
{
	switch (h->tunnel) {
	case STEER_VXLAN:
	case STEER_VXLAN_GPE:
	case STEER_GENEVE:
	case STEER_GTPU:
		return h->tunnel_at;
	default:
		return 0;
	}
}

/* A dword of the GRE header: those that are not there are 0. */
static uint32_t gre_dword(const struct steer_work *w, uint32_t nth)
{
	/* bits of the first dword that say that the others follow */
	static const uint32_t present[] = { 0x80000000, 0x20000000, 0x10000000 };
	uint32_t first = raw(w, w->h.tunnel_at, 0, 32), at = 0;

	if (!nth)
		return first;
	if (!(first & present[nth - 1]))
		return 0;
	for (uint32_t i = 0; i < nth; i++)
		at += first & present[i] ? 32 : 0;
	return raw(w, w->h.tunnel_at, at, 32);
}

static uint32_t tunnel_dword(const struct steer_work *w, uint32_t nth)
{
	if (w->h.tunnel == STEER_GRE || w->h.tunnel == STEER_MPLS_GRE)
		return gre_dword(w, nth);
	return raw(w, tunnel_at(&w->h), 32 * nth, 32);
}

static uint32_t tcp_or_icmp(const struct steer_work *w, const struct steer_layer *l,
			    uint32_t bit)
{
	if (l->protocol == IPPROTO_TCP)
		return raw(w, l->l4, bit + 32, 32);
	return is_icmp(l) ? raw(w, l->l4, bit, 32) : 0;
}

static uint32_t kind_of_l4(const struct steer_layer *l)
{
	if (!l->l4)
		return 0;
	return l->protocol == IPPROTO_TCP   ? 1
	       : l->protocol == IPPROTO_UDP ? 2
	       : is_icmp(l)		    ? 3
					    : 0;
}

/* 1: a service tag, 2: a customer tag, 0: none. */
static uint32_t kind_of_tag(const struct steer_work *w, const struct steer_layer *l,
			    uint8_t nth)
{
	if (l->vlans <= nth)
		return 0;
	return core_be16(w->p.bytes + l->vlan[nth]) == 0x8100 ? 2 : 1;
}

/* assumed(lookups_of_absent_headers_are_0): fields that the packet lacks are 0 in a lookup,
 * and all of a lookup of IPv4 or IPv6 addresses is if the packet is of the other version. */
static uint32_t value_of(const struct steer_work *w, const struct field *f, bool inner)
{
	const struct steer_layer *l = inner ? &w->h.inner : &w->h.outer;
	uint32_t width = f->high - f->low + 1u;

	switch (f->from) {
	case MATCH:
		return (uint32_t)prm_load(w->match, inner ? f->inner : f->outer, width);
	case MATCH_4:
	case MATCH_6:
		return l->version == (f->from == MATCH_4 ? 4 : 6)
			       ? (uint32_t)prm_load(w->match, inner ? f->inner : f->outer,
						    width)
			       : 0;
	case L3:
		return l->version ? raw(w, l->l3, f->outer, width) : 0;
	case L3_4:
		return l->version == 4 ? raw(w, l->l3, f->outer, width) : 0;
	case L3_6:
		return l->version == 6 ? raw(w, l->l3, f->outer, width) : 0;
	case L4:
		return l->protocol == IPPROTO_TCP || is_icmp(l) ? raw(w, l->l4, f->outer, width)
								: 0;
	case ICMP_4:
	case ICMP_6:
		return l->protocol == (f->from == ICMP_4 ? IPPROTO_ICMP : IPPROTO_ICMPV6)
			       ? raw(w, l->l4, f->outer, width)
			       : 0;
	case PORT:
		return l->protocol == IPPROTO_TCP || l->protocol == IPPROTO_UDP
			       ? raw(w, l->l4, f->outer, width)
			       : 0;
	case BTH:
		return raw(w, w->h.bth, f->outer, width);
	case TUNNEL:
		return raw(w, tunnel_at(&w->h), f->outer, width);
	case TUNNEL_4:
		return tunnel_dword(w, f->outer / 32);
	case TCP_ICMP:
		return tcp_or_icmp(w, l, f->outer);
	case L4_TYPE:
		return kind_of_l4(l);
	case L3_TYPE:
		return l->version == 4 ? 1 : l->version == 6 ? 2 : 0;
	case VLAN:
	case VLAN_2:
		return kind_of_tag(w, l, f->from == VLAN_2);
	case FRAGMENT_1:
		return l->fragment && l->version == 4 && !raw(w, l->l3, 51, 13);
	default:
		return w->p.meta.source_vport != STEER_UPLINK;
	}
}

void ste_fill(const struct steer_work *w, const struct field *fields, bool inner, uint8_t *tag)
{
	for (const struct field *f = fields; f->high >= f->low; f++)
		prm_store(tag, 32u * f->dword + 31 - f->high, f->high - f->low + 1u,
			  value_of(w, f, inner));
}

void ste_name(const struct field *fields, bool inner, struct ste_names *to)
{
	for (const struct field *f = fields; f->high >= f->low; f++) {
		uint32_t at = 32u * f->dword + 31 - f->high, width = f->high - f->low + 1u;
		uint32_t mask = (uint32_t)prm_load(to->mask, at, width);

		if (mask && to->n < STEER_BITS)
			to->bits[to->n++] = (struct steer_bits){
				.name = f->name,
				.inner = inner,
				.dword = f->dword,
				.low = f->low,
				.width = (uint8_t)width,
				.mask = mask,
				.tag = (uint32_t)prm_load(to->tag, at, width),
				.packet = (uint32_t)prm_load(to->seen, at, width) & mask,
			};
	}
}

/* The row of lookup @number: of several that which the packet needs. The modes of format 1 are
 * two that hash a byte mask, and two that do not. */
static const struct lookup *find(uint8_t format, uint16_t number, const struct steer_work *w,
				 bool *needed)
{
	const struct lookup *all = format ? format_1 : format_0, *first = NULL;
	size_t n = format ? ARRAY_SIZE(format_1) : ARRAY_SIZE(format_0);

	if (format)
		number &= (uint16_t) ~(STE_MASK_BYTE << 8);
	for (size_t i = 0; i < n; i++) {
		if (all[i].number != number)
			continue;
		*needed = is_needed(all[i].needs, all[i].inner ? &w->h.inner : &w->h.outer);
		if (*needed)
			return &all[i];
		first = first ? first : &all[i];
	}
	return first;
}

bool ste_lookup(uint8_t format, uint16_t number, const struct steer_work *w,
		uint8_t tag[STE_TAG])
{
	bool needed = false;
	const struct lookup *row = find(format, number, w, &needed);

	memset(tag, 0, STE_TAG);
	if (needed)
		ste_fill(w, row->fields, row->inner, tag);
	return row;
}

void ste_lookup_names(uint8_t format, uint16_t number, const struct steer_work *w,
		      struct ste_names *to)
{
	bool needed;
	const struct lookup *row = find(format, number, w, &needed);

	if (row)
		ste_name(row->fields, row->inner, to);
}
