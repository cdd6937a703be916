/* SPDX-License-Identifier: BSD-2-Clause */
/* REREG_MR: what changes, what the kernel refuses, and when the key stays. */
#include "bench.h"

#define SUITE mr_rereg_changes_a_region

CONTEXT_SUITE(SUITE);

#define TRANS  IBV_REREG_MR_CHANGE_TRANSLATION
#define PD     IBV_REREG_MR_CHANGE_PD
#define ACCESS IBV_REREG_MR_CHANGE_ACCESS

static struct region {
	uint32_t pd, other_pd;
	char *buf;
	struct ib_uverbs_reg_mr_resp *mr; /* with a tail, so they cannot be here */
	struct ib_uverbs_rereg_mr *cmd;
	struct ib_uverbs_rereg_mr_resp resp;
} r;

/* Two pages of eight; the rest is elsewhere for the region. */
static void register_region(uint32_t access)
{
	static struct ib_uverbs_reg_mr_resp mr;
	static struct ib_uverbs_rereg_mr cmd;

	r.mr = &mr;
	r.cmd = &cmd;
	r.pd = alloc_pd(&b);
	r.other_pd = alloc_pd(&b);
	r.buf = pages(8);
	cr_assert_eq(reg_mr(&b, r.pd, r.buf, 2 * PAGE, access, r.mr), 0);
	cmd = (struct ib_uverbs_rereg_mr){ .mr_handle = mr.mr_handle };
}

static int rereg(uint32_t flags)
{
	r.cmd->flags = flags;
	return write_cmd(&b, IB_USER_VERBS_CMD_REREG_MR, r.cmd, sizeof(*r.cmd), &r.resp,
			 sizeof(r.resp));
}

static struct hca_mkey *mkey(uint32_t key)
{
	return hca_mkey_find(&b.hca, key);
}

static void move_to(void *va, uint64_t len)
{
	r.cmd->start = r.cmd->hca_va = (uintptr_t)va;
	r.cmd->length = len;
}

static void expect_same_key(void)
{
	cr_assert_eq(r.resp.lkey, r.mr->lkey);
	cr_assert_eq(r.resp.rkey, r.mr->lkey);
	cr_assert(mkey(r.mr->lkey));
	cr_assert_eq(b.hca.mkeys.used, 1);
}

static void expect_new_key(void)
{
	cr_assert_neq(r.resp.lkey, r.mr->lkey);
	cr_assert_eq(r.resp.rkey, r.resp.lkey);
	cr_assert_null(mkey(r.mr->lkey), "the old key is destroyed");
	cr_assert(mkey(r.resp.lkey));
	cr_assert_eq(b.hca.mkeys.used, 1);
}

Test(SUITE, translation)
{
	struct hca_mkey *m;

	register_region(IBV_ACCESS_LOCAL_WRITE);
	move_to(r.buf + 4 * PAGE + 8, 100);
	cr_assert_eq(rereg(TRANS), 0);
	expect_same_key();
	m = mkey(r.mr->lkey);
	cr_assert_eq(m->start, (uintptr_t)r.buf + 4 * PAGE + 8);
	cr_assert_eq(m->len, 100);
	cr_assert_eq(m->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE, "the rest is as it was");
	cr_assert_eq(dereg_mr(&b, r.mr->mr_handle), 0);
	cr_assert_eq(dealloc_pd(&b, r.pd), 0);
}

Test(SUITE, access)
{
	struct hca_mkey *m;

	register_region(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	r.cmd->access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	cr_assert_eq(rereg(ACCESS), 0);
	expect_same_key();
	m = mkey(r.mr->lkey);
	cr_assert_eq(m->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_READ);
	cr_assert_eq(m->start, (uintptr_t)r.buf);
	cr_assert_eq(m->len, 2 * PAGE);
}

Test(SUITE, protection_domain)
{
	register_region(0);
	r.cmd->pd_handle = r.other_pd;
	cr_assert_eq(rereg(PD), 0);
	expect_same_key();
	cr_assert_eq(dealloc_pd(&b, r.other_pd), -EBUSY);
	cr_assert_eq(dealloc_pd(&b, r.pd), 0, "it has no region any more");
	cr_assert_eq(dereg_mr(&b, r.mr->mr_handle), 0);
	cr_assert_eq(dealloc_pd(&b, r.other_pd), 0);
}

Test(SUITE, all_at_once)
{
	struct hca_mkey *m;

	register_region(0);
	move_to(r.buf + PAGE, PAGE);
	r.cmd->pd_handle = r.other_pd;
	r.cmd->access_flags = IBV_ACCESS_REMOTE_READ;
	cr_assert_eq(rereg(TRANS | PD | ACCESS), 0);
	expect_same_key();
	m = mkey(r.mr->lkey);
	cr_assert_eq(m->start, (uintptr_t)r.buf + PAGE);
	cr_assert_eq(m->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}

/* mlx5_ib, umr.h, mlx5r_umr_can_reconfig: as the adapter lets UMR change this right. */
Test(SUITE, atomic_right)
{
	register_region(IBV_ACCESS_LOCAL_WRITE);
	r.cmd->access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	cr_assert_eq(rereg(ACCESS), 0);
	expect_same_key();
	cr_assert(mkey(r.mr->lkey)->access & HCA_REMOTE_ATOMIC);
	cr_assert_eq(dereg_mr(&b, r.mr->mr_handle), 0);
	cr_assert_eq(b.hca.mkeys.used, 0);
}

/* An mkey with relaxed ordering does not come from the cache as long as UMR cannot set it. */
Test(SUITE, relaxed_ordering_needs_a_new_key)
{
	register_region(IBV_ACCESS_RELAXED_ORDERING);
	move_to(r.buf, PAGE);
	cr_assert_eq(rereg(TRANS), 0);
	expect_new_key();
}

Test(SUITE, refusals)
{
	register_region(IBV_ACCESS_LOCAL_WRITE);
	move_to(r.buf, PAGE);
	cr_assert_eq(rereg(0), -EINVAL);
	cr_assert_eq(rereg(8), -EOPNOTSUPP);
	r.cmd->hca_va++;
	cr_assert_eq(rereg(TRANS), -EINVAL, "offsets in the page differ");
	cr_assert_eq(rereg(ACCESS), 0, "and only matter for a translation");
	move_to(r.buf, 0);
	cr_assert_eq(rereg(TRANS), -EINVAL);
	move_to(WILD, PAGE);
	cr_assert_eq(rereg(TRANS), -EFAULT);
	r.cmd->access_flags = IBV_ACCESS_REMOTE_WRITE;
	cr_assert_eq(rereg(ACCESS), -EINVAL, "remote without local write");
	r.cmd->pd_handle = r.mr->mr_handle;
	cr_assert_eq(rereg(PD), -EINVAL, "a region is no PD");
	r.cmd->mr_handle = r.pd;
	cr_assert_eq(rereg(ACCESS), -EINVAL, "a PD is no region");
	cr_assert(mkey(r.mr->lkey));
	cr_assert_eq(mkey(r.mr->lkey)->len, 2 * PAGE, "nothing changed");
	cr_assert_eq(dealloc_pd(&b, r.other_pd), 0);
}
