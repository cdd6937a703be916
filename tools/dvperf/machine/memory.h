/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes that WQEs and peers reach: allocated, registered, and handed out in parts.
 *
 *	--mr=one    | parts of lane 0 | parts of lane 1 | …      one region of the process
 *	--mr=qp     | parts |  | parts |  …                      one of each lane
 *
 *	memory_plan() of every part  ->  memory_open()  ->  memory_take(), in the same order
 *
 * With --remote-vhca the server exports the region to the client's function (devx/vhca.h).
 *
 * With --dm the bytes are the adapter's own. Their region starts at 0, and so do the addresses
 * in WQEs; the CPU reaches them through a mapping of the BAR, by words of four bytes.
 */
#ifndef DVPERF_MEMORY_H
#define DVPERF_MEMORY_H

#include <devx/vhca.h>
#include <json-c/json.h>

#include "device.h"

enum { MEMORY_FILL = 0x5a }; /* every byte, before anything is written to it */

struct memory {
	const struct options *o;
	char *bytes; /* as the CPU reaches them */
	size_t size, given;
	uint64_t first; /* the address of the first in WQEs */
	struct ibv_mr *mr;
	struct ibv_dm *dm;
	struct devx_exported exported;
	bool is_exported;
};

struct memory memory_new(const struct options *o);

/* A part of @bytes will be taken. It is in no more pages than necessary; of device memory,
 * which is scarce, in no more cache lines. */
void memory_plan(struct memory *m, size_t bytes);

/* Refuses where the machine, the device or the limit of locked memory has not that much. */
void memory_open(struct memory *m, const struct device *dev);
char *memory_take(struct memory *m, size_t bytes);
void memory_close(struct memory *m);

/* The address of @at in WQEs; of NULL, the first. */
uint64_t memory_address(const struct memory *m, const char *at);

/* For the environment: huge pages, the limit of locked memory, and what regions are asked
 * for. */
struct json_object *memory_json(const struct options *o);

/* Why memory could not be had for @error, as the end of a line; "": nothing more is known. */
const char *memory_hint(int error, const struct options *o);

#endif
