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

static void leads(const char *from, const char *to)
{
	char buf[PATH_BUF];

	cr_assert_str_eq(path_map(from, buf), to);
}

static void stays(const char *path)
{
	char buf[PATH_BUF];

	cr_assert_eq(path_map(path, buf), path, "%s was redirected", path);
}

Test(paths, classes_are_redirected)
{
	leads("/sys/class/infiniband", "/tmp/tree/class/infiniband");
	leads("/sys/class/infiniband/", "/tmp/tree/class/infiniband/");
	leads("/sys/class/infiniband/mlx5_0/device/net/",
	      "/tmp/tree/class/infiniband/mlx5_0/device/net/");
	leads("/sys/class/infiniband_verbs/uverbs0/dev",
	      "/tmp/tree/class/infiniband_verbs/uverbs0/dev");
}

Test(paths, a_run_of_slashes_is_one)
{
	leads("//sys///class/infiniband/mlx5_0", "/tmp/tree/class/infiniband/mlx5_0");
}

Test(paths, the_node_and_its_directory_are_redirected)
{
	leads("/dev/infiniband", "/tmp/tree/dev/infiniband");
	leads("/dev/infiniband/uverbs0", "/tmp/tree/dev/infiniband/uverbs0");
	leads("/dev/infiniband/rdma_cm", "/tmp/tree/dev/infiniband/rdma_cm");
	leads("/dev/fwctl/fwctl0", "/tmp/tree/dev/fwctl/fwctl0");
	leads("/sys/class/fwctl", "/tmp/tree/class/fwctl");
	leads("/sys/bus/pci", "/tmp/tree/bus/pci");
	leads("/sys/bus/pci/devices/0000:03:00.0/config",
	      "/tmp/tree/bus/pci/devices/0000:03:00.0/config");
	leads("/sys/class/misc/rdma_cm/abi_version",
	      "/tmp/tree/class/misc/rdma_cm/abi_version");
}

Test(paths, others_stay)
{
	stays("/sys/class/net/lo");
	stays("/sys/class/infinib");
	stays("/sys/class/misc/rdma_cmx");
	stays("/sys/bus/pci_express/devices");
	stays("/sys/bus");
	stays("/sys/devices/pci0000:00");
	stays("/dev/infinibandx");
	stays("/dev/null");
	stays("/");
	stays("");
	stays("sys/class/infiniband");
	stays("dev/infiniband/uverbs0");
	stays(NULL);
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
	cr_assert(path_is_node("/dev/infiniband/uverbs0"));
	cr_assert(path_is_node("/dev//infiniband/uverbs0"));
	cr_assert(path_is_node("/dev/infiniband/rdma_cm"));
	cr_assert(path_is_cm("/dev/infiniband/rdma_cm"));
	cr_assert(!path_is_cm("/dev/infiniband/uverbs0"));
	cr_assert_eq(path_function("/dev/infiniband/uverbs0"), 0);
	cr_assert_eq(path_function("/dev/infiniband/rdma_cm"), -1);
	cr_assert(!path_is_node("/dev/infiniband/uverbs"));
	cr_assert(!path_is_node("/dev/infiniband/uverbs01"));
	cr_assert(!path_is_node("/dev/infiniband/uverbs0/"));
	cr_assert(!path_is_node("/dev/infiniband"));
	cr_assert(path_is_node("/dev/fwctl/fwctl0"));
	cr_assert_eq(path_fwctl("/dev/fwctl/fwctl0"), 0);
	cr_assert_eq(path_function("/dev/fwctl/fwctl0"), -1);
	cr_assert(!path_is_node("/dev/fwctl"));
	cr_assert(!path_is_node("uverbs0"));
	cr_assert(!path_is_node(NULL));
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
