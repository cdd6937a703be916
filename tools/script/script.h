/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Subcommands that are scripts, as git has them: in libexec/dvkit beside the folder of the
 * program.
 */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

/*
 * Goes on as the script @name of the package, with @argv. The script finds the path of the
 * program that runs now in the environment, as DVKIT_PROGRAM. Returns only if that fails: one
 * line is printed, which begins with @program.
 */
void script_run(const char *program, const char *name, char **argv);

#endif
