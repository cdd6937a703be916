/* SPDX-License-Identifier: BSD-2-Clause */
#include <dv/stamp.h>
#include "queue.h"

static const struct ibv_sge sge = { .addr = 0x1000, .length = 16, .lkey = 7 };

QUEUE_SUITE(doorbell);

Test(doorbell, writes_record_and_8_bytes_of_the_last_wqe)
{
	static const uint8_t record[8] = { 0, 0, 0, 0, 0, 0, 0, 3 };
	static const uint8_t value[8] = { 0x00, 0x00, 0x02, 0x0a, 0x12, 0x34, 0x56, 0x02 };

	dv_sq_nop(&m.sq, 0);
	dv_sq_nop(&m.sq, 0);
	dv_sq_send(&m.sq, 0, &sge, 1);
	cr_assert_eq(m.dbrec[1], 0, "no doorbell in a post");
	cr_assert(is_old(m.reg, sizeof(m.reg)));
	dv_sq_doorbell(&m.sq);
	cr_assert_arr_eq((uint8_t *)m.dbrec, record, 8);
	cr_assert_arr_eq(m.reg, value, 8);
	cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8), "one store");
}

Test(doorbell, turns_to_the_other_half_each_time)
{
	int i;

	for (i = 0; i < 4; i++) {
		memset(m.reg, OLD, sizeof(m.reg));
		dv_sq_nop(&m.sq, 0);
		dv_sq_doorbell(&m.sq);
		cr_assert_eq(is_old(m.reg, 8), i % 2 == 1, "ring %d", i);
		cr_assert_eq(is_old(m.reg + MEMORY_BF, 8), i % 2 == 0, "ring %d", i);
	}
}

Test(doorbell, with_nothing_new_does_nothing)
{
	dv_sq_doorbell(&m.sq);
	dv_sq_blueflame(&m.sq);
	cr_assert(is_old(m.reg, sizeof(m.reg)), "nothing was ever committed");
	dv_sq_nop(&m.sq, 0);
	dv_sq_doorbell(&m.sq);
	memset(m.reg, OLD, sizeof(m.reg));
	dv_sq_doorbell(&m.sq);
	dv_sq_blueflame(&m.sq);
	cr_assert(is_old(m.reg, sizeof(m.reg)));
}

Test(doorbell, record_alone_leaves_the_register)
{
	dv_sq_nop(&m.sq, 0);
	dv_sq_record(&m.sq);
	cr_assert_eq(be32toh(m.dbrec[1]), 1);
	cr_assert(is_old(m.reg, sizeof(m.reg)));
	dv_sq_doorbell(&m.sq);
	cr_assert_not(is_old(m.reg, 8), "not rung yet");
}

Test(doorbell, record_counts_blocks_modulo_65536)
{
	static const uint8_t value[8] = { 0x00, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56, 0x01 };

	m.sq.pi = m.sq.ci = m.sq.db_pi = 65535;
	dv_sq_nop(&m.sq, 0);
	dv_sq_doorbell(&m.sq);
	cr_assert_eq(m.dbrec[1], 0, "65536 is 0");
	cr_assert_arr_eq(m.reg, value, 8);
}

/* A register without buffers (size 0) has one half. */
Test(doorbell, stays_on_a_register_without_buffers)
{
	int i;

	m.sq.bf_size = 0;
	for (i = 0; i < 3; i++) {
		memset(m.reg, OLD, sizeof(m.reg));
		dv_sq_send(&m.sq, 0, &sge, 1);
		dv_sq_blueflame(&m.sq);
		cr_assert_not(is_old(m.reg, 8));
		cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8), "8 bytes, never the WQE");
	}
}

Test(blueflame, copies_one_small_wqe_in_whole_blocks, .init = queue_start)
{
	dv_sq_send(&m.sq, 0, &sge, 1);
	dv_sq_blueflame(&m.sq);
	cr_assert_eq(be32toh(m.dbrec[1]), 1);
	cr_assert_arr_eq(m.reg, m.ring, 64);
	cr_assert(is_old(m.reg + 64, sizeof(m.reg) - 64));
}

Test(blueflame, turns_to_the_other_half_each_time, .init = queue_start)
{
	char text[100] = "two blocks and more";

	dv_sq_send(&m.sq, 0, &sge, 1);
	dv_sq_blueflame(&m.sq);
	dv_sq_send_inline(&m.sq, 0, text, 100);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg + MEMORY_BF, m.ring + 64, 128);
	cr_assert(is_old(m.reg + MEMORY_BF + 128, MEMORY_BF - 128));
	cr_assert_eq(m.sq.bf_offset, 0);
}

/* 16 segments are 256 bytes, the buffer's size; 17 are too many. */
Test(blueflame, has_the_register_s_size_as_limit, .init = queue_start)
{
	char text[300] = { 0 };

	dv_sq_send_inline(&m.sq, 0, text, 236);
	cr_assert_eq(m.ring[7], 16);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg, m.ring, 256);
	dv_sq_send_inline(&m.sq, 0, text, 237);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg + MEMORY_BF, m.ring + 256, 8);
	cr_assert(is_old(m.reg + MEMORY_BF + 8, MEMORY_BF - 8));
}

Test(blueflame, is_a_doorbell_for_a_single_segment, .init = queue_start)
{
	dv_sq_nop(&m.sq, 0);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg, m.ring, 8);
	cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8));
}

Test(blueflame, is_a_doorbell_for_two_wqes, .init = queue_start)
{
	dv_sq_send(&m.sq, 0, &sge, 1);
	dv_sq_send(&m.sq, 0, &sge, 1);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg, m.ring + 64, 8);
	cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8));
}

/* A batch of stamped WQEs is a batch, too. */
Test(blueflame, is_a_doorbell_for_two_stamped_wqes, .init = queue_start)
{
	uint8_t wqe[DV_WQE_BB] = { [3] = MLX5_OPCODE_SEND, 0x12, 0x34, 0x56, 2 };

	cr_assert_eq(dv_sq_stamp(&m.sq, wqe), 0);
	dv_sq_stamped(&m.sq, 0);
	dv_sq_stamped(&m.sq, 0);
	dv_sq_blueflame(&m.sq);
	cr_assert_eq(be32toh(m.dbrec[1]), 2);
	cr_assert_arr_eq(m.reg, m.ring + 64, 8);
	cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8));
	dv_sq_stamped(&m.sq, 0);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg + MEMORY_BF, m.ring + 128, 64, "one alone is copied");
}

/* Padding counts as WQEs: the device would miss the NOPs. */
Test(blueflame, is_a_doorbell_after_padding, .init = queue_start)
{
	char text[100] = { 0 };

	m.sq.pi = m.sq.ci = m.sq.db_pi = MEMORY_BLOCKS - 1;
	dv_sq_send_inline(&m.sq, 0, text, 100);
	dv_sq_blueflame(&m.sq);
	cr_assert_arr_eq(m.reg, m.ring, 8);
	cr_assert(is_old(m.reg + 8, sizeof(m.reg) - 8));
	cr_assert_eq(be32toh(m.dbrec[1]), MEMORY_BLOCKS + 2);
}
