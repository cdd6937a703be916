/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree holds what libibverbs and UCX read, and goes away: with its launcher, or with
 * the next one's sweep when the launcher died.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/sysfs.h"
#include "launcher/tree.h"
#include "kernel.h"
#include "lib/steps.h"
#include "options/options.h"

static const struct fw_device kind = { .name = "cx7",
				       .description = "a ConnectX-7",
				       .pci_id = 0x1021,
				       .board_id = "MT_0000000001",
				       .fw_ver = "28.1.2" };
static const struct fw_device two = { .name = "bf3",
				      .description = "a BlueField-3",
				      .pci_id = 0xa2dc,
				      .board_id = "MT_0000000884",
				      .fw_ver = "32.1.2",
				      .dpu = true };
static const struct options port = { .ipv4 = 0x0a000007 };
static char home[64];

static void begin(void)
{
	close(0); /* the first number that is free */
	strcpy(home, "/tmp/tree-test.XXXXXX");
	cr_assert(mkdtemp(home));
	setenv("TMPDIR", home, 1);
}

static void end(void)
{
	cr_expect_eq(rmdir(home), 0, "%s is not empty", home);
}

TestSuite(tree, .init = begin, .fini = end);

static char *make(const struct fw_device *of, const struct options *with)
{
	char *root = sysfs_create(of, with);

	cr_assert_not_null(root, "%m");
	return root;
}

static void finish(char *root)
{
	sysfs_remove(root);
	free(root);
}

static void holds(const char *root, const char *path, const char *want)
{
	char name[PATH_MAX], got[400] = "";
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	f = fopen(name, "r");
	cr_assert(f, "%s", path);
	cr_assert(fread(got, 1, sizeof(got) - 1, f) < sizeof(got));
	fclose(f);
	cr_assert_str_eq(got, want, "%s", path);
}

/* Its node GUID and link-local GIDs differ from the host function's, the adapter's GUID is the
 * same. */
Test(tree, has_a_function_of_a_dpu)
{
	const struct options dpu = { .ipv4 = 0x0a000007, .as = OPTIONS_AS_DPU };
	char *root = make(&two, &dpu);

	holds(root, "class/infiniband/mlx5_0/node_guid", "00d5:0aff:fe00:0007\n");
	holds(root, "class/infiniband/mlx5_0/sys_image_guid", "00c5:0aff:fe00:0007\n");
	holds(root, "class/infiniband/mlx5_0/ports/1/gids/0",
	      "fe80:0000:0000:0000:00d5:0aff:fe00:0007\n");
	holds(root, "class/infiniband/mlx5_0/ports/1/gids/2",
	      "0000:0000:0000:0000:0000:ffff:0a00:0007\n");
	finish(root);
}

static bool has(const char *root, const char *path)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/%s", root, path);
	return !access(name, F_OK);
}

static void leads_to(const char *root, const char *path, const char *want)
{
	char name[PATH_MAX], real[PATH_MAX];

	snprintf(name, sizeof(name), "%s/%s", root, path);
	cr_assert(realpath(name, real), "%s", path);
	cr_assert_str_eq(real + strlen(root), want);
}

#define PCI "/devices/pci0000:00/0000:00:02.0/0000:03:00."

static char lines[400][1000];
static size_t n_lines, zeros;

/* "path: content" or "path -> target" of what is not of the machine. */
static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	char text[800] = "", *line = lines[n_lines];
	FILE *f;

	(void)st, (void)at;
	cr_assert_neq(type, FTW_SLN, "%s leads nowhere", path);
	if (type == FTW_SL && readlink(path, text, sizeof(text) - 1) > 0 &&
	    (strncmp(text, "/sys/", 5) || strstr(text, "/net/")))
		snprintf(lines[n_lines++], sizeof(*lines), "%s -> %s", path + strlen(home),
			 text);
	if (type != FTW_F || strstr(path, "/config") || strstr(path, "/local_cpu"))
		return 0;
	f = fopen(path, "r");
	cr_assert(f && (!fread(text, 1, sizeof(text) - 1, f) || *text));
	fclose(f);
	if (strstr(path, "/gids/") && strspn(text, "0:\n") == strlen(text))
		return zeros++, 0;
	for (char *c = text; *c; c++)
		*c = *c == '\n' ? '|' : *c;
	snprintf(line, sizeof(*lines), "%s: %s", path + strlen(home), text);
	n_lines++;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Every file and link, tree.txt: kernel, Documentation/ABI/stable/sysfs-class-infiniband and
 * others (sysfs.c). UCX: the PCI function is two components above the device's real path. */
Test(tree, is_this)
{
	char *root = sysfs_create(&two, &port), want[1000];
	FILE *f = fopen(HERE "/tree.txt", "r");
	size_t at = strlen(root) - strlen(home), n = 0;

	cr_assert(root && f);
	cr_assert_eq(nftw(root, visit, 8, FTW_PHYS), 0);
	qsort(lines, n_lines, sizeof(*lines), by_text);
	for (; n < n_lines && fgets(want, sizeof(want), f); n++) {
		want[strcspn(want, "\n")] = 0;
		cr_assert_str_eq(lines[n] + at, want);
	}
	cr_expect_eq(n, n_lines, "one more: %s", lines[n]);
	cr_expect_null(fgets(want, sizeof(want), f), "one is missing: %s", want);
	cr_expect_eq(zeros, 2 * (255 - 4));
	leads_to(root, "class/infiniband/mlx5_0", PCI "0/infiniband/mlx5_0");
	leads_to(root, "class/infiniband_verbs/uverbs1/device", PCI "1");
	fclose(f);
	finish(root);
}

Test(tree, has_one_function_where_one_is_wanted)
{
	const struct options host = { .ipv4 = 0x0a000007, .as = OPTIONS_AS_HOST };
	const struct fw_device *const kinds[] = { &kind, &two };
	const struct options *const ports[] = { &port, &host };

	for (int i = 0; i < 2; i++) {
		char *root = make(kinds[i], ports[i]);

		cr_assert(has(root, "class/infiniband/mlx5_0"));
		cr_assert_not(has(root, "class/infiniband/mlx5_1"));
		cr_assert_not(has(root, "dev/infiniband/uverbs1"));
		cr_assert_not(has(root, "bus/pci/devices/0000:03:00.1"));
		finish(root);
	}
}

Test(tree, of_a_dead_launcher_is_swept)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(!sysfs_create(&kind, &port));
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_neq(rmdir(home), 0);
	sysfs_sweep();
}

Test(tree, of_a_live_launcher_is_left_alone)
{
	char *root = make(&kind, &port);

	sysfs_sweep();
	holds(root, "class/infiniband_verbs/abi_version", "6\n");
	finish(root);
}

static bool come_and_go(unsigned int times)
{
	while (times--) {
		char *root;

		sysfs_sweep();
		root = sysfs_create(&kind, &port);
		if (!root)
			return false;
		finish(root);
	}
	return true;
}

/* Launchers that begin at the same time sweep while others make their trees. */
Test(tree, one_that_is_being_made_is_not_swept)
{
	pid_t child[6];
	int status;

	for (int i = 0; i < 6; i++) {
		child[i] = fork();
		if (!child[i])
			_exit(come_and_go(15) ? 0 : 1);
	}
	for (int i = 0; i < 6; i++) {
		cr_assert_eq(waitpid(child[i], &status, 0), child[i]);
		cr_expect_eq(status, 0, "a tree could not be made");
	}
}

/* Bytes of the configuration space: identity, list of capabilities, type of header, link. */
static void config_is(const char *root, int function, uint8_t device_low, uint8_t header)
{
	uint8_t c[4097] = { 0 };
	char name[PATH_MAX];
	FILE *f;

	snprintf(name, sizeof(name), "%s/bus/pci/devices/0000:03:00.%d/config", root, function);
	f = fopen(name, "r");
	cr_assert(f, "%s", name);
	cr_assert_eq(fread(c, 1, sizeof(c), f), 4096);
	fclose(f);
	cr_assert_eq(c[0], 0xb3);
	cr_assert_eq(c[1], 0x15);
	cr_assert_eq(c[2], device_low);
	cr_assert_eq(c[6], 0x10);
	cr_assert_eq(c[0xb], 2);
	cr_assert_eq(c[0xe], header);
	for (int bar = 0x10; bar < 0x28; bar++)
		cr_assert_eq(c[bar], 0, "BAR at %#x", bar);
	cr_assert_eq(c[0x34], 0x60);
	cr_assert_eq(c[0x60], 0x10);
	cr_assert_eq(c[0x61], 0, "another capability");
	cr_assert_eq(c[0x72], 0x03);
	cr_assert_eq(c[0x73], 0x11);
	for (int at = 0x100; at < 4096; at++)
		cr_assert_eq(c[at], 0, "an extended capability");
}

Test(tree, has_configuration_spaces)
{
	char *root = make(&kind, &port);

	config_is(root, 0, 0x21, 0);
	finish(root);
	root = make(&two, &port);
	config_is(root, 0, 0xdc, 0x80);
	config_is(root, 1, 0xdc, 0x80);
	finish(root);
}

/* Each of them, by its name, and nothing else: the adapter's come first. */
static unsigned int links_to_the_machine(const char *root, const char *path)
{
	char name[PATH_MAX], of[300], target[PATH_MAX], want[1024], rdma[1100];
	unsigned int n = 0;
	struct dirent *e;
	DIR *all;

	snprintf(of, sizeof(of), "/sys/%s", path);
	all = opendir(of);
	while (all && (e = readdir(all))) {
		ssize_t len;

		if (*e->d_name == '.' || !strncmp(e->d_name, "0000:03:00.", 11) ||
		    !strcmp(e->d_name, "mlx5_core") || !strcmp(e->d_name, "devices") ||
		    !strcmp(e->d_name, "drivers"))
			continue;
		snprintf(name, sizeof(name), "%s/%s/%s", root, path, e->d_name);
		snprintf(want, sizeof(want), "%s/%s", of, e->d_name);
		len = readlink(name, target, sizeof(target));
		snprintf(rdma, sizeof(rdma), "%s/infiniband", want);
		if (!access(rdma, F_OK))
			continue;
		cr_assert_gt(len, 0, "%s", name);
		cr_assert_eq((size_t)len, strlen(want));
		cr_assert_eq(strncmp(target, want, (size_t)len), 0, "%s", name);
		n++;
	}
	if (all)
		closedir(all);
	return n;
}

/* Groups of 32 bits, the highest first; one processor, if their number is not known. */
Test(tree, is_near_all_processors)
{
	static const struct {
		long processors;
		const char *mask, *list;
	} rows[] = { { 1, "00000001\n", "0-0\n" },
		     { 31, "7fffffff\n", "0-30\n" },
		     { 32, "ffffffff\n", "0-31\n" },
		     { 33, "00000001,ffffffff\n", "0-32\n" },
		     { 66, "00000003,ffffffff,ffffffff\n", "0-65\n" },
		     { 2049, "00000001\n", "0-0\n" },
		     { -1, "00000001\n", "0-0\n" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *root;

		kernel.processors = rows[i].processors;
		root = make(&kind, &port);
		holds(root, "bus/pci/devices/0000:03:00.0/local_cpus", rows[i].mask);
		holds(root, "bus/pci/devices/0000:03:00.0/local_cpulist", rows[i].list);
		finish(root);
	}
}

/* The tree's own entry stays, and an RDMA device of the machine is left out. */
Test(tree, has_no_rdma_device_of_the_machine)
{
	static const char *const dirs[] = { "of", "of/nic", "of/own", "of/hca",
					    "of/hca/infiniband" };
	struct tree t = { .root = open(home, O_RDONLY | O_DIRECTORY) };
	char path[PATH_MAX], target[PATH_MAX];

	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", home, dirs[i]);
		cr_assert_eq(mkdir(path, 0755), 0);
	}
	tree_file(&t, "to/own", "mine");
	snprintf(path, sizeof(path), "%s/of", home);
	tree_others(&t, "to", path);
	tree_others(&t, "to", "/nonexistent");
	cr_assert_eq(t.err, 0);
	holds(home, "to/own", "mine");
	snprintf(path, sizeof(path), "%s/to/nic", home);
	cr_assert(realpath(path, target));
	cr_assert_str_eq(target + strlen(home), "/of/nic");
	cr_assert_not(has(home, "to/hca"));
	snprintf(path, sizeof(path), "%s/of", home);
	tree_others(&t, "missing", path);
	cr_assert_eq(t.err, ENOENT);
	close(t.root);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", home, i ? "of" : "to");
		tree_remove(path);
	}
}

Test(tree, has_the_devices_of_the_machine)
{
	char *root = make(&two, &port), dpdk[PATH_MAX];
	unsigned int n = links_to_the_machine(root, "bus/pci");

	n += links_to_the_machine(root, "bus/pci/devices");
	n += links_to_the_machine(root, "bus/pci/drivers");
	leads_to(root, "bus/pci/devices/0000:03:00.1", PCI "1");
	leads_to(root, "bus/pci/drivers/mlx5_core/0000:03:00.1", PCI "1");
	leads_to(root, "dpdk/0000:03:00.0", PCI "0");
	leads_to(root, "dpdk/0000:03:00.1", PCI "1");
	snprintf(dpdk, sizeof(dpdk), "%s/dpdk", root);
	for (char function = '0'; function < '2'; function++) {
		char name[PATH_MAX + 16];

		snprintf(name, sizeof(name), "%s/0000:03:00.%c", dpdk, function);
		cr_assert_eq(unlink(name), 0);
	}
	cr_assert_eq(rmdir(dpdk), 0, "DPDK sees more than the adapter");
	finish(root);
	if (!n)
		cr_skip_test("a machine without PCI");
}

/* Nothing is left of one of which a step failed: end() finds it. */
Test(tree, is_made_whole_or_not_at_all)
{
	int descriptors = open_descriptors();
	unsigned int n = 0;
	char *root;

	kernel.error = ENOMEM;
	do {
		steps.fail_at = ++n;
		errno = 0;
		root = sysfs_create(&kind, &port);
		cr_expect(root || errno == ENOMEM, "step %u: %m", n);
	} while (!root);
	cr_expect_eq(n, 6); /* the name, mkdtemp(), flock(), renameat(), fchmod() */
	finish(root);
	cr_expect_eq(open_descriptors(), descriptors + 1, "the lock of the one that was made");
	steps.fail_at = 0;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t most = 0; most < 2; most++) { /* bytes of a file: of none, of a part */
		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, 9 }), 0);
		cr_expect_null(sysfs_create(&kind, &port));
		cr_expect_eq(errno, most ? ENOSPC : EFBIG, "%m");
	}
	cr_expect_eq(open_descriptors(), descriptors + 1);
}

/* 200 bytes are libibverbs' limit, 16 MiB that of the memory. */
Test(tree, parent_has_limits)
{
	static const char *const parents[] = { "/tmp/", "/dev/shm/" };
	char longest[202] = "", *root;

	snprintf(longest, sizeof(longest), "%s/", home);
	memset(longest + strlen(longest), 'd', 200 - strlen(longest));
	cr_assert_eq(mkdir(longest, 0700), 0);
	setenv("TMPDIR", longest, 1);
	finish(make(&kind, &port));
	cr_assert_eq(rmdir(longest), 0);
	strcat(longest, "d");
	setenv("TMPDIR", longest, 1);
	errno = 0;
	cr_expect_null(sysfs_create(&kind, &port));
	cr_expect_eq(errno, ENAMETOOLONG);
	for (int i = 0; i < 2 && !access("/dev/shm", W_OK); i++) {
		i ? unsetenv("TMPDIR") : setenv("TMPDIR", "relative", 1);
		kernel.free_shm = (16 << 20) - (i ? 0 : 512);
		root = make(&kind, &port);
		cr_expect_eq(strncmp(root, parents[i], strlen(parents[i])), 0, "%s", root);
		finish(root);
	}
}

/* The error of each is kept; # is the function, in a name and in a target. */
Test(tree, remembers_a_failure)
{
	static const int want[] = { EOVERFLOW, EEXIST, ENOTDIR, EEXIST, ENOTDIR };
	struct tree t = { .root = open(home, O_RDONLY | O_DIRECTORY), .function = 1 };
	char text[1025], to[40] = "";

	memset(text, 'x', sizeof(text));
	tree_file(&t, "a#/b/c", "%.1023s", text);
	tree_link(&t, "d/e#", "../a#/b/c");
	cr_assert_eq(t.err, 0);
	cr_expect_eq(readlinkat(t.root, "d/e1", to, sizeof(to)), 9);
	cr_expect_str_eq(to, "../a1/b/c");
	cr_expect(tree_same(&t, "same#", "a#/b/c") && !tree_same(&t, "same#", "a#/b/c"));
	cr_expect_not(tree_same(&t, "other", "none"));
	for (int i = 0; i < 5; i++) {
		t.err = 0;
		if (i == 0)
			tree_file(&t, "f", "%.1024s", text);
		else if (i == 1)
			tree_file(&t, "a1/b/c", "x");
		else if (i == 2)
			tree_file(&t, "a1/b/c/d", "x");
		else if (i == 3)
			tree_link(&t, "d/e1", "x");
		else
			tree_link(&t, "a1/b/c/d", "x");
		cr_expect_eq(t.err, want[i], "%d: %d", i, t.err);
	}
	cr_expect_not(has(home, "f"));
	close(t.root);
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "%s/%s", home,
			 (const char *[]){ "a1", "d", "same1" }[i]);
		tree_remove(text); /* not a file */
		cr_expect_eq(access(text, F_OK), i == 2 ? 0 : -1);
	}
	unlink(text);
}
