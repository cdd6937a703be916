/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of a descriptor of the device to calls on files: kernel, uverbs_main.c (stream_open,
 * no read), fs/read_write.c (vfs_llseek, vfs_read, ksys_pread64), fs/open.c
 * (do_sys_ftruncate, vfs_fallocate), fs/ioctl.c. On any other file each call does just what the
 * kernel's does, whose instruction the test uses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/raw_call.h"
#include "points.h"

ssize_t __read_chk(int fd, void *buf, size_t count, size_t size);

/* The result of a call: what it returned, read and changed. */
struct outcome {
	long ret;
	char bytes[16], file[32];
	long position, size;
};

static char b[16];
static struct iovec part[2] = { { b, 3 }, { b + 3, 2 } };

static int ten_digits(void)
{
	int fd = (int)raw_call(SYS_memfd_create, (long)"digits", 0, 0, 0, 0, 0);

	cr_assert_eq(raw_call(SYS_pwrite64, fd, (long)"0123456789", 10, 0, 0, 0), 10);
	memset(b, 'x', sizeof(b));
	errno = 0;
	return fd;
}

static struct outcome after(long ret, int fd)
{
	struct outcome o = { .ret = ret };

	memcpy(o.bytes, b, sizeof(b));
	o.position = raw_call(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
	o.size = raw_call(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
	raw_call(SYS_pread64, fd, (long)o.file, sizeof(o.file), 0, 0, 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return o;
}

#define CALL(call, error, ...)                                                            \
	do {                                                                              \
		struct outcome libcs, kernels;                                            \
		int fd = ten_digits();                                                    \
		long ret = (call);                                                        \
		libcs = after(ret < 0 ? -errno : ret, fd);                                \
		fd = ten_digits();                                                        \
		kernels = after(raw_call(__VA_ARGS__, 0, 0), fd);                         \
		cr_expect_arr_eq(&libcs, &kernels, sizeof(libcs), #call ": %ld, not %ld", \
				 libcs.ret, kernels.ret);                                 \
		fd = device;                                                              \
		errno = 0;                                                                \
		cr_expect((call) == -1 && errno == (error), #call ": %m");                \
	} while (0)

static void check_calls(int device)
{
	CALL(read(fd, b, 4), EINVAL, SYS_read, fd, (long)b, 4, 0);
	CALL(__read_chk(fd, b, 4, sizeof(b)), EINVAL, SYS_read, fd, (long)b, 4, 0);
	CALL(__read_chk(fd, b, 16, sizeof(b)), EINVAL, SYS_read, fd, (long)b, 16, 0);
	CALL(readv(fd, part, 2), EINVAL, SYS_readv, fd, (long)part, 2, 0);
	CALL(write(fd, b, 4), EINVAL, SYS_write, fd, (long)b, 4, 0);
	CALL(writev(fd, part, 2), EINVAL, SYS_writev, fd, (long)part, 2, 0);
	CALL(pread(fd, b, 4, 3), ESPIPE, SYS_pread64, fd, (long)b, 4, 3);
	CALL(pread64(fd, b, 4, 3), ESPIPE, SYS_pread64, fd, (long)b, 4, 3);
	CALL(pwrite(fd, b, 4, 3), ESPIPE, SYS_pwrite64, fd, (long)b, 4, 3);
	CALL(pwrite64(fd, b, 4, 3), ESPIPE, SYS_pwrite64, fd, (long)b, 4, 3);
	CALL(lseek(fd, -3, SEEK_END), ESPIPE, SYS_lseek, fd, -3, SEEK_END, 0);
	CALL(lseek64(fd, -3, SEEK_END), ESPIPE, SYS_lseek, fd, -3, SEEK_END, 0);
	CALL(ftruncate(fd, 3), EINVAL, SYS_ftruncate, fd, 3, 0, 0);
	CALL(ftruncate64(fd, 3), EINVAL, SYS_ftruncate, fd, 3, 0, 0);
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 8, 5), ENODEV, SYS_fallocate, fd,
	     FALLOC_FL_KEEP_SIZE, 8, 5);
	CALL(fallocate64(fd, 0, 8, 5), ENODEV, SYS_fallocate, fd, 0, 8, 5);
	CALL(ioctl(fd, FIONREAD, b), ENOTTY, SYS_ioctl, fd, FIONREAD, (long)b, 0);
}

Test(character_device, uverbs)
{
	char command[64] = { 0 };
	struct bench device;
	int fd;

	bench_open(&device);
	fd = device.ctx->cmd_fd;
	check_calls(fd);
	errno = 0; /* of another length than it says */
	cr_expect(write(fd, command, sizeof(command)) == -1 && errno == EINVAL);
	/* nor does a system call that goes past libc take the memory away */
	cr_assert_neq(syscall(SYS_ftruncate, fd, 0), 0);
	cr_assert(call_reg_mr(&device));
	expect_outside(fd);
}

Test(character_device, rdma_cm)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	check_calls(fd);
	expect_outside(open("/dev/infiniband/uverbs0", O_RDWR));
}

Test(character_device, fwctl)
{
	int fd = open("/dev/fwctl/fwctl0", O_RDWR | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	check_calls(fd);
	expect_outside(open("/dev/infiniband/uverbs0", O_RDWR));
}
