/* SPDX-License-Identifier: BSD-2-Clause */
/* core_dir, core_interface: what libc says of the same. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <criterion/criterion.h>

#include "core/core.h"

#define NAMES 300 /* more than one call of getdents64 returns */

static char folder[] = "/tmp/core-files-XXXXXX";

static void make(void)
{
	cr_assert(core_dir_make(folder));
}

static void remove_all(void)
{
	char name[64];

	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%s/entry-%d", folder, i);
		unlink(name);
	}
	rmdir(folder);
}

TestSuite(files, .init = make, .fini = remove_all);

static void write_entry(int i)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "%s/entry-%d", folder, i);
	f = fopen(name, "w");
	cr_assert_not_null(f);
	fclose(f);
}

Test(files, every_entry_once)
{
	int seen[NAMES] = { 0 }, others = 0, i;
	struct core_dir d;
	const char *name;

	for (i = 0; i < NAMES; i++)
		write_entry(i);
	core_dir_open(&d, folder);
	while ((name = core_dir_next(&d))) {
		if (sscanf(name, "entry-%d", &i) == 1)
			seen[i]++;
		else
			others += !strcmp(name, ".") || !strcmp(name, "..");
	}
	core_dir_close(&d);
	cr_expect_eq(others, 2);
	for (i = 0; i < NAMES; i++)
		cr_expect_eq(seen[i], 1, "entry-%d", i);
}

Test(files, no_folder_has_no_entries)
{
	struct core_dir d;

	core_dir_open(&d, "/tmp/there/is/none");
	cr_expect_null(core_dir_next(&d));
	core_dir_close(&d);
}

Test(files, a_made_folder_is_the_users_alone)
{
	char path[sizeof(folder)];
	struct stat st;

	cr_assert_eq(stat(folder, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0700);
	strcpy(path, "/tmp/core-files-XXXXXX");
	cr_assert(core_dir_make(path));
	cr_expect_str_neq(path, folder);
	cr_expect_eq(strncmp(path, "/tmp/core-files-", 16), 0);
	cr_expect_eq(rmdir(path), 0);
}

/* Names are random: of 600 letters, more than 20 are different. */
Test(files, names_of_made_folders_have_many_letters)
{
	bool has[128] = { false };
	unsigned int n = 0;

	for (int i = 0; i < 100; i++) {
		char path[] = "/tmp/core-XXXXXX", *letter = strchr(path, '-');

		cr_assert(core_dir_make(path));
		cr_expect_eq(rmdir(path), 0);
		while (*++letter) {
			n += !has[(int)*letter];
			has[(int)*letter] = true;
		}
	}
	cr_expect_gt(n, 20, "%u", n);
}

Test(files, a_folder_that_cannot_be_made)
{
	char path[] = "/tmp/there/is/none-XXXXXX";

	errno = 0;
	cr_expect_not(core_dir_make(path));
	cr_expect_eq(errno, ENOENT);
}

Test(interfaces, are_those_that_libc_names)
{
	unsigned int lo = if_nametoindex("lo");
	char name[CORE_INTERFACE_NAME];

	cr_assert_neq(lo, 0);
	cr_expect_eq(core_interface_index("lo"), lo);
	cr_expect(core_interface_name(lo, name));
	cr_expect_str_eq(name, "lo");
	cr_expect_eq(core_interface_index("no-such-one-15c"), 0);
	cr_expect_eq(errno, ENODEV);
	cr_expect_eq(core_interface_index("longer-than-15-c"), 0);
	cr_expect_not(core_interface_name(0x7ffffff0, name));
}
