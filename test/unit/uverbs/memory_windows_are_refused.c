/* SPDX-License-Identifier: BSD-2-Clause */
/* ALLOC_MW, and the capabilities that announce none. */
#include "bench.h"

/* Binding takes UMR work requests, which are not there: so there are no windows. */
Test(memory_windows, are_refused_and_not_promised)
{
	struct ib_uverbs_alloc_mw cmd = { .mw_type = IBV_MW_TYPE_1 };
	struct ib_uverbs_alloc_mw_resp resp;
	struct ib_uverbs_query_device_resp r;
	struct bench b;
	uint64_t none = 0;

	bench_context(&b);
	cmd.pd_handle = alloc_pd(&b);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_ALLOC_MW, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     -EOPNOTSUPP);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, &none, sizeof(none), &r,
			       sizeof(r)),
		     0);
	cr_assert_eq(r.max_mw, 0);
	cr_assert_eq(r.device_cap_flags &
			     (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B),
		     0);
	bench_down(&b);
}
