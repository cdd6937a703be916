/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a tree of small files, and removing it. A failure is remembered, so that a long list
 * of files is written without a check per line: errno value in tree.err, 0 while all went well.
 */
#ifndef EMU_LAUNCHER_TREE_H
#define EMU_LAUNCHER_TREE_H

#include <stdbool.h>
#include <stddef.h>

struct tree {
	int root; /* directory descriptor */
	int err;
	unsigned int function; /* replaces # in a name or a link's target */
};

/* Creates file @path with formatted content, and the directories above it. */
void tree_file(struct tree *t, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void tree_bytes(struct tree *t, const char *path, const void *data, size_t len);
void tree_link(struct tree *t, const char *path, const char *target);

/* Links in the directory @path to the entries of the directory @of that do not exist yet; not
 * to RDMA devices, which the classes of the tree do not have either. */
void tree_others(struct tree *t, const char *path, const char *of);

/* Makes @path a second name of the file @as, for a third of the system calls of a file. False:
 * the file system has no such names. */
bool tree_same(struct tree *t, const char *path, const char *as);

/* Removes the directory @path with all that is in it; not what another file system has mounted
 * there. */
void tree_remove(const char *path);

#endif
