/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings and record of a QP and a CQ at an offset of a umem that the caller registered. */
#include <criterion/criterion.h>
#include <devx/cq.h>
#include <devx/qp.h>
#include <dv/reason.h>
#include <errno.h>

#include "fake_memory.h"

enum { SIZE = 0x4000, OFFSET = 0x2340 };

static _Alignas(4096) uint8_t memory[SIZE];
static struct devx_umem umem;
static struct devx_uar uar;
static struct devx_qp qp;
static struct devx_cq cq;

static void start(void)
{
	fake_memory_reset();
	memset(memory, 0x5a, sizeof(memory));
	umem = (struct devx_umem){ .id = 0x66, .addr = memory, .size = SIZE };
	uar = (struct devx_uar){
		.page_id = 0x321, .base = fake_page, .reg = fake_page + 0x800, .bf_size = 256
	};
	answer_word(8, 0xabc);
}

TestSuite(memory_of_the_caller, .init = start);

static struct devx_qp_attr two_wqes(uint64_t offset)
{
	return (struct devx_qp_attr){
		.uar = &uar, .sq_wqe_cnt = 2, .umem = &umem, .umem_offset = offset
	};
}

static struct devx_cq_attr two_cqes(uint64_t offset)
{
	return (struct devx_cq_attr){
		.uar = &uar, .cqe_cnt = 2, .umem = &umem, .umem_offset = offset
	};
}

/* @len bytes at @offset of the memory are @byte. */
static void expect(size_t offset, size_t len, uint8_t byte)
{
	for (size_t i = offset; i < offset + len; i++)
		cr_assert_eq(memory[i], byte, "byte 0x%zx is 0x%02x", i, memory[i]);
}

/* create_qp_in: dbr_addr 0xb8, dbr_umem_id 0xfc, wq_umem_offset 0x100, wq_umem_id 0x108 */
Test(memory_of_the_caller, has_a_qp)
{
	struct devx_qp_attr attr = two_wqes(OFFSET);

	cr_assert_eq(devx_qp_bytes(&attr), 2 * 64 + 64);
	cr_assert_eq(devx_qp_create(&qp, NULL, &attr), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00001800 00000000 00000800 00000321",
	     "00b8: 00000000 000023c0", "00c4: 03000000", "00e8: 10000000", "00fc: 00000066",
	     "0100: 00000000 00002340 00000066 80000000");
	cr_assert_eq(fake_memory.umems, 0);
	cr_assert_eq(qp.sq.buf, (char *)memory + OFFSET);
	cr_assert_eq((char *)qp.sq.dbrec, (char *)memory + OFFSET + 2 * 64 + 4);
	expect(0, OFFSET + 2 * 64, 0x5a);
	expect(OFFSET + 2 * 64, 8, 0);
	expect(OFFSET + 2 * 64 + 8, 64, 0x5a);
	cr_assert_eq(devx_qp_destroy(&qp), 0);
	cr_assert_eq(fake.destroyed, 1);
	expect(0, OFFSET, 0x5a);
}

/* create_cq_in: dbr_addr 0x48, cq_umem_offset 0x50, cq_umem_id 0x58 */
Test(memory_of_the_caller, has_a_cq)
{
	struct devx_cq_attr attr = two_cqes(OFFSET);

	cr_assert_eq(devx_cq_bytes(&attr), 2 * 64 + 64);
	attr.cqe_size = 128;
	cr_assert_eq(devx_cq_bytes(&attr), 2 * 128 + 64);
	attr.cqe_size = 0;
	cr_assert_eq(devx_cq_create(&cq, NULL, &attr), 0);
	SENT(0x110, "0000: 04000000 00000000", "0010: 02000000 00000066 00000000 01000321",
	     "0048: 00000000 000023c0", "0050: 00000000 00002340 00000066 80000000");
	cr_assert_eq(cq.cq.cqe64, (char *)memory + OFFSET);
	expect(0, OFFSET, 0x5a);
	cr_assert_eq(dv_cq_at(&cq.cq, 1)->op_own, 0xf1, "blank");
	expect(OFFSET + 2 * 64, 8, 0);
	expect(OFFSET + 2 * 64 + 8, 64, 0x5a);
	cr_assert_eq(devx_cq_destroy(&cq), 0);
}

/* The last byte of the umem is the last of the record's line. */
Test(memory_of_the_caller, has_to_hold_the_queue)
{
	static const struct {
		uint64_t offset, size;
		int err;
	} rows[] = {
		{ OFFSET, OFFSET + 192, 0 },
		{ OFFSET, OFFSET + 191, EINVAL },
		{ OFFSET + 1, SIZE, EINVAL },
		{ OFFSET + 32, SIZE, EINVAL },
		{ SIZE, SIZE, EINVAL },
		{ SIZE + 64, SIZE, EINVAL },
		{ UINT64_MAX - 63, SIZE, EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct devx_qp_attr qp_attr = two_wqes(rows[i].offset);
		struct devx_cq_attr cq_attr = two_cqes(rows[i].offset);

		umem.size = rows[i].size;
		fake.calls = 0;
		cr_assert_eq(devx_qp_create(&qp, NULL, &qp_attr), rows[i].err, "row %zu", i);
		cr_assert_eq(devx_cq_create(&cq, NULL, &cq_attr), rows[i].err, "row %zu", i);
		cr_assert_eq(fake.calls, rows[i].err ? 0 : 2);
		if (rows[i].err)
			cr_assert_not_null(strstr(dv_reason(), "at this offset"));
	}
}

/* 2^22 CQEs; 2^15 WQEs, to receive into 128 places each. */
Test(memory_of_the_caller, has_the_largest_queues)
{
	struct devx_qp_attr qp_attr = two_wqes(0);
	struct devx_cq_attr cq_attr = two_cqes(0);

	umem = (struct devx_umem){ .id = 0x66, .size = 1 << 30 };
	cq_attr.cqe_cnt = 1 << 22;
	AGAIN(devx_cq_create(&cq, NULL, &cq_attr));
	cr_expect_eq(fake.in[0x1c], 22);
	qp_attr.rq_max_sge = 128;
	qp_attr.sq_wqe_cnt = qp_attr.rq_wqe_cnt = 1 << 15;
	AGAIN(devx_qp_create(&qp, NULL, &qp_attr));
	cr_expect_eq(fake.in[0x21], 15 << 3 | 7,
		     "log_rq_size, and log_rq_stride from 16 bytes");
	cr_expect_eq(fake.in[0x22] >> 3, 15, "log_sq_size");
	fake.calls = 0;
	cq_attr.cqe_cnt *= 2;
	cr_expect_eq(devx_cq_create(&cq, NULL, &cq_attr), EINVAL);
	qp_attr.sq_wqe_cnt *= 2;
	cr_expect_eq(devx_qp_create(&qp, NULL, &qp_attr), EINVAL);
	qp_attr.sq_wqe_cnt = 0;
	qp_attr.rq_wqe_cnt *= 2;
	cr_expect_eq(devx_qp_create(&qp, NULL, &qp_attr), EINVAL);
	cr_expect_eq(fake.calls, 0);
}

/* Memory of a GPU: nothing is written, and the queues are the caller's to describe. */
Test(memory_of_the_caller, may_be_out_of_reach)
{
	struct devx_qp_attr qp_attr = two_wqes(OFFSET);
	struct devx_cq_attr cq_attr = two_cqes(OFFSET);

	umem.addr = NULL;
	memset(&qp, 0x77, sizeof(qp));
	memset(&cq, 0x77, sizeof(cq));
	cr_assert_eq(devx_qp_create(&qp, NULL, &qp_attr), 0);
	cr_assert_eq(devx_cq_create(&cq, NULL, &cq_attr), 0);
	expect(0, SIZE, 0x5a);
	cr_assert_null(qp.sq.buf);
	cr_assert_null(qp.rq.buf);
	cr_assert_null(cq.cq.cqe64);
	cr_assert_eq(devx_qp_destroy(&qp), 0);
	cr_assert_eq(devx_cq_destroy(&cq), 0);
}
