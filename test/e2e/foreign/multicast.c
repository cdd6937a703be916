/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast by plain libibverbs: one process sends to a group, two others receive.
 *
 *	multicast v4|v6
 *
 *	sender   attach own QP | COUNT to the group           | one to the group, one to each QP
 *	receiver attach        | all of them, in their order  | detach: only its own
 *
 * The receivers say by a pipe when they are ready, and their QPNs. A datagram of the second
 * part that was for the group and arrived would come before the one for the QP. Exit status 0:
 * all is as it should be; 77: the port has no such GID.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/connect.h"

enum { COUNT = 16, LEN = 48, GRH = 40, SLOT = 128, RECEIVERS = 2, LAST = 1000 };

#define QKEY 0x11111111u

#define CHECK(what)                                                                 \
	do {                                                                        \
		if (!(what)) {                                                      \
			fprintf(stderr, "%s, line %d: %s\n", who, __LINE__, #what); \
			exit(1);                                                    \
		}                                                                   \
	} while (0)

static const char *who = "sender";
static union ibv_gid group, own;
static uint8_t gid_index;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *sent, *received;
static struct ibv_mr *mr;
static uint8_t buf[2 * COUNT][SLOT];

/* The GID of RoCE v2 that is IPv4, or the link-local one. */
static bool find_gid(bool v4)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry e;

	for (unsigned int i = 0; !ibv_query_gid_ex(ctx, 1, i, &e, 0); i++) {
		if (e.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    v4 != !memcmp(e.gid.raw, mapped, sizeof(mapped)))
			continue;
		own = e.gid;
		gid_index = i;
		return true;
	}
	return false;
}

static void open_device(bool v4)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	CHECK(list && list[0]);
	ctx = ibv_open_device(list[0]);
	CHECK(ctx);
	if (!find_gid(v4))
		exit(77);
	pd = ibv_alloc_pd(ctx);
	CHECK(pd);
	sent = ibv_create_cq(ctx, 8 * COUNT, NULL, NULL, 0);
	received = ibv_create_cq(ctx, 8 * COUNT, NULL, NULL, 0);
	CHECK(sent && received);
	mr = ibv_reg_mr(pd, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr);
}

static struct ibv_qp *new_qp(uint32_t create_flags)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = sent,
		.recv_cq = received,
		.qp_type = IBV_QPT_UD,
		.pd = pd,
		.cap = { 2 * COUNT, 2 * COUNT, 1, 1, 0 },
		.create_flags = create_flags,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
	};
	const struct ibv_qp_attr a = { .qkey = QKEY };
	struct ibv_qp *qp = ibv_create_qp_ex(ctx, &init);

	CHECK(qp);
	CHECK(!connect_qp(qp, &a));
	return qp;
}

static void post_recvs(struct ibv_qp *qp, unsigned int from, unsigned int n)
{
	for (unsigned int i = from; i < from + n; i++) {
		struct ibv_sge sge = { (uintptr_t)buf[i], SLOT, mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		CHECK(!ibv_post_recv(qp, &wr, &bad));
	}
}

static struct ibv_wc completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (!n);
	CHECK(n == 1);
	CHECK(wc.status == IBV_WC_SUCCESS);
	return wc;
}

static void fill(uint8_t *at, unsigned int nth)
{
	for (unsigned int i = 0; i < LEN; i++)
		at[i] = (uint8_t)(nth * 31 + i);
}

/* The next completion is of message @nth, to the group or to @qp alone. */
static void expect(const struct ibv_qp *qp, unsigned int nth, const union ibv_gid *dgid,
		   bool v4)
{
	struct ibv_wc wc = completion(received);
	const uint8_t *at = buf[wc.wr_id];
	uint8_t want[LEN];

	fill(want, nth);
	CHECK(wc.opcode == IBV_WC_RECV);
	CHECK(wc.qp_num == qp->qp_num);
	CHECK(wc.byte_len == GRH + LEN);
	CHECK((wc.wc_flags & (IBV_WC_GRH | IBV_WC_WITH_IMM)) == (IBV_WC_GRH | IBV_WC_WITH_IMM));
	CHECK(be32toh(wc.imm_data) == nth);
	CHECK(wc.src_qp && wc.src_qp != qp->qp_num);
	CHECK(!memcmp(at + GRH, want, LEN));
	if (v4) {
		CHECK(at[20] == 0x45);
		CHECK(!memcmp(at + 36, dgid->raw + 12, 4));
	} else {
		CHECK(at[0] >> 4 == 6);
		CHECK(!memcmp(at + 24, dgid->raw, 16));
	}
}

static int receive(bool v4, int out)
{
	struct ibv_qp *qp;

	open_device(v4);
	qp = new_qp(0);
	CHECK(!ibv_attach_mcast(qp, &group, 0));
	CHECK(!ibv_attach_mcast(qp, &group, 0)); /* again: nothing changes */
	post_recvs(qp, 0, COUNT + 1);
	CHECK(write(out, &qp->qp_num, 4) == 4);
	for (unsigned int i = 0; i < COUNT; i++)
		expect(qp, i, &group, v4);
	CHECK(ibv_destroy_qp(qp) == EBUSY);
	CHECK(!ibv_detach_mcast(qp, &group, 0));
	CHECK(ibv_detach_mcast(qp, &group, 0) == EINVAL);
	CHECK(write(out, &qp->qp_num, 4) == 4);
	expect(qp, LAST, &own, v4);
	CHECK(!ibv_destroy_qp(qp));
	return 0;
}

static struct ibv_ah *way_to(const union ibv_gid *gid)
{
	struct ibv_ah_attr a = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = *gid, .sgid_index = gid_index, .hop_limit = 1 },
	};
	struct ibv_ah *ah = ibv_create_ah(pd, &a);

	CHECK(ah);
	return ah;
}

/* Message @nth to QP @qpn. */
static void send_to(struct ibv_qp *qp, struct ibv_ah *ah, uint32_t qpn, unsigned int nth)
{
	struct ibv_sge sge = { (uintptr_t)buf[2 * COUNT - 1], LEN, mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.imm_data = htobe32(nth),
		.wr.ud = { .ah = ah, .remote_qpn = qpn, .remote_qkey = QKEY },
	};
	struct ibv_send_wr *bad;

	fill(buf[2 * COUNT - 1], nth);
	CHECK(!ibv_post_send(qp, &wr, &bad));
	CHECK(completion(sent).opcode == IBV_WC_SEND);
}

static void wait_for(const int *in, uint32_t *qpn)
{
	for (unsigned int i = 0; i < RECEIVERS; i++)
		CHECK(read(in[i], &qpn[i], 4) == 4);
}

static void transmit(bool v4, const int *in)
{
	struct ibv_qp *qp, *blind;
	uint32_t qpn[RECEIVERS];
	struct ibv_ah *all, *one;

	open_device(v4);
	/* It is in the group, and does not want what it sends itself. */
	qp = new_qp(IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	blind = new_qp(0);
	CHECK(!ibv_attach_mcast(qp, &group, 0));
	post_recvs(qp, 0, COUNT);
	CHECK(ibv_attach_mcast(blind, &own, 0) == EINVAL); /* not a group */
	all = way_to(&group);
	one = way_to(&own);
	wait_for(in, qpn);
	for (unsigned int i = 0; i < COUNT; i++)
		send_to(qp, all, 0xffffff, i);
	wait_for(in, qpn);
	send_to(qp, all, 0xffffff, LAST + 1);
	for (unsigned int i = 0; i < RECEIVERS; i++)
		send_to(qp, one, qpn[i], LAST);
	/* It got nothing of all this: the first that it receives is from the other QP. */
	send_to(blind, one, qp->qp_num, LAST + 2);
	expect(qp, LAST + 2, &own, v4);
}

int main(int argc, char **argv)
{
	bool v4 = argc == 2 && !strcmp(argv[1], "v4");
	pid_t child[RECEIVERS];
	int in[RECEIVERS];

	if (v4)
		group = (union ibv_gid){ { [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 } };
	else
		group = (union ibv_gid){ { 0xff, 0x12, [15] = 0x42 } };
	for (unsigned int i = 0; i < RECEIVERS; i++) {
		int ends[2];

		CHECK(!pipe(ends));
		child[i] = fork();
		CHECK(child[i] >= 0);
		if (!child[i]) {
			who = i ? "receiver 2" : "receiver 1";
			close(ends[0]);
			return receive(v4, ends[1]);
		}
		close(ends[1]);
		in[i] = ends[0];
	}
	transmit(v4, in);
	for (unsigned int i = 0; i < RECEIVERS; i++) {
		int status;

		CHECK(waitpid(child[i], &status, 0) == child[i]);
		CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	puts("all datagrams arrived where they belong");
	return 0;
}
