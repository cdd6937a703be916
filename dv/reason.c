/* SPDX-License-Identifier: BSD-2-Clause */
/* The reason of the latest failure, for each thread (reason.h). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <dv/reason.h>

#include "refuse.h"

enum { LONGEST = 512 };

static _Thread_local char reason[LONGEST] = "nothing failed";

const char *dv_reason(void)
{
	return reason;
}

int dv_refuse(int err, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (err == -1)
		err = saved ? saved : EIO;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	errno = saved;
	return err < 0 ? -err : err;
}

int dv_refused_by(const char *what, int err)
{
	if (!err)
		return 0;
	if (err == -1)
		err = errno ? errno : EIO;
	return dv_refuse(err, "%s: %s", what, strerrordesc_np(err < 0 ? -err : err));
}
