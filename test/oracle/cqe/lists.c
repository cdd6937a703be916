/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/cqe/lists.h"

enum {
	SLOTS = 16,
	SGES = 6,
};

void lists_compare(struct rig_side *side)
{
	/* Newer libmlx5 (srq.c: free_wqe_bitmap) links free slots when it runs out of linked
	 * ones. */
	if (RDMA_CORE > 44)
		return;
	for (int kind = 0; kind < RIG_QUEUES; kind++) {
		struct rig_queue *q = &side->queue[kind];
		struct mlx5dv_srq shown = { 0 };
		struct mlx5dv_obj obj = { .srq = { .in = q->srq, .out = &shown } };

		if (!q->srq)
			continue;
		ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
		if (shown.head != q->list.head || shown.tail != q->list.tail)
			errx(1, "SRQ: head %u, tail %u, dv %u, %u", shown.head, shown.tail,
			     q->list.head, q->list.tail);
		if (memcmp(shown.buf, q->list.buf, (size_t)shown.stride * RIG_SLOTS))
			errx(1, "SRQ: the free slots are linked in another way");
	}
}

/* A queue of each of the two kinds, and a copy of it for dv. */
struct twins {
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	const char *theirs;
	const __be32 *their_record;
	char *ours;
	__be32 our_record[2];
	size_t size;
	struct dv_rq rq;
	struct dv_srq list;
};

static struct ibv_qp *receiver(struct device *dev, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { 1, SLOTS, 1, SGES, 0 } };
	struct ibv_qp *qp = made(ibv_create_qp(dev->pd, &attr));
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT, .port_num = dev->port };

	ok(ibv_modify_qp(qp, &init,
			 IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
	return qp;
}

static void open_rq(struct twins *t, struct device *dev)
{
	struct ibv_cq *cq = made(ibv_create_cq(dev->ctx, 63, NULL, NULL, 0));
	struct mlx5dv_qp shown = { 0 };
	struct mlx5dv_obj obj = { .qp = { .out = &shown } };

	t->qp = receiver(dev, cq);
	obj.qp.in = t->qp;
	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	t->theirs = shown.rq.buf;
	t->their_record = shown.dbrec;
	t->size = (size_t)shown.rq.wqe_cnt * shown.rq.stride;
	t->ours = made(calloc(1, t->size));
	shown.rq.buf = t->ours;
	shown.dbrec = t->our_record;
	ok(dv_rq_init(&t->rq, &shown));
}

static void open_srq(struct twins *t, struct device *dev)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = SLOTS - 1, .max_sge = SGES } };
	struct mlx5dv_srq shown = { 0 };
	struct mlx5dv_obj obj = { .srq = { .out = &shown } };

	t->srq = made(ibv_create_srq(dev->pd, &attr));
	obj.srq.in = t->srq;
	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
	t->theirs = shown.buf;
	t->their_record = shown.dbrec;
	t->size = (size_t)SLOTS * shown.stride;
	t->ours = made(malloc(t->size));
	memcpy(t->ours, shown.buf, t->size);
	shown.buf = t->ours;
	shown.dbrec = t->our_record;
	ok(dv_srq_init(&t->list, &shown));
}

/* Posts the same to both. Whether both took it. */
static bool post(struct twins *t)
{
	struct ibv_sge sge[SGES + 1];
	struct ibv_recv_wr wr = { .sg_list = sge,
				  .num_sge = (int)(case_random() >> 40) % (SGES + 1) };
	struct ibv_recv_wr *bad;
	unsigned int n = (unsigned int)wr.num_sge, i;
	int theirs, ours;

	for (i = 0; i < n; i++) {
		sge[i].addr = case_random();
		sge[i].lkey = (uint32_t)case_random();
		sge[i].length = (uint32_t)case_random() >> 8;
		if (t->srq)
			sge[i].length |= 1;
		else if (!(sge[i].length & 7))
			sge[i].length = 0;
	}
	theirs =
		t->srq ? ibv_post_srq_recv(t->srq, &wr, &bad) : ibv_post_recv(t->qp, &wr, &bad);
	ours = t->srq ? dv_srq_post(&t->list, sge, n) : dv_rq_post(&t->rq, sge, n);
	if (!theirs != !ours)
		errx(1, "post of %u SGEs: %d, dv %d", n, theirs, ours);
	if (!ours && t->srq)
		dv_srq_doorbell(&t->list);
	else if (!ours)
		dv_rq_doorbell(&t->rq);
	return !ours;
}

static void same(const struct twins *t)
{
	const char *name = t->srq ? "SRQ" : "RQ";

	for (size_t i = 0; i < t->size; i++)
		if (t->theirs[i] != t->ours[i])
			errx(1, "%s: byte 0x%zx: 0x%02x, dv 0x%02x", name, i,
			     (uint8_t)t->theirs[i], (uint8_t)t->ours[i]);
	if (t->their_record[0] != t->our_record[0])
		errx(1, "%s: record 0x%x, dv 0x%x", name, be32toh(t->their_record[0]),
		     be32toh(t->our_record[0]));
}

void posts_compare(struct device *dev, unsigned int count)
{
	unsigned int posted = 0;

	for (unsigned int i = 0; i < count; i++) {
		struct twins t = { 0 };

		if (i % 2)
			open_srq(&t, dev);
		else
			open_rq(&t, dev);
		while (post(&t)) {
			same(&t);
			posted++;
		}
		if (t.srq)
			ok(ibv_destroy_srq(t.srq));
		free(t.ours);
	}
	printf("%u receives posted\n", posted);
}
