/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device file of fwctl: finding it, its two ioctls.
 *
 * A device of the class fwctl and an RDMA device are of one adapter if they have the same
 * parent:
 *
 *	/sys/class/fwctl/fwctl0/device == /sys/class/infiniband/mlx5_0/device
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "prm/prm.h"

/* <fwctl/fwctl.h>, <fwctl/mlx5.h> of Linux 6.15; the headers of Debian 12 do not have them. */
#define FWCTL_INFO	       _IO(0x9a, 0)
#define FWCTL_RPC	       _IO(0x9a, 1)
#define FWCTL_DEVICE_TYPE_MLX5 1

struct fwctl_info {
	uint32_t size, flags, out_device_type, device_data_len;
	uint64_t out_device_data;
};

struct fwctl_info_mlx5 {
	uint32_t uid, uctx_caps;
};

enum fwctl_rpc_scope {
	FWCTL_RPC_CONFIGURATION,
	FWCTL_RPC_DEBUG_READ_ONLY,
	FWCTL_RPC_DEBUG_WRITE,
};

struct fwctl_rpc {
	uint32_t size, scope, in_len, out_len;
	uint64_t in, out;
};

_Static_assert(sizeof(struct fwctl_info) == 24 && sizeof(struct fwctl_rpc) == 32,
	       "as the kernel has them");

#define CLASS "/sys/class/fwctl"

static bool same_parent(const char *name, const char *rdma)
{
	struct stat a, b;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), CLASS "/%s/device", name);
	if (stat(path, &a))
		return false;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device", rdma);
	return !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Asks the driver who it is: there are others than mlx5's. */
static int get_info(struct fwctl *f)
{
	struct fwctl_info_mlx5 mlx5 = { 0 };
	struct fwctl_info info = { .size = sizeof(info),
				   .device_data_len = sizeof(mlx5),
				   .out_device_data = (uintptr_t)&mlx5 };

	if (ioctl(f->fd, FWCTL_INFO, &info))
		return errno;
	f->uid = mlx5.uid;
	f->caps = mlx5.uctx_caps;
	return info.out_device_type == FWCTL_DEVICE_TYPE_MLX5 ? 0 : ENODEV;
}

static int open_named(struct fwctl *f, const char *name)
{
	char path[PATH_MAX];
	int err;

	snprintf(f->name, sizeof(f->name), "%s", name);
	snprintf(path, sizeof(path), "/dev/fwctl/%s", name);
	f->fd = open(path, O_RDWR | O_CLOEXEC);
	if (f->fd < 0)
		return errno == ENOENT ? ENODEV : errno;
	err = get_info(f);
	if (err)
		fwctl_close(f);
	return err;
}

static int open_parent(struct fwctl *f, DIR *class, const char *rdma)
{
	const struct dirent *e;
	int err = ENODEV, now;

	while ((e = readdir(class))) {
		if (*e->d_name == '.' || (rdma && !same_parent(e->d_name, rdma)))
			continue;
		now = open_named(f, e->d_name);
		if (!now)
			return 0;
		if (now != ENODEV)
			err = now;
	}
	return err;
}

int fwctl_open(struct fwctl *f, const char *device)
{
	DIR *class;
	int err;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	if (device && !strncmp(device, "fwctl", 5) && !strchr(device, '/'))
		return open_named(f, device);
	class = opendir(CLASS);
	if (!class)
		return ENODEV;
	err = open_parent(f, class, device);
	closedir(class);
	return err;
}

void fwctl_close(struct fwctl *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static int send_in(struct fwctl *f, unsigned int scope, const void *in, size_t in_len,
		   void *out, size_t out_len)
{
	struct fwctl_rpc rpc = { .size = sizeof(rpc),
				 .scope = scope,
				 .in_len = (uint32_t)in_len,
				 .out_len = (uint32_t)out_len,
				 .in = (uintptr_t)in,
				 .out = (uintptr_t)out };

	return ioctl(f->fd, FWCTL_RPC, &rpc) ? errno : 0;
}

int fwctl_cmd(struct fwctl *f, const void *in, size_t in_len, void *out, size_t out_len)
{
	uint16_t opcode = (uint16_t)PRM_GET(mbox_in, in, opcode);
	int err = send_in(f, FWCTL_RPC_CONFIGURATION, in, in_len, out, out_len);

	if (err == EBADMSG)
		err = send_in(f, FWCTL_RPC_DEBUG_READ_ONLY, in, in_len, out, out_len);
	if (err == EBADMSG && opcode == PRM_OP_SET_DIAGNOSTIC_PARAMS)
		err = send_in(f, FWCTL_RPC_DEBUG_WRITE, in, in_len, out, out_len);
	if (err || !PRM_GET(mbox_out, out, status))
		return err;
	f->error = (struct devx_error){
		.origin = DEVX_FROM_FIRMWARE,
		.err = EREMOTEIO,
		.opcode = opcode,
		.op_mod = (uint16_t)PRM_GET(mbox_in, in, op_mod),
		.status = (uint8_t)PRM_GET(mbox_out, out, status),
		.syndrome = (uint32_t)PRM_GET(mbox_out, out, syndrome),
		.call = "fwctl",
	};
	return EREMOTEIO;
}
