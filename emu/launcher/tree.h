/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a tree of small files. A failure is remembered, so that a long list of files is
 * written without a check per line: errno value in tree.err, 0 while all went well.
 */
#ifndef EMU_LAUNCHER_TREE_H
#define EMU_LAUNCHER_TREE_H

#include <stddef.h>

struct tree {
	int root; /* directory descriptor */
	int err;
	unsigned int function; /* what # means in a name or a target of a link */
};

/* Creates file @path with formatted content, and the directories above it. */
void tree_file(struct tree *t, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tree_bytes(struct tree *t, const char *path, const void *data, size_t len);
void tree_link(struct tree *t, const char *path, const char *target);

#endif
