/* SPDX-License-Identifier: BSD-2-Clause */
/* dvperf mmio: what a store to a doorbell register costs, measured. */
#ifndef DVPERF_MMIO_H
#define DVPERF_MMIO_H

#include "store.h"

/* The subcommand, with its own options. Exit status. */
int mmio_run(int argc, char **argv);

#endif
