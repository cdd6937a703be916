/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mlx5dv_create_flow(): a value for a matcher's mask, and what is done with it (mlx5_ib, fs.c,
 * MLX5_IB_METHOD_CREATE_FLOW, get_dests, mlx5_ib_raw_fs_rule_add).
 *
 *	destination	receive: a raw packet QP, a TIR or a table of DevX, the next namespace, or drop
 *			transmit: onward, a table of DevX, or drop
 */
#include "uverbs/devx.h"
#include "uverbs/ethernet.h"
#include "uverbs/flow.h"

#define DO(name)     PRM_FLOW_CONTEXT_ACTION_##name
#define PRIO_MAX     15
#define ACTIONS_MAX  2
#define DEFAULT_MISS MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS
#define DROP	     MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP

struct request {
	struct uverbs_flow_matcher *matcher;
	struct uverbs_qp *qp;
	struct uverbs_match match;
	struct uverbs_flow_act act;
	struct uverbs_flow_action *action[ACTIONS_MAX];
	uint32_t actions;
};

static void forward(struct uverbs_flow_act *act, uint16_t type, uint32_t id)
{
	act->action |= DO(FWD_DEST);
	act->dest[act->dests++] = (struct uverbs_flow_dest){ type, id };
}

/* ---- destinations ---- */

static bool transmits(const struct request *r)
{
	return r->matcher->ns == UVERBS_FLOW_EGRESS || r->matcher->ns == UVERBS_FLOW_RDMA_TX;
}

/* devx.c, mlx5_ib_devx_is_flow_dest */
static int to_devx(struct request *r, const struct uverbs_devx_obj *o)
{
	uint32_t number = (uint32_t)o->id;

	if (o->id == uverbs_devx_id(PRM_OP_CREATE_FLOW_TABLE, number))
		forward(&r->act, PRM_DEST_TYPE_FLOW_TABLE, number);
	else if (o->id == uverbs_devx_id(PRM_OP_CREATE_TIR, number) && !transmits(r) &&
		 r->matcher->ns != UVERBS_FLOW_RDMA_RX)
		forward(&r->act, PRM_DEST_TYPE_TIR, number);
	else
		return -EINVAL;
	return 0;
}

static int to_qp(struct request *r, struct uverbs_qp *qp)
{
	if (qp->type != IB_UVERBS_QPT_RAW_PACKET || transmits(r))
		return -EINVAL;
	r->qp = qp;
	forward(&r->act, PRM_DEST_TYPE_TIR, uverbs_flow_tir(qp));
	return 0;
}

/* Which of them may be said together. */
static int check_dests(const struct request *r, bool devx, bool qp, uint32_t flags)
{
	if (flags == (DEFAULT_MISS | DROP))
		return -EINVAL;
	if (r->matcher->ns == UVERBS_FLOW_BYPASS && devx + qp + !!flags > 1)
		return -EINVAL;
	if (r->matcher->ns == UVERBS_FLOW_RDMA_RX && devx == qp)
		return -EINVAL;
	return 0;
}

static int read_dests(const struct uverbs_call *c, struct request *r, uint32_t *flags)
{
	const struct uverbs_devx_obj *devx = uverbs_arg(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX);
	struct uverbs_qp *qp = uverbs_arg(c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP);
	int ret = uverbs_flags(c, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, DEFAULT_MISS | DROP, flags);

	if (!ret)
		ret = check_dests(r, devx, qp, *flags);
	if (ret)
		return ret;
	if (devx)
		return to_devx(r, devx);
	if (qp)
		return to_qp(r, qp);
	if (transmits(r) && !(*flags & DROP))
		r->act.action |= DO(ALLOW);
	return 0;
}

/* ---- what else ---- */

/* devx.c, mlx5_ib_devx_is_flow_counter: counters of a bulk have numbers one after the other. */
static int read_counter(const struct uverbs_call *c, struct request *r)
{
	const uint16_t offset_id = MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET;
	const struct uverbs_devx_obj *devx;
	uint32_t handle, offset = 0, n;
	int ret = uverbs_handles(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &handle, 1, &n);

	if (ret || !n)
		return ret;
	devx = uverbs_named(c, handle, UVERBS_DEVX_OBJ);
	if (!devx)
		return -EINVAL;
	if (uverbs_has(c, offset_id) && uverbs_len(c, offset_id) != sizeof(offset))
		return -EINVAL;
	if (uverbs_has(c, offset_id))
		offset = (uint32_t)uverbs_number(c, offset_id);
	if (devx->id != uverbs_devx_id(PRM_OP_ALLOC_FLOW_COUNTER, (uint32_t)devx->id) ||
	    (offset && offset >= devx->bulk))
		return -EINVAL;
	r->act.action |= DO(COUNT);
	r->act.dest[r->act.dests++] =
		(struct uverbs_flow_dest){ UVERBS_DEST_COUNTER, (uint32_t)devx->id + offset };
	return 0;
}

static int read_actions(const struct uverbs_call *c, struct request *r)
{
	uint32_t handle[ACTIONS_MAX], n;
	struct uverbs_object *o;
	int ret = uverbs_handles(c, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, handle,
				 ACTIONS_MAX, &n);

	for (uint32_t i = 0; i < n && !ret; i++) {
		ret = uverbs_object_get(c->file, handle[i], UVERBS_FLOW_ACTION, &o);
		if (ret)
			break;
		r->action[i] = core_container(o, struct uverbs_flow_action, obj);
		ret = uverbs_flow_action_apply(r->action[i], &r->act);
		r->actions++;
	}
	return ret;
}

static int read_tag(const struct uverbs_call *c, struct request *r)
{
	uint64_t tag = uverbs_number(c, MLX5_IB_ATTR_CREATE_FLOW_TAG);

	r->act.has_tag = uverbs_has(c, MLX5_IB_ATTR_CREATE_FLOW_TAG);
	r->act.tag = tag;
	return tag > UVERBS_FLOW_TAG_MAX ? -EINVAL : 0;
}

/* ---- the rule ---- */

/* raw_fs_is_multicast */
static bool is_multicast(const struct uverbs_match *m)
{
	const uint8_t *mask = PRM_ADDR(fte_match_param, m->mask, outer_headers);
	const uint8_t *value = PRM_ADDR(fte_match_param, m->value, outer_headers);
	const size_t ipv4 =
		PRM_OFF(fte_match_set_lyr_2_4, dst_ipv4_dst_ipv6) / 8 + PRM_SZ(ipv4_layout) - 4;
	const uint8_t *dmac = PRM_ADDR(fte_match_set_lyr_2_4, mask, dmac_47_16);

	if (dmac[0] & PRM_ADDR(fte_match_set_lyr_2_4, value, dmac_47_16)[0] & 1)
		return true;
	return (mask[ipv4] & 0xf0) == 0xf0 && (value[ipv4] & 0xf0) == 0xe0;
}

static uint8_t prio_of(const struct request *r)
{
	switch (r->matcher->ns) {
	case UVERBS_FLOW_BYPASS:
		if (is_multicast(&r->match))
			return UVERBS_FLOW_MCAST_PRIO;
		return 2 * r->matcher->priority + 1;
	case UVERBS_FLOW_EGRESS:
		return 2 * r->matcher->priority + 1;
	default:
		return r->matcher->priority;
	}
}

/* fs_core.c, fwd_next_prio_supported */
static int check_rule(const struct uverbs *u, const struct request *r, uint32_t flags)
{
	if (r->matcher->flow_type != MLX5_IB_FLOW_TYPE_NORMAL)
		return -EOPNOTSUPP;
	if (r->matcher->priority > PRIO_MAX)
		return -ENOMEM;
	if (!uverbs_flow_has(u, r->matcher->ns))
		return -EOPNOTSUPP;
	if (flags & DEFAULT_MISS &&
	    (r->matcher->ns != UVERBS_FLOW_BYPASS || !UVERBS_NIC_FT(u, nic_rx_multi_path_tirs)))
		return -EOPNOTSUPP;
	return 0;
}

static int read_request(const struct uverbs_call *c, struct request *r, uint32_t *flags)
{
	int ret = read_dests(c, r, flags);

	if (ret) /* whatever it was */
		return -EINVAL;
	if (*flags & DROP)
		r->act.action |= DO(DROP);
	if (*flags & DEFAULT_MISS)
		forward(&r->act, UVERBS_DEST_MISS, 0);
	ret = read_counter(c, r);
	if (!ret)
		ret = read_actions(c, r);
	if (!ret)
		ret = read_tag(c, r);
	return ret ? ret
		   : uverbs_flow_read_match(c, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE,
					    r->match.value);
}

static int fill(struct uverbs_call *c, struct request *r, struct uverbs_flow *f)
{
	uverbs_flow_hold(f, &r->matcher->obj);
	if (r->qp)
		uverbs_flow_hold(f, &r->qp->obj);
	for (uint32_t i = 0; i < r->actions; i++)
		uverbs_flow_hold(f, &r->action[i]->obj);
	return uverbs_flow_add(c->u, r->matcher->ns, prio_of(r), &r->match, &r->act,
			       &f->rule[0]);
}

int uverbs_create_raw_flow(struct uverbs_call *c)
{
	struct request r = { .matcher = uverbs_arg(c, MLX5_IB_ATTR_CREATE_FLOW_MATCHER) };
	uint32_t flags = 0;
	int ret = uverbs_raw_permitted() ? uverbs_flow_caps_read(c->u) : -EPERM;

	memcpy(r.match.mask, r.matcher->mask, sizeof(r.match.mask));
	r.match.criteria = r.matcher->criteria;
	if (!ret)
		ret = read_request(c, &r, &flags);
	if (!ret)
		ret = check_rule(c->u, &r, flags);
	return ret ? ret : fill(c, &r, c->made);
}
