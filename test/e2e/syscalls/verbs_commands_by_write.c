/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program without libibverbs and without an ioctl: the commands of <rdma/ib_user_verbs.h> by write(2), and the page of
 * the clock by mmap(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include <criterion/criterion.h>

/* The driver's part follows the flexible array of the kernel's structures. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif

#define CLOCK_PGOFF (5 << 8) /* MLX5_IB_MMAP_CORE_CLOCK */

struct get_context {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_get_context core;
	struct mlx5_ib_alloc_ucontext_req_v2 mlx5;
};

struct context {
	struct ib_uverbs_get_context_resp core;
	struct mlx5_ib_alloc_ucontext_resp mlx5;
};

struct reg_mr {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_reg_mr core;
};

#define HDR(NAME, request, answer)                                    \
	{                                                             \
		IB_USER_VERBS_CMD_##NAME, (request) / 4, (answer) / 4 \
	}

static void open_context(int *fd, struct context *ctx)
{
	struct get_context cmd = {
		.hdr = HDR(GET_CONTEXT, sizeof(cmd), sizeof(*ctx)),
		.core.response = (uintptr_t)ctx,
		.mlx5 = { .total_num_bfregs = 16,
			  .num_low_latency_bfregs = 4,
			  .max_cqe_version = 1,
			  .lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR },
	};

	memset(ctx, 0, sizeof(*ctx));
	*fd = open("/dev/infiniband/uverbs0", O_RDWR | O_CLOEXEC);
	cr_assert_geq(*fd, 0);
	cr_assert_eq(write(*fd, &cmd, sizeof(cmd)), sizeof(cmd), "GET_CONTEXT: %m");
}

static uint32_t new_pd(int fd)
{
	struct {
		struct ib_uverbs_alloc_pd_resp core;
		uint32_t pdn;
	} resp = { 0 };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd core;
	} cmd = { HDR(ALLOC_PD, sizeof(cmd), sizeof(resp)), { (uintptr_t)&resp } };

	cr_assert_eq(write(fd, &cmd, sizeof(cmd)), sizeof(cmd), "ALLOC_PD: %m");
	cr_expect_neq(resp.pdn, 0);
	return resp.core.pd_handle;
}

Test(commands_by_write, make_a_context_and_a_region)
{
	static uint8_t bytes[4096];
	struct ib_uverbs_reg_mr_resp mr = { 0 };
	struct context ctx;
	struct pollfd events = { .events = POLLIN };
	int fd;

	open_context(&fd, &ctx);
	cr_expect_geq(ctx.core.num_comp_vectors, 1);
	cr_expect_eq(ctx.mlx5.num_ports, 1);
	cr_expect_eq(ctx.mlx5.cqe_version, 1);
	events.fd = (int)ctx.core.async_fd;
	cr_expect_eq(poll(&events, 1, 0), 0, "no event");

	void *clock = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)CLOCK_PGOFF * 4096);
	cr_expect_neq(clock, MAP_FAILED);

	struct reg_mr cmd = { HDR(REG_MR, sizeof(cmd), sizeof(mr)),
			      { .response = (uintptr_t)&mr,
				.start = (uintptr_t)bytes,
				.length = sizeof(bytes),
				.hca_va = (uintptr_t)bytes,
				.pd_handle = new_pd(fd),
				.access_flags = 1 } };
	cr_assert_eq(write(fd, &cmd, sizeof(cmd)), sizeof(cmd), "REG_MR: %m");
	cr_expect_neq(mr.lkey, 0);
	cr_expect_eq(mr.lkey, mr.rkey);
	cmd.core.pd_handle = 77;
	cr_expect_eq(write(fd, &cmd, sizeof(cmd)), -1);
	cr_expect_eq(errno, EINVAL);
	close((int)ctx.core.async_fd);
	close(fd);
}
