/* SPDX-License-Identifier: BSD-2-Clause */
/* The axes of a sweep, and which of them its figure shows. */
#ifndef DVPERF_SWEEP_AXES_H
#define DVPERF_SWEEP_AXES_H

#include "preset.h"

enum {
	MAX_AXES = 16,
	MAX_VALUES = 64,
};

struct axis {
	char *name, *values[MAX_VALUES];
	int n;
	const char *given; /* by the caller, in these words; NULL: by a preset */
};

struct axes {
	struct options *o; /* of all points */
	struct axis axes[MAX_AXES];
	int n;
	const char *x, *y;
	bool figure_given[2];	     /* x=, y= by the caller */
	const struct preset *preset; /* or NULL */
	char texts[MAX_AXES][16];    /* of numbers that are found out here */
};

/* "batch=1,8", "x=batch": what the caller gives takes the place of a preset's words, but not of
 * other words of the caller. Refuses what is wrong. */
void axes_take_word(struct axes *s, const char *word, bool given);

/* Rows of a mode follow each other, so that each mode has one table. */
void axes_put_mode_first(struct axes *s);

bool axes_has(const struct axes *s, const char *name);

/* Sets options that a preset leaves open: how long; on the emulator, the link of the model. */
void axes_preset_defaults(struct axes *s);

/* Sets the options of point @index; NULL, or why it cannot be. */
const char *axes_point(struct axes *s, unsigned int index, struct options *o);

/* x: what was said, or the last axis with several numbers. */
void axes_choose_figure(struct axes *s);

/* The options that differ from point to point, but @but, as the JSON calls them; NULL ends. */
const char **axes_varying(const struct axes *s, const char *but);
void axes_drop_names(const char **names);

/* The axis of modes, if it has several; else NULL. */
const struct axis *axes_modes(const struct axes *s);

#endif
