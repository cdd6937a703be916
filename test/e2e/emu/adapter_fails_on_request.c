/* SPDX-License-Identifier: BSD-2-Clause */
/* Link down and up, a QP that fails, an adapter that fails: what a program sees of what
 * <dvkit/emu.h> can cause. */
#include <errno.h>
#include <string.h>

#include <dvkit/emu.h>
#include <infiniband/mlx5dv.h>
#include <prm/prm.h>

#include "lib/qp_traffic.h"

#define FOREVER 7 /* retries; with timeout 14 (67 ms) half a second */

TestSuite(adapter_fails, .init = rig_start, .fini = rig_stop);

static enum ibv_port_state port_state(void)
{
	struct ibv_port_attr port;

	cr_assert_eq(ibv_query_port(r.ctx, 1, &port), 0);
	return port.state;
}

Test(adapter_fails, link_down_and_up)
{
	struct wiring w = normal();
	struct dvkit_emu_counters before, after;

	w.timeout = 14;
	w.retry_cnt = FOREVER;
	pair(w);
	cr_assert_eq(dvkit_emu_link(false), 0);
	event_comes(IBV_EVENT_PORT_ERR);
	cr_expect_eq(port_state(), IBV_PORT_DOWN);
	dvkit_emu_query_counters(&before, sizeof(before));
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 64), 0, r.dst_mr->rkey);
	stays_quiet(&r.a, 20);
	cr_assert_eq(dvkit_emu_link(true), 0);
	event_comes(IBV_EVENT_PORT_ACTIVE);
	cr_expect_eq(port_state(), IBV_PORT_ACTIVE);
	ends_in(&r.a, IBV_WC_SUCCESS);
	dvkit_emu_query_counters(&after, sizeof(after));
	cr_expect_geq(after.retransmits, before.retransmits + 1);
}

/* IBV_EVENT_PORT_ERR came once: the link was down already. */
Test(adapter_fails, link_that_stays_down)
{
	struct wiring w = normal();

	w.retry_cnt = 1;
	pair(w);
	cr_assert_eq(dvkit_emu_link(false), 0);
	cr_assert_eq(dvkit_emu_link(false), 0);
	event_comes(IBV_EVENT_PORT_ERR);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 64), 0, r.dst_mr->rkey);
	ends_in(&r.a, IBV_WC_RETRY_EXC_ERR);
	cr_assert_eq(dvkit_emu_link(true), 0);
	event_comes(IBV_EVENT_PORT_ACTIVE);
}

Test(adapter_fails, qp)
{
	wired();
	cr_assert_eq(post_recv(&r.a, dst_sge(0, 64)), 0);
	cr_assert_eq(dvkit_emu_fail_qp(r.a.qp->qp_num), 0);
	event_comes(IBV_EVENT_QP_FATAL);
	ends_in(&r.a, IBV_WC_WR_FLUSH_ERR);
	cr_expect_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_expect_eq(state_of(&r.b), IBV_QPS_RTS);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 64), 0, r.dst_mr->rkey);
	ends_in(&r.a, IBV_WC_WR_FLUSH_ERR);
	cr_expect_eq(dvkit_emu_fail_qp(0xffffff), ENOENT);
}

Test(adapter_fails, device)
{
	struct ibv_port_attr port;

	wired();
	cr_assert_eq(dvkit_emu_fail_device(), 0);
	event_comes(IBV_EVENT_DEVICE_FATAL);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 64), 0, r.dst_mr->rkey);
	stays_quiet(&r.a, 20);
	cr_expect_eq(ibv_query_port(r.ctx, 1, &port), EIO);
	cr_expect_null(ibv_alloc_pd(r.ctx));
	cr_expect_eq(errno, EIO);
	cr_expect_eq(ibv_destroy_qp(r.a.qp), EIO);
	r.a = r.b = (struct end){ 0 }; /* they end with the process */
}

static int query_adapter(uint8_t out[PRM_SZ(query_adapter_out)])
{
	uint8_t in[PRM_SZ(query_adapter_in)] = { 0 };

	PRM_SET(query_adapter_in, in, opcode, PRM_OP_QUERY_ADAPTER);
	return mlx5dv_devx_general_cmd(r.ctx, in, sizeof(in), out, PRM_SZ(query_adapter_out));
}

/* The third of five commands. */
Test(adapter_fails, one_command)
{
	uint8_t out[PRM_SZ(query_adapter_out)];
	struct dvkit_emu_counters before, after;

	dvkit_emu_query_counters(&before, sizeof(before));
	cr_assert_eq(dvkit_emu_fail_command(3, PRM_STATUS_LIM_ERR, 0x89abcdef), 0);
	for (int i = 1; i <= 5; i++) {
		cr_assert_eq(!query_adapter(out), i != 3, "%d", i);
		cr_assert_eq(PRM_GET(mbox_out, out, status), i == 3 ? PRM_STATUS_LIM_ERR : 0);
		cr_assert_eq(PRM_GET(mbox_out, out, syndrome), i == 3 ? 0x89abcdef : 0);
	}
	dvkit_emu_query_counters(&after, sizeof(after));
	cr_assert_eq(after.commands, before.commands + 5);
	cr_assert_eq(dvkit_emu_fail_command(1, PRM_STATUS_LIM_ERR, 0), 0);
	cr_assert_eq(dvkit_emu_fail_command(0, 0, 0), 0);
	cr_assert_eq(query_adapter(out), 0, "taken back");
	cr_assert_eq(dvkit_emu_fail_command(1, 0, 0), EINVAL);
	cr_assert_eq(query_adapter(out), 0);
}
