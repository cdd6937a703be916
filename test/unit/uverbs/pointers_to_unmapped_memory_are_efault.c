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

Test(SUITE, in_core_structs)
{
	struct ib_uverbs_reg_mr cmd = { .start = 0 };
	struct ib_uverbs_reg_mr_resp resp;

	cr_assert_eq(
		write_cmd(&b, IB_USER_VERBS_CMD_REG_MR, WILD, sizeof(cmd), &resp, sizeof(resp)),
		-EFAULT);
}

/* The object that was made before the answer failed is destroyed again: its PD is free. */
Test(SUITE_QP, in_answers_undo_the_object)
{
	void *buf = pages(1);
	uint64_t none = 0;

	struct bench *b = &r.b;
	uint32_t pds = b->hca.pds.used, mkeys = b->hca.mkeys.used, cqs = b->hca.cqs.used;
	uint32_t qps = b->hca.qps.used, uars = b->hca.uars.used;
	struct ib_uverbs_reg_mr mr = { .start = (uintptr_t)buf,
				       .length = PAGE,
				       .hca_va = (uintptr_t)buf,
				       .pd_handle = r.pd };

	call_run = call_once;
	cr_assert_eq(write_cmd(b, IB_USER_VERBS_CMD_ALLOC_PD, &none, 8, WILD, 4), -EFAULT);
	cr_assert_eq(write_uhw(b, IB_USER_VERBS_CMD_ALLOC_PD, (struct buf){ &none, 8, &mr, 4 },
			       (struct buf){ .out = WILD, .out_len = 4 }),
		     -EFAULT);
	cr_assert_eq(write_cmd(b, IB_USER_VERBS_CMD_REG_MR, &mr, sizeof(mr), WILD, 12),
		     -EFAULT);

	struct call c = call(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	uint32_t word;
	call_object(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0);
	call_u64(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, WILD, 8);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &word, 4);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &word, 4);
	cr_assert_eq(call_run(b, &c), -EFAULT);

	cr_assert_eq(b->hca.pds.used, pds);
	cr_assert_eq(b->hca.mkeys.used, mkeys);
	cr_assert_eq(b->hca.uars.used, uars);
	cr_assert_eq(b->hca.cqs.used, cqs);
	cr_assert_eq(b->hca.qps.used, qps);
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
