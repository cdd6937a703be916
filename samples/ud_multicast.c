/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast: a datagram is sent once, and each QP of the group gets a copy. A UD QP joins by
 * ibv_attach_mcast(); who sends need not be in the group.
 *
 *	sender --- to QP 0xffffff, GID of the group ---+--> member 0: its copy
 *	                                               '--> member 1: its copy
 *
 *	GID of the group      ::ffff:239.192.4.7 over IPv4, ff15::4:7 over IPv6
 *	buffer of a member    | 40 bytes of GRH, with the group's address | data |
 *
 * A member without a receive, or with another Q_Key, misses the datagram, and neither the
 * sender nor the other members notice. Last line when all is well: "received by 2 members:
 * multicast datagram".
 */
#include "common.h"

enum {
	MEMBERS = 2,
	QKEY = 0x11111111,
	GRH = 40,
	ALL_QPS = 0xffffff, /* the destination QP of multicast */
};

/* A group of the address family of the device's GID. */
static union ibv_gid group_gid(const struct device *dev)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	union ibv_gid v4 = { .raw = { [10] = 0xff, [11] = 0xff, 239, 192, 4, 7 } };
	union ibv_gid v6 = { .raw = { 0xff, 0x15, [13] = 4, [15] = 7 } };

	return memcmp(dev->gid.raw, mapped, sizeof(mapped)) ? v6 : v4;
}

/* The address: a path as to any GID; the kernel finds the MAC address of a group by itself. */
static void resolve(struct dv_dest *addr, struct device *dev, const struct ibv_qp *from,
		    const union ibv_gid *group)
{
	struct dv_endpoint ours = qp_endpoint(dev, from), all = ours;
	struct ibv_ah_attr path;
	struct ibv_ah *ah;
	struct mlx5_wqe_av av;

	all.gid = *group;
	dv_endpoint_path(&path, &ours, &all, NULL);
	ah = made(ibv_create_ah(dev->pd, &path));
	must(dv_av_from_ah(&av, ah));
	dv_dest_ud(addr, &av, ALL_QPS, QKEY);
	ok(ibv_destroy_ah(ah));
}

struct member {
	struct ibv_cq *ibcq;
	struct ibv_qp *qp;
	struct dv_rq rq;
	struct dv_cq cq;
	char buf[GRH + 64];
	struct ibv_mr *mr;
};

static void join(struct member *m, struct device *dev, const union ibv_gid *group)
{
	m->ibcq = made(ibv_create_cq(dev->ctx, 16, NULL, NULL, 0));
	m->qp = qp_create_ud(dev, m->ibcq, QKEY);
	m->mr = made(ibv_reg_mr(dev->pd, m->buf, sizeof(m->buf), IBV_ACCESS_LOCAL_WRITE));
	must(dv_rq_map(&m->rq, m->qp));
	must(dv_cq_map(&m->cq, m->ibcq));

	struct ibv_sge sge = { (uintptr_t)m->buf, sizeof(m->buf), m->mr->lkey };

	must(dv_rq_post(&m->rq, &sge, 1));
	dv_rq_doorbell(&m->rq);
	ok(ibv_attach_mcast(m->qp, group, 0)); /* RoCE has no LIDs */
}

static void check(struct member *m, const struct ibv_qp *from, const char *text)
{
	const struct mlx5_cqe64 *cqe = cqe_wait(&m->cq, "member's CQE");

	dv_rq_retire(&m->rq, cqe);
	if (dv_cqe_src_qp(cqe) != from->qp_num || dv_cqe_byte_cnt(cqe) != GRH + strlen(text) ||
	    strcmp(m->buf + GRH, text) != 0)
		errx(1, "expected '%s' of QP 0x%x, received '%.60s' of 0x%x", text,
		     from->qp_num, m->buf + GRH, dv_cqe_src_qp(cqe));
	dv_cq_release(&m->cq);
}

/* A QP in a group cannot be destroyed. */
static void leave(struct member *m, const union ibv_gid *group)
{
	ok(ibv_detach_mcast(m->qp, group, 0));
	ok(ibv_destroy_qp(m->qp));
	ok(ibv_destroy_cq(m->ibcq));
	ok(ibv_dereg_mr(m->mr));
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "a datagram to a group"));
	union ibv_gid group = group_gid(&dev);
	static struct member member[MEMBERS];
	char text[] = "multicast datagram";
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, text, sizeof(text), 0));
	struct ibv_cq *ibcq = made(ibv_create_cq(dev.ctx, 16, NULL, NULL, 0));
	struct ibv_qp *sender = qp_create_ud(&dev, ibcq, QKEY);
	struct dv_dest addr;
	struct dv_sq sq;
	struct dv_cq cq;
	int i;

	for (i = 0; i < MEMBERS; i++)
		join(&member[i], &dev, &group);
	must(dv_sq_map(&sq, sender));
	must(dv_cq_map(&cq, ibcq));
	resolve(&addr, &dev, sender, &group);

	/* Two blocks: control segment and address vector fill the first. */
	struct ibv_sge sge = { (uintptr_t)text, strlen(text), mr->lkey };
	void *seg = made(dv_sq_reserve(&sq, 2));

	seg = dv_set_dest_seg(seg, &addr);
	seg = dv_set_data_seg(seg, &sge);
	dv_sq_commit(&sq, seg, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	show_ud_wqe("the WQE, to QP 0xffffff", &sq);
	dv_sq_doorbell(&sq);
	dv_sq_retire(&sq, cqe_wait(&cq, "sender's CQE"));
	dv_cq_release(&cq);

	for (i = 0; i < MEMBERS; i++)
		check(&member[i], sender, text);
	printf("received by %d members: %s\n", MEMBERS, text);

	for (i = 0; i < MEMBERS; i++)
		leave(&member[i], &group);
	ok(ibv_destroy_qp(sender));
	ok(ibv_destroy_cq(ibcq));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
