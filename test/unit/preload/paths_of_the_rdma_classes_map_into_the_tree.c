/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of the RDMA classes and of the device node lead into the tree; no other path does.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/path.h"

static void root(void)
{
	setenv("SYSFS_PATH", "/tmp/tree", 1);
}

TestSuite(paths, .init = root);

static void stays(const char *path)
{
	char buf[PATH_BUF];

	cr_assert_eq(path_map(path, buf), path, "%s was redirected", path);
}

/* Without "/sys", and a run of slashes is one. */
Test(paths, of_the_device_lead_into_the_tree)
{
	static const char *const rows[][2] = {
		{ "/sys/class/infiniband", "class/infiniband" },
		{ "/sys/class/infiniband/", "class/infiniband/" },
		{ "/sys/class/infiniband/mlx5_0/device/net/",
		  "class/infiniband/mlx5_0/device/net/" },
		{ "/sys/class/infiniband_verbs/uverbs0/dev",
		  "class/infiniband_verbs/uverbs0/dev" },
		{ "//sys///class/infiniband/mlx5_0", "class/infiniband/mlx5_0" },
		{ "/dev/infiniband", "dev/infiniband" },
		{ "/dev/infiniband/uverbs0", "dev/infiniband/uverbs0" },
		{ "/dev/infiniband/rdma_cm", "dev/infiniband/rdma_cm" },
		{ "/dev/fwctl/fwctl0", "dev/fwctl/fwctl0" },
		{ "/sys/class/fwctl", "class/fwctl" },
		{ "/sys/bus/pci", "bus/pci" },
		{ "/sys/bus/pci/devices/0000:03:00.0/config",
		  "bus/pci/devices/0000:03:00.0/config" },
		{ "/sys/class/misc/rdma_cm/abi_version", "class/misc/rdma_cm/abi_version" },
	};
	char buf[PATH_BUF], want[PATH_BUF];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(want, sizeof(want), "/tmp/tree/%s", rows[i][1]);
		cr_expect_str_eq(path_map(rows[i][0], buf), want);
	}
}

Test(paths, others_stay)
{
	static const char *const rows[] = { "/sys/class/net/lo",
					    "/sys/class/infinib",
					    "/sys/class/misc/rdma_cmx",
					    "/sys/bus/pci_express/devices",
					    "/sys/bus",
					    "/sys/devices/pci0000:00",
					    "/dev/infinibandx",
					    "/dev/null",
					    "/",
					    "",
					    "sys/class/infiniband",
					    "dev/infiniband/uverbs0",
					    NULL };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		stays(rows[i]);
}

Test(paths, without_a_tree_nothing_is_redirected)
{
	unsetenv("SYSFS_PATH");
	stays("/sys/class/infiniband/mlx5_0");
}

Test(paths, what_does_not_fit_stays)
{
	char path[2 * PATH_BUF] = "/sys/class/infiniband/";

	memset(path + strlen(path), 'x', PATH_BUF);
	stays(path);
}

Test(paths, only_the_node_is_the_node)
{
	static const struct {
		const char *path;
		int function, fwctl; /* -1: it is not such a device */
		bool cm;
	} rows[] = {
		{ "/dev/infiniband/uverbs0", 0, -1, false },
		{ "/dev//infiniband/uverbs0", 0, -1, false },
		{ "/dev/infiniband/rdma_cm", -1, -1, true },
		{ "/dev/fwctl/fwctl0", -1, 0, false },
		{ "/dev/infiniband/uverbs", -1, -1, false },
		{ "/dev/infiniband/uverbs01", -1, -1, false },
		{ "/dev/infiniband/uverbs0/", -1, -1, false },
		{ "/dev/infiniband", -1, -1, false },
		{ "/dev/fwctl", -1, -1, false },
		{ "uverbs0", -1, -1, false },
		{ NULL, -1, -1, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_expect_eq(path_is_node(rows[i].path), i < 4, "row %zu", i);
		cr_expect_eq(path_is_cm(rows[i].path), rows[i].cm, "row %zu", i);
		cr_expect_eq(path_function(rows[i].path), rows[i].function, "row %zu", i);
		cr_expect_eq(path_fwctl(rows[i].path), rows[i].fwctl, "row %zu", i);
	}
}

/* The second device is there only with its file. */
Test(paths, the_second_node_is_one_where_the_tree_has_it)
{
	static const char *const dirs[] = { "", "/dev", "/dev/infiniband" };
	char tree[] = "/tmp/paths-test.XXXXXX", path[64];

	cr_assert(mkdtemp(tree));
	setenv("SYSFS_PATH", tree, 1);
	errno = 0;
	cr_assert(!path_is_node("/dev/infiniband/uverbs1"));
	cr_assert_eq(path_function("/dev/infiniband/uverbs1"), -1);
	for (int i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s", tree, dirs[i]);
		cr_assert_eq(mkdir(path, 0700), 0);
	}
	for (char n = '1'; n <= '2'; n++) {
		snprintf(path, sizeof(path), "%s/dev/infiniband/uverbs%c", tree, n);
		cr_assert_eq(mknod(path, S_IFREG | 0600, 0), 0);
	}
	cr_assert(path_is_node("/dev/infiniband/uverbs1"));
	cr_assert(path_is_node("/dev//infiniband/uverbs1"));
	cr_assert_eq(path_function("/dev/infiniband/uverbs1"), 1);
	cr_assert(!path_is_node("/dev/infiniband/uverbs2"));
	cr_assert(!path_is_node("/dev/infiniband/uverbs1/"));
	cr_assert_eq(errno, 0, "errno was changed");
	for (char n = '1'; n <= '2'; n++) {
		snprintf(path, sizeof(path), "%s/dev/infiniband/uverbs%c", tree, n);
		unlink(path);
	}
	for (int i = 2; i >= 0; i--) {
		snprintf(path, sizeof(path), "%s%s", tree, dirs[i]);
		rmdir(path);
	}
}
