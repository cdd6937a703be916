/* SPDX-License-Identifier: BSD-2-Clause */
/* A device in ten lines writes CQEs pass after pass; the poller sees each once, in order. */
#include "memory.h"

enum {
	SLOTS = 4,
};

struct cq_memory {
	uint8_t ring[SLOTS * 128] __attribute__((aligned(128)));
	__be32 dbrec[2];
	uint32_t size, pi;
	struct dv_cq cq;
};

static void cq_start(struct cq_memory *m, uint32_t size)
{
	struct mlx5dv_cq dvcq = { .buf = m->ring,
				  .dbrec = m->dbrec,
				  .cqe_cnt = SLOTS,
				  .cqe_size = size,
				  .cqn = 0x99 };
	int i;

	*m = (struct cq_memory){ .size = size };
	for (i = 0; i < SLOTS; i++)
		m->ring[i * size + size - 1] = 0xf0;
	cr_assert_eq(dv_cq_init(&m->cq, &dvcq), 0);
}

/* The device's side: the owner bit is the parity of the pass. */
static void cq_complete(struct cq_memory *m, uint8_t opcode)
{
	uint8_t *slot = m->ring + m->pi % SLOTS * m->size + m->size - 64;

	slot[60] = (uint8_t)(m->pi >> 8);
	slot[61] = (uint8_t)m->pi;
	slot[63] = (uint8_t)(opcode << 4 | (m->pi / SLOTS & 1));
	m->pi++;
}

static void laps(uint32_t size)
{
	const struct mlx5_cqe64 *cqe;
	static struct cq_memory m;
	uint32_t i, j, taken = 0;

	cq_start(&m, size);
	cr_assert_null(dv_cq_poll(&m.cq), "a new ring is empty");
	for (i = 0; i < 40; i++) {
		for (j = 0; j <= i % SLOTS; j++)
			cq_complete(&m, MLX5_CQE_REQ);
		for (j = 0; j <= i % SLOTS; j++) {
			cqe = dv_cq_poll(&m.cq);
			cr_assert_not_null(cqe);
			cr_assert_eq(dv_cqe_wqe_counter(cqe), taken++);
		}
		cr_assert_null(dv_cq_poll(&m.cq), "pass %u", taken / SLOTS);
		dv_cq_release(&m.cq);
		cr_assert_eq(be32toh(m.dbrec[0]), taken);
	}
	cr_assert_eq(m.dbrec[1], 0, "the arm record is not touched");
}

Test(cq, owner_follows_the_pass)
{
	laps(64);
}

Test(cq, slot_of_128_bytes_has_its_cqe_in_the_second_half)
{
	laps(128);
}

Test(cq, invalid_opcode_is_no_cqe_whatever_the_owner)
{
	static struct cq_memory m;

	cq_start(&m, 64);
	m.ring[63] = 0xf0;
	cr_assert_null(dv_cq_poll(&m.cq));
	m.ring[63] = 0xf1;
	cr_assert_null(dv_cq_poll(&m.cq));
	m.ring[63] = 0x01;
	cr_assert_null(dv_cq_poll(&m.cq), "owner 1 belongs to the second pass");
	m.ring[63] = 0x00;
	cr_assert_not_null(dv_cq_poll(&m.cq));
}

Test(cq, release_writes_24_bits_once_per_batch)
{
	static struct cq_memory m;

	cq_start(&m, 64);
	m.pi = m.cq.ci = 0xfffffe;
	cq_complete(&m, MLX5_CQE_REQ);
	cq_complete(&m, MLX5_CQE_REQ);
	cq_complete(&m, MLX5_CQE_REQ);
	while (dv_cq_poll(&m.cq))
		cr_assert_eq(m.dbrec[0], 0, "poll releases nothing");
	dv_cq_release(&m.cq);
	cr_assert_eq(be32toh(m.dbrec[0]), 1);
}

/* ci passes 2^32: parity and slot go on. */
Test(cq, counter_may_wrap)
{
	static struct cq_memory m;
	int i;

	cq_start(&m, 64);
	m.pi = m.cq.ci = 0xfffffffc;
	for (i = 0; i < SLOTS; i++)
		m.ring[i * 64 + 63] = 0x00;
	for (i = 0; i < 3 * SLOTS; i++) {
		cr_assert_null(dv_cq_poll(&m.cq));
		cq_complete(&m, MLX5_CQE_REQ);
		cr_assert_not_null(dv_cq_poll(&m.cq));
	}
}
