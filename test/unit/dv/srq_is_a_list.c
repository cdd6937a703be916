/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* The shared receive queue: golden slots, and the list of free ones against a model. */
#include "memory.h"

enum {
	SLOTS = 4,
	STRIDE = 64,
};

static uint8_t slots[SLOTS][STRIDE] __attribute__((aligned(64)));
static __be32 dbrec[2];
static struct dv_srq srq;

static void start(void)
{
	struct mlx5dv_srq plain = { .buf = slots, .dbrec = dbrec, .stride = STRIDE, .tail = SLOTS - 1,
				    .comp_mask = MLX5DV_SRQ_MASK_SRQN, .srqn = 0x77 };

	memset(slots, OLD, sizeof(slots));
	memset(dbrec, 0, sizeof(dbrec));
	dv_srq_link(slots, SLOTS, STRIDE);
	cr_assert_eq(dv_srq_init(&srq, &plain), 0);
}

static struct mlx5_cqe64 cqe_of(uint16_t slot, uint8_t opcode)
{
	struct mlx5_cqe64 cqe = { .wqe_counter = htobe16(slot), .op_own = (uint8_t)(opcode << 4) };

	return cqe;
}

Test(srq, is_linked_and_posted)
{
	static const uint8_t golden[2][STRIDE] = {
		{ 0, 0, 0, 1, [16] = 0, 0, 0, 0x40, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0xab, 0xcd, 0xef, 0x00,
		  0, 0, 0, 0x10, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, 0x10, 0x00,
		  [48] = 0, 0, 0, 0, 0, 0, 1, 0 },
		{ 0, 0, 0, 2, [16] = 0, 0, 0, 0, 0, 0, 1, 0, [32] = OLD },
	};
	struct ibv_sge sge[2] = { { 0xabcdef00, 0x40, 0x1234 }, { 0x1000, 0x10, 0x1234 } };

	start();
	cr_assert_eq(srq.max_sge, 3);
	cr_assert_eq(srq.srqn, 0x77);
	cr_assert_eq(dv_srq_next(&srq), 0);
	cr_assert_eq(dv_srq_post(&srq, sge, 2), 0);
	cr_assert_eq(dv_srq_next(&srq), 1);
	cr_assert_eq(dv_srq_post(&srq, NULL, 0), 0);
	cr_assert_arr_eq(slots[0], golden[0], STRIDE);
	cr_assert_arr_eq(slots[1], golden[1], 33);
	cr_assert_eq(dbrec[0], 0, "not written yet");
	dv_srq_doorbell(&srq);
	cr_assert_eq(be32toh(dbrec[0]), 2);
	cr_assert_eq(dbrec[1], 0, "its record is one counter");
}

Test(srq, keeps_its_last_slot)
{
	struct ibv_sge sge = { 1, 1, 1 };
	struct ibv_sge four[4] = { sge, sge, sge, sge };
	struct mlx5_cqe64 cqe = cqe_of(1, MLX5_CQE_RESP_SEND);

	start();
	cr_assert_eq(dv_srq_post(&srq, four, 4), EMSGSIZE, "more than a slot holds");
	for (int i = 0; i < SLOTS - 1; i++)
		cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), ENOMEM);
	cr_assert_eq(dv_srq_retire(&srq, &cqe), 0);
	cr_assert_eq(dv_srq_next(&srq), 3, "the one that was last");
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), ENOMEM);
	cr_assert_eq(be16toh(dv_srq_slot(&srq, 3)->next_wqe_index), 1, "which names the one that came back");
}

/* Slots come back in any order, long enough for the counter to wrap; no slot is posted
 * twice. */
Test(srq, hands_out_no_slot_twice)
{
	uint32_t busy = 0, posted = 0, seed = 1, at;
	struct ibv_sge sge = { 1, 1, 1 };
	struct mlx5_cqe64 cqe;

	start();
	while (posted < 70000) {
		seed = seed * 1103515245 + 12345;
		at = seed >> 16 & (SLOTS - 1);
		if (busy & 1u << at) {
			cqe = cqe_of((uint16_t)at, seed & 1 << 20 ? MLX5_CQE_RESP_SEND : MLX5_CQE_RESP_ERR);
			cr_assert_eq(dv_srq_retire(&srq, &cqe), 0);
			busy &= ~(1u << at);
			continue;
		}
		at = dv_srq_next(&srq);
		if (dv_srq_post(&srq, &sge, 1)) {
			cr_assert_eq(__builtin_popcount(busy), SLOTS - 1);
			continue;
		}
		cr_assert_not(busy & 1u << at, "slot %u", at);
		busy |= 1u << at;
		dv_srq_doorbell(&srq);
		cr_assert_eq(be32toh(dbrec[0]), ++posted & 0xffff);
	}
}

Test(srq, data_inside_the_cqe_reaches_the_buffer)
{
	static char buffer[64];
	struct ibv_sge sge = { (uintptr_t)buffer, 8, 1 };
	struct mlx5_cqe64 cqe = cqe_of(0, MLX5_CQE_RESP_SEND);

	start();
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	memcpy(&cqe, "01234567", 8);
	cqe.byte_cnt = htobe32(8);
	cqe.op_own |= MLX5_INLINE_SCATTER_32;
	cr_assert_eq(dv_srq_retire(&srq, &cqe), 0);
	cr_assert_arr_eq(buffer, "01234567\0", 9);
	cr_assert_eq(srq.tail, 0);
}

/* WQEs that paging used up are posted again elsewhere, with the same list. */
Test(srq, posts_again_after_a_page_fault)
{
	struct ibv_sge sge = { 0x5000, 0x20, 9 };
	struct mlx5_cqe64 cqe = cqe_of(0, MLX5_CQE_RESP_ERR);
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)&cqe;

	start();
	for (int i = 0; i < SLOTS - 1; i++)
		cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	cr_assert_not(dv_cqe_is_page_fault(&cqe));
	err->syndrome = MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR;
	err->vendor_err_synd = MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT;
	cr_assert(dv_cqe_is_page_fault(&cqe));
	cr_assert_eq(dv_srq_repost(&srq, &cqe), 3);
	cr_assert_arr_eq(slots[3] + 16, slots[0] + 16, 32);
	cr_assert_eq(be32toh(dbrec[0]), 4);
	cr_assert_eq(srq.tail, 0);
	cr_assert_eq(srq.head, 0, "and that is all that is free");
}

/* One that is in use already: what is posted stays, the record counts on. */
Test(srq, is_taken_over_in_the_middle)
{
	struct mlx5dv_srq plain = { .buf = slots, .dbrec = dbrec, .stride = STRIDE, .head = 2, .tail = 1 };
	struct ibv_sge sge = { 1, 1, 1 };

	start();
	dbrec[0] = htobe32(0xffff);
	cr_assert_eq(dv_srq_init(&srq, &plain), 0);
	cr_assert_eq(dv_srq_next(&srq), 2);
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	dv_srq_doorbell(&srq);
	cr_assert_eq(dbrec[0], 0, "16 bits");
	plain.stride = 48;
	cr_assert_eq(dv_srq_init(&srq, &plain), EOPNOTSUPP);
	plain.buf = NULL;
	cr_assert_eq(dv_srq_init(&srq, &plain), EINVAL);
}

/* CQEs of a destroyed QP: of its three, the two of receives bring their slots back. */
Test(srq, gets_back_what_is_cleaned_out_of_a_cq)
{
	static struct mlx5_cqe64 cqes[8];
	static __be32 record[2];
	struct mlx5dv_cq plain = { .buf = cqes, .cqe_cnt = 8, .cqe_size = 64, .dbrec = record };
	struct ibv_sge sge = { 1, 1, 1 };
	struct dv_cq cq;

	start();
	for (int i = 0; i < SLOTS - 1; i++)
		cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	dv_cq_blank(cqes, 8, 64);
	cr_assert_eq(dv_cq_init(&cq, &plain), 0);
	cqes[0] = cqe_of(1, MLX5_CQE_RESP_SEND);
	cqes[1] = cqe_of(2, MLX5_CQE_REQ);
	cqes[2] = cqe_of(0, MLX5_CQE_RESP_ERR);
	cqes[3] = cqe_of(2, MLX5_CQE_RESP_SEND);
	cqes[0].sop_drop_qpn = cqes[1].sop_drop_qpn = cqes[2].sop_drop_qpn = htobe32(5);
	cqes[3].sop_drop_qpn = htobe32(6);
	cr_assert_eq(dv_cq_clean_srq(&cq, 5, &srq), 3);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(dv_srq_post(&srq, &sge, 1), 0);
	cr_assert_eq(dv_srq_post(&srq, &sge, 1), ENOMEM, "slot 2 is still the other QP's");
	cr_assert_eq(dv_cqe_wqe_counter(dv_cq_poll(&cq)), 2);
	cr_assert_null(dv_cq_poll(&cq));
}
