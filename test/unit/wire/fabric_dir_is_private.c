/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory of a user's fabrics belongs to that user, whatever other users created
 * before. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/descriptors.h"
#include "unit/wire/packet.h"
#include "wire/fabric_dir.h"

#define STRANGER 65534

static char parent[32];
static int descriptors;

/* A directory like /tmp; skips the test if it cannot act as another user. */
static void setup(mode_t mode)
{
	if (geteuid())
		cr_skip_test("only root can act as another user");
	descriptors = open_descriptors();
	strcpy(parent, "/tmp/wire-test.XXXXXX");
	cr_assert_not_null(mkdtemp(parent));
	cr_assert_eq(chmod(parent, mode), 0);
}

static void teardown(void)
{
	char command[64];

	cr_expect_eq(open_descriptors(), descriptors, "a descriptor is left");
	snprintf(command, sizeof(command), "rm -rf %s", parent);
	cr_assert_eq(system(command), 0);
}

static mode_t squatted = 0777;

/* Makes @name there, as another user: a directory, or a link if @to is not NULL. */
static void squat(const char *name, const char *to)
{
	char path[FABRIC_DIR_BYTES];
	int status;

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	if (!fork())
		_exit(seteuid(STRANGER) || (to ? symlink(to, path) : mkdir(path, squatted)));
	wait(&status);
	cr_assert_eq(status, 0);
}

static void expect_own(const char *path)
{
	struct stat st;

	cr_assert_eq(lstat(path, &st), 0, "%s: %m", path);
	cr_expect(S_ISDIR(st.st_mode));
	cr_expect_eq(st.st_uid, geteuid());
	cr_expect_eq(st.st_mode & 077, 0);
}

/* Every process finds the same one. */
static void expect_one_place(char path[FABRIC_DIR_BYTES])
{
	char again[FABRIC_DIR_BYTES];

	cr_assert_eq(fabric_dir_in(parent, path, FABRIC_DIR_BYTES), 0);
	expect_own(path);
	cr_assert_eq(fabric_dir_in(parent, again, FABRIC_DIR_BYTES), 0);
	cr_expect_str_eq(path, again);
}

Test(wire, the_directory_belongs_to_the_user)
{
	char path[FABRIC_DIR_BYTES], want[FABRIC_DIR_BYTES];

	setup(01777);
	expect_one_place(path);
	snprintf(want, sizeof(want), "%s/dvkit-emu-0", parent);
	cr_expect_str_eq(path, want);
	teardown();
}

Test(wire, a_directory_that_another_user_made_is_not_used)
{
	char path[FABRIC_DIR_BYTES];

	for (int own = 0; own < 2; own++) {
		squatted = own ? 0700 : 0777;
		setup(01777);
		squat("dvkit-emu-0", NULL);
		squat("dvkit-emu-0.000000", NULL);
		expect_one_place(path);
		cr_expect_not_null(strstr(path, "/dvkit-emu-0."));
		teardown();
	}
}

static const char *rival; /* another process makes it when this one makes one that begins so */

#pragma GCC visibility push(default)
int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
#pragma GCC visibility pop

int __wrap_mkdir(const char *path, mode_t mode)
{
	if (rival && !strncmp(path, rival, strlen(rival)))
		__real_mkdir(rival, 0700);
	return __real_mkdir(path, mode);
}

Test(wire, of_two_directories_the_first_is_used_and_the_other_removed)
{
	char path[FABRIC_DIR_BYTES], first[FABRIC_DIR_BYTES];
	struct stat st;

	setup(01777);
	squat("dvkit-emu-0", NULL);
	snprintf(first, sizeof(first), "%s/dvkit-emu-0.", parent);
	rival = first;
	expect_one_place(path);
	cr_expect_str_eq(path, first);
	rival = NULL;
	cr_assert_eq(stat(parent, &st), 0);
	cr_expect_eq(st.st_nlink, 4, "its own two, and two directories");
	teardown();
}

Test(wire, a_link_is_not_followed)
{
	char path[FABRIC_DIR_BYTES], own[FABRIC_DIR_BYTES];

	setup(01777);
	snprintf(own, sizeof(own), "%s/own", parent);
	cr_assert_eq(mkdir(own, 0700), 0);
	squat("dvkit-emu-0", own);
	squat("dvkit-emu-0.000000", own);
	expect_one_place(path);
	cr_expect_null(strstr(path, "000000"));
	teardown();
}

Test(wire, a_directory_that_others_can_enter_is_not_used)
{
	char path[FABRIC_DIR_BYTES], open[FABRIC_DIR_BYTES];

	setup(01777);
	snprintf(open, sizeof(open), "%s/dvkit-emu-0", parent);
	cr_assert_eq(mkdir(open, 0700), 0);
	cr_assert_eq(chmod(open, 0711), 0);
	expect_one_place(path);
	cr_expect_str_neq(path, open);
	teardown();
}

Test(wire, a_path_that_does_not_fit_is_not_used)
{
	char path[FABRIC_DIR_BYTES];
	size_t len;

	setup(01777);
	cr_assert_eq(fabric_dir_in(parent, path, FABRIC_DIR_BYTES), 0);
	len = strlen(path);
	cr_expect_eq(fabric_dir_in(parent, path, len + 1), 0);
	cr_expect_eq(fabric_dir_in(parent, path, len), ENAMETOOLONG);
	teardown();
	for (len = FABRIC_DIR_BYTES - 1; len <= FABRIC_DIR_BYTES; len++) {
		char own[FABRIC_DIR_BYTES + 1];

		setup(01777);
		squat("dvkit-emu-0", NULL);
		memset(own, '0', len);
		own[len] = 0;
		memcpy(own, parent, strlen(parent));
		memcpy(own + strlen(parent), "/dvkit-emu-0.", 13);
		cr_assert_eq(mkdir(own, 0700), 0);
		cr_assert_eq(fabric_dir_in(parent, path, FABRIC_DIR_BYTES), 0);
		cr_expect_eq(!strcmp(path, own), len < FABRIC_DIR_BYTES, "%zu characters", len);
		teardown();
	}
}

Test(wire, a_parent_in_which_others_can_rename_is_refused)
{
	static const struct {
		mode_t mode;
		int err;
	} rows[] = {
		{ 0777, EACCES }, { 0720, EACCES }, { 0702, EACCES }, { 0755, 0 }, { 01777, 0 }
	};
	char path[FABRIC_DIR_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup(rows[i].mode);
		cr_expect_eq(fabric_dir_in(parent, path, sizeof(path)), rows[i].err, "%o",
			     rows[i].mode);
		teardown();
	}
}

/* How many files does @fabric have? */
static int files(const char *fabric)
{
	char dir[FABRIC_DIR_BYTES], command[128];
	FILE *out;
	int n = -1;

	cr_assert_eq(fabric_dir(dir, sizeof(dir)), 0);
	snprintf(command, sizeof(command), "ls %s | grep -c '^%s[.]'", dir, fabric);
	out = popen(command, "r");
	cr_assert_eq(fscanf(out, "%d", &n), 1);
	pclose(out);
	return n;
}

Test(wire, the_last_process_removes_the_file_and_the_next_removes_those_of_killed_processes)
{
	char fabric[64], done = 0;
	struct wire *a, *b;
	int status, open[2], end[2];
	pid_t child;

	snprintf(fabric, sizeof(fabric), "left-%d", (int)getpid());
	a = wire_open(fabric);
	b = wire_open(fabric);
	cr_assert(a && b);
	cr_expect_eq(files(fabric), 1);
	wire_close(a);
	cr_expect_eq(files(fabric), 1, "b is there");
	wire_close(b);
	cr_expect_eq(files(fabric), 0);
	/* Any process that closes a fabric removes the file, also another test: it is counted
	 * while its process is alive. */
	cr_assert(!pipe(open) && !pipe(end));
	child = fork();
	if (!child) {
		done = !!wire_open(fabric);
		write(open[1], &done, 1);
		_exit(read(end[0], &done, 1) != 1); /* closes nothing */
	}
	cr_assert_eq(read(open[0], &done, 1), 1);
	cr_expect_eq(done, 1);
	cr_expect_eq(files(fabric), 1);
	cr_assert_eq(write(end[1], &done, 1), 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	wire_close(join_test_fabric());
	cr_expect_eq(files(fabric), 0, "swept");
}
