/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of this thread, and of those that it creates, seen as a sandbox sees them, by
 * whichever function they are made: seccomp(2) has them raise SIGSYS, and the handler makes
 * them in their place.
 */
#ifndef TRAPPED_H
#define TRAPPED_H

/* From now on @came is called before each call whose number is in @numbers, which ends with -1.
 * Once in a process. On other machines than x86-64 the test is skipped. */
void trapped(const int *numbers, void (*came)(void));

#endif
