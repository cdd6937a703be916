/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings that dvkit-emu gave the command in its environment. A program that empties its
 * environment keeps the adapter; one that starts another program without it prints a line.
 */
#ifndef EMU_PRELOAD_ENVIRONMENT_H
#define EMU_PRELOAD_ENVIRONMENT_H

#include <stdbool.h>

/* The sysfs tree; NULL: this process is not one of dvkit-emu's. */
const char *environment_tree(void);
/* The options; NULL: there are none. */
const char *environment_options(void);

/* Is DVKIT_EMU_FRAMES set? */
bool environment_frames(void);

/* Program @name is about to be started with @envp: a line on standard error, one for each name,
 * if it will not see the adapter. May be called between vfork(2) and execve(2). */
void environment_check(const char *name, char *const envp[]);

/* @path is in the tree, which may be out of reach: then a line on standard error, once. */
void environment_check_tree(const char *path);

#endif
