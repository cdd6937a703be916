/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_match_build(): one item after another. Fields with a place in item.def are copied
 * there; every bit of a mask must be covered by a field that the device matches.
 */
#include <errno.h>
#include <string.h>

#include <devx/caps.h>

#include "build.h"

/* A place: the item decides. */
enum { BY_ITEM = NOWHERE - 1 };

struct match_row {
	uint16_t place[2], need[2]; /* outer, inner */
};

#define LAYER(f)                   \
	{                          \
		OUTER(f), INNER(f) \
	}
#define PAIR(o, i)                 \
	{                          \
		PLACE(o), PLACE(i) \
	}
#define ONE(f)                    \
	{                         \
		PLACE(f), NOWHERE \
	}
#define ITEM                     \
	{                        \
		BY_ITEM, BY_ITEM \
	}
#define NO                       \
	{                        \
		NOWHERE, NOWHERE \
	}
#define BOTH(f)                                  \
	{                                        \
		NEED(outer_##f), NEED(inner_##f) \
	}
#define CAP(f)                   \
	{                        \
		NEED(f), NOWHERE \
	}
#define CAP_2(f)                   \
	{                          \
		NEED_2(f), NOWHERE \
	}
#define FREE                     \
	{                        \
		NOWHERE, NOWHERE \
	}

static const struct match_row rows[FLOW_FIELDS] = {
#define FLOW_ITEM(ITEM, word)
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap) \
	[FLOW_##ITEM##_##FIELD] = { place, cap },
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap) \
	[FLOW_##ITEM##_##FIELD] = { place, cap },
#include <flow/item.def>
};

void build_need(struct build *b, uint16_t need)
{
	if (need != NOWHERE)
		flow_fill_bits(b->match->needs, need, 1, true);
}

void build_copy(struct build *b, unsigned int from, uint16_t place, unsigned int bits)
{
	for (unsigned int i = 0; i < bits; i++) {
		if (!flow_bit(b->mask, from + i))
			continue;
		b->conflict |=
			flow_bit(b->match->mask, place + i) &&
			flow_bit(b->match->value, place + i) != flow_bit(b->spec, from + i);
		flow_copy_bits(b->match->value, place + i, b->spec, from + i, 1);
		flow_fill_bits(b->match->mask, place + i, 1, true);
	}
}

bool build_has(const struct build *b, uint16_t place, unsigned int bits)
{
	return flow_any_bit(b->match->mask, place, bits);
}

uint64_t build_value(const struct build *b, uint16_t place, unsigned int bits)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < bits; i++)
		v = v << 1 | flow_bit(b->match->value, place + i);
	return v;
}

static int refuse_conflict(const struct build *b)
{
	return flow_refuse(b->error, EINVAL, "%s: an item before it matches other packets only",
			   flow_items[b->item->type]);
}

int build_set(struct build *b, uint16_t place, unsigned int bits, uint64_t v)
{
	for (unsigned int i = 0; i < bits; i++) {
		bool bit = v >> (bits - 1 - i) & 1;

		if (flow_bit(b->match->mask, place + i) &&
		    flow_bit(b->match->value, place + i) != bit)
			return refuse_conflict(b);
		flow_fill_bits(b->match->mask, place + i, 1, true);
		flow_fill_bits(b->match->value, place + i, 1, bit);
	}
	return 0;
}

/* The field as it is written, for messages: the first that has a bit of @bit. */
static const char *field_at(enum dv_flow_item_type type, unsigned int bit)
{
	for_each_field(f, type) if (bit >= flow_fields[f].bit &&
				    bit < flow_fields[f].bit +
						    flow_fields[f].bits) return flow_fields[f]
		.word;
	return "";
}

/* Every bit of the mask has a field with a place. */
static int check_covered(const struct build *b, unsigned int layer)
{
	uint8_t rest[FLOW_ITEM_BYTES];

	memcpy(rest, b->mask, sizeof(rest));
	for_each_field(f, b->item->type) if (rows[f].place[layer] != NOWHERE)
		flow_fill_bits(rest, flow_fields[f].bit, flow_fields[f].bits, false);
	if (!flow_any_bit(rest, 0, 8 * FLOW_ITEM_BYTES))
		return 0;
	for (unsigned int bit = 0; bit < 8 * FLOW_ITEM_BYTES; bit++)
		if (flow_bit(rest, bit))
			return flow_refuse(
				b->error, EOPNOTSUPP, "%s %s: the device does not match it%s",
				flow_items[b->item->type], field_at(b->item->type, bit),
				layer ? " in an inner packet" : "");
	return 0;
}

/* The field under the mask: 0, or equal to spec, is not a range (rte_flow.h). That of
 * fragment_offset has a meaning. */
static int check_range_of(const struct build *b, unsigned int f, const uint8_t *masked_last)
{
	uint8_t spec[FLOW_ITEM_BYTES], last[FLOW_ITEM_BYTES];
	const struct field_row *row = &flow_fields[f];
	size_t bytes = (row->bits + 7) / 8;
	int order;

	dv_flow_field_load(b->spec, f, spec);
	dv_flow_field_load(masked_last, f, last);
	order = memcmp(last, spec, bytes);
	if (!order || !flow_any_bit(last, 0, (unsigned int)bytes * 8) ||
	    (f == FLOW_IPV4_FRAGMENT_OFFSET && order > 0))
		return 0;
	return flow_refuse(b->error, order < 0 ? EINVAL : EOPNOTSUPP, "%s %s: %s",
			   flow_items[row->item], row->word,
			   order < 0 ? "the range ends before it begins"
				     : "the device does not match a range");
}

static int check_range(const struct build *b)
{
	uint8_t last[FLOW_ITEM_BYTES];

	if (!b->item->has_last)
		return 0;
	if (!b->item->has_spec)
		return flow_refuse(b->error, EINVAL, "%s: last without spec",
				   flow_items[b->item->type]);
	for (unsigned int i = 0; i < FLOW_ITEM_BYTES; i++)
		last[i] = b->item->last[i] & b->mask[i];
	for_each_field(f, b->item->type)
	{
		int err = flow_fields[f].alias ? 0 : check_range_of(b, f, last);

		if (err)
			return err;
	}
	return 0;
}

static int take_item(struct build *b, const struct dv_flow_item *item)
{
	b->item = item;
	dv_flow_item_mask(item, b->mask);
	for (unsigned int i = 0; i < FLOW_ITEM_BYTES; i++)
		b->spec[i] = item->spec[i] & b->mask[i];
	if (!item->has_spec && !item->has_last && flow_any_bit(b->mask, 0, 8 * FLOW_ITEM_BYTES))
		return flow_refuse(b->error, EINVAL, "%s: a mask without a value",
				   flow_items[item->type]);
	return check_range(b);
}

static void copy_fields(struct build *b, unsigned int layer)
{
	for_each_field(f, b->item->type)
	{
		const struct field_row *row = &flow_fields[f];
		uint16_t place = rows[f].place[layer];

		if (place == NOWHERE || !flow_any_bit(b->mask, row->bit, row->bits))
			continue;
		if (place != BY_ITEM)
			build_copy(b, row->bit, place, row->bits);
		build_need(b, rows[f].need[layer]);
	}
}

static int add_item(struct build *b, const struct dv_flow_item *item)
{
	unsigned int layer;
	int err = take_item(b, item);

	if (!err)
		err = build_order(b);
	if (!err)
		err = build_leads(b);
	if (err)
		return err;
	layer = b->inner && !build_is_header_of_tunnel(item->type);
	err = check_covered(b, layer);
	if (err)
		return err;
	copy_fields(b, layer);
	err = build_item(b);
	if (!err && b->conflict)
		err = refuse_conflict(b);
	if (build_is_tunnel(b)) {
		b->inner = true;
		b->level = b->vlans = 0;
	}
	if (build_is_header(item->type))
		b->before = item->type;
	return err;
}

int dv_flow_match_build(struct dv_flow_match *match, const struct dv_flow_rule *rule,
			struct dv_flow_error *error)
{
	struct build b = { .match = match, .rule = rule, .error = error };

	memset(match, 0, sizeof(*match));
	for (unsigned int i = 0; i < rule->items && i < FLOW_MAX_ITEMS; i++) {
		int err =
			rule->item[i].type == FLOW_ITEM_VOID ? 0 : add_item(&b, &rule->item[i]);
		if (err && error)
			error->item = i + 1;
		if (err)
			return err;
	}
	for (unsigned int block = 0; block < FLOW_MATCH_BYTES / 64; block++)
		if (flow_any_bit(match->mask, block * 512, 512))
			match->criteria |= (uint8_t)(1 << block);
	return 0;
}

/* ft_field_support and ft_field_support_2 of a type of tables, one after the other. */
static int supported(struct ibv_context *ctx, uint8_t table_type, uint8_t support[32])
{
	static const struct {
		uint16_t group;
		size_t props,
			more; /* byte of the properties; of ft_field_support_2, 0: the type has no such */
	} types[] = {
#define NIC(t)                                                                          \
	PRM_CAP_FLOW_TABLE, PRM_OFF(flow_table_nic_cap, flow_table_properties_##t) / 8, \
		PRM_OFF(flow_table_nic_cap, ft_field_support_2_##t) / 8
		[PRM_FT_TYPE_NIC_RX] = { NIC(nic_receive) },
		[PRM_FT_TYPE_NIC_TX] = { NIC(nic_transmit) },
		[PRM_FT_TYPE_RDMA_RX] = { NIC(nic_receive_rdma) },
		[PRM_FT_TYPE_RDMA_TX] = { NIC(nic_transmit_rdma) },
		[PRM_FT_TYPE_FDB] = { PRM_CAP_ESWITCH_FLOW_TABLE,
				      PRM_OFF(flow_table_eswitch_cap,
					      flow_table_properties_nic_esw_fdb) /
					      8,
				      PRM_OFF(flow_table_eswitch_cap,
					      ft_field_support_2_esw_fdb) /
					      8 },
	};
	uint8_t caps[DEVX_CAPS_BYTES], *props;
	int err;

	if (table_type >= ARRAY_SIZE(types) || !types[table_type].props)
		return EINVAL;
	err = devx_caps_query(caps, ctx, types[table_type].group, PRM_CAP_CUR);
	if (err)
		return err;
	props = caps + types[table_type].props;
	memcpy(support, PRM_ADDR(flow_table_prop_layout, props, ft_field_support), 16);
	memcpy(support + 16, caps + types[table_type].more, 16);
	return 0;
}

int dv_flow_match_check(struct ibv_context *ctx, uint8_t table_type,
			const struct dv_flow_match *match, struct dv_flow_error *error)
{
	uint8_t support[32];
	int err = supported(ctx, table_type, support);

	if (err)
		return flow_refuse(error, err, "the capabilities of flow tables: %s",
				   strerror(err));
	for (unsigned int bit = 0; bit < 256; bit++) {
		const struct prm_field *f;

		if (!flow_bit(match->needs, bit) || flow_bit(support, bit))
			continue;
		f = prm_struct(bit < 128 ? "flow_table_fields_supported"
					 : "flow_table_fields_supported_2")
			    ->fields;
		while (f->name && (bit % 128 < f->bit || bit % 128 >= f->bit + f->width))
			f++;
		return flow_refuse(error, EOPNOTSUPP,
				   "the device does not match it: capability %s",
				   f->name ? f->name : "unknown");
	}
	return 0;
}
