/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program without libibverbs and without an ioctl: the commands of <rdma/ib_user_verbs.h> by
 * write(2), and the pages of the clock and of doorbells by mmap(2).
 */
#include <endian.h>
#include <errno.h>
#include <stdatomic.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include <criterion/criterion.h>

/* The driver's part follows the flexible array of the kernel's structures. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-variable-sized-type-not-at-end"
#endif

#define CLOCK_PGOFF (5 << 8)	      /* MLX5_IB_MMAP_CORE_CLOCK */
#define DYNAMIC	    ((6 << 8) * 4096) /* MLX5_IB_MMAP_ALLOC_WC, the first */

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

static void open_context(int *fd, struct context *ctx, uint64_t lib_caps)
{
	struct get_context cmd = {
		.hdr = HDR(GET_CONTEXT, sizeof(cmd), sizeof(*ctx)),
		.core.response = (uintptr_t)ctx,
		.mlx5 = { .total_num_bfregs = 16,
			  .num_low_latency_bfregs = 4,
			  .max_cqe_version = 1,
			  .lib_caps = MLX5_LIB_CAP_4K_UAR | lib_caps },
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

	open_context(&fd, &ctx, MLX5_LIB_CAP_DYN_UAR);
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
	struct reg_mr wrong = cmd;
	struct iovec part[] = { { &cmd, sizeof(cmd) },
				{ &cmd, sizeof(cmd) },
				{ &wrong, sizeof(wrong) },
				{ &cmd, sizeof(cmd) } };
	wrong.core.pd_handle = 77;
	cr_expect_eq(write(fd, &wrong, sizeof(wrong)), -1);
	cr_expect_eq(errno, EINVAL);
	/* each part is a command: those before the first wrong one */
	cr_expect_eq(writev(fd, part, 2), 2 * sizeof(cmd));
	cr_expect_eq(writev(fd, part, 4), 2 * sizeof(cmd));
	cr_expect_eq(writev(fd, part + 2, 2), -1);
	cr_expect_eq(writev(fd, part, 0), 0);
	close((int)ctx.core.async_fd);
	close(fd);
}

/* ---- a work request ---- */

enum {
	PAGE = 4096,
	CQES = 64,
	WQEBBS = 64,
	CQE = 64,
	NOP_DS = 1,
	CQ_UPDATE = 8,
	INVALID = 0xf,
	UD = 4
};
enum { STATE = 1 << 0, PKEY_INDEX = 1 << 4, PORT = 1 << 5, QKEY = 1 << 6, SQ_PSN = 1 << 16 };

static _Alignas(4096) uint8_t cqes[CQES * CQE], wqes[WQEBBS * 64], records[PAGE];

struct queue {
	uint32_t handle, qpn, bfreg;
};

static uint32_t new_cq(int fd)
{
	struct {
		struct ib_uverbs_create_cq_resp core;
		uint64_t cqn;
	} resp = { 0 };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_cq core;
		struct mlx5_ib_create_cq mlx5;
	} cmd = {
		HDR(CREATE_CQ, sizeof(cmd), sizeof(resp)),
		{ .response = (uintptr_t)&resp, .cqe = CQES - 1, .comp_channel = -1 },
		{ .buf_addr = (uintptr_t)cqes, .db_addr = (uintptr_t)records, .cqe_size = CQE }
	};

	memset(cqes, 0xff, sizeof(cqes));
	cr_assert_eq(write(fd, &cmd, sizeof(cmd)), sizeof(cmd), "CREATE_CQ: %m");
	return resp.core.cq_handle;
}

static struct queue new_qp(int fd, uint32_t pd, uint32_t cq)
{
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct mlx5_ib_create_qp_resp mlx5;
	} resp = { 0 };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_qp core;
		struct mlx5_ib_create_qp mlx5;
	} cmd = { HDR(CREATE_QP, sizeof(cmd), sizeof(resp)),
		  { .response = (uintptr_t)&resp,
		    .pd_handle = pd,
		    .send_cq_handle = cq,
		    .recv_cq_handle = cq,
		    .max_send_wr = 1,
		    .qp_type = UD },
		  { .buf_addr = (uintptr_t)wqes,
		    .db_addr = (uintptr_t)records + 64,
		    .sq_wqe_count = WQEBBS } };

	cr_assert_eq(write(fd, &cmd, sizeof(cmd)), sizeof(cmd), "CREATE_QP: %m");
	return (struct queue){ resp.core.qp_handle, resp.core.qpn, resp.mlx5.bfreg_index };
}

static void modify(int fd, const struct queue *qp, uint8_t state, uint32_t mask)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_modify_qp core;
	} cmd = { HDR(MODIFY_QP, sizeof(cmd), 0),
		  { .qp_handle = qp->handle,
		    .attr_mask = STATE | mask,
		    .qp_state = state,
		    .port_num = 1 } };

	cr_assert_eq(write(fd, &cmd, sizeof(cmd)), sizeof(cmd), "MODIFY_QP: %m");
}

static void *map(int fd, uint32_t index)
{
	return mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, (off_t)index * PAGE);
}

/* A NOP, rung in the register that the kernel chose. */
static void post(const struct queue *qp, uint8_t *reg)
{
	uint32_t *wqe = (uint32_t *)wqes;
	uint64_t bell;

	wqe[1] = htobe32(qp->qpn << 8 | NOP_DS);
	wqe[2] = htobe32(CQ_UPDATE);
	memcpy(&bell, wqe, sizeof(bell));
	atomic_store((_Atomic uint32_t *)(records + 64 + 4), htobe32(1));
	atomic_store((_Atomic uint64_t *)reg, bell);
}

Test(commands_by_write, ring_in_a_page_of_the_kernels_choice)
{
	_Atomic uint8_t *op_own = (_Atomic uint8_t *)cqes + CQE - 1;
	struct context ctx;
	struct queue qp;
	uint8_t *page, *dynamic;
	int fd;

	open_context(&fd, &ctx, 0);
	cr_assert_eq(ctx.mlx5.tot_bfregs, 16);
	qp = new_qp(fd, new_pd(fd), new_cq(fd));
	page = map(fd, qp.bfreg / 4);
	cr_assert_neq(page, MAP_FAILED);
	cr_expect_eq(map(fd, 8), MAP_FAILED);
	cr_expect_eq(errno, EINVAL);
	/* A dynamic page is made once, and not by a mapping that fails. */
	cr_expect_eq(mmap(page + 1, PAGE, PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, DYNAMIC),
		     MAP_FAILED);
	cr_expect_eq(errno, EINVAL);
	dynamic = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, DYNAMIC);
	cr_expect_neq(dynamic, MAP_FAILED);
	cr_expect_eq(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, DYNAMIC), MAP_FAILED);
	munmap(dynamic, PAGE);
	modify(fd, &qp, 1, PKEY_INDEX | PORT | QKEY);
	modify(fd, &qp, 2, 0);
	modify(fd, &qp, 3, SQ_PSN);
	post(&qp, page + 0x800 + qp.bfreg % 4 * ctx.mlx5.bf_reg_size);
	while (atomic_load(op_own) >> 4 == INVALID)
		usleep(1000);
	cr_expect_eq(atomic_load(op_own) >> 4, 0, "success");
	munmap(page, PAGE);
	close((int)ctx.core.async_fd);
	close(fd);
}
