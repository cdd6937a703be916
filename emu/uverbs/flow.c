/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_create_flow(): which frames a QP receives (ib_uverbs, uverbs_cmd.c,
 * ib_uverbs_ex_create_flow; mlx5_ib, fs.c, mlx5_ib_create_flow).
 *
 *	type           namespace                  priority of the kernel's
 *	NORMAL         bypass, EGRESS: egress     2p with DONT_TRAP, else 2p + 1
 *	 of multicast  bypass                     32, after all others
 *	*_DEFAULT      leftovers: what the netdev did not take
 *	SNIFFER        both sniffers: two rules
 */
#include <linux/capability.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/ethernet.h"
#include "uverbs/flow.h"

#define DO(name)    PRM_FLOW_CONTEXT_ACTION_##name
#define SPECS_MAX   10	/* <rdma/ib_user_verbs.h>: IB_FLOW_SPEC_SUPPORT_LAYERS */
#define SPEC_BYTES  104 /* ib_core: the largest of union ib_flow_spec */
#define PRIO_MAX    15	/* mlx5_ib.h: MLX5_IB_FLOW_LAST_PRIO */
#define KNOWN_FLAGS (IBV_FLOW_ATTR_FLAGS_DONT_TRAP | IBV_FLOW_ATTR_FLAGS_EGRESS)

/* The attributes of CREATE_FLOW. */
struct request {
	uint8_t *specs; /* owned */
	struct uverbs_qp *qp;
	struct uverbs_flow_specs s;
	uint64_t count_desc; /* descriptions of counters: address, number */
	uint32_t count_descs;
	bool dont_trap, egress;
	struct ib_uverbs_create_flow cmd; /* ends in an array of no size */
};

bool uverbs_has_flows(const struct uverbs *u)
{
	return UVERBS_CAP(u, nic_flow_table);
}

/* ---- flows ---- */

void uverbs_flow_hold(struct uverbs_flow *f, struct uverbs_object *o)
{
	f->held[f->holds++] = o;
}

void uverbs_flow_use(void *obj, int by)
{
	const struct uverbs_flow *f = obj;

	for (uint32_t i = 0; i < f->holds; i++)
		f->held[i]->uses += by;
}

void uverbs_flow_fini(struct uverbs *u, void *obj)
{
	const struct uverbs_flow *f = obj;

	/* mlx5_ib, fs.c, mlx5_ib_destroy_flow: the first one last */
	for (int i = UVERBS_FLOW_RULES - 1; i >= 0; i--)
		if (f->rule[i])
			uverbs_flow_remove(u, f->rule[i]);
	/* mlx5_ib, counters.c, mlx5_ib_counters_clear_description; uses: by other flows */
	for (uint32_t i = 0; i < f->holds; i++)
		if (f->held[i]->type == UVERBS_COUNTERS && !f->held[i]->uses)
			uverbs_counters_clear(
				core_container(f->held[i], struct uverbs_counters, obj));
}

uint32_t uverbs_flow_tir(const struct uverbs_qp *qp)
{
	return qp->table || qp->raw_rq.there ? qp->raw_rq.interface : 0;
}

/* ---- ib_uverbs ---- */

static bool is_default(const struct ib_uverbs_flow_attr *a)
{
	return a->type == IBV_FLOW_ATTR_ALL_DEFAULT || a->type == IBV_FLOW_ATTR_MC_DEFAULT;
}

static int check_attr(const struct request *r)
{
	const struct ib_uverbs_flow_attr *a = &r->cmd.flow_attr;

	if (r->cmd.comp_mask)
		return -EINVAL;
	if (!uverbs_raw_permitted())
		return -EPERM;
	/* bit 0 was once a flag and is not refused */
	if (a->flags >= IBV_FLOW_ATTR_FLAGS_EGRESS << 1)
		return -EINVAL;
	if (a->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP && is_default(a))
		return -EINVAL;
	if (a->num_of_specs > SPECS_MAX || a->size > a->num_of_specs * SPEC_BYTES ||
	    a->reserved[0] || a->reserved[1])
		return -EINVAL;
	return a->port == 1 ? 0 : -EINVAL;
}

static int read_specs(const struct uverbs_call *c, struct request *r)
{
	size_t len = sizeof(r->cmd) + r->cmd.flow_attr.size;
	uint8_t *all;
	int ret;

	/* uverbs_cmd.c, uverbs_request_next */
	if (uverbs_len(c, UVERBS_ATTR_CORE_IN) < len)
		return -ENOSPC;
	all = malloc(len + 1);
	if (!all)
		return -ENOMEM;
	ret = uverbs_get_all(c, UVERBS_ATTR_CORE_IN, all, len);
	if (ret) {
		free(all);
		return ret;
	}
	memmove(all, all + sizeof(r->cmd), r->cmd.flow_attr.size);
	r->specs = all;
	return 0;
}

static int read_qp(const struct uverbs_call *c, struct request *r)
{
	struct uverbs_object *o;
	int ret = uverbs_object_get(c->file, r->cmd.qp_handle, UVERBS_QP, &o);

	if (ret)
		return ret;
	r->qp = core_container(o, struct uverbs_qp, obj);
	return r->qp->type == IB_UVERBS_QPT_UD || r->qp->type == IB_UVERBS_QPT_RAW_PACKET
		       ? 0
		       : -EINVAL;
}

static int read_core(const struct uverbs_call *c, struct request *r)
{
	const struct ib_uverbs_flow_attr *a = &r->cmd.flow_attr;
	int ret = uverbs_get(c, UVERBS_ATTR_CORE_IN, &r->cmd, sizeof(r->cmd));

	if (!ret)
		ret = check_attr(r);
	if (!ret)
		ret = read_specs(c, r);
	if (!ret)
		ret = read_qp(c, r);
	if (!ret)
		ret = uverbs_flow_specs_check(c->file, r->specs, a->size, a->num_of_specs,
					      &r->s);
	return ret;
}

/* ---- mlx5_ib ---- */

#define UHW_HEAD sizeof(struct mlx5_ib_create_flow)

static int read_uhw(const struct uverbs_call *c, struct request *r)
{
	struct mlx5_ib_flow_counters_data data;
	struct mlx5_ib_create_flow head;
	uint8_t uhw[UHW_HEAD + sizeof(data)];
	int ret;

	if (!uverbs_len(c, UVERBS_ATTR_UHW_IN))
		return 0;
	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < UHW_HEAD)
		return -EOPNOTSUPP;
	ret = uverbs_get(c, UVERBS_ATTR_UHW_IN, &head, UHW_HEAD);
	if (ret)
		return ret;
	if (head.ncounters_data > 1)
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, uhw,
			     head.ncounters_data ? sizeof(uhw) : UHW_HEAD);
	if (!ret && head.ncounters_data) {
		memcpy(&data, uhw + UHW_HEAD, sizeof(data));
		memcpy(&r->count_desc, &data.counters_data, sizeof(r->count_desc));
		r->count_descs = data.ncounters;
	}
	return ret;
}

static enum uverbs_flow_ns ns_of(const struct request *r)
{
	if (r->cmd.flow_attr.type == IBV_FLOW_ATTR_SNIFFER)
		return UVERBS_FLOW_SNIFFER_RX;
	if (is_default(&r->cmd.flow_attr))
		return UVERBS_FLOW_LEFTOVERS;
	return r->egress ? UVERBS_FLOW_EGRESS : UVERBS_FLOW_BYPASS;
}

static int check_mlx5(const struct uverbs *u, struct request *r)
{
	const struct ib_uverbs_flow_attr *a = &r->cmd.flow_attr;

	if (a->priority > PRIO_MAX)
		return -ENOMEM;
	if (a->flags & ~(uint32_t)KNOWN_FLAGS)
		return -EINVAL;
	r->dont_trap = a->flags & IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	r->egress = a->flags & IBV_FLOW_ATTR_FLAGS_EGRESS;
	if (r->egress && is_default(a))
		return -EINVAL;
	if (a->type > IBV_FLOW_ATTR_SNIFFER)
		return -EOPNOTSUPP;
	if (!uverbs_flow_has(u, ns_of(r)))
		return -EOPNOTSUPP;
	if (a->type == IBV_FLOW_ATTR_SNIFFER &&
	    !UVERBS_NIC_FT(u, allow_sniffer_and_nic_rx_shared_tir))
		return -EOPNOTSUPP;
	return 0;
}

static uint8_t prio_of(const struct request *r)
{
	const struct ib_uverbs_flow_attr *a = &r->cmd.flow_attr;

	if (a->type != IBV_FLOW_ATTR_NORMAL)
		return 0;
	if (r->s.multicast && !r->dont_trap)
		return UVERBS_FLOW_MCAST_PRIO;
	return 2 * a->priority + !r->dont_trap;
}

static void add_dest(struct uverbs_flow_act *act, uint16_t type, uint32_t id)
{
	act->dest[act->dests++] = (struct uverbs_flow_dest){ type, id };
}

/* fs_core.c, fwd_next_prio_supported */
static bool can_lead_on(const struct uverbs *u, const struct request *r)
{
	return !r->egress && UVERBS_NIC_FT(u, nic_rx_multi_path_tirs);
}

/* fs.c, _create_flow_rule: where to, once it is known what. */
static int set_dests(struct uverbs *u, struct request *r)
{
	struct uverbs_flow_act *act = &r->s.act;

	if (act->action & DO(DROP))
		return 0;
	if (r->dont_trap && !can_lead_on(u, r))
		return -EOPNOTSUPP;
	if (r->egress) {
		act->action |= DO(ALLOW);
		return 0;
	}
	act->action |= DO(FWD_DEST);
	add_dest(act, PRM_DEST_TYPE_TIR, uverbs_flow_tir(r->qp));
	if (r->dont_trap)
		add_dest(act, UVERBS_DEST_NEXT, 0);
	return 0;
}

static int add_normal(struct uverbs *u, struct request *r, struct uverbs_flow *f)
{
	int ret = uverbs_flow_specs_parse(u, r->specs, r->cmd.flow_attr.num_of_specs, &r->s);

	if (!ret && r->s.counters)
		ret = uverbs_counters_describe(u, r->s.counters, r->count_desc, r->count_descs);
	if (!ret && r->s.counters)
		add_dest(&r->s.act, UVERBS_DEST_COUNTER, r->s.counters->id);
	if (!ret)
		ret = set_dests(u, r);
	r->s.match.criteria = uverbs_match_criteria(r->s.match.mask);
	return ret ? ret
		   : uverbs_flow_add(u, ns_of(r), prio_of(r), &r->s.match, &r->s.act,
				     &f->rule[0]);
}

static int add_plain(struct uverbs *u, const struct request *r, enum uverbs_flow_ns ns,
		     const struct uverbs_match *m, struct uverbs_flow_rule **rule)
{
	struct uverbs_flow_act act = { .action = DO(FWD_DEST) };

	add_dest(&act, PRM_DEST_TYPE_TIR, uverbs_flow_tir(r->qp));
	return uverbs_flow_add(u, ns, 0, m, &act, rule);
}

/* fs.c, create_leftovers_rule: frames of multicast, and those of unicast; specifications are
 * not looked at. */
static int add_default(struct uverbs *u, const struct request *r, struct uverbs_flow *f)
{
	struct uverbs_match m = { 0 };
	uint8_t *value = PRM_ADDR(fte_match_param, m.value, outer_headers);
	int ret;

	PRM_SET(fte_match_set_lyr_2_4, PRM_ADDR(fte_match_param, m.mask, outer_headers),
		dmac_47_16, 1u << 24);
	PRM_SET(fte_match_set_lyr_2_4, value, dmac_47_16, 1u << 24);
	m.criteria = PRM_MATCH_OUTER_HEADERS;
	ret = add_plain(u, r, UVERBS_FLOW_LEFTOVERS, &m, &f->rule[0]);
	if (ret || r->cmd.flow_attr.type == IBV_FLOW_ATTR_MC_DEFAULT)
		return ret;
	PRM_SET(fte_match_set_lyr_2_4, value, dmac_47_16, 0);
	return add_plain(u, r, UVERBS_FLOW_LEFTOVERS, &m, &f->rule[1]);
}

static int add_sniffer(struct uverbs *u, const struct request *r, struct uverbs_flow *f)
{
	const struct uverbs_match all = { 0 };
	int ret = add_plain(u, r, UVERBS_FLOW_SNIFFER_RX, &all, &f->rule[0]);

	return ret ? ret : add_plain(u, r, UVERBS_FLOW_SNIFFER_TX, &all, &f->rule[1]);
}

static int add_rules(struct uverbs *u, struct request *r, struct uverbs_flow *f)
{
	if (is_default(&r->cmd.flow_attr))
		return add_default(u, r, f);
	if (r->cmd.flow_attr.type == IBV_FLOW_ATTR_SNIFFER)
		return add_sniffer(u, r, f);
	return add_normal(u, r, f);
}

/* fs.c, mlx5_ib_create_flow: the tables are there before the specifications are read. */
static int add(struct uverbs *u, struct request *r, struct uverbs_flow *f)
{
	const bool both = r->cmd.flow_attr.type == IBV_FLOW_ATTR_SNIFFER;
	struct uverbs_flow_table *rx, *tx;
	int ret = uverbs_flow_table_get(u, ns_of(r), prio_of(r), &rx);

	if (ret)
		return ret;
	if (both)
		ret = uverbs_flow_table_get(u, UVERBS_FLOW_SNIFFER_TX, 0, &tx);
	if (!ret) {
		ret = add_rules(u, r, f);
		if (both)
			uverbs_flow_table_put(u, tx);
	}
	uverbs_flow_table_put(u, rx);
	return ret;
}

static int fill(struct uverbs *u, struct request *r, struct uverbs_flow *f)
{
	uverbs_flow_hold(f, &r->qp->obj);
	if (r->s.counters)
		uverbs_flow_hold(f, &r->s.counters->obj);
	for (uint32_t i = 0; i < r->s.actions; i++)
		uverbs_flow_hold(f, &r->s.action[i]->obj);
	return add(u, r, f);
}

int uverbs_ex_create_flow(struct uverbs_call *c)
{
	struct ib_uverbs_create_flow_resp resp = { 0 };
	struct request r = { 0 };
	struct uverbs_flow *f;
	int ret = uverbs_flow_caps_read(c->u);

	if (!ret)
		ret = read_core(c, &r);
	if (!ret)
		ret = read_uhw(c, &r);
	if (!ret)
		ret = check_mlx5(c->u, &r);
	f = ret ? NULL : uverbs_object_new(c, UVERBS_FLOW);
	if (f) {
		ret = fill(c->u, &r, f);
		resp.flow_handle = f->obj.handle;
		if (!ret)
			uverbs_response(c, &resp);
	}
	free(r.specs);
	return ret;
}

int uverbs_ex_destroy_flow(struct uverbs_call *c)
{
	struct ib_uverbs_destroy_flow cmd;
	struct uverbs_object *o;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EINVAL;
	ret = uverbs_object_get(c->file, cmd.flow_handle, UVERBS_FLOW, &o);
	return ret ? ret : uverbs_object_destroy(o, NULL);
}
