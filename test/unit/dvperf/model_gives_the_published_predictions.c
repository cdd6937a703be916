/* SPDX-License-Identifier: BSD-2-Clause */
/* Mops(B) = 1 / (c_op(B) / f + T / B): published values of one core at 3.8 GHz, as they were
 * rounded. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "model/pcie.h"
#include "model/predict.h"
#include "unit/dvperf/said.h"

enum { BATCHES = 5, TIMES = 4 };

static const double batches[BATCHES] = { 1, 4, 8, 16, 32 };
static const double times[TIMES] = { 50, 100, 150, 300 };

/* The first row is T = 0. */
static const struct {
	const char *api;
	double at_0[BATCHES], at[TIMES][BATCHES];
} published[] = {
	{ "ibv_post_send",
	  { 21.3, 53, 73, 81, 88 },
	  { { 10.3, 32, 50, 64, 77 },
	    { 6.8, 23, 38, 54, 69 },
	    { 5.1, 18, 31, 46, 62 },
	    { 2.9, 11, 20, 32, 48 } } },
	{ "ibv_wr",
	  { 22.0, 56, 85, 97, 104 },
	  { { 10.5, 33, 56, 74, 90 },
	    { 6.9, 23, 41, 60, 79 },
	    { 5.1, 18, 33, 51, 70 },
	    { 2.9, 11, 20, 34, 53 } } },
	{ "direct",
	  { 107, 394, 470, 537, 512 },
	  { { 16.8, 66, 119, 200, 285 },
	    { 9.1, 36, 68, 123, 197 },
	    { 6.3, 25, 48, 89, 151 },
	    { 3.2, 13, 25, 49, 88 } } },
};

Test(predict, the_published_band)
{
	for (size_t a = 0; a < sizeof(published) / sizeof(*published); a++)
		for (int t = 0; t < TIMES; t++)
			for (int b = 0; b < BATCHES; b++) {
				double op_ns = 1e3 / published[a].at_0[b];
				double have = predict_mops(op_ns, times[t], batches[b]);
				/* rounded: to a tenth at batch 1, to whole numbers; and so was
				 * what is put in, by up to 0.7 % */
				double off = (b ? 0.5 : 0.05) + 0.007 * have;

				cr_assert_float_eq(have, published[a].at[t][b], off,
						   "%s, T %g, batch %g: %g", published[a].api,
						   times[t], batches[b], have);
			}
}

Test(predict, ceilings_of_a_gen_3_x16_link_by_batch)
{
	static const unsigned int batch[] = { 1, 2, 4, 8, 16, 32, 64 };
	static const double mops[] = { 131, 171, 189, 199, 204, 207, 209 };

	for (size_t i = 0; i < sizeof(batch) / sizeof(*batch); i++) {
		struct pcie_op op = { .blocks = 1, .batch = batch[i] };
		struct pcie_link link = { 3, 16 };

		cr_assert_float_eq(pcie_link_bytes(link) / pcie_op_bytes(&op).to_device / 1e6,
				   mops[i], 0.5);
	}
}

static struct result post(uint32_t batch, double op_cycles)
{
	struct options o = options_new(MODE_POST);
	struct result r;

	o.batch = batch;
	options_defaults(&o);
	r = result_new(&o);
	r.m[METRIC_OP_CYCLES] = op_cycles;
	return r;
}

/* direct, batch 32: 7.42 cycles at 3.8 GHz are 512 M/s, 2.5 times the 204 M/s of the link. */
Test(predict, headroom_and_least_known_counts)
{
	struct result r = post(32, 7.42);

	r.m[METRIC_PCIE_LIMIT] = 204;
	r.m[METRIC_POST_INSTR] = 49;
	r.m[METRIC_POST_CYCLES] = 11;
	predict_post(&r, 3.8);
	cr_assert_float_eq(r.m[METRIC_CPU_LIMIT], 512, 0.5);
	cr_assert_float_eq(r.m[METRIC_HEADROOM], 2.5, 0.02);
	cr_assert_float_eq(r.m[METRIC_FLOOR_INSTR], 2, 1e-9);
	cr_assert_float_eq(r.m[METRIC_FLOOR_CYCLES], 2.5, 1e-9);
}

Test(predict, the_lowest_ceiling_clips)
{
	struct result r = post(32, 7.42);

	r.m[METRIC_PCIE_LIMIT] = 204;
	r.m[METRIC_WIRE_LIMIT] = 117.9;
	predict_post(&r, 3.8);
	cr_assert_float_eq(r.m[METRIC_AT_0], 117.9, 1e-9);
	cr_assert_float_eq(r.m[METRIC_AT_100], 117.9, 1e-9);
	cr_assert_float_eq(r.m[METRIC_AT_300], 88, 0.6);
	cr_assert_float_eq(r.m[METRIC_HEADROOM], 512 / 117.9, 0.01);
}

Test(predict, nothing_of_a_core_that_was_not_measured)
{
	struct result r = post(32, NAN);

	r.m[METRIC_PCIE_LIMIT] = 204;
	predict_post(&r, 3.8);
	cr_assert(isnan(r.m[METRIC_CPU_LIMIT]));
	cr_assert(isnan(r.m[METRIC_HEADROOM]));
	cr_assert(isnan(r.m[METRIC_AT_0]));
	cr_assert(isnan(r.m[METRIC_FLOOR_INSTR]));
}

Test(predict, a_line_through_points)
{
	double x[] = { 1, 0.5, 0.25, 0.125 }, y[] = { 107, 57, 32, 19.5 };
	struct fit f = fit_line(x, y, 4);

	cr_assert_float_eq(f.slope, 100, 1e-9);
	cr_assert_float_eq(f.base, 7, 1e-9);
	cr_assert_float_eq(f.r2, 1, 1e-9);
	/* least squares of (0,0) (1,1) (2,0): level, at a third, and it explains nothing */
	f = fit_line((double[]){ 0, 1, 2 }, (double[]){ 0, 1, 0 }, 3);
	cr_assert_float_eq(f.slope, 0, 1e-9);
	cr_assert_float_eq(f.base, 1 / 3.0, 1e-9);
	cr_assert_float_eq(f.r2, 0, 1e-9);
	cr_assert(isnan(fit_line(x, y, 1).slope));
	cr_assert(isnan(fit_line((double[]){ 2, 2 }, y, 2).slope));
}

Test(predict, what_is_no_line)
{
	struct fit good = { 7, 100, 0.95, 3 }, two = { 7, 100, 1, 2 };
	struct fit scattered = { 7, 100, 0.89, 7 }, below = { -1, 100, 0.99, 7 };
	struct fit falling = { 7, -1, 0.99, 7 }, none = fit_line(NULL, NULL, 0);

	cr_assert(fit_is_straight(&good));
	cr_assert_not(fit_is_straight(&two));
	cr_assert_not(fit_is_straight(&scattered));
	cr_assert_not(fit_is_straight(&below));
	cr_assert_not(fit_is_straight(&falling));
	cr_assert_not(fit_is_straight(&none));
}

/* bw: 7 + 100 / B ns; post: 5 + 10 / B: a register write takes 90. */
static const char rows[] =
	"[{\"options\":{\"mode\":\"bw\",\"api\":\"direct\",\"batch\":1,\"threads\":1},"
	"\"metrics\":{\"ns_per_op\":107,\"doorbells_per_op\":1}},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"direct\",\"batch\":4,\"threads\":1},"
	"\"metrics\":{\"ns_per_op\":32,\"doorbells_per_op\":0.25}},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"direct\",\"batch\":2,\"threads\":1},"
	"\"metrics\":{\"ns_per_op\":57,\"doorbells_per_op\":0.5}},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"wr\",\"batch\":1,\"threads\":2},"
	"\"metrics\":{\"ns_per_op\":100,\"doorbells_per_op\":1}},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"wr\",\"batch\":2,\"threads\":2},"
	"\"metrics\":{\"ns_per_op\":60,\"doorbells_per_op\":0.5}},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"wr\",\"batch\":4,\"threads\":2},"
	"\"metrics\":{\"ns_per_op\":40,\"doorbells_per_op\":0.25}},"
	"{\"options\":{\"mode\":\"post\",\"api\":\"direct\",\"batch\":1,\"threads\":1},"
	"\"metrics\":{\"cpu_mops\":66.66666666666667,\"doorbells_per_op\":1}},"
	"{\"options\":{\"mode\":\"post\",\"api\":\"direct\",\"batch\":2,\"threads\":1},"
	"\"metrics\":{\"cpu_mops\":100,\"doorbells_per_op\":0.5}},"
	"{\"options\":{\"mode\":\"post\",\"api\":\"direct\",\"batch\":4,\"threads\":1},"
	"\"metrics\":{\"cpu_mops\":133.33333333333334,\"doorbells_per_op\":0.25}},"
	"{\"options\":{\"mode\":\"lat\",\"api\":\"direct\",\"batch\":1,\"threads\":1},"
	"\"metrics\":{\"lat_50\":1}}]";

static double of(struct json_object *fits, size_t i, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json_object_array_get_idx(fits, i), name, &value))
		return NAN;
	return json_object_get_double(value);
}

Test(predict, a_write_to_the_register_is_what_post_does_not_have)
{
	static const char *const names[] = { "mode", "api", "batch", NULL };
	struct json_object *all = json_tokener_parse(rows), *fits = predict_fits(all, names);

	cr_assert_eq(json_object_array_length(fits), 3);
	cr_assert_float_eq(of(fits, 0, "per_op_ns"), 7, 1e-9);
	cr_assert_float_eq(of(fits, 0, "per_doorbell_ns"), 100, 1e-9);
	cr_assert_float_eq(of(fits, 0, "mmio_ns"), 90, 1e-6);
	cr_assert_float_eq(of(fits, 0, "points"), 3, 1e-9);
	/* two threads: the time of each; nothing of post to take off */
	cr_assert_float_eq(of(fits, 1, "per_doorbell_ns"), 160, 1e-9);
	cr_assert(isnan(of(fits, 1, "mmio_ns")));
	cr_assert_float_eq(of(fits, 2, "per_doorbell_ns"), 10, 1e-6);
	json_object_put(fits);
	json_object_put(all);
}

/* Through two points there is always a line; through one there is none. */
Test(predict, two_batches_are_no_fit)
{
	static const char *const names[] = { "api", NULL };
	struct json_object *all = json_tokener_parse(
		"[{\"options\":{\"mode\":\"bw\",\"api\":\"wr\",\"batch\":1,\"threads\":1},"
		"\"metrics\":{\"ns_per_op\":1,\"doorbells_per_op\":1}},"
		"{\"options\":{\"mode\":\"bw\",\"api\":\"wr\",\"batch\":2,\"threads\":1},"
		"\"metrics\":{\"ns_per_op\":3,\"doorbells_per_op\":0.5}}]");

	cr_assert_null(predict_fits(all, names));
	json_object_array_del_idx(all, 1, 1);
	cr_assert_null(predict_fits(all, names));
	json_object_put(all);
}

/* ---- for people ---- */

static const char band[] =
	"[{\"options\":{\"mode\":\"post\",\"api\":\"wr\",\"batch\":1},\"metrics\":{"
	"\"cpu_mops\":50,\"doorbells_per_op\":1,\"modelled_mops_0ns\":50,"
	"\"modelled_mops_50ns\":14.26,\"modelled_mops_100ns\":8,\"modelled_mops_150ns\":6,"
	"\"modelled_mops_300ns\":3}},"
	"{\"options\":{\"mode\":\"post\",\"api\":\"wr\",\"batch\":8},\"metrics\":{"
	"\"cpu_mops\":80,\"doorbells_per_op\":0.125,\"modelled_mops_0ns\":80,"
	"\"modelled_mops_50ns\":53,\"modelled_mops_100ns\":40,\"modelled_mops_150ns\":32,"
	"\"modelled_mops_300ns\":20}}]";

/* The limit is the same whatever a register takes. */
static const char flat[] =
	"[{\"options\":{\"mode\":\"post\",\"api\":\"wr\",\"batch\":1},\"metrics\":{"
	"\"cpu_mops\":50,\"doorbells_per_op\":1,\"modelled_mops_0ns\":9,"
	"\"modelled_mops_50ns\":9,\"modelled_mops_100ns\":9,\"modelled_mops_150ns\":9,"
	"\"modelled_mops_300ns\":9}}]";

static void print(const void *text)
{
	static const char *const names[] = { "mode", "api", "batch", NULL };
	struct json_object *all = json_tokener_parse(text), *fits = predict_fits(all, names);

	predict_print(all, names, fits);
}

static void print_alone(const void *text)
{
	static const char *const names[] = { "batch", NULL };
	struct json_object *all = json_tokener_parse(text);

	predict_print(all, names, NULL);
}

#define MODELLED                                                                                 \
	"\nMODELLED Mops of one core by batch, if a write to the register took T_mmio; at most " \
	"what PCI Express and the wire carry\n"

Test(predict, is_printed)
{
	const char *out = said_by(print, rows).out, *modelled = strstr(out, "\nMODELLED");

	cr_assert(modelled);
	cr_expect(
		!strncmp(
			out,
			"\nns of an operation = ns of the WQE + ns of a doorbell / batch, fitted "
			"(post: without a device)\n"
			"  bw direct: 7.00 ns an operation, and 100.00 ns a doorbell (3 batches, "
			"r2 1.000; 90.00 of them for the register: T_mmio)\n"
			"  bw wr: 40.00 ns an operation, and 160.00 ns a doorbell (3 batches, r2 "
			"1.000)\n"
			"  post direct: 5.00 ns an operation, and 10.00 ns a doorbell (3 batches, "
			"r2 1.000)\n",
			(size_t)(modelled - out)),
		"%s", out);
	cr_expect_str_eq(
		said_by(print, band).out,
		"\ntwo batches: not a fit; a line through 1 / batch needs three\n" MODELLED
		"  wr\n    batch                 1        8\n"
		"    T_mmio   0 ns      50.0     80.0\n"
		"    T_mmio  50 ns      14.3     53.0\n"
		"    T_mmio 100 ns       8.0     40.0\n"
		"    T_mmio 150 ns       6.0     32.0\n"
		"    T_mmio 300 ns       3.0     20.0\n");
	cr_expect_str_eq(
		said_by(print_alone, flat).out, MODELLED
		"    batch                 1\n"
		"    T_mmio 0 to 300 ns: 9.0, the limit of PCI Express or of the wire\n");
}
