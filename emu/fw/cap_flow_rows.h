/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of the capabilities of flow tables: those of a table type, and a row per field that its
 * groups may match. For caps_model.c.
 *
 *	FT_NIC(nic_receive)	FT_ESW(nic_esw_fdb)
 */
#ifndef EMU_FW_CAP_FLOW_ROWS_H
#define EMU_FW_CAP_FLOW_ROWS_H

#include "fw/cap_rows.h"

/* Field @f of the flow_table_prop_layout of tables @side in group @g, whose layout is @cap. */
#define FT(g, cap, side, f, v) \
	ROW_IN(g, cap, flow_table_properties_##side, flow_table_prop_layout, f, LIMIT, v)

#define FT_FIELD_AT(cap, side, f)                            \
	(PRM_OFF(cap, flow_table_properties_##side) +        \
	 PRM_OFF(flow_table_prop_layout, ft_field_support) + \
	 PRM_OFF(flow_table_fields_supported, f))
#define FT_FIELD_BITS(g, cap, side, f, v)                                                      \
	{                                                                                      \
		.group = PRM_CAP_##g, .use = FW_CAP_BITS,                                      \
		.field = { FT_FIELD_AT(cap, side, f), PRM_W(flow_table_fields_supported, f) }, \
		.value = v, .max = v                                                           \
	}
#define FT_FIELD(g, cap, side, f) FT_FIELD_BITS(g, cap, side, f, 1)
/* The four fields of an MPLS label. */
#define FT_LABEL(g, cap, side, f) FT_FIELD_BITS(g, cap, side, f, 0xf)

#define FT_LAYER(g, cap, side, at)                                                           \
	FT_FIELD(g, cap, side, at##_dmac), FT_FIELD(g, cap, side, at##_smac),                \
		FT_FIELD(g, cap, side, at##_ether_type),                                     \
		FT_FIELD(g, cap, side, at##_ip_version),                                     \
		FT_FIELD(g, cap, side, at##_first_prio),                                     \
		FT_FIELD(g, cap, side, at##_first_cfi),                                      \
		FT_FIELD(g, cap, side, at##_first_vid),                                      \
		FT_FIELD(g, cap, side, at##_first_svlan),                                    \
		FT_FIELD(g, cap, side, at##_second_prio),                                    \
		FT_FIELD(g, cap, side, at##_second_cfi),                                     \
		FT_FIELD(g, cap, side, at##_second_vid),                                     \
		FT_FIELD(g, cap, side, at##_second_svlan),                                   \
		FT_FIELD(g, cap, side, at##_ipv4_ttl),                                       \
		FT_FIELD(g, cap, side, at##_ipv6_hop_limit),                                 \
		FT_FIELD(g, cap, side, at##_ipv6_flow_label),                                \
		FT_FIELD(g, cap, side, at##_sip), FT_FIELD(g, cap, side, at##_dip),          \
		FT_FIELD(g, cap, side, at##_frag), FT_FIELD(g, cap, side, at##_ip_protocol), \
		FT_FIELD(g, cap, side, at##_ip_ecn), FT_FIELD(g, cap, side, at##_ip_dscp),   \
		FT_FIELD(g, cap, side, at##_udp_sport),                                      \
		FT_FIELD(g, cap, side, at##_udp_dport),                                      \
		FT_FIELD(g, cap, side, at##_tcp_sport),                                      \
		FT_FIELD(g, cap, side, at##_tcp_dport),                                      \
		FT_FIELD(g, cap, side, at##_tcp_flags), FT_FIELD(g, cap, side, at##_esp_spi)

#define FT_TUNNEL(g, cap, side)                                                            \
	FT_FIELD(g, cap, side, outer_gre_protocol), FT_FIELD(g, cap, side, outer_gre_key), \
		FT_FIELD(g, cap, side, outer_vxlan_vni),                                   \
		FT_FIELD(g, cap, side, outer_geneve_vni),                                  \
		FT_FIELD(g, cap, side, outer_geneve_oam),                                  \
		FT_FIELD(g, cap, side, outer_geneve_protocol_type),                        \
		FT_FIELD(g, cap, side, outer_geneve_opt_len),                              \
		FT_LABEL(g, cap, side, outer_first_mpls),                                  \
		FT_LABEL(g, cap, side, inner_first_mpls),                                  \
		FT_LABEL(g, cap, side, outer_first_mpls_over_udp),                         \
		FT_LABEL(g, cap, side, outer_first_mpls_over_gre)

#define FT_META(g, cap, side)                                                               \
	FT_FIELD(g, cap, side, source_eswitch_port), FT_FIELD(g, cap, side, source_sqn),    \
		FT_FIELD(g, cap, side, bth_dst_qp), FT_FIELD(g, cap, side, metadata_reg_a), \
		FT_FIELD(g, cap, side, metadata_reg_c_0),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_1),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_2),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_3),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_4),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_5),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_6),                                   \
		FT_FIELD(g, cap, side, metadata_reg_c_7)

#define FT_FIELD_2(g, cap, side, f) \
	ROW_IN(g, cap, ft_field_support_2_##side, flow_table_fields_supported_2, f, LIMIT, 1)

/* Capabilities of every table type. */
#define FT_ALL(g, cap, side, side_2, levels)                                                   \
	FT(g, cap, side, ft_support, 1), FT(g, cap, side, flow_counter, 1),                    \
		FT(g, cap, side, flow_modify_en, 1), FT(g, cap, side, modify_root, 1),         \
		FT(g, cap, side, identified_miss_table_mode, 1),                               \
		FT(g, cap, side, flow_table_modify, 1),                                        \
		FT(g, cap, side, ignore_flow_level, 1), FT(g, cap, side, log_max_ft_size, 24), \
		FT(g, cap, side, max_ft_level, levels), FT(g, cap, side, log_max_ft_num, 15),  \
		FT(g, cap, side, log_max_flow_counter, 3),                                     \
		FT(g, cap, side, log_max_destination, 6), FT(g, cap, side, log_max_flow, 24),  \
		FT_LAYER(g, cap, side, outer), FT_LAYER(g, cap, side, inner),                  \
		FT_TUNNEL(g, cap, side), FT_META(g, cap, side),                                \
		FT_FIELD_2(g, cap, side_2, outer_l4_type),                                     \
		FT_FIELD_2(g, cap, side_2, inner_l4_type),                                     \
		FT_FIELD_2(g, cap, side_2, bth_opcode)

#define FT_NIC(side, levels) FT_ALL(FLOW_TABLE, flow_table_nic_cap, side, side, levels)
#define FT_ESW(side)	     FT_ALL(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, side, esw_fdb, 128)

#endif
