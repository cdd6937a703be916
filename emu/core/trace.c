/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace sink's two words. Set once, before any room runs. */
#include "core/core.h"

core_trace_sink *core_trace_to;
unsigned int core_trace_mask;
