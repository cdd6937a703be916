/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refusals that are not about a place in a text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dv/refuse.h"
#include "error.h"

int flow_refuse(struct dv_flow_error *error, int err, const char *fmt, ...)
{
	struct dv_flow_error own;
	va_list ap;

	if (!error)
		error = &own;
	memset(error, 0, sizeof(*error));
	va_start(ap, fmt);
	vsnprintf(error->message, sizeof(error->message), fmt, ap);
	va_end(ap);
	/* 0: a call failed without errno. */
	return dv_refuse(err ? err : EIO, "%s", error->message);
}
