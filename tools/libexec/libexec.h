/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subcommands that are separate programs or scripts, as git has them: in libexec/dvkit, seen
 * from the folder of the program that runs. The tree may be moved.
 *
 *	…/bin/dvfw	…/libexec/dvkit/explain/dvfw-explain	installed, and in a build
 */
#ifndef LIBEXEC_LIBEXEC_H
#define LIBEXEC_LIBEXEC_H

/*
 * Goes on as @name with @argv. @name finds the path of the program that runs now in the
 * environment, as DVKIT_PROGRAM. Returns only if that fails: the reason, one line without a
 * newline, valid until the next call.
 */
const char *libexec_exec(const char *name, char **argv);

/* Runs @name with @argv beside this process, with @in as its standard input. Returns its exit
 * status; -1: it cannot be started, or was ended by a signal. */
int libexec_run(const char *name, char **argv, int in);

#endif
