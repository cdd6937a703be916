/* SPDX-License-Identifier: BSD-2-Clause */
/* Directories, without opendir(3). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"

#define ATTEMPTS 100
#define RANDOM	 6

struct entry { /* struct linux_dirent64 of getdents64(2) */
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

void core_dir_open(struct core_dir *d, const char *path)
{
	d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d->at = d->len = 0;
}

static bool fill(struct core_dir *d)
{
	long n =
		d->fd < 0 ? 0 : core_syscall(SYS_getdents64, d->fd, d->bytes, sizeof(d->bytes));

	d->at = 0;
	d->len = n > 0 ? (size_t)n : 0;
	return d->len;
}

const char *core_dir_next(struct core_dir *d)
{
	const struct entry *e;

	if (d->at == d->len && !fill(d))
		return NULL;
	e = (const struct entry *)(d->bytes + d->at);
	d->at += e->len;
	return e->name;
}

void core_dir_close(struct core_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
}

bool core_dir_make(char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	char *end = path + strlen(path) - RANDOM;
	uint8_t chance[RANDOM];

	for (unsigned int i = 0; i < ATTEMPTS; i++) {
		if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
			return false;
		for (unsigned int k = 0; k < RANDOM; k++)
			end[k] = letters[chance[k] % (sizeof(letters) - 1)];
		if (!mkdir(path, 0700))
			return true;
		if (errno != EEXIST)
			return false;
	}
	return false;
}
