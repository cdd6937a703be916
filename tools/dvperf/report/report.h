/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands that read results and measure nothing. argv[0] is "dvperf NAME". */
#ifndef DVPERF_REPORT_H
#define DVPERF_REPORT_H

int report_run(int argc, char **argv);
int compare_run(int argc, char **argv);

#endif
