/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about DC, in the form that asks an adapter: see completions.c.
 * One initiator, two targets with an SRQ each; devices without DC skip it.
 */
#include "lib/connect.h"
#include "lib/qp_traffic.h"

#define KEY 0x0123456789abcdefull

static struct end dci, dct[2];
static struct ibv_srq *srq[2];
static struct mlx5dv_qp_ex *dv_qp;
static struct ibv_ah *ah;

static struct ibv_ah_attr address(void)
{
	return path_by_port(&r.port, r.gid, r.gid_index);
}

static void create(struct end *e, enum mlx5dv_dc_type type, struct ibv_srq *on)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_DRIVER,
					    .srq = on,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = r.pd };
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					  .dc_init_attr = { .dc_type = type } };

	e->posted = 0;
	e->ibcq = ibv_create_cq(r.ctx, 100, NULL, NULL, 0);
	cr_assert_not_null(e->ibcq);
	init.send_cq = init.recv_cq = e->ibcq;
	if (type == MLX5DV_DCTYPE_DCT) {
		dv.dc_init_attr.dct_access_key = KEY;
	} else {
		init.cap = (struct ibv_qp_cap){ .max_send_wr = 16, .max_send_sge = 1 };
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE;
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
		dv.send_ops_flags = MLX5DV_QP_EX_WITH_RAW_WQE;
	}
	e->qp = mlx5dv_create_qp(r.ctx, &init, &dv);
	if (!e->qp && errno == EOPNOTSUPP)
		cr_skip_test("no DC");
	cr_assert_not_null(e->qp, "%s", strerror(errno));
}

static void target(int i)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	const struct ibv_qp_attr a = { .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
				       .path_mtu = r.port.active_mtu,
				       .min_rnr_timer = 1,
				       .ah_attr = address() };

	srq[i] = ibv_create_srq(r.pd, &init);
	cr_assert_not_null(srq[i]);
	create(&dct[i], MLX5DV_DCTYPE_DCT, srq[i]);
	cr_assert_eq(connect_dct(dct[i].qp, &a), 0);
}

static void initiator(enum ibv_mtu mtu)
{
	const struct ibv_qp_attr a = {
		.path_mtu = mtu, .timeout = 10, .retry_cnt = 2, .rnr_retry = 7
	};

	create(&dci, MLX5DV_DCTYPE_DCI, NULL);
	cr_assert_eq(connect_dci(dci.qp, &a), 0);
	dv_qp = mlx5dv_qp_ex_from_ibv_qp_ex(ibv_qp_to_qp_ex(dci.qp));
}

static void start(enum ibv_mtu mtu)
{
	struct ibv_ah_attr attr = address();

	initiator(mtu);
	target(0);
	target(1);
	ah = ibv_create_ah(r.pd, &attr);
	cr_assert_not_null(ah);
}

static struct ibv_qp_ex *begin(void)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(dci.qp);

	ibv_wr_start(qp);
	qp->wr_id = ++dci.posted;
	qp->wr_flags = IBV_SEND_SIGNALED;
	return qp;
}

static void end(struct ibv_qp_ex *qp, int to, uint64_t key, uint32_t len)
{
	mlx5dv_wr_set_dc_addr(dv_qp, ah, dct[to].qp->qp_num, key);
	ibv_wr_set_sge(qp, r.src_mr->lkey, (uintptr_t)r.src, len);
	cr_assert_eq(ibv_wr_complete(qp), 0);
}

static void write_to(int to, uint64_t key, uint32_t len)
{
	struct ibv_qp_ex *qp = begin();

	ibv_wr_rdma_write(qp, r.dst_mr->rkey, (uintptr_t)r.dst);
	end(qp, to, key, len);
}

static void send_to(int to, uint32_t len)
{
	struct ibv_qp_ex *qp = begin();

	ibv_wr_send(qp);
	end(qp, to, KEY, len);
}

Test(assumed, wrong_dc_key_is_not_answered)
{
	start(r.port.active_mtu);
	write_to(0, KEY + 1, 100);
	ends_in(&dci, IBV_WC_RETRY_EXC_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* The first target is not ready; what is for the second waits. */
Test(assumed, dci_is_connected_to_one_target)
{
	struct ibv_sge sge = dst_sge(PAGE, PAGE);
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad;

	start(r.port.active_mtu);
	send_to(0, 100);
	write_to(1, KEY, 100);
	stays_quiet(&dci, 50);
	cr_assert_eq(r.dst[0], 0xdd, "written before the other message was taken");
	cr_assert_eq(ibv_post_srq_recv(srq[0], &recv, &bad), 0);
	ends_in(&dci, IBV_WC_SUCCESS);
	ends_in(&dci, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0x5a);
}

Test(assumed, dc_ends_have_one_mtu)
{
	if (r.port.active_mtu == IBV_MTU_256)
		cr_skip_test("the port has no other MTU");
	start(IBV_MTU_256);
	write_to(0, KEY, 100);
	ends_in(&dci, IBV_WC_SUCCESS);
	write_to(0, KEY, 1000);
	ends_in(&dci, IBV_WC_REM_INV_REQ_ERR);
}

/* A UMR WQE of which nothing is set, made as long as it has to be. */
Test(assumed, dci_makes_no_mkeys)
{
	uint8_t wqe[192] = { [3] = MLX5_OPCODE_UMR, [7] = 12, [11] = MLX5_WQE_CTRL_CQ_UPDATE };
	struct ibv_qp_ex *qp;

	start(r.port.active_mtu);
	wqe[4] = (uint8_t)(dci.qp->qp_num >> 16);
	wqe[5] = (uint8_t)(dci.qp->qp_num >> 8);
	wqe[6] = (uint8_t)dci.qp->qp_num;
	qp = begin();
	mlx5dv_wr_raw_wqe(dv_qp, wqe);
	cr_assert_eq(ibv_wr_complete(qp), 0);
	ends_in(&dci, IBV_WC_LOC_QP_OP_ERR);
}
