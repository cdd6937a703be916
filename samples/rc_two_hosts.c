/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Server and client, two processes or two hosts: the three classic operations between them.
 * What one must know of the other, {gid, lid, qpn, psn, raddr, rkey}, goes over TCP.
 *
 *	rc_two_hosts                          rc_two_hosts HOST
 *	server                                client
 *	buffer "SEND operation"     -- SEND -->    its receive
 *	buffer "RDMA read operation" <-- READ --   fetches it; the server does nothing
 *	buffer                      <-- WRITE --   puts "RDMA write operation" there
 *
 * Last lines when all is well: "client: read RDMA read operation", "server: buffer now holds
 * RDMA write operation".
 */
#include "common.h"
#include "tcp.h"

enum {
	SIZE = 64,
};

/* As it crosses TCP: every field in network order. */
struct hello {
	uint8_t gid[16];
	uint64_t raddr;
	uint32_t rkey, qpn, psn, lid;
};

struct end {
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq cq;
};

/* Who we are goes out, who the peer is comes back. */
static struct address meet(int fd, struct address us, struct ibv_mr *mr, struct dv_raddr *raddr)
{
	struct hello ours = { .raddr = htobe64((uintptr_t)mr->addr),
			      .rkey = htobe32(mr->rkey),
			      .qpn = htobe32(us.qpn),
			      .psn = htobe32(us.psn),
			      .lid = htobe32(us.lid) };
	struct hello theirs;
	struct address peer = { 0 };

	memcpy(ours.gid, us.gid.raw, 16);
	tcp_exchange(fd, &ours, &theirs, sizeof(ours));
	*raddr = (struct dv_raddr){ be64toh(theirs.raddr), be32toh(theirs.rkey) };
	memcpy(peer.gid.raw, theirs.gid, 16);
	peer.qpn = be32toh(theirs.qpn);
	peer.psn = be32toh(theirs.psn);
	peer.lid = (uint16_t)be32toh(theirs.lid);
	return peer;
}

/* Rings if something was committed, and waits for one CQE of either queue. */
static void finish(struct end *e, const char *what)
{
	const struct mlx5_cqe64 *cqe;

	dv_sq_doorbell(&e->sq);
	deadline(10, what);
	while (!(cqe = dv_cq_poll(&e->cq)))
		;
	deadline(0, what);
	show_cqe(what, cqe);
	if (dv_cqe_opcode(cqe) == MLX5_CQE_REQ)
		dv_sq_retire(&e->sq, cqe);
	else
		dv_rq_retire(&e->rq, cqe);
	dv_cq_release(&e->cq);
}

static void expect(const char *who, const char *found, const char *text)
{
	if (strcmp(found, text))
		errx(1, "%s '%.60s', expected '%s'", who, found, text);
	printf("%s %s\n", who, found);
}

static void serve(int fd, struct end *e, char *buf, struct ibv_sge sge)
{
	tcp_sync(fd); /* the client has posted its receive */
	strcpy(buf, "SEND operation");
	ok(dv_sq_send(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, &sge, 1));
	finish(e, "server's SEND");
	strcpy(buf, "RDMA read operation");
	tcp_sync(fd); /* the client may read … */
	tcp_sync(fd); /* … and has written */
	expect("server: buffer now holds", buf, "RDMA write operation");
}

static void visit(int fd, struct end *e, char *buf, struct ibv_sge sge, struct dv_raddr peer)
{
	ok(dv_rq_post(&e->rq, &sge, 1));
	dv_rq_doorbell(&e->rq);
	tcp_sync(fd);
	finish(e, "client's receive");
	expect("client: received", buf, "SEND operation");
	tcp_sync(fd);
	ok(dv_sq_read(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, peer, &sge, 1));
	finish(e, "client's READ");
	expect("client: read", buf, "RDMA read operation");
	strcpy(buf, "RDMA write operation");
	ok(dv_sq_write(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, peer, &sge, 1));
	finish(e, "client's WRITE");
	tcp_sync(fd);
}

int main(int argc, char **argv)
{
	struct options o = options_parse_two_ends(argc, argv, "SEND, READ, WRITE");
	struct device dev = device_open(o);
	char buf[SIZE] = { 0 };
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, buf, SIZE,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
						    IBV_ACCESS_REMOTE_WRITE));
	struct ibv_cq *ibcq = made(ibv_create_cq(dev.ctx, 64, NULL, NULL, 0));
	struct ibv_qp *qp = qp_create(&dev, ibcq);
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, mr->lkey };
	struct end e;
	struct dv_raddr raddr;
	int fd = tcp_open(o.host, o.tcp_port);
	struct address peer = meet(fd, qp_address(&dev, qp), mr, &raddr);

	qp_connect(qp, &dev, &peer);
	ok(dv_sq_map(&e.sq, qp));
	ok(dv_rq_map(&e.rq, qp));
	ok(dv_cq_map(&e.cq, ibcq));
	if (o.host)
		visit(fd, &e, buf, sge, raddr);
	else
		serve(fd, &e, buf, sge);

	tcp_sync(fd); /* neither end destroys its QP while the other still works */
	ok(ibv_destroy_qp(qp));
	ok(ibv_destroy_cq(ibcq));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
