/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Re-registration: another range, PD or access for a region that keeps its handle.
 *
 *	may the mkey be changed where it is?  yes: it keeps its key
 *	                                      no:  a new mkey, a new key; the old one goes
 *
 * mlx5_ib (mr.c, mlx5_ib_rereg_user_mr) changes an mkey in place by UMR work requests on its
 * own QP. It can do so if the mkey came out of its cache, where mkeys have space for a power of
 * two of pages, at least four (mr.c, mr_cache_ent_from_order; umr.c). A program that remembers
 * keys beyond a re-registration gets away with it here as often as there.
 */
#include <infiniband/verbs.h>

#include "fw/fw.h"
#include "uverbs/memlock.h"
#include "uverbs/mr.h"
#include "uverbs/umem.h"

#define CHANGES \
	(IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS)
#define CACHE_MIN_PAS 4

/* mlx5_ib, umr.c, mlx5r_umr_can_reconfig */
static bool can_reconfig(const struct uverbs *u, uint32_t diff)
{
	if (diff & IBV_ACCESS_REMOTE_ATOMIC && UVERBS_CAP(u, umr_modify_atomic_disabled))
		return false;
	if (!(diff & IBV_ACCESS_RELAXED_ORDERING))
		return true;
	return (!UVERBS_CAP(u, relaxed_ordering_write) ||
		UVERBS_CAP(u, relaxed_ordering_write_umr)) &&
	       (!UVERBS_CAP(u, relaxed_ordering_read) ||
		UVERBS_CAP(u, relaxed_ordering_read_umr));
}

static uint32_t pages_of(const struct ib_uverbs_reg_mr *cmd)
{
	struct uverbs_umem m;

	uverbs_umem_for_mkey(&m, cmd->start, cmd->length, cmd->hca_va);
	return m.npas;
}

void uverbs_mr_describe(const struct uverbs *u, struct uverbs_mr *mr,
			const struct ib_uverbs_reg_mr *cmd)
{
	mr->access = cmd->access_flags;
	mr->start = cmd->start;
	mr->length = cmd->length;
	mr->iova = cmd->hca_va;
	mr->max_pas = 0;
	if (cmd->access_flags & IBV_ACCESS_ON_DEMAND || !can_reconfig(u, cmd->access_flags))
		return; /* not out of the cache */
	for (mr->max_pas = CACHE_MIN_PAS; mr->max_pas < pages_of(cmd);)
		mr->max_pas *= 2;
}

/* mlx5_ib, mr.c: can_use_umr_rereg_pas, can_use_umr_rereg_access */
static bool keeps_mkey(const struct uverbs *u, const struct uverbs_mr *mr, uint32_t flags,
		       const struct ib_uverbs_reg_mr *want)
{
	uint32_t diff = mr->access ^ want->access_flags;

	if ((mr->access | want->access_flags) & IBV_ACCESS_ON_DEMAND)
		return false;
	if (diff & ~(uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			       IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			       IBV_ACCESS_RELAXED_ORDERING))
		return false;
	if (!can_reconfig(u, diff))
		return false;
	return !(flags & IBV_REREG_MR_CHANGE_TRANSLATION) || pages_of(want) <= mr->max_pas;
}

/* The new mkey in the place of the old one, or its contents in the old mkey's place. */
static int replace(struct uverbs *u, struct uverbs_mr *mr, uint32_t flags,
		   const struct ib_uverbs_reg_mr *want, struct uverbs_pd *pd)
{
	bool keep = keeps_mkey(u, mr, flags, want);
	uint32_t key, max_pas = mr->max_pas;
	int ret = uverbs_mkey_create(u, want, pd->pdn, &key);

	if (ret)
		return ret;
	if (keep)
		fw_umr(u->hca, mr->key >> 8, key >> 8);
	uverbs_fw_number(u, PRM_OP_DESTROY_MKEY, 0, (keep ? key : mr->key) >> 8);
	uverbs_mr_describe(u, mr, want);
	if (keep)
		mr->max_pas = max_pas;
	else
		mr->key = key;
	mr->pd->obj.uses--;
	mr->pd = pd;
	mr->pd->obj.uses++;
	return 0;
}

/* Fills @want: the attributes that @cmd changes, the others as they are. */
static void choose(struct ib_uverbs_reg_mr *want, const struct uverbs_mr *mr,
		   const struct ib_uverbs_rereg_mr *cmd)
{
	*want = (struct ib_uverbs_reg_mr){ .start = mr->start,
					   .length = mr->length,
					   .hca_va = mr->iova,
					   .access_flags = mr->access };
	if (cmd->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		want->start = cmd->start;
		want->length = cmd->length;
		want->hca_va = cmd->hca_va;
	}
	if (cmd->flags & IBV_REREG_MR_CHANGE_ACCESS)
		want->access_flags = cmd->access_flags;
}

/* ib_uverbs, uverbs_cmd.c, ib_uverbs_rereg_mr: its checks in its order. */
static int look_up(const struct uverbs_call *c, const struct ib_uverbs_rereg_mr *cmd,
		   struct uverbs_mr **mr, struct uverbs_pd **pd)
{
	int ret;

	if (!cmd->flags)
		return -EINVAL;
	if (cmd->flags & ~(uint32_t)CHANGES)
		return -EOPNOTSUPP;
	if (cmd->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    (cmd->start ^ cmd->hca_va) & (HCA_PAGE_SIZE - 1))
		return -EINVAL;
	*mr = uverbs_named(c, cmd->mr_handle, UVERBS_MR);
	if (!*mr || (*mr)->dm)
		return -EINVAL;
	if (cmd->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		ret = uverbs_mr_access(c->u, cmd->access_flags);
		if (ret)
			return ret;
	}
	*pd = (*mr)->pd;
	if (!(cmd->flags & IBV_REREG_MR_CHANGE_PD))
		return 0;
	*pd = uverbs_named(c, cmd->pd_handle, UVERBS_PD);
	return *pd ? 0 : -EINVAL;
}

/* ib_core, umem.c, ib_umem_check_rereg: pages that stay are pinned as they were. */
static bool may_write(const struct uverbs *u, const struct uverbs_mr *mr, uint32_t flags,
		      const struct ib_uverbs_reg_mr *want)
{
	return !kernel_has(u->kernel, KERNEL_REREG_WRITABLE) ||
	       !(flags & IBV_REREG_MR_CHANGE_ACCESS) ||
	       flags & IBV_REREG_MR_CHANGE_TRANSLATION ||
	       !uverbs_access_writable(want->access_flags) || mr->writable;
}

int uverbs_rereg_mr(struct uverbs_call *c)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ib_uverbs_reg_mr want;
	struct ib_uverbs_rereg_mr cmd;
	struct uverbs_mr *mr;
	struct uverbs_pd *pd;
	int ret = uverbs_request(c, &cmd);

	if (!ret)
		ret = look_up(c, &cmd, &mr, &pd);
	if (ret)
		return ret;
	choose(&want, mr, &cmd);
	if (!may_write(c->u, mr, cmd.flags, &want))
		return -EACCES;
	if (cmd.flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		/* The lock is free while it pins: the region stays. */
		mr->obj.uses++;
		ret = uverbs_mr_pin(c, pd, &want);
		mr->obj.uses--;
	}
	if (!ret)
		ret = replace(c->u, mr, cmd.flags, &want, pd);
	if (ret)
		return ret;
	if (cmd.flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		uverbs_memlock_take(c, &mr->obj);
		mr->writable = uverbs_access_writable(want.access_flags);
	}
	resp.lkey = resp.rkey = mr->key;
	uverbs_response(c, &resp);
	return 0;
}
