/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_parse(): one token at a time, with the tables of table.h as the grammar. A function
 * that reads a part begins with its first token in p->token and ends with the first one that is
 * not a part of it.
 *
 *	rule	  [flow create|validate PORT] attribute… pattern items actions actions
 *	items	  item / item / … end
 *	item	  WORD (FIELD (is|spec|last|mask|prefix) VALUE)…
 *	actions	  action / action / … end
 *	action	  WORD (ARGUMENT VALUE)…
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <flow/text.h>
#include <prm/visible.h>

#include "dv/refuse.h"
#include "value.h"

struct parser {
	const char *text;
	const char *token; /* in text; at its end: the NUL */
	size_t len;
	unsigned int item; /* looked for: dv_flow_error_place(); 0: none */
	struct dv_flow_rule *rule;
	struct dv_flow_error *error;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void next(struct parser *p)
{
	p->token += p->len;
	while (is_blank(*p->token))
		p->token++;
	p->len = 0;
	while (p->token[p->len] && !is_blank(p->token[p->len]))
		p->len++;
}

static bool is(const struct parser *p, const char *word)
{
	return strlen(word) == p->len && !memcmp(p->token, word, p->len);
}

/* Reads the token if it is @word. */
static bool skip(struct parser *p, const char *word)
{
	if (!is(p, word))
		return false;
	next(p);
	return true;
}

static void expect(struct parser *p, const char *word)
{
	char *to = p->error->expected;
	size_t used = strlen(to), size = sizeof(p->error->expected);

	if (used + strlen(word) + 2 <= size)
		snprintf(to + used, size - used, "%s%s", used ? " " : "", word);
}

/* EINVAL, with the place of the token. Words that would fit are added by the caller. */
static int fail(struct parser *p, const char *why)
{
	char token[40], visible[100];

	snprintf(token, sizeof(token), "%.*s", (int)(p->len < 39 ? p->len : 39), p->token);
	p->error->column = (unsigned int)(p->token - p->text) + 1;
	p->error->expected[0] = 0;
	if (p->len)
		snprintf(p->error->message, sizeof(p->error->message), "%s: %s", why,
			 prm_visible(visible, sizeof(visible), token));
	else
		snprintf(p->error->message, sizeof(p->error->message), "%s: the text ends",
			 why);
	return EINVAL;
}

static int fail_words(struct parser *p, const char *why, const char *const *words, size_t n)
{
	fail(p, why);
	for (size_t i = 0; i < n; i++)
		expect(p, words[i]);
	return EINVAL;
}

/* The token is not one of @n @words, items or actions as @what says, but it may be one of
 * DPDK's. */
static int fail_row(struct parser *p, const char *what, const char *const *words, size_t n,
		    const char *const *of_dpdk)
{
	char why[64];

	while (*of_dpdk && !is(p, *of_dpdk))
		of_dpdk++;
	snprintf(why, sizeof(why), *of_dpdk ? "DPDK has this %s, dvkit does not" : "no such %s",
		 what);
	fail_words(p, why, words, n);
	expect(p, "end");
	return *of_dpdk ? EOPNOTSUPP : EINVAL;
}

/* @bits of a number; the token is read. */
static int number(struct parser *p, unsigned int bits, uint64_t *v)
{
	const char *why = value_number(p->token, p->len, bits, v);

	if (why)
		return fail(p, why);
	next(p);
	return 0;
}

static int attribute(struct parser *p)
{
	static const char *const words[] = { "group",  "priority", "ingress",
					     "egress", "transfer", "pattern" };
	struct dv_flow_rule *rule = p->rule;
	uint64_t v;
	int err;

	if (skip(p, "ingress")) {
		rule->ingress = true;
	} else if (skip(p, "egress")) {
		rule->egress = true;
	} else if (skip(p, "transfer")) {
		rule->transfer = true;
	} else if (is(p, "group") || is(p, "priority")) {
		uint32_t *to = is(p, "group") ? &rule->group : &rule->priority;

		next(p);
		err = number(p, 32, &v);
		if (err)
			return err;
		*to = (uint32_t)v;
	} else {
		return fail_words(p, "not an attribute", words, ARRAY_SIZE(words));
	}
	return 0;
}

/* The value of a field into an image of the item. */
static int field_value(struct parser *p, unsigned int f, uint8_t *image)
{
	const struct field_row *row = &flow_fields[f];
	uint8_t bytes[FLOW_MAX_BYTES];
	const char *why;
	uint64_t v;
	size_t n;

	if (!flow_kind_is_bytes(row->kind)) {
		int err = number(p, row->bits, &v);

		if (!err)
			dv_flow_field_set(image, f, v);
		return err;
	}
	why = value_bytes(p->token, p->len, row->kind, bytes, &n);
	if (why)
		return fail(p, why);
	dv_flow_field_store(image, f, bytes);
	next(p);
	return 0;
}

static int field_prefix(struct parser *p, unsigned int f, struct dv_flow_item *item)
{
	const struct field_row *row = &flow_fields[f];
	uint64_t v;

	if (value_number(p->token, p->len, 16, &v) || v > row->bits)
		return fail(p, "not a number of bits of the field");
	next(p);
	item->has_mask = true;
	flow_fill_bits(item->mask, row->bit, row->bits, false);
	flow_fill_bits(item->mask, row->bit, (unsigned int)v, true);
	return 0;
}

/* The word after a field, and its value. */
static int field_part(struct parser *p, unsigned int f, struct dv_flow_item *item)
{
	static const char *const words[] = { "is", "spec", "last", "mask", "prefix" };

	if (skip(p, "is")) {
		item->has_spec = item->has_mask = true;
		flow_fill_bits(item->mask, flow_fields[f].bit, flow_fields[f].bits, true);
		return field_value(p, f, item->spec);
	}
	if (skip(p, "spec")) {
		item->has_spec = true;
		return field_value(p, f, item->spec);
	}
	if (skip(p, "last")) {
		item->has_last = true;
		return field_value(p, f, item->last);
	}
	if (skip(p, "mask")) {
		item->has_mask = true;
		return field_value(p, f, item->mask);
	}
	if (skip(p, "prefix"))
		return field_prefix(p, f, item);
	return fail_words(p, "not a part of a value", words, ARRAY_SIZE(words));
}

static int fail_field(struct parser *p, enum dv_flow_item_type type)
{
	fail(p, "no such field");
	for_each_field(f, type) expect(p, flow_fields[f].word);
	expect(p, "/");
	return EINVAL;
}

static int item(struct parser *p)
{
	struct dv_flow_item *item = &p->rule->item[p->rule->items];
	unsigned int type = 0;

	while (type < FLOW_ITEMS && !is(p, flow_items[type]))
		type++;
	if (type == FLOW_ITEMS)
		return fail_row(p, "item", flow_items, FLOW_ITEMS, flow_items_of_dpdk);
	if (p->rule->items == FLOW_MAX_ITEMS)
		return fail(p, "too many items"), E2BIG;
	item->type = type;
	if (++p->rule->items == p->item)
		return fail(p, "the item");
	next(p);
	while (!is(p, "/")) {
		int err = -1;

		for_each_field(f, item->type) if (err < 0 && skip(p, flow_fields[f].word)) err =
			field_part(p, f, item);
		if (err)
			return err < 0 ? fail_field(p, item->type) : err;
	}
	return 0;
}

static const struct word_row *find_word(const struct parser *p, enum flow_list list)
{
	for (size_t i = 0; i < flow_words_n; i++)
		if (flow_words[i].list == list && is(p, flow_words[i].word))
			return &flow_words[i];
	return NULL;
}

static int fail_word(struct parser *p, enum flow_list list)
{
	fail(p, "no such value");
	for (size_t i = 0; i < flow_words_n; i++)
		if (flow_words[i].list == list)
			expect(p, flow_words[i].word);
	return EINVAL;
}

static int words(struct parser *p, enum flow_list list, uint64_t *v)
{
	*v = 0;
	while (!skip(p, "end")) {
		const struct word_row *row = find_word(p, list);

		if (!row) {
			fail_word(p, list);
			expect(p, "end");
			return EINVAL;
		}
		*v |= row->value;
		next(p);
	}
	return 0;
}

static int numbers(struct parser *p, unsigned int bits, struct dv_flow_action *action)
{
	action->queues = 0;
	memset(action->queue, 0, sizeof(action->queue));
	while (!skip(p, "end")) {
		uint64_t v;

		if (value_number(p->token, p->len, bits, &v))
			return fail_words(p, "neither a number of a queue nor the end of them",
					  (const char *const[]){ "end" }, 1);
		if (action->queues == FLOW_MAX_QUEUES)
			return fail(p, "too many queues");
		action->queue[action->queues++] = (uint16_t)v;
		next(p);
	}
	return 0;
}

/* Addresses are one after another. */
static int bytes(struct parser *p, unsigned int arg, struct dv_flow_action *action)
{
	const struct arg_row *row = &flow_args[arg];
	uint8_t value[FLOW_MAX_BYTES] = { 0 };
	unsigned int at = flow_arg_byte(arg);
	const char *why;
	size_t n = 0;

	why = value_bytes(p->token, p->len, row->kind, value, &n);
	if (!why && n * 8 > row->bits)
		why = "too many bytes";
	if (why)
		return fail(p, why);
	memset(action->bytes + at, 0, row->bits / 8);
	memcpy(action->bytes + at, value, n);
	if (row->kind == KIND_BYTES || action->bytes_len < at + n)
		action->bytes_len = (uint16_t)(at + n);
	next(p);
	return 0;
}

/* The value of an argument; @v: if it is a number. */
static int arg_value(struct parser *p, unsigned int arg, struct dv_flow_action *action,
		     uint64_t *v)
{
	const struct arg_row *row = &flow_args[arg];
	const struct word_row *word;

	switch (row->kind) {
	case KIND_NUMBER:
	case KIND_HEX:
		return number(p, row->bits, v);
	case KIND_WORD:
		word = find_word(p, row->list);
		if (!word)
			return fail_word(p, row->list);
		*v = word->value;
		next(p);
		return 0;
	case KIND_WORDS:
		return words(p, row->list, v);
	case KIND_NUMBERS:
		return numbers(p, row->bits, action);
	default:
		return bytes(p, arg, action);
	}
}

static int fail_arg(struct parser *p, enum dv_flow_action_type type)
{
	fail(p, "no such argument");
	for_each_arg(a, type) expect(p, flow_args[a].word);
	expect(p, "/");
	return EINVAL;
}

static int action(struct parser *p)
{
	struct dv_flow_action *action = &p->rule->action[p->rule->actions];
	unsigned int type = 0;

	while (type < FLOW_ACTIONS && !is(p, flow_actions[type]))
		type++;
	if (type == FLOW_ACTIONS)
		return fail_row(p, "action", flow_actions, FLOW_ACTIONS, flow_actions_of_dpdk);
	if (p->rule->actions == FLOW_MAX_ACTIONS)
		return fail(p, "too many actions"), E2BIG;
	action->type = type;
	p->rule->actions++;
	next(p);
	while (!is(p, "/")) {
		unsigned int first = flow_first_arg(action->type);
		int err = -1;

		for_each_arg(a, action->type) if (err < 0 && skip(p, flow_args[a].word))
		{
			err = arg_value(p, a, action, &action->arg[a - first]);
			action->given |= 1u << (a - first);
		}
		if (err)
			return err < 0 ? fail_arg(p, action->type) : err;
	}
	return 0;
}

/* Items or actions, each followed by a "/". */
static int list(struct parser *p, int (*one)(struct parser *p))
{
	while (!skip(p, "end")) {
		int err = one(p);

		if (err)
			return err;
		next(p);
	}
	return 0;
}

/* Parses testpmd's prefix of a rule: flow create PORT. */
static int prefix(struct parser *p)
{
	static const char *const verbs[] = { "create", "validate" };
	uint64_t port;

	if (!skip(p, "flow"))
		return 0;
	if (!skip(p, "create") && !skip(p, "validate"))
		return fail_words(p, "not a command that has a rule", verbs, 2);
	return number(p, 16, &port);
}

static int rule(struct parser *p)
{
	static const char *const actions[] = { "actions" };
	int err = prefix(p);

	while (!err && !skip(p, "pattern"))
		err = attribute(p);
	if (!err)
		err = list(p, item);
	if (!err && !skip(p, "actions"))
		err = fail_words(p, "not the beginning of the actions", actions, 1);
	if (!err)
		err = list(p, action);
	return !err && p->len ? fail(p, "text after the rule") : err;
}

int dv_flow_parse(struct dv_flow_rule *r, const char *text, struct dv_flow_error *error)
{
	struct dv_flow_error own;
	struct parser p = {
		.text = text, .token = text, .rule = r, .error = error ? error : &own
	};
	int err;

	memset(r, 0, sizeof(*r));
	memset(p.error, 0, sizeof(*p.error));
	next(&p);
	err = rule(&p);
	return err ? dv_refuse(err, "column %u: %s", p.error->column, p.error->message) : 0;
}

void dv_flow_error_place(struct dv_flow_error *error, const char *text)
{
	struct dv_flow_rule r = { 0 };
	struct dv_flow_error at = { 0 };
	struct parser p = {
		.text = text, .token = text, .item = error->item, .rule = &r, .error = &at
	};

	if (!error->item)
		return;
	next(&p);
	if (rule(&p) && r.items == error->item)
		error->column = at.column;
}
