/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk, without recursion: a level for each structure that is open.
 *
 *	level 0  create_qp_in   row: qpc ----------.     path ""
 *	level 1  qpc            row: primary_... --+-.   path "qpc."
 *	level 2  ads            row: rlid          '-'   path "qpc.primary_address_path."
 *
 * A row of numbers is returned; a row of structures opens a level for each element.
 */
#include <stdio.h>
#include <string.h>

#include <prm/prm.h>
#include <prm/walk.h>
#include "present.h"

static void open_level(struct prm_walk *w, const struct prm_struct *s,
		       const struct prm_field *field, size_t byte, size_t path)
{
	w->level[++w->depth] =
		(struct prm_walk_level){ .s = s, .field = field, .byte = byte, .path = path };
}

void prm_walk_begin(struct prm_walk *w, const struct prm_struct *s, const void *p, size_t len)
{
	memset(w, 0, sizeof(*w));
	w->p = p;
	w->len = len;
	w->depth = -1;
	open_level(w, s, NULL, 0, 0);
}

void prm_walk_begin_out(struct prm_walk *w, const struct prm_cmd *cmd, const void *in,
			size_t in_len, const void *out, size_t out_len)
{
	prm_walk_begin(w, cmd->out, out, out_len);
	w->cmd = cmd;
	w->in = in;
	w->in_len = in_len;
}

/* The innermost level as the rules want it, with the two around it: no rule looks further. */
static const struct prm_spot *innermost(const struct prm_walk *w, struct prm_spot chain[2])
{
	const struct prm_walk_level *l = &w->level[w->depth];

	if (w->depth)
		chain[1] = (struct prm_spot){ l[-1].s, l[-1].byte, NULL, NULL };
	chain[0] = (struct prm_spot){ l->s, l->byte, w->depth ? &chain[1] : NULL, l->field };
	return &chain[0];
}

/* The next row that is present; NULL: after the last one. */
static const struct prm_field *next_row(struct prm_walk *w, const struct prm_view *v,
					const struct prm_spot *at)
{
	struct prm_walk_level *l = &w->level[w->depth];

	if (l->s->is_union) {
		l->row = l->row ? NULL : prm_member_of(v, at);
		return l->row;
	}
	do
		l->row = l->row ? l->row + 1 : l->s->fields;
	while (l->row->name && !prm_is_present(v, at, l->row));
	return l->row->name ? l->row : NULL;
}

/* Appends to the path of the innermost level; returns the new length. */
static size_t append(struct prm_walk *w, const struct prm_field *f, bool indexed, size_t i,
		     const char *end)
{
	size_t at = w->level[w->depth].path, size = sizeof(w->text) - at;
	int n = indexed ? snprintf(w->text + at, size, "%s[%zu]%s", f->name, i, end)
			: snprintf(w->text + at, size, "%s%s", f->name, end);

	return n < 0 || (size_t)n >= size ? sizeof(w->text) - 1 : at + (size_t)n;
}

/* A union whose member is unknown: its bytes are the item. */
static void give_bytes(struct prm_walk *w, struct prm_item *item, const struct prm_spot *at)
{
	size_t rest = w->len - at->byte, path = w->level[w->depth].path;

	w->text[path ? path - 1 : 0] = '\0';
	*item = (struct prm_item){ .path = w->text,
				   .owner = at->s,
				   .bit = at->byte * 8,
				   .width = 8,
				   .count = rest < at->s->bytes ? rest : at->s->bytes };
}

/* Opens the next element of the row, if it begins in the buffer. */
static void enter(struct prm_walk *w)
{
	struct prm_walk_level *l = &w->level[w->depth];
	size_t i = l->next++;
	size_t byte = l->byte + (l->row->bit + i * l->row->width) / 8;

	if (byte < w->len && w->depth + 1 < PRM_WALK_DEPTH)
		open_level(
			w, l->row->type, l->row, byte,
			append(w, l->row, l->row->array && !prm_is_one(l->s, l->row), i, "."));
}

bool prm_walk_next(struct prm_walk *w, struct prm_item *item)
{
	const struct prm_view v = { w->p, w->len, w->cmd, w->in, w->in_len };
	struct prm_spot chain[2];

	while (w->depth >= 0) {
		struct prm_walk_level *l = &w->level[w->depth];

		if (l->next < l->count) {
			enter(w);
			continue;
		}

		const struct prm_spot *at = innermost(w, chain);
		if (l->s->is_union && !l->row && !prm_member_of(&v, at)) {
			give_bytes(w, item, at);
			w->depth--;
			return true;
		}

		const struct prm_field *f = next_row(w, &v, at);
		if (!f) {
			w->depth--;
			continue;
		}

		size_t n = prm_elements(&v, at, f);
		l->next = 0;
		l->count = f->type ? n : 0;
		if (f->type || !n)
			continue;
		append(w, f, false, 0, "");
		*item = (struct prm_item){
			w->text, l->s, f, l->byte * 8 + f->bit, f->width, n
		};
		return true;
	}
	return false;
}
