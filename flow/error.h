/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refusals that are not about a place in a text.
 */
#ifndef FLOW_ERROR_H
#define FLOW_ERROR_H

#include <flow/text.h>

/* Writes the message, if @error is not NULL; returns @err. */
int flow_refuse(struct dv_flow_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
