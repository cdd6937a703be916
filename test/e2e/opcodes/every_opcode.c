/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * every_opcode v4 | v6: posts what leads to every packet of RC, XRC, UC and UD, between two QPs
 * of one device with GIDs of that family, each operation after the one before has ended. It
 * prints, per pair of QPs, what opcodes.py cannot know beforehand:
 *
 *	PAIR QPN-of-requester QPN-of-responder SRQ-number address rkey
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "lib/connect.h"
#include "lib/device.h"

#define LONG_MESSAGE  701 /* 256 + 256 + 189, 3 bytes of pad */
#define SHORT_MESSAGE 5	  /* 3 bytes of pad */
#define FIRST_PSN     0xfffffe
#define QKEY	      0x11111111
#define IMM	      0x01020304
#define NO_KEY	      0x55aa5500 /* of no region */
#define COMPARE	      0x1112131415161718
#define SWAP_OR_ADD   0x2122232425262728

enum { SOURCE, TARGET = 1024, RECEIVE = 2048, BYTES = 3072, ATOMIC_AT = 8 };

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_xrcd *xrcd;
static struct ibv_srq *xrc_srq;
static uint32_t srq_number;
static union ibv_gid gid;
static uint8_t gid_index;
static uint8_t memory[BYTES] __attribute__((aligned(4096)));

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "every_opcode: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void choose_gid(bool v6)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry e;

	for (uint32_t i = 0; !ibv_query_gid_ex(ctx, 1, i, &e, 0); i++) {
		if (e.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    v6 == !memcmp(e.gid.raw, mapped, sizeof(mapped)))
			continue;
		gid = e.gid;
		gid_index = i;
		return;
	}
	errno = ENOENT;
	must(false, "GID");
}

static void open_device(void)
{
	struct ibv_device *device = device_find();

	must(device, "device");
	ctx = ibv_open_device(device);
	must(ctx, "ibv_open_device");
	pd = ibv_alloc_pd(ctx);
	must(pd, "ibv_alloc_pd");
	cq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	must(cq, "ibv_create_cq");
	mr = ibv_reg_mr(pd, memory, BYTES,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	must(mr, "ibv_reg_mr");
}

static void create_xrc_srq(void)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = 16, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = pd,
		.cq = cq,
	};

	xrcd = ibv_open_xrcd(ctx, &domain);
	must(xrcd, "ibv_open_xrcd");
	init.xrcd = xrcd;
	xrc_srq = ibv_create_srq_ex(ctx, &init);
	must(xrc_srq && !ibv_get_srq_num(xrc_srq, &srq_number), "XRC SRQ");
}

static struct ibv_qp *create(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 16, 16, 1, 1, 0 },
		.comp_mask =
			type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.xrcd = xrcd,
	};
	struct ibv_qp *qp;

	if (type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV)
		init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	qp = ibv_create_qp_ex(ctx, &init);
	must(qp, "ibv_create_qp_ex");
	return qp;
}

/* Without a timer: a frame that is sent twice is in no list. A failed invalidation gets no
 * answer. */
static bool answered;

static void to_rts(struct ibv_qp *qp, uint32_t dest)
{
	struct ibv_qp_attr a = {
		.qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = IBV_MTU_256,
		.dest_qp_num = dest,
		.rq_psn = FIRST_PSN,
		.sq_psn = FIRST_PSN,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = answered ? 0 : 14,
		.ah_attr = path_to(gid, gid_index),
	};

	must(!connect_qp(qp, &a), "RTS");
}

static struct ibv_qp *from, *to;
static struct ibv_ah *ah;

static void pair_of(const char *name, enum ibv_qp_type type)
{
	bool xrc = type == IBV_QPT_XRC_SEND;

	from = create(type);
	to = create(xrc ? IBV_QPT_XRC_RECV : type);
	to_rts(to, from->qp_num);
	to_rts(from, to->qp_num);
	printf("%s %u %u %u %lu %u\n", name, from->qp_num, to->qp_num, xrc ? srq_number : 0,
	       (unsigned long)(uintptr_t)(memory + TARGET), mr->rkey);
}

/* Waits until both sides have as many completions as @count; errors are what some operations
 * are for. */
static void completions(int count)
{
	struct ibv_wc wc;

	while (count > 0) {
		int n = ibv_poll_cq(cq, 1, &wc);

		must(n >= 0, "ibv_poll_cq");
		count -= n;
	}
}

static void receive(void)
{
	struct ibv_sge sge = { (uintptr_t)(memory + RECEIVE), BYTES - RECEIVE, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (to->qp_type == IBV_QPT_XRC_RECV)
		must(!ibv_post_srq_recv(xrc_srq, &wr, &bad), "ibv_post_srq_recv");
	else
		must(!ibv_post_recv(to, &wr, &bad), "ibv_post_recv");
}

static void post(enum ibv_wr_opcode opcode, uint32_t bytes, uint32_t key)
{
	bool atomic =
		opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	struct ibv_sge sge = { (uintptr_t)(memory + (atomic ? RECEIVE : SOURCE)), bytes,
			       mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
				  .imm_data = htobe32(IMM) },
			   *bad;
	uintptr_t target = (uintptr_t)(memory + TARGET);

	if (from->qp_type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = srq_number;
	if (opcode == IBV_WR_SEND_WITH_INV)
		wr.invalidate_rkey = key;
	if (from->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = to->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (atomic) {
		wr.wr.atomic.remote_addr = target + ATOMIC_AT;
		wr.wr.atomic.rkey = key;
		wr.wr.atomic.compare_add =
			opcode == IBV_WR_ATOMIC_CMP_AND_SWP ? COMPARE : SWAP_OR_ADD;
		wr.wr.atomic.swap = SWAP_OR_ADD;
	} else {
		wr.wr.rdma.remote_addr = target;
		wr.wr.rdma.rkey = key;
	}
	must(!ibv_post_send(from, &wr, &bad), "ibv_post_send");
}

static void do_op(enum ibv_wr_opcode opcode, uint32_t bytes)
{
	bool receives = opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
			opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	if (receives)
		receive();
	post(opcode, bytes, opcode == IBV_WR_SEND_WITH_INV ? NO_KEY : mr->rkey);
	completions(1 + receives);
}

static void sends_and_writes(void)
{
	static const enum ibv_wr_opcode op[] = { IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
						 IBV_WR_RDMA_WRITE,
						 IBV_WR_RDMA_WRITE_WITH_IMM };

	for (int i = 0; i < 4; i++) {
		do_op(op[i], LONG_MESSAGE);
		do_op(op[i], SHORT_MESSAGE);
	}
}

static void reliable(const char *name, enum ibv_qp_type type)
{
	char inv_long[32], inv_short[32], error[32];

	snprintf(inv_long, sizeof(inv_long), "%s-inv-long", name);
	snprintf(inv_short, sizeof(inv_short), "%s-inv-short", name);
	snprintf(error, sizeof(error), "%s-nak", name);
	answered = true;
	pair_of(name, type);
	sends_and_writes();
	do_op(IBV_WR_RDMA_READ, LONG_MESSAGE);
	do_op(IBV_WR_RDMA_READ, SHORT_MESSAGE);
	do_op(IBV_WR_ATOMIC_CMP_AND_SWP, 8);
	do_op(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	post(IBV_WR_SEND, SHORT_MESSAGE, 0); /* RNR NAK; no receive is there, and no retry */
	completions(1);
	answered = false;
	pair_of(inv_long, type);
	do_op(IBV_WR_SEND_WITH_INV, LONG_MESSAGE);
	pair_of(inv_short, type);
	do_op(IBV_WR_SEND_WITH_INV, SHORT_MESSAGE);
	answered = true;
	pair_of(error, type);
	post(IBV_WR_RDMA_WRITE, SHORT_MESSAGE, NO_KEY); /* NAK */
	completions(1);
}

int main(int argc, char **argv)
{
	struct ibv_ah_attr path = { .port_num = 1, .is_global = 1 };

	must(argc == 2, "v4 or v6");
	open_device();
	choose_gid(!strcmp(argv[1], "v6"));
	create_xrc_srq();
	for (int i = 0; i < TARGET; i++)
		memory[SOURCE + i] = i * 7 + 1;
	path.grh = (struct ibv_global_route){ .dgid = gid,
					      .sgid_index = gid_index,
					      .hop_limit = 64 };
	ah = ibv_create_ah(pd, &path);
	must(ah, "ibv_create_ah");
	reliable("RC", IBV_QPT_RC);
	reliable("XRC", IBV_QPT_XRC_SEND);
	pair_of("UC", IBV_QPT_UC);
	sends_and_writes();
	pair_of("UD", IBV_QPT_UD);
	do_op(IBV_WR_SEND, SHORT_MESSAGE);
	do_op(IBV_WR_SEND_WITH_IMM, SHORT_MESSAGE);
	return 0;
}
