/* SPDX-License-Identifier: BSD-2-Clause */
/* The three kinds of run, each one measured point; and what runs them one after the other. */
#ifndef DVPERF_MODES_H
#define DVPERF_MODES_H

#include "result/result.h"

/* NULL, or why these options cannot be run here: options_check(), then what this CPU and this
 * build lack. */
const char *run_check(const struct options *o);

/* Fill @r, which is new. @env: where to put the environment, once the device is open; may be
 * NULL. */
void bw_run(struct result *r, struct json_object **env);
void lat_run(struct result *r, struct json_object **env);
void post_run(struct result *r, struct json_object **env);

/* Any of them, by r->o.mode; the environment goes into the first report it is called with. */
void point_run(struct report *rep, struct result *r);

/* post --fresh, in the process that starts those that measure: runs them, with the arguments of
 * this one; then the points, in their order. */
bool fresh_asked(const struct options *o);
/* In those: they print JSON, whatever else was asked for. */
void fresh_adjust(struct options *o);
void fresh_collect(const struct options *o, int argc, char **argv);
void fresh_point(struct report *rep, struct result *r);

/* The costs of UCX, below a table of post: quotes.c. */
void post_quotes(void);
struct json_object *post_quotes_json(void);

/* NULL, or what was asked for that ranks of an MPI job do not do. The text is static. */
const char *pattern_asked(const struct options *o);

/* --pattern: measures on all ranks; rank 0 prints. Exit status. */
int pattern_run(const struct options *o, int argc, char **argv);

#endif
