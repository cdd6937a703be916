/* SPDX-License-Identifier: BSD-2-Clause */
/* --stats: what an adapter did, when its process ends. */
#ifndef EMU_PRELOAD_STATS_H
#define EMU_PRELOAD_STATS_H

#include "preload/boot.h"

/* Prints the numbers to log_fd, if they are wanted; the engine exists. */
void stats_finish(struct boot *b);

#endif
