/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of DevX (mlx5_ib, devx.c).
 *
 *	CREATE         command -> the number in its answer -> the command that will undo it
 *	MODIFY, QUERY  command and handle have to be about the same object, which may also be one
 *	               that verbs made
 *	DESTROY        the command that was kept. Firmware that refuses (a CQ whose QP is still
 *	               there) answers as to the kernel, with an errno, and the object stays
 */
#include "uverbs/devx.h"
#include "uverbs/qp.h"

/* mlx5_core, cq.c, mlx5_core_create_cq: the event queue is looked up among those for
 * completions. devx.c, is_apu_cq: such a CQ has none. */
static int check_eq(const struct uverbs *u, const uint8_t *in)
{
	const uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);
	uint32_t eqn = PRM_GET(cqc, cqc, c_eqn_or_apu_element);

	if (UVERBS_CAP(u, apu) && PRM_GET(cqc, cqc, apu_cq))
		return 0;
	for (uint32_t i = 0; i < u->vectors; i++)
		if (u->comp_eq[i].eqn == eqn)
			return 0;
	return -ENOENT;
}

static int check_create(const struct uverbs *u, const struct uverbs_devx_cmd *cmd)
{
	size_t mkc_end = (PRM_OFF(create_mkey_in, memory_key_mkey_entry) +
			  PRM_W(create_mkey_in, memory_key_mkey_entry)) /
			 8;

	if (PRM_GET(general_obj_in_cmd_hdr, cmd->in, vhca_tunnel_id) ||
	    !uverbs_devx_creates(cmd->in))
		return -EINVAL;
	if (cmd->opcode == PRM_OP_CREATE_MKEY && cmd->in_len < mkc_end)
		return -EINVAL;
	return cmd->opcode == PRM_OP_CREATE_CQ ? check_eq(u, cmd->in) : 0;
}

static int create(struct uverbs_call *c, struct uverbs_devx_cmd *cmd)
{
	struct uverbs_devx_obj *o = c->made;
	int ret;

	uverbs_devx_force_umem(cmd->in);
	ret = uverbs_devx_run(c, cmd, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	if (ret)
		return ret;
	o->id = uverbs_devx_made(cmd->in, cmd->out);
	o->bulk = uverbs_devx_bulk(cmd->in);
	o->destroy_len = uverbs_devx_undo(cmd->in, cmd->out, o->destroy);
	return 0;
}

int uverbs_devx_obj_create(struct uverbs_call *c)
{
	struct uverbs_devx_cmd cmd = { 0 };
	int ret = uverbs_devx_begin(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN,
				    uverbs_len(c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT), &cmd);

	if (!ret)
		ret = check_create(c->u, &cmd);
	if (!ret)
		ret = create(c, &cmd);
	uverbs_devx_end(&cmd);
	return ret;
}

/* mlx5_ib, qpc.c, mlx5_core_destroy_dct: a DCT is drained first. */
static int drain(struct uverbs *u, const struct uverbs_devx_obj *o)
{
	uint16_t uid = PRM_GET(general_obj_in_cmd_hdr, o->destroy, uid);

	return uverbs_fw_number(u, PRM_OP_DRAIN_DCT, uid,
				PRM_GET(destroy_dct_in, o->destroy, dctn));
}

int uverbs_devx_obj_destroy(struct uverbs *u, void *obj)
{
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)] = { 0 };
	const struct uverbs_devx_obj *o = obj;
	int ret = 0;

	if (PRM_GET(general_obj_in_cmd_hdr, o->destroy, opcode) == PRM_OP_DESTROY_DCT)
		ret = drain(u, o);
	return ret ? ret : uverbs_fw(u, o->destroy, o->destroy_len, out, sizeof(out));
}

void uverbs_devx_obj_fini(struct uverbs *u, void *obj)
{
	uverbs_devx_unsubscribe(u, obj);
}

/* ---- who is meant ---- */

static bool names_srq(const struct uverbs_srq *srq, uint64_t id)
{
	return id ==
	       uverbs_devx_id(srq->xrcd ? PRM_OP_CREATE_XRC_SRQ : PRM_OP_CREATE_RMP, srq->srqn);
}

static bool names_half(const struct uverbs_raw_half *h, uint32_t queue, uint32_t interface,
		       uint64_t id)
{
	return h->there && (id == uverbs_devx_id(queue, h->number) ||
			    id == uverbs_devx_id(interface, h->interface));
}

static bool names_qp(const struct uverbs_qp *qp, uint64_t id)
{
	if (qp->type == UVERBS_QPT_DCT)
		return id == uverbs_devx_id(PRM_OP_CREATE_DCT, qp->qpn);
	if (qp->type != IB_UVERBS_QPT_RAW_PACKET)
		return id == uverbs_devx_id(PRM_OP_CREATE_QP, qp->qpn);
	return names_half(&qp->raw_rq, PRM_OP_CREATE_RQ, PRM_OP_CREATE_TIR, id) ||
	       names_half(&qp->raw_sq, PRM_OP_CREATE_SQ, PRM_OP_CREATE_TIS, id);
}

/* A counter of a bulk may be queried by its own number. */
static bool names_obj(const struct uverbs_devx_obj *o, const uint8_t *in, uint64_t id)
{
	if (PRM_GET(general_obj_in_cmd_hdr, in, opcode) == PRM_OP_QUERY_FLOW_COUNTER && o->bulk)
		return id >= o->id && id < o->id + o->bulk;
	return id == o->id;
}

/* devx_is_valid_obj_id */
bool uverbs_devx_names(const struct uverbs_object *o, const uint8_t *in)
{
	uint64_t id = uverbs_devx_named(in);

	switch (id ? o->type : UVERBS_ANY) {
	case UVERBS_CQ:
		return id == uverbs_devx_id(PRM_OP_CREATE_CQ,
					    core_container(o, struct uverbs_cq, obj)->cqn);
	case UVERBS_SRQ:
		return names_srq(core_container(o, struct uverbs_srq, obj), id);
	case UVERBS_QP:
		return names_qp(core_container(o, struct uverbs_qp, obj), id);
	case UVERBS_DEVX_OBJ:
		return names_obj(core_container(o, struct uverbs_devx_obj, obj), in, id);
	default:
		return false;
	}
}

int uverbs_devx_obj_modify(struct uverbs_call *c)
{
	struct uverbs_object *o = uverbs_arg(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE);
	struct uverbs_devx_cmd cmd = { 0 };
	int ret = uverbs_devx_begin(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
				    uverbs_len(c, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT), &cmd);

	if (!ret && (PRM_GET(general_obj_in_cmd_hdr, cmd.in, vhca_tunnel_id) ||
		     !uverbs_devx_modifies(cmd.in) || !uverbs_devx_names(o, cmd.in)))
		ret = -EINVAL;
	if (!ret) {
		uverbs_devx_force_umem(cmd.in);
		ret = uverbs_devx_run(c, &cmd, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
	}
	uverbs_devx_end(&cmd);
	return ret;
}

int uverbs_devx_obj_query(struct uverbs_call *c)
{
	struct uverbs_object *o = uverbs_arg(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE);
	struct uverbs_devx_cmd cmd = { 0 };
	int ret = uverbs_devx_begin(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
				    uverbs_len(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT), &cmd);

	if (!ret && (PRM_GET(general_obj_in_cmd_hdr, cmd.in, vhca_tunnel_id) ||
		     !uverbs_devx_queries(cmd.in) || !uverbs_devx_names(o, cmd.in)))
		ret = -EINVAL;
	if (!ret)
		ret = uverbs_devx_run(c, &cmd, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
	uverbs_devx_end(&cmd);
	return ret;
}
