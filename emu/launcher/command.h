/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command: what can be said about it beforehand, and running it.
 */
#ifndef EMU_LAUNCHER_COMMAND_H
#define EMU_LAUNCHER_COMMAND_H

/* As env(1) and timeout(1) have it; 128 + n is the command's death by signal n. */
#include <stdbool.h>

enum command_status {
	COMMAND_FAILED = 125, /* the launcher itself failed */
	COMMAND_NOT_EXECUTABLE = 126,
	COMMAND_NOT_FOUND = 127,
};

/* Why a library cannot be preloaded into @name, in words; NULL: nothing known against it. */
const char *command_obstacle(const char *name);

/* Runs it as a child, passing signals on to it, until it ends; its exit status. @check: says
 * that SIGKILL, which the command cannot see, left no summary. */
int command_run(char *const argv[], bool check);

/* Calls work(@arg) in a child, which runs the command; signals are passed on to it. Its exit
 * status, or what it says by command_wait_for_daemons(). */
int command_keep(int (*work)(void *), void *arg);

/* In that child: the command ended with @status. Returns when no process is left that it
 * started. */
void command_wait_for_daemons(int status);

#endif
