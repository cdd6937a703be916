/* SPDX-License-Identifier: BSD-2-Clause */
/* Destroy in every order: done or refused as busy, and at the end nothing is left. */
#include "device.h"

DEVICE_SUITE(busy);

enum { QP, CQ, EQ, UAR, PD, MKEY, OBJECTS };

static const uint32_t destroy_op[OBJECTS] = {
	[QP] = PRM_OP_DESTROY_QP,   [CQ] = PRM_OP_DESTROY_CQ, [EQ] = PRM_OP_DESTROY_EQ,
	[UAR] = PRM_OP_DEALLOC_UAR, [PD] = PRM_OP_DEALLOC_PD, [MKEY] = PRM_OP_DESTROY_MKEY,
};

/* Bit j of users[i]: i is busy as long as j lives. */
static const uint32_t users[OBJECTS] = {
	[CQ] = 1 << QP,
	[EQ] = 1 << CQ,
	[UAR] = 1 << QP | 1 << EQ,
	[PD] = 1 << QP | 1 << MKEY,
};

static void new_all(uint32_t id[OBJECTS])
{
	struct needs n = new_needs();

	id[QP] = new_qp(&n);
	id[CQ] = n.cq;
	id[EQ] = n.eq;
	id[UAR] = n.uar;
	id[PD] = n.pd;
	pages_key_box(n.pd, 0, page(0), 16);
	id[MKEY] = made();
}

/* One try at @i: what is used is busy, everything else goes. */
static uint32_t try(const uint32_t id[OBJECTS], uint32_t alive, int i)
{
	bool there = alive & 1u << i, used = alive & users[i];
	enum fw_status want = there && !used ? FW_OK : FW_BAD_RES_STATE;

	cr_assert_eq(execute_on(destroy_op[i], id[i]), want, "object %d, alive %#x", i, alive);
	return want == FW_OK ? alive & ~(1u << i) : alive;
}

/* Takes the @k-th of the 720 orders until all are destroyed. */
static void in_order(unsigned int k)
{
	uint32_t id[OBJECTS], alive = (1 << OBJECTS) - 1;
	int order[OBJECTS] = { 0, 1, 2, 3, 4, 5 };

	for (int i = OBJECTS - 1; i > 0; i--) {
		int j = k % (i + 1), tmp = order[i];

		k /= i + 1;
		order[i] = order[j];
		order[j] = tmp;
	}
	new_all(id);
	for (int round = 0; alive; round++) {
		cr_assert_lt(round, OBJECTS);
		for (int i = 0; i < OBJECTS; i++)
			alive = try(id, alive, order[i]);
	}
	cr_assert_eq(hca.qps.used + hca.cqs.used + hca.eqs.used, 0);
	cr_assert_eq(hca.uars.used + hca.pds.used + hca.mkeys.used, 0);
}

Test(busy, destroy_in_every_order)
{
	for (unsigned int k = 0; k < 720; k++)
		in_order(k);
}

Test(busy, a_queue_pair_counts_its_cq_twice_and_lets_go_twice)
{
	struct needs n = new_needs();
	uint32_t qpn = new_qp(&n);

	cr_assert_eq(hca_cq_find(&hca, n.cq)->refs, 2);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(hca_cq_find(&hca, n.cq)->refs, 0);
}

/* perftest's ib_send_bw closes its device with a CQ left. */
Test(busy, a_cq_outlives_its_uar_and_does_not_take_the_next_one)
{
	struct needs n = new_needs();
	uint32_t uar = new_uar(0), cqn;

	cqn = MADE(cq_box(uar, n.eq));
	cr_assert_eq(hca_cq_find(&hca, cqn)->uar->index, uar);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_UAR, uar), FW_OK);
	cr_assert_null(hca_cq_find(&hca, cqn)->uar);
	cr_assert_eq(hca_cq_find(&hca, n.cq)->uar->index, n.uar);
	new_uar(0);
	cr_assert_null(hca_cq_find(&hca, cqn)->uar);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, cqn), FW_OK);
}
