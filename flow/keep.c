/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keep_rule(): the parts of a rule one after another, those that are all zero left out.
 *
 *	struct kept | item | spec? | last? | mask? | item … | action | arg? … | bytes? | queue… | action …
 */
#include <string.h>

#include "keep.h"
#include "table.h"

struct kept {
	bool ingress, egress, transfer;
	uint32_t group, priority;
	unsigned int items, actions;
	uint8_t parts[];
};

struct kept_item {
	uint8_t type;
	bool has_spec, has_last, has_mask;
};

struct kept_action {
	uint8_t type, bytes; /* those up to the last that is not zero */
	uint16_t args;	     /* bit i: arg[i] is not zero */
	uint32_t given;
	uint16_t bytes_len, queues;
};

/* Writes parts, or counts their bytes if there is no place; reads them. */
struct cursor {
	uint8_t *to;
	const uint8_t *from;
	size_t len;
};

static void put(struct cursor *c, const void *part, size_t len)
{
	if (c->to)
		memcpy(c->to + c->len, part, len);
	c->len += len;
}

static void get(struct cursor *c, void *part, size_t len)
{
	memcpy(part, c->from + c->len, len);
	c->len += len;
}

static void put_item(struct cursor *c, const struct dv_flow_item *item)
{
	const struct kept_item kept = { (uint8_t)item->type, item->has_spec, item->has_last,
					item->has_mask };

	put(c, &kept, sizeof(kept));
	if (kept.has_spec)
		put(c, item->spec, FLOW_ITEM_BYTES);
	if (kept.has_last)
		put(c, item->last, FLOW_ITEM_BYTES);
	if (kept.has_mask)
		put(c, item->mask, FLOW_ITEM_BYTES);
}

static void get_item(struct cursor *c, struct dv_flow_item *item)
{
	struct kept_item kept;

	get(c, &kept, sizeof(kept));
	item->type = kept.type;
	item->has_spec = kept.has_spec;
	item->has_last = kept.has_last;
	item->has_mask = kept.has_mask;
	if (kept.has_spec)
		get(c, item->spec, FLOW_ITEM_BYTES);
	if (kept.has_last)
		get(c, item->last, FLOW_ITEM_BYTES);
	if (kept.has_mask)
		get(c, item->mask, FLOW_ITEM_BYTES);
}

static void put_action(struct cursor *c, const struct dv_flow_action *a)
{
	struct kept_action kept = { .type = (uint8_t)a->type,
				    .bytes = FLOW_MAX_BYTES,
				    .given = a->given,
				    .bytes_len = a->bytes_len,
				    .queues = a->queues };

	for (unsigned int i = 0; i < FLOW_MAX_ARGS; i++)
		kept.args |= (uint16_t)((a->arg[i] != 0) << i);
	while (kept.bytes && !a->bytes[kept.bytes - 1])
		kept.bytes--;
	put(c, &kept, sizeof(kept));
	for (unsigned int i = 0; i < FLOW_MAX_ARGS; i++)
		if (a->arg[i])
			put(c, &a->arg[i], sizeof(a->arg[i]));
	put(c, a->bytes, kept.bytes);
	put(c, a->queue, a->queues * sizeof(a->queue[0]));
}

static void get_action(struct cursor *c, struct dv_flow_action *a)
{
	struct kept_action kept;

	get(c, &kept, sizeof(kept));
	a->type = kept.type;
	a->given = kept.given;
	a->bytes_len = kept.bytes_len;
	a->queues = kept.queues;
	for (unsigned int i = 0; i < FLOW_MAX_ARGS; i++)
		if (kept.args >> i & 1)
			get(c, &a->arg[i], sizeof(a->arg[i]));
	get(c, a->bytes, kept.bytes);
	get(c, a->queue, kept.queues * sizeof(a->queue[0]));
}

static size_t put_rule(uint8_t *to, const struct dv_flow_rule *rule)
{
	struct cursor c = { .to = to };

	for (unsigned int i = 0; i < rule->items; i++)
		put_item(&c, &rule->item[i]);
	for (unsigned int i = 0; i < rule->actions; i++)
		put_action(&c, &rule->action[i]);
	return c.len;
}

size_t keep_bytes(const struct dv_flow_rule *rule)
{
	return sizeof(struct kept) + put_rule(NULL, rule);
}

void keep_rule(struct kept *kept, const struct dv_flow_rule *rule)
{
	*kept = (struct kept){ .ingress = rule->ingress,
			       .egress = rule->egress,
			       .transfer = rule->transfer,
			       .group = rule->group,
			       .priority = rule->priority,
			       .items = rule->items,
			       .actions = rule->actions };
	put_rule(kept->parts, rule);
}

void keep_read(const struct kept *kept, struct dv_flow_rule *rule)
{
	struct cursor c = { .from = kept->parts };

	memset(rule, 0, sizeof(*rule));
	rule->ingress = kept->ingress;
	rule->egress = kept->egress;
	rule->transfer = kept->transfer;
	rule->group = kept->group;
	rule->priority = kept->priority;
	rule->items = kept->items;
	rule->actions = kept->actions;
	for (unsigned int i = 0; i < rule->items; i++)
		get_item(&c, &rule->item[i]);
	for (unsigned int i = 0; i < rule->actions; i++)
		get_action(&c, &rule->action[i]);
}
