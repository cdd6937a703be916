/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls that carry a command: mlx5dv_devx_general_cmd(), obj_create, obj_modify, obj_query and
 * its asynchronous sister, and the same on queues of verbs.
 *
 *	returns  outbox
 *	0        status 0                          executed
 *	errno    status and syndrome               refused by firmware
 *	errno    untouched: zeros, as before       refused by the kernel or by libmlx5
 */
#include <errno.h>
#include <string.h>

#include "fuzz_devx.h"

enum { GUARD_BYTE = 0xa5, OBJECTS_MAX = 250 };

struct tally tally;

/* Those of mlx5_ib and ib_uverbs to these calls, of libmlx5 for a status
 * (mlx5_cmd_status_to_err), and of read(). */
static bool kernel_says(int err)
{
	static const int errors[] = { 0,	 EINVAL,  EFAULT,     ENOENT,
				      EBADF,	 EBUSY,	  EOPNOTSUPP, EPROTONOSUPPORT,
				      ENOSPC,	 ENOMEM,  EIO,	      EAGAIN,
				      EPERM,	 ENODATA, EMSGSIZE,   EOVERFLOW,
				      EREMOTEIO, E2BIG };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (err == errors[i])
			return true;
	return false;
}

void call_judge(const char *call, int err)
{
	tally.calls++;
	FUZZ_CHECK(kernel_says(err), "%s returns %d", call, err);
}

/* ---- answers ---- */

static void prepare(struct box *b)
{
	memset(b->out, 0, b->out_len);
	memset(b->out + b->out_len, GUARD_BYTE, GUARD);
}

static void check_outbox(const char *call, const struct box *b, int err)
{
	uint8_t status = b->out_len ? b->out[0] : 0;
	const char *name;

	for (int i = 0; i < GUARD; i++)
		FUZZ_CHECK(b->out[b->out_len + i] == GUARD_BYTE,
			   "%s of 0x%x writes beyond its outbox of %zu bytes", call, b->opcode,
			   b->out_len);
	name = prm_value_name("STATUS", status, NULL);
	FUZZ_CHECK(name, "%s of 0x%x: status 0x%x", call, b->opcode, status);
	FUZZ_CHECK(!err == !status || (err && !status),
		   "%s of 0x%x returns %d with status 0x%x", call, b->opcode, err, status);
	FUZZ_CHECK(!status || b->out_len < 8 || PRM_GET(mbox_out, b->out, syndrome),
		   "%s of 0x%x: status 0x%x without a syndrome", call, b->opcode, status);
	if (!err)
		tally.done++;
	else if (status)
		tally.firmware++;
	else
		tally.kernel++;
}

/* Says whether it was executed. */
static bool judge(const char *call, const struct box *b, int err)
{
	tally.commands++;
	call_judge(call, err);
	check_outbox(call, b, err);
	if (!err)
		learn_more(b->in, b->in_len, b->out_len);
	return !err;
}

/* ---- calls ---- */

static void keep(struct user *u, const struct box *b, struct mlx5dv_devx_obj *obj)
{
	const struct prm_cmd *cmd = prm_cmd(b->opcode);
	const struct prm_field *f = cmd ? box_number(cmd->out) : NULL;
	struct live l = { .kind = b->opcode, .obj = obj };

	if (f && f->bit + f->width <= b->out_len * 8)
		l.number = (uint32_t)prm_load(b->out, f->bit, f->width);
	if (b->opcode == PRM_OP_CREATE_GENERAL_OBJECT)
		l.type = PRM_GET(general_obj_in_cmd_hdr, b->in, obj_type);
	live_add(u, &l);
	tally.objects++;
}

static void make_space(struct user *u)
{
	for (int tries = 200; u->n > OBJECTS_MAX && tries; tries--) {
		struct live *l = live_object(u);

		if (l)
			call_judge("mlx5dv_devx_obj_destroy", live_destroy(u, l));
	}
}

static void create(struct user *u, struct box *b)
{
	struct mlx5dv_devx_obj *obj;

	make_space(u);
	if (u->n == LIVE_MAX)
		return;
	box_make(b, u, PRM_CALL_CREATE, one_in(32));
	prepare(b);
	errno = 0;
	obj = mlx5dv_devx_obj_create(u->ctx, b->in, b->in_len, b->out, b->out_len);
	FUZZ_CHECK(obj || errno, "mlx5dv_devx_obj_create fails without an errno");
	judge("mlx5dv_devx_obj_create", b, obj ? 0 : errno);
	if (obj)
		keep(u, b, obj);
}

static void general(struct user *u, struct box *b)
{
	box_make(b, u, PRM_CALL_GENERAL, one_in(8));
	prepare(b);
	judge("mlx5dv_devx_general_cmd", b,
	      mlx5dv_devx_general_cmd(u->ctx, b->in, b->in_len, b->out, b->out_len));
}

static void read_answers(struct user *u)
{
	static uint64_t buffer[(BOX_MAX + 16) / 8];
	struct mlx5dv_devx_async_cmd_hdr *hdr = (void *)buffer;

	for (int n = 0; n < 64; n++) {
		int err = mlx5dv_devx_get_async_cmd_comp(u->answers, hdr, sizeof(buffer) - 8);

		call_judge("mlx5dv_devx_get_async_cmd_comp", err);
		if (err)
			return;
	}
}

static void async_query(struct user *u, struct box *b, struct live *l)
{
	int err;

	tally.commands++;
	err = mlx5dv_devx_obj_query_async(l->obj, b->in, b->in_len, b->out_len, chance(),
					  u->answers);
	call_judge("mlx5dv_devx_obj_query_async", err);
	tally.done += !err;
	tally.kernel += !!err;
	if (one_in(4))
		read_answers(u);
}

static void about_object(struct user *u, struct box *b)
{
	enum prm_call call = one_in(2) ? PRM_CALL_MODIFY : PRM_CALL_QUERY;
	struct live *l = live_object(u);

	/* PDs, for example, cannot be queried. */
	for (int tries = 16; tries && l && !box_has_about(call, l); tries--)
		l = live_object(u);
	if (!l) {
		create(u, b);
		return;
	}
	box_about(b, u, call, l);
	prepare(b);
	if (call == PRM_CALL_QUERY && one_in(4))
		async_query(u, b, l);
	else if (call == PRM_CALL_QUERY)
		judge("mlx5dv_devx_obj_query", b,
		      mlx5dv_devx_obj_query(l->obj, b->in, b->in_len, b->out, b->out_len));
	else
		l->moves += judge(
			"mlx5dv_devx_obj_modify", b,
			mlx5dv_devx_obj_modify(l->obj, b->in, b->in_len, b->out, b->out_len));
}

/* CQ, QP and SRQ of verbs: the same calls with other handles. */
static void about_verbs(struct user *u, struct box *b)
{
	bool modify = one_in(2);
	struct live l = { .kind = PRM_OP_CREATE_CQ };
	uint32_t which = below(3);
	struct ibv_srq *srq = u->srq;

	if (which == 1)
		l = (struct live){ .kind = PRM_OP_CREATE_QP, .number = u->qp->qp_num };
	else if (which == 2)
		l.kind = PRM_OP_CREATE_RMP;
	for (unsigned int i = 0; which != 1 && i < u->n; i++)
		if (u->live[i].kind == l.kind && !u->live[i].obj)
			l = u->live[i];
	box_about(b, u, modify ? PRM_CALL_MODIFY : PRM_CALL_QUERY, &l);
	prepare(b);
#define VERBS(what, handle)                                                        \
	judge("mlx5dv_devx_" #what "_query or _modify", b,                         \
	      (modify ? mlx5dv_devx_##what##_modify : mlx5dv_devx_##what##_query)( \
		      handle, b->in, b->in_len, b->out, b->out_len))
	if (which == 0)
		VERBS(cq, u->cq);
	else if (which == 1)
		VERBS(qp, u->qp);
	else
		VERBS(srq, srq);
}

void call_command(struct user *u, struct box *b)
{
	uint32_t which = below(20);

	if (which < 7)
		create(u, b);
	else if (which < 9)
		general(u, b);
	else if (which < 10)
		about_verbs(u, b);
	else
		about_object(u, b);
}
