/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The findings of dvfw doctor, and who makes them.
 *
 *	doctor.c          the list, printing, the verdict
 *	doctor_system.c   without a device: kernel, driver, limits, capabilities of the process
 *	doctor_device.c   on the device: opening, which calls work, what it offers
 *	doctor_fwctl.c    the way by fwctl, beside DevX
 */
#ifndef DVFW_DOCTOR_H
#define DVFW_DOCTOR_H

#include "base/base.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_WARN, /* something will be missing, slow or hard to understand */
	DOCTOR_FAIL, /* DevX is not usable */
};

struct doctor {
	struct dvfw *dvfw;
	struct table findings;
	unsigned int count[DOCTOR_FAIL + 1];
};

/* Adds a finding; @todo: what to do about it, NULL if nothing. */
void doctor_say(struct doctor *dr, enum doctor_level level, const char *topic, const char *todo,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

void doctor_system(struct doctor *dr);
/* Opens -d, or the first mlx5 device. */
void doctor_device(struct doctor *dr);
void doctor_fwctl(struct doctor *dr);

/* Subcommands: rows of the table in main.c. */
int doctor_run(struct dvfw *d, int argc, char **argv);
int check_run(struct dvfw *d, int argc, char **argv);

#endif
