/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine of a run: the adapter, memory and CPUs, reasons not to trust results from it,
 * and the counters of instructions and time.
 *
 *	device.h         the adapter, opened; pages, nodes, CPUs
 *	memory.h         memory regions of the lanes
 *	environment.h    what is recorded of all that
 *	effort.h         CPU time, and instructions and cycles by the PMU
 *	step.h           instructions by single steps
 */
#ifndef DVPERF_MACHINE_H
#define DVPERF_MACHINE_H

#include "device.h"
#include "effort.h"
#include "environment.h"
#include "memory.h"
#include "step.h"

#endif
