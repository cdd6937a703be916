/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_print(): the canonical form. Fields in the order of item.def, each with the shortest
 * words that give the same bytes when they are read.
 */
#include <stdio.h>
#include <string.h>

#include <flow/text.h>

#include "value.h"

struct out {
	char *buf;
	size_t size, len;
};

/* Adds @word, after a blank if it is not the first. */
static void put(struct out *o, const char *word)
{
	size_t n = strlen(word) + (o->len ? 1 : 0);

	if (o->len + n < o->size)
		sprintf(o->buf + o->len, "%s%s", o->len ? " " : "", word);
	o->len += n;
}

static void put_number(struct out *o, enum flow_kind kind, uint64_t v)
{
	char text[VALUE_TEXT];

	value_print_number(text, kind, v);
	put(o, text);
}

static void put_field(struct out *o, unsigned int f, const char *part, const uint8_t *image)
{
	const struct field_row *row = &flow_fields[f];
	uint8_t bytes[FLOW_MAX_BYTES];
	char text[VALUE_TEXT];

	put(o, row->word);
	put(o, part);
	if (!flow_kind_is_bytes(row->kind)) {
		put_number(o, row->kind, dv_flow_field_get(image, f));
		return;
	}
	dv_flow_field_load(image, f, bytes);
	value_print_bytes(text, row->kind, bytes, (row->bits + 7) / 8);
	put(o, text);
}

/* The number of leading ones if all other bits are 0; else -1. */
static int prefix_len(const uint8_t *mask, const struct field_row *row)
{
	unsigned int n = 0;

	while (n < row->bits && flow_bit(mask, row->bit + n))
		n++;
	return flow_any_bit(mask, row->bit + n, row->bits - n) ? -1 : (int)n;
}

static void put_mask(struct out *o, unsigned int f, const uint8_t *mask)
{
	const struct field_row *row = &flow_fields[f];
	int n = prefix_len(mask, row);

	if ((row->kind == KIND_IPV4 || row->kind == KIND_IPV6) && n > 0) {
		put(o, row->word);
		put(o, "prefix");
		put_number(o, KIND_NUMBER, (uint64_t)n);
	} else {
		put_field(o, f, "mask", mask);
	}
}

/* One field: the parts that are not zero. */
static void put_parts(struct out *o, unsigned int f, const struct dv_flow_item *item)
{
	const struct field_row *row = &flow_fields[f];
	bool spec = item->has_spec && flow_any_bit(item->spec, row->bit, row->bits);
	bool mask = item->has_mask && flow_any_bit(item->mask, row->bit, row->bits);

	if (item->has_spec && mask && flow_all_bits(item->mask, row->bit, row->bits)) {
		put_field(o, f, "is", item->spec);
		mask = false;
	} else if (spec) {
		put_field(o, f, "spec", item->spec);
	}
	if (item->has_last && flow_any_bit(item->last, row->bit, row->bits))
		put_field(o, f, "last", item->last);
	if (mask)
		put_mask(o, f, item->mask);
}

/* A part that is given and all zero is given by a 0 of the first field. */
static void put_zero(struct out *o, const struct dv_flow_item *item, bool has,
		     const uint8_t *image, const char *part)
{
	unsigned int f = flow_first_field(item->type);

	while (f < FLOW_FIELDS && flow_fields[f].item == item->type && flow_fields[f].alias)
		f++;
	if (has && f < FLOW_FIELDS && flow_fields[f].item == item->type &&
	    !flow_any_bit(image, 0, 8 * FLOW_ITEM_BYTES))
		put_field(o, f, part, image);
}

/* Whether put_parts() writes a word that gives the spec: "is" does so with a value of 0. */
static bool spec_is_written(const struct dv_flow_item *item)
{
	if (flow_any_bit(item->spec, 0, 8 * FLOW_ITEM_BYTES))
		return true;
	for_each_field(f, item->type) if (!flow_fields[f].alias && item->has_mask &&
					  flow_all_bits(item->mask, flow_fields[f].bit,
							flow_fields[f].bits)) return true;
	return false;
}

static void put_item(struct out *o, const struct dv_flow_item *item)
{
	put(o, flow_items[item->type]);
	put_zero(o, item, item->has_spec && !spec_is_written(item), item->spec, "spec");
	for_each_field(f, item->type) if (!flow_fields[f].alias) put_parts(o, f, item);
	put_zero(o, item, item->has_last, item->last, "last");
	put_zero(o, item, item->has_mask, item->mask, "mask");
	put(o, "/");
}

static void put_words(struct out *o, enum flow_list list, uint64_t v, bool one)
{
	for (size_t i = 0; i < flow_words_n; i++) {
		const struct word_row *row = &flow_words[i];

		if (row->list != list || (one ? row->value != v : !v || row->value & ~v))
			continue;
		put(o, row->word);
		v &= ~row->value;
		if (one)
			return;
	}
	if (!one)
		put(o, "end");
}

static void put_numbers(struct out *o, const struct dv_flow_action *action)
{
	for (unsigned int i = 0; i < action->queues && i < FLOW_MAX_QUEUES; i++)
		put_number(o, KIND_NUMBER, action->queue[i]);
	put(o, "end");
}

static void put_bytes(struct out *o, unsigned int arg, const struct dv_flow_action *action)
{
	const struct arg_row *row = &flow_args[arg];
	size_t n = row->kind != KIND_BYTES		? row->bits / 8
		   : action->bytes_len < FLOW_MAX_BYTES ? action->bytes_len
							: FLOW_MAX_BYTES;
	char text[VALUE_TEXT];

	value_print_bytes(text, row->kind, action->bytes + flow_arg_byte(arg), n);
	put(o, text);
}

static void put_arg(struct out *o, unsigned int arg, const struct dv_flow_action *action,
		    uint64_t v)
{
	const struct arg_row *row = &flow_args[arg];

	put(o, row->word);
	switch (row->kind) {
	case KIND_NUMBER:
	case KIND_HEX:
		put_number(o, row->kind, v);
		break;
	case KIND_WORD:
	case KIND_WORDS:
		put_words(o, row->list, v, row->kind == KIND_WORD);
		break;
	case KIND_NUMBERS:
		put_numbers(o, action);
		break;
	default:
		put_bytes(o, arg, action);
	}
}

static void put_action(struct out *o, const struct dv_flow_action *action)
{
	unsigned int first = flow_first_arg(action->type);

	put(o, flow_actions[action->type]);
	for_each_arg(a, action->type) if (action->given >> (a - first) & 1)
		put_arg(o, a, action, action->arg[a - first]);
	put(o, "/");
}

static void put_attributes(struct out *o, const struct dv_flow_rule *rule)
{
	if (rule->ingress)
		put(o, "ingress");
	if (rule->egress)
		put(o, "egress");
	if (rule->transfer)
		put(o, "transfer");
	if (rule->group) {
		put(o, "group");
		put_number(o, KIND_NUMBER, rule->group);
	}
	if (rule->priority) {
		put(o, "priority");
		put_number(o, KIND_NUMBER, rule->priority);
	}
}

size_t dv_flow_print(const struct dv_flow_rule *rule, char *buf, size_t size)
{
	struct out o = { buf, size, 0 };

	if (size)
		buf[0] = 0;
	put_attributes(&o, rule);
	put(&o, "pattern");
	for (unsigned int i = 0; i < rule->items && i < FLOW_MAX_ITEMS; i++)
		put_item(&o, &rule->item[i]);
	put(&o, "end");
	put(&o, "actions");
	for (unsigned int i = 0; i < rule->actions && i < FLOW_MAX_ACTIONS; i++)
		put_action(&o, &rule->action[i]);
	put(&o, "end");
	return o.len;
}
