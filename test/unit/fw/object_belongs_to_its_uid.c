/* SPDX-License-Identifier: BSD-2-Clause */
/* owner: a user context sees and destroys its own objects only; uid 0 all. */
#include "device.h"

DEVICE_SUITE(owner);

static enum fw_status as(uint16_t u, uint32_t opcode, uint32_t n)
{
	box(opcode);
	uid(u);
	PRM_SET(dealloc_pd_in, b.in, pd, n);
	return execute();
}

Test(owner, another_uid_may_not_destroy)
{
	uint16_t one = new_uctx(), two = new_uctx();
	uint32_t pd = new_pd(one), uar = new_uar(one);

	cr_assert_neq(one, two);
	cr_assert_eq(as(two, PRM_OP_DEALLOC_PD, pd), FW_BAD_RES_STATE);
	cr_assert_eq(as(two, PRM_OP_DEALLOC_UAR, uar), FW_BAD_RES_STATE);
	cr_assert_eq(as(one, PRM_OP_DEALLOC_PD, pd), FW_OK);
	cr_assert_eq(as(0, PRM_OP_DEALLOC_UAR, uar), FW_OK);
}

Test(owner, another_uid_may_not_refer)
{
	uint16_t u = new_uctx();
	struct needs n = new_needs();

	/* all of them uid 0's */
	AS(u, qp_box(&n));
	cr_assert_eq(execute(), FW_BAD_RES);
	cr_assert_eq(syndrome(), 0xe0050009);
	n.pd = new_pd(u);
	AS(u, qp_box(&n));
	cr_assert_eq(execute(), FW_BAD_RES);
	cr_assert_eq(syndrome(), 0xe005000c);
	/* but an event queue of the driver is for all */
	n.uar = new_uar(u);
	AS(u, cq_box(n.uar, n.eq));
	n.cq = made();
	AS(u, qp_box(&n));
	cr_assert_eq(as(0, PRM_OP_DESTROY_QP, made()), FW_OK);
}

Test(owner, another_uid_may_not_query_or_modify)
{
	uint16_t u = new_uctx();
	struct needs n = new_needs();
	uint32_t qpn = new_qp(&n);

	cr_assert_eq(as(u, PRM_OP_QUERY_QP, qpn), FW_BAD_RES_STATE);
	cr_assert_eq(as(u, PRM_OP_QUERY_CQ, n.cq), FW_BAD_RES_STATE);
	cr_assert_eq(as(u, PRM_OP_2ERR_QP, qpn), FW_BAD_RES_STATE);
	AS(u, init_box(qpn));
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	cr_assert_eq(as(0, PRM_OP_QUERY_QP, qpn), FW_OK);
}

Test(owner, a_context_with_objects_is_busy)
{
	uint16_t u = new_uctx();
	uint32_t tdn;

	tdn = alloc_as(u, PRM_OP_ALLOC_TRANSPORT_DOMAIN);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, u), FW_BAD_RES_STATE);
	cr_assert_eq(as(u, PRM_OP_DEALLOC_TRANSPORT_DOMAIN, tdn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UCTX, u), FW_OK);
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	AS(u, box(PRM_OP_ALLOC_PD));
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

Test(owner, powers_that_are_not_offered)
{
	box(PRM_OP_CREATE_UCTX);
	PRM_SET(uctx, PRM_ADDR(create_uctx_in, b.in, uctx), cap, 1);
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

/* The capability is the limit; the images are fw's to read, so the test may shrink one. */
Test(owner, no_more_than_the_capability_allows)
{
	new_pd(0);
	new_uctx();
	BOX_OK(box(PRM_OP_ALLOC_TRANSPORT_DOMAIN));
	AT_LIMIT(log_max_pd, 1, box(PRM_OP_ALLOC_PD), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(log_max_uctx, 1, box(PRM_OP_CREATE_UCTX), FW_LIM_ERR, WHY_LIMIT);
	AT_LIMIT(log_max_transport_domain, 1, box(PRM_OP_ALLOC_TRANSPORT_DOMAIN), FW_LIM_ERR,
		 WHY_LIMIT);
}

Test(owner, a_full_table_says_so)
{
	box(PRM_OP_ALLOC_UAR);
	while (hca.uars.used < 4095)
		executed(0); /* execute() would compare all of them each time */
	cr_assert_eq(execute(), FW_LIM_ERR);
	hca.pds.limit = 2;
	new_pd(0);
	box(PRM_OP_ALLOC_PD);
	cr_assert_eq(execute(), FW_NO_RES);
}
