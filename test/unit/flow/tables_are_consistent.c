/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of item.def and action.def against each other, read a second time here. */
#include <string.h>
#include <criterion/criterion.h>
#include <flow/rule.h>

#include "flow/table.h"

struct row {
	int item;
	const char *word;
	unsigned int bit, bits;
	int alias;
};

static const struct row rows[] = {
#define FLOW_ITEM(ITEM, word)
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap) \
	{ FLOW_ITEM_##ITEM, word, bit, bits, 0 },
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap) \
	{ FLOW_ITEM_##ITEM, word, bit, bits, 1 },
#include <flow/item.def>
};

static int covered(const struct row *alias, unsigned int bit)
{
	for (size_t i = 0; i < FLOW_FIELDS; i++)
		if (!rows[i].alias && rows[i].item == alias->item && bit >= rows[i].bit &&
		    bit < rows[i].bit + rows[i].bits)
			return 1;
	return 0;
}

/* Else a rule could have bits that its text has not. */
Test(tables_are_consistent, every_bit_of_an_alias_is_printed)
{
	for (size_t i = 0; i < FLOW_FIELDS; i++)
		for (unsigned int bit = 0; rows[i].alias && bit < rows[i].bits; bit++)
			cr_assert(covered(&rows[i], rows[i].bit + bit), "%s", rows[i].word);
}

Test(tables_are_consistent, fields_fit_the_image_and_do_not_overlap)
{
	for (size_t i = 0; i < FLOW_FIELDS; i++) {
		cr_assert(rows[i].bits && rows[i].bit + rows[i].bits <= 8 * FLOW_ITEM_BYTES);
		for (size_t j = 0; j < i; j++) {
			if (rows[j].item != rows[i].item)
				continue;
			cr_assert(strcmp(rows[i].word, rows[j].word), "%s twice", rows[i].word);
			cr_assert(rows[i].alias || rows[j].alias ||
					  rows[i].bit + rows[i].bits <= rows[j].bit ||
					  rows[j].bit + rows[j].bits <= rows[i].bit,
				  "%s and %s", rows[i].word, rows[j].word);
		}
	}
}

enum kind { NUMBER, HEX, MAC, IPV4, IPV6, IP, BYTES, WORD, WORDS, NUMBERS };

Test(tables_are_consistent, bytes_of_an_action_have_places)
{
	static const struct {
		int action, kind;
		unsigned int bits;
	} args[] = {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list) { FLOW_ACTION_##ACTION, kind, bits },
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
	};
	unsigned int all[FLOW_ACTIONS] = { 0 }, bytes[FLOW_ACTIONS] = { 0 };
	unsigned int lists[FLOW_ACTIONS] = { 0 };

	for (size_t i = 0; i < FLOW_ARGS; i++) {
		cr_assert_leq(++all[args[i].action], (unsigned int)FLOW_MAX_ARGS);
		if (args[i].kind == BYTES) /* its length is not fixed: it is the only one */
			cr_assert_eq(bytes[args[i].action], 0);
		if (args[i].kind >= MAC && args[i].kind <= BYTES)
			bytes[args[i].action] +=
				args[i].kind == BYTES ? 8 * FLOW_MAX_BYTES : args[i].bits;
		cr_assert_leq(bytes[args[i].action], 8u * FLOW_MAX_BYTES);
		if (args[i].kind == NUMBERS)
			cr_assert_eq(++lists[args[i].action], 1);
	}
}

Test(tables_are_consistent, names)
{
	cr_assert_str_eq(dv_flow_item_name(FLOW_ITEM_VXLAN_GPE), "vxlan-gpe");
	cr_assert_str_eq(dv_flow_field_name(FLOW_IB_BTH_DST_QP), "dst_qp");
	cr_assert_str_eq(dv_flow_action_name(FLOW_ACTION_OF_POP_VLAN), "of_pop_vlan");
	cr_assert_str_eq(dv_flow_arg_name(FLOW_ARG_MARK_ID), "id");
	cr_assert_null(dv_flow_item_name(FLOW_ITEMS));
	cr_assert_null(dv_flow_arg_name(FLOW_ARGS));
}

/* A word that a row has is not said to be missing. */
Test(tables_are_consistent, words_of_dpdk_are_no_rows)
{
	for (const char *const *word = flow_items_of_dpdk; *word; word++)
		for (unsigned int i = 0; i < FLOW_ITEMS; i++)
			cr_assert_str_neq(*word, flow_items[i]);
	for (const char *const *word = flow_actions_of_dpdk; *word; word++)
		for (unsigned int i = 0; i < FLOW_ACTIONS; i++)
			cr_assert_str_neq(*word, flow_actions[i]);
}
