/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hook on read: of the event descriptors, those of DevX refuse a buffer that is too short for
 * the next record. All others, and poll on all of them, are left to the kernel.
 */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <unistd.h>

#include "preload/files.h"
#include "preload/real.h"
#include "uverbs/uverbs.h"

HOOK ssize_t read(int fd, void *buf, size_t count)
{
	/* kernel, ucma.c: rdma_cm has no read */
	int ret = files_has(fd) && files_has_cm(fd) ? -EINVAL : uverbs_read_check(fd, count);

	if (!ret)
		return REAL(read)(fd, buf, count);
	errno = -ret;
	return -1;
}
