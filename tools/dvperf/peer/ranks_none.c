/* SPDX-License-Identifier: BSD-2-Clause */
/* Without MPI: nothing here is reached but ranks_open(). */
#include <stdlib.h>

#include "base/base.h"
#include "libexec/libexec.h"
#include "ranks.h"

void ranks_open(char **argv)
{
	base_refuse(
		"--pattern: %s, where CMake finds MPI (Debian: libopenmpi-dev, openmpi-bin)",
		libexec_exec("dvperf-mpi", argv));
}

void ranks_close(void)
{
}

unsigned int ranks_own(void)
{
	return 0;
}

unsigned int ranks_count(void)
{
	return 1;
}

void ranks_announce(void)
{
}

bool ranks_are_here(void)
{
	return true;
}

void ranks_await(void)
{
}

bool ranks_all(bool ours)
{
	return ours;
}

void ranks_share(const void *ours, void *all, size_t size)
{
	(void)ours;
	(void)all;
	(void)size;
}

char **ranks_gather(const char *ours)
{
	(void)ours;
	return NULL;
}
