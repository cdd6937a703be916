/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors end in a CQE with the right reason; what was posted after it is flushed; the peer's
 * memory stays as it was. */
#include "fixture.h"

TestSuite(errors, .init = fixture_start, .fini = fixture_stop);

static struct mlx5_cqe64 failure(struct end *e, uint8_t syndrome)
{
	struct mlx5_cqe64 cqe = completion(e);
	char text[256];

	dv_cqe_format(text, sizeof(text), &cqe, sizeof(cqe), DV_LINE);
	cr_assert_eq(dv_cqe_syndrome(&cqe), syndrome, "%s", text);
	cr_assert_eq(dv_cqe_qpn(&cqe), e->qp->qp_num, "%s", text);
	return cqe;
}

Test(errors, wrong_rkey_is_a_remote_access_error_and_the_rest_is_flushed)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct dv_raddr wrong = dst_at(0);
	struct mlx5_cqe64 cqe;

	wrong.rkey ^= 0x5500;
	cr_assert_eq(dv_sq_write(&f.a.sq, 0, wrong, &sge, 1), 0,
		     "unsignalled: errors come anyway");
	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &sge, 1));
	cqe = failure(&f.a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ_ERR);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 0);
	cqe = failure(&f.a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 1);
	cr_assert_eq(f.dst[0], 0xdd);
}

Test(errors, address_beyond_the_region_is_a_remote_access_error)
{
	struct ibv_sge sge = src_sge(0, 100);

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(SIZE - 99), &sge, 1));
	failure(&f.a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_assert_eq(f.dst[SIZE - 99], 0xdd);
}

Test(errors, wrong_lkey_is_a_local_protection_error)
{
	struct ibv_sge sge = src_sge(0, 100);

	sge.lkey ^= 0x5500;
	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, dst_at(0), &sge, 1));
	failure(&f.a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

Test(errors, message_longer_than_the_receive_fails_at_both_ends)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct mlx5_cqe64 cqe;

	receive(&f.b, dst_sge(0, 99));
	sq_posted(&f.a.sq, dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1));
	failure(&f.a, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	cqe = failure(&f.b, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_RESP_ERR);
}
