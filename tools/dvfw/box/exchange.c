/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sending commands. The mlx5dv call of a command decides which function of devx sends it:
 *
 *	create     devx_obj_create     the kernel keeps the object
 *	modify     devx_obj_modify     on an object that this process created
 *	query      devx_obj_query      on such an object
 *	general    devx_cmd
 *
 * Through fwctl all commands go one way (device.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "devx/devx.h"
#include "names/names.h"
#include "prm/prm.h"

int exchange_begin(const struct dvfw *d, struct exchange *x, const char *name)
{
	const struct prm_struct *s = struct_find(name);
	const struct prm_cmd *cmd = NULL;
	struct near near;

	x->cmd = cmd_find(name);
	x->answered = false;
	if (x->cmd) {
		box_begin(&x->in, x->cmd->in, x->cmd);
		return DVFW_OK;
	}
	if (s)
		return dvfw_usage(d, "%s is a structure, not a command", s->name);
	near_begin(&near, name);
	while ((cmd = prm_cmd_next(cmd)))
		near_offer(&near, cmd->name);
	return dvfw_usage(d, "there is no command '%s'%s", name, near_text(&near));
}

int exchange_encode(const struct dvfw *d, struct exchange *x, char **words, int n)
{
	char why[WHY_BYTES];

	return encode_fields(&x->in, words, n, why) ? DVFW_OK : dvfw_usage(d, "%s", why);
}

void exchange_fit(struct exchange *x)
{
	size_t in = prm_in_bytes(x->cmd, x->in.bytes, x->in.len);
	size_t out = prm_out_bytes(x->cmd, x->in.bytes, x->in.len);

	if (in > x->in.len && in <= sizeof(x->in.bytes))
		x->in.len = in;
	box_begin(&x->out, x->cmd->out, NULL);
	if (out > x->out.len && out <= sizeof(x->out.bytes))
		x->out.len = out;
}

/* Writes change the adapter for all its users (PRM): registers with op_mod 0; and through fwctl
 * commands that the kernel refuses from DevX. */
static bool is_write(const struct dvfw *d, const struct exchange *x)
{
	switch (x->cmd->opcode) {
	case PRM_OP_ACCESS_REG:
		return d->fwctl && PRM_GET(mbox_in, x->in.bytes, op_mod) == PRM_REG_OP_WRITE;
	case PRM_OP_ACCESS_REGISTER_USER:
		return PRM_GET(mbox_in, x->in.bytes, op_mod) == PRM_REG_OP_WRITE;
	case PRM_OP_MODIFY_CONG_STATUS:
	case PRM_OP_SET_HCA_CAP:
	case PRM_OP_SET_DIAGNOSTIC_PARAMS:
		return d->fwctl;
	default:
		return false;
	}
}

static int refuse_write(const struct dvfw *d, const struct prm_cmd *cmd)
{
	if (cmd->opcode == PRM_OP_ACCESS_REG || cmd->opcode == PRM_OP_ACCESS_REGISTER_USER)
		return dvfw_usage(d, "op_mod=0 writes the register, for everybody who uses the "
				     "adapter: op_mod=1 reads; to write, add --write");
	return dvfw_usage(d, "%s changes the adapter for everybody who uses it: add --write",
			  cmd->name);
}

static int refuse_object(const struct dvfw *d, const struct prm_cmd *cmd)
{
	return dvfw_usage(d,
			  "%s is about an object, and the kernel passes it only for one that "
			  "the same process made: use 'dvfw shell' or 'dvfw run'",
			  cmd->name);
}

int exchange_send(struct dvfw *d, struct exchange *x, struct devx_obj *obj, bool write)
{
	const uint8_t *in = x->in.bytes;
	uint8_t *out = x->out.bytes;
	int err;

	if (is_write(d, x) && !write)
		return refuse_write(d, x->cmd);
	if (d->fwctl) {
		err = dvfw_command(d, in, x->in.len, out, x->out.len);
		x->answered = !err || err == EREMOTEIO;
		return err ? dvfw_command_refused(d, in, err) : DVFW_OK;
	}
	switch (x->cmd->call) {
	case PRM_CALL_CREATE:
		err = devx_obj_create(obj, d->ctx, in, x->in.len, out, x->out.len);
		break;
	case PRM_CALL_MODIFY:
		if (!obj->handle)
			return refuse_object(d, x->cmd);
		err = devx_obj_modify(obj, in, x->in.len, out, x->out.len);
		break;
	case PRM_CALL_QUERY:
		if (!obj->handle)
			return refuse_object(d, x->cmd);
		err = devx_obj_query(obj, in, x->in.len, out, x->out.len);
		break;
	case PRM_CALL_GENERAL:
		err = devx_cmd(d->ctx, in, x->in.len, out, x->out.len);
		break;
	case PRM_CALL_KERNEL:
	default:
		return dvfw_refused(d,
				    "the kernel will refuse this: %s is not on the DevX list",
				    x->cmd->name);
	}
	x->answered = !err || devx_last_error()->origin == DEVX_FROM_FIRMWARE;
	return err ? dvfw_devx_refused(d, err) : DVFW_OK;
}

static void show(const struct dvfw *d, const struct shown *m, const char *box,
		 const struct show_options *o, struct json_object *json)
{
	if (json) {
		json_set(json, box, message_json(m, o));
		return;
	}
	printf("%s%s%s: %s, %zu bytes\n", dvfw_paint(d, DVFW_GOOD), box,
	       dvfw_paint(d, DVFW_PLAIN), m->s->name, m->len);
	message_print(d, m, o);
}

void exchange_show_in(const struct dvfw *d, const struct exchange *x,
		      const struct show_options *o, struct json_object *json)
{
	const struct shown m = { .s = x->cmd->in, .p = x->in.bytes, .len = x->in.len };

	show(d, &m, "in", o, json);
}

void exchange_show_out(const struct dvfw *d, const struct exchange *x,
		       const struct show_options *o, struct json_object *json)
{
	const struct shown m = { .s = x->cmd->out,
				 .cmd = x->cmd,
				 .p = x->out.bytes,
				 .len = x->out.len,
				 .in = x->in.bytes,
				 .in_len = x->in.len };

	if (x->answered)
		show(d, &m, "out", o, json);
}
