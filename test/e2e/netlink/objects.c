/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into rdma(8): makes objects before main(), so that the tool finds some in its own
 * process, and writes to the file $OBJECTS what it should say of them, a JSON object.
 */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../lib/connect.h"

#define MANY 200 /* QPs: more than one message holds */

static char buffer[8192];

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(90);
}

static struct ibv_qp *make_qp(struct ibv_pd *pd, struct ibv_cq *cq, struct ibv_srq *srq,
			      enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = type,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	need(qp != NULL, "ibv_create_qp");
	return qp;
}

static void connect_to(struct ibv_qp *qp, const struct ibv_qp *peer)
{
	struct ibv_qp_attr a = { .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = peer->qp_num,
				 .rq_psn = 0x1234,
				 .sq_psn = 0x5678,
				 .timeout = 14 };
	union ibv_gid gid;

	need(!ibv_query_gid(qp->context, 1, 3, &gid), "ibv_query_gid");
	a.ah_attr = path_to(gid, 3);
	need(!connect_qp(qp, &a), "RTS");
}

static void listen_somewhere(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htobe16(7471) };
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *id;

	need(ch && !rdma_create_id(ch, &id, NULL, RDMA_PS_TCP) &&
		     !rdma_bind_addr(id, (struct sockaddr *)&a) && !rdma_listen(id, 1),
	     "rdma_cm");
}

__attribute__((constructor)) static void make(void)
{
	const char *path = getenv("OBJECTS");
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_context *ctx;
	struct ibv_pd *pd, *empty;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_srq *srq;
	struct ibv_qp *a, *b, *ud;
	FILE *out;

	need(n == 1, "one device");
	ctx = ibv_open_device(list[0]);
	need(ctx != NULL, "ibv_open_device");
	pd = ibv_alloc_pd(ctx);
	empty = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 100, NULL, NULL, 0);
	need(pd && empty && cq, "pd, cq");
	mr = ibv_reg_mr(pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE);
	srq = ibv_create_srq(pd, &srq_init);
	need(mr && srq, "mr, srq");
	a = make_qp(pd, cq, NULL, IBV_QPT_RC);
	b = make_qp(pd, cq, srq, IBV_QPT_RC);
	ud = make_qp(pd, cq, NULL, IBV_QPT_UD);
	connect_to(a, b);
	for (int i = 0; i < MANY; i++)
		make_qp(pd, cq, NULL, IBV_QPT_RC);
	listen_somewhere();
	out = path ? fopen(path, "w") : NULL;
	need(out != NULL, "$OBJECTS");
	fprintf(out,
		"{ \"pid\": %d, \"a\": %u, \"b\": %u, \"ud\": %u, \"cqe\": %d, \"lkey\": %u, "
		"\"rkey\": %u, \"mrlen\": %zu, \"many\": %d }\n",
		(int)getpid(), a->qp_num, b->qp_num, ud->qp_num, cq->cqe, mr->lkey, mr->rkey,
		sizeof(buffer), MANY);
	fclose(out);
}
