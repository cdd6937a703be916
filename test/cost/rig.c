/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of each API on a paused device. */
#include <stdlib.h>

#include <dvkit/emu.h>

#include "cost/rig.h"
#include "lib/connect.h"

enum {
	QKEY = 0x11111111,
};

static const unsigned int opcodes[RIG_OPS] = {
	[RIG_WRITE_INLINE] = IBV_WR_RDMA_WRITE,
	[RIG_WRITE_SGE] = IBV_WR_RDMA_WRITE,
	[RIG_SEND_SGE] = IBV_WR_SEND,
	[RIG_UD_SEND] = IBV_WR_SEND,
};

static bool is_inline(enum rig_op op)
{
	return op == RIG_WRITE_INLINE || op == RIG_UD_SEND;
}

static void queue_open(struct rig *rig, struct rig_queue *q, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = rig->dev.pd,
		.cap = { .max_send_wr = RIG_WRS,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = 28 },
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct dv_endpoint self;

	if (type == IBV_QPT_RC)
		init.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE;
	q->cq = made(ibv_create_cq(rig->dev.ctx, 2 * RIG_WRS - 1, NULL, NULL, 0));
	init.send_cq = init.recv_cq = q->cq;
	q->qp = made(ibv_create_qp_ex(rig->dev.ctx, &init));
	q->qpx = ibv_qp_to_qp_ex(q->qp);
	if (type == IBV_QPT_UD) {
		ok(connect_qp(q->qp, &(struct ibv_qp_attr){ .qkey = QKEY }));
		return;
	}
	self = qp_endpoint(&rig->dev, q->qp);
	ok(dv_qp_connect(q->qp, &self, &self, NULL));
}

static void map(struct rig_queue *q)
{
	ok(dv_sq_map(&q->sq, q->qp));
	ok(dv_cq_map(&q->dcq, q->cq));
}

void rig_open(struct rig *rig)
{
	struct ibv_ah_attr ah;

	if (!dvkit_emu_present()) {
		fprintf(stderr, "the counts need a device that can be paused: dvkit-emu\n");
		exit(77);
	}
	rig->dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	rig->mem = made(aligned_alloc(4096, RIG_BYTES));
	memset(rig->mem, 0x5a, RIG_BYTES);
	rig->mr = made(ibv_reg_mr(rig->dev.pd, rig->mem, RIG_BYTES,
				  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	ah = path_to(rig->dev.gid, (uint8_t)rig->dev.gid_index);
	rig->ah = made(ibv_create_ah(rig->dev.pd, &ah));
	queue_open(rig, &rig->rc_verbs, IBV_QPT_RC);
	queue_open(rig, &rig->rc_direct, IBV_QPT_RC);
	queue_open(rig, &rig->rc_dma, IBV_QPT_RC);
	queue_open(rig, &rig->ud_verbs, IBV_QPT_UD);
	queue_open(rig, &rig->ud_direct, IBV_QPT_UD);
	map(&rig->rc_direct);
	map(&rig->rc_dma);
	map(&rig->ud_direct);
	ok(dvkit_emu_pause());
}

struct rig_queue *rig_verbs(struct rig *rig, enum rig_op op)
{
	return op == RIG_UD_SEND ? &rig->ud_verbs : &rig->rc_verbs;
}

struct rig_queue *rig_direct(struct rig *rig, enum rig_op op)
{
	return op == RIG_UD_SEND ? &rig->ud_direct : &rig->rc_direct;
}

void rig_job(struct rig_job *job, struct rig *rig, enum rig_op op, unsigned int n)
{
	*job = (struct rig_job){
		.n = n,
		.to = { (uintptr_t)rig->mem, rig->mr->rkey },
		.src = rig->mem + 1024,
		.len = is_inline(op) ? 8 : 64,
		.ah = rig->ah,
		.remote_qpn = rig->ud_verbs.qp->qp_num,
		.remote_qkey = QKEY,
	};

	job->sge = (struct ibv_sge){ (uintptr_t)job->src, job->len, rig->mr->lkey };
	ok(dv_av_from_ah(&job->av, rig->ah));
	dv_av_set_ud(&job->av, job->remote_qpn, QKEY);
}

void rig_fill(struct rig_job *job, enum rig_op op)
{
	unsigned int flags = is_inline(op) ? IBV_SEND_INLINE : 0;

	for (unsigned int i = 0; i < job->n; i++) {
		bool last = i + 1 == job->n;
		struct ibv_send_wr *wr = &job->wr[i];

		job->list_sge[i] = job->sge;
		wr->wr_id = i;
		wr->next = last ? NULL : wr + 1;
		wr->sg_list = &job->list_sge[i];
		wr->num_sge = 1;
		wr->opcode = opcodes[op];
		wr->send_flags = flags | (last ? IBV_SEND_SIGNALED : 0);
		if (op == RIG_UD_SEND) {
			wr->wr.ud.ah = job->ah;
			wr->wr.ud.remote_qpn = job->remote_qpn;
			wr->wr.ud.remote_qkey = job->remote_qkey;
		} else {
			wr->wr.rdma.remote_addr = job->to.raddr;
			wr->wr.rdma.rkey = job->to.rkey;
		}
	}
}

void rig_retire(uint32_t qpn)
{
	ok(dvkit_emu_retire(qpn));
}
