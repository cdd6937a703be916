/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow tables of RDMA_RX and RDMA_TX: while they drop packets, nothing reaches the peer. */
#include <stdlib.h>

#include "prm/prm.h"
#include "rig.h"

static struct host h;
static struct side a, b;
static struct hca_flow_counter *counter;
static struct hca_flow_count *count;

static void setup(void)
{
	pair_open(&h, &a, &b);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(rdma_rules, .init = setup, .fini = teardown);

/* A root table of @type whose one entry drops RoCE packets, UDP port 4791, and counts them. */
static struct hca_flow_table *drop_roce(uint8_t type)
{
	static uint8_t value[HCA_MATCH_SIZE];
	struct hca_flow_table *t = hca_flow_table_new(&h.hca);
	struct hca_flow_group *g = hca_flow_group_new(&h.hca);
	struct hca_fte_do act = { .action = PRM_FLOW_CONTEXT_ACTION_DROP |
					    PRM_FLOW_CONTEXT_ACTION_COUNT,
				  .counts = 1 };

	counter = hca_flow_counter_new(&h.hca);
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
	h.hca.roots[type] = t;
	return t;
}

static void expect_dropped(uint8_t type)
{
	drop_roce(type);
	post_recv(&b, RIG_VA + 4096, 64, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = 16 });
	ring(&a);
	for (int i = 0; i < 8; i++)
		engine_step(h.e);
	expect_none(&a);
	expect_none(&b);
	/* Without the rule the retransmission arrives. */
	h.hca.roots[type] = NULL;
	wait_cqe(&h, 1, &a, 10000);
	cr_expect_not_null(next_cqe(&a));
	cr_expect_not_null(next_cqe(&b));
}

Test(rdma_rules, receive)
{
	expect_dropped(PRM_FT_TYPE_RDMA_RX);
}

Test(rdma_rules, transmit)
{
	unsigned long frames_before = counters_of(&h).tx_frames;

	drop_roce(PRM_FT_TYPE_RDMA_TX);
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = 16 });
	ring(&a);
	for (int i = 0; i < 8; i++)
		engine_step(h.e);
	cr_expect_eq(counters_of(&h).tx_frames, frames_before);
}
