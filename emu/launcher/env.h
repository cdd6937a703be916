/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The environment that the command inherits, and its children after it: LD_PRELOAD,
 * SYSFS_PATH, DVKIT_EMU.
 */
#ifndef EMU_LAUNCHER_ENV_H
#define EMU_LAUNCHER_ENV_H

#include "options/options.h"

/* libdvkit-emu.so that belongs to this executable; NULL after a line on standard error. */
char *env_find_library(void);

/* Sets everything; 0 or a positive errno value. */
int env_set(const struct options *o, const char *library, const char *tree);

#endif
