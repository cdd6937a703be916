/* SPDX-License-Identifier: BSD-2-Clause */
/* Client and server on one host, and ranks in one folder, save files with the same name. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

enum {
	WRITERS = 4,
	TIMES = 500,
	SIZE = 4096,
};

static int writer(const char *path, char letter)
{
	char text[SIZE];
	int failed = 0;

	memset(text, letter, sizeof(text));
	for (int i = 0; i < TIMES; i++)
		failed |= base_save(path, text, sizeof(text));
	return failed != 0;
}

Test(save, files_are_one_writers)
{
	char dir[] = "/tmp/dvperf-save-XXXXXX", path[64], text[SIZE + 1];
	struct stat st;
	mode_t mask;
	FILE *f;

	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sweep.json", dir);
	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			_exit(writer(path, (char)('a' + i)));
	for (int i = 0, status; i < WRITERS; i++) {
		cr_assert_gt(wait(&status), 0);
		cr_expect_eq(status, 0, "a file was not written");
	}
	f = fopen(path, "r");
	cr_assert_not_null(f);
	cr_expect_eq(fread(text, 1, sizeof(text), f), SIZE);
	fclose(f);
	for (int i = 1; i < SIZE; i++)
		cr_assert_eq(text[i], text[0], "parts of two files");

	mask = umask(022);
	umask(mask);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0666 & ~mask);
	cr_assert_eq(unlink(path), 0);
	cr_expect_eq(rmdir(dir), 0, "something else was left in %s", dir);
}
