/* SPDX-License-Identifier: BSD-2-Clause */
/* headers: where the parser finds them, and what of a packet can be matched. */
#include <stdio.h>

#include "packet.h"
#include "prm/table.h"

TestSuite(headers, .init = start, .fini = stop);

static uint8_t match[HCA_MATCH_SIZE];

static void fill(void)
{
	const struct steer_packet p = { .bytes = bytes, .len = len };

	cr_assert(parse());
	memset(match, 0xee, sizeof(match));
	steer_match(match, &p, &h);
}

/* The match parameters of the packet have the fields of @text: a block of fte_match_param
 * with ":", then words FIELD=VALUE. */
static void finds(const char *text)
{
	const struct prm_struct *param = prm_struct("fte_match_param");
	char path[96], block[32] = "", word[64];
	unsigned long long got;
	int used;

	fill();
	for (; sscanf(text, " %63s%n", word, &used) == 1; text += used) {
		char *is = strchr(word, '=');
		uint64_t wanted = is ? strtoull(is + 1, NULL, 0) : 0, field;

		if (!is) {
			snprintf(block, sizeof(block), "%.*s", (int)strlen(word) - 1, word);
			continue;
		}
		snprintf(path, sizeof(path), "%s.%.*s", block, (int)(is - word), word);
		cr_assert(prm_get(param, match, sizeof(match), path, &field), "no field %s",
			  path);
		got = field;
		cr_assert_eq(field, wanted, "%s is 0x%llx, not %s", path, got, is + 1);
	}
}

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

	build("eth:800 v4:6 tcp");
	fill();
	cr_assert_eq(h.outer.l3, 14);
	cr_assert_eq(h.outer.l4, 34);
	cr_assert_eq(h.outer.end, 54);
	cr_assert_arr_eq(match, outer, sizeof(outer));
	finds("misc_parameters_3: outer_tcp_seq_num=0xdead0001 "
	      "outer_tcp_ack_num=0xbeef0002");
	for (size_t i = 0x80; i < 0x100; i++)
		cr_assert_eq(match[i], 0, "nothing inside");
}

/* Each packet with its fields, and the lengths at which one more of its headers is whole: cut
 * anywhere else, it has the fields of the length before. */
static const struct {
	const char *packet, *ends, *fields;
	enum steer_tunnel tunnel;
} packets[] = {
	{ "eth:0800 v4:6 tcp", "14 34 54", "outer_headers: tcp_dport=80", 0 },
	{ "eth:8100 6fff0800 v4:1 08010000cafe0005", "14 18 38 46",
	  "outer_headers: ethertype=0x0800 first_prio=3 first_cfi=0 first_vid=4095 cvlan_tag=1 "
	  "svlan_tag=0 misc_parameters: outer_second_vid=0 "
	  "misc_parameters_3: icmp_type=8 icmp_code=1 icmp_header_data=0xcafe0005",
	  0 },
	{ "eth:88a8 b0078100100986dd v6:3a 8003000001020304", "14 18 22 62 70",
	  "outer_headers: ethertype=0x86dd svlan_tag=1 cvlan_tag=0 first_prio=5 first_cfi=1 "
	  "first_vid=7 misc_parameters: outer_second_cvlan_tag=1 outer_second_svlan_tag=0 "
	  "outer_second_prio=0 outer_second_cfi=1 outer_second_vid=9 "
	  "misc_parameters_3: icmpv6_type=128 icmpv6_code=3 icmpv6_header_data=0x01020304 "
	  "icmp_type=0",
	  0 },
	/* hop-by-hop, routing of 16 bytes, a fragment header of a whole packet */
	{ "eth:86dd v6:0 2b00000000000000 2c010000000000000000000000000000 1100000000000009 udp:35",
	  "14 54 62 78 86 94",
	  "outer_headers: ip_version=6 ip_protocol=17 udp_sport=0x1234 udp_dport=53 tcp_dport=0 "
	  "ip_dscp=0x1a ip_ecn=1 ttl_hoplimit=64 frag=0 l4_type=2 "
	  "misc_parameters: outer_ipv6_flow_label=0xabcde",
	  0 },
	{ "eth:86dd v6:2c 1100000100000009 udp:35", "14 54 62", /* more fragments */
	  "outer_headers: frag=1 ip_protocol=17 udp_dport=0", 0 },
	/* the first fragment has no layer 4 either (DPDK, mlx5 guide, IP limitations) */
	{ "eth:0800 4500001c000720003f1100000a0000010a000002 udp:35", "14 34",
	  "outer_headers: frag=1 ip_protocol=17 udp_dport=0", 0 },
	{ "eth:0800 4500001c000700013f1100000a0000010a000002 udp:35", "14 34",
	  "outer_headers: frag=1 udp_dport=0", 0 },
	{ "eth:0800 4500001c000740003f1100000a0000010a000002 udp:35", "14 34 42",
	  "outer_headers: frag=0 udp_dport=53", 0 }, /* do not fragment */
	{ "eth:0800 v4:11 udp:12b5 0800000012345600 06060606060604040404040488a8 "
	  "000581002fff0800 v4:6 tcp",
	  "14 34 42 50 64 68 72 92 112",
	  "misc_parameters: vxlan_vni=0x123456 outer_second_vid=0 inner_second_vid=4095 "
	  "inner_second_prio=1 inner_second_cvlan_tag=1 inner_second_svlan_tag=0 "
	  "outer_headers: udp_dport=4789 cvlan_tag=0 "
	  "inner_headers: dmac_47_16=0x06060606 smac_15_0=0x0404 first_vid=5 svlan_tag=1 "
	  "ethertype=0x0800 tcp_dport=80 tcp_flags=0x112 "
	  "misc_parameters_3: inner_tcp_seq_num=0xdead0001 inner_tcp_ack_num=0xbeef0002 "
	  "outer_tcp_seq_num=0",
	  STEER_VXLAN },
	{ "eth:0800 v4:11 udp:12b5 0800000000000100 eth:8848 12345340 ff", "14 34 42 50 64 68",
	  "misc_parameters_2: inner_first_mpls.mpls_label=0x12345 outer_first_mpls.mpls_label=0 "
	  "outer_first_mpls_over_gre.mpls_label=0 "
	  "inner_headers: ip_version=0",
	  STEER_VXLAN },
	{ "eth:0800 v4:11 udp:12b6 0c00000112345600 v4:11 udp:35", "14 34 42 50 70 78",
	  "misc_parameters_3: outer_vxlan_gpe_vni=0x123456 outer_vxlan_gpe_flags=0x0c "
	  "outer_vxlan_gpe_next_protocol=1 misc_parameters: vxlan_vni=0 "
	  "inner_headers: udp_dport=53 ethertype=0",
	  STEER_VXLAN_GPE },
	{ "eth:0800 v4:11 udp:12b6 0c00000212345600 v6:11 udp:35", "14 34 42 50 90 98",
	  "inner_headers: udp_dport=53 misc_parameters: inner_ipv6_flow_label=0xabcde "
	  "outer_ipv6_flow_label=0",
	  STEER_VXLAN_GPE },
	{ "eth:0800 v4:11 udp:12b6 0c00000312345600 eth:86dd v6:32 0102030400000001",
	  "14 34 42 50 64 104 112",
	  "misc_parameters: inner_esp_spi=0x01020304 outer_esp_spi=0 "
	  "inner_headers: ethertype=0x86dd",
	  STEER_VXLAN_GPE },
	{ "eth:0800 v4:11 udp:12b6 0c00000412345600 v4:11 udp:35", "14 34 42 50",
	  "inner_headers: ip_version=0", STEER_VXLAN_GPE },
	/* a PDU session container, the only one in the chain of extension headers */
	{ "eth:0800 v4:11 udp:868 34ff0028cafebabe 00000085 0200010000000000 v4:11 udp:35",
	  "14 34 42 50 82 90",
	  "misc_parameters_3: gtpu_teid=0xcafebabe gtpu_msg_type=255 gtpu_msg_flags=0x34 "
	  "inner_headers: udp_dport=53",
	  STEER_GTPU },
	{ "eth:0800 v4:11 udp:868 32ff0028cafebabe 00010085 v6:11 udp:35", "14 34 42 50 94 102",
	  "inner_headers: udp_dport=53", STEER_GTPU },
	{ "eth:0800 v4:11 udp:868 30ff0028cafebabe v4:11 udp:35", "14 34 42 50 70 78",
	  "inner_headers: udp_dport=53", STEER_GTPU },
	/* an echo request; a chain that does not end; version 2 */
	{ "eth:0800 v4:11 udp:868 3001001c00000001 v4:11 udp:35", "14 34 42 50",
	  "misc_parameters_3: gtpu_msg_type=1 inner_headers: ip_version=0", STEER_GTPU },
	{ "eth:0800 v4:11 udp:868 34ff000800000001 00000085 00000085", "14 34 42 50",
	  "misc_parameters_3: gtpu_teid=1 inner_headers: ip_version=0", STEER_GTPU },
	{ "eth:0800 v4:11 udp:868 50ff0028cafebabe v4:11 udp:35", "14 34 42",
	  "misc_parameters_3: gtpu_teid=0", 0 },
	/* a dword of options, OAM */
	{ "eth:86dd v6:11 udp:17c1 01800800abcdef0000000000 v4:11 udp:35", "14 54 62 74 94 102",
	  "misc_parameters: geneve_vni=0xabcdef geneve_opt_len=1 geneve_oam=1 "
	  "geneve_protocol_type=0x0800 inner_headers: udp_dport=53 ip_version=4",
	  STEER_GENEVE },
	{ "eth:0800 v4:11 udp:17c1 0000655800000100 eth:86dd v6:11 udp:35",
	  "14 34 42 50 64 104 112", "inner_headers: udp_dport=53 ethertype=0x86dd",
	  STEER_GENEVE },
	/* GRE with checksum, key and sequence number; with a key; version 1, and 2 */
	{ "eth:0800 v4:2f b00086dd00000000deadbeef00000001 v6:11 udp:35", "14 34 50 90 98",
	  "misc_parameters: gre_protocol=0x86dd gre_key.key=0xdeadbeef gre_c_present=1 "
	  "gre_k_present=1 gre_s_present=1 inner_ipv6_flow_label=0xabcde "
	  "inner_headers: udp_dport=53",
	  STEER_GRE },
	{ "eth:86dd v6:2f 20006558deadbeef eth:0800 v4:11 udp:35", "14 54 62 76 96 104",
	  "misc_parameters: gre_key.key=0xdeadbeef gre_c_present=0 gre_s_present=0 "
	  "inner_headers: udp_dport=53 ethertype=0x0800",
	  STEER_GRE },
	{ "eth:0800 v4:2f 20016558deadbeef eth:0800 v4:11 udp:35", "14 34 42 56 76 84",
	  "misc_parameters: gre_protocol=0x6558 inner_headers: udp_dport=53", STEER_GRE },
	{ "eth:0800 v4:2f 20020800deadbeef v4:11 udp:35", "14 34",
	  "misc_parameters: gre_protocol=0 inner_headers: ip_version=0", 0 },
	{ "eth:0800 v4:2f 00008847 00001040f0002140 v4:1", "14 34 38 42 66",
	  "misc_parameters_2: outer_first_mpls_over_gre.mpls_label=1 "
	  "outer_first_mpls_over_udp.mpls_label=0 inner_headers: ip_protocol=1 "
	  "misc_parameters: gre_protocol=0x8847",
	  STEER_MPLS_GRE },
	{ "eth:0800 v4:11 udp:19eb 0000104000002140 v4:1", "14 34 42 46 70",
	  "misc_parameters_2: outer_first_mpls_over_udp.mpls_label=1 "
	  "outer_first_mpls_over_gre.mpls_label=0 inner_headers: ip_protocol=1",
	  STEER_MPLS_UDP },
	{ "eth:0800 v4:4 v4:6 tcp", "14 34 54 74",
	  "inner_headers: tcp_dport=80 outer_headers: tcp_dport=0 "
	  "misc_parameters: inner_esp_spi=0 outer_esp_spi=0",
	  STEER_IP_IN_IP },
	{ "eth:86dd v6:29 v6:11 udp:35", "14 54 94 102",
	  "inner_headers: udp_dport=53 ip_version=6", STEER_IP_IN_IP },
	{ "eth:86dd v6:4 v4:32 0102030400000001", "14 54 74 82",
	  "misc_parameters: inner_esp_spi=0x01020304", STEER_IP_IN_IP },
	{ "eth:8847 12345340 ff", "14 18",
	  "misc_parameters_2: outer_first_mpls.mpls_label=0x12345 outer_first_mpls.mpls_exp=1 "
	  "outer_first_mpls.mpls_s_bos=1 outer_first_mpls.mpls_ttl=64 "
	  "inner_first_mpls.mpls_label=0 outer_headers: ip_version=0",
	  0 },
	{ "eth:0800 v4:11 udp:12b7 0400ffff000a0b0c00000001", "14 34 42 54",
	  "misc_parameters: bth_opcode=4 bth_dst_qp=0x0a0b0c", 0 },
	{ "eth:0800 v4:32 0102030400000001", "14 34 42",
	  "misc_parameters: outer_esp_spi=0x01020304", 0 },
	/* later fragments of ESP */
	{ "eth:0800 4500001c00000001403200000a0000010a000002 0102030400000001", "14 34",
	  "misc_parameters: outer_esp_spi=0 outer_headers: ip_protocol=50 frag=1", 0 },
	{ "eth:0800 v4:4 4500001c00000001403200000a0000010a000002 0102030400000001", "14 34 54",
	  "misc_parameters: inner_esp_spi=0 inner_headers: ip_protocol=50 frag=1",
	  STEER_IP_IN_IP },
	/* ICMP of the other version; IP of another version than the type says, or too short */
	{ "eth:0800 v4:3a 8000000001020304", "14 34", "misc_parameters_3: icmpv6_type=0", 0 },
	{ "eth:86dd v6:1 0801000001020304", "14 54", "misc_parameters_3: icmp_type=0", 0 },
	{ "eth:0800 v6:11 udp:35", "14", "outer_headers: ip_version=0", 0 },
	{ "eth:86dd v4:11 udp:35 000000000000000000000000", "14", "outer_headers: ip_version=0",
	  0 },
	{ "eth:0800 4400001c00000000401100000a0000010a000002 udp:35", "14",
	  "outer_headers: ip_version=0", 0 },
	{ "eth:0800 4600002000000000401100000a0000010a00000201010100 udp:35", "14 38 46",
	  "outer_headers: udp_dport=53", 0 },
	/* all after the IP header is padding */
	{ "eth:0800 v4:11 | udp:35", "14 34", "outer_headers: ip_protocol=17 udp_dport=0", 0 },
};

/* Fields that only packets with a word have. */
static const struct {
	const char *word, *fields;
} absent[] = {
	{ "tcp",
	  "misc_parameters_3: outer_tcp_seq_num=0 outer_tcp_ack_num=0 inner_tcp_seq_num=0 "
	  "inner_tcp_ack_num=0 outer_headers: tcp_flags=0 inner_headers: tcp_flags=0" },
	{ "udp:12b5", "misc_parameters: vxlan_vni=0" },
	{ "udp:12b6", "misc_parameters_3: outer_vxlan_gpe_vni=0 outer_vxlan_gpe_flags=0" },
	{ "udp:868", "misc_parameters_3: gtpu_teid=0 gtpu_msg_type=0" },
	{ "udp:17c1", "misc_parameters: geneve_vni=0 geneve_protocol_type=0" },
	{ "udp:12b7", "misc_parameters: bth_opcode=0 bth_dst_qp=0" },
	{ ":2f", "misc_parameters: gre_protocol=0 gre_key.key=0 gre_k_present=0" },
	{ ":32 ", "misc_parameters: outer_esp_spi=0 inner_esp_spi=0" },
	{ "v4:1 ", "misc_parameters_3: icmp_type=0 icmp_code=0 icmp_header_data=0" },
	{ "v6:3a ", "misc_parameters_3: icmpv6_type=0 icmpv6_code=0 icmpv6_header_data=0" },
	{ "eth:8847", "misc_parameters_2: outer_first_mpls.mpls_label=0" },
	{ "eth:8848", "misc_parameters_2: inner_first_mpls.mpls_label=0" },
};

/* In memory that ends there. */
static void fill_cut(size_t n)
{
	uint8_t *exact = malloc(n);
	const struct steer_packet p = { .bytes = exact, .len = n };

	memcpy(exact, bytes, n);
	cr_assert(steer_parse(&h, exact, n));
	cr_assert_leq(h.outer.end, n);
	cr_assert(!h.outer.l3 || h.outer.l3 >= 14, "missing is 0");
	cr_assert(!h.inner.l3 || h.inner.l3 >= 14, "missing is 0");
	steer_match(match, &p, &h);
	free(exact);
}

Test(headers, of_packets_that_are_cut_anywhere)
{
	uint8_t before[HCA_MATCH_SIZE];
	enum steer_tunnel tunnel;

	cr_assert_not(steer_parse(&h, bytes, 13));
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		char ends[128] = "14";

		build(packets[i].packet);
		fill_cut(14);
		for (size_t n = 15; n <= len; n++) {
			memcpy(before, match, sizeof(match));
			tunnel = h.tunnel;
			fill_cut(n);
			if (memcmp(before, match, sizeof(match)) != 0 || h.tunnel != tunnel)
				sprintf(ends + strlen(ends), " %zu", n);
		}
		cr_expect_str_eq(ends, packets[i].ends, "%s: %s", packets[i].packet, ends);
		cr_expect_eq(h.tunnel, packets[i].tunnel, "%s", packets[i].packet);
		finds(packets[i].fields);
		for (size_t k = 0; k < ARRAY_SIZE(absent); k++)
			if (!strstr(packets[i].packet, absent[k].word))
				finds(absent[k].fields);
	}
}

/* Bytes that are nearly a packet: a tunnel's headers with 1 to 8 bytes changed, of any
 * length. */
Test(headers, of_garbage)
{
	struct steer_packet p = { 0 };
	uint32_t seed = 1;
	uint8_t *exact;

	build("eth:8100 00010800 v4:11 udp:17c1 01006558 00000500 00000000 eth:86dd v6:6 tcp");
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
