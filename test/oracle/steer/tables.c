/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules as entries of a flow table of firmware, without firmware. */
#include <err.h>

#include "backend.h"
#include "prm/prm.h"
#include "steer/steer.h"

static struct {
	struct hca hca;
	struct hca_flow_table *table;
	struct hca_flow_group *group;
	int64_t met;
} t;

static void begin(void)
{
	if (hca_init(&t.hca, 1) || !(t.table = hca_flow_table_new(&t.hca)))
		errx(2, "no adapter");
	t.table->size = 1024;
	t.hca.roots[PRM_FT_TYPE_NIC_RX] = t.table;
}

static bool group(uint32_t first, uint8_t *mask)
{
	t.group = hca_flow_group_new(&t.hca);
	if (!t.group)
		errx(2, "no memory");
	t.group->table = t.table;
	t.group->first = first;
	t.group->last = first + SPAN - 1;
	memcpy(t.group->mask, mask, HCA_MATCH_SIZE);
	if (!hca_flow_group_join(t.group))
		errx(2, "no memory");
	return true;
}

static bool rule(uint32_t index, const uint8_t *mask, uint8_t *value)
{
	const struct hca_fte_do drop = { .action = PRM_FLOW_CONTEXT_ACTION_DROP };

	(void)mask;
	if (!hca_fte_new(t.group, index, value, &drop))
		errx(2, "no memory");
	return true;
}

static void step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	if (s->did == STEER_HIT)
		t.met = s->entry->index;
}

static int64_t ask(const struct packet *p)
{
	static const struct steer_sink sink = { .step = step };
	const struct steer_packet sp = { .bytes = p->bytes,
					 .len = p->len,
					 .meta = { .source_vport = STEER_UPLINK } };

	t.met = NO_RULE;
	steer_receive(&t.hca, &sp, &sink);
	return t.met;
}

static void end(void)
{
	hca_fini(&t.hca);
}

const struct backend backend = {
	.begin = begin, .group = group, .rule = rule, .ask = ask, .end = end
};
