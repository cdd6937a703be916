/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tab in the shell: verbs and commands, names of variables, fields and names of values.
 */
#ifndef DVFW_COMPLETE_H
#define DVFW_COMPLETE_H

struct session;

/* From now on readline completes with what @s has. */
void complete_begin(struct session *s);

#endif
