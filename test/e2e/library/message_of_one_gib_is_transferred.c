/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest message there is, 2^30 bytes (port attribute max_msg_sz), and one byte more. */
#include <sys/mman.h>

#include "fixture.h"

enum {
	WORDS = 1 << 27, /* 8 bytes each */
};

static const uint32_t gib = 1u << 30;
static uint64_t *from, *to;
static struct ibv_mr *from_mr, *to_mr;

static struct ibv_mr *big(uint64_t **words)
{
	void *at = mmap(NULL, gib + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	struct ibv_mr *mr;

	cr_assert_neq(at, MAP_FAILED);
	mr = ibv_reg_mr(f.pd, at, gib + 4096,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		cr_skip_test("no memory or locked-memory limit for two regions of 1 GiB");
	*words = at;
	return mr;
}

static void start(void)
{
	fixture_start();
	patience = 100;
	from_mr = big(&from);
	to_mr = big(&to);
	for (uint64_t i = 0; i < WORDS; i++)
		from[i] = i * 0x9e3779b97f4a7c15;
}

static void stop(void)
{
	ibv_dereg_mr(from_mr);
	ibv_dereg_mr(to_mr);
	munmap(from, gib + 4096);
	munmap(to, gib + 4096);
	fixture_stop();
}

TestSuite(one_gib, .init = start, .fini = stop, .timeout = 120);

static void arrived(void)
{
	cr_assert_eq(memcmp(from, to, gib), 0);
	cr_assert_eq(to[WORDS], 0, "not one byte more");
}

Test(one_gib, of_write)
{
	struct ibv_sge sge = { (uintptr_t)from, gib, from_mr->lkey };
	struct dv_raddr at = { (uintptr_t)to, to_mr->rkey };

	cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, at, &sge, 1), 0);
	ring(&f.a);
	arrived();
}

Test(one_gib, of_read)
{
	struct ibv_sge sge = { (uintptr_t)to, gib, to_mr->lkey };
	struct dv_raddr at = { (uintptr_t)from, from_mr->rkey };

	cr_assert_eq(dv_sq_read(&f.a.sq, SIGNALLED, at, &sge, 1), 0);
	ring(&f.a);
	arrived();
}

Test(one_gib, of_send)
{
	struct ibv_sge sge = { (uintptr_t)from, gib, from_mr->lkey };
	struct mlx5_cqe64 cqe;

	receive(&f.b, (struct ibv_sge){ (uintptr_t)to, gib, to_mr->lkey });
	sq_posted(&f.a.sq, dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1));
	cqe = success(&f.b, MLX5_CQE_RESP_SEND);
	cr_assert_eq(dv_cqe_byte_cnt(&cqe), gib);
	arrived();
}

/* IBA, chapter 9: a message longer than the port's maximum is the requester's local length
 * error. */
Test(one_gib, and_one_byte_is_too_long)
{
	struct ibv_sge sge = { (uintptr_t)from, gib + 1, from_mr->lkey };
	struct dv_raddr at = { (uintptr_t)to, to_mr->rkey };
	struct mlx5_cqe64 cqe;

	sq_posted(&f.a.sq, dv_sq_write(&f.a.sq, SIGNALLED, at, &sge, 1));
	cqe = completion(&f.a);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
}
