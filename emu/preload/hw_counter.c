/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	…/infiniband/mlx5_1/ports/1/hw_counters/out_of_buffer -> function 1 -> uverbs -> "0\n"
 *
 * uverbs has the kernel's counters. A process that has not opened the device reads what the
 * others on the fabric have counted, and is not on it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/boot.h"
#include "preload/hw_counter.h"

#define DEVICE "/mlx5_"

static const struct {
	const char *folder;
	uverbs_counters *read;
} folders[] = {
	{ "/ports/1/hw_counters/", uverbs_hw_counters },
	{ "/ports/1/counters/", uverbs_port_counters },
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

void hw_counter_sum(const struct nldev_device *d, struct hca_counted *sum)
{
	for (unsigned int i = 0; d->uverbs && i < OPTIONS_FUNCTIONS; i++) {
		const struct boot *b = boot_running(i);

		if (!b || b->uverbs != d->uverbs)
			continue;
		hca_function_counted(&b->hca, sum);
		return;
	}
	wire_counted(d->fabric, d->ipv4, d->role, sum);
}

/* False: there is no such counter. */
static bool value(const struct nldev_device *d, unsigned int folder, const char *name,
		  uint64_t *v)
{
	struct uverbs_counter c[UVERBS_STATISTICS];
	struct hca_counted sum;
	unsigned int n;

	d->counted(d, &sum);
	n = folders[folder].read(d->kernel, &sum, c);
	while (n--) {
		if (strcmp(c[n].name, name))
			continue;
		*v = c[n].value;
		return true;
	}
	return false;
}

static int memory_with(uint64_t v, int flags)
{
	int fd = memfd_create("hw_counter", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	char text[32];
	int len = snprintf(text, sizeof(text), "%" PRIu64 "\n", v);

	if (fd < 0)
		return -1;
	if (write(fd, text, (size_t)len) == len && !lseek(fd, 0, SEEK_SET))
		return fd;
	close(fd);
	return -1;
}

/* The counter of @path in folder @i. */
static int open_in(const char *path, unsigned int i, int flags)
{
	const char *folder = strstr(path, folders[i].folder);
	int function = folder ? function_of(path, folder) : -1, fd = -1;
	struct nldev_device d[OPTIONS_FUNCTIONS];
	uint64_t v;

	if (function < 0)
		return -1;
	core_enter();
	if ((size_t)function < boot_identity(d) && d[function].name &&
	    value(&d[function], i, folder + strlen(folders[i].folder), &v))
		fd = memory_with(v, flags);
	core_leave();
	return fd;
}

int hw_counter_open(const char *path, int flags)
{
	int saved = errno, fd = -1;

	if (!path || (flags & O_ACCMODE) != O_RDONLY)
		return -1;
	for (unsigned int i = 0; fd < 0 && i < ARRAY_SIZE(folders); i++)
		fd = open_in(path, i, flags);
	errno = saved;
	return fd;
}
