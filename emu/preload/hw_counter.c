/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	…/infiniband/mlx5_1/ports/1/hw_counters/out_of_buffer -> function 1 -> counter set of the kernel -> "0\n"
 *
 * The kernel reads the set of the port, which its QPs count into (mlx5_ib, counters.c, do_get_hw_stats): set 0 here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/boot.h"
#include "preload/hw_counter.h"

#define FOLDER "/ports/1/hw_counters/"
#define DEVICE "/mlx5_"

static const struct {
	const char *name;
	size_t at;
} files[] = {
#define HW_COUNTER(f) { #f, offsetof(struct hca_q_counts, f) },
#include "hca/hw_counter.def"
};

/* The device is named before the folder: its function; -1: it is not. */
static int function_of(const char *path, const char *folder)
{
	size_t len = strlen(DEVICE);

	if ((size_t)(folder - path) <= len || strncmp(folder - 1 - len, DEVICE, len))
		return -1;
	return folder[-1] >= '0' && folder[-1] < '0' + OPTIONS_FUNCTIONS ? folder[-1] - '0'
									 : -1;
}

static int file_of(const char *name)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(name, files[i].name))
			return (int)i;
	return -1;
}

static uint32_t value(struct boot *b, int file)
{
	uint32_t v;

	hca_lock(&b->hca);
	memcpy(&v, (const uint8_t *)&b->hca.counts.no_set.n + files[file].at, sizeof(v));
	hca_unlock(&b->hca);
	return v;
}

static int memory_with(uint32_t v, int flags)
{
	int fd = memfd_create("hw_counter", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -1;
	if (dprintf(fd, "%u\n", v) > 0 && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -1;
}

int hw_counter_open(const char *path, int flags)
{
	const char *folder = path ? strstr(path, FOLDER) : NULL;
	int saved = errno, function, file, fd = -1;
	struct boot *b;

	if (!folder || (flags & O_ACCMODE) != O_RDONLY)
		return -1;
	function = function_of(path, folder);
	file = file_of(folder + strlen(FOLDER));
	if (function < 0 || file < 0)
		return -1;
	core_enter();
	b = boot_running((unsigned int)function);
	if (b)
		fd = memory_with(value(b, file), flags);
	core_leave();
	errno = saved;
	return fd;
}
