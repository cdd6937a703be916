/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random SENDs, WRITEs, READs and atomics on many RC QPs between two processes. For a link with
 * faults: each operation is executed once, in the order of its QP, with the right bytes.
 *
 *	mixed_operations [OPERATIONS [QPS [SEED]]]
 *	mixed_operations --listen PORT [OPERATIONS ...]			only the responder
 *	mixed_operations --connect ADDRESS PORT [OPERATIONS ...]	only the requester
 *
 *	requester                        responder, per QP
 *	SEND n            ------------>  receives n after n - 1, checks the bytes
 *	WRITE             ------------>  slot
 *	WRITE with imm n  ------------>  receives n, checks the bytes of a slot
 *	READ              <------------  slot: the bytes of the last WRITE to it
 *	FETCH_ADD         <----------->  counter: the number of FETCH_ADDs before
 *	CMP_SWAP          <----------->  word: the value of the last CMP_SWAP
 *	FETCH_ADD         <----------->  a counter of all QPs: in the end all additions
 *
 * Exit status 0: all verified; 1: something is wrong; 3: QPs ended with RETRY_EXC_ERR, all else
 * is verified.
 */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "peers.h"

#define DEPTH	   8  /* operations of a QP in flight */
#define RECEIVES   32 /* of a QP */
#define SLOTS	   8
#define SLOT_BYTES 4096
#define QP_LOST	   3
/* State of a QP of the responder. A WRITE with immediate may arrive before its receive is
 * there, so it has two slots for each receive. */
struct area {
	uint64_t counter, word;
	uint8_t slot[SLOTS][SLOT_BYTES];
	uint8_t imm[2 * RECEIVES][SLOT_BYTES];
	uint8_t receive[RECEIVES][SLOT_BYTES];
};

struct memory {
	uint64_t total;
	struct area area[QPS_MAX];
};

static unsigned int operations = 20000;
static uint64_t seed = 1;

static uint64_t dice(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* ---- patterns: what a message contains depends on QP and serial number ---- */

static uint64_t start_of(uint32_t qp, uint32_t serial)
{
	return ((uint64_t)qp << 32 | serial) * 0x9e3779b97f4a7c15 + 1;
}

static void fill(uint8_t *at, uint32_t len, uint32_t qp, uint32_t serial)
{
	uint64_t x = start_of(qp, serial);

	for (uint32_t i = 0; i < len; i++, x = x * 6364136223846793005 + 1442695040888963407)
		at[i] = x >> 56;
}

static void expect(const char *what, const uint8_t *at, uint32_t len, uint32_t qp,
		   uint32_t serial)
{
	uint64_t x = start_of(qp, serial);

	for (uint32_t i = 0; i < len; i++, x = x * 6364136223846793005 + 1442695040888963407)
		if (at[i] != (uint8_t)(x >> 56))
			fail("QP %u, %s %u of %u bytes: byte %u is 0x%02x, not 0x%02x", qp,
			     what, serial, len, i, at[i], (uint8_t)(x >> 56));
}

/* ---- the requester ---- */

enum kind { SEND, WRITE, WRITE_IMM, READ, ADD, SWAP, ADD_TOTAL, KINDS };

struct op {
	enum kind kind;
	uint32_t serial, len;
	unsigned int slot;
	uint64_t before; /* that an atomic has to return */
};

/* The messages that the responder receives are counted together: SEND and WRITE_IMM. */
struct requester {
	struct op op[DEPTH];
	uint32_t posted, done, messages, imms;
	uint32_t serial_of[SLOTS], len_of[SLOTS]; /* of the last WRITE */
	unsigned int readers[SLOTS];
	uint64_t adds, word, total_seen;
	bool lost;
};

struct tally {
	uint64_t of[KINDS];
	unsigned int lost;
};

static uint8_t buffers[QPS_MAX][DEPTH][SLOT_BYTES];
static struct requester requesters[QPS_MAX];

/* A slot that no READ in flight reads: the bytes would be those before or after. */
static int free_slot(const struct requester *r)
{
	unsigned int first = dice() % SLOTS;

	for (unsigned int i = 0; i < SLOTS; i++)
		if (!r->readers[(first + i) % SLOTS])
			return (first + i) % SLOTS;
	return -1;
}

static uint64_t remote(const struct peer *e, unsigned int qp, size_t offset)
{
	return e->peer.addr + offsetof(struct memory, area) + qp * sizeof(struct area) + offset;
}

static void write_or_read(const struct peer *e, unsigned int qp, struct op *op,
			  struct ibv_send_wr *wr)
{
	struct requester *r = &requesters[qp];
	int slot = op->kind == READ ? (int)(dice() % SLOTS) : free_slot(r);

	if (slot < 0) {
		op->kind = READ;
		slot = dice() % SLOTS;
	}
	op->slot = slot;
	if (op->kind == READ) {
		op->serial = r->serial_of[slot];
		op->len = r->len_of[slot];
		r->readers[slot]++;
		wr->opcode = IBV_WR_RDMA_READ;
	} else {
		r->serial_of[slot] = op->serial;
		r->len_of[slot] = op->len;
		wr->opcode = IBV_WR_RDMA_WRITE;
	}
	wr->wr.rdma.remote_addr = remote(e, qp, offsetof(struct area, slot[slot]));
}

static void atomic(const struct peer *e, unsigned int qp, struct op *op, struct ibv_send_wr *wr)
{
	struct requester *r = &requesters[qp];

	op->len = sizeof(uint64_t);
	wr->wr.atomic.rkey = e->peer.rkey;
	wr->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr->wr.atomic.compare_add = 1;
	if (op->kind == ADD_TOTAL) {
		wr->wr.atomic.remote_addr = e->peer.addr;
		return;
	}
	if (op->kind == ADD) {
		wr->wr.atomic.remote_addr = remote(e, qp, offsetof(struct area, counter));
		op->before = r->adds++;
		return;
	}
	wr->opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr->wr.atomic.remote_addr = remote(e, qp, offsetof(struct area, word));
	op->before = r->word;
	/* Each fourth compares with another value, and changes nothing. */
	wr->wr.atomic.compare_add = r->word + (dice() % 4 == 0);
	wr->wr.atomic.swap = dice();
	if (wr->wr.atomic.compare_add == r->word)
		r->word = wr->wr.atomic.swap;
}

static void message(const struct peer *e, unsigned int qp, struct op *op,
		    struct ibv_send_wr *wr)
{
	struct requester *r = &requesters[qp];

	op->serial = r->messages++;
	wr->imm_data = htobe32(op->serial);
	wr->opcode = IBV_WR_SEND_WITH_IMM;
	if (op->kind == SEND)
		return;
	wr->opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wr->wr.rdma.remote_addr =
		remote(e, qp, offsetof(struct area, imm[r->imms++ % (2 * RECEIVES)]));
}

static void post(const struct peer *e, unsigned int qp)
{
	struct requester *r = &requesters[qp];
	struct op *op = &r->op[r->posted % DEPTH];
	uint8_t *buffer = buffers[qp][r->posted % DEPTH];
	struct ibv_sge sge = { .addr = (uintptr_t)buffer, .lkey = e->mr->lkey };
	struct ibv_send_wr *bad, wr = { .wr_id = r->posted,
					.sg_list = &sge,
					.num_sge = 1,
					.send_flags = IBV_SEND_SIGNALED };
	bool bytes;

	*op = (struct op){ .kind = dice() % KINDS,
			   .serial = ~r->posted,
			   .len = dice() % 4 ? dice() % 600 : dice() % (SLOT_BYTES + 1) };
	wr.wr.rdma.rkey = e->peer.rkey;
	if (op->kind == SEND || op->kind == WRITE_IMM)
		message(e, qp, op, &wr);
	else if (op->kind == WRITE || op->kind == READ)
		write_or_read(e, qp, op, &wr);
	else
		atomic(e, qp, op, &wr);
	bytes = op->kind == SEND || op->kind == WRITE_IMM || op->kind == WRITE;
	if (bytes)
		fill(buffer, op->len, qp, op->serial);
	else
		memset(buffer, 0xee, op->len);
	sge.length = op->len;
	if (ibv_post_send(e->qp[qp], &wr, &bad))
		fail("ibv_post_send: %s", strerror(errno));
	r->posted++;
}

static void check_done(unsigned int qp, const struct op *op, const uint8_t *buffer)
{
	struct requester *r = &requesters[qp];
	uint64_t word;

	memcpy(&word, buffer, sizeof(word));
	if (op->kind == READ) {
		r->readers[op->slot]--;
		expect("READ of WRITE", buffer, op->len, qp, op->serial);
	} else if (op->kind == ADD || op->kind == SWAP) {
		if (word != op->before)
			fail("QP %u, %s: 0x%llx came back, not 0x%llx", qp,
			     op->kind == ADD ? "FETCH_ADD" : "CMP_SWAP",
			     (unsigned long long)word, (unsigned long long)op->before);
	} else if (op->kind == ADD_TOTAL) {
		if (word < r->total_seen)
			fail("QP %u: the counter of all went back", qp);
		r->total_seen = word + 1;
	}
}

static void take(const struct peer *e, const struct ibv_wc *wc, struct tally *t)
{
	unsigned int qp = peer_qp(e, wc->qp_num);
	struct requester *r = &requesters[qp];
	struct op *op = &r->op[r->done % DEPTH];

	if (wc->wr_id != r->done)
		fail("QP %u: operation %u is complete before %u", qp, (unsigned int)wc->wr_id,
		     r->done);
	if (wc->status && !r->lost) {
		if (wc->status != IBV_WC_RETRY_EXC_ERR)
			fail("QP %u, operation %u: %s", qp, r->done,
			     ibv_wc_status_str(wc->status));
		printf("QP %u to 0x%x: %s after %u operations\n", qp, e->peer.qpn[qp],
		       ibv_wc_status_str(wc->status), r->done);
		r->lost = true;
		t->lost++;
	}
	if (!wc->status) {
		check_done(qp, op, buffers[qp][r->done % DEPTH]);
		t->of[op->kind]++;
	}
	r->done++;
}

static void request(struct peer *e, struct tally *t)
{
	unsigned int left = operations, flight = 0, idle = 0;
	struct ibv_wc wc;

	while ((left && t->lost < nqps) || flight) {
		for (unsigned int i = 0; i < nqps && left; i++) {
			struct requester *r = &requesters[i];

			while (left && !r->lost && r->posted - r->done < DEPTH) {
				post(e, i);
				left--;
				flight++;
			}
		}
		for (idle = 0; !idle && peer_poll(e, &wc);
		     flight--, idle = left && flight < nqps)
			take(e, &wc, t);
	}
}

/* ---- the responder ---- */

struct responder {
	uint32_t messages, imms;
};

static void post_receive(const struct peer *e, struct memory *m, unsigned int qp,
			 unsigned int n)
{
	struct ibv_sge sge = { .addr = (uintptr_t)m->area[qp].receive[n],
			       .length = SLOT_BYTES,
			       .lkey = e->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(e->qp[qp], &wr, &bad))
		fail("ibv_post_recv: %s", strerror(errno));
}

static void receive(const struct peer *e, struct memory *m, struct responder *all)
{
	struct responder *r;
	struct ibv_wc wc;
	unsigned int qp;

	if (!peer_poll(e, &wc) || wc.status == IBV_WC_WR_FLUSH_ERR)
		return;
	qp = peer_qp(e, wc.qp_num);
	if (wc.status)
		fail("QP %u, responder: %s", qp, ibv_wc_status_str(wc.status));
	r = &all[qp];
	if (be32toh(wc.imm_data) != r->messages)
		fail("QP %u: message %u arrived, not %u", qp, be32toh(wc.imm_data),
		     r->messages);
	if (wc.opcode == IBV_WC_RECV)
		expect("SEND", m->area[qp].receive[wc.wr_id], wc.byte_len, qp, r->messages);
	else
		expect("WRITE with immediate", m->area[qp].imm[r->imms++ % (2 * RECEIVES)],
		       wc.byte_len, qp, r->messages);
	r->messages++;
	post_receive(e, m, qp, wc.wr_id);
}

/* The requester's results, at its end. */
struct account {
	uint32_t messages[QPS_MAX];
	uint64_t adds[QPS_MAX], word[QPS_MAX], total;
	bool lost[QPS_MAX];
	bool any_lost;
};

static bool received_all(const struct responder *all, const struct account *a)
{
	for (unsigned int i = 0; i < nqps; i++)
		if (!a->lost[i] && all[i].messages < a->messages[i])
			return false;
	return true;
}

static void check_account(const struct memory *m, const struct responder *all,
			  const struct account *a)
{
	for (unsigned int i = 0; i < nqps; i++) {
		if (a->lost[i])
			continue;
		if (all[i].messages != a->messages[i] || m->area[i].counter != a->adds[i] ||
		    m->area[i].word != a->word[i])
			fail("QP %u: %u messages of %u, counter %llu, not %llu", i,
			     all[i].messages, a->messages[i],
			     (unsigned long long)m->area[i].counter,
			     (unsigned long long)a->adds[i]);
	}
	if (m->total < a->total || (!a->any_lost && m->total != a->total))
		fail("the counter of all is %llu, not %llu", (unsigned long long)m->total,
		     (unsigned long long)a->total);
}

static int respond(int fd)
{
	static struct responder all[QPS_MAX];
	static struct account a;
	size_t len = offsetof(struct memory, area[nqps]);
	struct memory *m = calloc(1, len);
	struct peer e = { .fd = fd };

	if (!m)
		fail("no memory");
	peer_open(&e, m, len, 1, RECEIVES);
	peer_greet(&e);
	for (unsigned int i = 0; i < nqps; i++) {
		peer_connect(&e, i);
		for (unsigned int n = 0; n < RECEIVES; n++)
			post_receive(&e, m, i, n);
	}
	peer_write(&e, "", 1);
	while (recv(fd, &a, 1, MSG_DONTWAIT | MSG_PEEK) < 0)
		receive(&e, m, all);
	peer_read(&e, &a, sizeof(a));
	while (!received_all(all, &a))
		receive(&e, m, all);
	check_account(m, all, &a);
	peer_write(&e, "", 1);
	return 0;
}

static void give_account(const struct peer *e, const struct tally *t)
{
	static struct account a;

	for (unsigned int i = 0; i < nqps; i++) {
		a.messages[i] = requesters[i].messages;
		a.adds[i] = requesters[i].adds;
		a.word[i] = requesters[i].word;
		a.lost[i] = requesters[i].lost;
	}
	a.total = t->of[ADD_TOTAL];
	a.any_lost = t->lost;
	peer_write(e, &a, sizeof(a));
}

static void run_requester(int fd, struct tally *t)
{
	struct peer e = { .fd = fd };
	char ready, right;

	peer_open(&e, buffers, sizeof(buffers), DEPTH, 1);
	peer_greet(&e);
	for (unsigned int i = 0; i < nqps; i++)
		peer_connect(&e, i);
	peer_read(&e, &ready, 1);
	request(&e, t);
	give_account(&e, t);
	peer_read(&e, &right, 1);
}

static void run_both(struct tally *t)
{
	int fd[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || (pid = fork()) < 0)
		fail("%s", strerror(errno));
	close(fd[pid != 0]);
	if (!pid)
		_exit(respond(fd[1]));
	run_requester(fd[0], t);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("the responder found a difference");
}

int main(int argc, char **argv)
{
	bool listens = argc > 2 && !strcmp(argv[1], "--listen");
	bool connects = argc > 3 && !strcmp(argv[1], "--connect");
	char **numbers = argv + 1 + (listens ? 2 : connects ? 3 : 0);
	struct tally t = { 0 };

	if (numbers[0]) {
		operations = strtoul(numbers[0], NULL, 0);
		nqps = numbers[1] ? strtoul(numbers[1], NULL, 0) : nqps;
		seed = numbers[1] && numbers[2] ? strtoul(numbers[2], NULL, 0) : seed;
	}
	if (!operations || !nqps || nqps > QPS_MAX || !seed)
		fail("usage: mixed_operations [--listen PORT | --connect ADDRESS PORT] "
		     "[OPERATIONS [QPS up to %u [SEED]]]",
		     QPS_MAX);
	if (listens)
		return respond(peer_accept(argv[2]));
	if (connects)
		run_requester(peer_call(argv[2], argv[3]), &t);
	else
		run_both(&t);
	printf("%u operations on %u QPs: %llu SEND, %llu WRITE, %llu WRITE with immediate, "
	       "%llu READ, %llu atomics; %u QPs lost\n",
	       operations, nqps, (unsigned long long)t.of[SEND],
	       (unsigned long long)t.of[WRITE], (unsigned long long)t.of[WRITE_IMM],
	       (unsigned long long)t.of[READ],
	       (unsigned long long)(t.of[ADD] + t.of[SWAP] + t.of[ADD_TOTAL]), t.lost);
	return t.lost ? QP_LOST : 0;
}
