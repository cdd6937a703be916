/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write(2): the framing of <rdma/ib_user_verbs.h> (kernel, uverbs_main.c, ib_uverbs_write,
 * verify_hdr), and a program's objects without an ioctl.
 */
#include <unistd.h>

#include "by_write.h"
#include "uverbs/driver.h"
#include "uverbs/event_fd.h"

#define SUITE commands_come_by_write

/* Opened, with a context. */
static void context_by_write(void)
{
	struct mlx5_ib_alloc_ucontext_resp mlx5 = { 0 };
	struct ib_uverbs_get_context_resp resp;
	struct ib_uverbs_get_context cmd = { 0 };

	bench_up(&b);
	cr_assert_eq(OLD(&b, GET_CONTEXT, IN_OUT(cmd, resp), IN_OUT(usual_context, mlx5)), 0);
	cr_expect_eq(resp.num_comp_vectors, b.u->vectors);
	cr_expect_eq(mlx5.cqe_version, 1);
	cr_expect_eq(mlx5.response_length, sizeof(mlx5));
	cr_assert_gt(resp.async_fd, 2);
	cr_assert_eq(b.f->async->obj.type, UVERBS_ASYNC_FD);
	cr_expect_eq(close((int)resp.async_fd), 0);
	cr_expect_eq(OLD(&b, GET_CONTEXT, IN_OUT(cmd, resp), IN_OUT(usual_context, mlx5)),
		     -EINVAL, "once");
}

TestSuite(SUITE, .init = context_by_write, .fini = device_close);

static uint32_t new_pd(struct bench *b)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ib_uverbs_alloc_pd cmd = { 0 };
	uint32_t pdn = 0;

	cr_assert_eq(OLD(b, ALLOC_PD, IN_OUT(cmd, resp),
			 (struct buf){ .out = &pdn, .out_len = sizeof(pdn) }),
		     0);
	cr_expect_neq(pdn, 0);
	cr_expect_neq(pdn, 0x55555555);
	return resp.pd_handle;
}

Test(SUITE, a_frame_is_checked)
{
	struct ib_uverbs_query_port_resp port;
	struct ib_uverbs_query_port cmd = { .port_num = 1 };
	struct ib_uverbs_cmd_hdr *hdr = (void *)frame;

	bench_down(&b);
	bench_up(&b);
	cr_expect_eq(OLD(&b, QUERY_PORT, IN_OUT(cmd, port), NO_UHW), -EINVAL, "no context");
	bench_down(&b);
	context_by_write();
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, 7), -EINVAL);
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)WILD, 8), -EFAULT);
	cr_assert_eq(OLD(&b, QUERY_PORT, IN_OUT(cmd, port), NO_UHW), 0);
	cr_expect_eq(port.state, IBV_PORT_ACTIVE);
	cr_expect_eq(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	hdr->in_words++;
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, sizeof(*hdr) + sizeof(cmd)), -EINVAL);
	hdr->in_words = 5;
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, 20), -ENOSPC, "a short structure");
	hdr->in_words = (sizeof(*hdr) + sizeof(cmd)) / 4;
	hdr->out_words--;
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, sizeof(*hdr) + sizeof(cmd)), -ENOSPC,
		     "a short response");
	hdr->out_words++;
	memset(frame + sizeof(*hdr), 0, 8);
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, sizeof(*hdr) + sizeof(cmd)), -EFAULT,
		     "no response");
	hdr->command = 1u << 30;
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, 8), -EINVAL);
	hdr->command = IB_USER_VERBS_CMD_POST_SEND;
	cr_expect_eq(uverbs_write(b.f, (uintptr_t)frame, 8), -EOPNOTSUPP);
	cmd.port_num = 2;
	cr_expect_eq(OLD(&b, QUERY_PORT, IN_OUT(cmd, port), NO_UHW), -EINVAL);
}

Test(SUITE, an_extended_frame_is_checked)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		struct ib_uverbs_ex_query_device cmd;
	} f = { .hdr = { EX | IB_USER_VERBS_EX_CMD_QUERY_DEVICE, 1, 0 } };
	struct {
		struct ib_uverbs_ex_query_device_resp r;
		uint32_t mlx5[40];
	} resp;

#define SEND(n) uverbs_write(b.f, (uintptr_t)&f, (n))
	memset(&resp, 0, sizeof(resp));
	f.hdr.out_words = sizeof(resp.r) / 8;
	f.ex.response = (uintptr_t)&resp;
	f.ex.provider_out_words = sizeof(resp.mlx5) / 8;
	cr_assert_eq(SEND(sizeof(f)), sizeof(f));
	cr_expect_eq(resp.r.base.vendor_part_id, b.u->pci_id);
	cr_expect_eq(resp.mlx5[1], 102, "response_length of mlx5's part");
	cr_expect_eq(SEND(16), -EINVAL, "no second header");
	f.ex.provider_in_words = 1;
	cr_expect_eq(SEND(sizeof(f)), -EINVAL);
	f.ex.provider_in_words = 0;
	f.ex.cmd_hdr_reserved = 1;
	cr_expect_eq(SEND(sizeof(f)), -EINVAL);
	f.ex.cmd_hdr_reserved = 0;
	f.hdr.out_words = 1;
	cr_expect_eq(SEND(sizeof(f)), -ENOSPC);
	f.ex.response = 0;
	cr_expect_eq(SEND(sizeof(f)), -EINVAL, "a response without a place");
	f.hdr.in_words = 0;
	cr_expect_eq(SEND(sizeof(f) - 8), -ENOSPC);
}

Test(SUITE, a_region)
{
	struct ib_uverbs_reg_mr cmd = { .length = PAGE,
					.access_flags = IBV_ACCESS_LOCAL_WRITE };
	struct ib_uverbs_dereg_mr end;
	struct ib_uverbs_dealloc_pd dealloc;
	struct ib_uverbs_reg_mr_resp mr;

	cmd.start = cmd.hca_va = (uintptr_t)pages(1);
	dealloc.pd_handle = cmd.pd_handle = new_pd(&b);
	cr_assert_eq(OLD(&b, REG_MR, IN_OUT(cmd, mr), NO_UHW), 0);
	cr_expect_not_null(hca_mkey_find(&b.hca, mr.lkey));
	end.mr_handle = mr.mr_handle;
	cr_expect_eq(OLD(&b, DEALLOC_PD, IN(dealloc), NO_UHW), -EBUSY);
	cr_assert_eq(OLD(&b, DEREG_MR, IN(end), NO_UHW), 0);
	cr_expect_null(hca_mkey_find(&b.hca, mr.lkey));
	cr_expect_eq(OLD(&b, DEREG_MR, IN(end), NO_UHW), -ENOENT);
	cr_expect_eq(OLD(&b, DEALLOC_PD, IN(dealloc), NO_UHW), 0);
}

/* CQ and QP, each with what mlx5 adds. */
Test(SUITE, queues)
{
	struct ib_uverbs_create_cq cq = { .user_handle = 7, .cqe = 63, .comp_channel = -1 };
	struct ib_uverbs_create_qp qp = { .sq_sig_all = 1, .qp_type = IBV_QPT_RC };
	struct ib_uverbs_destroy_qp_resp qp_end;
	struct ib_uverbs_destroy_cq_resp cq_end;
	struct ib_uverbs_create_cq_resp cq_resp;
	struct ib_uverbs_create_qp_resp qp_resp;
	struct ib_uverbs_destroy_cq destroy_cq = { 0 };
	struct ib_uverbs_destroy_qp destroy_qp = { 0 };
	struct mlx5_ib_create_cq_resp cq_mlx5;
	struct mlx5_ib_create_qp_resp qp_mlx5;
	struct rig r;

	rig_up(&r); /* its context and UAR are of ioctls; a file may have both */
	struct cq_attr a = cq_attr(&r.uar);
	cr_assert_eq(OLD(&r.b, CREATE_CQ, IN_OUT(cq, cq_resp), IN_OUT(a.uhw, cq_mlx5)), 0);
	cr_expect_eq(cq_resp.cqe, 63);
	cr_expect_not_null(hca_cq_find(&r.b.hca, cq_mlx5.cqn));
	qp.max_send_wr = r.attr.cap.max_send_wr;
	qp.max_recv_wr = r.attr.cap.max_recv_wr;
	qp.max_send_sge = r.attr.cap.max_send_sge;
	qp.max_recv_sge = r.attr.cap.max_recv_sge;
	qp.max_inline_data = r.attr.cap.max_inline_data;
	qp.pd_handle = r.pd;
	qp.send_cq_handle = r.cq.handle;
	qp.recv_cq_handle = destroy_cq.cq_handle = cq_resp.cq_handle;
	cr_assert_eq(OLD(&r.b, CREATE_QP, IN_OUT(qp, qp_resp), IN_OUT(r.attr.uhw, qp_mlx5)), 0);
	cr_expect_not_null(hca_qp_find(&r.b.hca, qp_resp.qpn));
	cr_expect_geq(qp_resp.max_send_wr, qp.max_send_wr);
	cr_expect_geq(qp_resp.max_recv_wr, qp.max_recv_wr);
	cr_expect_leq(qp_resp.max_recv_sge, 64);
	cr_expect_eq(OLD(&r.b, DESTROY_CQ, IN_OUT(destroy_cq, cq_end), NO_UHW), -EBUSY);
	destroy_qp.qp_handle = qp_resp.qp_handle;
	cr_assert_eq(OLD(&r.b, DESTROY_QP, IN_OUT(destroy_qp, qp_end), NO_UHW), 0);
	cr_expect_eq(qp_end.events_reported, 0);
	cr_assert_eq(OLD(&r.b, DESTROY_CQ, IN_OUT(destroy_cq, cq_end), NO_UHW), 0);
	cr_expect_eq(cq_end.comp_events_reported, 0);
	qp.pd_handle = 999;
	cr_expect_eq(OLD(&r.b, CREATE_QP, IN_OUT(qp, qp_resp), IN_OUT(r.attr.uhw, qp_mlx5)),
		     -EINVAL, "no such PD");
	cq.comp_channel = 12345;
	cr_expect_eq(OLD(&r.b, CREATE_CQ, IN_OUT(cq, cq_resp), IN_OUT(a.uhw, cq_mlx5)), -EBADF);
	rig_down(&r);
}
