/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is worth a figure, and the words of options and metrics: for a reader who does not
 * know their names.
 *
 *	plan: title, unit | y, bar from low to high | modes, over which x
 */
#include <string.h>

#include "chart.h"

#define WINDOWS "Bars: from the slowest window of time to the fastest."
#define REPEATS "Bars: from the least of the repeats to the greatest."
#define REACHES "Bars: from the least to what 99 % stay below."
#define BAND	"Modelled, not measured. Bars: from 300 ns for each write to none."

#define NO_BAR METRICS, METRICS, NULL

const struct plan report_plans[] = {
	{ "Rate", "M operations/s", METRIC_MOPS, METRIC_MOPS_MIN, METRIC_MOPS_MAX, WINDOWS,
	  "bw", NULL, false },
	{ "Rate of posting", "M WQEs/s", METRIC_MOPS, METRIC_MOPS_MIN, METRIC_MOPS_MAX, REPEATS,
	  "post", "threads", false },
	{ "Payload", "Gb/s", METRIC_GBPS, NO_BAR, "bw", "size", false },
	{ "Instructions of an operation", "instructions", METRIC_OP_INSTR, NO_BAR, "post", NULL,
	  true },
	{ "Core cycles to post a WQE", "core cycles", METRIC_POST_CYCLES,
	  METRIC_POST_CYCLES_MIN, METRIC_POST_CYCLES_MAX, REPEATS, "post", NULL, true },
	{ "Instructions to post a WQE", "instructions", METRIC_POST_INSTR, NO_BAR, "post", NULL,
	  true },
	{ "Core cycles to poll a CQE", "core cycles", METRIC_POLL_CYCLES,
	  METRIC_POLL_CYCLES_MIN, METRIC_POLL_CYCLES_MAX, REPEATS, "post", NULL, true },
	{ "Core cycles to post an operation and poll its CQE", "core cycles", METRIC_OP_CYCLES,
	  METRIC_OP_CYCLES_MIN, METRIC_OP_CYCLES_MAX, REPEATS, "post", NULL, true },
	{ "Instructions to poll a CQE", "instructions", METRIC_POLL_INSTR, NO_BAR, "post", NULL,
	  true },
	{ "Modelled rate, if a write to a register took 100 ns", "M operations/s",
	  METRIC_AT_100, METRIC_AT_300, METRIC_AT_0, BAND, "post", "batch", false },
	{ "Core cycles of an operation", "core cycles", METRIC_CYCLES, METRIC_CYCLES_MIN,
	  METRIC_CYCLES_MAX, REPEATS, "bw", NULL, true },
	{ "Time of a store to a register", "ns", METRIC_NS, METRIC_NS_MIN, METRIC_NS_MAX,
	  REPEATS, "mmio", "threads", true },
	{ "Stores of all threads", "M stores/s", METRIC_MOPS, METRIC_MOPS_MIN, METRIC_MOPS_MAX,
	  REPEATS, "mmio", "threads", false },
	{ "Doorbells of an operation", "registers written", METRIC_DOORBELLS, NO_BAR, "bw",
	  "batch", true },
	{ "Latency: median, bar from least to 99 %", "µs", METRIC_LAT_50, METRIC_LAT_MIN,
	  METRIC_LAT_99, REACHES, "bw lat", NULL, true },
	{ 0 },
};

static const char *const meanings[METRICS] = {
#define METRIC(id, name, unit, meaning) meaning,
#include "result/metric.def"
};

const char *metric_meaning(enum metric m)
{
	return meanings[m];
}

bool metric_is_modelled(enum metric m)
{
	return strstr(meanings[m], "modelled") || !strncmp(metric_name(m), "pcie_", 5);
}

/* By the names of result.h: by how they begin or end. */
const char *metric_unit(enum metric m)
{
	static const struct {
		const char *begin, *end, *unit;
	} table[] = { { "", "mops", "M/s" },
		      { "mops", "", "M/s" },
		      { "modelled_mops", "", "M/s" },
		      { "", "gbps", "Gb/s" },
		      { "lat_", "", "µs" },
		      { "ns_", "", "ns" },
		      { "", "cycles", "cycles" },
		      { "", "cycles_per_op", "cycles" },
		      { "tsc_", "", "ticks" },
		      { "", "_instr", "instructions" },
		      { "instr_", "", "instructions" },
		      { "pcie_to_", "", "bytes" },
		      { "", "_percent", "%" },
		      { "", "_per_op", "per op" },
		      { "seconds", "", "s" },
		      { "", "_ms", "ms" } };
	const char *name = metric_name(m);

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t begin = strlen(table[i].begin), end = strlen(table[i].end);

		if (strlen(name) >= end && !strncmp(name, table[i].begin, begin) &&
		    !strcmp(name + strlen(name) - end, table[i].end))
			return table[i].unit;
	}
	return "";
}

const char *option_meaning(const char *name)
{
	static const struct {
		const char *name, *what;
	} table[] = { { "batch", "WQEs of a doorbell" },
		      { "qp", "QPs of each thread" },
		      { "threads", "threads that post" },
		      { "size", "bytes of a message" },
		      { "outstanding", "WQEs under way on a QP" },
		      { "inline_size", "bytes that may be inline" },
		      { "tx_depth", "WQEs of a send queue" },
		      { "rate", "operations/s asked for" } };

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(name, table[i].name))
			return table[i].what;
	return NULL;
}

struct plan plan_of(enum metric y, const char *mode)
{
	const struct plan *known = report_plans;
	struct plan plan;

	while (known->title && (known->y != y || !strstr(known->modes, mode)))
		known++;
	plan = known->title ? *known
			    : (struct plan){ .title = metric_name(y),
					     .unit = *meanings[y] ? meanings[y] : "counted",
					     .y = y,
					     .low = METRICS,
					     .high = METRICS };
	plan.modes = mode;
	plan.over = NULL;
	return plan;
}
