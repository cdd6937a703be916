/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pattern of a rule as match parameters of the device (fte_match_param, prm/match.def).
 *
 *	eth dst is 02:… / vlan vid is 5 / ipv4 / udp / vxlan vni is 7 / eth / ipv4 dst is 10.0.0.1
 *	'------------------ outer_headers -------------'  '- misc -'  '------ inner_headers -------'
 *
 * Matches implied by an item without a field:
 *
 *	vlan			cvlan_tag 1; svlan_tag 1 if the type before it is 0x88a8. The second one: the same
 *				of the second tag
 *	ipv4, ipv6		ip_version 4, 6 under the mask 0xf
 *	udp, tcp, icmp, gre …	ip_protocol
 *	geneve, gtp, ib_bth, mpls after udp	the UDP port 6081, 2152, 4791, 6635
 *	vxlan, vxlan-gpe	the UDP port 4789, 4790; another one if the udp item has one
 *	gre_key, nvgre		gre_k_present; nvgre: gre_protocol 0x6558, too
 *
 * After a tunnel (vxlan, vxlan-gpe, geneve, gre, nvgre, gtp, mpls after udp or gre) the items
 * are those of the inner packet. ethertype is that after the last VLAN tag, so eth without vlan
 * says nothing about tags; eth type 0x8100 or 0x88a8, has_vlan and has_more_vlan do.
 *
 * Values are within their masks: the kernel refuses others.
 */
#ifndef FLOW_MATCH_H
#define FLOW_MATCH_H

#include <infiniband/verbs.h>

#include <flow/text.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define FLOW_MATCH_BYTES 512

struct dv_flow_match {
	uint8_t value[FLOW_MATCH_BYTES], mask[FLOW_MATCH_BYTES];
	uint8_t criteria; /* match_criteria_enable: PRM_MATCH_* of the blocks that the mask uses */
	/* Required capabilities of the device: flow_table_fields_supported, and the _2 after
	 * it. */
	uint8_t needs[32];
};

/* EINVAL: the pattern contradicts itself or has no meaning: it matches no packet; EOPNOTSUPP:
 * it has one that these parameters cannot express. @error says which field or item; it may be
 * NULL. */
int dv_flow_match_build(struct dv_flow_match *match, const struct dv_flow_rule *rule,
			struct dv_flow_error *error);

/* EOPNOTSUPP: the device does not match a field of @match in tables of this type
 * (PRM_FT_TYPE_NIC_RX, NIC_TX, FDB, RDMA_RX, RDMA_TX); @error names its capability. Others: the
 * query failed. */
int dv_flow_match_check(struct ibv_context *ctx, uint8_t table_type,
			const struct dv_flow_match *match, struct dv_flow_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
