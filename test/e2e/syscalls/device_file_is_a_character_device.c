/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of a descriptor of the device to calls on files: kernel, uverbs_main.c (stream_open,
 * no read), fs/read_write.c (vfs_llseek, vfs_read, ksys_pread64), fs/open.c (do_sys_ftruncate,
 * vfs_fallocate).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "points.h"

#define FAILS(call, err)                                \
	do {                                            \
		errno = 0;                              \
		cr_assert_eq(call, -1, #call);          \
		cr_assert_eq(errno, err, #call ": %m"); \
	} while (0)

static void check_stream(int fd)
{
	char bytes[64] = { 0 };
	struct iovec part = { bytes, sizeof(bytes) };

	FAILS(read(fd, bytes, sizeof(bytes)), EINVAL);
	FAILS(readv(fd, &part, 1), EINVAL);
	FAILS(pread(fd, bytes, sizeof(bytes), 0), ESPIPE);
	FAILS(pwrite(fd, bytes, sizeof(bytes), 0), ESPIPE);
	FAILS(lseek(fd, 0, SEEK_CUR), ESPIPE);
	FAILS(ftruncate(fd, 0), EINVAL);
	FAILS(fallocate(fd, 0, 0, 1), ENODEV);
	FAILS(write(fd, bytes, 4), EINVAL);
}

Test(character_device, uverbs)
{
	char command[64] = { 0 };
	struct bench b;
	int fd;

	bench_open(&b);
	fd = b.ctx->cmd_fd;
	check_stream(fd);
	FAILS(write(fd, command, sizeof(command)), EINVAL); /* of another length than it says */
	/* nor does a system call that goes past libc take the memory away */
	cr_assert_neq(syscall(SYS_ftruncate, fd, 0), 0);
	cr_assert(call_reg_mr(&b));
}

Test(character_device, rdma_cm)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	check_stream(fd);
}
