/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On-demand paging: regions whose pages are not pinned (mlx5_ib: odp.c).
 *
 *	REG_MR with ON_DEMAND	of a range, or of all addresses (implicit)
 *	ADVISE_MR		brings pages in before they are needed
 *
 * The kernel takes page-fault events, finds the pages and writes their entries by UMR. Here
 * the page list names the application's addresses from the start, and the host pages when they
 * are touched; so the UMR capabilities that mlx5_ib asks for do not matter, and a program sees
 * the same: memory may be mapped after it was registered, and may go away.
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/mr.h"
#include "uverbs/umem.h"

#define TRANSPORT(u, service)                                                                \
	PRM_ADDR(odp_scheme_cap,                                                             \
		 PRM_ADDR(odp_cap, (u)->caps[PRM_CAP_ODP], transport_page_fault_scheme_cap), \
		 service##_odp_caps)

bool uverbs_odp_implicit(const struct ib_uverbs_reg_mr *cmd)
{
	return !cmd->start && cmd->length == UINT64_MAX;
}

/* ib_core: ib_umem_odp_get, ib_umem_odp_alloc_implicit; mlx5_ib: create_user_odp_mr. With
 * HUGETLB the kernel also wants what is mapped there to be huge pages; that is not looked at
 * here. */
int uverbs_odp_check(const struct ib_uverbs_reg_mr *cmd)
{
	uint64_t end;

	if (uverbs_odp_implicit(cmd))
		return cmd->hca_va || cmd->access_flags & IBV_ACCESS_HUGETLB ? -EINVAL : 0;
	if (__builtin_add_overflow(cmd->start, cmd->length, &end) ||
	    end + HCA_PAGE_SIZE - 1 < end)
		return -EOVERFLOW;
	/* ib_init_umem_odp: as for others, a page is what it takes */
	return uverbs_umem_pages(cmd->start, cmd->length, &end);
}

static uint32_t service_caps(const uint8_t *cap)
{
#define BIT(field, flag) (PRM_GET(odp_per_transport_service_cap, cap, field) ? (flag) : 0)
	return BIT(send, IBV_ODP_SUPPORT_SEND) | BIT(receive, IBV_ODP_SUPPORT_RECV) |
	       BIT(write, IBV_ODP_SUPPORT_WRITE) | BIT(read, IBV_ODP_SUPPORT_READ) |
	       BIT(atomic, IBV_ODP_SUPPORT_ATOMIC) | BIT(srq_receive, IBV_ODP_SUPPORT_SRQ_RECV);
#undef BIT
}

/* mlx5_ib, odp.c: internal_fill_odp_caps. It says nothing of UC. */
void uverbs_odp_caps(const struct uverbs *u, struct ib_uverbs_ex_query_device_resp *r)
{
	if (!UVERBS_CAP(u, pg))
		return;
	r->odp_caps.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
	r->odp_caps.per_transport_caps.rc_odp_caps = service_caps(TRANSPORT(u, rc));
	r->odp_caps.per_transport_caps.ud_odp_caps = service_caps(TRANSPORT(u, ud));
	r->xrc_odp_caps = service_caps(TRANSPORT(u, xrc));
}

/* The kernel's table of on-demand keys is the adapter's, not the file's. */
static struct uverbs_mr *find_key(struct uverbs *u, uint32_t key)
{
	struct core_list *fpos, *ftmp, *pos, *tmp;

	core_list_for_each(fpos, ftmp, &u->files) {
		struct uverbs_file *f = core_container(fpos, struct uverbs_file, on_driver);

		core_list_for_each(pos, tmp, &f->objects) {
			struct uverbs_object *o =
				core_container(pos, struct uverbs_object, on_file);
			struct uverbs_mr *mr = core_container(o, struct uverbs_mr, obj);

			if (o->type == UVERBS_MR && mr->key == key)
				return mr;
		}
	}
	return NULL;
}

/* odp.c: get_prefetchable_mr */
static int prefetchable(struct uverbs_call *c, uint64_t advice, uint32_t key,
			struct uverbs_mr **found)
{
	struct uverbs_mr *mr = find_key(c->u, key);

	if (!mr || !(mr->access & IBV_ACCESS_ON_DEMAND))
		return -ENOENT;
	if (&mr->pd->obj != uverbs_arg(c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE))
		return -EPERM;
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	    !uverbs_access_writable(mr->access))
		return -EPERM;
	*found = mr;
	return 0;
}

/* odp.c: pagefault_mr. The region is in use and stays while the lock is free. */
static int prefetch(struct uverbs *u, struct uverbs_mr *mr, uint64_t advice,
		    const struct ib_uverbs_sge *sge)
{
	bool write = advice != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH &&
		     uverbs_access_writable(mr->access);
	uint64_t off = sge->addr - mr->iova;
	int ret;

	if (sge->addr < mr->iova || off >= mr->length || sge->length > mr->length - off)
		return -EFAULT;
	/* Pages that are present need no work here. */
	if (advice == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT || !sge->length)
		return 0;
	mr->obj.uses++;
	hca_unlock(u->hca);
	ret = uverbs_pin(mr->start + off, sge->length, write);
	hca_lock(u->hca);
	mr->obj.uses--;
	return ret;
}

/* With FLUSH the caller waits and gets an error for what is not available; without it only for
 * wrong keys. */
static int prefetch_list(struct uverbs_call *c, uint64_t advice, bool flush,
			 const struct ib_uverbs_sge *sge, size_t n)
{
	struct uverbs_mr *mr;
	int ret = 0;

	for (size_t i = 0; !flush && !ret && i < n; i++)
		ret = prefetchable(c, advice, sge[i].lkey, &mr);
	for (size_t i = 0; !ret && i < n; i++) {
		ret = prefetchable(c, advice, sge[i].lkey, &mr);
		if (!ret)
			ret = prefetch(c->u, mr, advice, &sge[i]);
		if (!flush)
			ret = 0;
	}
	return ret;
}

int uverbs_advise_mr(struct uverbs_call *c)
{
	size_t len = uverbs_len(c, UVERBS_ATTR_ADVISE_MR_SGE_LIST);
	uint64_t advice = uverbs_number(c, UVERBS_ATTR_ADVISE_MR_ADVICE);
	struct ib_uverbs_sge *sge;
	uint32_t flags;
	int ret = uverbs_flags(c, UVERBS_ATTR_ADVISE_MR_FLAGS, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
			       &flags);

	if (ret)
		return ret;
	if (len % sizeof(*sge))
		return -EINVAL;
	if (advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT || !UVERBS_CAP(c->u, pg))
		return -EOPNOTSUPP;
	sge = malloc(len);
	if (!sge)
		return -ENOMEM;
	ret = uverbs_get(c, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sge, len);
	if (!ret)
		ret = prefetch_list(c, advice, flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH, sge,
				    len / sizeof(*sge));
	free(sge);
	return ret;
}
