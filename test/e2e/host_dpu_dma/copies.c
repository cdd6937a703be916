/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of refusals.c that are copies: a WQE on a queue of the importer that ends in an
 * error. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/qp.h>
#include <dv/endpoint.h>
#include <dv/print.h>
#include <prm/value.h>

#include "refusals.h"

static const char *cqe_answer(const struct mlx5_cqe64 *cqe)
{
	static char text[128];

	if (!dv_cqe_is_error(cqe))
		return "CQE without an error";
	snprintf(text, sizeof(text), "CQE 0x%02x, %s", dv_cqe_syndrome(cqe),
		 dv_syndrome_str(dv_cqe_syndrome(cqe)));
	return text;
}

/* ---- a queue of the importer ---- */

static struct {
	struct devx_uar uar;
	struct devx_cq cq;
	struct devx_qp *qp;
} q;

static void open_queue(struct ibv_pd *pd, bool mmo)
{
	struct devx_cq_attr cq = { .cqe_cnt = 64, .uar = &q.uar };
	struct devx_qp_attr qp = {
		.st = PRM_QPC_ST_RC, .uar = &q.uar, .sq_wqe_cnt = 64, .mmo = mmo
	};
	uint8_t gid = 0;

	q.qp = aligned_alloc(64, (sizeof(*q.qp) + 63) / 64 * 64);
	CHECK(q.qp && !devx_uar_alloc(&q.uar, dpu.ctx, DEVX_UAR_ANY));
	CHECK(!devx_eqn_query(&cq.eqn, dpu.ctx, 0) && !devx_cq_create(&q.cq, dpu.ctx, &cq));
	qp.send_cqn = qp.recv_cqn = q.cq.obj.id;
	CHECK(!devx_pdn_query(&qp.pdn, pd) && !devx_qp_create(q.qp, dpu.ctx, &qp));
	CHECK(!dv_gid_default(&gid, dpu.ctx, 1));
	CHECK(!devx_qp_connect_self(q.qp, pd, 1, gid));
}

static void close_queue(void)
{
	CHECK(!devx_qp_destroy(q.qp) && !devx_cq_destroy(&q.cq));
	devx_uar_free(&q.uar);
	free(q.qp);
}

static const char *next_answer(void)
{
	const struct mlx5_cqe64 *cqe;
	const char *text;

	dv_sq_doorbell(&q.qp->sq);
	while (!(cqe = dv_cq_poll(&q.cq.cq)))
		;
	text = cqe_answer(cqe);
	dv_sq_retire(&q.qp->sq, cqe);
	dv_cq_release(&q.cq.cq);
	return text;
}

static const char *last_answer(void)
{
	const char *text = next_answer();

	close_queue();
	return text;
}

/* The middle of a local buffer, which has an opaque buffer at its end. */
struct ibv_sge local(uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)dpu.memory, len, dpu.mr->lkey };
}

static struct dv_laddr opaque(void)
{
	return (struct dv_laddr){ (uintptr_t)dpu.memory + BYTES - 64, dpu.mr->lkey };
}

/* A copy with two lengths, as no call of dv writes it. */
static void post_copy(struct ibv_sge to, struct ibv_sge from, struct dv_laddr status)
{
	void *seg = dv_sq_reserve(&q.qp->sq, dv_ds_nbb(4));

	CHECK(seg);
	seg = dv_set_mmo_seg(seg, 0, status);
	seg = dv_set_ptr_seg(seg, &from);
	seg = dv_set_ptr_seg(seg, &to);
	dv_sq_commit(&q.qp->sq, seg, MLX5_OPCODE_MMO, DV_OPMOD_MMO_DMA, MLX5_WQE_CTRL_CQ_UPDATE,
		     0);
}

/* By a queue of @pd. */
static const char *copy_by(struct ibv_pd *pd, bool mmo, struct ibv_sge to, struct ibv_sge from,
			   struct dv_laddr status)
{
	open_queue(pd, mmo);
	post_copy(to, from, status);
	return last_answer();
}

const char *copy_answer(struct ibv_sge to, struct ibv_sge from)
{
	return copy_by(dpu.pd, true, to, from, opaque());
}

struct ibv_sge far_bytes(const struct devx_export *e, uint32_t key, uint64_t offset,
			 uint32_t len)
{
	return (struct ibv_sge){ e->addr + offset, len, key };
}

/* ---- rows: copies ---- */

const char *mkey_destroyed(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_alias alias = alias_of(&x.desc);
	struct devx_export e = x.desc;
	const char *text;

	CHECK(!devx_export_destroy(&x));
	text = copy_answer(local(64), far_bytes(&e, alias.key, 0, 64));
	CHECK(!devx_alias_destroy(&alias));
	return text;
}

/* One copy through an alias of an export with @access. */
static const char *through(uint32_t access, bool writes, uint64_t offset, uint32_t len)
{
	struct devx_exported x = export_with(access);
	struct devx_alias alias = alias_of(&x.desc);
	struct ibv_sge there = far_bytes(&x.desc, alias.key, offset, len);
	const char *text =
		copy_answer(writes ? there : local(len), writes ? local(len) : there);

	CHECK(!devx_alias_destroy(&alias) && !devx_export_destroy(&x));
	return text;
}

const char *missing_right(void)
{
	CHECK(strcmp(through(DEVX_EXPORT_READ_WRITE, true, 0, 64), "CQE without an error") ==
	      0);
	return through(0, true, 0, 64);
}

const char *out_of_bounds(void)
{
	CHECK(strcmp(through(0, false, BYTES - 64, 64), "CQE without an error") == 0);
	return through(0, false, BYTES - 63, 64);
}

const char *local_out_of_bounds(void)
{
	struct ibv_sge here = local(128);

	here.addr += BYTES - 64;
	return copy_answer(here, local(128));
}

const char *alias_destroyed(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_alias alias = alias_of(&x.desc);
	uint32_t key = alias.key;
	const char *text;

	CHECK(!devx_alias_destroy(&alias));
	text = copy_answer(local(64), far_bytes(&x.desc, key, 0, 64));
	CHECK(!devx_export_destroy(&x));
	return text;
}

const char *queue_in_another_pd(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_alias alias = alias_of(&x.desc);
	struct ibv_pd *other = ibv_alloc_pd(dpu.ctx);
	struct ibv_mr *mr =
		other ? ibv_reg_mr(other, dpu.memory, BYTES, IBV_ACCESS_LOCAL_WRITE) : NULL;
	struct ibv_sge here = local(64);
	struct dv_laddr status = opaque();
	const char *text;

	CHECK(mr);
	here.lkey = status.lkey = mr->lkey;
	text = copy_by(other, true, here, far_bytes(&x.desc, alias.key, 0, 64), status);
	CHECK(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(other));
	CHECK(!devx_alias_destroy(&alias) && !devx_export_destroy(&x));
	return text;
}

const char *misaligned_opaque_buffer(void)
{
	struct dv_laddr status = opaque();
	struct ibv_sge to = local(64);

	status.addr -= 8;
	to.addr += 64;
	return copy_by(dpu.pd, true, to, local(64), status);
}

const char *byte_counts_differ(void)
{
	return copy_answer(local(64), local(65));
}

const char *mmo_not_enabled(void)
{
	struct ibv_sge to = local(64);

	to.addr += 64;
	return copy_by(dpu.pd, false, to, local(64), opaque());
}

const char *alias_in_a_send(void)
{
	struct devx_exported x = export_with(DEVX_EXPORT_READ_WRITE);
	struct devx_alias alias = alias_of(&x.desc);
	struct ibv_sge there = far_bytes(&x.desc, alias.key, 0, 64);
	const char *text;

	open_queue(dpu.pd, true);
	CHECK(!dv_sq_send(&q.qp->sq, MLX5_WQE_CTRL_CQ_UPDATE, &there, 1));
	text = last_answer();
	CHECK(!devx_alias_destroy(&alias) && !devx_export_destroy(&x));
	return text;
}

const char *copy_after_an_error(void)
{
	open_queue(dpu.pd, true);
	post_copy(local(64), local(65), opaque());
	next_answer();
	post_copy(local(64), local(64), opaque());
	return last_answer();
}

const char *length_above_the_device(void)
{
	return copy_answer(local((2 << 20) + 1), local((2 << 20) + 1));
}

const char *length_above_the_limit(void)
{
	struct ibv_sge all = local(0x80000001u);
	struct dv_laddr from = { all.addr, all.lkey };
	static char text[64];

	open_queue(dpu.pd, true);
	snprintf(text, sizeof(text), "dv_sq_memcpy: %s",
		 strerrorname_np(dv_sq_memcpy(&q.qp->sq, 0, opaque(), from, from, all.length)));
	close_queue();
	return text;
}
