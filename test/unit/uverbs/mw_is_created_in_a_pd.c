/* SPDX-License-Identifier: BSD-2-Clause */
/* ALLOC_MW and its end: handle, rkey, mkey; what is refused; the capabilities that announce
 * it. */
#include "bench.h"

#include "prm/prm.h"

PD_SUITE(memory_windows);

static int alloc_mw(uint32_t in_pd, uint8_t type, struct ib_uverbs_alloc_mw_resp *resp)
{
	struct ib_uverbs_alloc_mw cmd = { .pd_handle = in_pd, .mw_type = type };

	return write_cmd(&b, IB_USER_VERBS_CMD_ALLOC_MW, &cmd, sizeof(cmd), resp,
			 sizeof(*resp));
}

static int dealloc_mw(uint32_t mw)
{
	return destroy(&b, UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY,
		       UVERBS_ATTR_DESTROY_MW_HANDLE, mw);
}

Test(memory_windows, are_free_mkeys)
{
	for (uint8_t type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		struct ib_uverbs_alloc_mw_resp resp;
		struct hca_mkey *m;

		cr_assert_eq(alloc_mw(pd, type, &resp), 0);
		m = hca_mkey_find(&b.hca, resp.rkey);
		cr_assert_not_null(m);
		cr_expect(m->window && m->free && m->umr_en);
		cr_expect_eq(m->en_rinval, type == IBV_MW_TYPE_2);
		cr_expect_eq(PRM_GET(mkc, m->mkc, translations_octword_size), 4);
		cr_expect_eq(m->access, HCA_LOCAL_READ);
	}
}

Test(memory_windows, of_no_other_type)
{
	struct ib_uverbs_alloc_mw_resp resp;

	cr_expect_eq(alloc_mw(pd, 0, &resp), -EINVAL);
	cr_expect_eq(alloc_mw(pd, 3, &resp), -EINVAL);
	cr_expect_eq(alloc_mw(pd + 77, IBV_MW_TYPE_1, &resp), -EINVAL);
}

Test(memory_windows, use_their_pd)
{
	struct ib_uverbs_alloc_mw_resp resp;

	cr_assert_eq(alloc_mw(pd, IBV_MW_TYPE_2, &resp), 0);
	cr_expect_eq(dealloc_pd(&b, pd), -EBUSY);
	cr_expect_eq(dealloc_mw(pd), -EINVAL, "the handle of another type");
	cr_expect_eq(dealloc_mw(resp.mw_handle), 0);
	cr_expect_null(hca_mkey_find(&b.hca, resp.rkey));
	cr_expect_eq(dealloc_mw(resp.mw_handle), -ENOENT);
	cr_expect_eq(dealloc_pd(&b, pd), 0);
}

Test(memory_windows, go_whatever_a_bind_made_of_their_key)
{
	struct ib_uverbs_alloc_mw_resp resp;

	cr_assert_eq(alloc_mw(pd, IBV_MW_TYPE_1, &resp), 0);
	hca_mkey_find(&b.hca, resp.rkey)->variant++;
	cr_expect_eq(dealloc_mw(resp.mw_handle), 0);
}

static int alloc_uhw(const struct mlx5_ib_alloc_mw *req, struct ib_uverbs_alloc_mw_resp *resp,
		     uint32_t uhw[2])
{
	struct ib_uverbs_alloc_mw cmd = { .pd_handle = pd, .mw_type = IBV_MW_TYPE_1 };

	return write_uhw(&b, IB_USER_VERBS_CMD_ALLOC_MW,
			 (struct buf){ &cmd, sizeof(cmd), resp, sizeof(*resp) },
			 (struct buf){ req, sizeof(*req), uhw, 8 });
}

Test(memory_windows, driver_part_asks_for_space)
{
	struct mlx5_ib_alloc_mw req = { .num_klms = 5 };
	struct ib_uverbs_alloc_mw_resp resp;
	uint32_t uhw[2] = { 0 };

	cr_assert_eq(alloc_uhw(&req, &resp, uhw), 0);
	cr_expect_eq(uhw[1], 8, "response_length");
	cr_expect_eq(
		PRM_GET(mkc, hca_mkey_find(&b.hca, resp.rkey)->mkc, translations_octword_size),
		8);
	req = (struct mlx5_ib_alloc_mw){ .comp_mask = 1 };
	cr_expect_eq(alloc_uhw(&req, &resp, uhw), -EOPNOTSUPP);
	req = (struct mlx5_ib_alloc_mw){ .reserved1 = 1 };
	cr_expect_eq(alloc_uhw(&req, &resp, uhw), -EOPNOTSUPP);
	req = (struct mlx5_ib_alloc_mw){ .reserved2 = 1 };
	cr_expect_eq(alloc_uhw(&req, &resp, uhw), -EOPNOTSUPP);
}
