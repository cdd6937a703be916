/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A refusal: kept per thread, and formatted as one line.
 *
 *	CREATE_CQ: firmware: LIM_ERR (0x8), syndrome 0xe040000e: as many as … there can be
 *	SET_ISSI: kernel: EINVAL: kernel-only command, not available through DevX
 *	devx_umem_reg: kernel: ENOMEM: more memory than this process may lock: ulimit -l …
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <devx/devx.h>
#include <prm/prm.h>
#include <prm/table.h>

#include "prm/array.h"
#include "dv/refuse.h"
#include "refuse.h"

static const char *const names[CALLS] = {
	[CALL_NONE] = "",
#define DEVX_CALL(function) [CALL_##function] = #function,
#include "call.def"
};

static _Thread_local struct devx_error last = { .call = "" };

const struct devx_error *devx_last_error(void)
{
	return &last;
}

/* For dv_reason(), too. */
static int keep(struct devx_error e)
{
	char line[512];

	last = e;
	return dv_refuse(e.err, "%s", devx_error_str(&e, line, sizeof(line)));
}

int devx_refuse(enum devx_call call, uint16_t opcode, int err, const char *why)
{
	return keep((struct devx_error){ .origin = DEVX_FROM_LIBRARY,
					 .err = err,
					 .opcode = opcode,
					 .call = names[call],
					 .why = why,
					 .call_id = call });
}

/* libmlx5 answers with an errno value, some calls with -1 and errno or with -errno. Not 0. */
static int positive(int err)
{
	if (err == -1)
		err = errno;
	return err ? abs(err) : EIO;
}

int devx_refused(enum devx_call call, uint16_t opcode, int err)
{
	return keep((struct devx_error){ .origin = DEVX_FROM_KERNEL,
					 .err = positive(err),
					 .opcode = opcode,
					 .call = names[call],
					 .call_id = call });
}

int devx_judge(enum devx_call call, int err, const void *in, const void *out)
{
	uint8_t status = (uint8_t)PRM_GET(mbox_out, out, status);

	if (!err && !status)
		return 0;
	/* EREMOTEIO with status 0: the kernel could not even copy the outbox. */
	return keep((struct devx_error){
		.origin = status ? DEVX_FROM_FIRMWARE : DEVX_FROM_KERNEL,
		.err = status ? EREMOTEIO : positive(err),
		.opcode = (uint16_t)PRM_GET(mbox_in, in, opcode),
		.op_mod = (uint16_t)PRM_GET(mbox_in, in, op_mod),
		.status = status,
		.syndrome = (uint32_t)PRM_GET(mbox_out, out, syndrome),
		.call = names[call],
		.call_id = call,
	});
}

const char *devx_status_name(uint8_t status)
{
	const char *text;

	return prm_value_name("STATUS", status, &text);
}

/* For a syndrome that is not known: what the status means. */
static const char *status_hint(uint8_t status)
{
	switch (status) {
	case PRM_STATUS_INT_ERR:
	case PRM_STATUS_BAD_SYS_STATE:
		return "firmware in error state: check dmesg and devlink health";
	case PRM_STATUS_BAD_OP:
		return "command or op_mod not supported by this device";
	case PRM_STATUS_BAD_PARAM:
		return "a field is out of range, or a reserved bit is set";
	case PRM_STATUS_BAD_RES:
	case PRM_STATUS_IX_ERR:
		return "no object of this context has a number in the inbox";
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
		return "no free resource of this kind on the device";
	case PRM_STATUS_BAD_SIZE_OUTS_CQES:
		return "the outstanding CQEs do not fit: poll first";
	case PRM_STATUS_BAD_INP_LEN:
		return "the inbox is shorter or longer than the layout of the command";
	case PRM_STATUS_BAD_OUTP_LEN:
		return "the outbox is shorter than the layout of the command";
	default:
		return "status not publicly documented: report it with the syndrome";
	}
}

/* The replacement for a command that the kernel does not accept, or not with these fields;
 * NULL: nothing. */
static const char *instead(uint16_t opcode, const struct prm_cmd *cmd)
{
	switch (opcode) {
	case PRM_OP_CREATE_EQ:
		return "only the kernel creates event queues: devx_eqn_query returns their numbers";
	case PRM_OP_ACCESS_REG:
		return "kernel-only command: use ACCESS_REGISTER_USER (devx_reg_read)";
	case PRM_OP_CREATE_PSV:
		return "num_psv has to be 1";
	default:
		break;
	}
	if (cmd && cmd->call == PRM_CALL_KERNEL &&
	    (!strncmp(cmd->name, "DESTROY_", 8) || !strncmp(cmd->name, "DEALLOC_", 8)))
		return "the kernel sends it: use devx_obj_destroy";
	return NULL;
}

/* mlx5_ib, devx.c: it returns EINVAL for each command that is not on the list of the call. */
static void format_call(const struct devx_error *e, const struct prm_cmd *cmd, char *buf,
			size_t size)
{
	static const enum devx_call calls[] = {
		[PRM_CALL_KERNEL] = CALL_NONE,
		[PRM_CALL_CREATE] = CALL_devx_obj_create,
		[PRM_CALL_MODIFY] = CALL_devx_obj_modify,
		[PRM_CALL_QUERY] = CALL_devx_obj_query,
		[PRM_CALL_GENERAL] = CALL_devx_cmd,
	};
	enum devx_call used =
		e->call_id == CALL_devx_async_query ? CALL_devx_obj_query : e->call_id;

	if (instead(e->opcode, cmd))
		snprintf(buf, size, "%s", instead(e->opcode, cmd));
	else if (!cmd)
		snprintf(buf, size, "no such command in DevX");
	else if (cmd->call == PRM_CALL_KERNEL)
		snprintf(buf, size, "kernel-only command, not available through DevX");
	else if (calls[cmd->call] != used)
		snprintf(buf, size, "send it with %s, not with %s", names[calls[cmd->call]],
			 e->call);
	else if (used == CALL_devx_obj_modify || used == CALL_devx_obj_query)
		snprintf(buf, size,
			 "the number in the inbox is not that of the object; before Linux 5.18 "
			 "also a refusal of the firmware");
	else
		snprintf(buf, size,
			 "a context opened without DevX (devx_open); before Linux 5.18 also a "
			 "refusal of the firmware");
}

struct hint {
	enum devx_call call; /* CALL_NONE: any */
	int err;
	const char *text;
};

static const struct hint hints[] = {
	{ CALL_devx_umem_reg, ENOMEM,
	  "more memory than this process may lock: raise RLIMIT_MEMLOCK (ulimit -l)" },
	{ CALL_devx_umem_reg, EFAULT,
	  "part of the range is not mapped, or not writable as the access asks" },
	{ CALL_devx_umem_reg, EINVAL,
	  "no page size fits the range, or the context was opened without DevX" },
	{ CALL_devx_uar_alloc, EOPNOTSUPP,
	  "no write-combining memory here: ask for DEVX_UAR_NC" },
	{ CALL_devx_uar_alloc, ENOMEM,
	  "the function has run out of UARs: mlxconfig NUM_UARS, or fewer contexts" },
	{ CALL_devx_eqn_query, ENOENT,
	  "no such completion vector: below ibv_context.num_comp_vectors" },
	/* CREATE_CQ: mlx5_core looks the EQ up itself. */
	{ CALL_devx_obj_create, ENOENT, "no such event queue: ask devx_eqn_query (c_eqn)" },
	{ CALL_devx_umem_dereg, EINVAL,
	  "an mkey or a queue still uses it: destroy that one first" },
	{ CALL_devx_open, EINVAL, "no user contexts (log_max_uctx is 0): DevX is off" },
	{ CALL_devx_open, EPERM, "no permission to open /dev/infiniband/uverbs*" },
	{ CALL_devx_open, EACCES, "no permission to open /dev/infiniband/uverbs*" },
	{ CALL_devx_obj_destroy, EINVAL,
	  "another object still refers to it: destroy that one first" },
	{ CALL_NONE, EPROTONOSUPPORT, "this kernel does not have the call" },
	{ CALL_NONE, EOPNOTSUPP, "not an mlx5 context, or not in this kernel" },
	{ CALL_NONE, ENODEV, "the device was removed" },
	{ CALL_NONE, EIO, "the device was removed or does not answer: check dmesg" },
	{ CALL_NONE, ETIMEDOUT, "the firmware did not answer: check dmesg" },
	{ CALL_NONE, EAGAIN, "too many at a time, or nothing to read yet: try again" },
	{ CALL_NONE, EBUSY, "still in use" },
	{ CALL_NONE, ENOSPC, "the answer is longer than the outbox" },
};

static const char *hint_of(const struct devx_error *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (hints[i].err == e->err &&
		    (hints[i].call == CALL_NONE || hints[i].call == e->call_id))
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
	if (e->opcode && e->err == EINVAL && e->call_id != CALL_devx_obj_destroy)
		format_call(e, cmd, buf + n, size - (size_t)n);
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

/* The command, or the call if there was no command. */
static int format_what(const struct devx_error *e, const struct prm_cmd *cmd, char *buf,
		       size_t size)
{
	if (e->origin == DEVX_OK)
		return snprintf(buf, size, "nothing was refused");
	if (!e->opcode)
		return snprintf(buf, size, "%s: ", e->call);
	if (e->call_id == CALL_devx_obj_destroy)
		return snprintf(buf, size, "%s of what %s created: ", e->call,
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
