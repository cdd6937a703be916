/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory regions: one CREATE_MKEY each, in MTT mode, lkey = rkey (mlx5_ib, mr.c, reg_create).
 *
 *	key = mkey_index << 8 | variant		the variant changes with every mkey
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/method.h"
#include "uverbs/umem.h"

#define ACCESS_MODE_MTT 1
#define QPN_ANY		0xffffffu
#define OCTWORD		16
#define PAGE_PRESENT	3 /* mlx5_ib: MLX5_IB_MTT_PRESENT, with on-demand paging only */

/* ib_core, <rdma/ib_verbs.h>: ib_check_mr_access, ib_access_writable */
#define ACCESS_SUPPORTED \
	(((IB_UVERBS_ACCESS_HUGETLB << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)
#define ACCESS_WRITABLE                                                                \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

static int check_access(uint32_t access)
{
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & ~ACCESS_SUPPORTED)
		return -EINVAL;
	return access & IBV_ACCESS_ON_DEMAND ? -EOPNOTSUPP : 0;
}

static void fill_mkc(struct uverbs *u, uint8_t *mkc, const struct ib_uverbs_reg_mr *cmd,
		     uint32_t pdn)
{
	uint32_t access = cmd->access_flags;
	bool relaxed = access & IBV_ACCESS_RELAXED_ORDERING;

	PRM_SET(mkc, mkc, a, !!(access & IBV_ACCESS_REMOTE_ATOMIC));
	PRM_SET(mkc, mkc, rw, !!(access & IBV_ACCESS_REMOTE_WRITE));
	PRM_SET(mkc, mkc, rr, !!(access & IBV_ACCESS_REMOTE_READ));
	PRM_SET(mkc, mkc, lw, !!(access & IBV_ACCESS_LOCAL_WRITE));
	PRM_SET(mkc, mkc, lr, 1);
	if (relaxed && UVERBS_CAP(u, relaxed_ordering_write))
		PRM_SET(mkc, mkc, relaxed_ordering_write, 1);
	if (relaxed && UVERBS_CAP(u, relaxed_ordering_read))
		PRM_SET(mkc, mkc, relaxed_ordering_read, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, umr_en, 1);
	PRM_SET(mkc, mkc, qpn, QPN_ANY);
	PRM_SET(mkc, mkc, mkey_7_0, u->key_variant);
	PRM_SET(mkc, mkc, pd, pdn);
	PRM_SET(mkc, mkc, start_addr, cmd->hca_va);
	PRM_SET(mkc, mkc, len, cmd->length);
}

static int mkey_create(struct uverbs *u, const struct ib_uverbs_reg_mr *cmd, uint32_t pdn,
		       uint32_t *key)
{
	uint8_t out[PRM_SZ(create_mkey_out)] = { 0 }, *in, *mkc;
	struct uverbs_umem m;
	uint64_t octwords;
	size_t in_len;
	int ret;

	uverbs_umem_for_mkey(&m, cmd->start, cmd->length, cmd->hca_va);
	octwords = ((uint64_t)m.npas + 1) / 2;
	in_len = PRM_SZ(create_mkey_in) + octwords * OCTWORD;
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, pg_access, UVERBS_CAP(u, pg));
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	fill_mkc(u, mkc, cmd, pdn);
	PRM_SET(mkc, mkc, log_page_size, m.page_shift);
	PRM_SET(mkc, mkc, translations_octword_size, octwords);
	uverbs_umem_fill(&m, PRM_ADDR(create_mkey_in, in, klm_pas_mtt),
			 UVERBS_CAP(u, pg) ? PAGE_PRESENT : 0);
	ret = uverbs_fw(u, in, in_len, out, sizeof(out));
	free(in);
	if (!ret)
		*key = PRM_GET(create_mkey_out, out, mkey_index) << 8 | u->key_variant++;
	return ret;
}

/* Pinning may take as long as the region is large: the device goes on meanwhile. The PD is in
 * use and stays. */
static int pin(struct uverbs *u, struct uverbs_pd *pd, const struct ib_uverbs_reg_mr *cmd)
{
	int ret;

	pd->obj.uses++;
	dev_unlock(u->d);
	ret = uverbs_pin(cmd->start, cmd->length, cmd->access_flags & ACCESS_WRITABLE);
	dev_lock(u->d);
	pd->obj.uses--;
	return ret;
}

static int mr_create(struct uverbs_call *c, const struct ib_uverbs_reg_mr *cmd,
		     struct uverbs_pd *pd, struct uverbs_mr **out)
{
	struct uverbs_mr *mr;
	int ret = pin(c->u, pd, cmd);

	if (ret)
		return ret;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	ret = mkey_create(c->u, cmd, pd->pdn, &mr->key);
	if (ret) {
		free(mr);
		return ret;
	}
	ret = uverbs_object_add(c->file, &mr->obj, UVERBS_MR);
	if (ret) {
		uverbs_fw_number(c->u, PRM_OP_DESTROY_MKEY, 0, mr->key >> 8);
		free(mr);
		return ret;
	}
	mr->pd = pd;
	pd->obj.uses++;
	*out = mr;
	return 0;
}

int uverbs_reg_mr(struct uverbs_call *c)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ib_uverbs_reg_mr cmd;
	struct uverbs_object *pd;
	struct uverbs_mr *mr;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if ((cmd.start ^ cmd.hca_va) & (DEV_PAGE_SIZE - 1))
		return -EINVAL;
	ret = check_access(cmd.access_flags);
	if (ret)
		return ret;
	if (uverbs_object_get(c->file, cmd.pd_handle, UVERBS_PD, &pd))
		return -EINVAL;
	ret = mr_create(c, &cmd, core_container(pd, struct uverbs_pd, obj), &mr);
	if (ret)
		return ret;
	resp.mr_handle = mr->obj.handle;
	resp.lkey = resp.rkey = mr->key;
	ret = uverbs_response(c, &resp);
	if (ret)
		uverbs_object_destroy(&mr->obj, NULL);
	return ret;
}

int uverbs_mr_destroy(struct uverbs_mr *mr)
{
	int ret = uverbs_fw_number(mr->obj.file->u, PRM_OP_DESTROY_MKEY, 0, mr->key >> 8);

	if (!ret)
		mr->pd->obj.uses--;
	return ret;
}
