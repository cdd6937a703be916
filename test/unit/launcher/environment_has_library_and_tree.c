/* SPDX-License-Identifier: BSD-2-Clause */
/* The variables that the command gets, and the library that belongs to the launcher. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "launcher/env.h"
#include "lib/capture.h"
#include "lib/steps.h"

#define LIBRARY "/l/libdvkit-emu.so"

static void variable_is(const char *name, const char *want)
{
	const char *got = getenv(name);

	cr_expect(got && !strcmp(got, want), "%s=%s, not %s", name, got ? got : "(none)", want);
}

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

Test(environment, has_each_variable)
{
	static const struct {
		const char *preload, *asan_options, *asan; /* before; a library that is there */
		const char *preloads, *has;		   /* after */
	} rows[] = {
		{ NULL, NULL, NULL, LIBRARY, "verify_asan_link_order=0" },
		{ "", "", NULL, LIBRARY, "verify_asan_link_order=0" },
		{ "other.so", "a=1", NULL, LIBRARY ":other.so",
		  "verify_asan_link_order=0:a=1" },
		{ "a.so:" LIBRARY, NULL, NULL, "a.so:" LIBRARY, "verify_asan_link_order=0" },
		{ NULL, NULL, "/libasan.so.8", "/libasan.so.8:" LIBRARY, "detect_leaks=0" },
		{ "a.so", "b=2", "/libasan.so.8", "/libasan.so.8:" LIBRARY ":a.so",
		  "detect_leaks=0:b=2" },
	};
	long allocations = steps.allocations;
	struct options o;

	options_default(&o);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		set("LD_PRELOAD", rows[i].preload);
		set("ASAN_OPTIONS", rows[i].asan_options);
		kernel.asan = rows[i].asan;
		cr_expect_eq(env_set(&o, LIBRARY, "/the/tree"), 0);
		variable_is("LD_PRELOAD", rows[i].preloads);
		variable_is("ASAN_OPTIONS", rows[i].has);
	}
	variable_is("DVKIT_EMU", "mtu=1024,ip=192.168.0.1,device=cx5,fabric=0");
	variable_is("SYSFS_PATH", "/the/tree");
	variable_is("SYSFS_PCI_DEVICES", "/the/tree/dpdk");
	cr_expect_eq(steps.allocations, allocations);
}

/* Each variable, and each text that becomes longer: 3 and 2 * 3. */
Test(environment, has_no_memory)
{
	long allocations = steps.allocations;
	unsigned int n = 0;
	struct options o;
	int err;

	options_default(&o);
	do {
		steps.fail_at = 0;
		set("LD_PRELOAD", "a.so");
		set("ASAN_OPTIONS", "b=2");
		kernel.asan = "/libasan.so.8";
		kernel.error = ENOMEM;
		steps.fail_at = ++n;
		err = env_set(&o, LIBRARY, "/the/tree");
		cr_expect(!err || err == ENOMEM, "%u: %d", n, err);
	} while (err);
	cr_expect_eq(n, 10);
	cr_expect_eq(steps.allocations, allocations);
	memset(o.pcap, ',', sizeof(o.pcap) - 1);
	memset(o.trace_file, ',', sizeof(o.trace_file) - 1);
	memset(o.timeline, ',', sizeof(o.timeline) - 1);
	cr_expect_eq(env_set(&o, LIBRARY, "/the/tree"), ENAMETOOLONG);
}

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	cr_assert_geq(fd, 0, "%s: %m", path);
	close(fd);
}

/* The result of env_find_library(), and what it says. */
static void finds(const char *want, const char *line)
{
	char said[400];
	struct capture c;
	char *found;

	capture_begin(&c, stderr);
	found = env_find_library();
	capture_end(&c, said, sizeof(said));
	cr_expect(found ? want && !strcmp(found, want) : !want, "%s, not %s", found, want);
	cr_expect_str_eq(said, line);
	free(found);
}

Test(environment, names_the_library_that_is_next_to_the_launcher)
{
	char home[] = "/tmp/env.XXXXXX";
	const char *none = "dvkit-emu: there is no bin/../lib/dvkit/libdvkit-emu.so\n";
	char want[100];

	cr_assert(mkdtemp(home) && !chdir(home));
	cr_assert(!mkdir("bin", 0700) && !mkdir("lib", 0700) && !mkdir("lib/dvkit", 0700));
	kernel.self = "bin/dvkit-emu";
	finds(NULL, none);
	touch("lib/dvkit/libdvkit-emu.so");
	snprintf(want, sizeof(want), "%s/lib/dvkit/libdvkit-emu.so", home);
	finds(want, "");
	touch("lib/libdvkit-emu.so");
	snprintf(want, sizeof(want), "%s/lib/libdvkit-emu.so", home);
	finds(want, "");
	cr_assert(!rename("lib", "a b") && !symlink("a b", "lib"));
	snprintf(
		want, sizeof(want),
		"dvkit-emu: LD_PRELOAD cannot hold '%s/a b/libdvkit-emu.so': it has a blank or "
		"a colon\n",
		home);
	finds(NULL, want);
	kernel.self = "";
	finds(NULL, "dvkit-emu: /proc/self/exe: No such file or directory\n");
}
