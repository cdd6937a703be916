/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of a descriptor of the device to calls on files: kernel, uverbs_main.c (stream_open,
 * no read), fs/read_write.c (vfs_llseek, vfs_read, ksys_pread64), fs/open.c
 * (do_sys_ftruncate, vfs_fallocate), fs/ioctl.c. On other files: ordinary_calls.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "points.h"

ssize_t __read_chk(int fd, void *buf, size_t count, size_t size);

static char b[16];
static struct iovec part[2] = { { b, 3 }, { b + 3, 2 } };

#define CALL(call, error)                                                  \
	do {                                                               \
		errno = 0;                                                 \
		cr_expect((call) == -1 && errno == (error), #call ": %m"); \
	} while (0)

static void check_calls(int fd)
{
	CALL(read(fd, b, 4), EINVAL);
	CALL(__read_chk(fd, b, 4, sizeof(b)), EINVAL);
	CALL(__read_chk(fd, b, 16, sizeof(b)), EINVAL);
	CALL(readv(fd, part, 2), EINVAL);
	CALL(write(fd, b, 4), EINVAL);
	CALL(writev(fd, part, 2), EINVAL);
	CALL(pread(fd, b, 4, 3), ESPIPE);
	CALL(pread64(fd, b, 4, 3), ESPIPE);
	CALL(pwrite(fd, b, 4, 3), ESPIPE);
	CALL(pwrite64(fd, b, 4, 3), ESPIPE);
	CALL(lseek(fd, -3, SEEK_END), ESPIPE);
	CALL(lseek64(fd, -3, SEEK_END), ESPIPE);
	CALL(ftruncate(fd, 3), EINVAL);
	CALL(ftruncate64(fd, 3), EINVAL);
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 8, 5), ENODEV);
	CALL(fallocate64(fd, 0, 8, 5), ENODEV);
	CALL(ioctl(fd, FIONREAD, b), ENOTTY);
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
