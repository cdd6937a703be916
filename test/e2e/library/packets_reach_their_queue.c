/* SPDX-License-Identifier: BSD-2-Clause */
/* Ethernet packets between raw packet QPs of libmlx5, by WQEs of dv and of libmlx5, on a
 * multicast address that comes back to the port. Bytes of packets as scapy makes them
 * (2.5.0). */
#include <dv/eth.h>
#include <dv/mp.h>
#include <dv/packet.h>
#include <endian.h>
#include <errno.h>

#include "fixture.h"
#include "lib/connect.h"

enum { HEADERS = 42, PACKET = 72, TCP_HEADERS = 54 };

/* 10.0.0.1:1000 to 10.0.0.2:2000; the sums are what the device has to write. */
static const uint8_t udp[PACKET + 1] =
	"\x01\x50\x56\x19\x20\xa7\x02\x00\x00\x00\x00\x01\x08\x00\x45\x00\x00\x3a\x00\x07"
	"\x00\x00\x40\x11\x66\xaa\x0a\x00\x00\x01\x0a\x00\x00\x02\x03\xe8\x07\xd0\x00\x26"
	"\x6c\x0c"
	"hello, wire of an odd length 1";

/* From port 5 to 6, sequence 1000, with ACK and PSH; the length is of no packet. */
static const uint8_t tcp[TCP_HEADERS + 1] =
	"\x01\x50\x56\x19\x20\xa7\x02\x00\x00\x00\x00\x01\x08\x00\x45\x00\x00\x28\x00\x01"
	"\x00\x00\x40\x06\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02\x00\x05\x00\x06\x00\x00"
	"\x03\xe8\x00\x00\x00\x00\x50\x18\x20\x00\x00\x00\x00\x00";

static struct end tx, rx;
static struct ibv_flow *rule;

static void make(struct end *e)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.cap = { 64, 64, 4, 1, 0 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER,
		.pd = f.pd,
		.max_tso_header = 128,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC,
	};

	e->ibcq = ibv_create_cq(f.ctx, 255, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = e->ibcq;
	e->qp = mlx5dv_create_qp(f.ctx, &attr, &dv);
	if (!e->qp && (errno == EPERM || errno == EOPNOTSUPP))
		cr_skip_test("no raw packet QPs");
	cr_assert_not_null(e->qp);
	cr_assert_eq(connect_qp(e->qp, &(struct ibv_qp_attr){ 0 }), 0);
}

/* dv polls the CQ from now on. */
static void map(struct end *e)
{
	cr_assert_eq(dv_sq_map(&e->sq, e->qp), 0);
	cr_assert_eq(dv_rq_map(&e->rq, e->qp), 0);
	cr_assert_eq(dv_cq_map(&e->cq, e->ibcq), 0);
}

static struct ibv_flow *lead_to(struct ibv_qp *qp)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
	} flow = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL,
			  .size = sizeof(flow),
			  .num_of_specs = 1,
			  .port = 1 },
		.eth = { .type = IBV_FLOW_SPEC_ETH, .size = sizeof(flow.eth) },
	};
	struct ibv_flow *made;

	memcpy(flow.eth.val.dst_mac, udp, 6);
	memset(flow.eth.mask.dst_mac, 0xff, 6);
	made = ibv_create_flow(qp, &flow.attr);
	if (!made && (errno == EOPNOTSUPP || errno == EPERM))
		cr_skip_test("no flow rules");
	cr_assert_not_null(made, "%s", strerror(errno));
	return made;
}

static void up(void)
{
	make(&tx);
	make(&rx);
	rule = lead_to(rx.qp);
}

static void down(void)
{
	cr_assert_eq(ibv_destroy_flow(rule), 0);
	fixture_destroy(&tx);
	fixture_destroy(&rx);
}

static void send_now(void)
{
	ring(&tx);
}

/* The CQE of the next packet. */
static struct mlx5_cqe64 arrived(uint32_t len)
{
	struct mlx5_cqe64 cqe = completion(&rx);

	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_RESP_SEND);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), len, "%u bytes", dv_cqe_byte_cnt(&cqe));
	return cqe;
}

TestSuite(packets, .init = fixture_start, .fini = fixture_stop);

Test(packets, with_inline_headers_and_checksums)
{
	struct ibv_sge rest = src_sge(HEADERS, PACKET - HEADERS);
	uint8_t headers[HEADERS];
	struct mlx5_cqe64 cqe;

	up();
	map(&tx);
	map(&rx);
	receive(&rx, dst_sge(0, 2048));
	memcpy(headers, udp, HEADERS);
	memset(headers + 24, 0x5a, 2);
	memset(headers + 40, 0xa5, 2);
	memcpy(f.src + HEADERS, udp + HEADERS, PACKET - HEADERS);
	cr_assert_eq(dv_sq_send_eth(&tx.sq, SIGNALLED,
				    MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM,
				    (struct dv_eth_hdr){ headers, HEADERS }, &rest, 1),
		     0);
	send_now();
	cqe = arrived(PACKET);
	cr_assert_arr_eq(f.dst, udp, PACKET);
	cr_assert(dv_packet_csum_ok(&cqe));
	cr_assert_eq(dv_packet_l4(&cqe), DV_PACKET_L4_UDP);
	cr_assert_not(dv_packet_is_fragment(&cqe));
	down();
}

Test(packets, with_a_tag)
{
	struct ibv_sge all = src_sge(0, PACKET);

	up();
	map(&tx);
	map(&rx);
	receive(&rx, dst_sge(0, 2048));
	memcpy(f.src, udp, PACKET);
	cr_assert_eq(dv_sq_send_eth_vlan(&tx.sq, SIGNALLED, 0, 0x6123, &all, 1), 0);
	send_now();
	arrived(PACKET + 4);
	cr_assert_arr_eq(f.dst, udp, 12);
	cr_assert_arr_eq(f.dst + 12, "\x81\x00\x61\x23", 4);
	cr_assert_arr_eq(f.dst + 16, udp + 12, PACKET - 12);
	down();
}

static uint32_t word(const uint8_t *at)
{
	uint32_t be;

	memcpy(&be, at, sizeof(be));
	return be32toh(be);
}

Test(packets, of_a_segmented_message)
{
	static const uint32_t len[3] = { 1000, 1000, 500 };
	struct ibv_sge payload = src_sge(0, 2500);

	up();
	map(&tx);
	map(&rx);
	for (uint32_t i = 0; i < 3; i++)
		receive(&rx, dst_sge(i * 2048, 2048));
	cr_assert_eq(dv_sq_tso(&tx.sq, SIGNALLED, MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM,
			       1000, (struct dv_eth_hdr){ tcp, TCP_HEADERS }, &payload, 1),
		     0);
	send_now();
	for (uint32_t i = 0; i < 3; i++) {
		const uint8_t *p = f.dst + (size_t)i * 2048;
		struct mlx5_cqe64 cqe = arrived(TCP_HEADERS + len[i]);

		cr_assert(dv_packet_csum_ok(&cqe));
		cr_assert_eq(word(p + 16) >> 16, 40 + len[i], "length of IP");
		cr_assert_eq(word(p + 38), 1000 + i * 1000, "sequence number");
		cr_assert_eq(p[47], i == 2 ? 0x18 : 0x10, "PSH is of the last one");
		cr_assert_arr_eq(p + TCP_HEADERS, f.src + (size_t)i * 1000, len[i]);
	}
	down();
}

static struct ibv_wc polled(struct ibv_cq *cq)
{
	time_t end = time(NULL) + 10;
	struct ibv_wc wc;

	while (!ibv_poll_cq(cq, 1, &wc))
		cr_assert_lt(time(NULL), end, "no completion within 10 s");
	return wc;
}

/* libmlx5 puts the first 18 bytes, or none, into its WQE. */
Test(packets, of_libmlx5)
{
	struct ibv_sge from = src_sge(0, PACKET), to = dst_sge(0, 2048);
	struct ibv_recv_wr recv = { .wr_id = 5, .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = { .wr_id = 7,
				    .sg_list = &from,
				    .num_sge = 1,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM },
			   *bad_send;
	struct ibv_wc wc;

	up();
	memcpy(f.src, udp, PACKET);
	memset(f.src + 24, 0x5a, 2);
	cr_assert_eq(ibv_post_recv(rx.qp, &recv, &bad_recv), 0);
	cr_assert_eq(ibv_post_send(tx.qp, &send, &bad_send), 0);
	wc = polled(tx.ibcq);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
	cr_assert_eq(wc.wr_id, 7);
	wc = polled(rx.ibcq);
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
	cr_assert_eq(wc.wr_id, 5);
	cr_assert_eq(wc.byte_len, PACKET);
	cr_assert(wc.wc_flags & IBV_WC_IP_CSUM_OK);
	cr_assert_arr_eq(f.dst, udp, PACKET);
	down();
}

/* A QP without a hash, whose table has one entry: a striding RQ. */
struct spread {
	struct ibv_cq *ibcq;
	struct ibv_wq *wq;
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
	struct dv_cq cq;
	struct dv_mp mp;
};

static void make_striding(struct spread *s)
{
	struct mlx5dv_striding_rq_init_attr strides = { .single_stride_log_num_of_bytes = 6,
							.single_wqe_log_num_of_strides = 9 };
	struct mlx5dv_wq_init_attr dv = { .comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ,
					  .striding_rq_attrs = strides };
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1 };
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	s->ibcq = ibv_create_cq(f.ctx, 255, NULL, NULL, 0);
	attr.pd = f.pd;
	attr.cq = s->ibcq;
	s->wq = mlx5dv_create_wq(f.ctx, &attr, &dv);
	if (!s->wq && (errno == EPERM || errno == EOPNOTSUPP))
		cr_skip_test("no striding RQs");
	cr_assert_not_null(s->wq);
	cr_assert_eq(ibv_modify_wq(s->wq, &ready), 0);
	cr_assert_eq(dv_mp_map(&s->mp, s->wq, &strides), 0);
	cr_assert_eq(dv_cq_map(&s->cq, s->ibcq), 0);
}

static void make_spread(struct spread *s)
{
	static uint8_t key[40];
	struct ibv_rwq_ind_table_init_attr one = { .ind_tbl = &s->wq };
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = f.pd,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				  .rx_hash_key_len = sizeof(key),
				  .rx_hash_key = key },
	};

	make_striding(s);
	s->table = ibv_create_rwq_ind_table(f.ctx, &one);
	cr_assert_not_null(s->table);
	attr.rwq_ind_tbl = s->table;
	s->qp = mlx5dv_create_qp(f.ctx, &attr, &dv);
	cr_assert_not_null(s->qp, "%s", strerror(errno));
}

static void destroy_spread(struct spread *s)
{
	cr_assert_eq(ibv_destroy_qp(s->qp), 0);
	cr_assert_eq(ibv_destroy_rwq_ind_table(s->table), 0);
	cr_assert_eq(ibv_destroy_wq(s->wq), 0);
	cr_assert_eq(ibv_destroy_cq(s->ibcq), 0);
}

static const struct mlx5_cqe64 *next_of(struct spread *s)
{
	time_t end = time(NULL) + 10;
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(&s->cq)))
		cr_assert_lt(time(NULL), end, "no completion within 10 s");
	cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_RESP_SEND);
	return cqe;
}

Test(packets, in_strides)
{
	struct ibv_sge all = src_sge(0, PACKET), buffer = dst_sge(0, 512 * 64);
	struct spread s;

	make(&tx);
	map(&tx);
	make_spread(&s);
	rule = lead_to(s.qp);
	cr_assert_eq(dv_mp_post(&s.mp, &buffer), 0);
	dv_mp_doorbell(&s.mp);
	memcpy(f.src, udp, PACKET);
	for (uint16_t i = 0; i < 3; i++) {
		const struct mlx5_cqe64 *cqe;
		struct dv_mp_packet p;

		cr_assert_eq(dv_sq_send_eth(&tx.sq, SIGNALLED, 0, (struct dv_eth_hdr){ "", 0 },
					    &all, 1),
			     0);
		send_now();
		cqe = next_of(&s);
		p = dv_mp_read(&s.mp, cqe);
		cr_assert_eq(p.data, (char *)f.dst + (size_t)i * 128);
		cr_assert_eq(p.len, PACKET);
		cr_assert_not(p.filler);
		cr_assert_arr_eq(p.data, udp, PACKET);
		cr_assert_not(p.last);
		dv_mp_retire(&s.mp, cqe);
		dv_cq_release(&s.cq);
	}
	cr_assert_eq(ibv_destroy_flow(rule), 0);
	destroy_spread(&s);
	fixture_destroy(&tx);
}
