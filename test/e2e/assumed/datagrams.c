/* SPDX-License-Identifier: BSD-2-Clause */
/* Assumptions of the emulator about UD and UC, in the form that asks an adapter: see
 * completions.c. */
#include "lib/connect.h"
#include "lib/qp_traffic.h"

#define EXTENDED_AV (1u << 31) /* of dqp_dct: mlx5dv.h, MLX5_EXTENDED_UD_AV */

static void wired_as(enum ibv_qp_type type)
{
	with.type = type;
	pair(with);
}

Test(assumed, ipv4_header_ends_the_grh_area)
{
	static const uint8_t zero[20];

	if (memcmp(r.gid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12))
		cr_skip_test("the last RoCE v2 GID of the port is not an IPv4 one");
	wired_as(IBV_QPT_UD);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	send_datagram(&r.a, &r.b, src_sge(0, 100));
	cr_assert_eq(ends_in(&r.b, IBV_WC_SUCCESS).byte_len, 140);
	cr_assert_eq(r.dst[20], 0x45, "no IPv4 header at byte 20");
	cr_assert_eq(memcmp(r.dst + 36, r.gid.raw + 12, 4), 0, "not sent to us");
	cr_assert_eq(r.dst[40], 0x5a);
	cr_assert_eq(memcmp(r.dst, zero, sizeof(zero)), 0, "its first half is not zero");
}

/* A send of @from that fails, then a message to it that arrives. */
static void goes_on_receiving(bool datagram)
{
	struct ibv_sge bad = src_sge(0, 100);

	bad.lkey ^= 0x5a5500;
	if (datagram)
		send_datagram(&r.a, &r.b, bad);
	else
		do_op(IBV_WR_SEND, bad, 0, 0);
	ends_in(&r.a, IBV_WC_LOC_PROT_ERR);
	cr_assert_eq(state_of(&r.a), IBV_QPS_SQE);
	cr_assert_eq(post_recv(&r.a, dst_sge(0, LEN)), 0);
	if (datagram) {
		send_datagram(&r.b, &r.a, src_sge(0, 100));
	} else {
		struct ibv_sge sge = src_sge(0, 100);
		struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

		cr_assert_eq(post(&r.b, &w), 0);
	}
	ends_in(&r.a, IBV_WC_SUCCESS);
}

Test(assumed, unreliable_send_error_is_sqer)
{
	wired_as(IBV_QPT_UD);
	goes_on_receiving(true);
	unpair();
	wired_as(IBV_QPT_UC);
	goes_on_receiving(false);
}

/* ---- address vectors that no library writes ---- */

/* A datagram from a by dv, whose address vector has the bits in @dqp and @gid changed. Its
 * CQE. */
static struct mlx5_cqe64 sent_with_av(uint32_t flip_dqp, uint32_t flip_gid)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_ah ah = { 0 };
	struct mlx5dv_obj obj = { .qp = { r.a.qp, &qp }, .ah = { own_address(), &ah } };
	struct mlx5_wqe_av *av;

	cr_assert_eq(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_AH), 0);
	cr_assert_eq(dv_sq_init(&r.a.sq, &qp, r.a.qp->qp_num), 0);
	cr_assert_eq(dv_cq_map(&r.a.cq, r.a.ibcq), 0);
	av = dv_sq_reserve(&r.a.sq, 2);
	*av = *ah.av;
	av->key.qkey.qkey = htobe32(RIG_QKEY);
	av->key.qkey.reserved = 0;
	av->dqp_dct = htobe32(r.b.qp->qp_num | EXTENDED_AV) ^ htobe32(flip_dqp);
	av->grh_gid_fl ^= htobe32(flip_gid);
	dv_sq_commit(&r.a.sq, dv_set_data_seg(av + 1, &sge), MLX5_OPCODE_SEND, 0,
		     MLX5_WQE_CTRL_CQ_UPDATE, 0);
	dv_sq_doorbell(&r.a.sq);
	return next_cqe(&r.a);
}

static void bad_av(const char *what, uint32_t flip_dqp, uint32_t flip_gid)
{
	struct mlx5_cqe64 cqe;

	wired_as(IBV_QPT_UD);
	cqe = sent_with_av(flip_dqp, flip_gid);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, "%s: %s", what,
		     dv_syndrome_str(dv_cqe_syndrome(&cqe)));
	unpair();
}

/* The index of a GID entry that is not filled, or -1. */
static int empty_gid(void)
{
	static const union ibv_gid none;
	union ibv_gid gid;

	for (int i = r.port.gid_tbl_len - 1; i >= 0; i--)
		if (i < 256 &&
		    (ibv_query_gid(r.ctx, 1, i, &gid) || !memcmp(&gid, &none, sizeof(gid))))
			return i;
	return -1;
}

Test(assumed, bad_address_vector_is_a_qp_operation_error)
{
	int empty = empty_gid();
	struct mlx5_cqe64 cqe;

	if (r.port.link_layer != IBV_LINK_LAYER_ETHERNET)
		cr_skip_test("the port is not RoCE");
	wired_as(IBV_QPT_UD);
	cqe = sent_with_av(0, 0);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ, "the good one fails, too");
	unpair();
	bad_av("short", EXTENDED_AV, 0);
	if (empty >= 0)
		bad_av("empty GID", 0, (uint32_t)(empty ^ r.gid_index) << 20);
}

/* ---- the MTU of the port ---- */

/* Moves @qp, in INIT, to RTR with @mtu; 0 or errno. */
static int rtr_with_mtu(struct ibv_qp *qp, enum ibv_mtu mtu)
{
	const struct ibv_qp_attr a = {
		.path_mtu = mtu,
		.dest_qp_num = qp->qp_num,
		.ah_attr = path_by_port(&r.port, r.gid, r.gid_index),
	};

	return move_qp(qp, &a, IBV_QPS_RTR);
}

Test(assumed, ud_mtu_is_an_upper_bound)
{
	uint32_t mtu = 128u << r.port.active_mtu;

	if (r.port.active_mtu == IBV_MTU_4096)
		cr_skip_test("the port's MTU is 4096, and there is none above it");
	wired_as(IBV_QPT_UD); /* mlx5_ib says 4096 */
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN)), 0);
	send_datagram(&r.a, &r.b, src_sge(0, mtu));
	ends_in(&r.a, IBV_WC_SUCCESS);
	cr_assert_eq(ends_in(&r.b, IBV_WC_SUCCESS).byte_len, 40 + mtu);
	unpair();
	with.a_state = IBV_QPS_INIT;
	pair(with);
	cr_assert_neq(rtr_with_mtu(r.a.qp, r.port.active_mtu + 1), 0, "RC took it, too");
	cr_assert_eq(rtr_with_mtu(r.a.qp, r.port.active_mtu), 0);
}
