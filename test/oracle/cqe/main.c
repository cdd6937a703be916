/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CQE differential: random CQEs, valid and not, in the ring of a CQ of libmlx5 and in a
 * ring of dv; both have to find the same in them.
 *
 *	case -> side A: libmlx5's ring, ibv_poll_cq()     == plain ring, dv, as ibv_poll_cq() says it
 *	     -> side B: libmlx5's ring, ibv_start_poll()  == plain ring, dv, as the readers say it
 *
 *	oracle_cqe [--seed N] [--count N] [--long]	under dvkit-emu; 1,000,000 cases, or ten times
 *
 * libmlx5 has defects; if a case is affected by one, exactly what it does wrong is expected of
 * it, and the table at the end says how often:
 *
 *	out_of_order	   a receive's wr_id is that of the oldest one, whatever wqe_counter says;
 *			   before rdma-core 55, which is why RDMA_CORE is the version built with
 *	wrong_address	   data of READs and atomics inside a CQE of 128 bytes is taken from the
 *			   slot's beginning (format 32), or one byte before it (format 64)
 *	atomic_order	   the answer of an atomic, big-endian in the CQE, is copied as it is
 *	poll_error	   a CQE of an unknown queue or kind: polling fails, the CQE is consumed
 *	no_status	   opcodes 5 and 7-11 are handed on as a completion without a status
 *	requester_flags	   wc_flags of sends: one API shows WITH_IMM, the other GRH bits
 */
#include <getopt.h>

#include <dvkit/emu.h>

#include "oracle/cqe/lists.h"
#include "oracle/cqe/sessions.h"

enum {
	BATCH = 5,
	SIZES = 2,
	SESSIONS = 5000, /* of each format and layout */
	QUEUES = 40,	 /* filled with receives */
};

enum defect {
	OUT_OF_ORDER,
	WRONG_ADDRESS,
	ATOMIC_ORDER,
	POLL_ERROR,
	NO_STATUS,
	REQUESTER_FLAGS,
	DEFECTS,
};

static const char *const defect_name[DEFECTS] = {
	[OUT_OF_ORDER] = "out_of_order", [WRONG_ADDRESS] = "wrong_address",
	[ATOMIC_ORDER] = "atomic_order", [POLL_ERROR] = "poll_error",
	[NO_STATUS] = "no_status",	 [REQUESTER_FLAGS] = "requester_flags",
};

/* A side, and dv beside it. */
struct view {
	struct rig_side side;
	struct dv_cq cq;
	__be32 record[2];
	bool lazy;
};

static struct view views[SIZES][2]; /* by CQE size, by API */
static uint64_t met[DEFECTS], seed = 1, cases;

static const char *api(const struct view *v)
{
	return v->lazy ? "ibv_start_poll" : "ibv_poll_cq";
}

static void show(const struct view *v, const struct test_case *c)
{
	static char text[4096];

	dv_cqe_format(text, sizeof(text), c->slot, v->side.cqe_size, DV_FIELDS);
	fprintf(stderr, "%s", text);
}

static void fail(struct view *v, struct test_case *c, const char *what)
{
	uint32_t at = (c->ci & v->cq.mask) * v->side.cqe_size;

	fprintf(stderr, "seed %lu, case %lu, CQE of %u bytes, index %u, %s: %s\n", seed, cases,
		v->side.cqe_size, c->ci, api(v), what);
	fprintf(stderr, "as made:\n");
	show(v, c);
	memcpy(c->slot, (char *)v->side.ring.buf + at, v->side.cqe_size);
	fprintf(stderr, "in libmlx5's ring:\n");
	show(v, c);
	memcpy(c->slot, v->cq.cqe64 + 64 + at - v->side.cqe_size, v->side.cqe_size);
	fprintf(stderr, "in dv's ring:\n");
	show(v, c);
	exit(1);
}

static void view_open(struct view *v, struct device *dev, uint32_t cqe_size, bool lazy)
{
	struct mlx5dv_cq plain = { .cqe_cnt = RIG_CQES,
				   .cqe_size = cqe_size,
				   .dbrec = v->record };

	rig_open(&v->side, dev, cqe_size);
	v->lazy = lazy;
	plain.buf = made(aligned_alloc(64, (size_t)RIG_CQES * cqe_size));
	dv_cq_blank(plain.buf, RIG_CQES, cqe_size);
	ok(dv_cq_init(&v->cq, &plain));
	v->cq.ci = v->side.ci; /* libmlx5 has looked for its queues already */
}

/* ---- data inside the CQE ---- */

/* The slot or block, and where in it the data has to be: as far as the pieces are long. A READ
 * has as many as a receive, an atomic only the second. */
static uint32_t place(const struct view *v, const struct test_case *c)
{
	const struct rig_queue *q = &v->side.queue[c->kind];

	return c->counter % (c->opcode == MLX5_CQE_REQ ? q->sq.wqe_cnt : RIG_SLOTS);
}

static bool only_second(const struct test_case *c)
{
	return c->opcode == MLX5_CQE_REQ && c->send_opcode != MLX5_OPCODE_RDMA_READ;
}

/* @data, and nothing else, is in the pieces; they are cleaned. */
static bool arrived(struct view *v, const struct test_case *c, const uint8_t *data)
{
	struct rig_queue *q = &v->side.queue[c->kind];
	uint32_t left = c->inside, len, slot = place(v, c);
	uint8_t(*at)[RIG_PIECE] =
		c->opcode == MLX5_CQE_REQ ? q->sent_to[slot] : q->received[slot];
	bool same = true;

	for (unsigned int i = only_second(c); i < RIG_SGES; i++) {
		len = rig_length(slot, i) < left ? rig_length(slot, i) : left;
		same &= !memcmp(at[i], data, len);
		for (uint32_t rest = len; rest < RIG_PIECE; rest++)
			same &= !at[i][rest];
		memset(at[i], 0, RIG_PIECE);
		data += len;
		left -= len;
	}
	return same;
}

/* The bytes that libmlx5 copies: the data, except for wrong_address. */
static const uint8_t *as_libmlx5_takes_it(const struct view *v, const struct test_case *c,
					  uint8_t taken[64])
{
	const uint8_t *slot =
		(uint8_t *)v->side.ring.buf + (size_t)(c->ci & v->cq.mask) * v->side.cqe_size;
	const struct mlx5_cqe64 *cqe = (const void *)(c->slot + v->side.cqe_size - 64);

	if (c->opcode != MLX5_CQE_REQ || v->side.cqe_size == 64)
		return c->data;
	met[WRONG_ADDRESS]++;
	memcpy(taken, slot - (cqe->op_own & MLX5_INLINE_SCATTER_32 ? 0 : 1), 64);
	return taken;
}

/* The expected buffer: the data; an atomic's in the order of the host. */
static const uint8_t *in_host_order(const struct test_case *c, uint8_t turned[8])
{
	uint64_t answer;

	if (!only_second(c))
		return c->data;
	met[ATOMIC_ORDER]++;
	memcpy(&answer, c->data, sizeof(answer));
	answer = be64toh(answer);
	memcpy(turned, &answer, sizeof(answer));
	return turned;
}

/* ---- one case ---- */

static void put(struct view *v, const struct test_case *c)
{
	size_t at = (c->ci & v->cq.mask) * (size_t)v->side.cqe_size;
	char *ring = v->cq.cqe64 + 64 - v->side.cqe_size;

	memcpy((char *)v->side.ring.buf + at, c->slot, v->side.cqe_size);
	memcpy(ring + at, c->slot, v->side.cqe_size);
}

/* Applies the defects of libmlx5 to its expected results. */
static void forgive(struct result *want, struct view *v, const struct test_case *c)
{
	if (c->is == CASE_REFUSED) {
		met[POLL_ERROR]++;
		want->found = -1;
		want->defined = 0;
	}
	met[NO_STATUS] += c->is == CASE_UNREAD;
	if (RDMA_CORE < 55 && c->out_of_order && want->defined & 1u << RESULT_WR_ID) {
		met[OUT_OF_ORDER]++;
		result_set(want, RESULT_WR_ID, rig_wr_id(c->kind, false, c->tail % RIG_SLOTS));
	}
	if (c->is != CASE_DONE || c->opcode != MLX5_CQE_REQ ||
	    !(want->defined & 1u << RESULT_OPCODE))
		return;
	met[REQUESTER_FLAGS]++;
	if (v->lazy)
		result_set(want, RESULT_FLAGS,
			   dv_cqe_grh((const void *)(c->slot + v->side.cqe_size - 64))
				   ? IBV_WC_GRH
				   : 0);
	else
		result_set(want, RESULT_FLAGS,
			   c->send_opcode == MLX5_OPCODE_SEND_IMM ||
					   c->send_opcode == MLX5_OPCODE_RDMA_WRITE_IMM
				   ? IBV_WC_WITH_IMM
				   : 0);
}

static void compare(struct view *v, struct test_case *c, const struct result *got,
		    const struct result *want)
{
	char text[128];

	if (got->found != want->found) {
		snprintf(text, sizeof(text), "found: %d, dv %d", got->found, want->found);
		fail(v, c, text);
	}
	for (int i = 0; i < RESULT_FIELDS; i++) {
		if (!(got->defined & want->defined & 1u << i) ||
		    got->field[i] == want->field[i])
			continue;
		snprintf(text, sizeof(text), "%s: 0x%lx, dv 0x%lx", result_field_name[i],
			 got->field[i], want->field[i]);
		fail(v, c, text);
	}
}

static void check(struct view *v, struct test_case *c, const struct result *got)
{
	const struct mlx5_cqe64 *cqe;
	struct result want;
	uint8_t taken[64];

	if (c->inside && c->is == CASE_DONE && !arrived(v, c, as_libmlx5_takes_it(v, c, taken)))
		fail(v, c, "libmlx5 put the data elsewhere");
	cqe = dv_cq_poll(&v->cq);
	result_direct(&want, &v->side, c, cqe, v->lazy);
	if (c->inside && c->is == CASE_DONE && !arrived(v, c, in_host_order(c, taken)))
		fail(v, c, "dv put the data elsewhere");
	forgive(&want, v, c);
	compare(v, c, got, &want);
	dv_cq_release(&v->cq);
}

static void poll_and_check(struct view *v, struct test_case *c, unsigned int n)
{
	struct result got[BATCH];

	if (v->lazy) {
		result_start_poll(got, n, &v->side);
	} else {
		for (unsigned int i = 0; i < n; i++)
			result_poll_cq(&got[i], &v->side);
	}
	for (unsigned int i = 0; i < n; i++)
		check(v, &c[i], &got[i]);
	if (!v->lazy && be32toh(v->side.ring.dbrec[0]) != (v->side.ci & 0xffffff))
		fail(v, &c[n - 1], "libmlx5's record");
	if (v->cq.ci != v->side.ci || be32toh(v->record[0]) != (v->cq.ci & 0xffffff))
		fail(v, &c[n - 1], "dv's record");
}

/* The same CQE, for the queues of the other side. */
static struct test_case elsewhere(const struct test_case *c, struct view *v)
{
	struct test_case other = *c;
	struct mlx5_cqe64 *cqe = case_cqe(&other, v->side.cqe_size);
	uint32_t top = be32toh(cqe->srqn_uidx) & 0xff000000;

	if (c->is == CASE_DONE)
		cqe->srqn_uidx = htobe32(top | v->side.queue[c->kind].uidx);
	return other;
}

/* Data that arrives in the same slot twice could not be distinguished. */
static bool again(const struct test_case *c, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (c[i].inside && c[n].inside && c[i].kind == c[n].kind &&
		    c[i].counter % RIG_SLOTS == c[n].counter % RIG_SLOTS)
			return true;
	return false;
}

static void batch(struct view pair[2])
{
	struct test_case c[BATCH], other[BATCH];
	unsigned int n = 1 + (unsigned int)(case_random() >> 40) % BATCH, i;

	for (i = 0; i < n; i++) {
		do
			case_make(&c[i], &pair[0].side, i, i == n - 1);
		while (again(c, i));
		case_count(&c[i], &pair[0].side);
		case_count(&c[i], &pair[1].side);
		put(&pair[0], &c[i]);
		other[i] = elsewhere(&c[i], &pair[1]);
		put(&pair[1], &other[i]);
	}
	poll_and_check(&pair[0], c, n);
	poll_and_check(&pair[1], other, n);
	cases += n;
}

static uint64_t arguments(int argc, char **argv)
{
	static const struct option options[] = { { "seed", required_argument, NULL, 's' },
						 { "count", required_argument, NULL, 'c' },
						 { "long", no_argument, NULL, 'l' },
						 { 0 } };
	uint64_t count = 1000000;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (opt == 'l')
			count = 10000000;
		else
			exit(2);
	}
	return count;
}

int main(int argc, char **argv)
{
	uint64_t count = arguments(argc, argv);
	static struct device dev[SIZES]
				[2]; /* user indices are a context's: no two sides share one */

	if (!dvkit_emu_present()) {
		fprintf(stderr, "needs a device that can be paused: dvkit-emu\n");
		return 77;
	}
	/* libmlx5 prints every error CQE. */
	setenv("MLX5_DEBUG_FILE", "/dev/null", 1);
	printf("seed %lu, %lu cases\n", seed, count);
	case_seed(seed);
	for (int size = 0; size < SIZES; size++) {
		for (int lazy = 0; lazy < 2; lazy++) {
			dev[size][lazy] =
				device_open((struct options){ .port = 1, .gid_index = -1 });
			ok(dvkit_emu_pause());
			view_open(&views[size][lazy], &dev[size][lazy], size ? 128 : 64, lazy);
		}
	}
	rig_tell(&views[0][0].side);
	while (cases < count)
		batch(views[case_random() >> 40 & 1]);
	for (int i = 0; i < DEFECTS; i++)
		printf("%-16s %lu\n", defect_name[i], met[i]);
	for (int i = 0; i < SIZES * 2; i++)
		lists_compare(&views[i / 2][i % 2].side);
	sessions_compare(&views[0][1].side, SESSIONS);
	posts_compare(&dev[0][0], QUEUES);
	return 0;
}
