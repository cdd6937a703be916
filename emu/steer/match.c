/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the fte_match_param of a packet, which entries of flow tables are compared with.
 *
 *	steer_headers, bytes, steer_meta -> outer, misc, inner, misc 2, misc 3
 *
 * Fields that a packet does not have are 0.
 */
#include <netinet/in.h>
#include <string.h>

#include "prm/prm.h"
#include "steer/steer.h"

#define TYPE_CVLAN 0x8100

static void put_tag(uint8_t *set, const uint8_t *tag)
{
	uint16_t tci = core_be16(tag + 2);
	bool customer = core_be16(tag) == TYPE_CVLAN;

	PRM_SET(fte_match_set_lyr_2_4, set, first_prio, tci >> 13);
	PRM_SET(fte_match_set_lyr_2_4, set, first_cfi, tci >> 12 & 1);
	PRM_SET(fte_match_set_lyr_2_4, set, first_vid, tci & 0xfff);
	PRM_SET(fte_match_set_lyr_2_4, set, cvlan_tag, customer);
	PRM_SET(fte_match_set_lyr_2_4, set, svlan_tag, !customer);
}

static void put_l2(uint8_t *set, const uint8_t *bytes, const struct steer_layer *l)
{
	if (!l->has_l2)
		return;
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, dmac_47_16), bytes + l->l2, 6);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, smac_47_16), bytes + l->l2 + 6, 6);
	PRM_SET(fte_match_set_lyr_2_4, set, ethertype, l->ethertype);
	if (l->vlans)
		put_tag(set, bytes + l->vlan[0]);
}

/* assumed(ip_version_without_ip): ip_version of a packet that is not IP is 0. */
static void put_l3(uint8_t *set, const uint8_t *ip, const struct steer_layer *l)
{
	bool v4 = l->version == 4;
	uint32_t tos = v4 ? ip[1] : core_be32(ip) >> 20 & 0xff;
	size_t size = v4 ? 4 : 16;

	PRM_SET(fte_match_set_lyr_2_4, set, ip_version, l->version);
	PRM_SET(fte_match_set_lyr_2_4, set, ip_protocol, l->protocol);
	PRM_SET(fte_match_set_lyr_2_4, set, ip_dscp, tos >> 2);
	PRM_SET(fte_match_set_lyr_2_4, set, ip_ecn, tos & 3);
	PRM_SET(fte_match_set_lyr_2_4, set, frag, l->fragment);
	PRM_SET(fte_match_set_lyr_2_4, set, ttl_hoplimit, v4 ? ip[8] : ip[7]);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, src_ipv4_src_ipv6) + 16 - size,
	       ip + (v4 ? 12 : 8), size);
	memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, dst_ipv4_dst_ipv6) + 16 - size,
	       ip + (v4 ? 16 : 24), size);
}

/* l4_type: 0 none, 1 TCP, 2 UDP (Linux, mlx5_ifc.h, MLX5_PACKET_L4_TYPE_NONE …). */
static void put_l4(uint8_t *set, const uint8_t *l4, uint8_t protocol)
{
	if (protocol == IPPROTO_TCP) {
		memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, tcp_sport), l4, 4);
		PRM_SET(fte_match_set_lyr_2_4, set, tcp_flags, core_be16(l4 + 12) & 0x1ff);
		PRM_SET(fte_match_set_lyr_2_4, set, l4_type, 1);
	} else if (protocol == IPPROTO_UDP) {
		memcpy(PRM_ADDR(fte_match_set_lyr_2_4, set, udp_sport), l4, 4);
		PRM_SET(fte_match_set_lyr_2_4, set, l4_type, 2);
	}
}

static void put_layer(uint8_t *set, const uint8_t *bytes, const struct steer_layer *l)
{
	put_l2(set, bytes, l);
	if (l->version)
		put_l3(set, bytes + l->l3, l);
	if (l->l4)
		put_l4(set, bytes + l->l4, l->protocol);
}

/* ---- misc ---- */

#define PUT_SECOND(misc, layer, tag)                                                      \
	do {                                                                              \
		bool customer = core_be16(tag) == TYPE_CVLAN;                             \
                                                                                          \
		PRM_SET(fte_match_set_misc, misc, layer##_second_prio, (tag)[2] >> 5);    \
		PRM_SET(fte_match_set_misc, misc, layer##_second_cfi, (tag)[2] >> 4 & 1); \
		PRM_SET(fte_match_set_misc, misc, layer##_second_vid,                     \
			core_be16((tag) + 2) & 0xfff);                                    \
		PRM_SET(fte_match_set_misc, misc, layer##_second_cvlan_tag, customer);    \
		PRM_SET(fte_match_set_misc, misc, layer##_second_svlan_tag, !customer);   \
	} while (0)

static void put_second_tags(uint8_t *misc, const uint8_t *bytes, const struct steer_headers *h)
{
	if (h->outer.vlans == 2)
		PUT_SECOND(misc, outer, bytes + h->outer.vlan[1]);
	if (h->inner.vlans == 2)
		PUT_SECOND(misc, inner, bytes + h->inner.vlan[1]);
}

/* The key follows the checksum, if there is one: RFC 2890. */
static void put_gre(uint8_t *misc, const uint8_t *gre)
{
	bool c = gre[0] >> 7, k = gre[0] >> 5 & 1;

	PRM_SET(fte_match_set_misc, misc, gre_c_present, c);
	PRM_SET(fte_match_set_misc, misc, gre_k_present, k);
	PRM_SET(fte_match_set_misc, misc, gre_s_present, gre[0] >> 4 & 1);
	PRM_SET(fte_match_set_misc, misc, gre_protocol, core_be16(gre + 2));
	if (k)
		memcpy(PRM_ADDR(fte_match_set_misc, misc, gre_key), gre + (c ? 8 : 4), 4);
}

static void put_tunnel(uint8_t *misc, const uint8_t *at, uint8_t tunnel)
{
	switch (tunnel) {
	case STEER_GRE:
	case STEER_MPLS_GRE:
		put_gre(misc, at);
		break;
	case STEER_VXLAN:
		PRM_SET(fte_match_set_misc, misc, vxlan_vni, core_be32(at + 4) >> 8);
		break;
	case STEER_GENEVE:
		PRM_SET(fte_match_set_misc, misc, geneve_opt_len, at[0] & 0x3f);
		PRM_SET(fte_match_set_misc, misc, geneve_oam, at[1] >> 7);
		PRM_SET(fte_match_set_misc, misc, geneve_protocol_type, core_be16(at + 2));
		PRM_SET(fte_match_set_misc, misc, geneve_vni, core_be32(at + 4) >> 8);
		break;
	default:
		break;
	}
}

static void put_misc(uint8_t *misc, const struct steer_packet *p, const struct steer_headers *h)
{
	const uint8_t *b = p->bytes;

	PRM_SET(fte_match_set_misc, misc, source_sqn, p->meta.source_sqn);
	PRM_SET(fte_match_set_misc, misc, source_port, p->meta.source_vport);
	put_second_tags(misc, b, h);
	if (h->tunnel_at)
		put_tunnel(misc, b + h->tunnel_at, h->tunnel);
	if (h->outer.version == 6)
		PRM_SET(fte_match_set_misc, misc, outer_ipv6_flow_label,
			core_be32(b + h->outer.l3) & 0xfffff);
	if (h->inner.version == 6)
		PRM_SET(fte_match_set_misc, misc, inner_ipv6_flow_label,
			core_be32(b + h->inner.l3) & 0xfffff);
	if (h->outer.l4 && h->outer.protocol == IPPROTO_ESP)
		PRM_SET(fte_match_set_misc, misc, outer_esp_spi, core_be32(b + h->outer.l4));
	if (h->inner.l4 && h->inner.protocol == IPPROTO_ESP)
		PRM_SET(fte_match_set_misc, misc, inner_esp_spi, core_be32(b + h->inner.l4));
	if (h->bth) {
		PRM_SET(fte_match_set_misc, misc, bth_opcode, b[h->bth]);
		PRM_SET(fte_match_set_misc, misc, bth_dst_qp,
			core_be32(b + h->bth + 4) & 0xffffff);
	}
}

/* assumed(mpls_labels): outer_first_mpls and inner_first_mpls are the label after the Ethernet
 * header. */
static void put_misc_2(uint8_t *misc, const struct steer_packet *p,
		       const struct steer_headers *h)
{
	const struct steer_meta *m = &p->meta;
	/* registers c_7 … c_0 are in that order */
	uint8_t *reg = PRM_ADDR(fte_match_set_misc2, misc, metadata_reg_c_7);

	if (h->outer.l3 && !h->outer.version)
		memcpy(PRM_ADDR(fte_match_set_misc2, misc, outer_first_mpls),
		       p->bytes + h->outer.l3, 4);
	if (h->inner.l3 && !h->inner.version)
		memcpy(PRM_ADDR(fte_match_set_misc2, misc, inner_first_mpls),
		       p->bytes + h->inner.l3, 4);
	if (h->mpls && h->tunnel == STEER_MPLS_GRE)
		memcpy(PRM_ADDR(fte_match_set_misc2, misc, outer_first_mpls_over_gre),
		       p->bytes + h->mpls, 4);
	if (h->mpls && h->tunnel == STEER_MPLS_UDP)
		memcpy(PRM_ADDR(fte_match_set_misc2, misc, outer_first_mpls_over_udp),
		       p->bytes + h->mpls, 4);
	for (size_t i = 0; i < 8; i++)
		core_put_be32(reg + 4 * (7 - i), m->reg_c[i]);
	PRM_SET(fte_match_set_misc2, misc, metadata_reg_a, m->reg_a);
}

static void put_icmp(uint8_t *misc, const uint8_t *l4, const struct steer_layer *l)
{
	if (l->protocol == IPPROTO_ICMP) {
		PRM_SET(fte_match_set_misc3, misc, icmp_type, l4[0]);
		PRM_SET(fte_match_set_misc3, misc, icmp_code, l4[1]);
		PRM_SET(fte_match_set_misc3, misc, icmp_header_data, core_be32(l4 + 4));
	} else if (l->protocol == IPPROTO_ICMPV6) {
		PRM_SET(fte_match_set_misc3, misc, icmpv6_type, l4[0]);
		PRM_SET(fte_match_set_misc3, misc, icmpv6_code, l4[1]);
		PRM_SET(fte_match_set_misc3, misc, icmpv6_header_data, core_be32(l4 + 4));
	}
}

/* Fields of parsers that flex_parser_protocols names. */
static void put_flexible_tunnel(uint8_t *misc, const uint8_t *at, uint8_t tunnel)
{
	if (tunnel == STEER_VXLAN_GPE) {
		PRM_SET(fte_match_set_misc3, misc, outer_vxlan_gpe_flags, at[0]);
		PRM_SET(fte_match_set_misc3, misc, outer_vxlan_gpe_next_protocol, at[3]);
		PRM_SET(fte_match_set_misc3, misc, outer_vxlan_gpe_vni, core_be32(at + 4) >> 8);
	} else if (tunnel == STEER_GTPU) {
		PRM_SET(fte_match_set_misc3, misc, gtpu_msg_flags, at[0]);
		PRM_SET(fte_match_set_misc3, misc, gtpu_msg_type, at[1]);
		PRM_SET(fte_match_set_misc3, misc, gtpu_teid, core_be32(at + 4));
	}
}

static void put_misc_3(uint8_t *misc, const struct steer_packet *p,
		       const struct steer_headers *h)
{
	const uint8_t *outer = p->bytes + h->outer.l4, *inner = p->bytes + h->inner.l4;

	if (h->outer.l4 && h->outer.protocol == IPPROTO_TCP) {
		PRM_SET(fte_match_set_misc3, misc, outer_tcp_seq_num, core_be32(outer + 4));
		PRM_SET(fte_match_set_misc3, misc, outer_tcp_ack_num, core_be32(outer + 8));
	}
	if (h->inner.l4 && h->inner.protocol == IPPROTO_TCP) {
		PRM_SET(fte_match_set_misc3, misc, inner_tcp_seq_num, core_be32(inner + 4));
		PRM_SET(fte_match_set_misc3, misc, inner_tcp_ack_num, core_be32(inner + 8));
	}
	if (h->outer.l4)
		put_icmp(misc, outer, &h->outer);
	put_flexible_tunnel(misc, p->bytes + h->tunnel_at, h->tunnel);
}

void steer_match(uint8_t *match, const struct steer_packet *p, const struct steer_headers *h)
{
	memset(match, 0, HCA_MATCH_SIZE);
	put_layer(PRM_ADDR(fte_match_param, match, outer_headers), p->bytes, &h->outer);
	put_layer(PRM_ADDR(fte_match_param, match, inner_headers), p->bytes, &h->inner);
	put_misc(PRM_ADDR(fte_match_param, match, misc_parameters), p, h);
	put_misc_2(PRM_ADDR(fte_match_param, match, misc_parameters_2), p, h);
	put_misc_3(PRM_ADDR(fte_match_param, match, misc_parameters_3), p, h);
}
