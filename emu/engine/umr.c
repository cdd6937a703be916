/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR work requests: the checks of the WQE and of the QP, and the mkey context. libmlx5 posts
 * them for mlx5dv_wr_mkey_configure() and its kin, and for IBV_WR_BIND_MW, IBV_WR_LOCAL_INV and
 * ibv_bind_mw(). See umr.h for the WQE.
 *
 *	read the WQE -> supported? -> may the QP? -> entries -> context, entries changed
 *
 * A WQE that fails does not change the mkey.
 */
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/sg.h"
#include "engine/umr.h"
#include "engine/wqe_report.h"
#include "prm/prm.h"

#define QPN_ANY 0xffffffu
#define FLAGS_KNOWN \
	(UMR_INLINE | UMR_CHECK_USED | UMR_CHECK_FREE | UMR_TRANSLATION_OFFSET | UMR_CHECK_QPN)

/* mkey_mask: MLX5_MKEY_MASK_* */
enum mask_bit {
	MASK_LEN = 0,
	MASK_PAGE_SIZE = 1,
	MASK_START_ADDR = 6,
	MASK_PD = 7,
	MASK_EN_RINVAL = 8,
	MASK_SIG_ERR = 9,
	MASK_BSF_EN = 12,
	MASK_MKEY = 13,
	MASK_QPN = 14,
	MASK_LR = 17,
	MASK_LW = 18,
	MASK_RR = 19,
	MASK_RW = 20,
	MASK_A = 21,
	MASK_SMALL_FENCE = 23,
	MASK_FREE = 29,
};
#define BIT(bit)       (1ull << (bit))
#define MASK_SIGNATURE (BIT(MASK_SIG_ERR) | BIT(MASK_BSF_EN))
#define MASK_KNOWN                                                                          \
	(BIT(MASK_LEN) | BIT(MASK_PAGE_SIZE) | BIT(MASK_START_ADDR) | BIT(MASK_EN_RINVAL) | \
	 BIT(MASK_MKEY) | BIT(MASK_QPN) | BIT(MASK_LR) | BIT(MASK_LW) | BIT(MASK_RR) |      \
	 BIT(MASK_RW) | BIT(MASK_A) | BIT(MASK_FREE))
#define MASK_DRIVER (BIT(MASK_PD) | BIT(MASK_SMALL_FENCE))

static uint8_t refuse(const struct umr *u, const char *why)
{
	wqe_report_umr(CORE_NOT_EXECUTED, u->qp, u->index, why);
	return CQE_LOCAL_QP_OP;
}

static uint8_t malformed(const struct umr *u, const char *why)
{
	wqe_report_umr(CORE_MALFORMED_UMR, u->qp, u->index, why);
	return CQE_LOCAL_QP_OP;
}

/* mlx5_ib changes the regions of all PDs by its REG_UMR QP (kernel, mlx5_ib, umr.c). The QPs of
 * the kernel have fast registration enabled (qp.c, create_kernel_qp), and change those of the
 * PD that they are in. */
static bool is_umr_qp(const struct umr *u)
{
	return u->qp->st == PRM_QPC_ST_REG_UMR;
}

bool umr_is_drivers(const struct umr *u)
{
	return is_umr_qp(u) || PRM_GET(qpc, u->qp->qpc, fre);
}

/* Is everything that the WQE requests supported? */
/* assumed(user_umr_keeps_the_pd): a UMR of a user QP whose mask names the PD or another field
 * that libmlx5 never writes ends in syndrome 0x02. */
static uint8_t check_shape(const struct umr *u)
{
	const uint8_t *ctrl = u->wqe + UMR_AT_CTRL;
	uint64_t mask = hwqe_get64(ctrl, UMR_AT_MASK);
	uint32_t flags = core_bits(ctrl, UMR_FLAGS);

	if (mask & MASK_SIGNATURE ||
	    (!(flags & UMR_TRANSLATION_OFFSET) && core_bits(ctrl, UMR_OFFSET)))
		return refuse(u, "signatures and crypto (BSF) are not supported");
	if (flags & ~(uint32_t)FLAGS_KNOWN || core_bits(ctrl, 0, 23, 0))
		return malformed(u, "an unknown flag");
	if (mask & ~(MASK_KNOWN | (umr_is_drivers(u) ? MASK_DRIVER : 0)))
		return refuse(u, "mkey_mask selects a field that cannot be changed");
	/* cmd_hca_cap.umr_extended_translation_offset is 0. */
	if (core_bits(ctrl, UMR_XLT_OFFSET_47_16))
		return refuse(u, "translation offsets of more than 16 bits are not supported");
	for (unsigned int i = UMR_AT_RESERVED; i < UMR_AT_MKC - UMR_AT_CTRL; i++)
		if (ctrl[i])
			return malformed(u,
					 "reserved bytes of the UMR control segment are set");
	return umr_list_shape(u);
}

/* InfiniBand specification, chapter 11, completion status "Memory Window Bind Error". */
static uint8_t unbound(const struct umr *u, const char *why)
{
	core_check(CORE_KEY_BIND, "key", core_bits(u->wqe, HWQE_CTRL_IMM, 31, 0),
		   "QP 0x%x, the UMR WQE at 0x%x: %s", u->qp->qpn, u->index, why);
	return CQE_MW_BIND;
}

/* May the QP change the key in this way? */
static uint8_t check_key(const struct umr *u)
{
	const struct hca_mkey *m = u->m;
	uint32_t flags = core_bits(u->wqe + UMR_AT_CTRL, UMR_FLAGS);

	if (!m)
		return unbound(u, "there is no such key");
	if (m->pd != u->qp->pd && !is_umr_qp(u))
		return unbound(u, "the key is of another PD");
	if (!m->umr_en)
		return unbound(u, "the key was created without UMR (mkc.umr_en)");
	/* The driver changes rights, PD and state of a region, and its pages if UMR gave it
	 * those that it has. */
	if (!m->list && !umr_is_drivers(u))
		return refuse(u,
			      "the mkey has pages, and only mkeys with entries can be changed");
	if (!m->list && !m->capacity && core_bits(u->wqe + UMR_AT_CTRL, UMR_KLM_OCTOWORDS))
		return refuse(u, "the mkey was created with its pages");
	if (flags & UMR_CHECK_FREE && !m->free)
		return unbound(u, "the key is in use, and the WQE requires a free one");
	if (flags & UMR_CHECK_USED && m->free)
		return unbound(u, "the key is free, and the WQE requires one in use");
	/* assumed(local_inv_of_a_free_window_fails): an IBV_WR_LOCAL_INV of a type 2 window
	 * that is not bound, or is bound to another QP, ends in syndrome 0x06 (of another QP's:
	 * google/rdma-unit-test, mw_test.cc, CrossQpInvalidate). */
	if (!(flags & UMR_CHECK_QPN) || m->qpn == u->qp->qpn)
		return 0;
	/* A key of mlx5dv_create_mkey() can be used by all QPs of its PD: rdma-core's own
	 * tests/test_mlx5_mkey.py invalidates one by IBV_WR_LOCAL_INV, which checks the QPN. */
	return m->window || m->qpn ? unbound(u, "the key is not bound on this QP") : 0;
}

/* assumed(remote_atomics_pass_windows): a remote atomic through a memory window that was bound
 * with IBV_ACCESS_REMOTE_ATOMIC is executed; libmlx5 requests it (qp.c, set_umr_mkey_seg), and
 * google/rdma-unit-test omits its tests of it on mlx5 (introspection_mlx5.h,
 * SupportsRcRemoteMwAtomic), without a reason. */
/* Decodes the context of @m. */
static void refresh(struct hca_mkey *m)
{
	uint32_t qpn = PRM_GET(mkc, m->mkc, qpn);

	m->variant = PRM_GET(mkc, m->mkc, mkey_7_0);
	m->free = PRM_GET(mkc, m->mkc, free);
	m->qpn = qpn == QPN_ANY ? 0 : qpn;
	m->start = PRM_GET(mkc, m->mkc, start_addr);
	m->len = PRM_GET(mkc, m->mkc, len);
	m->length64 = PRM_GET(mkc, m->mkc, length64);
	if (m->log_entity)
		m->log_entity = PRM_GET(mkc, m->mkc, log_page_size);
	else if (m->capacity && !m->list)
		m->pages.log_page = PRM_GET(mkc, m->mkc, log_page_size);
	m->access = (PRM_GET(mkc, m->mkc, lr) ? HCA_LOCAL_READ : 0) |
		    (PRM_GET(mkc, m->mkc, lw) ? HCA_LOCAL_WRITE : 0) |
		    (PRM_GET(mkc, m->mkc, rr) ? HCA_REMOTE_READ : 0) |
		    (PRM_GET(mkc, m->mkc, rw) ? HCA_REMOTE_WRITE : 0) |
		    (PRM_GET(mkc, m->mkc, a) ? HCA_REMOTE_ATOMIC : 0);
	if (m->free && m->window)
		m->entries = 0;
}

#define COPY(bit, field)                                                       \
	do {                                                                   \
		if (mask & BIT(MASK_##bit))                                    \
			PRM_SET(mkc, m->mkc, field, PRM_GET(mkc, mkc, field)); \
	} while (0)

static void change(const struct umr *u)
{
	uint64_t mask = hwqe_get64(u->wqe + UMR_AT_CTRL, UMR_AT_MASK);
	const uint8_t *mkc = u->wqe + UMR_AT_MKC;
	struct hca_mkey *m = u->m;

	COPY(LEN, len);
	COPY(PAGE_SIZE, log_page_size);
	COPY(START_ADDR, start_addr);
	COPY(EN_RINVAL, en_rinval);
	COPY(MKEY, mkey_7_0);
	COPY(QPN, qpn);
	COPY(LR, lr);
	COPY(LW, lw);
	COPY(RR, rr);
	COPY(RW, rw);
	COPY(A, a);
	COPY(FREE, free);
	/* of a region of length 0: mlx5r_umr_final_update_xlt */
	if (is_umr_qp(u))
		COPY(LEN, length64);
	if (mask & BIT(MASK_EN_RINVAL))
		m->en_rinval = PRM_GET(mkc, mkc, en_rinval);
	refresh(m);
}

/* The PD that the WQE gives the key; that of the key if it gives none. NULL: there is no such
 * PD. */
static struct hca_pd *pd_of(const struct umr *u)
{
	if (!(hwqe_get64(u->wqe + UMR_AT_CTRL, UMR_AT_MASK) & BIT(MASK_PD)))
		return u->m->pd;
	return hca_object_find(u->e->hca, HCA_KIND_pd, PRM_GET(mkc, u->wqe + UMR_AT_MKC, pd));
}

static void change_pd(struct hca_mkey *m, struct hca_pd *pd)
{
	if (m->pd == pd)
		return;
	m->pd->refs--;
	pd->refs++;
	m->pd = pd;
	PRM_SET(mkc, m->mkc, pd, pd->pdn);
}

/* Refuses an invalid size of pages, or of the entries of a KSM mkey. The kernel names 0 for KLM
 * mkeys (wr.c, set_reg_mkey_seg). */
static uint8_t check_page_size(const struct umr *u)
{
	uint32_t log_size = PRM_GET(mkc, u->wqe + UMR_AT_MKC, log_page_size);

	if (!(hwqe_get64(u->wqe + UMR_AT_CTRL, UMR_AT_MASK) & BIT(MASK_PAGE_SIZE)))
		return 0;
	if (u->m->list && !u->m->log_entity)
		return log_size ? malformed(u, "log_page_size is not for KLM mkeys") : 0;
	if (log_size >= (u->m->list ? 1 : HCA_MKEY_LOG_PAGE_MIN) && log_size < 32)
		return 0;
	return malformed(u, "log_page_size is not valid");
}

static uint8_t run(struct umr *u)
{
	uint8_t status = check_shape(u);

	if (!status)
		status = check_key(u);
	if (!status)
		status = check_page_size(u);
	if (!status && !pd_of(u))
		status = unbound(u, "there is no such PD");
	if (!status)
		status = umr_list_read(u);
	if (status)
		return status;
	change_pd(u->m, pd_of(u));
	change(u);
	umr_list_apply(u);
	if (u->list && umr_is_drivers(u))
		u->m->window = false;
	return 0;
}

/*
 * UMR WQEs are executed in order here. An adapter starts the WQEs that follow one before it is
 * complete, up to one with a fence (kernel, mlx5_ib, wr.c: after a UMR WQE the next one gets
 * MLX5_FENCE_MODE_INITIATOR_SMALL; so in libmlx5, qp.c, fm_cache). WQEs that are posted after
 * the UMR is complete need no fence.
 *
 *	UMR key 1 | WRITE, key 1 | UMR key 2 | fence, READ, key 2 | READ, keys 1 and 2 |
 *	batch 1     ^finding                   batch ends                              ^umr_pi
 */
static void begin_batch(struct engine *e, struct hca_qp *qp, struct hca_mkey *m)
{
	struct hca_req *r = &qp->req;

	if (!core_trace_on(TRACE_CHECK))
		return;
	if (!r->umr_batch)
		r->umr_batch = ++e->umr_batches;
	r->umr_pi = r->pi;
	m->umr_batch = r->umr_batch;
}

void umr_check_fence(struct engine *e, struct hca_qp *qp, uint16_t index,
		     const struct hca_req_wqe *w)
{
	struct sg_list l = sg_of_send(e->hca, qp, index, w);
	uint32_t unit = 0, key;
	uint8_t ctrl[HWQE_UNIT];

	hwqe_unit(qp, index, 0, ctrl);
	if ((int16_t)(index - qp->req.umr_pi) >= 0 ||
	    core_bits(ctrl, HWQE_CTRL_FM) != HWQE_FENCE_NONE)
		qp->req.umr_batch = 0;
	if (!qp->req.umr_batch || w->status || hwqe_is_local(w))
		return;
	while (sg_next_key(&l, &unit, &key)) {
		const struct hca_mkey *m = hca_mkey_find(e->hca, key);

		if (m && m->umr_batch == qp->req.umr_batch)
			core_check(
				CORE_UMR_UNFENCED, "QP", qp->qpn,
				"WQE 0x%x uses key 0x%x, which a UMR WQE before it changes, and "
				"has no fence",
				index, key);
	}
}

uint8_t umr_run(struct engine *e, struct hca_qp *qp, uint16_t index,
		const struct hca_req_wqe *w)
{
	struct umr u = { .e = e, .qp = qp, .index = index, .ds = w->ds };
	uint8_t status;

	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB, u.wqe, w->ds * HWQE_UNIT);
	/* assumed(umr_does_not_look_at_the_key_variant): a UMR WQE names the mkey by its 24
	 * bits of index; so a window can be bound again by a key that LOCAL_INV made stale, as
	 * in libmlx5, and as the key of the kernel's IB_WR_REG_MR is already the new one. */
	u.m = core_ids_get(&e->hca->mkeys, core_bits(u.wqe, HWQE_CTRL_IMM, 31, 8));
	status = run(&u);
	if (!status)
		begin_batch(e, qp, u.m);
	umr_list_end(&u);
	return status;
}

/* Why a peer of @qp may not invalidate @m; NULL: it may. */
static const char *no_invalidation(const struct hca_mkey *m, const struct hca_qp *qp,
				   const struct hca_pd *pd)
{
	if (!m)
		return "there is no such key";
	if (m->pd != pd)
		return "the key is of another PD";
	if (!m->en_rinval)
		return "the key is not that of a type 2 window";
	if (m->free)
		return "the key is bound to no memory";
	return m->qpn && m->qpn != qp->qpn ? "the key is bound on another QP" : NULL;
}

/* Type 2 windows only: mlx5_ib (mr.c, mlx5_ib_alloc_mw) sets en_rinval for those alone. */
bool umr_invalidate(struct engine *e, const struct hca_qp *qp, const struct hca_pd *pd,
		    uint32_t key)
{
	struct hca_mkey *m = hca_mkey_find(e->hca, key);
	const char *why = no_invalidation(m, qp, pd);

	if (why) {
		core_check(CORE_KEY_INVALIDATE, "key", key,
			   "QP 0x%x, invalidation by the peer: %s", qp->qpn, why);
		return false;
	}
	PRM_SET(mkc, m->mkc, free, 1);
	PRM_SET(mkc, m->mkc, qpn, QPN_ANY);
	refresh(m);
	return true;
}
