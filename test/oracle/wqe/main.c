/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The WQE differential: random work requests, each posted by the installed libmlx5 and built by
 * dv, must leave the same bytes. Compared is what the device reads:
 *
 *	the WQEs, as long as they say they are; the doorbell record; the register, both its halves
 *
 *	oracle_wqe [--count N] [--long] [--seed S]
 *
 * An odd seed is a device that wants nothing of a packet in the WQE, an even one 18 bytes.
 *
 * The device is paused, so that nothing is executed and keys and addresses may be any numbers.
 * The ring of libmlx5 is zero where the WQEs come to lie: it leaves bytes of some segments as
 * they were. That of dv is not: it writes all of them.
 *
 * Where a batch would cross the ring's edge (libmlx5 wraps there, dv pads), both post NOPs up
 * to it before.
 *
 * Not here, for libmlx5 44 does not post it (golden bytes in test/unit/dv): masked atomics, KSM
 * and translation lists in memory, WAIT, SEND_EN, ACCESS_ASO, VLAN tags, multi-packet sends,
 * compact address vectors. Nor here: signature and crypto in one key, also golden bytes.
 */
#include <getopt.h>
#include <time.h>

#include "request.h"

enum {
	BATCH = 6,
	COUNT = 1000000,
	LONG_COUNT = 10000000,
	TEXT = 8192,
	OLD = 0xa5,
};

struct run {
	struct oracle o;
	struct random random;
	uint64_t seed, wrs, batches;
	uint64_t done[KINDS][OPS];
};

static void show(const char *whose, const uint8_t *wqe, size_t bytes, enum kind kind)
{
	static const enum dv_transport transport[KINDS] = { DV_RC,  DV_UC,  DV_UD,
							    DV_XRC, DV_DCI, DV_ETH };
	static char text[TEXT];
	size_t i;

	dv_wqe_format(text, sizeof(text), wqe, bytes, transport[kind], DV_FIELDS);
	fprintf(stderr, "%s:\n%s", whose, text);
	for (i = 0; i < bytes; i++)
		fprintf(stderr, "%s%02x", i % 16 ? (i % 4 ? "" : " ") : "\n  ", wqe[i]);
	fprintf(stderr, "\n");
}

static void die(const struct run *run, const struct queue *q, const char *what)
{
	fprintf(stderr, "%s QP, batch %llu, after %llu WRs, --seed %llu: %s\n",
		kind_name[q->kind], (unsigned long long)run->batches,
		(unsigned long long)run->wrs, (unsigned long long)run->seed, what);
	exit(1);
}

/* The WQEs from block @idx on. */
static void compare_wqes(const struct run *run, const struct queue *q, uint16_t idx,
			 const struct request *r)
{
	const uint8_t *ours, *theirs;
	size_t bytes;

	for (; idx != q->sq.pi; idx = (uint16_t)(idx + dv_wqe_nbb(bytes))) {
		ours = dv_sq_at(&q->sq, idx);
		theirs = queue_their_block(q, idx);
		bytes = (size_t)dv_wqe_ds(ours) * DV_WQE_DS;
		if (!memcmp(ours, theirs, bytes))
			continue;
		show("libmlx5", theirs, bytes, q->kind);
		show("dv", ours, bytes, q->kind);
		fprintf(stderr, "the batch starts with %s, form %d\n", op_name[r->op], r->form);
		die(run, q, "the WQEs differ");
	}
}

static void compare(const struct run *run, const struct queue *q, uint16_t idx,
		    const struct request *r)
{
	compare_wqes(run, q, idx, r);
	if (q->their.dbrec[MLX5_SND_DBR] != q->dbrec[MLX5_SND_DBR])
		die(run, q, "the records differ");
	if (memcmp(q->their.bf.reg, q->reg, 2 * q->their.bf.size))
		die(run, q, "the registers differ");
}

/* The contents of the ring where a batch of @nbb blocks will be: zeros for libmlx5, which may
 * write a little beyond it, and for dv what no WQE has. Earlier WQEs stay: the device finds the
 * last WQE by the lengths of all. */
static void wipe(struct queue *q, unsigned int nbb)
{
	unsigned int i;

	for (i = 0; i <= nbb; i++) {
		memset(dv_sq_at(&q->sq, q->sq.pi + i), OLD, DV_WQE_BB);
		memset(queue_their_block(q, (uint16_t)(q->sq.pi + i)), 0, DV_WQE_BB);
	}
}

/* Zeros after the last WQE, in its last block: BlueFlame copies whole blocks. */
static void wipe_rest(struct queue *q)
{
	size_t bytes = (size_t)dv_wqe_ds(q->sq.last) * DV_WQE_DS;

	memset((char *)q->sq.last + bytes, 0, dv_wqe_nbb(bytes) * DV_WQE_BB - bytes);
}

static void batch(struct run *run, struct queue *q, enum api api, const struct request *r,
		  unsigned int n)
{
	uint16_t idx = q->sq.pi;
	unsigned int i;
	int err = post_libmlx5(r, n, &run->o, q, api);

	if (err) {
		fprintf(stderr, "the batch:");
		for (i = 0; i < n; i++)
			fprintf(stderr, " %s, form %d, flags 0x%x;", op_name[r[i].op],
				r[i].form, r[i].flags);
		fprintf(stderr, "\n");
		die(run, q, strerror(err));
	}
	q->sq.ci = idx;
	err = post_dv(r, n, &run->o, &q->past, q->kind, &q->sq);
	if (err)
		die(run, q, "dv does not post it");
	wipe_rest(q);
	dv_sq_ring_by(&q->sq, DV_BLUEFLAME);
	compare(run, q, idx, r);
	for (i = 0; i < n; i++) {
		run->done[q->kind][r[i].op]++;
		q->wrs += request_wrs(&r[i]);
	}
	run->wrs += n;
	run->batches++;
}

/* How many blocks dv makes of them on a ring whose edge is @left blocks away. */
static unsigned int blocks(struct run *run, struct queue *q, const struct request *r,
			   unsigned int n, unsigned int left)
{
	uint16_t start = left < QUEUE_SCRATCH ? (uint16_t)(QUEUE_SCRATCH - left) : 0;
	struct past past = q->past;

	q->scratch.pi = q->scratch.ci = start;
	if (post_dv(r, n, &run->o, &past, q->kind, &q->scratch))
		die(run, q, "dv does not post it on an empty ring");
	return (uint16_t)(q->scratch.pi - start);
}

/* Up to the edge, on both sides. */
static void pad(struct run *run, struct queue *q, unsigned int left)
{
	static struct request nop;
	unsigned int nbb;

	for (; left; left -= nbb) {
		nbb = left < q->sq.max_nbb ? left : q->sq.max_nbb;
		wipe(q, nbb);
		request_nop(&nop, q, nbb);
		batch(run, q, API_WR, &nop, 1);
	}
}

/* A batch that libmlx5 44 posts well. ibv_post_send() keeps how far it had copied a packet into
 * the Ethernet segment from one WR of a list to the next; an inline SEND leaves it so, and the
 * data of a TSO after it lacks its first bytes (qp.c, sg_copy_ptr in _mlx5_post_send). */
static void some_batch(struct run *run, struct queue *q, enum api api, struct request *r,
		       unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		do
			request_random(&r[i], &run->o, q, api, &run->random);
		while (i && r[i].op == OP_TSO && api == API_POST_SEND);
	}
}

static void step(struct run *run)
{
	static struct request r[BATCH];
	struct queue *q = &run->o.q[random_below(&run->random, KINDS)];
	enum api api = q->kind == KIND_DCI ? API_WR : random_below(&run->random, APIS);
	unsigned int n =
		random_once_in(&run->random, 2) ? 1 : random_below(&run->random, BATCH) + 1;
	unsigned int need, left;

	if (q->why)
		return;
	some_batch(run, q, api, r, n);
	need = blocks(run, q, r, n, QUEUE_SCRATCH);
	if (q->wrs + 4 * BATCH > QUEUE_WRS ||
	    (uint16_t)(q->sq.pi - q->retired) + 2 * need + 2 * DV_WQE_MAX_NBB > q->sq.wqe_cnt)
		queue_retire(&run->o, q);
	left = q->sq.wqe_cnt - (q->sq.pi & q->sq.mask);
	if (blocks(run, q, r, n, left) != need || need > left)
		pad(run, q, left);
	wipe(q, need);
	batch(run, q, api, r, n);
}

static void report(const struct run *run)
{
	const struct oracle *o = &run->o;
	unsigned int kind, op, i;

	printf("%llu WRs in %llu batches, seed %llu, %u bytes of packets in the WQE: equal\n",
	       (unsigned long long)run->wrs, (unsigned long long)run->batches,
	       (unsigned long long)run->seed, o->inline_hdr);
	for (kind = 0; kind < KINDS; kind++) {
		printf("%-10s", kind_name[kind]);
		if (o->q[kind].why)
			printf(" skipped, no queue: %s", o->q[kind].why);
		for (op = 0; op < OPS; op++)
			if (run->done[kind][op])
				printf(" %s %llu", op_name[op],
				       (unsigned long long)run->done[kind][op]);
		printf("\n");
	}
	for (i = 0; i < QUEUE_MKEYS; i++)
		if (!o->mkey[i].mkey)
			printf("skipped, key %u: %s\n", i, o->mkey[i].why);
	if (!o->q[KIND_ETH].tso || !o->q[KIND_ETH].csum)
		printf("skipped: TSO or checksums, not of this device\n");
	if (!o->q[KIND_RC].memcpy || !o->q[KIND_DCI].memcpy)
		printf("skipped: memcpy, not of this device\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument, NULL, 'c' },
						 { "seed", required_argument, NULL, 's' },
						 { "long", no_argument, NULL, 'l' },
						 { 0 } };
	static struct run run;
	uint64_t count = COUNT;
	int c;

	run.seed = (uint64_t)time(NULL);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (c == 's')
			run.seed = strtoull(optarg, NULL, 0);
		else if (c == 'l')
			count = LONG_COUNT;
		else
			errx(2, "usage: oracle_wqe [--count N] [--long] [--seed S]");
	}
	run.random.state = run.seed;
	printf("seed %llu\n", (unsigned long long)run.seed);
	oracle_open(&run.o, run.seed & 1);
	while (run.wrs < count)
		step(&run);
	report(&run);
	return 0;
}
