/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of Linux 6.12 that differ from those of 6.1: emu/kernel/kernel.def, and the sources
 * named there. */
#include <fcntl.h>
#include <sys/mman.h>

#include "shared.h"
#include "uverbs/driver.h"

#define SUITE kernel_releases_answer_differently

enum { OLD, NEW, RELEASES };
static const uint16_t release[RELEASES] = { KERNEL_RELEASE(6, 1), KERNEL_RELEASE(6, 12) };

Test(SUITE, query_device)
{
	static const uint32_t wr[RELEASES] = { 32768, 8192 }, len[RELEASES] = { 102, 112 };
	struct ib_uverbs_ex_query_device cmd = { 0 };
	struct ib_uverbs_ex_query_device_resp r;

	for (int i = 0; i < RELEASES; i++) {
		uint32_t mlx5[40];
		struct bench b;

		memset(mlx5, 0xff, sizeof(mlx5));
		bench_context_as(&b, release[i]);
		cr_assert_eq(write_uhw(&b,
				       IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
					       IB_USER_VERBS_CMD_FLAG_EXTENDED,
				       (struct buf){ &cmd, sizeof(cmd), &r, sizeof(r) },
				       (struct buf){ .out = mlx5, .out_len = sizeof(mlx5) }),
			     0);
		cr_assert_eq(r.base.max_qp_wr, wr[i]);
		cr_assert_eq(mlx5[1], len[i], "%u", mlx5[1]);
		cr_assert_eq(mlx5[27], i == NEW ? 0 : 0xffffffff, "the mask of reg_c0");
		cr_assert_eq(mlx5[28], 0xffffffff);
		bench_down(&b);
	}
}

Test(SUITE, speed_of_the_port)
{
	for (int i = 0; i < RELEASES; i++) {
		struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
		uint32_t r[12];
		struct bench b;

		bench_context_as(&b, release[i]);
		call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1);
		call_out(&c, UVERBS_ATTR_QUERY_PORT_RESP, r, sizeof(r));
		cr_assert_eq(call_run(&b, &c), 0);
		cr_assert_eq(r[11], i == NEW ? 32 : 0, "EDR, in the last word");
		bench_down(&b);
	}
}

Test(SUITE, rights_that_are_not_there)
{
	for (int i = 0; i < RELEASES; i++) {
		struct ib_uverbs_reg_mr_resp *mr = calloc(1, sizeof(*mr) + 64);
		void *page = pages(1);
		struct bench b;
		uint32_t pd;
		int want = i == NEW ? -EOPNOTSUPP : -EINVAL;

		bench_context_as(&b, release[i]);
		pd = alloc_pd(&b);
		cr_assert_eq(reg_mr(&b, pd, page, PAGE, 1 << 8, mr), want, "FLUSH_GLOBAL");
		cr_assert_eq(reg_mr(&b, pd, page, PAGE, 1 << 9, mr), want, "FLUSH_PERSISTENT");
		cr_assert_eq(reg_mr(&b, pd, page, PAGE, 1 << 10, mr), -EINVAL);
		PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], pg, 0);
		cr_assert_eq(reg_mr(&b, pd, page, PAGE, IBV_ACCESS_ON_DEMAND, mr), want);
		bench_down(&b);
		free(mr);
	}
}

Test(SUITE, methods)
{
	for (int i = 0; i < RELEASES; i++) {
		struct call c = call(UVERBS_OBJECT_DEVICE, 0x1001), beyond = c;
		struct bench b;
		char path[64];

		bench_context_as(&b, release[i]);
		call_out(&c, 0x1000, path, sizeof(path));
		cr_assert_eq(call_run(&b, &c), i == NEW ? -ENODEV : -EPROTONOSUPPORT);
		beyond.hdr.method_id++;
		cr_assert_eq(call_run(&b, &beyond), -EPROTONOSUPPORT);
		/* Those of releases that cannot be chosen: REG_MR and DMA handles */
		beyond = call(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR + 2);
		cr_assert_eq(call_run(&b, &beyond), -EPROTONOSUPPORT);
		beyond = call(UVERBS_OBJECT_ASYNC_EVENT + 1, 0);
		cr_assert_eq(call_run(&b, &beyond), -EPROTONOSUPPORT);
		bench_down(&b);
	}
}

Test(SUITE, doorbell_page_of_a_cq)
{
	for (int i = 0; i < RELEASES; i++) {
		struct cq_attr a;
		struct bench b;
		struct uar uar;
		struct cq cq;

		bench_context_as(&b, release[i]);
		cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
		a = cq_attr(&(struct uar){ 0 });
		a.uhw.flags = 0;
		a.own_uar = uar.page;
		cr_assert_eq(create_cq(&b, &a, &cq), i == NEW ? 0 : -EPROTONOSUPPORT);
		bench_down(&b);
	}
}

Test(SUITE, rate_of_800_gbps)
{
	for (int i = 0; i < RELEASES; i++) {
		struct ib_uverbs_modify_qp a;
		struct rig r;

		rig_up_as(&r, release[i]);
		a = to_init(&r);
		cr_assert_eq(modify(&r, &a), 0);
		a = to_rtr(&r);
		a.dest.static_rate = 23;
		cr_assert_eq(modify(&r, &a), i == NEW ? 0 : -EINVAL);
		a.dest.static_rate = 24;
		cr_assert_eq(modify(&r, &a), -EINVAL);
		rig_down(&r);
	}
}

Test(SUITE, rate_of_an_address_handle)
{
	for (int i = 0; i < RELEASES; i++) {
		struct ib_uverbs_create_ah cmd = {
			.attr = { .grh = { .sgid_index = 1 }, .is_global = 1, .port_num = 1 }
		};
		uint32_t handle;
		struct bench b;

		bench_context_as(&b, release[i]);
		cmd.pd_handle = alloc_pd(&b);
		memcpy(cmd.attr.grh.dgid, b.hca.port.gid[1].raw, 16);
		for (unsigned int rate = 0; rate < 256; rate++) {
			bool exists = !rate || (rate >= 2 && rate <= 23);

			cmd.attr.static_rate = (uint8_t)rate;
			cr_expect_eq(write_cmd(&b, IB_USER_VERBS_CMD_CREATE_AH, &cmd,
					       sizeof(cmd), &handle, 4),
				     i == OLD || exists ? 0 : -EINVAL, "%u", rate);
		}
		bench_down(&b);
	}
}

/* A page of a file that is opened to be read. */
static void *read_only(int how)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *p = mmap(NULL, PAGE, PROT_READ, how, fd, 0);

	cr_assert_neq(p, MAP_FAILED);
	close(fd);
	return p;
}

/* Before 6.12 pages are pinned for writing, by force: that needs a private mapping. */
Test(SUITE, memory_that_cannot_be_written)
{
	uint8_t *three = pages(3), *shared, *private = read_only(MAP_PRIVATE);

	shared = mmap(three + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1,
		      0);
	cr_assert_eq(shared, three + PAGE);
	for (int i = 0; i < RELEASES; i++) {
		int want = i == NEW ? 0 : -EFAULT;
		struct ib_uverbs_reg_mr_resp mr;
		struct bench b;
		uint32_t pd;

		bench_context_as(&b, release[i]);
		pd = alloc_pd(&b);
		cr_expect_eq(reg_mr(&b, pd, read_only(MAP_SHARED), PAGE, 0, &mr), want);
		cr_expect_eq(reg_mr(&b, pd, private, PAGE, 0, &mr), 0);
		cr_expect_eq(reg_mr(&b, pd, private, PAGE, IBV_ACCESS_LOCAL_WRITE, &mr),
			     -EFAULT);
		/* one page of several, and its neighbours */
		cr_expect_eq(reg_mr(&b, pd, three, 3 * PAGE, 0, &mr), want);
		cr_expect_eq(reg_mr(&b, pd, three, PAGE + 1, 0, &mr), want);
		cr_expect_eq(reg_mr(&b, pd, three, PAGE, 0, &mr), 0);
		cr_expect_eq(reg_mr(&b, pd, three + 2 * PAGE, PAGE, 0, &mr), 0);
		bench_down(&b);
	}
}

/* A region that only the device reads becomes writable: not without pinning it again. */
Test(SUITE, rights_of_pinned_pages)
{
	for (int i = 0; i < RELEASES; i++) {
		struct ib_uverbs_rereg_mr cmd = { .flags = IBV_REREG_MR_CHANGE_ACCESS };
		struct ib_uverbs_reg_mr_resp mr;
		void *page = pages(1);
		struct bench b;
		uint64_t keys;
		uint32_t pd;

		bench_context_as(&b, release[i]);
		pd = alloc_pd(&b);
#define REREG(rights)                 \
	(cmd.access_flags = (rights), \
	 write_cmd(&b, IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd), &keys, sizeof(keys)))
		cr_assert_eq(reg_mr(&b, pd, page, PAGE, IBV_ACCESS_REMOTE_READ, &mr), 0);
		cmd.mr_handle = mr.mr_handle;
		cr_expect_eq(REREG(0), 0);
		cr_expect_eq(REREG(IBV_ACCESS_LOCAL_WRITE), i == NEW ? -EACCES : 0);
		cmd.flags |= IBV_REREG_MR_CHANGE_TRANSLATION;
		cmd.start = cmd.hca_va = (uintptr_t)page;
		cmd.length = PAGE;
		cr_expect_eq(REREG(IBV_ACCESS_LOCAL_WRITE), 0);
		/* the pages stay those that were pinned for writing */
		cmd.flags = IBV_REREG_MR_CHANGE_ACCESS;
		cr_expect_eq(REREG(0), 0);
		cr_expect_eq(REREG(IBV_ACCESS_LOCAL_WRITE), 0);
		bench_down(&b);
	}
}

Test(SUITE, dc_targets_in_the_list)
{
	for (int i = 0; i < RELEASES; i++) {
		struct typed_attr a;
		struct srq_attr sa;
		struct srq srq;
		struct rig r;
		struct qp dct;
		size_t n;

		rig_up_as(&r, release[i]);
		sa = srq_attr(r.pd);
		cr_assert_eq(create_srq(&r.b, &sa, &srq), 0);
		a = typed_attr(&r, IB_UVERBS_QPT_DRIVER);
		a.srq = srq.handle;
		a.uhw = (struct mlx5_ib_create_qp){ .flags = MLX5_QP_FLAG_TYPE_DCT, .uidx = 5 };
		cr_assert_eq(create_typed(&r.b, &a, &dct), 0);
		free(uverbs_resources(r.b.u, UVERBS_RES_QP, &n));
		cr_assert_eq(n, i == NEW ? 2 : 1, "%zu", n);
		rig_down(&r);
	}
}

/* fs_core.c, dest_is_valid */
Test(SUITE, anchor_of_nic_tx)
{
	for (int i = 0; i < RELEASES; i++) {
		struct call c = call(MLX5_IB_OBJECT_STEERING_ANCHOR,
				     MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
		uint16_t prio = 0;
		struct bench b;
		uint32_t id;

		bench_context_as(&b, release[i]);
		call_object(&c, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
		call_u64(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE,
			 MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX);
		call_in(&c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, &prio, 2);
		call_out(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, &id, 4);
		cr_expect_eq(call_run(&b, &c), i == NEW ? 0 : -EINVAL);
		bench_down(&b);
	}
}
