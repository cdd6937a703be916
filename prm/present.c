/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of layout.def, applied to bytes: PRM_ALT, PRM_WHEN, PRM_MEMBER and PRM_MEMBER_IN.
 *
 *	rules of one field and one selector    any of them
 *	rules of different selectors           all of them
 *	no rule                                the row is present
 */
#include <string.h>

#include <prm/prm.h>
#include "present.h"

enum verdict { UNKNOWN, NO, YES };

static bool matches(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_rule *r)
{
	uint64_t value;

	if (r->in) {
		if (!v->cmd || v->cmd->in != r->in ||
		    !prm_get(r->in, v->in, v->in_len, r->selector, &value))
			return false;
	} else if (!prm_get(at->s, v->p + at->byte, v->len - at->byte, r->selector, &value)) {
		return false;
	}
	return value >> r->shift == r->value;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Applies the rules of the structure at @at to @field, or to @member of it. */
static enum verdict rule_verdict(const struct prm_view *v, const struct prm_spot *at,
				 const char *field, const char *member)
{
	enum verdict verdict = UNKNOWN;

	for (const struct prm_rule *r = at->s->rules; r->field; r++) {
		bool any = false;

		if (!r->selector || strcmp(r->field, field) || !same_text(r->member, member))
			continue;
		for (const struct prm_rule *q = at->s->rules; q->field && !any; q++)
			any = q->selector && !strcmp(q->field, field) &&
			      same_text(q->member, member) &&
			      !strcmp(q->selector, r->selector) && matches(v, at, q);
		if (!any)
			return NO;
		verdict = YES;
	}
	return verdict;
}

static bool is_alternative(const struct prm_struct *s, const struct prm_field *f)
{
	for (const struct prm_rule *r = s->rules; r->field; r++)
		if (!r->selector && !strcmp(r->field, f->name))
			return true;
	return false;
}

/* The row that the union @f shows, as the structure around it says; NULL: it does not. */
static const struct prm_field *
selected_member(const struct prm_view *v, const struct prm_spot *at, const struct prm_field *f)
{
	if (!f->type || !f->type->is_union)
		return NULL;
	for (const struct prm_field *member = f->type->fields; member->name; member++)
		if (rule_verdict(v, at, f->name, member->name) == YES)
			return member;
	return NULL;
}

/* Whether the alternative @f is the reading of its bits. */
static bool chosen(const struct prm_view *v, const struct prm_spot *at,
		   const struct prm_field *f)
{
	return rule_verdict(v, at, f->name, NULL) == YES || selected_member(v, at, f);
}

static bool overlap(const struct prm_field *a, const struct prm_field *b)
{
	size_t a_bits = (size_t)a->width * (a->count ? a->count : 1);
	size_t b_bits = (size_t)b->width * (b->count ? b->count : 1);

	if (!a->count && !b->count)
		return true; /* two readings of one trailing array */
	return a->bit < b->bit + b_bits && b->bit < a->bit + a_bits;
}

bool prm_is_present(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_field *f)
{
	if (!at->s->rules->field)
		return true;
	if (is_alternative(at->s, f))
		return chosen(v, at, f);
	for (const struct prm_field *other = at->s->fields; other->name; other++)
		if (other != f && overlap(other, f) && is_alternative(at->s, other) &&
		    chosen(v, at, other))
			return false;
	return true;
}

const struct prm_field *prm_member_of(const struct prm_view *v, const struct prm_spot *at)
{
	const struct prm_field *fields = at->s->fields;

	if (fields->name && !fields[1].name)
		return fields;
	const struct prm_field *member = at->up ? selected_member(v, at->up, at->field) : NULL;
	for (const struct prm_field *f = fields; f->name && !member; f++)
		if (rule_verdict(v, at, f->name, NULL) == YES)
			member = f;
	return member;
}

static bool has_trailing_array(const struct prm_struct *s)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!f->count || (f->type && has_trailing_array(f->type)))
			return true;
	return false;
}

bool prm_is_one(const struct prm_struct *s, const struct prm_field *f)
{
	if (f->count || !f->type || !f->type->is_union)
		return false;
	for (const struct prm_rule *r = s->rules; r->field; r++)
		if (r->member && !strcmp(r->field, f->name))
			return true;
	return false;
}

size_t prm_elements(const struct prm_view *v, const struct prm_spot *at,
		    const struct prm_field *f)
{
	size_t first = at->byte * 8 + f->bit, bits = v->len * 8;

	if (first >= bits)
		return 0;
	if (f->type &&
	    (!f->width || (!f->count && has_trailing_array(f->type)) || prm_is_one(at->s, f)))
		return 1;
	/* A nested structure may begin in the buffer and end after it: its rows decide. */
	size_t whole =
		f->type ? (bits - first + f->width - 1) / f->width : (bits - first) / f->width;
	return f->count && f->count < whole ? f->count : whole;
}
