/* SPDX-License-Identifier: BSD-2-Clause */
/* qpc_ext.mmo: given at birth or on the way from INIT to INIT, on devices that have it. */
#include "device.h"

static void on_bf3(void)
{
	setup_needs_as("bf3");
}

TestSuite(mmo, .init = on_bf3, .fini = teardown);

/* CREATE_QP whose page list follows an extension. */
static uint8_t *create_qp_box_with_mmo(bool mmo)
{
	uint8_t *qpc = qp_box(&n);

	b.in_len = PRM_SZ(create_qp_in) + PRM_SZ(qpc_ext);
	memset(b.in + PRM_SZ(create_qp_in), 0, PRM_SZ(qpc_ext));
	PRM_SET(create_qp_in, b.in, qpc_ext, 1);
	PRM_SET(qpc_ext, b.in + PRM_SZ(create_qp_in), mmo, mmo);
	pas(page(3));
	pas(page(4));
	return qpc;
}

static uint8_t *enable_box(uint32_t qpn)
{
	modify_box(PRM_OP_INIT2INIT_QP, qpn);
	SET(init2init_qp_in, b.in, F(qpc_ext, 1), F(opt_param_mask_95_32, 1 << 3));
	PRM_SET(qpc_ext, b.in + b.in_len, mmo, 1);
	b.in_len += PRM_SZ(qpc_ext);
	return b.in + PRM_SZ(init2init_qp_in);
}

Test(mmo, at_birth)
{
	struct hca_qp *qp;

	create_qp_box_with_mmo(true);
	qp = hca_qp_find(&hca, made());
	cr_assert(qp->mmo);
	cr_assert_eq(hca_ring_at(&qp->rq.ring, 0), pages[3]);
	create_qp_box_with_mmo(false);
	cr_assert_not(hca_qp_find(&hca, made())->mmo);
	cr_assert_not(hca_qp_find(&hca, new_qp(&n))->mmo);
}

Test(mmo, at_birth_refused)
{
	BAD_PARAM(PRM_SET(qpc, create_qp_box_with_mmo(true), st, 1), WHY_UNSUPPORTED);
	create_qp_box_with_mmo(true);
	PRM_SET(qpc_ext, b.in + PRM_SZ(create_qp_in), vl15, 1);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	create_qp_box_with_mmo(true);
	b.in_len = PRM_SZ(create_qp_in) + PRM_SZ(qpc_ext) - 8;
	cr_assert_eq(execute(), FW_BAD_INP_LEN);
}

Test(mmo, from_init_to_init)
{
	uint32_t qpn = new_qp(&n);

	BOX_OK(init_box(qpn));
	BOX_OK(enable_box(qpn));
	cr_assert(hca_qp_find(&hca, qpn)->mmo);
	BOX_OK(PRM_SET(qpc_ext, enable_box(qpn), mmo, 0));
	cr_assert_not(hca_qp_find(&hca, qpn)->mmo);
}

Test(mmo, from_init_to_init_refused)
{
	uint32_t qpn = new_qp(&n);

	BOX_OK(init_box(qpn));
	BAD_PARAM(WITH_FIELD(enable_box(qpn), init2init_qp_in, opt_param_mask_95_32,
			     1 << 3 | 1 << 1),
		  WHY_OPT_PARAM);
	BAD_PARAM(WITH_FIELD(enable_box(qpn), init2init_qp_in, qpc_ext, 0), WHY_OPT_PARAM);
	BAD_PARAM(WITH_FIELD(enable_box(qpn), init2init_qp_in, opt_param_mask_95_32, 0),
		  WHY_UNSUPPORTED);
	BOX_REFUSED(SHORTER(enable_box(qpn), 8), FW_BAD_INP_LEN, WHY_IN_LEN);
}

Test(mmo, a_device_without_it)
{
	uint32_t qpn;

	teardown();
	setup_needs();
	BAD_PARAM(create_qp_box_with_mmo(true), WHY_UNSUPPORTED);
	qpn = new_qp(&n);
	BOX_OK(init_box(qpn));
	BAD_PARAM(enable_box(qpn), WHY_OPT_PARAM);
}
