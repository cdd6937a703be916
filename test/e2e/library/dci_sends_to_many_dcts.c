/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DC: one initiator (DCI) whose queue dv has taken over, and several targets (DCT) that receive
 * into one SRQ. Every WQE names its target; data arrives where that one's rights allow it.
 */
#include "fixture.h"
#include "lib/connect.h"

enum {
	TARGETS = 3,
	SLOTS = 31,
	PIECE = 8192,
};

#define KEY 0x0bad0c0de0ddf00dull

static struct end dci;
static struct ibv_qp *dct[TARGETS];
static struct ibv_cq *ibcq;
static struct ibv_srq *ibsrq;
static struct dv_cq cq;
static struct dv_srq srq;
static struct dv_dest to[TARGETS];

static struct ibv_qp *create(enum mlx5dv_dc_type type, struct ibv_cq *on)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_DRIVER,
					    .send_cq = on,
					    .recv_cq = on,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = f.pd };
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					  .dc_init_attr = { .dc_type = type } };

	if (type == MLX5DV_DCTYPE_DCT) {
		attr.srq = ibsrq;
		dv.dc_init_attr.dct_access_key = KEY;
	} else {
		attr.cap = (struct ibv_qp_cap){ .max_send_wr = 64,
						.max_send_sge = 4,
						.max_inline_data = 64 };
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	}
	return mlx5dv_create_qp(f.ctx, &attr, &dv);
}

static struct ibv_ah_attr address(void)
{
	return path_by_port(&f.port, f.gid, (uint8_t)f.gid_index);
}

static void target_to_rtr(struct ibv_qp *qp)
{
	const struct ibv_qp_attr a = { .qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
							  IBV_ACCESS_REMOTE_READ |
							  IBV_ACCESS_REMOTE_ATOMIC,
				       .path_mtu = f.port.active_mtu,
				       .min_rnr_timer = 1,
				       .ah_attr = address() };

	cr_assert_eq(connect_dct(qp, &a), 0);
	cr_assert_neq(qp->qp_num, 0, "a DCT has its number from RTR on");
}

static void initiator_to_rts(struct ibv_qp *qp)
{
	const struct ibv_qp_attr a = { .path_mtu = f.port.active_mtu,
				       .timeout = 8,
				       .retry_cnt = 1,
				       .rnr_retry = 7,
				       .max_rd_atomic = 4,
				       .sq_psn = 0xfffff0 };

	cr_assert_eq(connect_dci(qp, &a), 0);
}

static void post(void)
{
	struct ibv_sge sge = dst_sge(dv_srq_next(&srq) * PIECE, PIECE);

	cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	dv_srq_doorbell(&srq);
}

static void name_targets(void)
{
	struct ibv_ah_attr attr = address();
	struct ibv_ah *ah = ibv_create_ah(f.pd, &attr);
	struct mlx5_wqe_av av;

	cr_assert_not_null(ah);
	cr_assert_eq(dv_av_from_ah(&av, ah), 0);
	for (int i = 0; i < TARGETS; i++)
		dv_dest_dc(&to[i], &av, dct[i]->qp_num, KEY);
	cr_assert_eq(ibv_destroy_ah(ah), 0);
}

static void start(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = SLOTS, .max_sge = 1 } };

	fixture_start();
	ibcq = ibv_create_cq(f.ctx, 255, NULL, NULL, 0);
	dci.ibcq = ibv_create_cq(f.ctx, 255, NULL, NULL, 0);
	ibsrq = ibv_create_srq(f.pd, &attr);
	cr_assert(ibcq && dci.ibcq && ibsrq);
	dci.qp = create(MLX5DV_DCTYPE_DCI, dci.ibcq);
	if (!dci.qp && errno == EOPNOTSUPP)
		cr_skip_test("the device has no DC");
	cr_assert_not_null(dci.qp, "%m");
	initiator_to_rts(dci.qp);
	for (int i = 0; i < TARGETS; i++) {
		dct[i] = create(MLX5DV_DCTYPE_DCT, ibcq);
		cr_assert_not_null(dct[i], "%m");
		target_to_rtr(dct[i]);
	}
	cr_assert_eq(dv_sq_map(&dci.sq, dci.qp), 0);
	cr_assert_eq(dv_cq_map(&dci.cq, dci.ibcq), 0);
	cr_assert_eq(dv_srq_map(&srq, ibsrq), 0);
	cr_assert_eq(dv_cq_map(&cq, ibcq), 0);
	for (int i = 0; i < SLOTS; i++)
		post();
	name_targets();
}

static void stop(void)
{
	if (!dci.qp)
		return; /* the device has none */
	for (int i = 0; i < TARGETS; i++)
		cr_assert_eq(ibv_destroy_qp(dct[i]), 0);
	fixture_destroy(&dci);
	cr_assert_eq(ibv_destroy_srq(ibsrq), 0);
	cr_assert_eq(ibv_destroy_cq(ibcq), 0);
	fixture_stop();
}

TestSuite(dc, .init = start, .fini = stop);

/* The next CQE of the targets: @len bytes of src from @at, for target @of. */
static void received(int of, uint8_t opcode, uint32_t at, uint32_t len)
{
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(&cq)))
		;
	cr_assert_eq(dv_cqe_opcode(cqe), opcode, "syndrome 0x%x", dv_cqe_syndrome(cqe));
	cr_assert_eq(dv_cqe_qpn(cqe), dct[of]->qp_num);
	cr_assert_eq(dv_cqe_byte_cnt(cqe), len);
	cr_assert_eq(dv_srq_retire(&srq, cqe), 0);
	if (opcode != MLX5_CQE_RESP_WR_IMM)
		cr_assert_arr_eq(f.dst + dv_cqe_wqe_counter(cqe) * PIECE, f.src + at, len);
	dv_cq_release(&cq);
	post();
}

static void send_to(const struct dv_dest *addr, const struct ibv_sge *sge)
{
	void *seg = dv_sq_reserve(&dci.sq, 2);

	cr_assert_not_null(seg);
	seg = dv_set_dest_seg(seg, addr);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(&dci.sq, seg, MLX5_OPCODE_SEND, 0, SIGNALLED, 0);
}

static void rdma(uint8_t opcode, const struct dv_dest *addr, struct dv_raddr there,
		 const struct ibv_sge *sge, __be32 imm)
{
	void *seg = dv_sq_reserve(&dci.sq, 2);

	cr_assert_not_null(seg);
	seg = dv_set_dest_seg(seg, addr);
	seg = dv_set_raddr_seg(seg, there);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(&dci.sq, seg, opcode, 0, SIGNALLED, imm);
}

static void atomic(uint8_t opcode, struct dv_raddr there, uint64_t swap_add, uint64_t compare,
		   const struct ibv_sge *sge)
{
	void *seg = dv_sq_reserve(&dci.sq, 2);

	cr_assert_not_null(seg);
	seg = dv_set_dest_seg(seg, &to[2]);
	seg = dv_set_raddr_seg(seg, there);
	seg = dv_set_cmp_swap_seg(seg, compare, swap_add);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(&dci.sq, seg, opcode, 0, SIGNALLED, 0);
}

Test(dc, sends_reach_the_target_that_the_wqe_names)
{
	for (uint32_t i = 0; i < 100; i++) {
		struct ibv_sge sge = src_sge(i * 16, 1 + i * 57);

		send_to(&to[i % TARGETS], &sge);
		ring(&dci);
		received(i % TARGETS, MLX5_CQE_RESP_SEND, i * 16, 1 + i * 57);
	}
}

/* All posted before the first is rung: the queue goes from target to target by itself. */
Test(dc, one_doorbell_serves_all_targets)
{
	for (uint32_t i = 0; i < 12; i++) {
		struct ibv_sge sge = src_sge(i, 3000);

		send_to(&to[i % TARGETS], &sge);
	}
	dv_sq_doorbell(&dci.sq);
	for (uint32_t i = 0; i < 12; i++) {
		success(&dci, MLX5_CQE_REQ);
		received(i % TARGETS, MLX5_CQE_RESP_SEND, i, 3000);
	}
}

/* The last quarter of dst: what the SRQ does not use. */
#define PLACE (SIZE / 4 * 3)

Test(dc, writes_and_reads_move_long_messages)
{
	struct dv_raddr there = dst_at(PLACE);
	struct ibv_sge from = src_sge(100, 100000), into = dst_sge(PLACE + 100000, 100000);

	rdma(MLX5_OPCODE_RDMA_WRITE, &to[1], there, &from, 0);
	rdma(MLX5_OPCODE_RDMA_READ, &to[1], there, &into, 0);
	ring(&dci);
	success(&dci, MLX5_CQE_REQ);
	cr_assert_arr_eq(f.dst + PLACE, f.src + 100, 100000);
	cr_assert_arr_eq(f.dst + PLACE + 100000, f.src + 100, 100000);
	rdma(MLX5_OPCODE_RDMA_WRITE_IMM, &to[1], there, &from, htobe32(7));
	ring(&dci);
	received(1, MLX5_CQE_RESP_WR_IMM, 0, 100000);
}

Test(dc, atomics_return_the_previous_value)
{
	struct dv_raddr there = dst_at(PLACE);
	struct ibv_sge into = dst_sge(PLACE + 64, 8);
	uint64_t word = 40;

	memcpy(f.dst + PLACE, &word, sizeof(word));
	atomic(MLX5_OPCODE_ATOMIC_FA, there, 2, 0, &into);
	ring(&dci);
	memcpy(&word, f.dst + PLACE + 64, sizeof(word));
	cr_assert_eq(word, 40);
	atomic(MLX5_OPCODE_ATOMIC_CS, there, 7, 42, &into);
	ring(&dci);
	memcpy(&word, f.dst + PLACE + 64, sizeof(word));
	cr_assert_eq(word, 42);
	memcpy(&word, f.dst + PLACE, sizeof(word));
	cr_assert_eq(word, 7);
}

static void back_to_rts(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	cr_assert_eq(ibv_modify_qp(dci.qp, &a, IBV_QP_STATE), 0);
	dv_sq_restart(&dci.sq);
	initiator_to_rts(dci.qp);
}

static void write_fails(const struct dv_dest *addr, struct dv_raddr there)
{
	struct ibv_sge from = src_sge(0, 100);
	struct mlx5_cqe64 cqe;

	rdma(MLX5_OPCODE_RDMA_WRITE, addr, there, &from, 0);
	dv_sq_doorbell(&dci.sq);
	cqe = completion(&dci);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ_ERR);
}

/* The initiator is in error, the target is not; a new start is enough. */
Test(dc, errors_end_with_the_initiator)
{
	struct dv_raddr there = dst_at(PLACE), bad_key = there;
	struct ibv_sge from = src_sge(0, 100);

	bad_key.rkey ^= 0xff;
	write_fails(&to[0], bad_key);
	back_to_rts();
	dv_dest_dc(&to[1], &to[0].seg.av, dct[1]->qp_num, KEY + 1);
	write_fails(&to[1], there);
	back_to_rts();
	rdma(MLX5_OPCODE_RDMA_WRITE, &to[0], there, &from, 0);
	ring(&dci);
	cr_assert_arr_eq(f.dst + PLACE, f.src, 100);
}
