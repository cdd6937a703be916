/* SPDX-License-Identifier: BSD-2-Clause */
/* A file is written whole or not at all: with another name in the same folder, then renamed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static bool put(int fd, const char *text, size_t size)
{
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool written = f && fwrite(text, 1, size, f) == size;

	return f && !fclose(f) && written;
}

/* A new file, with a name that no other writer of the same file has; the mode is that of
 * fopen(). */
static int new_file(char *name)
{
	int fd = mkostemps(name, strlen(".new"), O_CLOEXEC);
	mode_t mask = umask(0);

	umask(mask);
	if (fd >= 0 && fchmod(fd, 0666 & ~mask)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int base_save(const char *path, const char *text, size_t size)
{
	char beside[4096 + 16];
	struct stat st;
	bool is_file = lstat(path, &st) || S_ISREG(st.st_mode);
	int fd;

	snprintf(beside, sizeof(beside), "%s.XXXXXX.new", path);
	fd = is_file ? new_file(beside)
		     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (put(fd, text, size) && (!is_file || !rename(beside, path)))
		return 0;
	base_note("%s: %m; it is not written", path);
	if (is_file)
		unlink(beside);
	return -1;
}
