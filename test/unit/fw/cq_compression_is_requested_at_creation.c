/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_CQ: compressed CQEs, collapsed and padded CQs; what is refused of each. */
#include "device.h"

static uint32_t uar, eqn;

static void on_cx7(void)
{
	setup_as("cx7");
	uar = new_uar(0);
	eqn = new_eq(uar);
}

TestSuite(compress, .init = on_cx7, .fini = teardown);

static uint8_t *compressing(uint32_t format, uint32_t ext)
{
	uint8_t *cqc = cq_box(uar, eqn);

	SET(cqc, cqc, F(cqe_comp_en, 1), F(mini_cqe_res_format, format),
	    F(mini_cqe_res_format_ext, ext));
	return cqc;
}

static struct hca_cq *created(void)
{
	return hca_cq_find(&hca, made());
}

Test(compress, every_format)
{
	for (uint32_t format = PRM_CQC_MINI_CQE_HASH; format <= PRM_CQC_MINI_CQE_L34H_STRIDX;
	     format++) {
		const struct hca_cq *cq;

		compressing(format & 3, format >> 2);
		cq = created();
		cr_assert_not_null(cq->session);
		cr_assert_eq(cq->session->format, format);
		cr_assert_not(cq->session->enhanced);
	}
	BAD_PARAM(compressing(1, 1), WHY_UNSUPPORTED);
	BAD_PARAM(compressing(0, 2), WHY_UNSUPPORTED);
}

Test(compress, enhanced_layout)
{
	PRM_SET(cqc, compressing(0, 0), cqe_compression_layout, 1);
	cr_assert(created()->session->enhanced);
	BAD_PARAM(PRM_SET(cqc, compressing(0, 0), cqe_compression_layout, 2), WHY_UNSUPPORTED);
}

Test(compress, enhanced_layout_of_a_connectx_5)
{
	teardown();
	setup();
	uar = new_uar(0);
	eqn = new_eq(uar);
	BAD_PARAM(PRM_SET(cqc, compressing(0, 0), cqe_compression_layout, 1), WHY_UNSUPPORTED);
	compressing(0, 0);
	cr_assert_not_null(created()->session);
}

Test(compress, without_asking)
{
	cq_box(uar, eqn);
	cr_assert_null(created()->session);
	BAD_PARAM(PRM_SET(cqc, compressing(1, 0), cqe_comp_en, 0), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, cq_box(uar, eqn), cqe_compression_layout, 1), WHY_UNSUPPORTED);
}

Test(compress, collapsed)
{
	PRM_SET(cqc, cq_box(uar, eqn), cc, 1);
	cr_assert(created()->collapsed);
	BAD_PARAM(PRM_SET(cqc, compressing(0, 0), cc, 1), WHY_UNSUPPORTED);
}

Test(compress, padded_entries_are_wide)
{
	uint8_t *cqc = cq_box(uar, eqn);

	SET(cqc, cqc, F(cqe_sz, 2), F(log_cq_size, 6));
	cr_assert_eq(created()->cqe_size_log, 7);
}

static enum fw_status resize(const struct hca_cq *cq)
{
	uint8_t *cqc = PRM_ADDR(modify_cq_in, b.in, cq_context);

	CMD(MODIFY_CQ, F(op_mod, 1), F(cqn, cq->cqn));
	PRM_SET(modify_field_select,
		PRM_ADDR(modify_cq_in, b.in, modify_field_select_resize_field_select),
		modify_field_select, 7);
	PRM_SET(cqc, cqc, log_cq_size, 6);
	pas(page(5));
	return execute();
}

Test(compress, special_cqs_keep_their_ring)
{
	compressing(0, 0);
	cr_assert_eq(resize(created()), FW_OK);
	PRM_SET(cqc, compressing(0, 0), cqe_compression_layout, 1);
	cr_assert_eq(resize(created()), FW_BAD_PARAM);
	PRM_SET(cqc, cq_box(uar, eqn), cc, 1);
	cr_assert_eq(resize(created()), FW_BAD_PARAM);
}
