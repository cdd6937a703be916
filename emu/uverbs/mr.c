/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory regions: one CREATE_MKEY each, in MTT mode, lkey = rkey (mlx5_ib, mr.c, reg_create).
 *
 *	key = mkey_index << 8 | variant		the variant changes with every mkey
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/memlock.h"
#include "uverbs/mr.h"
#include "uverbs/umem.h"

#define QPN_ANY	     0xffffffu
#define OCTWORD	     16
#define PAGE_PRESENT 3		/* mlx5_ib: MLX5_IB_MTT_PRESENT, with on-demand paging only */
#define PAGES_MAX    (1u << 24) /* of 128 MiB of page list, which only a typing error needs */

/* ib_core, <rdma/ib_verbs.h>: ib_check_mr_access, ib_access_writable */
#define ACCESS_SUPPORTED \
	(((IB_UVERBS_ACCESS_HUGETLB << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)
/* IB_UVERBS_ACCESS_FLUSH_GLOBAL and _PERSISTENT; no mlx5 can do it */
#define ACCESS_FLUSH (3u << 8)
#define ACCESS_WRITABLE                                                                \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND)

int uverbs_mr_access(const struct uverbs *u, uint32_t access)
{
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (access & ~(ACCESS_SUPPORTED | ACCESS_FLUSH))
		return -EINVAL;
	if (access & ACCESS_FLUSH)
		return kernel_has(u->kernel, KERNEL_FLUSH) ? -EOPNOTSUPP : -EINVAL;
	if (access & IBV_ACCESS_ON_DEMAND && !UVERBS_CAP(u, pg))
		return kernel_has(u->kernel, KERNEL_ODP_UNSUPPORTED) ? -EOPNOTSUPP : -EINVAL;
	return 0;
}

bool uverbs_access_writable(uint32_t access)
{
	return access & ACCESS_WRITABLE;
}

/* mlx5_ib, mr.c: set_mkc_access_pd_addr_fields */
void uverbs_mkc_rights(struct uverbs *u, uint8_t *mkc, uint32_t access, uint32_t pdn)
{
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
	PRM_SET(mkc, mkc, qpn, QPN_ANY);
	PRM_SET(mkc, mkc, mkey_7_0, u->key_variant);
	PRM_SET(mkc, mkc, pd, pdn);
}

int uverbs_mkey_exec(struct uverbs *u, const void *in, size_t in_len, uint32_t *key)
{
	uint8_t out[PRM_SZ(create_mkey_out)] = { 0 };
	int ret = uverbs_fw(u, in, in_len, out, sizeof(out));

	if (!ret)
		*key = PRM_GET(create_mkey_out, out, mkey_index) << 8 | u->key_variant++;
	return ret;
}

/* An inbox of CREATE_MKEY for @cmd with @octwords of page list, in_len in *@len. */
static uint8_t *mkey_inbox(struct uverbs *u, const struct ib_uverbs_reg_mr *cmd, uint32_t pdn,
			   uint64_t octwords, size_t *len)
{
	uint8_t *in, *mkc;

	*len = PRM_SZ(create_mkey_in) + octwords * OCTWORD;
	in = calloc(1, *len);
	if (!in)
		return NULL;
	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, pg_access, UVERBS_CAP(u, pg));
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, octwords);
	mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	uverbs_mkc_rights(u, mkc, cmd->access_flags, pdn);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, umr_en, 1);
	PRM_SET(mkc, mkc, translations_octword_size, octwords);
	return in;
}

static int implicit_mkey(struct uverbs *u, const struct ib_uverbs_reg_mr *cmd, uint32_t pdn,
			 uint32_t *key)
{
	size_t in_len;
	uint8_t *in = mkey_inbox(u, cmd, pdn, 0, &in_len), *mkc;
	int ret;

	if (!in)
		return -ENOMEM;
	mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	PRM_SET(mkc, mkc, length64, 1);
	ret = uverbs_mkey_exec(u, in, in_len, key);
	free(in);
	return ret;
}

int uverbs_mkey_create(struct uverbs *u, const struct ib_uverbs_reg_mr *cmd, uint32_t pdn,
		       uint32_t *key)
{
	bool absent = cmd->access_flags & IBV_ACCESS_ON_DEMAND;
	struct uverbs_umem m;
	uint8_t *in, *mkc;
	size_t in_len;
	int ret;

	if (absent && uverbs_odp_implicit(cmd))
		return implicit_mkey(u, cmd, pdn, key);
	uverbs_umem_for_mkey(&m, cmd->start, cmd->length, cmd->hca_va);
	if (cmd->length >> m.page_shift > PAGES_MAX)
		return -ENOMEM;
	in = mkey_inbox(u, cmd, pdn, ((uint64_t)m.npas + 1) / 2, &in_len);
	if (!in)
		return -ENOMEM;
	mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	PRM_SET(mkc, mkc, start_addr, cmd->hca_va);
	PRM_SET(mkc, mkc, len, cmd->length);
	PRM_SET(mkc, mkc, log_page_size, m.page_shift);
	uverbs_umem_fill(&m, PRM_ADDR(create_mkey_in, in, klm_pas_mtt),
			 UVERBS_CAP(u, pg) && !absent ? PAGE_PRESENT : 0);
	ret = uverbs_mkey_exec(u, in, in_len, key);
	free(in);
	return ret;
}

/* Pinning may take as long as the region is large: the device goes on meanwhile. The PD is in
 * use and stays. */
int uverbs_mr_pin(struct uverbs_call *c, struct uverbs_pd *pd, struct ib_uverbs_reg_mr *cmd)
{
	int ret;

	if (cmd->access_flags & IBV_ACCESS_ON_DEMAND)
		return uverbs_odp_check(cmd);
	ret = uverbs_memlock(c, cmd->start, cmd->length);
	if (ret)
		return ret;
	pd->obj.uses++;
	hca_unlock(c->u->hca);
	ret = uverbs_pin_region(c->u, cmd->start, cmd->length,
				cmd->access_flags & ACCESS_WRITABLE);
	hca_lock(c->u->hca);
	pd->obj.uses--;
	return ret ? ret : uverbs_hold(c, &cmd->start, cmd->length);
}

int uverbs_reg_mr(struct uverbs_call *c)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ib_uverbs_reg_mr cmd;
	struct uverbs_mr *mr;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if ((cmd.start ^ cmd.hca_va) & (HCA_PAGE_SIZE - 1))
		return -EINVAL;
	mr = uverbs_object_new(c, UVERBS_MR);
	if (!mr)
		return c->error;
	ret = uverbs_mr_access(c->u, cmd.access_flags);
	if (ret)
		return ret;
	mr->pd = uverbs_named(c, cmd.pd_handle, UVERBS_PD);
	if (!mr->pd)
		return -EINVAL;
	ret = uverbs_mr_pin(c, mr->pd, &cmd);
	if (!ret)
		ret = uverbs_mkey_create(c->u, &cmd, mr->pd->pdn, &mr->key);
	if (ret)
		return ret;
	uverbs_mr_describe(c->u, mr, &cmd);
	mr->writable = uverbs_access_writable(cmd.access_flags);
	resp.mr_handle = mr->obj.handle;
	resp.lkey = resp.rkey = mr->key;
	uverbs_response(c, &resp);
	return 0;
}

/* uverbs_std_types_mr.c */
int uverbs_reg_dmabuf_mr(struct uverbs_call *c)
{
	struct ib_uverbs_reg_mr cmd = {
		.length = uverbs_number(c, UVERBS_ATTR_REG_DMABUF_MR_LENGTH),
		.hca_va = uverbs_number(c, UVERBS_ATTR_REG_DMABUF_MR_IOVA)
	};
	uint64_t offset = uverbs_number(c, UVERBS_ATTR_REG_DMABUF_MR_OFFSET);
	struct uverbs_mr *mr = c->made;
	int ret;

	if ((offset ^ cmd.hca_va) & (HCA_PAGE_SIZE - 1))
		return -EINVAL;
	ret = uverbs_flags(c, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
			   ACCESS_WRITABLE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_RELAXED_ORDERING,
			   &cmd.access_flags);
	if (!ret)
		ret = uverbs_mr_access(c->u, cmd.access_flags);
	/* mlx5_ib lists its pages by UMR alone. */
	if (!ret && UVERBS_CAP(c->u, umr_modify_entity_size_disabled))
		ret = -EINVAL;
	if (ret)
		return ret;
	mr->pd = uverbs_arg(c, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE);
	mr->writable = uverbs_access_writable(cmd.access_flags);
	mr->pd->obj.uses++; /* the lock is free while it pins */
	ret = uverbs_dmabuf_get(c, (int)uverbs_number(c, UVERBS_ATTR_REG_DMABUF_MR_FD), offset,
				cmd.length, mr->writable, &cmd.start);
	mr->pd->obj.uses--;
	if (!ret)
		ret = uverbs_mkey_create(c->u, &cmd, mr->pd->pdn, &mr->key);
	if (ret)
		return ret;
	uverbs_mr_describe(c->u, mr, &cmd);
	uverbs_answer(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, mr->key);
	uverbs_answer(c, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, mr->key);
	return 0;
}

/* For a process that imports a region by its handle (uverbs_std_types_mr.c). */
int uverbs_query_mr(struct uverbs_call *c)
{
	const struct uverbs_mr *mr = uverbs_arg(c, UVERBS_ATTR_QUERY_MR_HANDLE);

	uverbs_answer(c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mr->key);
	uverbs_answer(c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mr->key);
	uverbs_answer(c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, mr->length);
	uverbs_answer(c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, mr->iova);
	return 0;
}

int uverbs_mr_destroy(struct uverbs *u, void *obj)
{
	return uverbs_fw_number(u, PRM_OP_DESTROY_MKEY, 0, ((struct uverbs_mr *)obj)->key >> 8);
}
