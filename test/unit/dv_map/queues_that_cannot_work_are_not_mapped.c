/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals of the maps, each with its own errno value (map.h). */
#include <errno.h>
#include "fake.h"

TestSuite(not_mapped, .init = fake_start);

static struct dv_sq sq;
static struct dv_rq rq;
static struct dv_cq cq;

/* A struct that begins 16 bytes after a line: malloc() gives such. */
static void *tilted(void)
{
	static uint8_t buffer[192] __attribute__((aligned(64)));

	return buffer + 16;
}

Test(not_mapped, struct_that_is_no_line)
{
	struct mlx5dv_striding_rq_init_attr attr = { 6, 3, 0 };

	fails_with(dv_sq_map((struct dv_sq *)tilted(), &fake.qp), EFAULT,
		   "multiple of 64 bytes");
	fails_with(dv_rq_map((struct dv_rq *)tilted(), &fake.qp), EFAULT,
		   "multiple of 64 bytes");
	fails_with(dv_rq_map_wq((struct dv_rq *)tilted(), &fake.wq), EFAULT,
		   "multiple of 64 bytes");
	fails_with(dv_mp_map((struct dv_mp *)tilted(), &fake.wq, &attr), EFAULT,
		   "multiple of 64 bytes");
	fails_with(dv_cq_map((struct dv_cq *)tilted(), &fake.cq), EFAULT,
		   "multiple of 64 bytes");
}

Test(not_mapped, qp_that_signals_all)
{
	fake.sig_all = true;
	fails_with(dv_sq_map(&sq, &fake.qp), EPROTOTYPE, "sq_sig_all");
	cr_assert_eq(dv_rq_map(&rq, &fake.qp), 0, "its receives are as others");
	fake.sig_all = false;
	fake_start();
	cr_assert_eq(dv_sq_map(&sq, &fake.qp), 0);
}

Test(not_mapped, qp_that_cannot_be_asked)
{
	fake.query_err = EIO;
	fails_with(dv_sq_map(&sq, &fake.qp), EIO, "ibv_query_qp");
}

Test(not_mapped, queue_that_is_mapped_already)
{
	struct ibv_sge sge = { 0x1000, 8, 1 };

	cr_assert_eq(dv_sq_map(&sq, &fake.qp), 0);
	fails_with(dv_sq_map(&sq, &fake.qp), EALREADY, "mapped already");
	fake.state = IBV_QPS_RTS;
	fails_with(dv_sq_map(&sq, &fake.qp), EALREADY, "mapped already");
	cr_assert_eq(dv_sq_send(&sq, 0, &sge, 1), 0);
	fails_with(dv_sq_map(&sq, &fake.qp), EBUSY,
		   "used"); /* a WQE is there, and no doorbell yet */
	dv_sq_doorbell(&sq);
	fails_with(dv_sq_map(&sq, &fake.qp), EBUSY, "used");
}

Test(not_mapped, receive_queue_that_is_mapped_already)
{
	struct ibv_sge sge = { 0x1000, 8, 1 };

	cr_assert_eq(dv_rq_map(&rq, &fake.qp), 0);
	fails_with(dv_rq_map(&rq, &fake.qp), EALREADY, "mapped already");
	cr_assert_eq(dv_rq_post(&rq, &sge, 1), 0);
	fake.qp.state = IBV_QPS_INIT;
	fails_with(dv_rq_map(&rq, &fake.qp), EBUSY, "used"); /* posted, and no doorbell yet */
	dv_rq_doorbell(&rq);
	fails_with(dv_rq_map(&rq, &fake.qp), EBUSY, "used");
}

/* The record is 0 again; the first slot is not. */
Test(not_mapped, queue_that_posted_65536_blocks)
{
	memcpy(fake.ring, (const uint8_t[8]){ 0, 0xff, 0xc0, 0x0a, 0x12, 0x34, 0x56, 2 }, 8);
	fake.state = fake.qp.state = IBV_QPS_RTS;
	fails_with(dv_sq_map(&sq, &fake.qp), EBUSY, "used");
	fails_with(dv_rq_map(&rq, &fake.qp), EBUSY, "used");
	fake.state = fake.qp.state = IBV_QPS_RESET;
	cr_assert_eq(dv_sq_map(&sq, &fake.qp), 0, "a RESET forgets all that was posted");
}

Test(not_mapped, cq_that_was_armed)
{
	fake.dbrec[1] = htobe32(0x10000005);
	fails_with(dv_cq_map(&cq, &fake.cq), EBUSY, "armed");
	fake.dbrec[1] = htobe32(0x01000000);
	fails_with(dv_cq_map(&cq, &fake.cq), EBUSY, "armed"); /* for solicited ones */
	fake.dbrec[1] = 0;
	cr_assert_eq(dv_cq_map(&cq, &fake.cq), 0);
	cr_assert_eq(fake.cqes, 0, "CQEs stay where they are");
}
