/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which fields a flow group may match: those whose capability tables of the type have.
 *
 *	fte_match_param.outer_headers.dmac_47_16 <- ft_field_support.outer_dmac
 *	…misc_parameters_3.icmp_type             <- flex_parser_protocols, ICMP
 *
 * Fields without a row cannot be in a mask.
 */
#include "fw/flow.h"
#include "fw/rows.h"

enum where {
	SUPPORT,   /* flow_table_prop_layout.ft_field_support */
	SUPPORT_2, /* flow_table_fields_supported_2 of the type */
	FLEX,	   /* cmd_hca_cap.flex_parser_protocols: all bits of cap.first */
};

struct row {
	struct fw_bits match, cap;
	uint8_t where;
};

#define AT(part, set, f, width)                                           \
	{                                                                 \
		PRM_OFF(fte_match_param, part) + PRM_OFF(set, f), (width) \
	}
#define CAP(f)                                                                                 \
	{                                                                                      \
		PRM_OFF(flow_table_fields_supported, f), PRM_W(flow_table_fields_supported, f) \
	}
#define CAP_2(f)                                                \
	{                                                       \
		PRM_OFF(flow_table_fields_supported_2, f),      \
			PRM_W(flow_table_fields_supported_2, f) \
	}
#define FIELD(part, set, f, c)                                                            \
	{                                                                                 \
		.match = AT(part, set, f, PRM_W(set, f)), .cap = CAP(c), .where = SUPPORT \
	}
#define ROW_2(part, set, f, c)                                                                \
	{                                                                                     \
		.match = AT(part, set, f, PRM_W(set, f)), .cap = CAP_2(c), .where = SUPPORT_2 \
	}
#define ROW_FLEX(part, set, f, bits)                                                        \
	{                                                                                   \
		.match = AT(part, set, f, PRM_W(set, f)), .cap = { bits, 0 }, .where = FLEX \
	}
#define LAYERS(f, c)                                               \
	FIELD(outer_headers, fte_match_set_lyr_2_4, f, outer_##c), \
		FIELD(inner_headers, fte_match_set_lyr_2_4, f, inner_##c)
#define MISC(f, c)   FIELD(misc_parameters, fte_match_set_misc, f, c)
#define MISC_2(f, c) FIELD(misc_parameters_2, fte_match_set_misc2, f, c)
#define MISC_3(f, c) FIELD(misc_parameters_3, fte_match_set_misc3, f, c)
#define FLEXIBLE(f, name) \
	ROW_FLEX(misc_parameters_3, fte_match_set_misc3, f, PRM_FLEX_PARSER_##name##_ENABLED)

/* assumed(fields_without_a_capability): cvlan_tag is matched where first_vid is, svlan_tag
 * where first_svlan is, the GRE flags where gre_protocol is, TCP sequence and acknowledgement
 * numbers where tcp_flags are: no capability names them. */
static const struct row rows[] = {
	LAYERS(smac_47_16, smac),
	LAYERS(smac_15_0, smac),
	LAYERS(dmac_47_16, dmac),
	LAYERS(dmac_15_0, dmac),
	LAYERS(ethertype, ether_type),
	LAYERS(first_prio, first_prio),
	LAYERS(first_cfi, first_cfi),
	LAYERS(first_vid, first_vid),
	LAYERS(cvlan_tag, first_vid),
	LAYERS(svlan_tag, first_svlan),
	LAYERS(ip_version, ip_version),
	LAYERS(ip_protocol, ip_protocol),
	LAYERS(ip_dscp, ip_dscp),
	LAYERS(ip_ecn, ip_ecn),
	LAYERS(frag, frag),
	LAYERS(ttl_hoplimit, ipv4_ttl),
	LAYERS(src_ipv4_src_ipv6, sip),
	LAYERS(dst_ipv4_dst_ipv6, dip),
	LAYERS(tcp_flags, tcp_flags),
	LAYERS(tcp_sport, tcp_sport),
	LAYERS(tcp_dport, tcp_dport),
	LAYERS(udp_sport, udp_sport),
	LAYERS(udp_dport, udp_dport),
	ROW_2(outer_headers, fte_match_set_lyr_2_4, l4_type, outer_l4_type),
	ROW_2(inner_headers, fte_match_set_lyr_2_4, l4_type, inner_l4_type),

	MISC(source_sqn, source_sqn),
	MISC(source_port, source_eswitch_port),
	MISC(outer_second_prio, outer_second_prio),
	MISC(outer_second_cfi, outer_second_cfi),
	MISC(outer_second_vid, outer_second_vid),
	MISC(outer_second_cvlan_tag, outer_second_vid),
	MISC(outer_second_svlan_tag, outer_second_svlan),
	MISC(inner_second_prio, inner_second_prio),
	MISC(inner_second_cfi, inner_second_cfi),
	MISC(inner_second_vid, inner_second_vid),
	MISC(inner_second_cvlan_tag, inner_second_vid),
	MISC(inner_second_svlan_tag, inner_second_svlan),
	MISC(gre_c_present, outer_gre_protocol),
	MISC(gre_k_present, outer_gre_protocol),
	MISC(gre_s_present, outer_gre_protocol),
	MISC(gre_protocol, outer_gre_protocol),
	MISC(gre_key, outer_gre_key),
	MISC(vxlan_vni, outer_vxlan_vni),
	MISC(geneve_vni, outer_geneve_vni),
	MISC(geneve_oam, outer_geneve_oam),
	MISC(geneve_opt_len, outer_geneve_opt_len),
	MISC(geneve_protocol_type, outer_geneve_protocol_type),
	MISC(outer_ipv6_flow_label, outer_ipv6_flow_label),
	MISC(inner_ipv6_flow_label, inner_ipv6_flow_label),
	MISC(outer_esp_spi, outer_esp_spi),
	MISC(inner_esp_spi, inner_esp_spi),
	MISC(bth_dst_qp, bth_dst_qp),
	ROW_2(misc_parameters, fte_match_set_misc, bth_opcode, bth_opcode),

	MISC_2(outer_first_mpls, outer_first_mpls),
	MISC_2(inner_first_mpls, inner_first_mpls),
	MISC_2(outer_first_mpls_over_gre, outer_first_mpls_over_gre),
	MISC_2(outer_first_mpls_over_udp, outer_first_mpls_over_udp),
	MISC_2(metadata_reg_c_0, metadata_reg_c_0),
	MISC_2(metadata_reg_c_1, metadata_reg_c_1),
	MISC_2(metadata_reg_c_2, metadata_reg_c_2),
	MISC_2(metadata_reg_c_3, metadata_reg_c_3),
	MISC_2(metadata_reg_c_4, metadata_reg_c_4),
	MISC_2(metadata_reg_c_5, metadata_reg_c_5),
	MISC_2(metadata_reg_c_6, metadata_reg_c_6),
	MISC_2(metadata_reg_c_7, metadata_reg_c_7),
	MISC_2(metadata_reg_a, metadata_reg_a),

	MISC_3(outer_tcp_seq_num, outer_tcp_flags),
	MISC_3(outer_tcp_ack_num, outer_tcp_flags),
	MISC_3(inner_tcp_seq_num, inner_tcp_flags),
	MISC_3(inner_tcp_ack_num, inner_tcp_flags),
	FLEXIBLE(icmp_header_data, ICMP_V4),
	FLEXIBLE(icmp_type, ICMP_V4),
	FLEXIBLE(icmp_code, ICMP_V4),
	FLEXIBLE(icmpv6_header_data, ICMP_V6),
	FLEXIBLE(icmpv6_type, ICMP_V6),
	FLEXIBLE(icmpv6_code, ICMP_V6),
	FLEXIBLE(outer_vxlan_gpe_vni, VXLAN_GPE),
	FLEXIBLE(outer_vxlan_gpe_next_protocol, VXLAN_GPE),
	FLEXIBLE(outer_vxlan_gpe_flags, VXLAN_GPE),
	FLEXIBLE(gtpu_teid, GTPU),
	FLEXIBLE(gtpu_msg_type, GTPU),
	FLEXIBLE(gtpu_msg_flags, GTPU),
};

#define NIC_2(side)                                                    \
	PRM_ADDR(flow_table_nic_cap, c->hca->caps[PRM_CAP_FLOW_TABLE], \
		 ft_field_support_2_##side)

static const uint8_t *support_2(const struct fw_cmd *c, uint32_t type)
{
	switch (type) {
	case PRM_FT_TYPE_NIC_RX:
		return NIC_2(nic_receive);
	case PRM_FT_TYPE_NIC_TX:
		return NIC_2(nic_transmit);
	case PRM_FT_TYPE_SNIFFER_RX:
		return NIC_2(nic_receive_sniffer);
	case PRM_FT_TYPE_SNIFFER_TX:
		return NIC_2(nic_transmit_sniffer);
	case PRM_FT_TYPE_RDMA_RX:
		return NIC_2(nic_receive_rdma);
	case PRM_FT_TYPE_RDMA_TX:
		return NIC_2(nic_transmit_rdma);
	default:
		return PRM_ADDR(flow_table_eswitch_cap,
				c->hca->caps[PRM_CAP_ESWITCH_FLOW_TABLE],
				ft_field_support_2_esw_fdb);
	}
}

static bool is_matched(const struct fw_cmd *c, uint32_t type, const struct row *r)
{
	const uint8_t *caps = fw_flow_caps(c, type);
	uint64_t all = (1ull << r->cap.width) - 1;

	switch (r->where) {
	case SUPPORT:
		caps = PRM_ADDR(flow_table_prop_layout, caps, ft_field_support);
		return prm_load(caps, r->cap.first, r->cap.width) == all;
	case SUPPORT_2:
		return prm_load(support_2(c, type), r->cap.first, r->cap.width) == all;
	default:
		return (FW_GEN(c->hca, flex_parser_protocols) & r->cap.first) == r->cap.first;
	}
}

static void clear(uint8_t *mask, struct fw_bits bits)
{
	for (uint32_t done = 0; done < bits.width; done++) {
		uint32_t bit = bits.first + done;

		mask[bit / 8] &= ~(0x80 >> bit % 8);
	}
}

/* The parts of fte_match_param, as their bits in match_criteria_enable number them. */
static const struct {
	uint32_t bit;
	struct fw_bits at;
} parts[] = {
	{ PRM_MATCH_OUTER_HEADERS, F(fte_match_param, outer_headers) },
	{ PRM_MATCH_MISC_PARAMETERS, F(fte_match_param, misc_parameters) },
	{ PRM_MATCH_INNER_HEADERS, F(fte_match_param, inner_headers) },
	{ PRM_MATCH_MISC_PARAMETERS_2, F(fte_match_param, misc_parameters_2) },
	{ PRM_MATCH_MISC_PARAMETERS_3, F(fte_match_param, misc_parameters_3) },
};

static bool is_empty(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

enum fw_status fw_flow_mask(struct fw_cmd *c, uint32_t type, uint32_t criteria,
			    const uint8_t *mask)
{
	uint8_t left[HCA_MATCH_SIZE];
	uint32_t known = 0;

	memcpy(left, mask, sizeof(left));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		known |= parts[i].bit;
		/* assumed(mask_is_within_its_criteria): a flow group whose mask has bits in a
		 * part that match_criteria_enable does not name is BAD_PARAM. */
		if (!(criteria & parts[i].bit) &&
		    !is_empty(left + parts[i].at.first / 8, parts[i].at.width / 8))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_MATCH);
	}
	if (criteria & ~known)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_matched(c, type, &rows[i]))
			clear(left, rows[i].match);
	if (!is_empty(left, sizeof(left)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_MATCH);
	return FW_OK;
}
