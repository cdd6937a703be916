/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program whose peer is not to be trusted: its QPs are connected to an address from which
 * forged frames come.
 *
 *	target FILE PEER	FILE: struct target; PEER: IPv4 address
 *
 *	guard | open | guard | read only | guard | closed | guard | landing | guard
 *	        MR, remote     MR, remote          MR, local        MR, local: receives, answers to READs
 *	        write          read
 *
 * Only "open" and "landing" may change, and both do. It ends at SIGTERM: exit status 0 if
 * nothing else has changed and its device still works. QPs that the frames put into ERR are
 * connected again.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <dvkit/emu.h>
#include <infiniband/verbs.h>

#include "lib/connect.h"
#include "lib/device.h"
#include "target.h"

#define ZONE	 (64u << 10)
#define ZONES	 9
#define RECEIVES 16
#define SENDS	 8
#define RECV_LEN 4096u
#define PATTERN	 0xa5

enum { OPEN = 1, READ_ONLY = 3, CLOSED = 5, LANDING = 7 };

static const enum ibv_qp_type types[TARGET_QPS] = {
	IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_RC,
	IBV_QPT_UC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_UD,
};

static uint8_t *memory;
static struct ibv_mr *mr[ZONES];
static struct ibv_qp *qp[TARGET_QPS];
static struct ibv_cq *cq;
static union ibv_gid peer;
static uint8_t sgid_index;
static unsigned long completions, errors, revived;
static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static uint8_t *zone(int i)
{
	return memory + (size_t)i * ZONE;
}

/* The RoCE v2 GID of the family of @peer. */
static uint8_t find_gid(struct ibv_context *ctx)
{
	struct ibv_gid_entry e;

	for (uint32_t i = 0; !ibv_query_gid_ex(ctx, 1, i, &e, 0); i++)
		if (e.gid_type == IBV_GID_TYPE_ROCE_V2 && !memcmp(&e.gid, &peer, 12))
			return (uint8_t)i;
	fprintf(stderr, "no IPv4 GID\n");
	exit(1);
}

static void receive(int i)
{
	struct ibv_sge sge = { (uintptr_t)zone(LANDING) + i * RECV_LEN, RECV_LEN,
			       mr[LANDING]->lkey };
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

	need(!ibv_post_recv(qp[i], &wr, &bad), "ibv_post_recv");
}

/* Requests that the forger answers, or does not. */
static void request(int i)
{
	static const enum ibv_wr_opcode opcodes[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						      IBV_WR_SEND,
						      IBV_WR_ATOMIC_FETCH_AND_ADD };
	static unsigned int n;
	struct ibv_send_wr wr = { .wr_id = i, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_sge sge = { (uintptr_t)zone(LANDING) + ZONE / 2, 3000, mr[LANDING]->lkey };

	if (types[i] != IBV_QPT_RC)
		return;
	wr.opcode = opcodes[n++ % 4];
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = wr.wr.atomic.remote_addr = 0x1000;
	wr.wr.rdma.rkey = wr.wr.atomic.rkey = 0x1234;
	if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		sge.length = 8;
		wr.wr.atomic.rkey = 0x1234;
	}
	need(!ibv_post_send(qp[i], &wr, &bad), "ibv_post_send");
}

static enum ibv_qp_state state(int i)
{
	struct ibv_qp_attr a;
	struct ibv_qp_init_attr init;

	need(!ibv_query_qp(qp[i], &a, IBV_QP_STATE, &init), "ibv_query_qp");
	return a.qp_state;
}

static void connect_to_peer(int i)
{
	struct ibv_qp_attr a = { .qkey = TARGET_QKEY,
				 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = TARGET_PEER_QP + i,
				 .rq_psn = TARGET_RQ_PSN,
				 .sq_psn = TARGET_SQ_PSN,
				 .max_dest_rd_atomic = 4,
				 .max_rd_atomic = 4,
				 .min_rnr_timer = 1,
				 .timeout = 14,
				 .retry_cnt = 7,
				 .rnr_retry = 7,
				 .ah_attr = path_to(peer, sgid_index) };

	if (types[i] == IBV_QPT_RC)
		a.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	need(!move_qp(qp[i], &a, IBV_QPS_INIT), "INIT");
	for (int n = 0; n < RECEIVES; n++)
		receive(i);
	need(!move_qp(qp[i], &a, IBV_QPS_RTR), "RTR");
	if (move_qp(qp[i], &a, IBV_QPS_RTS)) { /* frames can put it into ERR from RTR on */
		need(state(i) == IBV_QPS_ERR, "RTS");
		return;
	}
	for (int n = 0; n < SENDS / 2; n++)
		request(i);
}

static void revive(int i)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	if (state(i) == IBV_QPS_RTS)
		return;
	need(!ibv_modify_qp(qp[i], &a, IBV_QP_STATE), "RESET");
	connect_to_peer(i);
	revived++;
}

static int index_of(uint32_t qpn)
{
	for (int i = 0; i < TARGET_QPS; i++)
		if (qp[i]->qp_num == qpn)
			return i;
	fprintf(stderr, "a completion of QP 0x%x, which does not exist\n", qpn);
	exit(1);
}

static void poll_all(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		int i = index_of(wc.qp_num);

		completions++;
		if (wc.status != IBV_WC_SUCCESS) {
			errors++;
			revive(i);
		} else if (wc.opcode & IBV_WC_RECV) {
			receive(i);
		} else {
			request(i);
		}
	}
}

static void set_up(struct target *t)
{
	static const int access[ZONES] = {
		[OPEN] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
		[READ_ONLY] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
		[CLOSED] = IBV_ACCESS_LOCAL_WRITE,
		[LANDING] = IBV_ACCESS_LOCAL_WRITE,
	};
	struct ibv_device *device = device_find();
	struct ibv_context *ctx = device ? ibv_open_device(device) : NULL;
	struct ibv_pd *pd;

	need(ctx, "ibv_open_device");
	sgid_index = find_gid(ctx);
	need((pd = ibv_alloc_pd(ctx)), "ibv_alloc_pd");
	need((cq = ibv_create_cq(ctx, 1024, NULL, NULL, 0)), "ibv_create_cq");
	for (int i = 1; i < ZONES; i += 2)
		need((mr[i] = ibv_reg_mr(pd, zone(i), ZONE, access[i])), "ibv_reg_mr");
	for (int i = 0; i < TARGET_QPS; i++) {
		struct ibv_qp_init_attr init = { .qp_type = types[i],
						 .send_cq = cq,
						 .recv_cq = cq,
						 .cap = { SENDS, RECEIVES * 2, 1, 1, 0 } };

		need((qp[i] = ibv_create_qp(pd, &init)), "ibv_create_qp");
		t->qpn[i] = qp[i]->qp_num;
		t->type[i] = types[i];
		connect_to_peer(i);
	}
	t->open_va = (uintptr_t)zone(OPEN);
	t->open_rkey = mr[OPEN]->rkey;
	t->open_len = ZONE;
	t->read_only_va = (uintptr_t)zone(READ_ONLY);
	t->read_only_rkey = mr[READ_ONLY]->rkey;
	t->closed_va = (uintptr_t)zone(CLOSED);
	t->closed_rkey = mr[CLOSED]->rkey;
	__atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
}

/* Where it has changed first; ZONE: it has not. */
static size_t changed_at(int i)
{
	size_t at = 0;

	while (at < ZONE && zone(i)[at] == PATTERN)
		at++;
	return at;
}

/* The frames have reached what they may reach, and nothing else. */
static bool is_right(int i)
{
	bool may = i == OPEN || i == LANDING, has = changed_at(i) < ZONE;

	if (has && !may)
		fprintf(stderr, "zone %d has changed at %zu\n", i, changed_at(i));
	if (may && !has)
		fprintf(stderr, "zone %d has not changed: no frame reached it\n", i);
	return has == may;
}

/* A receive of every QP is there, and the device answers. */
static bool device_works(void)
{
	struct ibv_port_attr port;

	return !ibv_query_port(cq->context, 1, &port) && port.state == IBV_PORT_ACTIVE;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	struct dvkit_emu_counters c;
	struct target *t;
	bool ok = true;

	need(fd >= 0 && !ftruncate(fd, sizeof(*t)), "target FILE PEER");
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	peer.raw[10] = peer.raw[11] = 0xff;
	need(t != MAP_FAILED && inet_pton(AF_INET, argv[2], peer.raw + 12) == 1, argv[2]);
	signal(SIGTERM, end);
	memory = aligned_alloc(4096, ZONES * (size_t)ZONE);
	need(memory, "memory");
	memset(memory, PATTERN, ZONES * (size_t)ZONE);
	set_up(t);
	for (unsigned int n = 0; !ended; n++) {
		poll_all();
		if (n % 64 == 0)
			for (int i = 0; i < TARGET_QPS; i++)
				revive(i);
		need(!dvkit_emu_query_counters(&c, sizeof(c)), "dvkit_emu_counters");
		t->frames = c.rx_frames;
		usleep(200);
	}
	for (int i = 0; i < ZONES; i++)
		ok &= is_right(i);
	ok &= device_works();
	printf("%llu frames, %llu of them taken by no QP; %lu completions, %lu with errors; %lu times a QP was "
	       "connected again\n",
	       (unsigned long long)c.rx_frames, (unsigned long long)c.rx_dropped, completions,
	       errors, revived);
	return !ok;
}
