/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes tables of mlx5dv_dr and writes what mlx5dv_dump_dr_domain() says of them to standard
 * output.
 *
 *	level 1, priority 0: UDP to 1000	-> count, tag, level 2
 *	         priority 1: IPv4 to 10.0.0.0/8	-> two changes of headers, level 2
 *	         priority 1: IPv4 to 11.0.0.0/8	-> drop
 *	level 2, priority 0: all		-> a QP
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <infiniband/mlx5dv.h>

#include "prm/prm.h"

#define OUTER 1 /* bit of the match criteria */

static struct ibv_context *ctx;
static struct mlx5dv_dr_domain *domain;

static void *made(void *object, const char *what)
{
	if (!object)
		err(1, "%s", what);
	return object;
}

static struct mlx5dv_flow_match_parameters *parameters(void)
{
	struct mlx5dv_flow_match_parameters *p =
		made(calloc(1, sizeof(*p) + PRM_SZ(fte_match_set_lyr_2_4)), "memory");

	p->match_sz = PRM_SZ(fte_match_set_lyr_2_4);
	return p;
}

#define SET(p, field, value) \
	PRM_SET(fte_match_set_lyr_2_4, (uint8_t *)(p)->match_buf, field, value)

static uint8_t *address(struct mlx5dv_flow_match_parameters *p)
{
	return (uint8_t *)p->match_buf + PRM_OFF(fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) / 8 +
	       12;
}

static struct mlx5dv_dr_matcher *matcher(struct mlx5dv_dr_table *table, uint16_t priority,
					 struct mlx5dv_flow_match_parameters *mask)
{
	return made(mlx5dv_dr_matcher_create(table, priority, mask ? OUTER : 0,
					     mask ? mask : parameters()),
		    "matcher");
}

static void rule(struct mlx5dv_dr_matcher *m, struct mlx5dv_flow_match_parameters *value,
		 size_t n, struct mlx5dv_dr_action **action)
{
	made(mlx5dv_dr_rule_create(m, value ? value : parameters(), n, action), "rule");
}

static struct mlx5dv_dr_action *counter(void)
{
	uint8_t in[PRM_SZ(alloc_flow_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(alloc_flow_counter_out)] = { 0 };
	struct mlx5dv_devx_obj *obj;

	PRM_SET(alloc_flow_counter_in, in, opcode, PRM_OP_ALLOC_FLOW_COUNTER);
	obj = made(mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out)), "counter");
	return made(mlx5dv_dr_action_create_flow_counter(obj, 0), "action count");
}

static struct mlx5dv_dr_action *changes(void)
{
	__be64 change[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		uint8_t *p = (uint8_t *)&change[i];

		PRM_SET(set_action_in, p, action_type, PRM_ACTION_SET);
		PRM_SET(set_action_in, p, field,
			i ? PRM_ACTION_IN_FIELD_OUT_IP_TTL : PRM_ACTION_IN_FIELD_OUT_DMAC_15_0);
		PRM_SET(set_action_in, p, length, i ? 8 : 16);
		PRM_SET(set_action_in, p, data, 9);
	}
	return made(mlx5dv_dr_action_create_modify_header(domain, 0, sizeof(change), change),
		    "action modify header");
}

static struct mlx5dv_dr_action *queue(void)
{
	struct ibv_pd *pd = made(ibv_alloc_pd(ctx), "PD");
	struct ibv_cq *cq = made(ibv_create_cq(ctx, 16, NULL, NULL, 0), "CQ");
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RAW_PACKET,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { .max_send_wr = 1,
						  .max_recv_wr = 1,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };

	return made(mlx5dv_dr_action_create_dest_ibv_qp(made(ibv_create_qp(pd, &attr), "QP")),
		    "action QP");
}

int main(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct mlx5dv_flow_match_parameters *mask = parameters(), *value = parameters();
	struct mlx5dv_dr_table *first, *second;
	struct mlx5dv_dr_action *to;
	struct mlx5dv_dr_matcher *m;

	ctx = made(list && list[0] ? mlx5dv_open_device(list[0], &attr) : NULL, "device");
	domain = made(mlx5dv_dr_domain_create(ctx, MLX5DV_DR_DOMAIN_TYPE_NIC_RX), "domain");
	second = made(mlx5dv_dr_table_create(domain, 2), "table");
	first = made(mlx5dv_dr_table_create(domain, 1), "table");
	to = made(mlx5dv_dr_action_create_dest_table(second), "action table");

	SET(mask, ip_version, 4);
	SET(value, ip_version, 4);
	address(mask)[0] = 0xff;
	address(value)[0] = 10;
	m = matcher(first, 1, mask);
	rule(m, value, 2, (struct mlx5dv_dr_action *[]){ changes(), to });
	address(value)[0] = 11;
	rule(m, value, 1,
	     (struct mlx5dv_dr_action *[]){
		     made(mlx5dv_dr_action_create_drop(), "action drop") });

	address(mask)[0] = 0;
	address(value)[0] = 0;
	SET(mask, ip_protocol, 0xff);
	SET(value, ip_protocol, 17);
	SET(mask, udp_dport, 0xffff);
	SET(value, udp_dport, 1000);
	rule(matcher(first, 0, mask), value, 3,
	     (struct mlx5dv_dr_action *[]){
		     counter(), made(mlx5dv_dr_action_create_tag(0x123), "action tag"), to });
	rule(matcher(second, 0, NULL), NULL, 1, (struct mlx5dv_dr_action *[]){ queue() });
	return mlx5dv_dump_dr_domain(stdout, domain) || fflush(stdout);
}
