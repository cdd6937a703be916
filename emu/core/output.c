/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the emulator writes for its user. One that cannot be written ends, and that is
 * said once. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"

static const char *const names[CORE_OUTPUTS] = {
	[CORE_LOG] = "--trace-file",
	[CORE_TIMELINE] = "--timeline",
	[CORE_CAPTURE] = "--pcap",
};

static atomic_bool ended[CORE_OUTPUTS];

void core_output_ends(enum core_output which, int err)
{
	char line[200];
	int len;

	if (atomic_exchange(&ended[which], true))
		return;
	len = snprintf(line, sizeof(line),
		       "dvkit-emu: %s: %s: the file ends here, the program goes on\n",
		       names[which], strerror(err));
	if (write(STDERR_FILENO, line, len) < 0)
		return; /* no way to report it */
}

/* A pipe that is full loses what does not fit: nothing waits for its reader. */
void core_output(int fd, enum core_output which, const void *bytes, size_t len)
{
	ssize_t n;

	if (atomic_load_explicit(&ended[which], memory_order_relaxed))
		return;
	do
		n = write(fd, bytes, len);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)len && !(n < 0 && errno == EAGAIN))
		core_output_ends(which, n < 0 ? errno : ENOSPC);
}
