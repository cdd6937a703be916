/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths of the RDMA classes and of the device node lead into the tree; no other path does.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

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
	leads("/sys/class/misc/rdma_cm/abi_version",
	      "/tmp/tree/class/misc/rdma_cm/abi_version");
}

Test(paths, others_stay)
{
	stays("/sys/class/net/lo");
	stays("/sys/class/infinib");
	stays("/sys/class/misc/rdma_cmx");
	stays("/sys/bus/pci/devices");
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
	cr_assert(!path_is_node("/dev/infiniband/uverbs01"));
	cr_assert(!path_is_node("/dev/infiniband/uverbs0/"));
	cr_assert(!path_is_node("/dev/infiniband"));
	cr_assert(!path_is_node("uverbs0"));
	cr_assert(!path_is_node(NULL));
}
