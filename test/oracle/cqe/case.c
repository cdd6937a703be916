/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/cqe/case.h"

static uint64_t state;

void case_seed(uint64_t seed)
{
	state = seed ^ 0x9e3779b97f4a7c15;
}

/* xorshift64* (Vigna, 2016) */
uint64_t case_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(case_random() >> 33) % n;
}

static bool one_in(uint32_t n)
{
	return !below(n);
}

static uint8_t pick(const uint8_t *list, size_t n)
{
	return list[below((uint32_t)n)];
}

static void set_be16(struct mlx5_cqe64 *cqe, size_t at, uint16_t value)
{
	value = htobe16(value);
	memcpy((char *)cqe + at, &value, sizeof(value));
}

/* The opcode is one that WQEs have, and sometimes one that they do not. */
static uint8_t random_send_opcode(void)
{
	static const uint8_t usual[] = {
		MLX5_OPCODE_SEND,
		MLX5_OPCODE_SEND_IMM,
		MLX5_OPCODE_SEND_INVAL,
		MLX5_OPCODE_RDMA_WRITE,
		MLX5_OPCODE_RDMA_WRITE_IMM,
		MLX5_OPCODE_RDMA_READ,
		MLX5_OPCODE_ATOMIC_CS,
		MLX5_OPCODE_ATOMIC_FA,
		MLX5_OPCODE_TSO,
		MLX5_OPCODE_NOP,
		MLX5_OPCODE_UMR,
		MLX5_OPCODE_SET_PSV,
	};

	return one_in(16) ? (uint8_t)case_random() : pick(usual, sizeof(usual));
}

/* Data inside: as much as there is space for in the CQE, which its list may not have. */
static void put_inside(struct test_case *c, uint32_t cqe_size, uint32_t count)
{
	/* Not in slot 0: libmlx5's wrong address (main.c) is in front of the ring. */
	bool in_front = cqe_size == 128 && c->ci % RIG_CQES && one_in(2);
	uint32_t size = in_front ? 64 : 32;
	struct mlx5_cqe64 *cqe = case_cqe(c, cqe_size);
	uint8_t *at = in_front ? c->slot : (uint8_t *)cqe;

	c->inside = count && count < size ? count : below(size + 1);
	cqe->op_own |= in_front ? MLX5_INLINE_SCATTER_64 : MLX5_INLINE_SCATTER_32;
	memcpy(c->data, at, size);
}

static void requester(struct test_case *c, const struct rig_queue *q, uint32_t cqe_size)
{
	static const uint8_t brings[4] = { MLX5_OPCODE_SEND, MLX5_OPCODE_ATOMIC_FA,
					   MLX5_OPCODE_ATOMIC_CS, MLX5_OPCODE_RDMA_READ };
	struct mlx5_cqe64 *cqe = case_cqe(c, cqe_size);
	uint32_t block = below(q->sent);

	c->counter = (uint16_t)(block + q->sq.wqe_cnt * below(65536 / q->sq.wqe_cnt));
	c->send_opcode = random_send_opcode();
	if (c->opcode == MLX5_CQE_REQ && block % 4 && one_in(3)) {
		c->send_opcode = brings[block % 4];
		put_inside(c, cqe_size, c->send_opcode == MLX5_OPCODE_RDMA_READ ? 0 : 8);
		cqe->byte_cnt = htobe32(c->inside);
	}
	cqe->sop_drop_qpn = htobe32((uint32_t)c->send_opcode << 24 | below(1 << 24));
}

/* The oldest receive, or any. */
static void responder(struct test_case *c, const struct rig_queue *q, uint32_t cqe_size)
{
	struct mlx5_cqe64 *cqe = case_cqe(c, cqe_size);
	uint32_t size;

	if (rig_is_shared(c->kind)) {
		c->counter = (uint16_t)below(RIG_SLOTS - 1);
	} else {
		c->tail = q->tail;
		c->counter = (uint16_t)q->tail;
		c->out_of_order = one_in(64);
		c->counter += c->out_of_order ? 1 + below(RIG_SLOTS - 1) : 0;
	}
	if (c->opcode == MLX5_CQE_RESP_ERR || c->out_of_order || !rig_scatters(c->kind) ||
	    !one_in(3))
		return;
	put_inside(c, cqe_size, 0);
	size = rig_length(c->counter % RIG_SLOTS, 0) + rig_length(c->counter % RIG_SLOTS, 1);
	if (rig_is_shared(c->kind) && c->inside > size)
		c->inside = size;
	cqe->byte_cnt = htobe32(c->inside);
}

static void error(struct test_case *c, struct mlx5_cqe64 *cqe)
{
	static const uint8_t known[] = { 0x01, 0x02, 0x04, 0x05, 0x06, 0x10, 0x11,
					 0x12, 0x13, 0x14, 0x15, 0x16, 0x22 };
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	c->syndrome = one_in(8) ? (uint8_t)case_random() : pick(known, sizeof(known));
	err->syndrome = c->syndrome;
	/* The page fault of an SRQ: libmlx5 posts it again and shows nothing. */
	if (err->vendor_err_synd == MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT)
		err->vendor_err_synd = 0;
}

/* An unknown queue, NO_PACKET without tags, a signature error of no mkey. */
static void refused(struct test_case *c, struct mlx5_cqe64 *cqe)
{
	static const uint8_t any[] = { MLX5_CQE_REQ, MLX5_CQE_RESP_SEND, MLX5_CQE_REQ_ERR,
				       MLX5_CQE_RESP_ERR };

	c->is = CASE_REFUSED;
	c->opcode = pick(any, sizeof(any));
	cqe->srqn_uidx = htobe32(0xff0000 | below(1 << 16));
	if (one_in(3)) {
		c->opcode = one_in(2) ? MLX5_CQE_NO_PACKET : MLX5_CQE_SIG_ERR;
		cqe->app = 0;
		((struct dv_sig_err_cqe *)cqe)->mkey = 0;
		if (c->opcode == MLX5_CQE_SIG_ERR)
			cqe->imm_inval_pkey = 0;
	}
}

static void unread(struct test_case *c)
{
	static const uint8_t rest[] = { MLX5_CQE_RESIZE_CQ, 7, 8, 9, 10, 11 };

	c->is = CASE_UNREAD;
	c->opcode = pick(rest, sizeof(rest));
}

static void choose(struct test_case *c, struct rig_side *side)
{
	static const uint8_t received[] = { MLX5_CQE_RESP_WR_IMM, MLX5_CQE_RESP_SEND,
					    MLX5_CQE_RESP_SEND_IMM, MLX5_CQE_RESP_SEND_INV };
	uint32_t dice = below(100);

	do
		c->kind = below(RIG_QUEUES);
	while (!side->queue[c->kind].there);
	if (dice < 35) {
		c->kind = RIG_RC;
		c->opcode = MLX5_CQE_REQ;
	} else if (dice < 75) {
		c->opcode = pick(received, sizeof(received));
	} else if (dice < 83) {
		c->kind = RIG_RC;
		c->opcode = MLX5_CQE_REQ_ERR;
	} else {
		c->opcode = MLX5_CQE_RESP_ERR;
	}
}

static void fill(struct test_case *c, struct rig_side *side)
{
	const struct rig_queue *q = &side->queue[c->kind];
	struct mlx5_cqe64 *cqe = case_cqe(c, side->cqe_size);

	cqe->app = 0;
	cqe->srqn_uidx = htobe32(below(256) << 24 | q->uidx);
	if (c->opcode == MLX5_CQE_REQ_ERR || c->opcode == MLX5_CQE_RESP_ERR)
		error(c, cqe);
	if (c->opcode == MLX5_CQE_REQ || c->opcode == MLX5_CQE_REQ_ERR)
		requester(c, q, side->cqe_size);
	else
		responder(c, q, side->cqe_size);
	set_be16(cqe, offsetof(struct mlx5_cqe64, wqe_counter), c->counter);
}

/* Makes the CQE one of the last pass, or of no opcode. */
static void take_back(struct test_case *c, struct mlx5_cqe64 *cqe)
{
	c->is = CASE_NOTHING;
	if (one_in(2))
		cqe->op_own ^= MLX5_CQE_OWNER_MASK;
	else
		cqe->op_own |= MLX5_CQE_INVALID << 4;
}

void case_make(struct test_case *c, struct rig_side *side, uint32_t ahead, bool last)
{
	struct mlx5_cqe64 *cqe = case_cqe(c, side->cqe_size);
	uint32_t dice = last ? below(100) : 50;

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < sizeof(c->slot); i += sizeof(uint64_t)) {
		uint64_t word = case_random();

		memcpy(c->slot + i, &word, sizeof(word));
	}
	c->ci = side->ci + ahead;
	choose(c, side);
	cqe->op_own = (uint8_t)(one_in(2) << 1);
	if (dice < 10)
		refused(c, cqe);
	else if (dice < 15)
		unread(c);
	else
		fill(c, side);
	cqe->op_own |= (uint8_t)(c->opcode << 4 | !!(c->ci & side->ring.cqe_cnt));
	if (dice >= 85)
		take_back(c, cqe);
}

void case_count(const struct test_case *c, struct rig_side *side)
{
	if (c->is == CASE_DONE && c->opcode != MLX5_CQE_REQ && c->opcode != MLX5_CQE_REQ_ERR)
		side->queue[c->kind].tail++;
}
