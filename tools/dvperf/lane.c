/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include <dv/print.h>

#include "dvperf.h"
#include "lane.h"

enum {
	FIRST_PSN = 0x5000,
	SLOTS_BYTES = 1 << 16, /* a batch's WQEs have memory of their own up to here together */
	LINE = 64,
};

void lane_failed(const struct lane *l, unsigned int status, const char *why)
{
	if (l->qp)
		fail("QP 0x%x failed: %s (0x%x)", l->qp->qp_num, why, status);
	fail("the ring failed: %s (0x%x)", why, status);
}

/* ---- what an operation is ---- */

/* Blocks of one WQE, by what its segments take (dv/wqe.h). */
static uint32_t blocks(const struct lane *l)
{
	size_t bytes = sizeof(struct mlx5_wqe_ctrl_seg);

	if (l->o->service == SERVICE_UD)
		bytes += sizeof(struct mlx5_wqe_av);
	if (l->op == OP_WRITE || l->op == OP_READ || l->op == OP_ATOMIC)
		bytes += DV_WQE_DS;
	if (l->op == OP_ATOMIC)
		bytes += DV_WQE_DS;
	if (l->op != OP_NOP)
		bytes += l->is_inline ? dv_inline_seg_size(l->o->size) : DV_WQE_DS;
	return (uint32_t)dv_wqe_nbb(bytes);
}

static enum ring ring_of(const struct options *o)
{
	if (o->barriers != BARRIERS_DEFAULT)
		return o->barriers == BARRIERS_PRE ? RING_PRE : RING_NONE;
	if (o->uar == UAR_NC)
		return RING_DB;
	if (o->doorbell == DOORBELL_AUTO)
		return RING_AUTO;
	return o->doorbell == DOORBELL_BF ? RING_BF : RING_DB;
}

/* Sizes and memory; no device is needed for them. */
static void describe(struct lane *l, const struct options *o, bool receives)
{
	uint64_t slot = (o->size + LINE - 1) / LINE * LINE;
	uint32_t depth = 1;

	*l = (struct lane){ .o = o,
			    .op = o->op,
			    .atomic = o->atomic,
			    .is_inline = options_is_inline(o),
			    .ring = ring_of(o) };
	l->nbb = blocks(l);
	l->stride = slot * o->batch <= SLOTS_BYTES ? slot : 0;
	l->bytes = 2 * ((l->stride ? slot * o->batch : slot) + LINE);
	if (receives)
		l->recv_len = o->size + (o->service == SERVICE_UD ? GRH : 0);
	l->src = pages_get(o, l->bytes);
	l->land = l->src + l->bytes / 2;
	l->sge = (struct ibv_sge){ (uintptr_t)l->src, o->size, 0 };
	l->wr = made(calloc(o->batch, sizeof(*l->wr)));
	l->wr_sge = made(calloc(o->batch, sizeof(*l->wr_sge)));
	while (depth < o->tx_depth + o->batch)
		depth *= 2;
	l->pending_mask = depth - 1;
	l->pending = made(calloc(depth, sizeof(*l->pending)));
}

static void choose_poster(struct lane *l)
{
	if (l->o->api == API_DIRECT)
		l->poster = poster_direct(l);
	else
		l->poster = l->o->api == API_WR ? poster_wr(l) : poster_verbs();
}

/* ---- QP ---- */

static uint64_t send_ops(const struct options *o)
{
	static const uint64_t ops[] = {
		[OP_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[OP_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[OP_SEND] = IBV_QP_EX_WITH_SEND,
		[OP_ATOMIC] =
			IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
		[OP_NOP] = 0,
	};

	return ops[o->op];
}

static void create_qp(struct lane *l, const struct device *dev, struct ibv_pd *pd)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	const struct options *o = l->o;
	struct ibv_qp_init_attr_ex init = {
		.qp_type = types[o->service],
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.send_cq = l->send_cq,
		.recv_cq = l->recv_cq,
		/* a batch more than is ever under way: NOPs at the edge have room */
		.cap = { .max_send_wr = o->tx_depth + o->batch,
			 .max_recv_wr = l->recv_len ? o->rx_depth : 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = l->is_inline ? o->size : 0 },
	};

	if (o->api == API_WR) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = send_ops(o);
	}
	l->qp = ibv_create_qp_ex(dev->ctx, &init);
	if (!l->qp)
		refuse("the device makes no QP with %u sends of %u bytes%s (-t, -s, -I): %m",
		       init.cap.max_send_wr, o->size, l->is_inline ? " inline" : "");
	if (o->api == API_WR)
		l->qpx = ibv_qp_to_qp_ex(l->qp);
}

static void find_register(struct lane *l)
{
	struct mlx5dv_qp dvqp = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = l->qp, .out = &dvqp } };

	if (!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
		l->reg = dvqp.bf.reg;
}

/* libmlx5 hands its registers out in turn and takes no wishes: QPs are made until one is on @reg,
 * and those on others stay, so that the turn goes on. */
static void create_qp_on(struct lane *l, const struct device *dev, struct ibv_pd *pd,
			 const char *reg)
{
	enum { TRIES = 32 };

	create_qp(l, dev, pd);
	find_register(l);
	while (reg && l->reg != reg && l->others < TRIES) {
		if (!l->other)
			l->other = made(calloc(TRIES, sizeof(*l->other)));
		l->other[l->others++] = l->qp;
		create_qp(l, dev, pd);
		find_register(l);
	}
}

static void take_over(struct lane *l)
{
	ok(dv_sq_map(&l->sq, l->qp));
	ok(dv_cq_map(&l->cq, l->send_cq));
	ok(dv_cq_map(&l->recv_dcq, l->recv_cq));
	if (l->recv_len)
		ok(dv_rq_map(&l->rq, l->qp));
}

void lane_open(struct lane *l, const struct device *dev, struct ibv_pd *pd,
	       const struct options *o, bool receives, const char *reg)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;
	int cqes;

	describe(l, o, receives);
	l->mr = ibv_reg_mr(dev->pd, l->src, l->bytes, access);
	if (!l->mr)
		refuse("the device registers no %zu bytes (-s): %m", l->bytes);
	l->sge.lkey = l->mr->lkey;
	/* in the error state every WQE may bring a CQE, NOPs too */
	cqes = (int)((o->tx_depth + o->batch) * l->nbb);
	if (cqes > dev->attr.max_cqe)
		cqes = dev->attr.max_cqe;
	l->send_cq = made(ibv_create_cq(dev->ctx, cqes, NULL, NULL, 0));
	l->recv_cq = made(
		ibv_create_cq(dev->ctx, l->recv_len ? (int)o->rx_depth : 1, NULL, NULL, 0));
	create_qp_on(l, dev, pd, reg);
	if (o->api == API_DIRECT)
		take_over(l);
	choose_poster(l);
}

void lane_close(struct lane *l)
{
	while (l->others)
		ok(ibv_destroy_qp(l->other[--l->others]));
	free(l->other);
	if (l->qp) {
		ok(ibv_destroy_qp(l->qp));
		ok(ibv_destroy_cq(l->send_cq));
		ok(ibv_destroy_cq(l->recv_cq));
		ok(ibv_dereg_mr(l->mr));
		if (l->ah)
			ok(ibv_destroy_ah(l->ah));
		pages_put(l->o, l->src, l->bytes);
	}
	free(l->wr);
	free(l->wr_sge);
	free(l->pending);
}

/* ---- in memory ---- */

void lane_open_memory(struct lane *l, const struct options *o)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	uint32_t n = 1;
	char *mem;

	describe(l, o, false);
	while (n < (o->tx_depth + o->batch) * l->nbb)
		n *= 2;
	mem = pages_get(o, (size_t)n * (DV_WQE_BB + LINE) + 3 * 4096);
	memset(mem, 0, (size_t)n * (DV_WQE_BB + LINE) + 3 * 4096);
	qp.dbrec = (__be32 *)mem;
	cq.dbrec = (__be32 *)(mem + LINE);
	qp.bf.reg = mem + 4096;
	qp.bf.size = 256;
	cq.cq_uar = mem + 2 * 4096;
	qp.sq.buf = mem + 3 * 4096;
	qp.sq.wqe_cnt = cq.cqe_cnt = n;
	qp.sq.stride = DV_WQE_BB;
	cq.buf = mem + 3 * 4096 + (size_t)n * DV_WQE_BB;
	cq.cqe_size = LINE;
	for (uint32_t i = 0; i < n; i++)
		((struct mlx5_cqe64 *)cq.buf)[i].op_own = MLX5_CQE_INVALID << 4;
	ok(dv_sq_init(&l->sq, &qp, 1));
	ok(dv_cq_init(&l->cq, &cq));
	l->reg = qp.bf.reg;
	choose_poster(l);
}

/* ---- the way to the peer ---- */

struct address lane_address(const struct lane *l, const struct device *dev)
{
	return (struct address){ .gid = dev->gid,
				 .raddr = (uintptr_t)l->land,
				 .rkey = l->mr->rkey,
				 .qpn = l->qp->qp_num,
				 .psn = FIRST_PSN,
				 .lid = dev->port_attr.lid,
				 .mtu = (uint8_t)dev->mtu };
}

static struct ibv_ah_attr path(const struct device *dev, const struct address *peer)
{
	return (struct ibv_ah_attr){
		.dlid = peer->lid,
		.port_num = dev->port,
		.is_global = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET,
		.grh = { .dgid = peer->gid, .sgid_index = dev->gid_index, .hop_limit = 64 }
	};
}

static void connect_ud(struct lane *l, const struct device *dev, const struct address *peer)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = dev->port,
				    .qkey = LANE_QKEY };
	struct ibv_ah_attr ah = path(dev, peer);

	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	ok(ibv_modify_qp(l->qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	ok(ibv_modify_qp(l->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	l->ah = made(ibv_create_ah(dev->pd, &ah));
	l->remote_qpn = peer->qpn;
	if (l->o->api == API_DIRECT)
		ok(dv_av_map(&l->av, l->ah, peer->qpn, LANE_QKEY));
}

static void to_rtr(struct lane *l, const struct device *dev, const struct address *peer)
{
	bool rc = l->o->service == SERVICE_RC;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = dev->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   (rc ? IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC : 0),
	};
	int outs = l->o->outs ? (int)l->o->outs : dev->attr.max_qp_rd_atom;

	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = dev->mtu < peer->mtu ? dev->mtu : (enum ibv_mtu)peer->mtu;
	attr.dest_qp_num = peer->qpn;
	attr.rq_psn = peer->psn;
	attr.max_dest_rd_atomic = (uint8_t)(outs > 255 ? 255 : outs);
	attr.min_rnr_timer = 12;
	attr.ah_attr = path(dev, peer);
	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				 IBV_QP_RQ_PSN |
				 (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.sq_psn = FIRST_PSN;
	attr.max_rd_atomic = attr.max_dest_rd_atomic;
	ok(ibv_modify_qp(l->qp, &attr,
			 IBV_QP_STATE | IBV_QP_SQ_PSN |
				 (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						  IBV_QP_MAX_QP_RD_ATOMIC
				     : 0)));
}

void lane_connect(struct lane *l, const struct device *dev, const struct address *peer)
{
	l->to = (struct dv_raddr){ peer->raddr, peer->rkey };
	if (l->o->service == SERVICE_UD)
		connect_ud(l, dev, peer);
	else
		to_rtr(l, dev, peer);
}

/* ---- receives ---- */

static void post_recvs(struct lane *l, unsigned int n)
{
	struct ibv_sge sge = { (uintptr_t)l->land, l->recv_len, l->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (unsigned int i = 0; i < n; i++)
		ok(l->o->api == API_DIRECT ? dv_rq_post(&l->rq, &sge, 1)
					   : ibv_post_recv(l->qp, &wr, &bad));
	if (l->o->api == API_DIRECT)
		dv_rq_doorbell(&l->rq);
}

void lane_fill_recvs(struct lane *l)
{
	if (l->recv_len)
		post_recvs(l, l->o->rx_depth);
}

static unsigned int poll_recvs_direct(struct lane *l)
{
	const struct mlx5_cqe64 *cqe;
	unsigned int n = 0;

	while (n < LANE_WCS && (cqe = dv_cq_poll(&l->recv_dcq))) {
		if (dv_cqe_is_error(cqe))
			lane_failed(l, dv_cqe_syndrome(cqe),
				    dv_syndrome_str(dv_cqe_syndrome(cqe)));
		dv_rq_retire(&l->rq, cqe);
		n++;
	}
	if (n)
		dv_cq_release(&l->recv_dcq);
	return n;
}

static unsigned int poll_recvs_verbs(struct lane *l)
{
	struct ibv_wc wc[LANE_WCS];
	int got = ibv_poll_cq(l->recv_cq, LANE_WCS, wc);

	for (int i = 0; i < got; i++)
		if (wc[i].status)
			lane_failed(l, wc[i].vendor_err, ibv_wc_status_str(wc[i].status));
	return got > 0 ? (unsigned int)got : 0;
}

unsigned int lane_take_recvs(struct lane *l)
{
	unsigned int n = l->o->api == API_DIRECT ? poll_recvs_direct(l) : poll_recvs_verbs(l);

	if (n)
		post_recvs(l, n);
	return n;
}
