/* SPDX-License-Identifier: BSD-2-Clause */
/* accept: a set bit that no row names, and one that is named but not implemented. */
#include "device.h"

NEEDS_SUITE(accept);

Test(accept, every_single_bit_of_alloc_pd)
{
	for (unsigned int bit = 32; bit < 128; bit++) {
		box(PRM_OP_ALLOC_PD);
		b.in[bit / 8] |= 0x80 >> bit % 8;
		cr_assert_eq(execute(), FW_BAD_PARAM, "bit %u", bit);
		/* op_mod has a name */
		cr_assert_eq(syndrome(),
			     0xe0080000 |
				     (bit >= 48 && bit < 64 ? WHY_UNSUPPORTED : WHY_RESERVED),
			     "bit %u", bit);
	}
}

/* Fields of the context that CREATE_QP reads. */
static char reads[] =
	"st block_lb_mc pm_state pd log_rq_size log_rq_stride no_sq log_sq_size uar_page "
	"user_index log_page_size page_offset cqn_snd cqn_rcv dbr_addr rq_type cs_req "
	"cs_res xrcd srqn_rmpn_xrqn ts_format dbr_umem_valid dbr_umem_id counter_set_id "
	"send_dbr_mode rlky fre latency_sensitive";

/* Sets the bits of the fields @names of layout @of, which begins at byte @at. */
static void set_bits(uint8_t *read, const char *of, size_t at, char *names)
{
	for (const char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		const struct prm_field *f = prm_field(prm_struct(of), name);

		for (uint32_t bit = f->bit; bit < f->bit + f->width; bit++)
			read[at + bit / 8] |= 0x80 >> bit % 8;
	}
}

/* CREATE_QP: of all bits of the inbox, exactly those of the fields it reads are taken; flipping
 * any other one is refused. */
Test(accept, every_bit_outside_the_fields_of_create_qp)
{
	static char reads_too[] = "ece wq_umem_offset wq_umem_id qpc_ext wq_umem_valid";
	uint8_t read[PRM_SZ(create_qp_in)] = { 0xff, 0xff, 0xff, 0xff };
	unsigned int refused = 0;

	set_bits(read, "qpc", 0x18, reads);
	set_bits(read, "create_qp_in", 0, reads_too);
	for (unsigned int bit = 0; bit < 8 * sizeof(read); bit++) {
		uint8_t mask = 0x80 >> bit % 8;

		if (read[bit / 8] & mask)
			continue;
		qp_box(&n);
		b.in[bit / 8] |= mask;
		cr_assert_eq(execute(), FW_BAD_PARAM, "bit %u", bit);
		cr_assert(syndrome() == 0xe0050004 || syndrome() == 0xe0050005, "bit %u", bit);
		refused++;
	}
	cr_assert_gt(refused, 1600);
}

Test(accept, named_but_not_here)
{
	uint8_t *qpc = qp_box(&n);

	PRM_SET(qpc, qpc, wq_signature, 1);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(syndrome(), 0xe0050005);
	BAD_PARAM(WITH(qp_box(&n), PRM_SET(qpc, qpc, end_padding_mode, 1)), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, cq_box(n.uar, n.eq), scqe_break_moderation_en, 1),
		  WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, cq_box(n.uar, n.eq), cq_period_mode, 2), WHY_UNSUPPORTED);
}
