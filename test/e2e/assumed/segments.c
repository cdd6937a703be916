/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about segmentation (TSO) and of headers at anchors, in the form
 * that asks an adapter: see completions.c and packets.c.
 */
#include <infiniband/mlx5dv.h>
#include <prm/prm.h>

#include "e2e/flow/ethernet.h"
#include "lib/connect.h"
#include "lib/qp_traffic.h"

/* ---- segmentation ---- */

enum { HEADERS = 54, DATA = 250, MSS = 100, SEGMENTS = 3, ID = 0x1234 };
enum { FIN = 1, PSH = 8, ACK = 0x10, CWR = 0x80 };

/* Ethernet, IPv4, TCP with all flags whose place TSO decides. */
static void put_headers(uint8_t *p)
{
	static const uint8_t rest[HEADERS - 12] = {
		8, 0,  0x45, 0, 1, 34, ID >> 8, ID & 0xff, 0, 0, 64,   6,
		0, 0,  10,   0, 0, 1,  10,	0,	   0, 2, 0,    99,
		0, 80, 0,    0, 0, 1,  0,	0,	   0, 2, 0x50, CWR | ACK | PSH | FIN,
		1, 0,  0,    0, 0, 0
	};

	memcpy(p, eth.mac, 6);
	memcpy(p + 6, eth.mac, 6);
	memcpy(p + 12, rest, sizeof(rest));
}

static struct ibv_qp_ex *tso_qp(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = eth.send_cq,
		.recv_cq = eth.send_cq,
		.cap = { .max_send_wr = 4, .max_send_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = eth.pd,
		.max_tso_header = HEADERS,
		.send_ops_flags = IBV_QP_EX_WITH_TSO,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(eth.ctx, &init);

	cr_assert(qp, "a QP for TSO: %s", strerror(errno));
	cr_assert_eq(connect_qp(qp, &(struct ibv_qp_attr){ 0 }), 0);
	return ibv_qp_to_qp_ex(qp);
}

static void send_segments(struct ibv_qp_ex *qp)
{
	uint8_t headers[HEADERS];
	struct ibv_wc wc;

	put_headers(headers);
	ibv_wr_start(qp);
	qp->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM;
	ibv_wr_send_tso(qp, headers, HEADERS, MSS);
	ibv_wr_set_sge(qp, eth.mr->lkey, (uintptr_t)eth.frame, DATA);
	cr_assert_eq(ibv_wr_complete(qp), 0);
	while (!ibv_poll_cq(eth.send_cq, 1, &wc))
		;
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
}

/* The segments, as queue 0 receives them. */
static void segments(const uint8_t *segment[SEGMENTS])
{
	static const uint32_t wanted[] = { HEADERS + MSS, HEADERS + MSS,
					   HEADERS + DATA - 2 * MSS };
	struct ibv_qp_ex *qp;

	ethernet_open();
	ethernet_rules("kernel");
	rule("ingress pattern ipv4 / tcp / end actions queue / end");
	qp = tso_qp();
	send_segments(qp);
	for (int i = 0; i < SEGMENTS; i++) {
		struct ibv_poll_cq_attr attr = { 0 };

		while (ibv_start_poll(eth.cq[0], &attr))
			;
		cr_assert_eq(eth.cq[0]->status, IBV_WC_SUCCESS);
		cr_assert_eq(ibv_wc_read_byte_len(eth.cq[0]), wanted[i]);
		segment[i] = eth.received[0][eth.cq[0]->wr_id];
		ibv_end_poll(eth.cq[0]);
	}
	cr_assert_eq(ibv_destroy_qp(&qp->qp_base), 0);
}

Test(assumed, tso_counts_the_ip_identification)
{
	const uint8_t *segment[SEGMENTS];

	segments(segment);
	for (int i = 0; i < SEGMENTS; i++)
		cr_assert_eq(segment[i][18] << 8 | segment[i][19], ID + i);
	ethernet_close();
}

Test(assumed, tso_flags_are_those_of_gso)
{
	const uint8_t *segment[SEGMENTS];

	segments(segment);
	cr_assert_eq(segment[0][47], CWR | ACK);
	cr_assert_eq(segment[1][47], ACK);
	cr_assert_eq(segment[2][47], ACK | PSH | FIN);
	ethernet_close();
}

/* ---- anchors ---- */

static struct devx_obj table, group, entry, reformat;

/* Four bytes less, from the TCP or UDP header on. */
static void create_removal(void)
{
	enum { BYTES = 4 };
	uint8_t in[PRM_SZ(alloc_packet_reformat_context_in)] = { 0 };
	uint8_t out[PRM_SZ(alloc_packet_reformat_context_out)] = { 0 };
	uint8_t *ctx = PRM_ADDR(alloc_packet_reformat_context_in, in, packet_reformat_context);

	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, PRM_REFORMAT_REMOVE_HDR);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, BYTES);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0,
		PRM_REFORMAT_CONTEXT_ANCHOR_TCP_UDP_START);
	cr_assert_eq(devx_obj_create(&reformat, eth.ctx, in, sizeof(in), out, sizeof(out)), 0);
}

static uint32_t tirn_of(struct ibv_qp *qp)
{
	struct mlx5dv_qp dv = { .comp_mask = MLX5DV_QP_MASK_RAW_QP_HANDLES };
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = &dv } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	return dv.tirn;
}

/* A table whose only entry removes, and goes to queue 0. */
static void create_table(void)
{
	struct devx_flow_dest dest = { PRM_DEST_TYPE_TIR, tirn_of(eth.qp[0]) };
	struct devx_flow_table_attr attr = { .level = 70, .reformat_en = true };
	struct devx_flow_group_attr all = { 0 };
	struct devx_flow_entry_attr e = { .dest = &dest, .n_dest = 1 };

	cr_assert_eq(devx_flow_table_create(&table, eth.ctx, &attr), 0);
	all.table_id = e.table_id = table.id;
	cr_assert_eq(devx_flow_group_create(&group, eth.ctx, &all), 0);
	e.group_id = group.id;
	e.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST | PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT;
	e.packet_reformat_id = reformat.id;
	cr_assert_eq(devx_flow_entry_create(&entry, eth.ctx, &e), 0);
}

static uint32_t next_length(void)
{
	struct ibv_poll_cq_attr attr = { 0 };
	uint32_t len;

	while (ibv_start_poll(eth.cq[0], &attr))
		;
	cr_assert_eq(eth.cq[0]->status, IBV_WC_SUCCESS);
	len = ibv_wc_read_byte_len(eth.cq[0]);
	ibv_end_poll(eth.cq[0]);
	return len;
}

/* A datagram is shortened, a packet that is no IP is not. */
Test(assumed, anchors_that_a_packet_lacks)
{
	struct devx_obj *tables[] = { &table };
	char text[128];

	ethernet_open();
	create_removal();
	create_table();
	eth.targets.table = tables;
	eth.targets.n_table = 1;
	ethernet_rules("kernel");
	snprintf(text, sizeof(text), "ingress pattern end actions devx_table id %u / end",
		 table.id);
	rule(text);
	send_udp(1000);
	cr_assert_eq(next_length(), FRAME - 4);
	eth.frame[12] = 0x88;
	eth.frame[13] = 0xb5;
	send_frame(FRAME);
	cr_assert_eq(next_length(), FRAME);
	dv_flow_close(eth.port);
	eth.port = NULL;
	cr_assert_eq(devx_flow_entry_destroy(&entry), 0);
	cr_assert_eq(devx_flow_group_destroy(&group), 0);
	cr_assert_eq(devx_flow_table_destroy(&table), 0);
	cr_assert_eq(devx_packet_reformat_destroy(&reformat), 0);
	ethernet_close();
}
