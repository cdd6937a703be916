/* SPDX-License-Identifier: BSD-2-Clause */
/* headers: where the parser finds them, and what of a packet can be matched. */
#include "packet.h"

TestSuite(headers, .init = start, .fini = stop);

static uint8_t match[HCA_MATCH_SIZE];

static void fill(void)
{
	const struct steer_packet p = { .bytes = bytes, .len = len };

	cr_assert(parse());
	memset(match, 0xee, sizeof(match));
	steer_match(match, &p, &h);
}

#define OUTER(f) PRM_GET(fte_match_set_lyr_2_4, match, f)
#define INNER(f) PRM_GET(fte_match_set_lyr_2_4, match + 0x80, f)
#define MISC(f)	 PRM_GET(fte_match_set_misc, match + 0x40, f)
#define MISC3(f) PRM_GET(fte_match_set_misc3, match + 0x100, f)

/* Every byte of the outer headers, from the layout: smac, ethertype, dmac, 0, protocol, DSCP
 * and ECN, version 4 << 9 and flags 0x112 in 16 bits, ports. */
Test(headers, of_tcp_over_ipv4)
{
	static const uint8_t outer[64] = {
		2, 0,	 0,    0,    0,	   1,	 0x08, 0,  2,	 0, 0, 0,  0,  2, 0, 0,
		6, 0xb9, 0x09, 0x12, 0x12, 0x34, 0,    80, 0x40, 0, 0, 63, 0,  0, 0, 0,
		0, 0,	 0,    0,    0,	   0,	 0,    0,  0,	 0, 0, 0,  10, 0, 0, 1,
		0, 0,	 0,    0,    0,	   0,	 0,    0,  0,	 0, 0, 0,  10, 0, 0, 2,
	};

	ethernet(0x0800);
	ipv4(6, 20);
	tcp();
	fill();
	cr_assert_eq(h.outer.l3, 14);
	cr_assert_eq(h.outer.l4, 34);
	cr_assert_eq(h.outer.end, 54);
	cr_assert_arr_eq(match, outer, sizeof(outer));
	cr_assert_eq(MISC3(outer_tcp_seq_num), 0xdead0001);
	cr_assert_eq(MISC3(outer_tcp_ack_num), 0xbeef0002);
	for (size_t i = 0x80; i < 0x100; i++)
		cr_assert_eq(match[i], 0, "nothing inside");
}

Test(headers, of_udp_over_ipv6_with_extensions)
{
	ethernet(0x86dd);
	ipv6(0, 8 + 16 + 8 + 8); /* hop-by-hop, routing of 16 bytes, atomic fragment, UDP */
	PUT(43, 0, 0, 0, 0, 0, 0, 0);
	PUT(44, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	PUT(17, 0, 0, 0, 0, 0, 0, 9);
	udp(53, 0);
	fill();
	cr_assert_eq(OUTER(ip_version), 6);
	cr_assert_eq(OUTER(ip_protocol), 17);
	cr_assert_eq(OUTER(udp_dport), 53);
	cr_assert_eq(OUTER(udp_sport), 0x1234);
	cr_assert_eq(OUTER(tcp_dport), 0);
	cr_assert_eq(OUTER(ip_dscp), 0x1a);
	cr_assert_eq(OUTER(ip_ecn), 1);
	cr_assert_eq(OUTER(ttl_hoplimit), 64);
	cr_assert_eq(OUTER(frag), 0);
	cr_assert_eq(OUTER(l4_type), 2);
	cr_assert_eq(MISC(outer_ipv6_flow_label), 0xabcde);
	cr_assert_arr_eq(match + 0x20, bytes + 22, 32);
	bytes[14 + 40 + 8 + 16 + 3] = 1; /* more fragments */
	fill();
	cr_assert_eq(OUTER(frag), 1);
	cr_assert_eq(OUTER(ip_protocol), 17);
	cr_assert_eq(OUTER(udp_dport), 0);
}

/* The first fragment has no layer 4 either (DPDK, mlx5 guide, IP limitations). */
Test(headers, of_fragments)
{
	ethernet(0x0800);
	ipv4(17, 8);
	udp(53, 0);
	bytes[14 + 6] = 0x20;
	fill();
	cr_assert_eq(OUTER(frag), 1);
	cr_assert_eq(OUTER(ip_protocol), 17);
	cr_assert_eq(OUTER(udp_dport), 0);
	bytes[14 + 6] = 0x40; /* do not fragment */
	fill();
	cr_assert_eq(OUTER(frag), 0);
	cr_assert_eq(OUTER(udp_dport), 53);
	bytes[14 + 7] = 1;
	fill();
	cr_assert_eq(OUTER(frag), 1);
}

Test(headers, of_options_and_padding)
{
	ethernet(0x0800);
	PUT(0x46, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 0);
	udp(7, 0);
	len = 60;
	fill();
	cr_assert_eq(h.outer.l4, 14 + 24);
	cr_assert_eq(h.outer.end, 14 + 32);
	cr_assert_eq(OUTER(udp_dport), 7);
	bytes[14 + 3] = 24; /* of the IP packet nothing is left: the rest is padding */
	fill();
	cr_assert_eq(OUTER(ip_protocol), 17);
	cr_assert_eq(OUTER(udp_dport), 0);
}

Test(headers, of_tags)
{
	ethernet(0x8100);
	PUT(0x6f, 0xff, 0x08, 0x00); /* priority 3, no CFI, 4095 */
	ipv4(1, 8);
	PUT(8, 1, 0, 0, 0xca, 0xfe, 0, 5);
	fill();
	cr_assert_eq(OUTER(ethertype), 0x0800);
	cr_assert_eq(OUTER(first_prio), 3);
	cr_assert_eq(OUTER(first_cfi), 0);
	cr_assert_eq(OUTER(first_vid), 4095);
	cr_assert_eq(OUTER(cvlan_tag), 1);
	cr_assert_eq(OUTER(svlan_tag), 0);
	cr_assert_eq(MISC(outer_second_vid), 0);
	cr_assert_eq(MISC3(icmp_type), 8);
	cr_assert_eq(MISC3(icmp_code), 1);
	cr_assert_eq(MISC3(icmp_header_data), 0xcafe0005);

	len = 0;
	ethernet(0x88a8);
	PUT(0xb0, 0x07, 0x81, 0x00, 0x10, 0x09, 0x86, 0xdd); /* 5, CFI, 7; 0, CFI, 9 */
	ipv6(58, 8);
	PUT(128, 0, 0, 0, 1, 2, 3, 4);
	fill();
	cr_assert_eq(OUTER(ethertype), 0x86dd);
	cr_assert_eq(OUTER(svlan_tag), 1);
	cr_assert_eq(OUTER(cvlan_tag), 0);
	cr_assert_eq(OUTER(first_prio), 5);
	cr_assert_eq(OUTER(first_cfi), 1);
	cr_assert_eq(OUTER(first_vid), 7);
	cr_assert_eq(MISC(outer_second_cvlan_tag), 1);
	cr_assert_eq(MISC(outer_second_svlan_tag), 0);
	cr_assert_eq(MISC(outer_second_cfi), 1);
	cr_assert_eq(MISC(outer_second_vid), 9);
	cr_assert_eq(MISC3(icmpv6_type), 128);
	cr_assert_eq(MISC3(icmpv6_header_data), 0x01020304);
	cr_assert_eq(MISC3(icmp_type), 0);
}

Test(headers, inside_vxlan)
{
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 14 + 4 + 20 + 20);
	udp(4789, 8 + 14 + 4 + 20 + 20);
	PUT(8, 0, 0, 0, 0x12, 0x34, 0x56, 0);
	PUT(6, 6, 6, 6, 6, 6, 4, 4, 4, 4, 4, 4, 0x81, 0, 0, 5, 8, 0);
	ipv4(6, 20);
	tcp();
	fill();
	cr_assert_eq(h.tunnel, STEER_VXLAN);
	cr_assert_eq(MISC(vxlan_vni), 0x123456);
	cr_assert_eq(OUTER(udp_dport), 4789);
	cr_assert_eq(INNER(dmac_47_16), 0x06060606);
	cr_assert_eq(INNER(smac_15_0), 0x0404);
	cr_assert_eq(INNER(first_vid), 5);
	cr_assert_eq(INNER(ethertype), 0x0800);
	cr_assert_eq(INNER(tcp_dport), 80);
	cr_assert_eq(INNER(tcp_flags), 0x112);
	cr_assert_eq(MISC3(inner_tcp_seq_num), 0xdead0001);
	cr_assert_eq(MISC3(outer_tcp_seq_num), 0);
}

Test(headers, inside_vxlan_gpe)
{
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 20 + 8);
	udp(4790, 8 + 20 + 8);
	PUT(0x0c, 0, 0, 1, 0x12, 0x34, 0x56, 0); /* I, P; IPv4 follows */
	ipv4(17, 8);
	udp(53, 0);
	fill();
	cr_assert_eq(h.tunnel, STEER_VXLAN_GPE);
	cr_assert_eq(MISC3(outer_vxlan_gpe_vni), 0x123456);
	cr_assert_eq(MISC3(outer_vxlan_gpe_flags), 0x0c);
	cr_assert_eq(MISC3(outer_vxlan_gpe_next_protocol), 1);
	cr_assert_eq(MISC(vxlan_vni), 0);
	cr_assert_eq(INNER(udp_dport), 53);
	cr_assert_eq(INNER(ethertype), 0, "no Ethernet header");
}

Test(headers, inside_gtpu)
{
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 4 + 8 + 20 + 8);
	udp(2152, 8 + 4 + 8 + 20 + 8);
	PUT(0x34, 255, 0, 40, 0xca, 0xfe, 0xba, 0xbe); /* with extension headers */
	PUT(0, 0, 0, 0x85);	     /* the first is a PDU session container */
	PUT(2, 0, 1, 0, 0, 0, 0, 0); /* of 8 bytes, the last one */
	ipv4(17, 8);
	udp(53, 0);
	fill();
	cr_assert_eq(h.tunnel, STEER_GTPU);
	cr_assert_eq(MISC3(gtpu_teid), 0xcafebabe);
	cr_assert_eq(MISC3(gtpu_msg_type), 255);
	cr_assert_eq(MISC3(gtpu_msg_flags), 0x34);
	cr_assert_eq(INNER(udp_dport), 53);
}

/* An echo request carries no packet; a chain of extension headers that does not end has none
 * either. */
Test(headers, nothing_inside_gtpu)
{
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 20 + 8);
	udp(2152, 8 + 20 + 8);
	PUT(0x30, 1, 0, 28, 0, 0, 0, 1);
	ipv4(17, 8);
	udp(53, 0);
	fill();
	cr_assert_eq(MISC3(gtpu_msg_type), 1);
	cr_assert_eq(INNER(ip_version), 0);
	start();
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 4 + 4);
	udp(2152, 8 + 4 + 4);
	PUT(0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0x85, 0, 0, 0, 0x85);
	fill();
	cr_assert_eq(MISC3(gtpu_teid), 1);
	cr_assert_eq(INNER(ip_version), 0);
}

Test(headers, inside_geneve_gre_and_ip)
{
	ethernet(0x86dd);
	ipv6(17, 8 + 8 + 4 + 20 + 8);
	udp(6081, 8 + 4 + 20 + 8);
	PUT(1, 0x80, 8, 0, 0xab, 0xcd, 0xef, 0, 0, 0, 0, 0); /* one dword of options, OAM */
	ipv4(17, 8);
	udp(53, 0);
	fill();
	cr_assert_eq(h.tunnel, STEER_GENEVE);
	cr_assert_eq(MISC(geneve_vni), 0xabcdef);
	cr_assert_eq(MISC(geneve_opt_len), 1);
	cr_assert_eq(MISC(geneve_oam), 1);
	cr_assert_eq(MISC(geneve_protocol_type), 0x0800);
	cr_assert_eq(INNER(udp_dport), 53);
	cr_assert_eq(INNER(ip_version), 4);

	len = 0;
	ethernet(0x0800);
	ipv4(47, 16 + 40 + 8);
	PUT(0xb0, 0, 0x86, 0xdd, 0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 1); /* C, K, S */
	ipv6(17, 8);
	udp(53, 0);
	fill();
	cr_assert_eq(MISC(gre_protocol), 0x86dd);
	cr_assert_eq(PRM_GET(gre_key, match + 0x50, key), 0xdeadbeef);
	cr_assert_eq(MISC(gre_c_present), 1);
	cr_assert_eq(MISC(gre_k_present), 1);
	cr_assert_eq(MISC(gre_s_present), 1);
	cr_assert_eq(INNER(udp_dport), 53);
	cr_assert_eq(MISC(inner_ipv6_flow_label), 0xabcde);

	len = 0;
	ethernet(0x0800);
	ipv4(4, 20 + 20);
	ipv4(6, 20);
	tcp();
	fill();
	cr_assert_eq(h.tunnel, STEER_IP_IN_IP);
	cr_assert_eq(INNER(tcp_dport), 80);
	cr_assert_eq(OUTER(tcp_dport), 0);
}

Test(headers, of_mpls_roce_and_esp)
{
	ethernet(0x8847);
	PUT(0x12, 0x34, 0x53, 64);
	fill();
	cr_assert_eq(PRM_GET(fte_match_mpls, match + 0xc0, mpls_label), 0x12345);
	cr_assert_eq(PRM_GET(fte_match_mpls, match + 0xc0, mpls_s_bos), 1);
	cr_assert_eq(OUTER(ip_version), 0);

	len = 0;
	ethernet(0x0800);
	ipv4(17, 8 + 8 + 20);
	udp(6635, 8 + 20);
	PUT(0, 0, 0x10, 64, 0, 0, 0x21, 64); /* labels 1, 2 */
	ipv4(1, 0);
	fill();
	cr_assert_eq(h.tunnel, STEER_MPLS_UDP);
	cr_assert_eq(PRM_GET(fte_match_mpls, match + 0xcc, mpls_label), 1);
	cr_assert_eq(INNER(ip_protocol), 1);

	len = 0;
	ethernet(0x0800);
	ipv4(17, 20);
	udp(4791, 12);
	PUT(0x04, 0, 0xff, 0xff, 0, 0x0a, 0x0b, 0x0c, 0, 0, 0, 1);
	fill();
	cr_assert_eq(MISC(bth_opcode), 4);
	cr_assert_eq(MISC(bth_dst_qp), 0x0a0b0c);

	len = 0;
	ethernet(0x0800);
	ipv4(50, 8);
	PUT(1, 2, 3, 4, 0, 0, 0, 1);
	fill();
	cr_assert_eq(MISC(outer_esp_spi), 0x01020304);
}

/* Every prefix of a packet, in memory that ends there. */
Test(headers, that_are_cut_off)
{
	uint8_t *exact;

	ethernet(0x88a8);
	PUT(0, 1, 0x81, 0, 0, 2, 8, 0);
	ipv4(17, 8 + 8 + 14 + 40 + 8);
	udp(4789, 8 + 14 + 40 + 8);
	PUT(8, 0, 0, 0, 0, 0, 1, 0);
	ethernet(0x86dd);
	ipv6(17, 8);
	udp(53, 0);
	for (size_t n = 0; n <= len; n++) {
		struct steer_packet p = { .len = n };

		exact = malloc(n ? n : 1);
		memcpy(exact, bytes, n);
		p.bytes = exact;
		cr_assert_eq(steer_parse(&h, exact, n), n >= 14);
		if (n >= 14)
			steer_match(match, &p, &h);
		free(exact);
	}
	cr_assert_eq(INNER(udp_dport), 53);
}

/* Bytes that are nearly a packet: a tunnel's headers with 1 to 8 bytes changed, of any
 * length. */
Test(headers, of_garbage)
{
	struct steer_packet p = { 0 };
	uint32_t seed = 1;
	uint8_t *exact;

	ethernet(0x8100);
	PUT(0, 1, 8, 0);
	ipv4(17, 8 + 12 + 14 + 40 + 20);
	udp(6081, 12 + 14 + 40 + 20);
	PUT(1, 0, 0x65, 0x58, 0, 0, 5, 0, 0, 0, 0, 0);
	ethernet(0x86dd);
	ipv6(6, 20);
	tcp();
	for (unsigned int i = 0; i < 100000; i++) {
		p.len = 14 + (seed = seed * 1103515245 + 12345) / 65536 % (len - 13);
		p.bytes = exact = malloc(p.len);
		memcpy(exact, bytes, p.len);
		for (uint32_t k = 0; k <= i % 8; k++) {
			seed = seed * 1103515245 + 12345;
			exact[seed / 65536 % p.len] = seed >> 8;
		}
		cr_assert(steer_parse(&h, exact, p.len));
		steer_match(match, &p, &h);
		cr_assert_leq(h.outer.end, p.len);
		cr_assert_leq(h.inner.end, p.len);
		free(exact);
	}
}
