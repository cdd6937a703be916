/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results, shown: the subcommand report, which reads results and measures nothing, and the figure of a
 * sweep (plot.h). argv[0] is "dvperf NAME".
 */
#ifndef DVPERF_REPORT_H
#define DVPERF_REPORT_H

#include "plot.h"

int report_run(int argc, char **argv);

#endif
