/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about packets on their way through rules, in the form that asks
 * an adapter: see completions.c. A raw packet QP sends to the own MAC address; rules bring the
 * packets to one of two queues.
 */
#include <infiniband/mlx5dv.h>
#include <prm/prm.h>

#include <devx/raw.h>

#include "e2e/flow/ethernet.h"
#include "lib/qp_traffic.h"

/* The next packet of queue 0. */
static const uint8_t *received(uint32_t *len, enum ibv_wc_status status)
{
	struct ibv_poll_cq_attr attr = { 0 };
	const uint8_t *p;

	while (ibv_start_poll(eth.cq[0], &attr))
		;
	cr_assert_eq(eth.cq[0]->status, status);
	p = eth.received[0][eth.cq[0]->wr_id];
	*len = status ? 0 : ibv_wc_read_byte_len(eth.cq[0]);
	ibv_end_poll(eth.cq[0]);
	return p;
}

/* Sends @n bytes after the MAC addresses; the frame has @len bytes. */
static void send_bytes(const uint8_t *bytes, size_t n, uint32_t len)
{
	memset(eth.frame, 0, sizeof(eth.frame));
	memcpy(eth.frame, eth.mac, 6);
	memcpy(eth.frame + 6, eth.mac, 6);
	memcpy(eth.frame + 12, bytes, n);
	send_frame(len);
}

#define SEND(len, ...)                                                                         \
	send_bytes((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), \
		   len)

/* The packet arrives as it was sent. */
static void arrives_as_sent(void)
{
	uint32_t len;
	const uint8_t *p = received(&len, IBV_WC_SUCCESS);

	cr_assert_eq(len, FRAME);
	cr_assert_arr_eq(p, eth.frame, FRAME);
}

static void open_rules(const char *backend)
{
	ethernet_open();
	ethernet_rules(backend);
}

Test(assumed, flow_tag_0_is_no_tag)
{
	uint32_t tag;

	open_rules("devx");
	rule("ingress pattern ipv4 / udp / end actions tag value 5 / jump group 1 / end");
	rule("ingress group 1 pattern end actions queue / end");
	send_udp(1000);
	cr_assert_eq(receive_udp(0, &tag), 1000);
	cr_assert_eq(tag, 5);
	ethernet_close();
}

Test(assumed, flow_counters_count_octets_without_fcs)
{
	struct devx_flow_count count;
	struct dv_flow *f;

	open_rules("kernel");
	f = rule("ingress pattern ipv4 / udp / end actions count / queue / end");
	send_udp(1000);
	receive_udp(0, NULL);
	cr_assert_eq(dv_flow_query(f, &count), 0);
	cr_assert_eq(count.octets, FRAME);
	ethernet_close();
}

Test(assumed, ip_version_without_ip)
{
	struct {
		size_t size;
		uint64_t bits[64];
	} mask = { .size = 512 }, value = { .size = 512 };
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.match_criteria_enable = PRM_MATCH_OUTER_HEADERS,
		.match_mask = (struct mlx5dv_flow_match_parameters *)&mask,
	};
	struct mlx5dv_flow_action_attr action = { .type = MLX5DV_FLOW_ACTION_DEST_IBV_QP };
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow *flow;

	ethernet_open();
	action.qp = eth.qp[0];
	PRM_SET(fte_match_set_lyr_2_4, mask.bits, ip_version, 0xf);
	matcher = mlx5dv_create_flow_matcher(eth.ctx, &attr);
	cr_assert(matcher);
	flow = mlx5dv_create_flow(matcher, (struct mlx5dv_flow_match_parameters *)&value, 1,
				  &action);
	cr_assert(flow);
	send_udp(1000);
	SEND(FRAME, 8, 6);
	arrives_as_sent();
	cr_assert(queue_is_empty(0));
	cr_assert_eq(ibv_destroy_flow(flow), 0);
	cr_assert_eq(mlx5dv_destroy_flow_matcher(matcher), 0);
	ethernet_close();
}

/* Hop-by-hop, destination options, the fragment header of a whole packet, UDP to port 53. */
Test(assumed, ipv6_extensions)
{
	static const uint8_t packet[] = {
		0x86, 0xdd, 0x60, [7] = 46,  0,		  64,	[42] = 60, 0,  1, 4,  [50] = 44,
		0,    1,    4,	  [58] = 17, [66] = 0x12, 0x34, 0,	   53, 0, 22, [87] = 0
	};

	open_rules("kernel");
	rule("ingress pattern ipv6 proto is 17 / udp dst is 53 / end actions queue / end");
	send_bytes(packet, sizeof(packet), FRAME);
	arrives_as_sent();
	ethernet_close();
}

Test(assumed, fields_that_a_packet_lacks)
{
	uint32_t len;
	const uint8_t *p;

	open_rules("devx");
	rule("ingress pattern eth type is 0x88b5 / end actions "
	     "modify_field op set dst_type ipv4_src src_type value src_value 01020304 width 32 / "
	     "modify_field op set dst_type udp_port_dst src_type value src_value 0102 width 16 / "
	     "queue / end");
	rule("ingress pattern eth type is 0x88b6 / end actions "
	     "modify_field op set dst_type mac_src src_type ipv4_src width 16 / queue / end");
	SEND(FRAME, 0x88, 0xb5, 1, 2, 3, 4);
	arrives_as_sent();
	SEND(FRAME, 0x88, 0xb6, 1, 2, 3, 4);
	p = received(&len, IBV_WC_SUCCESS);
	cr_assert_arr_eq(p + 6, eth.mac, 4);
	cr_assert_eq(p[10] | p[11], 0);
	ethernet_close();
}

Test(assumed, pop_without_a_tag)
{
	open_rules("devx");
	rule("ingress pattern ipv4 / udp / end actions of_pop_vlan / queue / end");
	send_udp(1000);
	arrives_as_sent();
	ethernet_close();
}

Test(assumed, decapsulation_without_a_tunnel)
{
	open_rules("devx");
	rule("ingress pattern ipv4 / udp / end actions raw_decap / queue / end");
	send_udp(1000);
	arrives_as_sent();
	ethernet_close();
}

/* RFC 1071: over a header with its checksum. */
static bool checksum_is_right(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

Test(assumed, encapsulation_writes_lengths)
{
	enum { ADDED = 50 };
	char text[256];
	const uint8_t *p;
	uint32_t len;

	open_rules("kernel");
	snprintf(text, sizeof(text),
		 "egress pattern ipv4 / udp dst is 1000 / end actions vxlan_encap vni 1 "
		 "ip-src 1.2.3.4 ip-dst 5.6.7.8 eth-dst %02x:%02x:%02x:%02x:%02x:%02x / end",
		 eth.mac[0], eth.mac[1], eth.mac[2], eth.mac[3], eth.mac[4], eth.mac[5]);
	rule(text);
	rule("ingress pattern ipv4 / udp dst is 4789 / end actions queue / end");
	send_udp(1000);
	p = received(&len, IBV_WC_SUCCESS);
	cr_assert_eq(len, FRAME + ADDED);
	cr_assert_eq(p[16] << 8 | p[17], FRAME + ADDED - 14);
	cr_assert(checksum_is_right(p + 14, 20));
	cr_assert_eq(p[38] << 8 | p[39], FRAME + ADDED - 34);
	cr_assert_eq(p[40] | p[41], 0);
	cr_assert_arr_eq(p + ADDED, eth.frame, FRAME);
	ethernet_close();
}

/* The inner packet is modified, since the tunnel is removed first. */
Test(assumed, order_of_flow_actions)
{
	/* Ethernet, IPv4, UDP to 4789, VXLAN 7 */
	static const uint8_t outer[50] = {
		[6] = 2, [12] = 8, 0,	     0x45,	  [17] = 136, [22] = 64, 17,
		0x66,	 0x63,	   10,	     0,		  0,	      1,	 10,
		0,	 0,	   2,	     [34] = 0x12, 0x34,	      0x12,	 0xb5,
		0,	 116,	   [42] = 8, [48] = 7
	};

	open_rules("devx");
	rule("ingress pattern eth / ipv4 / udp / vxlan vni is 7 / eth / ipv4 / udp / end "
	     "actions set_tp_dst port 7777 / vxlan_decap / queue / end");
	send_udp_with(outer, sizeof(outer), 0, 1000);
	cr_assert_eq(receive_udp(0, NULL), 7777);
	ethernet_close();
}

/* Labels 5 and 6. */
Test(assumed, mpls_labels)
{
	open_rules("kernel");
	rule("ingress pattern eth / mpls label is 6 / end actions queue index 1 / end");
	rule("ingress pattern eth / mpls label is 5 / end actions queue / end");
	SEND(FRAME, 0x88, 0x47, 0, 0, 0x50, 64, 0, 0, 0x61, 64);
	arrives_as_sent();
	ethernet_close();
}

Test(assumed, udp_without_checksum_is_l4_ok)
{
	struct ibv_poll_cq_attr attr = { 0 };

	open_rules("kernel");
	rule("ingress pattern ipv4 / udp / end actions queue / end");
	send_udp(1000);
	while (ibv_start_poll(eth.cq[0], &attr))
		;
	cr_assert(ibv_wc_read_wc_flags(eth.cq[0]) & IBV_WC_IP_CSUM_OK);
	ibv_end_poll(eth.cq[0]);
	ethernet_close();
}

Test(assumed, short_frames_are_padded_with_zeros)
{
	enum { SHORT = 20, SHORTEST = 60 };
	uint8_t zeros[SHORTEST - SHORT] = { 0 };
	const uint8_t *p;
	uint32_t len;

	open_rules("kernel");
	rule("ingress pattern eth type is 0x88b5 / end actions queue / end");
	memset(eth.received, 0xff, sizeof(eth.received));
	SEND(SHORT, 0x88, 0xb5, 1, 2, 3, 4, 5, 6);
	p = received(&len, IBV_WC_SUCCESS);
	cr_assert_eq(len, SHORTEST);
	cr_assert_arr_eq(p, eth.frame, SHORT);
	cr_assert_arr_eq(p + SHORT, zeros, sizeof(zeros));
	ethernet_close();
}

static enum ibv_wc_status send_from(const void *from, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)from, len, eth.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	cr_assert_eq(ibv_post_send(eth.qp[0], &wr, &bad), 0);
	while (!ibv_poll_cq(eth.send_cq, 1, &wc))
		;
	return wc.status;
}

/* 3000 bytes for a buffer of 2048; then one that fits. */
Test(assumed, ethernet_packet_longer_than_its_buffer)
{
	uint8_t *frame = eth.received[1][0];
	uint32_t len;

	open_rules("kernel");
	rule("ingress pattern eth type is 0x88b5 / end actions queue / end");
	memcpy(frame, eth.mac, 6);
	memcpy(frame + 6, eth.mac, 6);
	frame[12] = 0x88;
	frame[13] = 0xb5;
	cr_assert_eq(send_from(frame, 3000), IBV_WC_SUCCESS);
	received(&len, IBV_WC_LOC_LEN_ERR);
	SEND(FRAME, 0x88, 0xb5);
	arrives_as_sent();
	ethernet_close();
}

Test(assumed, ethernet_wqe_lengths)
{
	ethernet_open();
	cr_assert_eq(send_from(eth.frame, 13), IBV_WC_LOC_LEN_ERR);
	ethernet_close();
}

/* ---- RSS ---- */

/* A hash over the two queues, of source addresses and destination ports of UDP over IPv4; 0x01,
 * 0x02 … is the key. */
static struct rss {
	struct devx_obj rqt, tir, *tirs[1];
} rss;

static uint32_t rqn_of(struct ibv_qp *qp)
{
	struct mlx5dv_qp dv = { .comp_mask = MLX5DV_QP_MASK_RAW_QP_HANDLES };
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = &dv } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	return dv.rqn;
}

static void create_tir(uint8_t function)
{
	enum { SRC_IP = 1, L4_DPORT = 8, UDP = 1, UNICAST = 1 };
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);
	uint8_t *select = PRM_ADDR(tirc, tirc, rx_hash_field_selector_outer);
	uint8_t *key = PRM_ADDR(tirc, tirc, rx_hash_toeplitz_key);

	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, rss.rqt.id);
	PRM_SET(tirc, tirc, self_lb_block, UNICAST);
	PRM_SET(tirc, tirc, rx_hash_fn, function);
	PRM_SET(rx_hash_field_select, select, l4_prot_type, UDP);
	PRM_SET(rx_hash_field_select, select, selected_fields, SRC_IP | L4_DPORT);
	for (unsigned int i = 0; i < 40; i++)
		key[i] = (uint8_t)(i + 1);
	cr_assert_eq(devx_obj_create(&rss.tir, eth.ctx, in, sizeof(in), out, sizeof(out)), 0);
}

static void open_rss(uint8_t function)
{
	uint32_t rqn[QUEUES];
	char text[128];

	ethernet_open();
	for (unsigned int q = 0; q < QUEUES; q++)
		rqn[q] = rqn_of(eth.qp[q]);
	cr_assert_eq(devx_rqt_create(&rss.rqt, eth.ctx, rqn, QUEUES, QUEUES), 0);
	create_tir(function);
	rss.tirs[0] = &rss.tir;
	eth.targets.tir = rss.tirs;
	eth.targets.n_tir = 1;
	ethernet_rules("kernel");
	snprintf(text, sizeof(text), "ingress pattern end actions tir number %u / end",
		 rss.tir.id);
	rule(text);
}

static void close_rss(void)
{
	dv_flow_close(eth.port);
	eth.port = NULL;
	cr_assert_eq(devx_tir_destroy(&rss.tir), 0);
	cr_assert_eq(devx_rqt_destroy(&rss.rqt), 0);
	ethernet_close();
}

/* The hashed fields of send_udp(): 10.0.0.1 and the port. */
static void hash_input(uint16_t port, uint8_t input[6])
{
	memcpy(input, (const uint8_t[]){ 10, 0, 0, 1, (uint8_t)(port >> 8), (uint8_t)port }, 6);
}

/* For each 1 of the input, the 32 bits of the key from there on. */
static uint32_t toeplitz(uint16_t port)
{
	uint8_t input[6];
	uint32_t hash = 0;

	hash_input(port, input);
	for (unsigned int i = 0; i < 48; i++)
		for (unsigned int b = 0; b < 32 && input[i / 8] >> (7 - i % 8) & 1; b++) {
			unsigned int at = i + b, key = at / 8 + 1;

			hash ^= (key >> (7 - at % 8) & 1) << (31 - b);
		}
	return hash;
}

static uint32_t xor8(uint16_t port)
{
	uint8_t input[6], sum = 0;

	hash_input(port, input);
	for (unsigned int i = 0; i < 6; i++)
		sum ^= input[i];
	return (uint8_t)~sum;
}

static void spreads_like(uint8_t function, uint32_t (*hash)(uint16_t port))
{
	open_rss(function);
	for (uint16_t port = 1000; port < 1012; port++) {
		send_udp(port);
		cr_assert_eq(receive_udp(hash(port) % QUEUES, NULL), port);
	}
	close_rss();
}

Test(assumed, partial_hash_is_a_concatenation)
{
	spreads_like(PRM_RX_HASH_FN_TOEPLITZ, toeplitz);
}

Test(assumed, inverted_xor8_is_of_all_bytes)
{
	spreads_like(PRM_RX_HASH_FN_INVERTED_XOR8, xor8);
}

/* ARP, and IPv4 without ports. */
Test(assumed, rss_of_another_kind)
{
	open_rss(PRM_RX_HASH_FN_TOEPLITZ);
	SEND(FRAME, 8, 6, 0, 1, 2, 3);
	arrives_as_sent();
	SEND(FRAME, 8, 0, 0x45, 0, 0, 86, 0, 0, 0, 0, 64, 99, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2);
	arrives_as_sent();
	cr_assert(queue_is_empty(1));
	close_rss();
}

/* open_rss() makes one with 0. */
Test(assumed, tir_needs_no_transport_domain)
{
	open_rss(PRM_RX_HASH_FN_TOEPLITZ);
	close_rss();
}

/* With an empty bitmask the rest is not read: the table keeps both queues. */
Test(assumed, modify_without_a_bit_changes_nothing)
{
	uint8_t in[PRM_SZ(modify_rqt_in) + 4] = { 0 }, out[PRM_SZ(modify_rqt_out)] = { 0 };
	bool used[QUEUES] = { false };

	open_rss(PRM_RX_HASH_FN_TOEPLITZ);
	PRM_SET(modify_rqt_in, in, opcode, PRM_OP_MODIFY_RQT);
	PRM_SET(modify_rqt_in, in, rqtn, rss.rqt.id);
	cr_assert_eq(devx_obj_modify(&rss.rqt, in, sizeof(in), out, sizeof(out)), 0);
	for (uint16_t port = 1000; port < 1012; port++) {
		send_udp(port);
		cr_assert_eq(receive_udp(toeplitz(port) % QUEUES, NULL), port);
		used[toeplitz(port) % QUEUES] = true;
	}
	cr_assert(used[0] && used[1]);
	close_rss();
}

Test(assumed, rqt_actual_size_is_1_to_max)
{
	uint8_t in[PRM_SZ(create_rqt_in) + 8] = { 0 }, out[PRM_SZ(create_rqt_out)] = { 0 };
	uint8_t *rqtc = PRM_ADDR(create_rqt_in, in, rqt_context);
	static const struct {
		uint32_t actual, max;
	} wrong[] = { { 0, 1 }, { 2, 1 }, { 1, 1 << 31 } };
	struct devx_obj rqt;

	ethernet_open();
	PRM_SET(create_rqt_in, in, opcode, PRM_OP_CREATE_RQT);
	for (unsigned int q = 0; q < QUEUES; q++)
		PRM_SET(rq_num, in + PRM_SZ(create_rqt_in) + 4 * q, rq_num, rqn_of(eth.qp[q]));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		PRM_SET(rqtc, rqtc, rqt_actual_size, wrong[i].actual);
		PRM_SET(rqtc, rqtc, rqt_max_size, wrong[i].max);
		cr_assert_neq(devx_obj_create(&rqt, eth.ctx, in, sizeof(in), out, sizeof(out)),
			      0);
		cr_assert_eq(out[0], PRM_STATUS_BAD_PARAM);
	}
	ethernet_close();
}

Test(assumed, tir_is_direct_or_indirect)
{
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);
	struct devx_obj tir;

	open_rss(PRM_RX_HASH_FN_TOEPLITZ);
	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, inline_rqn, rqn_of(eth.qp[0]));
	cr_assert_eq(devx_obj_create(&tir, eth.ctx, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(devx_tir_destroy(&tir), 0);
	PRM_SET(tirc, tirc, indirect_table, rss.rqt.id);
	cr_assert_neq(devx_obj_create(&tir, eth.ctx, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(out[0], PRM_STATUS_BAD_PARAM);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	cr_assert_neq(devx_obj_create(&tir, eth.ctx, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(out[0], PRM_STATUS_BAD_PARAM);
	close_rss();
}
