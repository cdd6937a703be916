/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each function of libc that takes a path: a path of the device is that of its file in the
 * tree, any other path is that of the program. The witness is the kernel.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/raw_call.h"

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __readlink_chk(const char *path, char *out, size_t len, size_t size);
char *__realpath_chk(const char *path, char *out, size_t size);

static char out[PATH_MAX];

/* The file that was opened; -errno. */
static long inode(long fd)
{
	struct stat st = { 0 };

	if (fd == -1)
		return -errno;
	if (fd < 0)
		return fd;
	cr_assert_eq(raw_call(SYS_fstat, fd, (long)&st, 0, 0, 0, 0), 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return (long)st.st_ino;
}

static long stream(FILE *f)
{
	long ret = inode(f ? raw_call(SYS_dup, fileno(f), 0, 0, 0, 0, 0) : -1);

	if (f)
		fclose(f);
	return ret;
}

static long folder(DIR *d)
{
	long ret = inode(d ? raw_call(SYS_dup, dirfd(d), 0, 0, 0, 0, 0) : -1);

	if (d)
		closedir(d);
	return ret;
}

static long text(const char *path)
{
	long sum = path ? 0 : -errno;

	for (; path && *path; path++)
		sum = sum * 31 + *path;
	return sum;
}

static long here(int ret)
{
	long ino = ret ? -errno
		       : inode(raw_call(SYS_openat, AT_FDCWD, (long)".", O_PATH, 0, 0, 0));

	cr_assert_eq(chdir("/"), 0);
	return ino;
}

/* How many entries; -errno: of no directory. */
static long entries(int n)
{
	return n < 0 ? -errno : n;
}

static long count(const char *path)
{
	DIR *d = opendir(path);
	long n = d ? 0 : -errno;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

#define SAME(libcs, kernels)                                                                   \
	do {                                                                                   \
		char before[sizeof(out)];                                                      \
		long got, want;                                                                \
		memset(out, 0, sizeof(out));                                                   \
		got = (libcs);                                                                 \
		got = got == -1 ? -errno : got;                                                \
		memcpy(before, out, sizeof(out));                                              \
		memset(out, 0, sizeof(out));                                                   \
		want = (kernels);                                                              \
		cr_expect_eq(got, want, #libcs " of %s: %ld, not %ld", p, got, want);          \
		cr_expect_arr_eq(before, out, sizeof(out), #libcs " of %s: '%s', not '%s'", p, \
				 before, out);                                                 \
	} while (0)
#define KERNEL(number, ...) raw_call(number, __VA_ARGS__, 0, 0, 0)

/* @p: for libc; @q: the same file, for the kernel. */
static void check_opens(const char *p, const char *q)
{
	long file = inode(KERNEL(SYS_openat, AT_FDCWD, (long)q, O_RDONLY));
	struct dirent **list = NULL;
	struct dirent64 **list64 = NULL;

	SAME(inode(open(p, O_RDONLY)), file);
	SAME(inode(open64(p, O_RDONLY)), file);
	SAME(inode(openat(AT_FDCWD, p, O_RDONLY)), file);
	SAME(inode(openat64(AT_FDCWD, p, O_RDONLY)), file);
	SAME(inode(__open_2(p, O_RDONLY)), file);
	SAME(inode(__open64_2(p, O_RDONLY)), file);
	SAME(inode(__openat_2(AT_FDCWD, p, O_RDONLY)), file);
	SAME(inode(__openat64_2(AT_FDCWD, p, O_RDONLY)), file);
	SAME(stream(fopen(p, "r")), file);
	SAME(stream(fopen64(p, "re")), file);
	SAME(folder(opendir(p)), inode(KERNEL(SYS_openat, AT_FDCWD, (long)q, O_DIRECTORY)));
	SAME(entries(scandir(p, &list, NULL, NULL)), count(q));
	SAME(entries(scandir64(p, &list64, NULL, NULL)), count(q));
}

static void check_looks(const char *p, const char *q)
{
	SAME(access(p, X_OK), KERNEL(SYS_access, (long)q, X_OK, 0));
	SAME(euidaccess(p, X_OK), KERNEL(SYS_access, (long)q, X_OK, 0));
	SAME(eaccess(p, X_OK), KERNEL(SYS_access, (long)q, X_OK, 0));
	SAME(faccessat(AT_FDCWD, p, X_OK, 0), KERNEL(SYS_access, (long)q, X_OK, 0));
	SAME(readlink(p, out, 40), KERNEL(SYS_readlink, (long)q, (long)out, 40));
	SAME(__readlink_chk(p, out, 41, sizeof(out)),
	     KERNEL(SYS_readlink, (long)q, (long)out, 41));
	SAME(readlinkat(AT_FDCWD, p, out, 42), KERNEL(SYS_readlink, (long)q, (long)out, 42));
	SAME(text(realpath(p, NULL)), text(realpath(q, NULL)));
	SAME(text(__realpath_chk(p, out, sizeof(out))), text(realpath(q, out)));
	SAME(here(chdir(p)), here((int)KERNEL(SYS_chdir, (long)q, 0, 0) ? -1 : 0));
	SAME(getxattr(p, "user.none", out, 8),
	     raw_call(SYS_getxattr, (long)q, (long)"user.none", (long)out, 8, 0, 0));
	SAME(lgetxattr(p, "user.none", out, 8),
	     raw_call(SYS_lgetxattr, (long)q, (long)"user.none", (long)out, 8, 0, 0));
}

Test(paths, lead_into_the_tree)
{
	static const char *const rows[][2] = {
		{ "/sys/class/infiniband", "class/infiniband" },
		{ "/sys/class/infiniband/mlx5_0", "class/infiniband/mlx5_0" },
		{ "//sys//class/infiniband/mlx5_0/node_guid",
		  "class/infiniband/mlx5_0/node_guid" },
		{ "/sys/class/infiniband/mlx5_9", "class/infiniband/mlx5_9" },
		{ "/sys/class/infiniband_verbs/uverbs0", "class/infiniband_verbs/uverbs0" },
		{ "/sys/class/misc/rdma_cm/dev", "class/misc/rdma_cm/dev" },
		{ "/sys/class/fwctl/fwctl0", "class/fwctl/fwctl0" },
		{ "/sys/bus/pci/devices/0000:03:00.0", "bus/pci/devices/0000:03:00.0" },
		{ "/dev/infiniband", "dev/infiniband" },
		{ "/dev/fwctl", "dev/fwctl" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char q[PATH_MAX];

		snprintf(q, sizeof(q), "%s/%s", getenv("SYSFS_PATH"), rows[i][1]);
		check_opens(rows[i][0], q);
		check_looks(rows[i][0], q);
	}
}

Test(paths, of_other_files_are_the_programs)
{
	static const char *const rows[] = { "/etc/passwd", "/bin/sh",	 "/proc/self/exe",
					    "/etc/",	   "/proc/none", "/sys/class/net",
					    "/dev/fwctls", "." };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check_opens(rows[i], rows[i]);
		check_looks(rows[i], rows[i]);
	}
}
