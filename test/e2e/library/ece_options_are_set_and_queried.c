/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of enhanced connection establishment with the calls of libibverbs: any may be asked
 * for, and those in use are some of them. The software adapter has none. */
#include <errno.h>

#include "fixture.h"

enum { MELLANOX = 0x15b3 };

TestSuite(ece, .init = fixture_start, .fini = fixture_stop);

static uint32_t options(struct ibv_qp *qp)
{
	struct ibv_ece e = { .comp_mask = 1 };

	cr_assert_eq(ibv_query_ece(qp, &e), 0);
	cr_assert_eq(e.vendor_id, MELLANOX);
	cr_assert_eq(e.comp_mask, 0);
	return e.options;
}

static void ask(struct end *e, uint32_t some)
{
	struct ibv_ece ece = { .vendor_id = MELLANOX, .options = some };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	cr_assert_eq(ibv_modify_qp(e->qp, &attr, IBV_QP_STATE), 0);
	dv_cq_clean(&e->cq, e->qp->qp_num);
	dv_sq_restart(&e->sq);
	dv_rq_restart(&e->rq);
	cr_assert_eq(ibv_set_ece(e->qp, &ece), 0);
	cr_assert_eq(options(e->qp), 0, "not answered yet");
}

Test(ece, connections_that_ask_for_any_work)
{
	static const uint32_t asked[] = { 0, 1, 1u << 31, 0x20000001, UINT32_MAX };
	struct ibv_sge sge = src_sge(0, 1);

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		ask(&f.a, asked[i]);
		ask(&f.b, asked[i]);
		fixture_to_rts(&f.a, &f.b);
		cr_expect_eq(options(f.a.qp) & ~asked[i], 0);
		cr_expect_eq(options(f.b.qp), options(f.a.qp));
		receive(&f.b, dst_sge(0, 1));
		cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1), 0);
		ring(&f.a);
		success(&f.b, MLX5_CQE_RESP_SEND);
	}
}

Test(ece, of_another_vendor_are_refused)
{
	struct ibv_ece ece = { .vendor_id = MELLANOX + 1 };

	cr_expect_eq(ibv_set_ece(f.a.qp, &ece), EINVAL);
	ece = (struct ibv_ece){ .vendor_id = MELLANOX, .comp_mask = 1 };
	cr_expect_eq(ibv_set_ece(f.a.qp, &ece), EINVAL);
}
