/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables of dvkit-emu as they were first, and the line about a program that is started
 * without them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "lib/capture.h"
#include "options/options.h"
#include "preload/environment.h"

static char home[] = "/tmp/environment.XXXXXX";

static void set(const char *tree, const char *options, const char *frames)
{
	setenv("SYSFS_PATH", tree, 1);
	setenv(OPTIONS_ENV, options, 1);
	setenv("DVKIT_EMU_FRAMES", frames, 1);
}

static bool is(const char *got, const char *want)
{
	return got && !strcmp(got, want);
}

static void tree_first(void)
{
	set("/a", "", "");
	environment_tree();
	set("/b", "mtu=1024", "");
	_exit(!(is(environment_options(), "mtu=1024") && is(environment_tree(), "/a")));
}

static void options_first(void)
{
	_exit(!is(environment_options(), "mtu=1024"));
}

static void frames_first(void)
{
	_exit(!environment_frames());
}

/* Each of them may be the first that is asked for, before the constructor. */
Test(environment, is_that_of_the_start)
{
	cr_expect(!environment_tree() && !environment_options() && !environment_frames());
	set("/a", "mtu=1024", "1");
	cr_expect_eq(child(tree_first), 0);
	cr_expect_eq(child(options_first), 0);
	cr_expect_eq(child(frames_first), 0);
	cr_expect_str_eq(environment_tree(), "/a");
	set("/b", "mtu=4096", "");
	cr_expect_str_eq(environment_tree(), "/a");
	cr_expect_str_eq(environment_options(), "mtu=1024");
	cr_expect(environment_frames());
	clearenv();
	cr_expect_str_eq(environment_tree(), "/a");
}

/* The text on standard error. The next file has number 0, and does not keep it. */
static const char *check(const char *name, const char *const *envp)
{
	static char said[1000];
	struct capture c;
	int in;

	capture_begin(&c, stderr);
	in = dup(STDIN_FILENO);
	close(STDIN_FILENO);
	errno = EDOM;
	environment_check(name, (char *const *)envp);
	cr_expect_eq(errno, EDOM);
	cr_expect_eq(dup(in), STDIN_FILENO);
	close(in);
	capture_end(&c, said, sizeof(said));
	return said;
}

#define PRELOAD "LD_PRELOAD=/x.so:/l/libdvkit-emu.so"
#define LINE(name)                                                                             \
	"dvkit-emu: " name " will not see the adapter: its environment lacks libdvkit-emu.so " \
	"in LD_PRELOAD, or SYSFS_PATH or DVKIT_EMU: keep them, or start it as dvkit-emu -- "

Test(environment, that_lacks_a_variable_is_reported)
{
	static const struct {
		const char *envp[4];
		bool sees;
	} rows[] = {
		{ { PRELOAD, "SYSFS_PATH=/a", "DVKIT_EMU=a" }, true },
		{ { "DVKIT_EMU=a", "SYSFS_PATH=/a", PRELOAD }, true },
		{ { PRELOAD, "SYSFS_PATH=/a" }, false },
		{ { PRELOAD, "DVKIT_EMU=a" }, false },
		{ { "SYSFS_PATH=/a", "DVKIT_EMU=a" }, false },
		{ { PRELOAD, "SYSFS_PATH=", "DVKIT_EMU=a" }, false },
		{ { PRELOAD, "SYSFS_PATH=/a", "DVKIT_EMU=" }, false },
		{ { "LD_PRELOAD=/x.so", "SYSFS_PATH=/a", "DVKIT_EMU=a" }, false },
		{ { PRELOAD, "SYSFS_PATHS=/a", "DVKIT_EMU=a" }, false },
		{ { PRELOAD, "SYSFS_PATH=/a", "MY_DVKIT_EMU=a" }, false },
		{ { NULL }, false },
	};
	char name[16], made[64];

	cr_expect_str_eq(check("/bin/a", NULL), "", "this process is not one of dvkit-emu's");
	cr_assert(mkdtemp(home));
	set(home, "mtu=1024", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(name, sizeof(name), "/bin/a%zu", i);
		snprintf(made, sizeof(made), "%s/without.a%zu", home, i);
		cr_expect_eq(!*check(name, rows[i].envp), rows[i].sees, "row %zu", i);
		cr_expect_eq(unlink(made), rows[i].sees ? -1 : 0, "row %zu", i);
	}
	cr_expect_str_eq(check("/bin/dvkit-emu", NULL), "");
	cr_expect_str_eq(check("a", NULL), LINE("a") "a\n");
	cr_expect_str_eq(check("/other/a", NULL), "", "it was said");
	cr_expect_str_eq(check("/bin/b", NULL), LINE("/bin/b") "b\n");
	snprintf(made, sizeof(made), "%s/without.a", home);
	cr_expect_eq(unlink(made), 0);
	snprintf(made, sizeof(made), "%s/without.b", home);
	cr_expect_eq(unlink(made), 0);
	cr_expect_eq(rmdir(home), 0);
}
