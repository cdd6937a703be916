/* SPDX-License-Identifier: BSD-2-Clause */
/* Many measured points, one after the other: sweep, and the published measurements as
 * presets. */
#ifndef DVPERF_SWEEP_H
#define DVPERF_SWEEP_H

#include "options/options.h"

/* @axes are words "name=value,value"; or o->preset. Exit status. */
int sweep_run(struct options *o, char **axes, int n, int argc, char **argv);

#endif
