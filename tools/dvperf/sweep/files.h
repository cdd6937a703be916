/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a sweep (--output, --plot). */
#ifndef DVPERF_SWEEP_FILES_H
#define DVPERF_SWEEP_FILES_H

#include "result/result.h"
#include "axes.h"

struct sweep_files {
	const struct axes *axes;
	struct report *rep;
};

/* Refuses files that could not be written, before anything is measured. */
void files_check(const struct sweep_files *s);

/* Adds the preset's name and its published values or description to the JSON. */
void files_add_published(struct sweep_files *s);

/* Writes the points measured so far, as JSON; 0 or -1. */
int files_write_point(const struct sweep_files *s);

/* 0, or -1: a file could not be written, or a figure drawn. Each that can be is. */
int files_write(struct sweep_files *s);

#endif
