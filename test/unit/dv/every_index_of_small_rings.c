/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ring arithmetic for every index, not for samples: small rings, all 65536 values of the
 * counters, all fillings, all lengths; and all 2^24 values of the CQ's record. Against plain
 * numbers that do not wrap.
 */
#include "queue.h"

enum {
	INDICES = 65536,
	LARGEST = 16,
};

/* Asserting costs more than what is asserted. */
#define CHECK(condition, ...)                              \
	do {                                               \
		if (!(condition))                          \
			cr_assert(condition, __VA_ARGS__); \
	} while (0)

/* ---- send queue ---- */

static bool is_nop(uint16_t idx, uint32_t cnt)
{
	const uint8_t *nop = m.ring + idx % cnt * DV_WQE_BB;

	return nop[0] == 0 && nop[1] == idx >> 8 && nop[2] == (idx & 0xff) &&
	       nop[3] == MLX5_OPCODE_NOP && nop[7] == 1 && nop[11] == 0;
}

/* A WQE of @nbb blocks at index @pi, after @used blocks. */
static void one_wqe(uint32_t cnt, uint16_t pi, uint32_t used, uint32_t nbb)
{
	uint32_t edge = cnt - pi % cnt, pad = nbb > edge ? edge : 0;
	bool fits = nbb <= m.sq.max_nbb && used + pad + nbb <= cnt;
	uint16_t at = (uint16_t)(pi + (fits ? pad : 0));
	struct mlx5_cqe64 cqe;
	uint8_t *wqe, *body;

	m.sq.pi = pi;
	m.sq.ci = (uint16_t)(pi - used);
	CHECK(dv_sq_space(&m.sq) == cnt - used, "space: ring %u, pi %u, used %u", cnt, pi,
	      used);
	body = dv_sq_reserve(&m.sq, nbb);
	CHECK((body != NULL) == fits, "fits: ring %u, pi %u, used %u, nbb %u", cnt, pi, used,
	      nbb);
	CHECK(m.sq.pi == at, "padding: ring %u, pi %u, used %u, nbb %u", cnt, pi, used, nbb);
	if (!fits)
		return;
	for (uint32_t i = 0; i < pad; i++)
		CHECK(is_nop((uint16_t)(pi + i), cnt), "NOP: ring %u, pi %u + %u", cnt, pi, i);
	wqe = body - DV_WQE_DS;
	CHECK(wqe == m.ring + at % cnt * DV_WQE_BB, "place: ring %u, pi %u, nbb %u", cnt, pi,
	      nbb);
	CHECK(wqe + nbb * DV_WQE_BB <= m.ring + cnt * DV_WQE_BB, "wraps: ring %u, pi %u", cnt,
	      pi);
	dv_sq_commit(&m.sq, wqe + nbb * DV_WQE_BB - pi % 4 * DV_WQE_DS, MLX5_OPCODE_SEND, 0, 0,
		     0);
	CHECK(wqe[1] == at >> 8 && wqe[2] == (at & 0xff), "index: ring %u, pi %u", cnt, pi);
	CHECK(dv_sq_last_slot(&m.sq) == at % cnt, "slot: ring %u, pi %u", cnt, pi);
	CHECK(m.sq.pi == (uint16_t)(at + nbb), "commit: ring %u, pi %u, nbb %u", cnt, pi, nbb);
	CHECK(dv_sq_space(&m.sq) == cnt - used - pad - nbb, "credits: ring %u, pi %u", cnt, pi);
	dv_sq_record(&m.sq);
	CHECK(be32toh(m.dbrec[MLX5_SND_DBR]) == (uint16_t)(at + nbb), "record: pi %u", pi);
	cqe = memory_cqe(at);
	dv_sq_retire(&m.sq, &cqe);
	CHECK(m.sq.ci == m.sq.pi && dv_sq_space(&m.sq) == cnt, "retire: ring %u, pi %u", cnt,
	      pi);
}

static void every_wqe(uint32_t cnt)
{
	memory_start(&m, cnt, 64);
	for (uint32_t pi = 0; pi < INDICES; pi++)
		for (uint32_t used = 0; used <= cnt; used++)
			for (uint32_t nbb = 1; nbb <= m.sq.max_nbb + 1u; nbb++)
				one_wqe(cnt, (uint16_t)pi, used, nbb);
}

Test(every_index, of_send_queues)
{
	for (uint32_t cnt = 1; cnt <= 2 * LARGEST; cnt *= 2) /* there the longest WQE is 15 */
		every_wqe(cnt);
}

/* A CQE of the last of several frees them all, wherever they lie. */
Test(every_index, retires_what_came_before)
{
	struct mlx5_cqe64 cqe;
	uint8_t *body;

	for (uint32_t cnt = 1; cnt <= LARGEST; cnt *= 2) {
		memory_start(&m, cnt, 64);
		for (uint32_t pi = 0; pi < INDICES; pi++) {
			m.sq.pi = m.sq.ci = (uint16_t)pi;
			for (uint32_t i = 0; i < cnt; i++) {
				body = dv_sq_reserve(&m.sq, 1);
				CHECK(body, "ring %u, pi %u + %u", cnt, pi, i);
				dv_sq_commit(&m.sq, body + i % 4 * DV_WQE_DS, 0, 0, 0, 0);
			}
			CHECK(!dv_sq_reserve(&m.sq, 1), "full: ring %u, pi %u", cnt, pi);
			for (uint32_t i = 0; i < cnt; i++) {
				cqe = memory_cqe((uint16_t)(pi + i));
				dv_sq_retire(&m.sq, &cqe);
				CHECK(dv_sq_space(&m.sq) == i + 1, "ring %u, pi %u + %u", cnt,
				      pi, i);
			}
		}
	}
}

/* ---- receive queue ---- */

static void one_receive(struct dv_rq *rq, uint16_t pi, uint32_t used)
{
	struct ibv_sge sge = { (uint64_t)pi << 16 | used, 1, 1 };
	bool fits = used < rq->wqe_cnt;
	struct mlx5_cqe64 cqe;

	rq->pi = pi;
	rq->ci = (uint16_t)(pi - used);
	CHECK(!dv_rq_post(rq, &sge, 1) == fits, "ring %u, pi %u, used %u", rq->wqe_cnt, pi,
	      used);
	CHECK(rq->pi == (uint16_t)(pi + fits), "ring %u, pi %u", rq->wqe_cnt, pi);
	if (!fits)
		return;
	CHECK(be64toh(((struct mlx5_wqe_data_seg *)m.ring)[pi % rq->wqe_cnt * 2].addr) ==
		      sge.addr,
	      "slot: ring %u, pi %u", rq->wqe_cnt, pi);
	dv_rq_doorbell(rq);
	CHECK(be32toh(m.dbrec[MLX5_RCV_DBR]) == (uint16_t)(pi + 1), "record: pi %u", pi);
	cqe = memory_cqe(rq->ci);
	dv_rq_retire(rq, &cqe);
	CHECK((uint16_t)(rq->pi - rq->ci) == used, "ring %u, pi %u", rq->wqe_cnt, pi);
}

Test(every_index, of_receive_queues)
{
	struct mlx5dv_qp qp = { .dbrec = m.dbrec };

	for (uint32_t cnt = 1; cnt <= LARGEST; cnt *= 2) {
		memory_start(&m, 1, 64);
		m.dbrec[MLX5_RCV_DBR] = 0;
		qp.rq.buf = m.ring;
		qp.rq.wqe_cnt = cnt;
		qp.rq.stride = 32;
		cr_assert_eq(dv_rq_init(&m.rq, &qp), 0);
		for (uint32_t pi = 0; pi < INDICES; pi++)
			for (uint32_t used = 0; used <= cnt; used++)
				one_receive(&m.rq, (uint16_t)pi, used);
	}
}

/* ---- completion queue ---- */

static struct mlx5_cqe64 cqes[LARGEST];
static __be32 record[2];
static uint64_t arm_reg[8];

static struct dv_cq cq_of(uint32_t cnt)
{
	struct mlx5dv_cq plain = { .buf = cqes,
				   .cqe_cnt = cnt,
				   .cqe_size = 64,
				   .dbrec = record,
				   .cq_uar = arm_reg,
				   .cqn = 5 };
	struct dv_cq cq;

	record[0] = record[1] = 0;
	cr_assert_eq(dv_cq_init(&cq, &plain), 0);
	return cq;
}

/* The ring as it is when the device has written all indices below @pi. */
static void written(uint32_t cnt, uint32_t pi)
{
	dv_cq_blank(cqes, cnt, 64);
	for (uint32_t i = pi < cnt ? 0 : pi - cnt; i < pi; i++) {
		cqes[i % cnt].op_own = (uint8_t)(i / cnt & 1);
		cqes[i % cnt].wqe_counter = htobe16((uint16_t)i);
	}
}

/* All indices, all numbers of CQEs that wait: so many are found, in order, and no more. */
static void every_cqe(uint32_t cnt)
{
	struct dv_cq cq = cq_of(cnt);
	const struct mlx5_cqe64 *cqe;

	for (uint32_t ci = 0; ci < INDICES; ci++) {
		for (uint32_t waiting = 0; waiting <= cnt; waiting++) {
			written(cnt, ci + waiting);
			cq.ci = ci;
			for (uint32_t i = 0; i < waiting; i++) {
				cqe = dv_cq_poll(&cq);
				CHECK(cqe, "ring %u, ci %u + %u of %u", cnt, ci, i, waiting);
				CHECK(dv_cqe_wqe_counter(cqe) == (uint16_t)(ci + i), "ring %u",
				      cnt);
			}
			CHECK(!dv_cq_poll(&cq), "ring %u, ci %u, %u waited", cnt, ci, waiting);
			CHECK(cq.ci == ci + waiting, "ring %u, ci %u", cnt, ci);
		}
	}
}

Test(every_index, of_completion_queues)
{
	for (uint32_t cnt = 1; cnt <= LARGEST; cnt *= 2)
		every_cqe(cnt);
}

/* Once around the 24 bits of the record, and the arm record beside it. */
Test(every_index, of_the_record_of_a_cq)
{
	struct dv_cq cq = cq_of(4);
	uint32_t ci, word;

	written(4, 0);
	for (ci = 0; ci < (1 << 24) + 8; ci++) {
		cqes[ci % 4].op_own = ci / 4 & 1;
		CHECK(dv_cq_poll(&cq), "%u", ci);
		dv_cq_release(&cq);
		CHECK(be32toh(record[0]) == ((ci + 1) & 0xffffff), "%u", ci);
		if (ci % 61)
			continue;
		dv_cq_arm(&cq, ci & 1);
		word = (cq.arm_sn & 3) << 28 | (ci & 1) << 24 | ((ci + 1) & 0xffffff);
		CHECK(be32toh(record[1]) == word, "%u", ci);
		CHECK(be64toh(arm_reg[4]) == ((uint64_t)word << 32 | 5), "%u", ci);
		dv_cq_event(&cq);
	}
}

/* An ordinary CQ whose counter passes 2^32. */
Test(every_index, survives_the_wrap_of_ci)
{
	struct dv_cq cq = cq_of(8);

	cq.ci = 0xfffffff0;
	for (uint64_t i = 0xfffffff0; i < 0x100000010; i++) {
		cqes[i % 8].op_own = i / 8 & 1;
		CHECK(dv_cq_poll(&cq), "0x%lx", i);
		cqes[(i + 1) % 8].op_own = !((i + 1) / 8 & 1);
		CHECK(!dv_cq_poll(&cq), "0x%lx", i);
	}
}
