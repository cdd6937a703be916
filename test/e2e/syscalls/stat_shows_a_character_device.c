/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each function of the stat family, by path and by descriptor: the device files are character
 * devices with the numbers of their "dev" file, other files are as the kernel says.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int (*old_path[4])(int, const char *, struct stat *),
	(*old_fd[2])(int, int, struct stat *);
static int (*old_at[2])(int, int, const char *, struct stat *, int);

/* The names that programs of an older glibc call. */
static void find_old_ones(void)
{
	static const char *const names[] = { "__xstat", "__xstat64", "__lxstat", "__lxstat64" };

	for (int i = 0; i < 4; i++)
		*(void **)&old_path[i] = dlsym(RTLD_DEFAULT, names[i]);
	*(void **)&old_fd[0] = dlsym(RTLD_DEFAULT, "__fxstat");
	*(void **)&old_fd[1] = dlsym(RTLD_DEFAULT, "__fxstat64");
	*(void **)&old_at[0] = dlsym(RTLD_DEFAULT, "__fxstatat");
	*(void **)&old_at[1] = dlsym(RTLD_DEFAULT, "__fxstatat64");
}

static int extended(int dir, const char *path, int flags, struct stat *st)
{
	struct statx x;
	int ret = statx(dir, path, flags, STATX_BASIC_STATS, &x);

	st->st_mode = x.stx_mode;
	st->st_rdev = makedev(x.stx_rdev_major, x.stx_rdev_minor);
	st->st_size = (off_t)x.stx_size;
	st->st_blocks = (blkcnt_t)x.stx_blocks;
	return ret;
}

/* 0 to 12: by path; 13 to 22: by descriptor. */
static int ask(int which, const char *path, int fd, struct stat *st)
{
	struct stat64 *st64 = (struct stat64 *)st;

	memset(st, 0xee, sizeof(*st));
	switch (which) {
	case 0:
		return stat(path, st);
	case 1:
		return stat64(path, st64);
	case 2:
		return lstat(path, st);
	case 3:
		return lstat64(path, st64);
	case 4:
		return fstatat(AT_FDCWD, path, st, 0);
	case 5:
		return fstatat64(AT_FDCWD, path, st64, 0);
	case 6:
		return extended(AT_FDCWD, path, 0, st);
	case 7 ... 10:
		return old_path[which - 7](1, path, st);
	case 11 ... 12:
		return old_at[which - 11](1, AT_FDCWD, path, st, 0);
	case 13:
		return fstat(fd, st);
	case 14:
		return fstat64(fd, st64);
	case 15:
		return fstatat(fd, "", st, AT_EMPTY_PATH);
	case 16:
		return fstatat64(fd, "", st64, AT_EMPTY_PATH);
	case 17:
		return extended(fd, "", AT_EMPTY_PATH, st);
	case 18 ... 19:
		return old_fd[which - 18](1, fd, st);
	default:
		return old_at[which - 20](1, fd, "", st, AT_EMPTY_PATH);
	}
}

#define WAYS 22

Test(stat, shows_the_device)
{
	static const struct {
		const char *path, *dev;
	} rows[] = {
		{ "/dev/infiniband/uverbs0", "/sys/class/infiniband_verbs/uverbs0/dev" },
		{ "/dev/infiniband/rdma_cm", "/sys/class/misc/rdma_cm/dev" },
		{ "/dev/fwctl/fwctl0", "/sys/class/fwctl/fwctl0/dev" },
	};

	find_old_ones();
	for (int i = 0; i < 3; i++) {
		unsigned int major_number = 0, minor_number = 0;
		FILE *dev = fopen(rows[i].dev, "r");
		int fd = open(rows[i].path, O_RDWR);

		cr_assert_not_null(dev, "%s", rows[i].dev);
		cr_assert_eq(fscanf(dev, "%u:%u", &major_number, &minor_number), 2);
		fclose(dev);
		cr_assert_geq(fd, 0, "%s: %m", rows[i].path);
		for (int way = 0; way < WAYS; way++) {
			struct stat st;

			cr_assert_eq(ask(way, rows[i].path, fd, &st), 0, "%s, %d: %m",
				     rows[i].path, way);
			cr_expect_eq(st.st_mode, S_IFCHR | 0666, "%s, %d: %o", rows[i].path,
				     way, st.st_mode);
			cr_expect_eq(st.st_rdev, makedev(major_number, minor_number), "%s, %d",
				     rows[i].path, way);
			cr_expect_eq(st.st_size, 0, "%s, %d", rows[i].path, way);
			cr_expect_eq(st.st_blocks, 0, "%s, %d", rows[i].path, way);
		}
		close(fd);
	}
}

Test(stat, shows_other_files_as_they_are)
{
	static const char *const paths[] = { "/proc/self/exe", "/dev/null", "/tmp" };

	find_old_ones();
	for (int i = 0; i < 3; i++) {
		int fd = open(paths[i], O_RDONLY);

		cr_assert_geq(fd, 0);
		for (int way = 0; way < WAYS; way++) {
			bool link = way == 2 || way == 3 || way == 9 || way == 10;
			struct stat st, real;

			cr_assert_eq(syscall(SYS_newfstatat, AT_FDCWD, paths[i], &real,
					     link ? AT_SYMLINK_NOFOLLOW : 0),
				     0);
			cr_assert_eq(ask(way, paths[i], fd, &st), 0);
			cr_expect_eq(st.st_mode, real.st_mode, "%s, %d", paths[i], way);
			cr_expect_eq(st.st_rdev, real.st_rdev, "%s, %d", paths[i], way);
			cr_expect(S_ISDIR(st.st_mode) || st.st_size == real.st_size);
			cr_expect_neq(ask(way, "/nonexistent", -1, &st), 0, "%d", way);
		}
		close(fd);
	}
}
