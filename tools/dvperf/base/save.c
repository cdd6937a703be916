/* SPDX-License-Identifier: BSD-2-Clause */
/* A file is written whole or not at all: beside its place, then renamed. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base.h"

static bool put(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "we");
	bool written = f && fwrite(text, 1, size, f) == size;

	return f && !fclose(f) && written;
}

int base_save(const char *path, const char *text, size_t size)
{
	char beside[4096 + 8];
	struct stat st;
	bool is_file = lstat(path, &st) || S_ISREG(st.st_mode);

	snprintf(beside, sizeof(beside), "%s%s", path, is_file ? ".new" : "");
	if (put(beside, text, size) && (!is_file || !rename(beside, path)))
		return 0;
	base_note("%s: %m; it is not written", path);
	if (is_file)
		unlink(beside);
	return -1;
}
