/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs of a destroyed QP vanish; the others stay in order, whatever the pass and the size. */
#include "memory.h"

enum {
	SLOTS = 8,
	MINE = 0x123456,
	OTHER = 0x654321,
};

static struct {
	uint8_t ring[SLOTS * 128] __attribute__((aligned(128)));
	__be32 dbrec[2];
	uint32_t size, pi;
	struct dv_cq cq;
} m;

static void start(uint32_t size)
{
	struct mlx5dv_cq dvcq = {
		.buf = m.ring, .dbrec = m.dbrec, .cqe_cnt = SLOTS, .cqe_size = size
	};

	memset(&m, 0, sizeof(m));
	m.size = size;
	for (int i = 0; i < SLOTS; i++)
		m.ring[i * size + size - 1] = 0xf0;
	cr_assert_eq(dv_cq_init(&m.cq, &dvcq), 0);
}

/* The device's side. The first byte of the slot identifies the CQE, as the wqe_counter does. */
static void complete(uint32_t qpn, uint8_t tag)
{
	uint8_t *slot = m.ring + m.pi % SLOTS * m.size, *cqe = slot + m.size - 64;

	slot[0] = tag;
	cqe[57] = (uint8_t)(qpn >> 16);
	cqe[58] = (uint8_t)(qpn >> 8);
	cqe[59] = (uint8_t)qpn;
	cqe[61] = tag;
	cqe[63] = (uint8_t)(MLX5_CQE_RESP_SEND << 4 | (m.pi / SLOTS & 1));
	m.pi++;
}

static void take(uint8_t tag)
{
	const struct mlx5_cqe64 *cqe = dv_cq_poll(&m.cq);

	cr_assert_not_null(cqe, "CQE %u", tag);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), tag);
	cr_assert_eq(*((const uint8_t *)(cqe + 1) - m.size), tag, "all of the slot moved");
}

static void nothing_left(void)
{
	cr_assert_null(dv_cq_poll(&m.cq));
	dv_cq_release(&m.cq);
	cr_assert_eq(be32toh(m.dbrec[0]), m.pi);
}

/* At every place of the ring: five CQEs, two of them to go. */
static void every_place(uint32_t size)
{
	start(size);
	for (int i = 0; i < 3 * SLOTS; i++) {
		complete(OTHER, 1);
		complete(MINE, 2);
		complete(OTHER, 3);
		complete(MINE, 4);
		complete(OTHER, 5);
		cr_assert_eq(dv_cq_clean(&m.cq, MINE), 2);
		cr_assert_eq(be32toh(m.dbrec[0]), m.pi - 3);
		take(1);
		take(3);
		take(5);
		nothing_left();
	}
}

Test(clean, keeps_the_others_in_order)
{
	every_place(64);
}

Test(clean, moves_128_byte_slots_whole)
{
	every_place(128);
}

Test(clean, of_an_empty_cq_does_nothing)
{
	start(64);
	cr_assert_eq(dv_cq_clean(&m.cq, MINE), 0);
	nothing_left();
}

Test(clean, empties_a_full_ring_of_one_qp)
{
	start(64);
	for (int i = 0; i < SLOTS; i++)
		complete(MINE, 9);
	cr_assert_eq(dv_cq_clean(&m.cq, MINE), SLOTS);
	nothing_left();
}

Test(clean, leaves_a_full_ring_of_others)
{
	start(64);
	for (int i = 0; i < SLOTS; i++)
		complete(OTHER, (uint8_t)i);
	cr_assert_eq(dv_cq_clean(&m.cq, MINE), 0);
	for (int i = 0; i < SLOTS; i++)
		take((uint8_t)i);
	nothing_left();
}

/* For each opcode: an SRQ gets back the WQEs of receives, and those alone. */
Test(clean, gives_back_what_was_received)
{
	static const struct {
		uint8_t opcode, given;
	} rows[] = {
		{ 0, 0 },  /* a request */
		{ 1, 1 },  /* RDMA WRITE with immediate */
		{ 2, 1 },  /* SEND */
		{ 3, 1 },  /* … with immediate */
		{ 4, 1 },  /* … with invalidation */
		{ 5, 0 },  /* resized */
		{ 12, 0 }, /* signature error */
		{ 13, 0 }, /* error of a request */
		{ 14, 1 }, /* error of a receive */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		static uint8_t ring[4 * 64] __attribute__((aligned(64)));
		static __be32 dbrec;
		struct mlx5dv_srq dvsrq = {
			.buf = ring, .dbrec = &dbrec, .stride = 64, .tail = 3
		};
		struct dv_srq srq;

		memset(ring, 0, sizeof(ring));
		start(64);
		cr_assert_eq(dv_srq_init(&srq, &dvsrq), 0);
		complete(MINE, 2);
		m.ring[63] = (uint8_t)(rows[i].opcode << 4);
		cr_assert_eq(dv_cq_clean_srq(&m.cq, MINE, &srq), 1);
		cr_expect_eq(srq.tail, rows[i].given ? 2 : 3, "opcode %u", rows[i].opcode);
		nothing_left();
	}
}

/* Polled CQEs stay the caller's, up to the release that clean implies. */
Test(clean, looks_only_at_what_was_not_polled)
{
	start(64);
	complete(MINE, 1);
	complete(MINE, 2);
	complete(OTHER, 3);
	take(1);
	cr_assert_eq(dv_cq_clean(&m.cq, MINE), 1);
	take(3);
	nothing_left();
}
