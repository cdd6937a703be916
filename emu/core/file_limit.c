/* SPDX-License-Identifier: BSD-2-Clause */
/* RLIMIT_FSIZE is about files on disks; those of the emulator are not the program's. */
#include <sys/resource.h>

#include "core/core.h"

uint64_t core_file_limit_raise(uint64_t want, struct rlimit *was)
{
	struct rlimit now = { RLIM_INFINITY, RLIM_INFINITY };

	if (getrlimit(RLIMIT_FSIZE, was))
		return 0;
	if (was->rlim_cur >= want || !setrlimit(RLIMIT_FSIZE, &now))
		return want;
	now = (struct rlimit){ was->rlim_max, was->rlim_max };
	setrlimit(RLIMIT_FSIZE, &now);
	return now.rlim_cur < want ? now.rlim_cur : want;
}

void core_file_limit_restore(uint64_t want, const struct rlimit *was)
{
	if (was->rlim_cur < want)
		setrlimit(RLIMIT_FSIZE, was);
}
