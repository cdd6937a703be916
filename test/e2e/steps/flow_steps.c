/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of flow on each back end: what a rule needs besides its entry is taken back. */
#include <string.h>
#include <flow/flow.h>

#include "lib/connect.h"
#include "steps.h"

static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct dv_flow_targets targets;
static struct dv_flow_port *port;
static struct dv_flow *flow;
static struct dv_flow_rule rule;

static struct ibv_qp *raw_packet_qp(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RAW_PACKET,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { 16, 16, 1, 1, 0 } };
	const struct ibv_qp_attr attr = { 0 };
	struct ibv_qp *made = ibv_create_qp(d.pd, &init);

	cr_assert_not_null(made);
	cr_assert_eq(move_qp(made, &attr, IBV_QPS_INIT), 0);
	cr_assert_eq(move_qp(made, &attr, IBV_QPS_RTR), 0);
	return made;
}

static void start(void)
{
	steps_start();
	cq = ibv_create_cq(d.ctx, 64, NULL, NULL, 0);
	cr_assert_not_null(cq);
	for (int i = 0; i < 2; i++)
		qp[i] = raw_packet_qp();
	targets = (struct dv_flow_targets){ .qp = qp, .n_qp = 2, .pd = d.pd };
}

static void stop(void)
{
	for (int i = 0; i < 2; i++)
		cr_assert_eq(ibv_destroy_qp(qp[i]), 0);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
	steps_stop();
}

static int make_rule(void)
{
	return dv_flow_create(&flow, port, &rule, NULL);
}

static int destroy_rule(void)
{
	return dv_flow_destroy(flow);
}

/* @texts on @backend, one port for all: what the port keeps is made by the first. */
static void rules_of(const char *backend, const char *const *texts, size_t n)
{
	struct dv_flow_error error;

	cr_assert_eq(dv_flow_open(&port, d.ctx, backend, &targets, &error), 0, "%s",
		     error.message);
	for (size_t i = 0; i < n; i++) {
		/* mlx5_core ignores refusals when it removes a rule of group 0. */
		struct steps s = { texts[i], make_rule, destroy_rule,
				   !strstr(texts[i], "group") };

		cr_assert_eq(dv_flow_parse(&rule, texts[i], &error), 0, "%s: %s", texts[i],
			     error.message);
		each_command_fails(&s);
		each_allocation_fails(&s);
	}
	dv_flow_close(port);
}

#define RULES_OF(backend, texts) rules_of(backend, texts, sizeof(texts) / sizeof((texts)[0]))

TestSuite(flow_steps, .init = start, .fini = stop);

Test(flow_steps, verbs)
{
	static const char *const texts[] = {
		"ingress pattern eth / ipv4 dst is 10.0.0.1 / end actions queue index 0 / end",
		"ingress pattern eth / ipv4 / udp dst is 7 / end actions count / queue index 1 / end",
		"ingress pattern eth type is 0x1234 / end actions mark id 5 / queue index 0 / end",
	};

	RULES_OF("verbs", texts);
}

Test(flow_steps, kernel)
{
	static const char *const texts[] = {
		"ingress pattern eth / ipv4 dst is 10.0.0.1 / end actions queue index 0 / end",
		"ingress pattern eth / ipv4 / udp dst is 7 / end actions count / drop / end",
		("ingress pattern eth / ipv4 / end actions set_mac_dst mac_addr "
		 "02:00:00:00:00:09 / queue index 0 / end"),
	};

	RULES_OF("kernel", texts);
}

Test(flow_steps, devx)
{
	static const char *const texts[] = {
		"ingress pattern eth / ipv4 dst is 10.0.0.1 / end actions queue index 0 / end",
		"ingress group 1 pattern eth / ipv4 / udp dst is 7 / end "
		"actions count / queue index 1 / end",
		"ingress group 1 pattern eth / end actions jump group 2 / end",
		"ingress group 2 pattern eth / ipv4 / end "
		"actions set_mac_dst mac_addr 02:00:00:00:00:09 / queue index 0 / end",
	};

	RULES_OF("devx", texts);
}

Test(flow_steps, dr)
{
	static const char *const texts[] = {
		"ingress pattern eth / ipv4 / udp dst is 7 / end actions count / queue index 1 / end",
	};

	RULES_OF("dr", texts);
}
