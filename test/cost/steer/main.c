/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's cost of steering: instructions for a packet, and for an entry that is made and
 * deleted, over the number of entries and of groups.
 *
 *	test_cost_steer		rules, groups, instructions per packet, per new entry, per deletion; tabs
 *
 * The counts are exact. A lookup among 100,000 entries of a group may cost 1.5 times one among
 * a single entry, since all that grows is how long the chains of a hash are; and so may making
 * and deleting one.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "machine/step.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define PACKETS	       16 /* of which the costs are the mean */
#define PACKETS_GROUPS 4  /* where there is more than one group: nothing is gated there */

static struct hca hca;

/* From 10.x.y.z:1234 to 10.0.0.1:80. */
static uint8_t frame[64] = { 2, 0,  0, 0,    0, 2,  2,	0, 0, 0, 0,  1, 8, 0, 0x45, 0,
			     0, 40, 0, 0,    0, 0,  64, 6, 0, 0, 10, 0, 0, 0, 10,   0,
			     0, 1,  4, 0xd2, 0, 80, 0,	0, 0, 0, 0,  0, 0, 0, 0x50, 2 };

struct cost {
	double packet, create, destroy;
};

static void address(uint8_t *at, uint32_t i)
{
	at[0] = i >> 16;
	at[1] = i >> 8;
	at[2] = i;
}

/* src_ipv4, dst_ipv4, protocol, ports: those of entry @i. */
static void value_of(uint8_t *value, uint32_t i)
{
	const struct steer_packet p = { .bytes = frame, .len = sizeof(frame) };
	struct steer_headers h;

	address(frame + 27, i);
	if (!steer_parse(&h, frame, sizeof(frame)))
		errx(2, "no headers");
	steer_match(value, &p, &h);
}

/* The five-tuple; every group has a bit of the priority more, which is 0 in all packets. */
static struct hca_flow_group *new_group(struct hca_flow_table *t, uint32_t place, uint32_t size)
{
	struct hca_flow_group *g = hca_flow_group_new(&hca);

	g->table = t;
	g->first = place * size;
	g->last = g->first + size - 1;
	g->mask[0x10] = 0xff;
	memset(g->mask + 0x14, 0xff, 4);
	memset(g->mask + 0x2c, 0xff, 4);
	memset(g->mask + 0x3c, 0xff, 4);
	g->mask[0x0f] = place;
	if (!hca_flow_group_join(g))
		errx(2, "no memory");
	return g;
}

static struct hca_fte *new_entry(struct hca_flow_group *g, uint32_t index, uint32_t i)
{
	const struct hca_fte_do drop = { .action = PRM_FLOW_CONTEXT_ACTION_DROP };
	uint8_t value[HCA_MATCH_SIZE];

	value_of(value, i);
	for (size_t k = 0; k < HCA_MATCH_SIZE; k++)
		value[k] &= g->mask[k];
	return hca_fte_new(g, index, value, &drop);
}

static double one_packet(uint32_t i)
{
	const struct steer_packet p = { .bytes = frame, .len = sizeof(frame) };
	const struct steer_sink none = { 0 };

	address(frame + 27, i);
	STEP_BEGIN();
	steer_receive(&hca, &p, &none);
	STEP_END();
	return step_count().instructions;
}

static double one_entry(struct hca_flow_group *g, uint32_t i, double *destroy)
{
	const struct hca_fte_do drop = { .action = PRM_FLOW_CONTEXT_ACTION_DROP };
	uint8_t value[HCA_MATCH_SIZE];
	struct hca_fte *e;
	double create;

	value_of(value, i);
	STEP_BEGIN();
	e = hca_fte_new(g, g->first + i, value, &drop);
	STEP_END();
	create = step_count().instructions;
	STEP_BEGIN();
	hca_fte_delete(e);
	STEP_END();
	*destroy += step_count().instructions;
	return create;
}

static void warm_up(struct hca_flow_group *g, uint32_t packet, uint32_t entry)
{
	step_off = true;
	one_packet(packet);
	one_entry(g, entry, &(double){ 0 });
	step_off = !step_possible;
}

/* @groups groups, of which the last has all @rules entries, and the others one of another
 * address. */
static struct cost measure(uint32_t rules, uint32_t groups)
{
	struct hca_flow_group *g = NULL;
	struct hca_flow_table *t;
	uint32_t packets = groups > 1 ? PACKETS_GROUPS : PACKETS;
	struct cost cost = { 0 };

	if (hca_init(&hca, 1) || !(t = hca_flow_table_new(&hca)))
		errx(2, "no adapter");
	hca.roots[PRM_FT_TYPE_NIC_RX] = t;
	t->size = groups << 20;
	for (uint32_t i = 0; i < groups; i++) {
		g = new_group(t, i, 1 << 20);
		if (i + 1 < groups && !new_entry(g, g->first, 0xfffff0))
			errx(2, "no memory");
	}
	for (uint32_t i = 0; i < rules; i++)
		if (!new_entry(g, g->first + i, i))
			errx(2, "no memory");
	for (uint32_t i = 0; i < packets; i++) {
		warm_up(g, i * 7919 % rules, rules + i);
		cost.packet += one_packet(i * 7919 % rules) / packets;
		cost.create += one_entry(g, rules + i, &cost.destroy) / packets;
	}
	cost.destroy /= packets;
	hca_fini(&hca);
	return cost;
}

static bool show(uint32_t rules, uint32_t groups, const struct cost *first, struct cost *cost)
{
	*cost = measure(rules, groups);
	printf("%u\t%u\t%.0f\t%.0f\t%.0f\n", rules, groups, cost->packet, cost->create,
	       cost->destroy);
	if (!step_possible || !first)
		return true;
	return cost->packet <= 1.5 * first->packet && cost->create <= 1.5 * first->create &&
	       cost->destroy <= 1.5 * first->destroy;
}

static int run(void)
{
	struct cost first, cost;
	bool good = true;

	printf("rules\tgroups\tinstructions per packet\tper new entry\tper deletion\n");
	show(1, 1, NULL, &cost);
	show(10, 1, NULL, &first);
	for (uint32_t rules = 100; rules <= 100000; rules *= 10)
		good = show(rules, 1, &first, &cost) && good;
	/* Each group with another mask is another lookup. */
	for (uint32_t groups = 2; groups <= 64; groups *= 2)
		show(1000, groups, NULL, &cost);
	if (!step_possible)
		return 77;
	return good ? 0 : 1;
}

int main(void)
{
	return step_run(run);
}
