/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two ioctls. Each begins with the size of its structure: what is longer than the kernel's
 * has to be zero there, what is shorter is refused.
 *
 *	FWCTL_INFO  driver (mlx5), and of mlx5: uid, its rights
 *	FWCTL_RPC   scope, inbox, outbox; a refusal of the firmware is in the outbox, and no errno
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fw/fw.h"
#include "fwctl/fwctl.h"
#include "fwctl/scope.h"
#include "prm/prm.h"

/* <fwctl/fwctl.h>, <fwctl/mlx5.h> of Linux 6.15, which Debian 12 does not have. */
#define TYPE	  0x9a
#define INFO	  _IO(TYPE, 0)
#define RPC	  _IO(TYPE, 1)
#define TYPE_MLX5 1

struct info {
	uint32_t size, flags, device_type, data_len;
	uint64_t data;
};

struct info_mlx5 {
	uint32_t uid, caps;
};

struct rpc {
	uint32_t size, scope, in_len, out_len;
	uint64_t in, out;
};

#define RPC_MAX (2u << 20) /* drivers/fwctl/main.c, MAX_RPC_LEN */

struct fwctl_file {
	struct hca *hca;
	struct info_mlx5 who;
};

/* The driver asks for this right if the firmware has it. */
static uint8_t create_uctx(struct fwctl_file *f)
{
	uint8_t in[PRM_SZ(create_uctx_in)] = { 0 }, out[PRM_SZ(create_uctx_out)];

	f->who.caps = (uint32_t)fw_cap(f->hca, "cmd_hca_cap", "uctx_cap") &
		      PRM_UCTX_CAP_TOOLS_RESOURCES;
	PRM_SET(create_uctx_in, in, opcode, PRM_OP_CREATE_UCTX);
	PRM_SET(uctx, PRM_ADDR(create_uctx_in, in, uctx), cap, f->who.caps);
	fw_exec(f->hca, in, sizeof(in), out, sizeof(out));
	f->who.uid = PRM_GET(create_uctx_out, out, uid);
	return out[0];
}

struct fwctl_file *fwctl_open(struct hca *hca)
{
	struct fwctl_file *f = calloc(1, sizeof(*f));
	uint8_t status;

	if (!f)
		return NULL;
	f->hca = hca;
	hca_lock(hca);
	status = create_uctx(f);
	hca_unlock(hca);
	if (status == FW_OK)
		return f;
	free(f);
	errno = EREMOTEIO;
	return NULL;
}

void fwctl_release(struct fwctl_file *f)
{
	uint8_t in[PRM_SZ(destroy_uctx_in)] = { 0 }, out[PRM_SZ(destroy_uctx_out)];

	PRM_SET(destroy_uctx_in, in, opcode, PRM_OP_DESTROY_UCTX);
	PRM_SET(destroy_uctx_in, in, uid, f->who.uid);
	hca_lock(f->hca);
	fw_exec(f->hca, in, sizeof(in), out, sizeof(out));
	hca_unlock(f->hca);
	free(f);
}

/* copy_struct_from_user() and the check of fwctl_fops_ioctl() before it. */
static int get_struct(void *to, size_t size, uint64_t from)
{
	uint32_t given;

	if (!core_peek(&given, from, sizeof(given)))
		return -EFAULT;
	if (given < size)
		return -EINVAL;
	for (uint64_t at = size; at < given; at++) {
		uint8_t byte;

		if (!core_peek(&byte, from + at, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	return core_peek(to, from, size) ? 0 : -EFAULT;
}

static int put(uint64_t to, const void *from, size_t size)
{
	return core_poke(to, from, size) ? 0 : -EFAULT;
}

static int put_zeros(uint64_t to, size_t size)
{
	static const uint8_t zeros[64];
	int ret = 0;

	for (size_t n; size && !ret; size -= n, to += n) {
		n = size < sizeof(zeros) ? size : sizeof(zeros);
		ret = put(to, zeros, n);
	}
	return ret;
}

static int get_info(const struct fwctl_file *f, uint64_t arg)
{
	struct info info;
	size_t n;
	int ret = get_struct(&info, sizeof(info), arg);

	if (!ret && info.flags)
		ret = -EOPNOTSUPP;
	if (ret)
		return ret;
	n = info.data_len < sizeof(f->who) ? info.data_len : sizeof(f->who);
	ret = put(info.data, &f->who, n);
	if (!ret)
		ret = put_zeros(info.data + n, info.data_len - n);
	info.data_len = info.data_len ? sizeof(f->who) : 0;
	info.device_type = TYPE_MLX5;
	return ret ? ret : put(arg, &info, sizeof(info));
}

static bool may_do_raw_io(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &head, data) &&
	       data[CAP_TO_INDEX(CAP_SYS_RAWIO)].effective & CAP_TO_MASK(CAP_SYS_RAWIO);
}

static int check_rpc(const struct rpc *r)
{
	if (r->in_len > RPC_MAX || r->out_len > RPC_MAX)
		return -EMSGSIZE;
	if (r->scope > FWCTL_DEBUG_WRITE_FULL)
		return -EOPNOTSUPP;
	return r->scope == FWCTL_DEBUG_WRITE_FULL && !may_do_raw_io() ? -EPERM : 0;
}

/* mlx5_fwctl: mlx5ctl_fw_rpc */
static int execute(struct fwctl_file *f, const struct rpc *r, uint8_t *in, uint8_t *out)
{
	bool failed;

	if (r->in_len < PRM_SZ(mbox_in) || r->out_len < PRM_SZ(mbox_out))
		return -EMSGSIZE;
	if (!fwctl_scope_allows(r->scope, PRM_GET(mbox_in, in, opcode),
				PRM_GET(mbox_in, in, op_mod)))
		return -EBADMSG;
	PRM_SET(mbox_in, in, uid, f->who.uid);
	hca_lock(f->hca);
	failed = f->hca->failed;
	if (!failed)
		fw_exec(f->hca, in, r->in_len, out, r->out_len);
	hca_unlock(f->hca);
	return failed ? -ENXIO : 0; /* mlx5_core, cmd.c: mlx5_cmd_is_down */
}

static int call(struct fwctl_file *f, uint64_t arg)
{
	struct rpc r;
	uint8_t *in, *out;
	int ret = get_struct(&r, sizeof(r), arg);

	if (!ret)
		ret = check_rpc(&r);
	if (ret)
		return ret;
	in = calloc(1, r.in_len + PRM_SZ(mbox_in));
	out = calloc(1, r.out_len + PRM_SZ(mbox_out));
	ret = in && out ? 0 : -ENOMEM;
	if (!ret && !core_peek(in, r.in, r.in_len))
		ret = -EFAULT;
	if (!ret)
		ret = execute(f, &r, in, out);
	if (!ret)
		ret = put(r.out, out, r.out_len);
	if (!ret)
		ret = put(arg, &r, sizeof(r));
	free(in);
	free(out);
	return ret;
}

int fwctl_ioctl(struct fwctl_file *f, unsigned long request, uint64_t arg)
{
	switch (request) {
	case INFO:
		return get_info(f, arg);
	case RPC:
		return call(f, arg);
	default:
		return -ENOTTY;
	}
}
