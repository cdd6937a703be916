/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refusals that are not about a place in a text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

int flow_refuse(struct dv_flow_error *error, int err, const char *fmt, ...)
{
	va_list ap;

	if (!err) /* a call failed without errno */
		err = EIO;
	if (!error)
		return err;
	memset(error, 0, sizeof(*error));
	va_start(ap, fmt);
	vsnprintf(error->message, sizeof(error->message), fmt, ap);
	va_end(ap);
	return err;
}
