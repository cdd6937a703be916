/* SPDX-License-Identifier: BSD-2-Clause */
/* A rig opened, connected and closed: domains, CQs, memory, lanes, locks of registers. */
#include <stdlib.h>

#include "base/base.h"
#include "result/result.h"
#include "lane/lane.h"
#include "peer/peer.h"
#include "pattern.h"
#include "rig.h"

unsigned int layout_sharers(const struct options *o)
{
	if (o->layout == LAYOUT_SHARED_QP)
		return (unsigned int)o->threads;
	return o->layout == LAYOUT_MUL_2 ? 2 : o->layout == LAYOUT_MUL_4 ? 4 : 1;
}

/* A domain for each group: libmlx5 then gives its QPs a register that no other group shares,
 * and takes their locks away. */
static void open_domains(struct rig *rig)
{
	struct ibv_parent_domain_init_attr init = { .pd = rig->dev.pd };
	struct ibv_td_init_attr attr = { 0 };

	rig->td = base_made(calloc(rig->groups, sizeof(*rig->td)));
	rig->pd = base_made(calloc(rig->groups, sizeof(*rig->pd)));
	for (unsigned int g = 0; g < rig->groups; g++) {
		rig->pd[g] = rig->dev.pd;
		if (rig->o.uar != UAR_THREAD)
			continue;
		rig->td[g] = ibv_alloc_td(rig->dev.ctx, &attr);
		if (!rig->td[g])
			base_refuse("the device has no separate register for thread %u: %m", g);
		init.td = rig->td[g];
		rig->pd[g] = base_made(ibv_alloc_parent_domain(rig->dev.ctx, &init));
	}
}

/* ---- CQs ---- */

static void open_cqs(struct rig *rig)
{
	rig->send = base_made(calloc(rig->groups, sizeof(*rig->send)));
	rig->recv = base_made(calloc(rig->groups, sizeof(*rig->recv)));
	if (!rig->o.events)
		return;
	rig->channels = base_made(calloc(rig->groups, sizeof(struct ibv_comp_channel *)));
	for (unsigned int g = 0; g < rig->groups; g++)
		rig->channels[g] = lane_channel_open(&rig->dev);
}

static void close_cqs(struct rig *rig)
{
	for (unsigned int g = 0; g < rig->groups; g++) {
		if (rig->send[g])
			lane_cq_close(rig->send[g]);
		if (rig->recv[g])
			lane_cq_close(rig->recv[g]);
	}
	for (unsigned int g = 0; rig->channels && g < rig->groups; g++)
		base_ok(ibv_destroy_comp_channel(rig->channels[g]));
	free(rig->send);
	free(rig->recv);
	free((void *)rig->channels);
}

/* A QP that copies is its own other end. */
static bool has_far(const struct options *o)
{
	return o->loopback && o->op != OP_MMO;
}

/* Threads that share a QP share its CQ. */
static struct lane_place place_of(struct rig *rig, unsigned int group)
{
	unsigned int cq = rig->o.cqs == CQ_ONE ? 0 : group, ends = has_far(&rig->o) ? 2 : 1;
	struct lane_place place = { .pd = rig->pd[group],
				    .channel = rig->channels ? rig->channels[group] : NULL };

	if (rig->o.cqs == CQ_PER_QP)
		return place;
	place.send = &rig->send[cq];
	place.recv = &rig->recv[cq];
	place.sharing = ends * (rig->o.cqs == CQ_ONE ? rig->lanes : rig->o.qps);
	place.many = layout_sharers(&rig->o) > 1 || (rig->o.cqs == CQ_ONE && rig->groups > 1);
	return place;
}

static struct lane *open_lanes(struct rig *rig, bool posts, unsigned int role)
{
	bool one = posts && rig->o.uar == UAR_SHARED;
	const char *reg = one && rig->near ? rig->near[0].doorbell.reg : NULL;
	struct lane *lanes = base_made(aligned_alloc(64, rig->lanes * sizeof(*lanes)));
	bool locked = layout_sharers(&rig->o) > 1 && rig->o.api != API_MANY;
	struct lane_place place;

	for (unsigned int i = 0; i < rig->lanes; i++) {
		place = place_of(rig, i / rig->o.qps);
		place.role = role;
		place.memory = rig->o.mrs == MR_ONE ? &rig->memory : NULL;
		place.reg = reg;
		lane_open(&lanes[i], &rig->dev, &rig->o, &place);
		if (one)
			reg = lanes[i].doorbell.reg;
		if (locked && posts) {
			lanes[i].lock = base_made(calloc(1, sizeof(*lanes[i].lock)));
			base_ok(pthread_spin_init((pthread_spinlock_t *)lanes[i].lock, 0));
		}
	}
	return lanes;
}

/* ---- registers ---- */

struct reg {
	const char *at;
	unsigned int group;
	bool shared;
};

/* The entry of @l's register in @regs, which has @n so far. */
static unsigned int reg_of(struct reg *regs, unsigned int *n, const struct lane *l,
			   unsigned int group)
{
	unsigned int i;

	for (i = 0; i < *n && regs[i].at != l->doorbell.reg; i++)
		;
	if (i == *n)
		regs[(*n)++] = (struct reg){ l->doorbell.reg, group, false };
	else if (regs[i].group != group)
		regs[i].shared = true;
	return i;
}

/* Registers that several threads ring get a lock (dv/sq.h says why). libmlx5 has its own. */
static void lock_registers(struct rig *rig)
{
	struct lane **posting = base_made(calloc(2 * rig->o.qps, sizeof(struct lane *)));
	struct reg *regs = base_made(calloc(2 * rig->lanes, sizeof(*regs)));
	unsigned int n, r;

	rig->locks = base_made(calloc(2 * rig->lanes, sizeof(*rig->locks)));
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int g = 0; g < rig->groups; g++) {
			n = rig_group(rig, g, posting);
			for (unsigned int i = 0; i < n; i++) {
				r = reg_of(regs, &rig->registers, posting[i], g);
				if (!pass || !regs[r].shared)
					continue;
				rig->unlocked |= rig->o.no_locks;
				if (rig->o.api == API_DIRECT && !rig->o.no_locks)
					lane_lock_register(posting[i], &rig->locks[r]);
			}
		}
	for (r = 0; r < rig->registers; r++)
		base_ok(pthread_spin_init(&rig->locks[r], 0));
	if (rig->o.uar == UAR_SHARED && rig->registers > 1)
		base_refuse("--uar=shared: the device gave %u registers in place of one",
			    rig->registers);
	free(regs);
	free(posting);
}

/* ---- open, connect, close ---- */

/* --mr=one: the memory of all lanes. */
static void open_memory(struct rig *rig, unsigned int near, unsigned int far)
{
	if (rig->o.mrs != MR_ONE)
		return;
	rig->memory = memory_new(&rig->o);
	for (unsigned int i = 0; i < rig->lanes; i++)
		lane_plan_memory(&rig->memory, near);
	for (unsigned int i = 0; i < rig->lanes && has_far(&rig->o); i++)
		lane_plan_memory(&rig->memory, far);
	memory_open(&rig->memory, &rig->dev);
}

/* Purposes of the lanes of one end. */
static unsigned int role_of(const struct options *o, bool posts, bool is_reached)
{
	bool sends = o->op == OP_SEND || o->op == OP_WRITE_IMM;
	unsigned int role = posts ? LANE_POSTS : 0;

	if (is_reached)
		role |= LANE_IS_REACHED | (sends ? LANE_RECEIVES : 0);
	return role;
}

static void check_packet(const struct rig *rig)
{
	uint32_t mtu = 128u << rig->dev.mtu;

	if (rig->o.service == SERVICE_UD && rig->o.op == OP_SEND && rig->o.size > mtu)
		base_refuse(
			"a UD message must fit in one packet: %u bytes (-s) are above the MTU, %u",
			rig->o.size, mtu);
}

/* --remote-vhca in one process: what the server is otherwise. */
static struct rig *open_exporter(const struct rig *rig)
{
	struct options o = rig->o;
	struct rig *exporter;

	if (!o.remote_vhca || !o.loopback)
		return NULL;
	exporter = base_made(calloc(1, sizeof(*exporter)));
	o.loopback = false;
	o.device = device_sibling(&rig->dev);
	if (!o.device)
		base_refuse(
			"%s is the only function of its adapter here (--remote-vhca, --loopback): "
			"run a server on the other one, and a client with HOST",
			ibv_get_device_name(rig->dev.ctx->device));
	rig_open(exporter, &o);
	return exporter;
}

void rig_open(struct rig *rig, const struct options *o)
{
	/* of post each lane is its own peer, and of mmo; of --remote-vhca one side copies */
	bool both =
		!o->remote_vhca && (o->bidirectional || o->mode != MODE_BW || o->op == OP_MMO);
	bool server = !o->host && !o->loopback;
	unsigned int near = role_of(o, both || !server, both || server);
	unsigned int far = role_of(o, both, true);

	*rig = (struct rig){ .o = *o };
	rig->groups = ((unsigned int)o->threads + layout_sharers(o) - 1) / layout_sharers(o);
	rig->lanes = rig->groups * o->qps;
	numa_bind(o);
	device_open(&rig->dev, &rig->o);
	check_packet(rig);
	rig->exporter = open_exporter(rig);
	open_domains(rig);
	open_cqs(rig);
	open_memory(rig, near, far);
	rig->near = open_lanes(rig, true, near);
	if (has_far(o))
		rig->far = open_lanes(rig, o->bidirectional, far);
	lock_registers(rig);
}

void rig_distrust(const struct rig *rig, struct result *r)
{
	if (rig->unlocked)
		result_distrust(r, "WRONG LOCKS (--locks=off): threads share a register");
}

/* -R: takes all QPs to RTS. */
static void connect_by_cm(struct rig *rig)
{
	struct ibv_qp **qps = base_made(calloc(rig->lanes, sizeof(struct ibv_qp *)));

	for (unsigned int i = 0; i < rig->lanes; i++)
		qps[i] = rig->near[i].verbs.qp;
	peer_connect_qps(rig->peer, qps, rig->lanes);
	free(qps);
}

void rig_model(struct result *r, const struct rig *rig)
{
	struct model_device dev = device_model(&rig->dev, &r->o);

	model_run(r, &dev, rig->near[0].op.blocks);
}

/* The other end of lane @i, in this process. */
static struct address address_here(const struct rig *rig, unsigned int i)
{
	if (rig->exporter)
		return lane_address(&rig->exporter->near[i], &rig->exporter->dev);
	return lane_address(rig->far ? &rig->far[i] : &rig->near[i], &rig->dev);
}

static bool imports(const struct rig *rig)
{
	return rig->o.remote_vhca && options_copies(&rig->o);
}

void rig_connect(struct rig *rig, struct peer *peer)
{
	struct address *ours = base_made(calloc(2 * rig->lanes, sizeof(*ours))), *theirs;

	rig->peer = peer;
	theirs = ours + rig->lanes;
	for (unsigned int i = 0; i < rig->lanes; i++)
		ours[i] = lane_address(&rig->near[i], &rig->dev);
	if (peer && peer->ranks)
		pattern_addresses(rig, ours, theirs);
	else if (peer)
		peer_exchange(peer, ours, theirs, rig->lanes * sizeof(*ours));
	for (unsigned int i = 0; i < rig->lanes; i++) {
		if (!peer)
			theirs[i] = address_here(rig, i);
		if (rig->far)
			lane_connect(&rig->far[i], &rig->dev, &ours[i]);
		lane_connect(&rig->near[i], &rig->dev, &theirs[i]);
	}
	for (unsigned int i = 0; i < rig->lanes && imports(rig); i++)
		lane_import(&rig->near[i], &rig->dev, &theirs[i], i ? &rig->near[i - 1] : NULL);
	if (peer && peer->cm)
		connect_by_cm(rig);
	for (unsigned int i = 0; i < rig->lanes; i++) {
		lane_fill_recvs(&rig->near[i]);
		if (rig->far)
			lane_fill_recvs(&rig->far[i]);
	}
	if (peer)
		peer_sync(peer);
	free(ours);
}

unsigned int rig_group(struct rig *rig, unsigned int group, struct lane **lanes)
{
	unsigned int n = 0;

	for (unsigned int q = 0; q < rig->o.qps; q++) {
		lanes[n++] = &rig->near[group * rig->o.qps + q];
		if (rig->far && rig->o.bidirectional)
			lanes[n++] = &rig->far[group * rig->o.qps + q];
	}
	return n;
}

static void close_lanes(struct rig *rig, struct lane *lanes)
{
	for (unsigned int i = 0; lanes && i < rig->lanes; i++) {
		lane_close(&lanes[i]);
		free((void *)lanes[i].lock);
	}
	free(lanes);
}

/* devx/vhca.h: the importer destroys its alias, then the exporter its key. */
static void end_imports(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->lanes; i++)
		lane_drop_alias(&rig->near[i]);
	if (rig->peer && rig->o.remote_vhca)
		peer_sync(rig->peer);
}

void rig_close(struct rig *rig)
{
	end_imports(rig);
	close_lanes(rig, rig->near);
	close_lanes(rig, rig->far);
	memory_close(&rig->memory);
	close_cqs(rig);
	for (unsigned int g = 0; g < rig->groups && rig->o.uar == UAR_THREAD; g++) {
		base_ok(ibv_dealloc_pd(rig->pd[g]));
		base_ok(ibv_dealloc_td(rig->td[g]));
	}
	free(rig->pd);
	free(rig->td);
	free((void *)rig->locks);
	if (rig->peer)
		peer_close_qps(rig->peer);
	if (rig->exporter)
		rig_close(rig->exporter);
	free(rig->exporter);
	device_close(&rig->dev);
}
