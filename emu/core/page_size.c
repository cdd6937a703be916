/* SPDX-License-Identifier: BSD-2-Clause */
/* The sizes of pages. */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "core/core.h"

#define PAGE 4096ull

/* In bytes, as proc(5) describes smaps; 0: there is no such mapping. */
static uint64_t page_size_in_smaps(uint64_t va)
{
	struct core_file f;
	unsigned long start, end, kilobytes = 0;
	bool inside = false;
	char line[64];

	core_file_open(&f, "/proc/thread-self/smaps");
	while (!kilobytes && core_file_line(&f, line, sizeof(line))) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start <= va && va < end;
		else if (inside)
			sscanf(line, "KernelPageSize: %lu", &kilobytes);
	}
	core_file_close(&f);
	return (uint64_t)kilobytes << 10;
}

/* mremap(2) refuses an address inside of a huge page with EINVAL, and otherwise does nothing if
 * it is called so; to read smaps takes time. */
uint64_t core_page_size(uint64_t va)
{
	uint64_t page = 0;

	if (core_syscall(SYS_mremap, va | PAGE, PAGE, PAGE, 0) == -1 && errno == EINVAL)
		page = page_size_in_smaps(va);
	return page ? page : PAGE;
}
