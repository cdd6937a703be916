/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inboxes that firmware takes, of a program that behaves: this one, with the devx library.
 *
 *	devx_qp_create() -> mlx5dv_devx_obj_create() of this file -> that of libmlx5
 *	                                             '-> a sample
 *
 * The calls of libmlx5 that libdvkit makes are bound to the program's own functions of the same
 * name, as the dynamic linker has it. The numbers in a sample are of objects that were
 * destroyed: box.c puts live ones there.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <devx/caps.h>
#include <devx/counter.h>
#include <devx/cq.h>
#include <devx/dct.h>
#include <devx/eq.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/psv.h>
#include <devx/qp.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <devx/srq.h>
#include <devx/wq.h>

#include "fuzz_devx.h"

enum { SAMPLES = 1024, MORE_MAX = 4096 };

static struct sample samples[SAMPLES];
static unsigned int nsamples, nfirst;
static bool learning;

static void add(const void *in, size_t in_len, size_t out_len)
{
	struct sample *s = nsamples < SAMPLES ? &samples[nsamples++] : NULL;

	if (!s && nfirst < SAMPLES) {
		s = &samples[nfirst + below(SAMPLES - nfirst)];
		free(s->in);
	}
	if (!s)
		return;
	*s = (struct sample){ .opcode = PRM_GET(mbox_in, in, opcode),
			      .in_len = in_len,
			      .out_len = out_len,
			      .in = malloc(in_len) };
	FUZZ_CHECK(s->in, "out of memory");
	memcpy(s->in, in, in_len);
}

void learn_more(const uint8_t *in, size_t in_len, size_t out_len)
{
	if (in_len <= MORE_MAX && in_len >= 4 && one_in(4))
		add(in, in_len, out_len);
}

void learn_forget(void)
{
	while (nsamples > nfirst)
		free(samples[--nsamples].in);
}

const struct sample *learned(uint16_t opcode)
{
	unsigned int at = nsamples ? below(nsamples) : 0;

	for (unsigned int i = 0; i < nsamples; i++) {
		const struct sample *s = &samples[(at + i) % nsamples];

		if (!opcode || s->opcode == opcode)
			return s;
	}
	return NULL;
}

unsigned int learned_opcodes(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nsamples; i++) {
		bool known = false;

		for (unsigned int k = 0; k < i; k++)
			known |= samples[k].opcode == samples[i].opcode;
		n += !known;
	}
	return n;
}

/* ---- between libdvkit and libmlx5 ---- */

#pragma GCC visibility push(default)

/* dlsym() for functions, as POSIX words it. */
#define REAL(name)                                         \
	static __typeof__(name) *real;                     \
	if (!real)                                         \
		*(void **)&real = dlsym(RTLD_NEXT, #name); \
	FUZZ_CHECK(real, "libmlx5 has no function " #name)

struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *ctx, const void *in,
					       size_t in_len, void *out, size_t out_len)
{
	struct mlx5dv_devx_obj *obj;

	REAL(mlx5dv_devx_obj_create);
	obj = real(ctx, in, in_len, out, out_len);
	if (learning && obj)
		add(in, in_len, out_len);
	return obj;
}

int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len,
			   void *out, size_t out_len)
{
	int err;

	REAL(mlx5dv_devx_obj_modify);
	err = real(obj, in, in_len, out, out_len);
	if (learning && !err)
		add(in, in_len, out_len);
	return err;
}

int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out,
			  size_t out_len)
{
	int err;

	REAL(mlx5dv_devx_obj_query);
	err = real(obj, in, in_len, out, out_len);
	if (learning && !err)
		add(in, in_len, out_len);
	return err;
}

int mlx5dv_devx_general_cmd(struct ibv_context *ctx, const void *in, size_t in_len, void *out,
			    size_t out_len)
{
	int err;

	REAL(mlx5dv_devx_general_cmd);
	err = real(ctx, in, in_len, out, out_len);
	if (learning && !err)
		add(in, in_len, out_len);
	return err;
}

#pragma GCC visibility pop

/* ---- the program that behaves; what a device does not have is not learned ---- */

struct teacher {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	uint32_t pdn, eqn;
	struct devx_uar uar;
	struct devx_umem umem;
	uint8_t *mem;
	struct devx_cq *cq;
};

enum { MEM = 1 << 16 };
/* For scheduling elements: type, hierarchy, a bit of the fields to be modified. */
enum { TSAR = 0, QUEUE_GROUP = 4, NIC = 3, SHARE = 1 };

static void teach_qps(const struct teacher *t)
{
	static const uint8_t services[] = { PRM_QPC_ST_RC, PRM_QPC_ST_UC, PRM_QPC_ST_UD };
	struct devx_qp *qp = aligned_alloc(64, sizeof(*qp));
	uint8_t qpc[232];

	FUZZ_CHECK(qp, "out of memory");
	for (size_t i = 0; i < sizeof(services); i++) {
		struct devx_qp_attr attr = { .st = services[i],
					     .pdn = t->pdn,
					     .uar = &t->uar,
					     .send_cqn = t->cq->obj.id,
					     .recv_cqn = t->cq->obj.id,
					     .sq_wqe_cnt = 64,
					     .rq_wqe_cnt = 64,
					     .rq_max_sge = 4 };

		if (devx_qp_create(qp, t->ctx, &attr))
			continue;
		devx_qp_connect_self(qp, t->pd, 1, 1);
		devx_qp_query(qp, qpc);
		devx_qp_err(qp);
		devx_qp_reset(qp);
		devx_qp_destroy(qp);
	}
	free(qp);
}

static void teach_keys(const struct teacher *t)
{
	struct devx_mkey_attr attr = { .pdn = t->pdn,
				       .access =
					       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
				       .start_addr = (uintptr_t)t->mem,
				       .len = MEM,
				       .umem_id = t->umem.id };
	struct devx_mkey mkey, above;
	struct devx_mkey_entry entry[2];

	if (devx_mkey_create(&mkey, t->ctx, &attr))
		return;
	for (int i = 0; i < 2; i++)
		entry[i] = (struct devx_mkey_entry){ mkey.key, 4096,
						     (uintptr_t)t->mem + i * 4096 };
	attr.len = 0;
	if (!devx_mkey_create_klm(&above, t->ctx, &attr, entry, 2))
		devx_mkey_destroy(&above);
	attr.log_entity_size = 12;
	attr.len = 8192;
	if (!devx_mkey_create_ksm(&above, t->ctx, &attr, entry, 2))
		devx_mkey_destroy(&above);
	devx_mkey_destroy(&mkey);
}

static void teach_receive(const struct teacher *t, const struct devx_wq_attr *wq, uint32_t tdn)
{
	struct devx_rq_attr attr = { .wq = *wq, .cqn = t->cq->obj.id };
	struct devx_tir_attr tir_attr = { .transport_domain = tdn };
	struct devx_obj rq, rqt, tir;
	uint8_t ctx[240];

	if (devx_rq_create(&rq, t->ctx, &attr))
		return;
	devx_rq_modify(&rq, DEVX_WQ_RST, DEVX_WQ_RDY);
	devx_rq_query(&rq, ctx);
	tir_attr.inline_rqn = rq.id;
	if (!devx_tir_create(&tir, t->ctx, &tir_attr)) {
		devx_tir_query(&tir, ctx);
		devx_tir_destroy(&tir);
	}
	if (!devx_rqt_create(&rqt, t->ctx, &rq.id, 1, 4)) {
		devx_rqt_modify(&rqt, &rq.id, 1);
		tir_attr.inline_rqn = 0;
		tir_attr.rqtn = rqt.id;
		tir_attr.hash_fn = DEVX_RX_HASH_TOEPLITZ;
		tir_attr.selected_fields = DEVX_RX_HASH_SRC_IP | DEVX_RX_HASH_DST_IP;
		if (!devx_tir_create(&tir, t->ctx, &tir_attr))
			devx_tir_destroy(&tir);
		devx_rqt_destroy(&rqt);
	}
	devx_rq_destroy(&rq);
}

static void teach_raw(const struct teacher *t, const struct devx_wq_attr *wq)
{
	struct devx_tis_attr tis_attr = { .prio = 0 };
	struct devx_sq_attr sq_attr = { .wq = *wq,
					.cqn = t->cq->obj.id,
					.uar_page = t->uar.page_id };
	struct devx_obj td, tis, sq;
	uint8_t ctx[240];

	if (devx_td_create(&td, t->ctx))
		return;
	teach_receive(t, wq, td.id);
	tis_attr.transport_domain = td.id;
	if (!devx_tis_create(&tis, t->ctx, &tis_attr)) {
		devx_tis_query(&tis, ctx);
		sq_attr.tisn = tis.id;
		sq_attr.wq.log_stride = 6;
		if (!devx_sq_create(&sq, t->ctx, &sq_attr)) {
			devx_sq_modify(&sq, DEVX_WQ_RST, DEVX_WQ_RDY);
			devx_sq_query(&sq, ctx);
			devx_sq_destroy(&sq);
		}
		devx_tis_destroy(&tis);
	}
	devx_td_destroy(&td);
}

static void teach_shared(const struct teacher *t, const struct devx_wq_attr *wq)
{
	struct devx_dct_attr attr = { .pdn = t->pdn,
				      .cqn = t->cq->obj.id,
				      .mtu = IBV_MTU_1024,
				      .gid_index = 1,
				      .hop_limit = 64 };
	struct devx_obj rmp, dct;
	uint8_t ctx[240];

	if (devx_rmp_create(&rmp, t->ctx, wq))
		return;
	devx_rmp_arm(&rmp, 2);
	devx_rmp_query(&rmp, ctx);
	attr.srqn = rmp.id;
	if (!devx_dct_create(&dct, t->ctx, &attr)) {
		devx_dct_query(&dct, ctx);
		devx_dct_destroy(&dct);
	}
	devx_rmp_destroy(&rmp);
}

/* Raw inboxes: devx has no functions for these. */
static void teach_elements(const struct teacher *t)
{
	uint8_t in[PRM_SZ(create_scheduling_element_in)] = { 0 };
	uint8_t out[PRM_SZ(query_scheduling_element_out)];
	uint8_t *ctx = PRM_ADDR(create_scheduling_element_in, in, scheduling_context);
	struct devx_obj root, group;

	PRM_SET(create_scheduling_element_in, in, opcode, PRM_OP_CREATE_SCHEDULING_ELEMENT);
	PRM_SET(create_scheduling_element_in, in, scheduling_hierarchy, NIC);
	PRM_SET(scheduling_context, ctx, element_type, TSAR);
	if (devx_obj_create(&root, t->ctx, in, sizeof(in), out, sizeof(out)))
		return;
	PRM_SET(scheduling_context, ctx, element_type, QUEUE_GROUP);
	PRM_SET(scheduling_context, ctx, parent_element_id, root.id);
	if (!devx_obj_create(&group, t->ctx, in, sizeof(in), out, sizeof(out))) {
		memset(in, 0, sizeof(in));
		PRM_SET(query_scheduling_element_in, in, opcode,
			PRM_OP_QUERY_SCHEDULING_ELEMENT);
		PRM_SET(query_scheduling_element_in, in, scheduling_hierarchy, NIC);
		PRM_SET(query_scheduling_element_in, in, scheduling_element_id, group.id);
		devx_obj_query(&group, in, PRM_SZ(query_scheduling_element_in), out,
			       sizeof(out));
		PRM_SET(modify_scheduling_element_in, in, opcode,
			PRM_OP_MODIFY_SCHEDULING_ELEMENT);
		PRM_SET(modify_scheduling_element_in, in, modify_bitmask, SHARE);
		devx_obj_modify(&group, in, PRM_SZ(modify_scheduling_element_in), out,
				sizeof(out));
		devx_obj_destroy(&group);
	}
	devx_obj_destroy(&root);
}

/* An object of each type that is empty except for its PD. */
static void teach_general(const struct teacher *t)
{
	static const char *const pds[] = { "pd", "access_pd", "meter_aso_access_pd" };
	uint8_t object[1024];
	struct devx_obj obj;

	for (const struct prm_object *o = NULL; (o = prm_object_next(o));) {
		size_t len = o->layout->bytes;

		if (len > sizeof(object))
			continue;
		memset(object, 0, len);
		for (size_t i = 0; i < sizeof(pds) / sizeof(pds[0]); i++)
			if (prm_field(o->layout, pds[i]))
				prm_set(o->layout, object, len, pds[i], t->pdn);
		if (o->type == PRM_OBJ_SCHED_ELEMENT)
			PRM_SET(sched_elem, object, scheduling_hierarchy, NIC);
		if (devx_general_create(&obj, t->ctx, o->type, 0, object, len))
			continue;
		if (o->type == PRM_OBJ_SCHED_ELEMENT)
			PRM_SET(sched_elem, object, modify_field_select, SHARE);
		devx_general_modify(&obj, object, len);
		devx_general_query(&obj, object, len);
		devx_general_destroy(&obj);
	}
}

static void teach_small(const struct teacher *t)
{
	uint8_t out[1024], caps[DEVX_CAPS_BYTES];
	struct devx_flow_count count;
	struct devx_obj obj;

	if (!devx_pd_create(&obj, t->ctx))
		devx_obj_destroy(&obj);
	if (!devx_psv_create(&obj, t->ctx, t->pdn))
		devx_psv_destroy(&obj);
	if (!devx_xrcd_create(&obj, t->ctx))
		devx_xrcd_destroy(&obj);
	if (!devx_q_counter_create(&obj, t->ctx)) {
		devx_q_counter_query(&obj, true, out);
		devx_q_counter_destroy(&obj);
	}
	if (!devx_flow_counter_create(&obj, t->ctx, 0)) {
		devx_flow_counter_query(&obj, 1, &count);
		devx_flow_counter_destroy(&obj);
	}
	devx_vport_counter_query(t->ctx, 1, out);
	devx_vnic_env_query(t->ctx, out);
	for (const struct prm_reg *reg = NULL; (reg = prm_reg_next(reg));) {
		memset(caps, 0, sizeof(caps));
		prm_set(reg->layout, caps, sizeof(caps), "local_port", 1);
		devx_reg_read(t->ctx, reg->id, 0, caps, reg->layout->bytes);
	}
	for (int group = -1; (group = devx_caps_group_next(group)) >= 0;)
		devx_caps_query(caps, t->ctx, (uint16_t)group, PRM_CAP_CUR);
}

static void teach_cq(struct teacher *t)
{
	struct devx_cq_attr attr = { .cqe_cnt = 64, .uar = &t->uar, .eqn = t->eqn };
	uint8_t cqc[64];

	t->cq = aligned_alloc(64, sizeof(*t->cq));
	FUZZ_CHECK(t->cq && !devx_cq_create(t->cq, t->ctx, &attr), "no CQ to learn from");
	devx_cq_moderate(t->cq, 4, 10);
	devx_cq_query(t->cq, cqc);
}

void learn(void)
{
	struct teacher t = { .mem = aligned_alloc(4096, MEM) };
	struct devx_wq_attr wq = { .log_size = 4, .log_stride = 6, .dbr_offset = 32768 };

	learning = true;
	FUZZ_CHECK(t.mem && !devx_open(&t.ctx, NULL), "no device: run under dvkit-emu");
	t.pd = ibv_alloc_pd(t.ctx);
	FUZZ_CHECK(t.pd && !devx_pdn_query(&t.pdn, t.pd) && !devx_eqn_query(&t.eqn, t.ctx, 0) &&
			   !devx_uar_alloc(&t.uar, t.ctx, DEVX_UAR_ANY) &&
			   !devx_umem_reg(&t.umem, t.ctx, t.mem, MEM,
					  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
		   "nothing to learn from");
	wq.pdn = t.pdn;
	wq.wq_umem_id = wq.dbr_umem_id = t.umem.id;
	teach_cq(&t);
	teach_qps(&t);
	teach_keys(&t);
	teach_raw(&t, &wq);
	teach_shared(&t, &wq);
	teach_elements(&t);
	teach_general(&t);
	teach_small(&t);
	FUZZ_CHECK(!devx_cq_destroy(t.cq) && !devx_umem_dereg(&t.umem), "the CQ stays");
	devx_uar_free(&t.uar);
	ibv_dealloc_pd(t.pd);
	FUZZ_CHECK(!ibv_close_device(t.ctx), "the context does not close");
	free(t.cq);
	free(t.mem);
	learning = false;
	nfirst = nsamples;
}
