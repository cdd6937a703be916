/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words for numbers: what prm_word() knows, and masks and capability groups.
 *
 *	qpc.state = 3                         RTS
 *	rx_hash_field_select.… = 0x3          SRC_IP|DST_IP
 *	flow_context.action = 0x8000000c      FWD_DEST|COUNT|0x80000000
 *	query_hca_cap_in.op_mod = 1           GENERAL.current
 */
#include <stdio.h>
#include <string.h>

#include "names/names.h"
#include "prm/walk.h"

static const struct {
	const char *kind, *owner, *field;
	enum word_form form;
} masks[] = {
#define PRM_MASK(k, s, f)	 { #k, #s, #f, WORD_MASK },
#define PRM_BIT_NUMBERS(k, s, f) { #k, #s, #f, WORD_BIT_NUMBERS },
#include <prm/value.def>
};

bool word_is_group(const struct prm_struct *owner, const struct prm_field *f)
{
	return !strcmp(f->name, "op_mod") && strstr(owner->name, "_hca_cap_in");
}

const char *word_kind(const struct prm_struct *owner, const struct prm_field *f,
		      enum word_form *form)
{
	const char *kind = prm_value_kind(owner, f->name);

	*form = WORD_VALUE;
	if (kind)
		return kind;
	if (!strcmp(f->name, "status") && f->bit == 0 && f->width == 8)
		return "STATUS";
	if (word_is_group(owner, f))
		return "CAP";
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++)
		if (!strcmp(masks[i].field, f->name) && !strcmp(masks[i].owner, owner->name)) {
			*form = masks[i].form;
			return masks[i].kind;
		}
	return NULL;
}

/* The names of the bits that are set, joined as they may be written; NULL: none of them has
 * one. */
static const char *mask_words(const char *kind, enum word_form form, uint64_t left, char *buf,
			      size_t size)
{
	const struct prm_named_value *v = NULL;
	size_t used = 0;

	while ((v = named_next(kind, v))) {
		uint64_t bits = form == WORD_BIT_NUMBERS ? 1ULL << v->value : v->value;

		if (!bits || (left & bits) != bits || used >= size)
			continue;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? "|" : "",
					 v->name);
		left &= ~bits;
	}
	if (!used)
		return NULL;
	if (left && used < size)
		snprintf(buf + used, size - used, "|0x%llx", (unsigned long long)left);
	return buf;
}

static const char *group_word(uint64_t op_mod, char *buf, size_t size)
{
	const char *group = prm_value_name("CAP", op_mod >> 1, NULL);

	if (!group)
		return NULL;
	snprintf(buf, size, "%s.%s", group, (op_mod & 1) == PRM_CAP_CUR ? "current" : "max");
	return buf;
}

const char *word_of(const struct prm_struct *owner, const struct prm_field *f, uint64_t value,
		    char *buf, size_t size)
{
	enum word_form form;
	const char *kind = word_kind(owner, f, &form);

	if (word_is_group(owner, f))
		return group_word(value, buf, size);
	if (form == WORD_VALUE)
		return prm_word(owner, f, value);
	return mask_words(kind, form, value, buf, size);
}
