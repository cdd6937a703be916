/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Server and client, two processes or two hosts: the three classic operations between them. The
 * endpoints and {raddr, rkey} are exchanged over TCP by dv_endpoint_exchange().
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

/* Memory for the peer, every field in network order. */
struct memory {
	uint64_t raddr;
	uint32_t rkey, reserved;
};

struct end {
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq cq;
};

/* Takes @qp to RTS, connected to the peer's; returns the peer's memory. */
static struct dv_raddr meet(int fd, struct ibv_qp *qp, const struct device *dev,
			    const struct ibv_mr *mr)
{
	struct dv_endpoint ours = qp_endpoint(dev, qp), theirs;
	struct memory mine = { htobe64((uintptr_t)mr->addr), htobe32(mr->rkey), 0 }, peers;

	must(dv_endpoint_exchange(fd, &ours, &theirs));
	must(dv_qp_connect(qp, &ours, &theirs, NULL));
	tcp_exchange(fd, &mine, &peers, sizeof(mine));
	return (struct dv_raddr){ be64toh(peers.raddr), be32toh(peers.rkey) };
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
	if (dv_cqe_is_send(cqe))
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
	must(dv_sq_send(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, &sge, 1));
	finish(e, "server's SEND");
	strcpy(buf, "RDMA read operation");
	tcp_sync(fd); /* the client may read … */
	tcp_sync(fd); /* … and has written */
	expect("server: buffer now holds", buf, "RDMA write operation");
}

static void visit(int fd, struct end *e, char *buf, struct ibv_sge sge, struct dv_raddr peer)
{
	must(dv_rq_post(&e->rq, &sge, 1));
	dv_rq_doorbell(&e->rq);
	tcp_sync(fd);
	finish(e, "client's receive");
	expect("client: received", buf, "SEND operation");
	tcp_sync(fd);
	must(dv_sq_read(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, peer, &sge, 1));
	finish(e, "client's READ");
	expect("client: read", buf, "RDMA read operation");
	strcpy(buf, "RDMA write operation");
	must(dv_sq_write(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, peer, &sge, 1));
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
	int fd = tcp_open(o.host, o.tcp_port);
	struct dv_raddr raddr = meet(fd, qp, &dev, mr);

	must(dv_sq_map(&e.sq, qp));
	must(dv_rq_map(&e.rq, qp));
	must(dv_cq_map(&e.cq, ibcq));
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
