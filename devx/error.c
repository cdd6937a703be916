/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A refusal: kept per thread, and put into one line.
 *
 *	CREATE_CQ: firmware: LIM_ERR (0x8), syndrome 0xe040000e: as many as … there can be
 *	SET_ISSI: kernel: EINVAL: the driver alone sends it; no door of DevX lets it pass
 *	devx_umem_reg: kernel: ENOMEM: more memory than this process may lock: ulimit -l …
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <devx/devx.h>
#include <prm/prm.h>
#include <prm/table.h>

#include "refuse.h"

static _Thread_local struct devx_error last = { .call = "" };

const struct devx_error *devx_last_error(void)
{
	return &last;
}

int devx_refuse(const char *call, uint16_t opcode, int err, const char *why)
{
	last = (struct devx_error){ .origin = DEVX_FROM_LIBRARY,
				    .err = err,
				    .opcode = opcode,
				    .call = call,
				    .why = why };
	return err;
}

int devx_refused(const char *call, uint16_t opcode, int err)
{
	last = (struct devx_error){ .origin = DEVX_FROM_KERNEL,
				    .err = err ? err : EIO,
				    .opcode = opcode,
				    .call = call };
	return last.err;
}

int devx_judge(const char *call, int err, const void *in, const void *out)
{
	uint8_t status = (uint8_t)PRM_GET(mbox_out, out, status);

	if (!err && !status)
		return 0;
	/* EREMOTEIO with status 0: the kernel could not even copy the outbox. */
	last = (struct devx_error){
		.origin = status ? DEVX_FROM_FIRMWARE : DEVX_FROM_KERNEL,
		.err = status ? EREMOTEIO : err,
		.opcode = (uint16_t)PRM_GET(mbox_in, in, opcode),
		.op_mod = (uint16_t)PRM_GET(mbox_in, in, op_mod),
		.status = status,
		.syndrome = (uint32_t)PRM_GET(mbox_out, out, syndrome),
		.call = call,
	};
	return last.err;
}

const char *devx_status_name(uint8_t status)
{
	const char *text;

	return prm_value_name("STATUS", status, &text);
}

/* What to look at when the syndrome says nothing. */
static const char *status_hint(uint8_t status)
{
	switch (status) {
	case PRM_STATUS_INT_ERR:
	case PRM_STATUS_BAD_SYS_STATE:
		return "the firmware is not well: look at dmesg and devlink health";
	case PRM_STATUS_BAD_OP:
		return "this device does not know the command, or not this op_mod";
	case PRM_STATUS_BAD_PARAM:
		return "a field is out of its range, or a bit is set that has to be 0";
	case PRM_STATUS_BAD_RES:
	case PRM_STATUS_IX_ERR:
		return "a number in the inbox names no object of this context";
	case PRM_STATUS_RES_BUSY:
		return "another object still refers to it: destroy that one first";
	case PRM_STATUS_LIM_ERR:
		return "a limit of the capabilities is reached (devx_caps_query)";
	case PRM_STATUS_BAD_RES_STATE:
		return "the object is in use (destroy first what refers to it), does not exist, or its "
		       "state does not allow the command (query it first)";
	case PRM_STATUS_BAD_QP_STATE:
		return "the object's state does not allow it: query the object first";
	case PRM_STATUS_NO_RES:
		return "the device has run out of these: others hold them";
	case PRM_STATUS_BAD_SIZE_OUTS_CQES:
		return "the CQEs that wait do not fit: poll first";
	case PRM_STATUS_BAD_INP_LEN:
		return "the inbox is shorter or longer than the command's layout";
	case PRM_STATUS_BAD_OUTP_LEN:
		return "the outbox is shorter than the command's layout";
	default:
		return "not a status that is publicly known: quote it with the syndrome";
	}
}

/* What to use in place of a command that passes no door, or not like that; NULL: nothing. */
static const char *instead(uint16_t opcode, const struct prm_cmd *cmd)
{
	switch (opcode) {
	case PRM_OP_CREATE_EQ:
		return "event queues are the driver's: devx_eqn has their numbers";
	case PRM_OP_ACCESS_REG:
		return "the driver alone sends it: users have ACCESS_REGISTER_USER (devx_reg_read)";
	case PRM_OP_CREATE_PSV:
		return "one at a time: num_psv has to be 1";
	default:
		break;
	}
	if (cmd && cmd->door == PRM_DOOR_KERNEL &&
	    (!strncmp(cmd->name, "DESTROY_", 8) || !strncmp(cmd->name, "DEALLOC_", 8)))
		return "the kernel sends it itself: devx_obj_destroy";
	return NULL;
}

/* mlx5_ib, devx.c: EINVAL is all that its lists of commands say. */
static void format_door(const struct devx_error *e, const struct prm_cmd *cmd, char *buf,
			size_t size)
{
	static const char *const calls[] = {
		[PRM_DOOR_KERNEL] = NULL,
		[PRM_DOOR_CREATE] = "devx_obj_create",
		[PRM_DOOR_MODIFY] = "devx_obj_modify",
		[PRM_DOOR_QUERY] = "devx_obj_query",
		[PRM_DOOR_GENERAL] = "devx_cmd",
	};
	bool async = !strcmp(e->call, "devx_async_query");

	if (instead(e->opcode, cmd))
		snprintf(buf, size, "%s", instead(e->opcode, cmd));
	else if (!cmd)
		snprintf(buf, size, "DevX does not know this command");
	else if (!calls[cmd->door])
		snprintf(buf, size, "the driver alone sends it; no door of DevX lets it pass");
	else if (strcmp(calls[cmd->door], async ? "devx_obj_query" : e->call) != 0)
		snprintf(buf, size, "it passes %s, not %s", calls[cmd->door], e->call);
	else if (async || strcmp(e->call, "devx_obj_modify") == 0 ||
		 strcmp(e->call, "devx_obj_query") == 0)
		snprintf(buf, size,
			 "the number in the inbox is not that of the object; before Linux 5.18 "
			 "also a refusal of the firmware");
	else
		snprintf(buf, size,
			 "a context opened without DevX (devx_open); before Linux 5.18 also a "
			 "refusal of the firmware");
}

struct hint {
	const char *call; /* NULL: any */
	int err;
	const char *text;
};

static const struct hint hints[] = {
	{ "devx_umem_reg", ENOMEM,
	  "more memory than this process may lock: raise RLIMIT_MEMLOCK (ulimit -l)" },
	{ "devx_umem_reg", EFAULT,
	  "part of the range is not mapped, or not writable as the access asks" },
	{ "devx_umem_reg", EINVAL,
	  "no page size fits the range, or the context was opened without DevX" },
	{ "devx_uar_alloc", EOPNOTSUPP, "no write-combining memory here: ask for DEVX_UAR_NC" },
	{ "devx_uar_alloc", ENOMEM,
	  "the function has run out of UARs: mlxconfig NUM_UARS, or fewer contexts" },
	{ "devx_eqn", ENOENT, "no such completion vector: below ibv_context.num_comp_vectors" },
	/* CREATE_CQ: mlx5_core looks the EQ up itself. */
	{ "devx_obj_create", ENOENT, "no such event queue: ask devx_eqn (c_eqn)" },
	{ "devx_umem_dereg", EINVAL,
	  "an mkey or a queue still uses it: destroy that one first" },
	{ "devx_open", EINVAL, "no user contexts (log_max_uctx is 0): DevX is off" },
	{ "devx_open", EPERM, "no permission to open /dev/infiniband/uverbs*" },
	{ "devx_open", EACCES, "no permission to open /dev/infiniband/uverbs*" },
	{ "devx_obj_destroy", EINVAL,
	  "another object still refers to it: destroy that one first" },
	{ NULL, EPROTONOSUPPORT, "this kernel does not have the call" },
	{ NULL, EOPNOTSUPP, "not an mlx5 context, or not in this kernel" },
	{ NULL, ENODEV, "the device is gone" },
	{ NULL, EIO, "the device is gone or does not answer: look at dmesg" },
	{ NULL, ETIMEDOUT, "the firmware did not answer: look at dmesg" },
	{ NULL, EAGAIN, "too many at a time, or nothing there yet: try again" },
	{ NULL, EBUSY, "still in use" },
	{ NULL, ENOSPC, "the answer is longer than the outbox" },
};

static const char *hint_of(const struct devx_error *e)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (hints[i].err == e->err &&
		    (!hints[i].call || !strcmp(hints[i].call, e->call)))
			return hints[i].text;
	return strerrordesc_np(e->err) ? strerrordesc_np(e->err) : "unknown error";
}

static const char *err_name(int err)
{
	return strerrorname_np(err) ? strerrorname_np(err) : "unknown errno";
}

static void format_kernel(const struct devx_error *e, const struct prm_cmd *cmd, char *buf,
			  size_t size)
{
	int n = snprintf(buf, size, "kernel: %s: ", err_name(e->err));

	if (n < 0 || (size_t)n >= size)
		return;
	if (e->opcode && e->err == EINVAL && strcmp(e->call, "devx_obj_destroy") != 0)
		format_door(e, cmd, buf + n, size - (size_t)n);
	else
		snprintf(buf + n, size - (size_t)n, "%s", hint_of(e));
}

static void format_firmware(const struct devx_error *e, char *buf, size_t size)
{
	const char *name = devx_status_name(e->status);
	const char *known = devx_syndrome_str(e->opcode, e->syndrome);

	snprintf(buf, size, "firmware: %s (0x%x), syndrome 0x%x: %s", name ? name : "status",
		 e->status, e->syndrome, known ? known : status_hint(e->status));
}

/* The command, or the call when there was none. */
static int format_what(const struct devx_error *e, const struct prm_cmd *cmd, char *buf,
		       size_t size)
{
	if (e->origin == DEVX_OK)
		return snprintf(buf, size, "nothing was refused");
	if (!e->opcode)
		return snprintf(buf, size, "%s: ", e->call);
	if (!strcmp(e->call, "devx_obj_destroy"))
		return snprintf(buf, size, "%s of what %s made: ", e->call,
				cmd ? cmd->name : "an unknown command");
	if (cmd)
		return snprintf(buf, size, "%s: ", cmd->name);
	return snprintf(buf, size, "command 0x%x: ", e->opcode);
}

const char *devx_error_str(const struct devx_error *e, char *buf, size_t size)
{
	const struct prm_cmd *cmd = prm_cmd(e->opcode);
	int n = format_what(e, cmd, buf, size);
	char *rest = buf + n;

	if (n < 0 || (size_t)n >= size)
		return buf;
	size -= (size_t)n;
	if (e->origin == DEVX_FROM_FIRMWARE)
		format_firmware(e, rest, size);
	else if (e->origin == DEVX_FROM_KERNEL)
		format_kernel(e, cmd, rest, size);
	else if (e->origin == DEVX_FROM_LIBRARY)
		snprintf(rest, size, "%s: %s", err_name(e->err), e->why);
	return buf;
}
