/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <string.h>
#include <criterion/criterion.h>
#include <infiniband/mlx5dv.h>

#include "lib/device.h"
#include "ethernet.h"
#include "lib/connect.h"

struct ethernet eth;

static void post_receives(unsigned int q)
{
	for (unsigned int i = 0; i < 16; i++) {
		struct ibv_sge sge = { (uintptr_t)eth.received[q][i], 2048, eth.mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		cr_assert_eq(ibv_post_recv(eth.qp[q], &wr, &bad), 0);
	}
}

static void create_queue(unsigned int q)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 64, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_FLOW_TAG
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = eth.send_cq,
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = eth.pd,
	};
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					  .create_flags =
						  MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC };

	eth.cq[q] = ibv_create_cq_ex(eth.ctx, &cq);
	cr_assert(eth.cq[q]);
	attr.recv_cq = ibv_cq_ex_to_cq(eth.cq[q]);
	eth.qp[q] = mlx5dv_create_qp(eth.ctx, &attr, &dv);
	cr_assert(eth.qp[q], "raw packet QP: %s", strerror(errno));
	cr_assert_eq(connect_qp(eth.qp[q], &(struct ibv_qp_attr){ 0 }), 0);
	post_receives(q);
}

/* The link-local GID has the MAC as EUI-64. */
static void read_mac(void)
{
	union ibv_gid gid;

	cr_assert_eq(ibv_query_gid(eth.ctx, 1, 0, &gid), 0);
	memcpy(eth.mac, gid.raw + 8, 3);
	memcpy(eth.mac + 3, gid.raw + 13, 3);
	eth.mac[0] ^= 2;
}

void ethernet_open(void)
{
	struct ibv_device *device = device_find();

	memset(&eth, 0, sizeof(eth));
	cr_assert(device);
	cr_assert_eq(devx_open(&eth.ctx, ibv_get_device_name(device)), 0);
	eth.pd = ibv_alloc_pd(eth.ctx);
	eth.mr = ibv_reg_mr(eth.pd, &eth, sizeof(eth), IBV_ACCESS_LOCAL_WRITE);
	eth.send_cq = ibv_create_cq(eth.ctx, 64, NULL, NULL, 0);
	cr_assert(eth.pd && eth.mr && eth.send_cq);
	read_mac();
	for (unsigned int q = 0; q < QUEUES; q++)
		create_queue(q);
	eth.targets = (struct dv_flow_targets){ .qp = eth.qp, .n_qp = QUEUES, .pd = eth.pd };
}

void ethernet_close(void)
{
	if (eth.port)
		dv_flow_close(eth.port);
	for (unsigned int q = 0; q < QUEUES; q++) {
		cr_assert_eq(ibv_destroy_qp(eth.qp[q]), 0);
		cr_assert_eq(ibv_destroy_cq(ibv_cq_ex_to_cq(eth.cq[q])), 0);
	}
	cr_assert_eq(ibv_destroy_cq(eth.send_cq), 0);
	cr_assert_eq(ibv_dereg_mr(eth.mr), 0);
	cr_assert_eq(ibv_dealloc_pd(eth.pd), 0);
	cr_assert_eq(ibv_close_device(eth.ctx), 0);
}

void ethernet_rules(const char *backend)
{
	struct dv_flow_error error;

	cr_assert_eq(dv_flow_open(&eth.port, eth.ctx, backend, &eth.targets, &error), 0, "%s",
		     error.message);
}

struct dv_flow *rule(const char *text)
{
	static struct dv_flow_rule parsed;
	struct dv_flow_error error;
	struct dv_flow *flow = NULL;

	cr_assert_eq(dv_flow_parse(&parsed, text, &error), 0, "%s: %s", text, error.message);
	cr_assert_eq(dv_flow_create(&flow, eth.port, &parsed, &error), 0, "%s: %s", text,
		     error.message);
	return flow;
}

void rule_refused(const char *text, const char *message)
{
	static struct dv_flow_rule parsed;
	struct dv_flow_error error;
	struct dv_flow *flow;

	cr_assert_eq(dv_flow_parse(&parsed, text, &error), 0, "%s: %s", text, error.message);
	cr_assert_neq(dv_flow_create(&flow, eth.port, &parsed, &error), 0, "%s", text);
	cr_assert_eq(strncmp(error.message, message, strlen(message)), 0, "%s: %s", text,
		     error.message);
}

static uint16_t checksum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	sum = (sum >> 16) + (sum & 0xffff);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void fill(uint16_t port)
{
	uint8_t *p = eth.frame;
	uint16_t sum;

	memset(p, 0, sizeof(eth.frame));
	memcpy(p, eth.mac, 6);
	memcpy(p + 6, eth.mac, 6);
	memcpy(p + 12, (uint8_t[]){ 8,	0, 0x45, 0,  0, FRAME - 14, 0, 0,  0, 0, 64,
				    17, 0, 0,	 10, 0, 0,	    1, 10, 0, 0, 2 },
	       22);
	sum = htons(checksum(p + 14, 20));
	memcpy(p + 24, &sum, 2);
	memcpy(p + 34, (uint8_t[]){ 0, 99, (uint8_t)(port >> 8), (uint8_t)port, 0, FRAME - 34 },
	       6);
}

void send_frame(uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)eth.frame, len, eth.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	cr_assert_eq(ibv_post_send(eth.qp[0], &wr, &bad), 0);
	while (!ibv_poll_cq(eth.send_cq, 1, &wc))
		;
	cr_assert_eq(wc.status, IBV_WC_SUCCESS);
}

void send_udp(uint16_t port)
{
	fill(port);
	send_frame(FRAME);
}

void send_udp_with(const uint8_t *headers, size_t len, size_t at, uint16_t port)
{
	fill(port);
	memmove(eth.frame + at + len, eth.frame + at, FRAME - at);
	memcpy(eth.frame + at, headers, len);
	memcpy(eth.frame, eth.mac, 6);
	send_frame((uint32_t)(FRAME + len));
}

void udp_reaches(uint16_t port, unsigned int queue, uint16_t as)
{
	send_udp(port);
	cr_assert_eq(receive_udp(queue, NULL), as);
}

bool queue_is_empty(unsigned int q)
{
	struct ibv_poll_cq_attr attr = { 0 };
	bool empty = ibv_start_poll(eth.cq[q], &attr);

	if (!empty)
		ibv_end_poll(eth.cq[q]);
	return empty;
}

uint16_t receive_udp(unsigned int q, uint32_t *tag)
{
	struct ibv_poll_cq_attr attr = { 0 };
	uint8_t *p;

	while (ibv_start_poll(eth.cq[q], &attr))
		;
	cr_assert_eq(eth.cq[q]->status, IBV_WC_SUCCESS);
	cr_assert_eq(ibv_wc_read_byte_len(eth.cq[q]), FRAME);
	p = eth.received[q][eth.cq[q]->wr_id];
	if (tag)
		*tag = ibv_wc_read_flow_tag(eth.cq[q]);
	ibv_end_poll(eth.cq[q]);
	return (uint16_t)(p[36] << 8 | p[37]);
}

static struct mlx5dv_qp numbers(unsigned int q)
{
	struct mlx5dv_qp dv = { .comp_mask = MLX5DV_QP_MASK_RAW_QP_HANDLES };
	struct mlx5dv_obj obj = { .qp = { .in = eth.qp[q], .out = &dv } };

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	return dv;
}

uint32_t queue_rqn(unsigned int q)
{
	return numbers(q).rqn;
}

uint32_t queue_sqn(unsigned int q)
{
	return numbers(q).sqn;
}
