/* SPDX-License-Identifier: BSD-2-Clause */
/* RESIZE_CQ and MODIFY_CQ: what the kernel checks, and what reaches the device. */
#include "queues.h"

#define SUITE cq_is_resized_and_moderated

QP_SUITE(SUITE);

static int resize(struct rig *r, uint32_t handle, uint32_t cqe,
		  const struct mlx5_ib_resize_cq *to, uint32_t *got)
{
	struct ib_uverbs_resize_cq cmd = { .cq_handle = handle, .cqe = cqe };
	struct ib_uverbs_resize_cq_resp resp = { .cqe = 12345 };
	int ret = write_uhw(&r->b, IB_USER_VERBS_CMD_RESIZE_CQ,
			    (struct buf){ &cmd, sizeof(cmd), &resp, sizeof(resp) },
			    (struct buf){ .in = to, .in_len = to ? sizeof(*to) : 0 });

	*got = resp.cqe;
	return ret;
}

static struct mlx5_ib_resize_cq resize_to(uint16_t cqe_size, size_t n)
{
	return (struct mlx5_ib_resize_cq){ .buf_addr = (uintptr_t)pages(n),
					   .cqe_size = cqe_size };
}

Test(SUITE, the_ring_is_sized_as_at_creation)
{
	struct mlx5_ib_resize_cq to = resize_to(64, 4);
	struct hca_cq *cq;
	uint32_t cqe;

	cq = hca_cq_find(&r.b.hca, r.cq.cqn);
	cr_assert_eq(resize(&r, r.cq.handle, 100, &to, &cqe), 0);
	cr_assert_eq(cqe, 127);
	cr_assert_eq(cq->log_size, 7);
	cr_assert_eq(hca_ring_at(&cq->ring, 0), (void *)(uintptr_t)to.buf_addr);
	to = resize_to(128, 4);
	cr_assert_eq(resize(&r, r.cq.handle, 31, &to, &cqe), 0);
	cr_assert_eq(cqe, 31);
	cr_assert_eq(cq->log_size, 5);
	cr_assert_eq(cq->cqe_size_log, 7);
}

/* mlx5_ib, cq.c: nothing happens, not even to the new buffer. */
Test(SUITE, the_same_size_is_no_change)
{
	struct hca_cq *cq;
	uint32_t cqe;
	void *ring;

	cq = hca_cq_find(&r.b.hca, r.cq.cqn);
	ring = hca_ring_at(&cq->ring, 0);
	cr_assert_eq(resize(&r, r.cq.handle, 40, NULL, &cqe), 0);
	cr_assert_eq(cqe, 63);
	cr_assert_eq(hca_ring_at(&cq->ring, 0), ring);
	cr_assert_eq(cq->pi, 0);
}

Test(SUITE, what_does_not_fit_is_refused)
{
	struct mlx5_ib_resize_cq to = resize_to(64, 4);
	struct hca_cq *cq;
	uint32_t cqe;

	cq = hca_cq_find(&r.b.hca, r.cq.cqn);
	cr_assert_eq(resize(&r, r.cq.handle, 0, &to, &cqe), -EINVAL);
	cr_assert_eq(resize(&r, r.cq.handle, 1u << 22, &to, &cqe), -EINVAL);
	cr_assert_eq(resize(&r, r.cq.handle, (1u << 22) + 1, &to, &cqe), -EINVAL);
	cr_assert_eq(resize(&r, r.qp.handle, 100, &to, &cqe), -EINVAL, "a QP is no CQ");
	cr_assert_eq(resize(&r, 999, 100, &to, &cqe), -EINVAL);
	cr_assert_eq(resize(&r, r.cq.handle, 100, NULL, &cqe), -EINVAL, "no ring");
	to.cqe_size = 32;
	cr_assert_eq(resize(&r, r.cq.handle, 100, &to, &cqe), -EINVAL);
	to = resize_to(64, 4);
	to.reserved0 = 1;
	cr_assert_eq(resize(&r, r.cq.handle, 100, &to, &cqe), -EINVAL);
	to = resize_to(64, 4);
	munmap((void *)(uintptr_t)to.buf_addr, 4 * PAGE);
	cr_assert_eq(resize(&r, r.cq.handle, 100, &to, &cqe), -EFAULT);
	to = resize_to(64, 4);
	cq->pi = 5;
	cr_assert_eq(resize(&r, r.cq.handle, 3, &to, &cqe), -EINVAL, "five CQEs wait");
	cr_assert_eq(cq->log_size, 6);
}

static int moderate(struct rig *r, uint32_t handle, uint32_t mask, uint16_t count,
		    uint16_t period)
{
	struct ib_uverbs_ex_modify_cq cmd = { .cq_handle = handle,
					      .attr_mask = mask,
					      .attr = { .cq_count = count,
							.cq_period = period } };

	return write_cmd(&r->b,
			 IB_USER_VERBS_EX_CMD_MODIFY_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED, &cmd,
			 sizeof(cmd), NULL, 0);
}

Test(SUITE, moderation_reaches_the_device)
{
	struct hca_cq *cq;

	cq = hca_cq_find(&r.b.hca, r.cq.cqn);
	cr_assert_eq(moderate(&r, r.cq.handle, 1, 16, 0xfff), 0);
	cr_assert_eq(cq->max_count, 16);
	cr_assert_eq(cq->period, 0xfff);
	cr_assert_eq(moderate(&r, r.cq.handle, 1, 16, 0x1000), -EINVAL, "12 bits");
	cr_assert_eq(moderate(&r, r.cq.handle, 0, 16, 1), -EINVAL);
	cr_assert_eq(moderate(&r, r.cq.handle, 2, 16, 1), -EOPNOTSUPP);
	cr_assert_eq(moderate(&r, r.qp.handle, 1, 16, 1), -EINVAL);
	cr_assert_eq(cq->period, 0xfff);
}
