/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Published measurements, to be repeated: which options and axes they had, and the figures that
 * were published, where they are known number by number. And what to measure on a kind of
 * network, adapter or processor, of which nothing is published here.
 */
#ifndef DVPERF_PRESET_H
#define DVPERF_PRESET_H

#include "options/options.h"

enum {
	PRESET_WORDS = 14,
	PRESET_CURVES = 5,
	CURVE_POINTS = 9,
};

/* One published line: y at x. */
struct curve {
	const char *name;
	unsigned int n;
	double x[CURVE_POINTS], y[CURVE_POINTS];
};

/* The words of a caller come after these and may put other values in place. */
struct preset {
	const char *name, *what;
	const char *words[PRESET_WORDS]; /* as for sweep: "batch=1,16" */
	const char *
		pcie; /* link of the model on the emulator, which has none; NULL: --pcie's default */
	/* Why a point is left out, or NULL; may be NULL for none. */
	const char *(*leaves_out)(const struct options *o);
	const char *said;   /* the published result, in a sentence; with its source */
	const char *about;  /* in its place, where nothing was published: what it shows */
	const char *source; /* of the curves */
	struct curve curves[PRESET_CURVES];
};

/* Ends with one without a name. */
extern const struct preset presets[];

/* Refuses unknown names. */
const struct preset *preset_find(const char *name);

/* The published result, or a description. */
const char *preset_text(const struct preset *p);

/* Whether @name, which may be NULL, is list or help; then it prints them all. */
bool preset_list(const char *name);

#endif
