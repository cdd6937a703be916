/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a program whose main() left by pthread_exit(3).
 *
 * Such a process ends when its last thread does, and then as if by exit(0) (pthread_exit(3),
 * NOTES). To libc the emulator's threads are threads of the program, and they do not end.
 */
#ifndef EMU_PRELOAD_LAST_THREAD_H
#define EMU_PRELOAD_LAST_THREAD_H

#include "hca/hca.h"

/* hca.look: if only the emulator's threads are left, the process exits. It does not find out
 * without /proc. */
void last_thread_look(struct hca *hca);

#endif
