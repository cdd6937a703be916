/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware commands from a program: build an inbox with prm, execute it, and if it is refused,
 * report by which layer and why.
 *
 *	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[PRM_SZ(alloc_pd_out)];
 *	struct devx_obj obj;
 *
 *	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
 *	err = devx_obj_create(&obj, ctx, in, sizeof(in), out, sizeof(out));
 *	if (err)
 *		errx(1, "PD: %s", dv_reason());
 *
 * The context must come from mlx5dv_open_device() with MLX5DV_CONTEXT_FLAGS_DEVX; devx_open()
 * does that by name. Four mlx5dv calls (general, create, modify, query) send a command, each
 * with a list of the commands that it accepts (mlx5_ib, devx.c; prm/opcode.def):
 *
 *	devx_cmd		commands that create no object: QUERY_HCA_CAP, NOP, ALLOW_OTHER_VHCA_ACCESS
 *	devx_obj_create		commands that create one: CREATE_*, ALLOC_*
 *	devx_obj_modify, _query	commands on an object that this process created
 *
 * DevX needs no privilege. A context that was opened with CAP_NET_RAW may create queues for raw
 * packets, one with CAP_SYS_RAWIO more (mlx5_ib_devx_create()): the kernel passes these rights
 * to the firmware, which checks them.
 *
 * A command that the kernel does not accept is EINVAL without a firmware status; the origin of
 * the error is DEVX_FROM_KERNEL. The kernel writes the uid into the inbox. It also sends the
 * command that destroys an object (prm/opcode_object.def).
 *
 * Every function of devx returns 0 or a positive errno value. EREMOTEIO: the firmware refused,
 * and devx_last_error(), one per thread, has opcode, status and syndrome. Helpers fill a
 * struct of the caller's; fields that they do not offer are set in an inbox with these calls.
 *
 * Objects of the firmware are created and destroyed: devx_TYPE_create(), devx_TYPE_destroy().
 * Resources that libmlx5 allocates or registers are named by its verbs: devx_uar_alloc(),
 * devx_umem_reg().
 */
#ifndef DEVX_DEVX_H
#define DEVX_DEVX_H

#include <stddef.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum devx_origin {
	DEVX_OK,	    /* nothing was refused in this thread yet */
	DEVX_FROM_LIBRARY,  /* devx itself: an invalid argument */
	DEVX_FROM_KERNEL,   /* the command did not reach the firmware */
	DEVX_FROM_FIRMWARE, /* status and syndrome are the device's */
};

struct devx_error {
	enum devx_origin origin;
	int err;	 /* positive errno value that the call returned */
	uint16_t opcode; /* of the inbox; 0: none was involved (umem, UAR) */
	uint16_t op_mod;
	uint8_t status; /* PRM_STATUS_* */
	uint32_t syndrome;
	const char *call;     /* the devx function */
	const char *why;      /* of DEVX_FROM_LIBRARY: what is wrong; otherwise NULL */
	unsigned int call_id; /* of call, for devx_error_str() */
};

/* The latest refusal of devx in this thread; never NULL. Success does not clear it. */
const struct devx_error *devx_last_error(void);

/*
 * One line: what was refused, by which layer, why, and what to do about it.
 *	CREATE_MKEY: firmware: BAD_PARAM (0x3), syndrome 0x317175: page offset of the umem …
 * Always ends in NUL; returns @buf.
 */
const char *devx_error_str(const struct devx_error *e, char *buf, size_t size);

/* The name of a status ("BAD_PARAM"), the explanation of a publicly known syndrome; NULL:
 * unknown. */
const char *devx_status_name(uint8_t status);
const char *devx_syndrome_str(uint16_t opcode, uint32_t syndrome);

/* The known syndromes of real devices, one after another; start with NULL. */
struct devx_syndrome {
	uint16_t opcode;
	uint32_t syndrome;
	const char *text;
};
const struct devx_syndrome *devx_syndrome_next(const struct devx_syndrome *s);

/* Opens the device of that name (NULL: the first mlx5 device) for DevX. ENODEV: no such device,
 * EOPNOTSUPP: not an mlx5 device; others as mlx5dv_open_device(). ibv_close_device() closes. */
int devx_open(struct ibv_context **ctx, const char *name);

/* Executes a general command. All lengths in bytes, both boxes big-endian as prm writes
 * them. */
int devx_cmd(struct ibv_context *ctx, const void *in, size_t in_len, void *out, size_t out_len);

/* An object of the firmware: the kernel destroys it with the context at the latest. */
struct devx_obj {
	struct mlx5dv_devx_obj *handle;
	struct ibv_context *ctx;
	uint32_t id;	 /* cqn, qpn, mkey index …, from the outbox */
	uint16_t type;	 /* PRM_OBJ_* of a general object; else 0 */
	uint16_t opcode; /* that created it */
};

int devx_obj_create(struct devx_obj *obj, struct ibv_context *ctx, const void *in,
		    size_t in_len, void *out, size_t out_len);
int devx_obj_modify(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		    size_t out_len);
int devx_obj_query(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		   size_t out_len);
/* EINVAL: another object still refers to it, and it continues to exist (the firmware answers
 * BAD_RES_STATE; the kernel sends the command, and does not return status and syndrome). No
 * handle: does nothing. */
int devx_obj_destroy(struct devx_obj *obj);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
