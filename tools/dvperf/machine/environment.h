/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a result comes from: machine, libraries, device; reasons not to trust it; and the
 * counters of the device before and after.
 */
#ifndef DVPERF_ENVIRONMENT_H
#define DVPERF_ENVIRONMENT_H

#include <json-c/json.h>

#include "result/result.h"
#include "device.h"

/* The commit of dvkit, of the build; "": not built in a repository. */
extern const char dvperf_commit[];

/* Machine, kernel, CPU, clocks, libraries, and, with @dev, its firmware and link. */
struct json_object *environment_json(const struct device *dev, const struct options *o);

/* Adds what can be seen before the run: emulated, unpinned, governor, virtual, busy machine. */
void environment_distrust(struct result *r, const struct device *dev);

/* How often the cores were throttled so far. */
uint64_t environment_throttled(void);

/* All counters of the port and, on the emulator, those of dvkit_emu_query_counters(), by
 * name. */
struct json_object *counters_read(const struct device *dev);

/* @after - @before, those that moved; drops both references. */
struct json_object *counters_moved(struct json_object *before, struct json_object *after);

#endif
