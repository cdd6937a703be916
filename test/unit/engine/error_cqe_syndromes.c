/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and WQEs that are refused, and the syndrome of their CQE. No byte is copied. */
#include <endian.h>
#include <string.h>

#include "rig.h"

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	memset(h.buf, 0x5a, 8192);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(error_cqe, .init = setup, .fini = teardown);

static void run(const struct wr *wr)
{
	post_wr(&a, wr);
	ring(&a);
	settle(&h, 1);
}

static void refused(const struct wr *wr, unsigned int syndrome)
{
	run(wr);
	expect_error(&a, 13, syndrome, 0);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(h.buf[0x100000], 0);
}

Test(error_cqe, unknown_rkey)
{
	refused(
		&(struct wr){
			.opcode = 0x08, .len = 8, .remote = 0x100000, .rkey = 0x01000143 },
		0x13);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(error_cqe, write_one_byte_beyond_the_region)
{
	refused(&(struct wr){ .opcode = 0x08, .len = 4097, .remote = RIG_BUF - 4096 }, 0x13);
	cr_expect_eq(h.buf[RIG_BUF - 1], 0);
}

Test(error_cqe, mkey_without_remote_write)
{
	h.mkey->access &= ~HCA_REMOTE_WRITE;
	refused(&(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000 }, 0x13);
}

Test(error_cqe, mkey_without_remote_read)
{
	h.mkey->access &= ~HCA_REMOTE_READ;
	refused(&(struct wr){ .opcode = 0x10, .len = 8, .local = 0x100000 }, 0x13);
}

Test(error_cqe, mkey_without_remote_atomic)
{
	h.mkey->access &= ~HCA_REMOTE_ATOMIC;
	refused(&(struct wr){ .opcode = 0x12, .len = 8, .local = 0x100000 }, 0x13);
}

Test(error_cqe, qp_without_remote_write)
{
	b.qp->rwe = false;
	refused(&(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000 }, 0x12);
}

Test(error_cqe, qp_without_remote_read)
{
	b.qp->rre = false;
	refused(&(struct wr){ .opcode = 0x10, .len = 8, .local = 0x100000 }, 0x12);
}

Test(error_cqe, qp_without_remote_atomic)
{
	b.qp->rae = false;
	refused(&(struct wr){ .opcode = 0x11, .len = 8, .local = 0x100000 }, 0x12);
}

Test(error_cqe, atomic_address_not_a_multiple_of_8)
{
	refused(&(struct wr){ .opcode = 0x12, .len = 8, .local = 0x100000, .remote = 4 }, 0x12);
}

Test(error_cqe, more_reads_than_max_dest_rd_atomic)
{
	b.qp->max_dest_rd_atomic = 0;
	refused(&(struct wr){ .opcode = 0x10, .len = 8, .local = 0x100000 }, 0x12);
}

Test(error_cqe, unknown_lkey_of_a_send_side_segment)
{
	refused(&(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000, .lkey = 0x77 },
		0x04);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(error_cqe, read_into_a_region_without_local_write)
{
	h.mkey->access &= ~HCA_LOCAL_WRITE;
	refused(&(struct wr){ .opcode = 0x10, .len = 8, .local = 0x100000 }, 0x04);
}

Test(error_cqe, key_of_another_pd)
{
	a.qp->pd = hca_pd_new(&h.hca);
	refused(&(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000 }, 0x04);
}

Test(error_cqe, message_longer_than_the_qp_allows)
{
	a.qp->log_msg_max = 12;
	refused(&(struct wr){ .opcode = 0x08, .len = 4097, .remote = 0x100000 }, 0x01);
}

Test(error_cqe, atomic_with_a_buffer_below_8_bytes)
{
	refused(&(struct wr){ .opcode = 0x12, .len = 7, .local = 0x100000 }, 0x01);
}

Test(error_cqe, send_longer_than_the_receive)
{
	post_recv(&b, RIG_VA + 0x100000, 99, RIG_KEY);
	run(&(struct wr){ .opcode = 0x0a, .len = 100 });
	expect_error(&a, 13, 0x12, 0);
	expect_error(&b, 14, 0x01, 0);
	cr_expect_eq(h.buf[0x100000 + 99], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(error_cqe, receive_with_an_unknown_lkey)
{
	post_recv(&b, RIG_VA + 0x100000, 100, 0x77);
	run(&(struct wr){ .opcode = 0x0a, .len = 100 });
	expect_error(&a, 13, 0x14, 0);
	expect_error(&b, 14, 0x04, 0);
}

Test(error_cqe, memory_that_was_unmapped)
{
	for (uint32_t i = 256; i < h.mkey->pages.npas; i++)
		h.mkey->pages.pas[i] = 0x1000;
	refused(&(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000 }, 0x13);
}

/* One field of a valid WRITE at a time is changed. */
static void malformed(unsigned int at, uint8_t value)
{
	uint8_t wqe[48] = { 0, 0, 0, 0x08, 0x01, 0x00, 0x01, 3, 0, 0, 0, SIGNALED };

	wqe[at] = value;
	post(&a, wqe, 3);
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x02, 0);
	expect_none(&a);
}

Test(error_cqe, wqe_index_is_wrong)
{
	malformed(2, 1);
}

Test(error_cqe, wqe_qpn_is_wrong)
{
	malformed(6, 2);
}

Test(error_cqe, wqe_opcode_is_unknown)
{
	malformed(3, 0x30);
}

Test(error_cqe, wqe_opmod_is_unknown)
{
	malformed(0, 1);
}

Test(error_cqe, wqe_ds_is_zero)
{
	malformed(7, 0);
}

Test(error_cqe, wqe_lacks_its_remote_address)
{
	malformed(7, 1);
}

Test(error_cqe, wqe_is_longer_than_was_announced)
{
	malformed(7, 5);
}

Test(error_cqe, inline_data_exceeds_the_wqe)
{
	uint8_t wqe[48] = { 0, 0, 0, 0x08, 0x01, 0x00, 0x01, 3, [32] = 0x80, 0, 0, 13 };

	post(&a, wqe, 3);
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x02, 0);
}

Test(error_cqe, byte_count_zero_is_2_gib)
{
	uint8_t wqe[32] = { 0, 0, 0, 0x0a, 0x01, 0x00, 0x01, 2, [20] = 0x01, 0x00, 0x01, 0x42 };

	post(&a, wqe, 2);
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x01, 0);
}

Test(error_cqe, error_cqe_follows_those_of_earlier_wqes)
{
	post_wr(&a,
		&(struct wr){
			.opcode = 0x10, .fm_ce_se = SIGNALED, .len = 5000, .local = 0x2000 });
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000, .lkey = 0x77 });
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x100000 });
	ring(&a);
	settle(&h, 1);
	cr_assert_eq(next_cqe(&a)[63] >> 4, 0);
	expect_error(&a, 13, 0x04, 1);
	expect_error(&a, 13, 0x05, 2);
	cr_expect_eq(h.buf[0x100000], 0);
}

Test(error_cqe, flush_is_in_order_and_continues)
{
	for (int i = 0; i < 3; i++)
		post_recv(&a, RIG_VA, 64, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8, .rkey = 0x77 });
	for (int i = 0; i < 3; i++)
		post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8 });
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x13, 0);
	for (unsigned int i = 1; i < 4; i++)
		expect_error(&a, 13, 0x05, i);
	for (unsigned int i = 0; i < 3; i++)
		expect_error(&a, 14, 0x05, i);
	expect_none(&a);
	post_recv(&a, RIG_VA, 64, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8 });
	settle(&h, 1);
	expect_error(&a, 14, 0x05, 3);
	expect_none(&a);
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x05, 4);
}

Test(error_cqe, modify_to_err_flushes)
{
	post_recv(&b, RIG_VA, 64, RIG_KEY);
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&h.hca, b.qp);
	settle(&h, 1);
	expect_error(&b, 14, 0x05, 0);
}

Test(error_cqe, write_with_immediate_ends_the_receive_in_local_access)
{
	post_recv(&b, RIG_VA, 64, RIG_KEY);
	post_wr(&a, &(struct wr){ .opcode = 0x09, .len = 8, .rkey = RIG_KEY + 1 });
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x13, 0);
	expect_error(&b, 14, 0x11, 0);
}

/* Bytes 52 to 55 of the next CQE: the hardware's syndrome and its type, the vendor's, the
 * syndrome. */
static void expect_detail(struct side *s, uint8_t hardware, uint8_t vendor, uint8_t syndrome)
{
	const uint8_t *cqe = next_cqe(s);

	cr_assert_not_null(cqe);
	cr_expect_arr_eq(cqe + 52, ((uint8_t[]){ hardware, 0, vendor, syndrome }), 4,
			 "%02x %02x %02x %02x", cqe[52], cqe[53], cqe[54], cqe[55]);
	cr_expect_eq(cqe[63] & 0xce, 0xc2, "op_own 0x%02x", cqe[63]);
}

/* openucx/ucx, issue 6414: 92005204 */
Test(error_cqe, local_protection_has_the_vendor_syndrome_of_public_dumps)
{
	run(&(struct wr){ .opcode = 0x08, .len = 8, .lkey = RIG_KEY + 1 });
	expect_detail(&a, 0x92, 0x52, 0x04);
}

/* openucx/ucx, pull request 7801: synd 0x4 vend 0x32 hw_synd 0/146; of the sender: Remote QP on
 * mlx5_0:1/IB (synd 0x14 vend 0x89 hw_synd 0/0), issue 5472 */
Test(error_cqe, local_protection_of_a_receive_has_the_vendor_syndrome_of_public_logs)
{
	post_recv(&b, RIG_VA, 64, RIG_KEY + 1);
	run(&(struct wr){ .opcode = 0x0a, .len = 64 });
	expect_detail(&a, 0, 0x89, 0x14);
	expect_detail(&b, 0x92, 0x32, 0x04);
}

/* openucx/ucx, issue 3618: synd 0x2 vend 0x68 hw_synd 0/31 */
Test(error_cqe, qp_operation_has_the_vendor_syndrome_of_public_logs)
{
	run(&(struct wr){ .opcode = 0x3f });
	expect_detail(&a, 0x1f, 0x68, 0x02);
}
