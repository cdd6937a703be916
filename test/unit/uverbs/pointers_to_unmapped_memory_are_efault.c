/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever address the application gives, the answer is -EFAULT and nothing is left. */
#include "queues.h"

#define SUITE	 pointers_to_unmapped_memory_are_efault
#define SUITE_QP pointers_to_unmapped_memory_are_efault_with_qp

CONTEXT_SUITE(SUITE);
QP_SUITE(SUITE_QP);

Test(SUITE, in_the_frame)
{
	struct call *c = (struct call *)((uint8_t *)pages(2) + PAGE - 24);

	cr_assert_eq(uverbs_ioctl(b.f, RDMA_VERBS_IOCTL, 0), -EFAULT);
	cr_assert_eq(uverbs_ioctl(b.f, RDMA_VERBS_IOCTL, ~0ull), -EFAULT);
	/* The header is there, the attributes after it are not. */
	munmap((uint8_t *)c + 24, PAGE);
	c->hdr = (struct header){ .object_id = UVERBS_OBJECT_DEVICE,
				  .method_id = UVERBS_METHOD_QUERY_PORT,
				  .num_attrs = 2,
				  .length = 24 + 32,
				  .driver_id = RDMA_DRIVER_MLX5 };
	cr_assert_eq(call_once(&b, c), -EFAULT);
}

Test(SUITE_QP, in_queue_buffers_and_doorbell_records)
{
	struct cq_attr ca;
	struct qp_attr qa;
	struct cq cq;
	struct qp qp;

	WITH(ca, cq_attr(&r.uar), ca.uhw.buf_addr = PAGE, create_cq(&r.b, &ca, &cq), -EFAULT);
	WITH(ca, cq_attr(&r.uar), ca.uhw.db_addr = PAGE, create_cq(&r.b, &ca, &cq), -EFAULT);
	WITH(qa, r.attr, qa.uhw.buf_addr = PAGE, create_qp(&r.b, &qa, &qp), -EFAULT);
	WITH(qa, r.attr, qa.uhw.db_addr = PAGE, create_qp(&r.b, &qa, &qp), -EFAULT);
	/* Half of a queue is not enough. */
	qa = r.attr;
	munmap((void *)(uintptr_t)(qa.uhw.buf_addr + PAGE), PAGE);
	cr_assert_eq(create_qp(&r.b, &qa, &qp), -EFAULT);
}
