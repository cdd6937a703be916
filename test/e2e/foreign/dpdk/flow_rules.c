/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules that testpmd gets, installed by the library's own flow: four raw packet QPs are the
 * queues.
 *
 *	flow_rules BACKEND COUNT <RULES
 *
 * A rule per line of standard input. Receives COUNT packets, and prints of each what testpmd
 * does of it ("set verbose 1"): source address, queue, mark.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#include <devx/devx.h>
#include <flow/flow.h>

enum { QUEUES = 4, DEPTH = 64, SIZE = 2048 };

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq_ex *cq[QUEUES];
	struct ibv_qp *qp[QUEUES];
	uint8_t buffer[QUEUES][DEPTH][SIZE];
} port;

#define NEEDS(expression)                                         \
	do {                                                      \
		if (!(expression)) {                              \
			fprintf(stderr, "%s: %m\n", #expression); \
			exit(1);                                  \
		}                                                 \
	} while (0)

static void make_queue(unsigned int q)
{
	struct ibv_cq_init_attr_ex cq = { .cqe = 2 * DEPTH,
					  .wc_flags = IBV_WC_EX_WITH_FLOW_TAG };
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RAW_PACKET,
					 .cap = { 1, DEPTH, 1, 1, 0 } };
	struct ibv_qp_attr to = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	NEEDS(port.cq[q] = ibv_create_cq_ex(port.ctx, &cq));
	attr.send_cq = attr.recv_cq = ibv_cq_ex_to_cq(port.cq[q]);
	NEEDS(port.qp[q] = ibv_create_qp(port.pd, &attr));
	NEEDS(!ibv_modify_qp(port.qp[q], &to, IBV_QP_STATE | IBV_QP_PORT));
	to.qp_state = IBV_QPS_RTR;
	NEEDS(!ibv_modify_qp(port.qp[q], &to, IBV_QP_STATE));
	for (unsigned int i = 0; i < DEPTH; i++) {
		struct ibv_sge sge = { (uintptr_t)port.buffer[q][i], SIZE, port.mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		NEEDS(!ibv_post_recv(port.qp[q], &wr, &bad));
	}
}

static struct dv_flow_port *make_rules(const char *backend)
{
	static const struct dv_flow_targets targets = { .qp = port.qp, .n_qp = QUEUES };
	static struct dv_flow_rule rule;
	struct dv_flow_error error;
	struct dv_flow_port *to;
	struct dv_flow *flow;
	char text[512];

	if (dv_flow_open(&to, port.ctx, backend, &targets, &error)) {
		fprintf(stderr, "%s: %s\n", backend, error.message);
		exit(1);
	}
	while (fgets(text, sizeof(text), stdin)) {
		text[strcspn(text, "\n")] = 0;
		if (!dv_flow_parse(&rule, text, &error) &&
		    !dv_flow_create(&flow, to, &rule, &error))
			continue;
		fprintf(stderr, "%s: %s: %s\n", backend, text, error.message);
		exit(1);
	}
	return to;
}

/* Returns the number of packets that were there. */
static unsigned int receive(unsigned int q)
{
	struct ibv_poll_cq_attr attr = { 0 };
	const uint8_t *src;
	uint32_t tag;

	if (ibv_start_poll(port.cq[q], &attr))
		return 0;
	NEEDS(port.cq[q]->status == IBV_WC_SUCCESS);
	src = port.buffer[q][port.cq[q]->wr_id] + 6;
	tag = ibv_wc_read_flow_tag(port.cq[q]);
	printf(" src=%02X:%02X:%02X:%02X:%02X:%02X - Receive queue=0x%x", src[0], src[1],
	       src[2], src[3], src[4], src[5], q);
	/* A mark is the tag less 1, as DPDK has it (dv_flow_create(3)). */
	if (tag)
		printf(" - FDIR matched ID=0x%x", tag - 1);
	puts("");
	ibv_end_poll(port.cq[q]);
	return 1;
}

static void destroy(struct dv_flow_port *rules)
{
	dv_flow_close(rules);
	for (unsigned int q = 0; q < QUEUES; q++) {
		NEEDS(!ibv_destroy_qp(port.qp[q]));
		NEEDS(!ibv_destroy_cq(ibv_cq_ex_to_cq(port.cq[q])));
	}
	NEEDS(!ibv_dereg_mr(port.mr));
	NEEDS(!ibv_dealloc_pd(port.pd));
	NEEDS(!ibv_close_device(port.ctx));
}

int main(int argc, char **argv)
{
	unsigned int left = argc == 3 ? (unsigned int)atoi(argv[2]) : 0;
	struct dv_flow_port *rules;

	setvbuf(stdout, NULL, _IOLBF, 0);
	NEEDS(argc == 3);
	NEEDS(!devx_open(&port.ctx, "mlx5_0"));
	NEEDS(port.pd = ibv_alloc_pd(port.ctx));
	NEEDS(port.mr = ibv_reg_mr(port.pd, port.buffer, sizeof(port.buffer),
				   IBV_ACCESS_LOCAL_WRITE));
	for (unsigned int q = 0; q < QUEUES; q++)
		make_queue(q);
	rules = make_rules(argv[1]);
	puts("rules are installed");
	while (left)
		for (unsigned int q = 0; q < QUEUES; q++)
			left -= left ? receive(q) : 0;
	destroy(rules);
	return 0;
}
