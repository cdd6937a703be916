/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow tables of RDMA_RX and RDMA_TX: while they drop packets, nothing reaches the peer. */
#include <stdlib.h>

#include "prm/prm.h"
#include "rig.h"

static struct hca_flow_counter *counter;
static struct hca_flow_count *count;

PAIR_SUITE(rdma_rules);

/* A root table of @type whose one entry drops RoCE packets, UDP port 4791, and counts them. */
static struct hca_flow_table *drop_roce(uint8_t type)
{
	static uint8_t value[HCA_MATCH_SIZE];
	struct hca_flow_table *t = hca_flow_table_new(&near.hca);
	struct hca_flow_group *g = hca_flow_group_new(&near.hca);
	struct hca_fte_do act = { .action = PRM_FLOW_CONTEXT_ACTION_DROP |
					    PRM_FLOW_CONTEXT_ACTION_COUNT,
				  .counts = 1 };

	counter = hca_flow_counter_new(&near.hca);
	t->type = type;
	t->size = 1;
	g->table = t;
	g->criteria = PRM_MATCH_OUTER_HEADERS;
	PRM_SET(fte_match_set_lyr_2_4, g->mask, udp_dport, 0xffff);
	PRM_SET(fte_match_set_lyr_2_4, value, udp_dport, 4791);
	cr_assert(hca_flow_group_join(g));
	act.count = count = calloc(1, sizeof(*act.count));
	act.count->bulk = counter;
	act.count->id = counter->id;
	cr_assert_not_null(hca_fte_new(g, 0, value, &act));
	near.hca.roots[type] = t;
	return t;
}

static void expect_dropped(uint8_t type)
{
	drop_roce(type);
	post(&b, "recv 64 local=0x1000");
	post_rung(&a, "send 16 sig");
	for (int i = 0; i < 8; i++)
		engine_step(near.e);
	expect_none(&a);
	expect_none(&b);
	/* Without the rule the retransmission arrives. */
	near.hca.roots[type] = NULL;
	wait_cqe(&a, 10000);
	expect_cqe(&a, "sent");
	expect_cqe(&b, "received");
}

Test(rdma_rules, receive)
{
	expect_dropped(PRM_FT_TYPE_RDMA_RX);
}

Test(rdma_rules, transmit)
{
	unsigned long frames_before = counters_of(&near).tx_frames;

	drop_roce(PRM_FT_TYPE_RDMA_TX);
	post_rung(&a, "send 16 sig");
	for (int i = 0; i < 8; i++)
		engine_step(near.e);
	cr_expect_eq(counters_of(&near).tx_frames, frames_before);
}
