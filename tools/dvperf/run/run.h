/* SPDX-License-Identifier: BSD-2-Clause */
/* The three kinds of run, each one measured point; and what runs them one after the other. */
#ifndef DVPERF_MODES_H
#define DVPERF_MODES_H

#include "result/result.h"

/* NULL, or why these options cannot be run here: options_check(), then what this CPU and this build lack. */
const char *run_check(const struct options *o);

/* Fill @r, which is new. @env: where to put the environment, once the device is open; may be NULL. */
void bw_run(struct result *r, struct json_object **env);
void lat_run(struct result *r, struct json_object **env);
void post_run(struct result *r, struct json_object **env);

/* Any of them, by r->o.mode; the environment goes into the first report it is called with. */
void point_run(struct report *rep, struct result *r);

/* What others measured of UCX and VPP, beside a table of post. */
void post_quotes(void);
struct json_object *post_quotes_json(void);

/* What the models say of @r: PCI Express, the wire, the ceilings. */
void model_run(struct result *r, const struct device *dev, uint32_t blocks);

/* sweep: @axes are words "name=value,value"; or o->preset. */
int sweep_run(struct options *o, char **axes, int n, int argc, char **argv);
void preset_list(void);

#endif
