/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far from the limit, with no adapter to ask: models, and labelled as such wherever they
 * appear.
 *
 *	time of an operation = what the CPU spends on it + T / B     T: a write to the register,
 *	                                                             B: operations per write
 *	T is not known without hardware: a band of values. With hardware it is the slope of the measured
 *	time over 1 / B.
 */
#ifndef DVPERF_PREDICT_H
#define DVPERF_PREDICT_H

#include <stdio.h>

#include "result/result.h"

/* Million operations per second; @op_ns: what the CPU spends on one, doorbell included. */
double predict_mops(double op_ns, double write_ns, double batch);

/* y = base + slope * x, by least squares. */
struct fit {
	double base, slope;
	double r2; /* 1: every point is on the line */
	unsigned int n;
};

/* NaN where less than two different x are there. */
struct fit fit_line(const double *x, const double *y, unsigned int n);

/* Whether it says anything: three points or more, close to it, and neither part below 0. */
bool fit_is_straight(const struct fit *f);

/* Fills in what a result of post implies: the ceiling of a core, the band, the ratios to the
 * least known counts. */
void predict_post(struct result *r, double core_ghz);

/*
 * Fits rows that differ in their batch: the time of an operation over doorbells per operation,
 * a line for each series that @names (options that differ, NULL at the end) distinguishes;
 * measured for bw, modelled for post. mmio_ns: the cost of a doorbell without the CPU's part,
 * if a series has both, and a straight line for bw.
 *
 *	[ { "series": "direct", "mode": "bw", "points": 7, "per_op_ns": 5.1, "per_doorbell_ns": 35.2,
 *	    "r2": 0.99, "mmio_ns": 31.5 } ]
 */
struct json_object *predict_fits(struct json_object *rows, const char *const *names);

/* For people: those lines; and of post, Mops by T and batch. */
void predict_print(struct json_object *rows, const char *const *names,
		   struct json_object *fits);

#endif
