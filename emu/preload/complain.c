/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on standard error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/boot.h"
#include "prm/visible.h"

void boot_complain(const char *fmt, ...)
{
	char text[1500], line[4 * sizeof(text)] = "dvkit-emu: ";
	size_t at = strlen(line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	prm_visible(line + at, sizeof(line) - at - 1, text);
	strcat(line, "\n");
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* no way to report it */
}

void boot_complain_fabric(const char *name, int err)
{
	bool file = err == EROFS || err == ENOENT || err == ENOSPC || err == EDQUOT ||
		    err == EACCES;

	if (err == EUSERS)
		boot_complain(
			"fabric %s: 255 devices are open on it, and no more can be: end a process, or "
			"choose another --fabric",
			name);
	else if (err == EPROTO)
		boot_complain(
			"fabric %s: processes of another version of dvkit-emu are on it: end them, or "
			"choose another --fabric",
			name);
	else
		boot_complain(
			"fabric %s: %s%s", name, strerror(err),
			file ? ": its file is in /run/dvkit-emu or /tmp/dvkit-emu-UID, which has to be "
			       "writable"
			     : "");
}
