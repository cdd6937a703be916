/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A firmware command as two lines, every field that is not zero by its PRM name:
 *
 *	CREATE_CQ                in   uid=0x1 cqc.log_cq_size=0x7 … pas[1]={0x7f0012345000}
 *	CREATE_CQ                out  OK cqn=0x10003
 *	CREATE_CQ                out  BAD_PARAM (bad parameter) syndrome 0xe0040018
 *
 * The opcode is the name in front and not printed again. Only the first elements of a long tail
 * (the pages of a large buffer) are shown. The access key by which another function may use an
 * mkey is a secret, and a trace may be passed on: it is not shown.
 */
#include <string.h>

#include "explain/lines.h"
#include "hca/hca.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "prm/value.h"

#define TAIL_SHOWN 128 /* bytes after the declared fields: 16 page addresses */
#define RAW_SHOWN  64
#define IN_MAX	   8192
#define OUT_HEADER 8

#define FIRST_PSEUDO_TYPE 0xff00 /* of objects that are aliases only */

static void put_name(struct line *l, const struct prm_cmd *cmd, uint32_t opcode)
{
	if (cmd)
		line_put(l, "%-24s ", cmd->name);
	else
		line_put(l, "opcode 0x%-15x ", opcode);
}

/* How much of a mailbox of @len bytes is decoded. */
static size_t shown(const struct prm_struct *s, size_t len)
{
	return len < s->bytes + TAIL_SHOWN ? len : s->bytes + TAIL_SHOWN;
}

static void put_rest(struct line *l, size_t shown, size_t len)
{
	if (shown < len)
		line_put(l, " … and %zu bytes more", len - shown);
}

static void put_raw(struct line *l, const uint8_t *at, size_t len)
{
	size_t n = len < RAW_SHOWN ? len : RAW_SHOWN;

	line_hex(l, at, n);
	put_rest(l, n, len);
}

/* Where the access key is in @in, bytes; 0: it has none. */
static size_t access_key(uint32_t opcode, const uint8_t *in, size_t len)
{
	if (opcode == PRM_OP_ALLOW_OTHER_VHCA_ACCESS)
		return PRM_OFF(allow_other_vhca_access_in, access_key_raw) / 8;
	if (opcode != PRM_OP_CREATE_GENERAL_OBJECT || len < PRM_SZ(general_obj_in_cmd_hdr) ||
	    (!PRM_GET(general_obj_in_cmd_hdr, in, alias_object) &&
	     PRM_GET(general_obj_in_cmd_hdr, in, obj_type) < FIRST_PSEUDO_TYPE))
		return 0;
	return PRM_SZ(general_obj_in_cmd_hdr) + PRM_OFF(alias_context, access_key_raw) / 8;
}

/* Takes it out of @in; false: nothing is there. */
static bool hide_key(uint32_t opcode, uint8_t *in, size_t len)
{
	size_t at = access_key(opcode, in, len);
	size_t end = at + HCA_ACCESS_KEY_BYTES;
	bool any = false;

	for (; at && at < end && at < len; at++) {
		any |= in[at];
		in[at] = 0;
	}
	return any;
}

void line_command_in(struct line *l, const struct core_trace *t)
{
	const struct prm_cmd *cmd = prm_cmd(t->obj);
	uint8_t in[IN_MAX];
	size_t len, space;
	bool hidden;
	char *end;

	put_name(l, cmd, t->obj);
	line_put(l, "in   ");
	if (!cmd) {
		put_raw(l, t->in, t->in_len);
		return;
	}
	len = shown(cmd->in, t->in_len);
	if (len > sizeof(in))
		len = sizeof(in);
	memcpy(in, t->in, len);
	memset(in, 0, len < 2 ? len : 2); /* the opcode */
	hidden = hide_key(t->obj, in, len);
	end = line_end(l, &space);
	l->len += prm_format(end, space, cmd->in, in, len, PRM_LINE);
	if (hidden)
		line_put(l, " access_key=(32 bytes, not shown)");
	put_rest(l, len, t->in_len);
}

/* False: the command failed, and the line says so. */
static bool put_status(struct line *l, const uint8_t *out)
{
	const char *text = NULL;
	const char *name = prm_value_name("STATUS", out[0], &text);

	if (!out[0]) {
		line_put(l, "OK ");
		return true;
	}
	if (name)
		line_put(l, "%s (%s)", name, text);
	else
		line_put(l, "status 0x%02x", out[0]);
	line_put(l, " syndrome 0x%02x%02x%02x%02x", out[4], out[5], out[6], out[7]);
	return false;
}

void line_command_out(struct line *l, const struct core_trace *t)
{
	const struct prm_cmd *cmd = prm_cmd(t->obj);
	const uint8_t *out = t->out;
	size_t len, space;
	char *end;

	put_name(l, cmd, t->obj);
	line_put(l, "out  ");
	if (t->out_len < OUT_HEADER) {
		put_raw(l, out, t->out_len);
		return;
	}
	if (!put_status(l, out))
		return;
	if (!cmd) {
		put_raw(l, out, t->out_len);
		return;
	}
	len = shown(cmd->out, t->out_len);
	end = line_end(l, &space);
	l->len += prm_format_out(end, space, cmd, t->in, t->in_len, out, len, PRM_LINE);
	put_rest(l, len, t->out_len);
}
