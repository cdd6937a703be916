/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does this device execute a command? Asked in a way that changes nothing.
 */
#ifndef DVFW_PROBE_H
#define DVFW_PROBE_H

#include "prm/table.h"

struct ibv_context;

#define PROBE_YES "yes"
#define PROBE_NO  "no"
#define PROBE_NOT "not probed"

/* One of the three. */
const char *probe_command(struct ibv_context *ctx, const struct prm_cmd *cmd);

#endif
