/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about multicast groups, in the form that asks an adapter: see
 * completions.c. Groups are made by DevX, where the kernel does not check first.
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

static const union ibv_gid group = { { 0xff, 0x12, [14] = 0xd5, 0x42 } };

/* The status of ATTACH_TO_MCG; *obj is for its end. */
static uint8_t attach(uint32_t qpn, const union ibv_gid *gid, struct mlx5dv_devx_obj **obj)
{
	uint8_t in[PRM_SZ(attach_to_mcg_in)] = { 0 }, out[PRM_SZ(attach_to_mcg_out)] = { 0 };

	PRM_SET(attach_to_mcg_in, in, opcode, PRM_OP_ATTACH_TO_MCG);
	PRM_SET(attach_to_mcg_in, in, qpn, qpn);
	memcpy(PRM_ADDR(attach_to_mcg_in, in, multicast_gid), gid, sizeof(*gid));
	*obj = mlx5dv_devx_obj_create(r.ctx, in, sizeof(in), out, sizeof(out));
	if (!*obj && !out[0])
		cr_skip_test("no DevX objects: %s", strerror(errno));
	return out[0];
}

static struct ibv_qp *new_ud(uint32_t create_flags)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = r.a.ibcq,
		.recv_cq = r.a.ibcq,
		.cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = r.pd,
		.create_flags = create_flags,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(r.ctx, &init);

	if (!qp && create_flags)
		cr_skip_test("no QP with these flags: %s", strerror(errno));
	cr_assert_not_null(qp);
	return qp;
}

static void wired_as_ud(void)
{
	with.type = IBV_QPT_UD;
	pair(with);
}

Test(assumed, only_ud_qps_are_attached)
{
	struct mlx5dv_devx_obj *obj;
	struct ibv_qp *ud;

	wired();
	ud = new_ud(0); /* in RESET */
	cr_assert_eq(attach(ud->qp_num, &group, &obj), PRM_STATUS_OK);
	cr_assert_eq(mlx5dv_devx_obj_destroy(obj), 0);
	cr_assert_eq(attach(r.b.qp->qp_num, &group, &obj), PRM_STATUS_BAD_PARAM, "RC");
	cr_assert_eq(attach(ud->qp_num, &r.gid, &obj), PRM_STATUS_BAD_PARAM, "unicast");
	cr_assert_eq(ibv_destroy_qp(ud), 0);
}

Test(assumed, attached_twice_is_attached_once)
{
	struct mlx5dv_devx_obj *once, *twice;

	wired_as_ud();
	cr_assert_eq(attach(r.a.qp->qp_num, &group, &once), PRM_STATUS_OK);
	cr_assert_eq(attach(r.a.qp->qp_num, &group, &twice), PRM_STATUS_OK);
	cr_assert_eq(mlx5dv_devx_obj_destroy(twice), 0);
	cr_assert_neq(mlx5dv_devx_obj_destroy(once), 0, "it was a member once");
}

Test(assumed, mcg_limits_are_lim_err)
{
	struct mlx5dv_devx_obj *obj[1024];
	struct ibv_device_attr dev;
	struct ibv_qp *qp[1024];
	unsigned int n;

	wired_as_ud();
	cr_assert_eq(ibv_query_device(r.ctx, &dev), 0);
	n = dev.max_mcast_qp_attach;
	if (n >= 1024)
		cr_skip_test("a group has %u members", n);
	for (unsigned int i = 0; i <= n; i++) {
		qp[i] = new_ud(0);
		cr_assert_eq(attach(qp[i]->qp_num, &group, &obj[i]),
			     i < n ? PRM_STATUS_OK : PRM_STATUS_LIM_ERR, "QP %u", i);
	}
	for (unsigned int i = 0; i <= n; i++) {
		if (i < n)
			cr_assert_eq(mlx5dv_devx_obj_destroy(obj[i]), 0);
		cr_assert_eq(ibv_destroy_qp(qp[i]), 0);
	}
}

static struct ibv_ah *way_to_group(void)
{
	struct ibv_ah_attr a = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = group, .sgid_index = r.gid_index, .hop_limit = 1 }
	};
	struct ibv_ah *ah = ibv_create_ah(r.pd, &a);

	cr_assert_not_null(ah);
	return ah;
}

static void send_to_group(struct end *from)
{
	struct ibv_sge sge = src_sge(0, 100);
	struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

	w.wr.ud.ah = way_to_group();
	w.wr.ud.remote_qpn = 0xffffff;
	w.wr.ud.remote_qkey = RIG_QKEY;
	cr_assert_eq(post(from, &w), 0);
}

/* Receives of @e: its send, and as many copies as there are. */
static unsigned int copies(struct end *e, unsigned int completions)
{
	unsigned int n = 0;

	while (completions--)
		n += ends_in(e, IBV_WC_SUCCESS).opcode == IBV_WC_RECV;
	return n;
}

Test(assumed, block_lb_mc_is_of_the_sender_alone)
{
	struct ibv_qp *plain;

	wired_as_ud();
	cr_assert_eq(ibv_attach_mcast(r.a.qp, &group, 0), 0);
	cr_assert_eq(ibv_attach_mcast(r.b.qp, &group, 0), 0);
	cr_assert_eq(post_recv(&r.a, dst_sge(0, PAGE)), 0);
	cr_assert_eq(post_recv(&r.b, dst_sge(PAGE, PAGE)), 0);
	send_to_group(&r.a);
	cr_assert_eq(copies(&r.a, 2), 1, "its own");
	cr_assert_eq(copies(&r.b, 1), 1);

	plain = r.a.qp;
	r.a.qp = new_ud(IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	with.type = IBV_QPT_UD;
	bring(&r.a, &with, IBV_QPS_RTS, 0);
	cr_assert_eq(ibv_attach_mcast(r.a.qp, &group, 0), 0);
	cr_assert_eq(ibv_detach_mcast(plain, &group, 0), 0);
	cr_assert_eq(post_recv(&r.a, dst_sge(0, PAGE)), 0);
	cr_assert_eq(post_recv(&r.b, dst_sge(PAGE, PAGE)), 0);
	send_to_group(&r.a);
	cr_assert_eq(copies(&r.b, 1), 1);
	cr_assert_eq(copies(&r.a, 1), 0);
	stays_quiet(&r.a, 100);
	cr_assert_eq(ibv_detach_mcast(r.a.qp, &group, 0), 0);
	cr_assert_eq(ibv_detach_mcast(r.b.qp, &group, 0), 0);
	cr_assert_eq(ibv_destroy_qp(r.a.qp), 0);
	r.a.qp = plain;
}
