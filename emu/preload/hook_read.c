/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hook on read: of the event descriptors, those of DevX refuse a buffer that is too short for
 * the next record. All others, and poll on all of them, are left to the kernel.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <unistd.h>

#include "preload/real.h"
#include "uverbs/uverbs.h"

HOOK ssize_t read(int fd, void *buf, size_t count)
{
	int ret = uverbs_read_check(fd, count);

	if (!ret)
		return REAL(read)(fd, buf, count);
	errno = -ret;
	return -1;
}
