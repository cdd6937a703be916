/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of every kind, filled with work requests that can be distinguished. */
#include <assert.h>
#include <fcntl.h>

#include <dvkit/emu.h>

#include "oracle/cqe/rig.h"

enum {
	MAX_UIDX = 4096,
	FLUSHED = MLX5_CQE_SYNDROME_WR_FLUSH_ERR,
};

uint64_t rig_wr_id(enum rig_queue_kind kind, bool send, uint32_t slot)
{
	return (uint64_t)(kind + 1) << 32 | (uint64_t)send << 24 | slot;
}

bool rig_is_shared(enum rig_queue_kind kind)
{
	return kind == RIG_RC_SRQ || kind == RIG_XRC_SRQ;
}

bool rig_scatters(enum rig_queue_kind kind)
{
	return kind == RIG_RC || kind == RIG_RC_SRQ;
}

uint8_t *rig_slot(struct rig_side *side, uint32_t ahead)
{
	return (uint8_t *)side->ring.buf +
	       (size_t)((side->ci + ahead) & (side->ring.cqe_cnt - 1)) * side->cqe_size;
}

static struct ibv_sge piece(const uint8_t *at, uint32_t len)
{
	return (struct ibv_sge){ .addr = (uintptr_t)at, .length = len, .lkey = 0x1234 };
}

/* Lengths that differ from slot to slot: some slots hold less than 64 bytes. */
uint32_t rig_length(uint32_t slot, unsigned int i)
{
	return i ? 1 + slot % 61 : 1 + slot * 7 % 40;
}

static void fill_receives(struct rig_queue *q)
{
	struct ibv_sge sge[RIG_SGES];
	struct ibv_recv_wr wr = { .sg_list = sge, .num_sge = RIG_SGES }, *bad;
	uint32_t slot;
	int err = 0;

	for (slot = 0; slot < RIG_SLOTS - (uint32_t)rig_is_shared(q->kind) && !err; slot++) {
		for (unsigned int i = 0; i < RIG_SGES; i++)
			sge[i] = piece(q->received[slot][i], rig_length(slot, i));
		wr.wr_id = rig_wr_id(q->kind, false, slot);
		if (q->srq)
			err = ibv_post_srq_recv(q->srq, &wr, &bad);
		else if (q->wq)
			err = ibv_post_wq_recv(q->wq, &wr, &bad);
		else
			err = ibv_post_recv(q->qp, &wr, &bad);
	}
	assert(!err);
}

/* The WQEs after the wr_ids: READs and atomics, whose results may come in CQEs, and SENDs. */
static void write_sends(struct rig_queue *q)
{
	struct dv_raddr from = { 0x10000, 0x55 };
	struct ibv_sge sge[RIG_SGES];

	for (uint32_t slot = 0; slot < q->sq.wqe_cnt; slot++) {
		for (unsigned int i = 0; i < RIG_SGES; i++)
			sge[i] = piece(q->sent_to[slot][i], rig_length(slot, i));
		if (slot % 4 == 0)
			ok(dv_sq_send(&q->sq, 0, sge, 1));
		else if (slot % 4 == 1)
			ok(dv_sq_fetch_add(&q->sq, 0, from, &sge[1], 1));
		else if (slot % 4 == 2)
			ok(dv_sq_cmp_swap(&q->sq, 0, from, &sge[1], 1, 2));
		else
			ok(dv_sq_read(&q->sq, 0, from, sge, RIG_SGES));
	}
}

static void fill_sends(struct rig_queue *q)
{
	struct ibv_sge sge = piece(q->sent_to[0][0], 1);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	struct mlx5dv_qp shown = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = q->qp, .out = &shown } };

	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	assert(shown.sq.wqe_cnt <= RIG_BLOCKS);
	for (q->sent = 0; q->sent < shown.sq.wqe_cnt; q->sent++) {
		wr.wr_id = rig_wr_id(q->kind, true, q->sent);
		if (ibv_post_send(q->qp, &wr, &bad))
			break;
	}
	shown.dbrec = q->record;
	shown.bf.reg = q->reg;
	shown.bf.size = 0;
	q->record[MLX5_SND_DBR] = 0;
	assert(q->sent);
	ok(dv_sq_init(&q->sq, &shown, q->qp->qp_num));
	write_sends(q);
}

/* dv's view: of the same ring, and of a copy of a list, which libmlx5 goes on changing. */
static void show_receives(struct rig_queue *q)
{
	if (q->srq) {
		struct mlx5dv_srq shown = { 0 };
		struct mlx5dv_obj obj = { .srq = { .in = q->srq, .out = &shown } };
		void *copy;

		ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
		copy = made(malloc((size_t)shown.stride * RIG_SLOTS));
		memcpy(copy, shown.buf, (size_t)shown.stride * RIG_SLOTS);
		shown.buf = copy;
		ok(dv_srq_init(&q->list, &shown));
	} else if (q->qp) {
		struct mlx5dv_qp shown = { 0 };
		struct mlx5dv_obj obj = { .qp = { .in = q->qp, .out = &shown } };

		ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
		shown.dbrec = q->record;
		ok(dv_rq_init(&q->rq, &shown));
	}
}

static struct ibv_qp *qp_of(struct rig_side *side, struct device *dev, enum ibv_qp_type type,
			    struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.srq = srq,
		.cap = { .max_send_wr = RIG_SLOTS / 2,
			 .max_recv_wr = srq ? 0 : RIG_SLOTS,
			 .max_send_sge = 1,
			 .max_recv_sge = srq ? 0 : RIG_SGES },
	};
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = dev->port,
				    .qkey = 0x11111111 };
	int mask = IBV_QP_STATE | IBV_QP_PORT;
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &attr);

	if (!qp)
		return NULL;
	if (type == IBV_QPT_RC) {
		struct dv_endpoint self = qp_endpoint(dev, qp);

		ok(dv_qp_connect(qp, &self, &self, NULL));
		return qp;
	}
	if (type == IBV_QPT_UD)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_QKEY;
	ok(ibv_modify_qp(qp, &init, mask));
	return qp;
}

static struct ibv_srq *xrc_srq(struct rig_side *side, struct device *dev)
{
	struct ibv_xrcd_init_attr domain = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							  IBV_XRCD_INIT_ATTR_OFLAGS,
					     .fd = -1,
					     .oflags = O_CREAT };
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = RIG_SLOTS - 1, .max_sge = RIG_SGES },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = dev->pd,
		.cq = side->cq,
	};

	attr.xrcd = ibv_open_xrcd(dev->ctx, &domain);
	return attr.xrcd ? ibv_create_srq_ex(dev->ctx, &attr) : NULL;
}

static struct ibv_wq *wq_of(struct rig_side *side, struct device *dev)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ,
					 .max_wr = RIG_SLOTS,
					 .max_sge = RIG_SGES,
					 .pd = dev->pd,
					 .cq = side->cq };

	return ibv_create_wq(dev->ctx, &attr);
}

static void queue_open(struct rig_side *side, struct device *dev, enum rig_queue_kind kind)
{
	struct rig_queue *q = &side->queue[kind];
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = RIG_SLOTS - 1,
						   .max_sge = RIG_SGES } };

	q->kind = kind;
	q->received = made(calloc(RIG_SLOTS, sizeof(*q->received)));
	q->sent_to = made(calloc(RIG_BLOCKS, sizeof(*q->sent_to)));
	switch (kind) {
	case RIG_RC:
		q->qp = made(qp_of(side, dev, IBV_QPT_RC, NULL));
		break;
	case RIG_RC_SRQ:
		q->srq = made(ibv_create_srq(dev->pd, &srq));
		q->qp = made(qp_of(side, dev, IBV_QPT_RC, q->srq));
		break;
	case RIG_UD:
		q->qp = made(qp_of(side, dev, IBV_QPT_UD, NULL));
		break;
	case RIG_RAW:
		q->qp = qp_of(side, dev, IBV_QPT_RAW_PACKET, NULL);
		break;
	case RIG_WQ:
		q->wq = wq_of(side, dev);
		break;
	default:
		q->srq = xrc_srq(side, dev);
	}
	q->there = q->qp || q->srq || q->wq;
	if (!q->there)
		return;
	fill_receives(q);
	show_receives(q);
	if (kind == RIG_RC)
		fill_sends(q);
}

/* A flushed receive of user index @uidx: whose wr_id does libmlx5 return? -1: none. */
static int ask(struct rig_side *side, uint32_t uidx)
{
	uint8_t *slot = rig_slot(side, 0);
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)(slot + side->cqe_size) - 1;
	bool owner = side->ci & side->ring.cqe_cnt;
	struct ibv_wc wc;
	int n;

	memset(cqe, 0, sizeof(*cqe));
	cqe->srqn_uidx = htobe32(uidx);
	((struct mlx5_err_cqe *)cqe)->syndrome = FLUSHED;
	cqe->op_own = (uint8_t)(MLX5_CQE_RESP_ERR << 4 | owner);
	n = ibv_poll_cq(side->cq, 1, &wc);
	side->ci++;
	return n == 1 ? (int)(wc.wr_id >> 32) - 1 : -1;
}

static void find_queues(struct rig_side *side)
{
	struct rig_queue *q;
	uint32_t uidx;
	int kind;

	for (uidx = 0; uidx < MAX_UIDX; uidx++) {
		kind = ask(side, uidx);
		if (kind < 0 || kind >= RIG_QUEUES)
			continue;
		q = &side->queue[kind];
		q->uidx = uidx;
		q->tail++;
		if (q->srq) /* slot 0 came back */
			dv_srq_give(&q->list, 0);
	}
}

void rig_open(struct rig_side *side, struct device *dev, uint32_t cqe_size)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = RIG_CQES - 1,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG,
	};
	struct mlx5dv_cq_init_attr more = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
					    .cqe_size = (uint16_t)cqe_size };
	struct ibv_device_attr device;
	struct mlx5dv_obj obj;

	memset(side, 0, sizeof(*side));
	ok(ibv_query_device(dev->ctx, &device));
	side->csum = device.device_cap_flags & IBV_DEVICE_RAW_IP_CSUM;
	side->cqe_size = cqe_size;
	side->cqx = made(mlx5dv_create_cq(dev->ctx, &attr, &more));
	side->cq = ibv_cq_ex_to_cq(side->cqx);
	obj.cq.in = side->cq;
	obj.cq.out = &side->ring;
	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	assert(side->ring.cqe_size == cqe_size && side->ring.cqe_cnt == RIG_CQES);
	for (int kind = 0; kind < RIG_QUEUES; kind++)
		queue_open(side, dev, kind);
	find_queues(side);
}

void rig_tell(const struct rig_side *side)
{
	static const char *const name[RIG_QUEUES] = { "RC",	    "RC with SRQ", "UD",
						      "raw packet", "WQ",	   "XRC SRQ" };

	printf("queues:");
	for (int kind = 0; kind < RIG_QUEUES; kind++)
		if (side->queue[kind].there)
			printf(" %s (user index 0x%x)", name[kind], side->queue[kind].uidx);
	printf("%s\n", side->csum ? ", with checksums" : "");
}
