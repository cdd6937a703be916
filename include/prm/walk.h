/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Iterates over every field of a buffer, nested structures included: for printers of another
 * format than prm_format()'s.
 *
 *	struct prm_walk w;
 *	struct prm_item it;
 *
 *	prm_walk_begin(&w, prm_struct("create_qp_in"), in, len);
 *	while (prm_walk_next(&w, &it))
 *		if (it.field && !it.field->array)
 *			printf("%s=%#lx\n", it.path, prm_load(in, it.bit, it.width));
 *
 * Only the present member of a union is visited; if no rule selects one, the union is one item
 * of bytes. The walk reads the buffer step by step. No locks, no allocation.
 */
#ifndef PRM_WALK_H
#define PRM_WALK_H

#include <prm/table.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define PRM_WALK_DEPTH 12
#define PRM_WALK_PATH  256

/* A number, or an array of them. bit counts from the buffer's first, width is that of one
 * element, count how many the buffer holds. */
struct prm_item {
	const char *path; /* until the next step */
	const struct prm_struct *owner;
	const struct prm_field *field; /* NULL: bytes of the union owner, member unknown */
	size_t bit;
	uint32_t width;
	size_t count;
};

/* The state of the walk; its members are private. */
struct prm_walk {
	const uint8_t *p;
	size_t len;
	const struct prm_cmd *cmd;
	const void *in;
	size_t in_len;
	struct prm_walk_level {
		const struct prm_struct *s;
		const struct prm_field *field; /* of the level above */
		size_t byte;
		const struct prm_field *row; /* the latest */
		size_t next, count;	     /* elements of a nested row */
		size_t path;		     /* length of the path that leads here */
	} level[PRM_WALK_DEPTH];
	int depth; /* -1: at the end */
	char text[PRM_WALK_PATH];
};

void prm_walk_begin(struct prm_walk *w, const struct prm_struct *s, const void *p, size_t len);

/* The outbox of @cmd: fields of the inbox select members of unions in it. */
void prm_walk_begin_out(struct prm_walk *w, const struct prm_cmd *cmd, const void *in,
			size_t in_len, const void *out, size_t out_len);

/* False: no more items. */
bool prm_walk_next(struct prm_walk *w, struct prm_item *item);

/* The name of a field's value: "RTS", of an opcode "CREATE_QP"; NULL: it has none. */
const char *prm_word(const struct prm_struct *s, const struct prm_field *f, uint64_t value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
