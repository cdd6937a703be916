/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules as text, in the syntax of DPDK's testpmd ("flow create"):
 *
 *	[flow create|validate PORT] ATTRIBUTE… pattern ITEM / … / end actions ACTION / … / end
 *
 *	ATTRIBUTE	ingress, egress, transfer, group N, priority N
 *	ITEM		a word of item.def, then any number of
 *			FIELD is V	spec V, mask all ones
 *			FIELD spec V	spec; if no field has a mask, that of the item is the default mask
 *			FIELD last V	the end of a range
 *			FIELD mask V	mask; that of fields without one is 0
 *			FIELD prefix N	mask: the first N bits
 *	ACTION		a word of action.def, then arguments and their values
 *
 * Numbers are decimal, 0x… or octal with a leading 0. The later one of two values for the same
 * field counts. A number that does not fit is an error (testpmd drops bits of some). The port
 * is read and has no meaning.
 */
#ifndef FLOW_TEXT_H
#define FLOW_TEXT_H

#include <flow/rule.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Why a rule was refused. All texts end in NUL and have no control characters. */
struct dv_flow_error {
	unsigned int column; /* of the text, from 1; 0: not about a place in a text */
	unsigned int item;   /* of the rule, from 1; 0: not about one. dv_flow_parse(): 0 */
	char message[192];
	char expected[512]; /* the words that would fit, with blanks between; may be cut off */
};

/* EINVAL: @error says why; EOPNOTSUPP: it has an item or an action that testpmd has and dvkit
 * does not; E2BIG: too many items or actions. @error may be NULL. @rule is defined only after
 * success. */
int dv_flow_parse(struct dv_flow_rule *rule, const char *text, struct dv_flow_error *error);
/* The column of @error's item in the text of the rule. */
void dv_flow_error_place(struct dv_flow_error *error, const char *text);

/* The rule in its canonical form, cut off to @size bytes with the NUL. The length without the
 * NUL that the whole text has, as snprintf(3). FLOW_TEXT_MAX bytes are enough for what
 * dv_flow_parse() reads. */
#define FLOW_TEXT_MAX 65536
size_t dv_flow_print(const struct dv_flow_rule *rule, char *buf, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
