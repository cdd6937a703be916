/* SPDX-License-Identifier: BSD-2-Clause */
/* The QPs and the memory of one process of the group: plain verbs. */
#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "lib/connect.h"
#include "lib/device.h"

#define PSN 0x1000

static uint8_t *touched(size_t bytes)
{
	uint8_t *at = NULL;

	need(!posix_memalign((void **)&at, 4096, bytes), "memory");
	memset(at, 0, bytes);
	return at;
}

static struct ibv_qp *new_qp(struct end *e, unsigned int wrs)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .send_cq = e->cq,
					 .recv_cq = e->cq,
					 .cap = { .max_send_wr = wrs,
						  .max_recv_wr = 1,
						  .max_send_sge = 1,
						  .max_recv_sge = 1,
						  .max_inline_data = 28 } };
	struct ibv_qp *qp = ibv_create_qp(e->pd, &attr);

	need(qp, "ibv_create_qp");
	return qp;
}

static void count_links(struct end *e)
{
	const struct plan *p = e->plan;

	for (unsigned int i = 0; i < p->nlinks; i++) {
		e->nouts += p->links[i].from == p->rank;
		e->nins += p->links[i].to == p->rank;
	}
	e->outs = calloc(e->nouts + 1, sizeof(*e->outs));
	e->ins = calloc(p->nlinks, sizeof(struct ibv_qp *));
	need(e->outs && e->ins, "memory");
}

static void make_memory(struct end *e)
{
	size_t src = (e->nouts + 1) * plan_block(e->plan),
	       dst = (e->nins + 1) * plan_block(e->plan);

	e->src = touched(src);
	e->dst = touched(dst);
	e->src_mr = ibv_reg_mr(e->pd, e->src, src, 0);
	e->dst_mr = ibv_reg_mr(e->pd, e->dst, dst,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	need(e->src_mr && e->dst_mr, "ibv_reg_mr");
}

static void make_qps(struct end *e)
{
	const struct plan *p = e->plan;
	struct out *out = e->outs;

	for (unsigned int i = 0; i < p->nlinks; i++) {
		if (p->links[i].to == p->rank) {
			e->ins[i] = new_qp(e, 1);
			e->group->links[i].to_qpn = e->ins[i]->qp_num;
		}
		if (p->links[i].from != p->rank)
			continue;
		out->link = i;
		out->qp = new_qp(e, p->batch * p->depth);
		out->bytes = e->src + (size_t)(out - e->outs) * plan_block(p);
		e->group->links[i].from_qpn = out->qp->qp_num;
		out++;
	}
}

void end_open(struct end *e)
{
	struct ibv_device *device = device_find();
	struct member *m = &e->group->members[e->plan->rank];
	struct ibv_port_attr port;

	count_links(e);
	e->ctx = device ? ibv_open_device(device) : NULL;
	need(e->ctx && !ibv_query_port(e->ctx, 1, &port), "no device");
	e->mtu = port.active_mtu;
	e->gid_index = device_gid_index(e->ctx, &port);
	need(!ibv_query_gid(e->ctx, 1, e->gid_index, &m->gid), "ibv_query_gid");
	e->pd = ibv_alloc_pd(e->ctx);
	e->cq = ibv_create_cq(e->ctx, (int)(e->nouts * e->plan->depth + 1), NULL, NULL, 0);
	need(e->pd && e->cq, "PD or CQ");
	make_memory(e);
	make_qps(e);
	m->addr = (uintptr_t)e->dst;
	m->rkey = e->dst_mr->rkey;
}

static void connect_to(struct end *e, struct ibv_qp *qp, unsigned int member, uint32_t qpn)
{
	const struct ibv_qp_attr a = {
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.path_mtu = e->mtu,
		.dest_qp_num = qpn,
		.rq_psn = PSN,
		.sq_psn = PSN,
		.timeout = 18,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = path_to(e->group->members[member].gid, e->gid_index),
	};

	need(!connect_qp(qp, &a), "RTS");
}

void end_connect(struct end *e)
{
	const struct plan *p = e->plan;

	for (unsigned int i = 0; i < p->nlinks; i++)
		if (e->ins[i])
			connect_to(e, e->ins[i], p->links[i].from, e->group->links[i].from_qpn);
	for (struct out *o = e->outs; o < e->outs + e->nouts; o++)
		connect_to(e, o->qp, p->links[o->link].to, e->group->links[o->link].to_qpn);
}

void end_close(struct end *e)
{
	for (unsigned int i = 0; i < e->plan->nlinks; i++)
		need(!e->ins[i] || !ibv_destroy_qp(e->ins[i]), "ibv_destroy_qp");
	for (unsigned int i = 0; i < e->nouts; i++)
		need(!ibv_destroy_qp(e->outs[i].qp), "ibv_destroy_qp");
	need(!ibv_destroy_cq(e->cq) && !ibv_dereg_mr(e->src_mr) && !ibv_dereg_mr(e->dst_mr) &&
		     !ibv_dealloc_pd(e->pd) && !ibv_close_device(e->ctx),
	     "closing");
	free(e->src);
	free(e->dst);
	free(e->outs);
	free(e->ins);
}
