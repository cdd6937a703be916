/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables, sample lists, JSON and limits of perftest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "perftest.h"
#include "row.h"

/* What @mops of @size bytes are in the unit of perftest's table. */
static double bandwidth(const struct options *o, uint32_t size, double mops)
{
	return o->gbits ? mops * size * 8 / 1e3 : mops * 1e6 * size / (1 << 20);
}

/* A latency in µs, or with -C in ticks. */
static double latency(const struct options *o, double us)
{
	return o->in_cycles ? us * clock_rate() / 1e6 : us;
}

/* ---- tables ---- */

static const enum metric latencies[] = { METRIC_LAT_MIN,  METRIC_LAT_MAX,   METRIC_LAT_50,
					 METRIC_LAT_MEAN, METRIC_LAT_STDEV, METRIC_LAT_99,
					 METRIC_LAT_999 };
enum { LATENCIES = sizeof(latencies) / sizeof(*latencies) };

void perftest_header(const struct options *o)
{
	const char *unit = o->in_cycles ? "cycles" : "usec";

	if (o->mode == MODE_LAT)
		printf(" #bytes #iterations    t_min[%s]    t_max[%s]  t_typical[%s]    "
		       "t_avg[%s]    t_stdev[%s]   99%% percentile[%s]   "
		       "99.9%% percentile[%s]\n",
		       unit, unit, unit, unit, unit, unit, unit);
	else if (o->gbits)
		printf(" #bytes     #iterations    BW peak[Gb/sec]     BW average[Gb/sec]    "
		       "MsgRate[Mpps]\n");
	else
		printf(" #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   "
		       "MsgRate[Mpps]\n");
}

void perftest_row(const struct result *r)
{
	static const int widths[LATENCIES] = { 14, 14, 16, 14, 15, 22, 0 };

	if (r->o.mode == MODE_BW) {
		printf(" %-10u %-14.0f %-19.2f %-21.2f %-.6f\n", r->o.size, r->m[METRIC_OPS],
		       bandwidth(&r->o, r->o.size, r->m[METRIC_MOPS_MAX]),
		       bandwidth(&r->o, r->o.size, r->m[METRIC_MOPS]), r->m[METRIC_MOPS]);
		return;
	}
	if (isnan(r->m[METRIC_SAMPLES])) /* the server */
		return;
	printf(" %-7u%-15.0f", r->o.size, r->m[METRIC_SAMPLES]);
	for (size_t i = 0; i < LATENCIES; i++)
		printf("%-*.2f ", widths[i], latency(&r->o, r->m[latencies[i]]));
	printf("\n");
}

/* ---- samples ---- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void perftest_samples(struct result *r)
{
	double us = 1e6 / clock_rate();

	if (!r->n_samples)
		return;
	if (!r->o.unsorted)
		qsort(r->samples, r->n_samples, sizeof(*r->samples), compare);
	printf("#, %s\n", r->o.in_cycles ? "cycles" : "usec");
	for (size_t i = 0; i < r->n_samples; i++) {
		if (r->o.in_cycles)
			printf("%zu, %llu\n", i + 1, (unsigned long long)r->samples[i]);
		else
			printf("%zu, %g\n", i + 1, (double)r->samples[i] * us);
	}
}

/* ---- limits ---- */

bool perftest_is_below(const struct result *r)
{
	double rate = r->m[METRIC_MOPS], wide = bandwidth(&r->o, r->o.size, rate);
	bool below = false;

	if (r->o.limit_bw > 0 && wide < r->o.limit_bw) {
		base_note("%.6g %s are below the limit of %.6g (-w)", wide,
			  r->o.gbits ? "Gb/s" : "MiB/s", r->o.limit_bw);
		below = true;
	}
	if (r->o.limit_msgrate > 0 && rate < r->o.limit_msgrate) {
		base_note("%.6g Mops are below the limit of %.6g (-y)", rate,
			  r->o.limit_msgrate);
		below = true;
	}
	return below;
}

/* ---- JSON ---- */

/* A server of lat has measured nothing. */
static void add(struct json_object *to, const char *name, double value)
{
	if (!isnan(value))
		json_object_object_add(to, name, json_object_new_double(value));
}

static void add_text(struct json_object *to, const char *name, const char *value)
{
	json_object_object_add(to, name, json_object_new_string(value));
}

/* "RDMA_Write_BW_Test", "Send_Latency_Test". */
static void add_test(struct json_object *to, const struct options *o)
{
	static const char *const of[] = {
		[OP_WRITE] = "RDMA_Write", [OP_READ] = "RDMA_Read",
		[OP_SEND] = "Send",	   [OP_ATOMIC] = "Atomic",
		[OP_NOP] = "NOP",	   [OP_WRITE_IMM] = "RDMA_Write_imm",
		[OP_MMO] = "Copy"
	};
	char text[40];

	snprintf(text, sizeof(text), "%s_%s_Test", of[o->op],
		 o->mode == MODE_LAT ? "Latency" : "BW");
	add_text(to, "test", text);
}

static struct json_object *info(struct json_object *all, const struct options *o)
{
	struct json_object *to = json_object_new_object(), *device, *value;

	add_test(to, o);
	add_text(to, "Dual_port", "OFF");
	if (json_object_object_get_ex(all, "environment", &device) &&
	    json_object_object_get_ex(device, "device", &device)) {
		if (json_object_object_get_ex(device, "name", &value))
			add_text(to, "Device", json_object_get_string(value));
		if (json_object_object_get_ex(device, "link_layer", &value))
			add_text(to, "Link_type", json_object_get_string(value));
	}
	json_object_object_add(to, "Number_of_qps", json_object_new_int64(o->qps));
	add_text(to, "Transport_type", "IB");
	add_text(to, "Connection_type", service_word(o->service));
	add_text(to, "Using_SRQ", "OFF");
	add_text(to, "PCIe_relax_order", o->strict_order ? "OFF" : "ON");
	add_text(to, "ibv_wr_API", o->api == API_WR ? "ON" : "OFF");
	json_object_object_add(to, "TX_depth", json_object_new_int64(o->tx_depth));
	if (o->mode == MODE_BW)
		json_object_object_add(to, "CQ_Moderation",
				       json_object_new_int64(options_signal_interval(o)));
	json_object_object_add(to, "Max_inline_data", json_object_new_int64(o->inline_size));
	add_text(to, "rdma_cm_QPs", o->rdma_cm ? "ON" : "OFF");
	return to;
}

static struct json_object *result_of(struct json_object *row, const struct options *o)
{
	static const char *const names[LATENCIES] = { "t_min",		"t_max",
						      "t_typical",	"t_avg",
						      "t_stdev",	"percentile_99",
						      "percentile_99.9" };
	struct json_object *to = json_object_new_object();
	uint32_t size = (uint32_t)atoi(row_option(row, "size"));
	enum metric counted = o->mode == MODE_LAT ? METRIC_SAMPLES : METRIC_OPS;
	double n = row_metric(row, metric_name(counted));

	json_object_object_add(to, "MsgSize", json_object_new_int64(size));
	json_object_object_add(to, "n_iterations",
			       json_object_new_int64(isnan(n) ? 0 : (int64_t)n));
	if (o->mode == MODE_BW) {
		double mops = row_metric(row, metric_name(METRIC_MOPS));

		add(to, "BW_peak",
		    bandwidth(o, size, row_metric(row, metric_name(METRIC_MOPS_MAX))));
		add(to, "BW_average", bandwidth(o, size, mops));
		add(to, "MsgRate", mops);
		add(to, "CPU_util", 100 * row_metric(row, metric_name(METRIC_CPU)));
	}
	for (size_t i = 0; i < LATENCIES && o->mode == MODE_LAT; i++)
		add(to, names[i], latency(o, row_metric(row, metric_name(latencies[i]))));
	return to;
}

struct json_object *perftest_json(struct json_object *all, struct json_object *rows,
				  const struct options *o)
{
	struct json_object *to = json_object_new_object(), *list = json_object_new_array();
	size_t n = json_object_array_length(rows);

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, result_of(json_object_array_get_idx(rows, i), o));
	json_object_object_add(to, "test_info", info(all, o));
	if (n == 1) {
		json_object_object_add(to, "results",
				       json_object_get(json_object_array_get_idx(list, 0)));
		json_object_put(list);
	} else {
		json_object_object_add(to, "results", list);
	}
	return to;
}
