/* SPDX-License-Identifier: BSD-2-Clause */
/* CQs whose ring is replaced while CQEs wait in it: by a firmware command under dv, and by
 * verbs before dv takes over. */
#include "devx_fixture.h"

TestSuite(resize, .init = devx_start, .fini = devx_stop);

enum {
	RESIZE = 1,	   /* op_mod of MODIFY_CQ: <linux/mlx5/cq.h> */
	SELECT_RESIZE = 7, /* log_cq_size, page_offset, log_page_size */
};

static struct devx_umem ring;

/* MODIFY_CQ: the CQ goes on in the umem. */
static void modify(uint32_t log_size)
{
	uint8_t in[PRM_SZ(modify_cq_in)] = { 0 }, out[PRM_SZ(modify_cq_out)];
	uint8_t *cqc = PRM_ADDR(modify_cq_in, in, cq_context);

	PRM_SET(modify_cq_in, in, opcode, PRM_OP_MODIFY_CQ);
	PRM_SET(modify_cq_in, in, op_mod, RESIZE);
	PRM_SET(modify_cq_in, in, cqn, x.cq.obj.id);
	PRM_SET(modify_field_select,
		PRM_ADDR(modify_cq_in, in, modify_field_select_resize_field_select),
		modify_field_select, SELECT_RESIZE);
	PRM_SET(modify_cq_in, in, cq_umem_valid, 1);
	PRM_SET(modify_cq_in, in, cq_umem_id, ring.id);
	PRM_SET(cqc, cqc, log_cq_size, log_size);
	devx_ok(devx_obj_modify(&x.cq.obj, in, sizeof(in), out, sizeof(out)));
}

static void send_one(uint32_t len)
{
	struct ibv_sge from = { (uintptr_t)x.src, len, x.mkey.key };
	struct ibv_sge to = { (uintptr_t)x.dst, 4096, x.mkey.key };

	cr_assert_eq(dv_rq_post(&x.b.rq, &to, 1), 0);
	dv_rq_doorbell(&x.b.rq);
	cr_assert_eq(dv_sq_send(&x.a.sq, 0, &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
}

static void received(uint32_t first, uint32_t last)
{
	struct mlx5_cqe64 cqe;

	for (uint32_t len = first; len <= last; len++) {
		cqe = devx_completion();
		cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_RESP_SEND);
		cr_assert_eq(dv_cqe_byte_cnt(&cqe), len);
		x.a.sq.ci++; /* the received message was sent */
	}
}

/* The CQE with index @ci is written. */
static void wait_for(uint32_t ci)
{
	struct dv_cq ahead = x.cq.cq;

	while (ahead.ci <= ci)
		dv_cq_poll(&ahead);
}

static void resized(uint32_t log_size)
{
	struct mlx5dv_cq to = { .cqe_cnt = 1u << log_size, .cqe_size = 64 };
	uint32_t ci = x.cq.cq.ci;

	to.buf = aligned_alloc(4096, 64 << log_size);
	dv_cq_blank(to.buf, to.cqe_cnt, 64);
	devx_ok(devx_umem_reg(&ring, x.ctx, to.buf, 64 << log_size, IBV_ACCESS_LOCAL_WRITE));
	for (uint32_t len = 1; len <= 8; len++)
		send_one(len);
	wait_for(ci + 7);
	cr_assert_eq(dv_cq_resize(&x.cq.cq, &to), EAGAIN, "the device does not know");
	received(1, 3);
	modify(log_size);
	for (uint32_t len = 9; len <= 12; len++)
		send_one(len);
	cr_assert_eq(dv_cq_resize(&x.cq.cq, &to), 0);
	received(4, 12);
	for (int i = 0; i < 3 << log_size; i++) {
		send_one(13);
		received(13, 13);
	}
}

Test(resize, makes_a_devx_cq_larger)
{
	resized(10);
}

Test(resize, makes_a_devx_cq_smaller)
{
	resized(6);
}

/* libmlx5's count of CQEs is not 0 after it. */
Test(resize, by_verbs_comes_before_the_map)
{
	struct ibv_cq *ibcq = ibv_create_cq(x.ctx, 31, NULL, NULL, 0);
	struct devx_qp_attr attr = devx_rc();
	struct dv_cq cq;
	struct mlx5dv_cq shown = { 0 };
	struct mlx5dv_obj obj = { .cq = { .in = ibcq, .out = &shown } };

	cr_assert_not_null(ibcq);
	cr_assert_eq(ibv_resize_cq(ibcq, 63), 0);
	cr_assert_eq(dv_cq_map(&cq, ibcq), 0);
	cr_assert_eq(cq.ci, 1, "the index of the RESIZE CQE");
	cr_assert_eq(cq.cqe_cnt, 64);
	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ), 0);
	devx_ok(devx_qp_destroy(&x.a));
	attr.send_cqn = shown.cqn;
	devx_ok(devx_qp_create(&x.a, x.ctx, &attr));
	devx_connect(&x.a, &x.a);
	for (int i = 0; i < 200; i++) {
		const struct mlx5_cqe64 *cqe;
		struct ibv_sge from = { (uintptr_t)x.src, 8, x.mkey.key };
		struct dv_raddr to = { (uintptr_t)x.dst, x.mkey.key };

		cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, to, &from, 1), 0);
		dv_sq_doorbell(&x.a.sq);
		while (!(cqe = dv_cq_poll(&cq)))
			;
		cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_REQ);
		dv_sq_retire(&x.a.sq, cqe);
		dv_cq_release(&cq);
	}
	devx_ok(devx_qp_destroy(&x.a));
	cr_assert_eq(ibv_destroy_cq(ibcq), 0);
	attr.send_cqn = x.cq.obj.id;
	devx_ok(devx_qp_create(&x.a, x.ctx, &attr));
}
