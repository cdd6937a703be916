/* SPDX-License-Identifier: BSD-2-Clause */
/* Constructors of devx, and dv_dma_create(). */
#include <devx/async.h>
#include <devx/counter.h>
#include <devx/cq.h>
#include <devx/dct.h>
#include <devx/eq.h>
#include <devx/flow.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/psv.h>
#include <devx/qp.h>
#include <devx/raw.h>
#include <devx/srq.h>
#include <dv/dma.h>

#include "steps.h"

TestSuite(devx_steps, .init = steps_start, .fini = steps_stop);

static struct devx_uar uar;
static struct devx_umem umem;
static struct devx_obj obj, other;
static struct devx_mkey mkey;
static struct devx_cq cq;
static struct devx_qp qp;

/* Takes back @undo after an error of a later step of this file. */
#define OR_UNDO(err, undo)            \
	do {                          \
		int error = (err);    \
		if (error) {          \
			undo;         \
			return error; \
		}                     \
	} while (0)

/* ---- numbers ---- */

static int destroy_obj(void)
{
	return devx_obj_destroy(&obj);
}

static int make_pd(void)
{
	return devx_pd_create(&obj, d.ctx);
}

static int make_xrcd(void)
{
	return devx_xrcd_create(&obj, d.ctx);
}

static int make_td(void)
{
	return devx_td_create(&obj, d.ctx);
}

static int make_q_counter(void)
{
	return devx_q_counter_create(&obj, d.ctx);
}

static int make_flow_counter(void)
{
	return devx_flow_counter_create(&obj, d.ctx, 0);
}

static int make_psv(void)
{
	return devx_psv_create(&obj, d.ctx, d.pdn);
}

static int make_uar(void)
{
	return devx_uar_alloc(&uar, d.ctx, DEVX_UAR_BF);
}

static int free_uar(void)
{
	devx_uar_free(&uar);
	return 0;
}

static int make_umem(void)
{
	return devx_umem_reg(&umem, d.ctx, d.memory, 1 << 16,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

static int dereg_umem(void)
{
	return devx_umem_dereg(&umem);
}

Test(devx_steps, of_one_command)
{
	static const struct steps rows[] = {
		{ "PD", make_pd, destroy_obj, false },
		{ "XRC domain", make_xrcd, destroy_obj, false },
		{ "transport domain", make_td, destroy_obj, false },
		{ "Q counter", make_q_counter, destroy_obj, false },
		{ "flow counter", make_flow_counter, destroy_obj, false },
		{ "PSV", make_psv, destroy_obj, false },
		{ "UAR", make_uar, free_uar, true },
		{ "umem", make_umem, dereg_umem, false },
	};

	EACH_STEP_FAILS(rows)
}

/* ---- keys ---- */

static int make_mkey(void)
{
	struct devx_mkey_attr attr = { .pdn = d.pdn,
				       .access = IBV_ACCESS_LOCAL_WRITE,
				       .start_addr = (uintptr_t)d.memory,
				       .len = 1 << 16 };
	int err = make_umem();

	if (err)
		return err;
	attr.umem_id = umem.id;
	OR_UNDO(devx_mkey_create(&mkey, d.ctx, &attr), devx_umem_dereg(&umem));
	return 0;
}

static int destroy_mkey(void)
{
	int err = devx_mkey_destroy(&mkey);

	return err ? err : devx_umem_dereg(&umem);
}

static struct devx_mkey klm;

static int make_klm(void)
{
	struct devx_mkey_attr attr = { .pdn = d.pdn, .len = 200 };
	struct devx_mkey_entry entries[2];
	int err = make_mkey();

	if (err)
		return err;
	entries[0] = entries[1] =
		(struct devx_mkey_entry){ mkey.key, 100, (uintptr_t)d.memory };
	OR_UNDO(devx_mkey_create_klm(&klm, d.ctx, &attr, entries, 2), destroy_mkey());
	return 0;
}

static int destroy_klm(void)
{
	int err = devx_mkey_destroy(&klm);

	return err ? err : destroy_mkey();
}

Test(devx_steps, of_keys)
{
	static const struct steps rows[] = {
		{ "mkey", make_mkey, destroy_mkey, false },
		{ "mkey of two", make_klm, destroy_klm, false },
	};

	EACH_STEP_FAILS(rows)
}

/* ---- queues ---- */

static int make_cq(void)
{
	struct devx_cq_attr attr = { .cqe_cnt = 64, .uar = &uar };

	OR_UNDO(make_uar(), );
	OR_UNDO(devx_eqn_query(&attr.eqn, d.ctx, 0), free_uar());
	OR_UNDO(devx_cq_create(&cq, d.ctx, &attr), free_uar());
	return 0;
}

static int destroy_cq(void)
{
	int err = devx_cq_destroy(&cq);

	if (!err)
		devx_uar_free(&uar);
	return err;
}

static int make_qp(void)
{
	struct devx_qp_attr attr = { .st = PRM_QPC_ST_RC,
				     .pdn = d.pdn,
				     .uar = &uar,
				     .sq_wqe_cnt = 64,
				     .rq_wqe_cnt = 64,
				     .rq_max_sge = 4 };

	OR_UNDO(make_cq(), );
	attr.send_cqn = attr.recv_cqn = cq.obj.id;
	OR_UNDO(devx_qp_create(&qp, d.ctx, &attr), destroy_cq());
	return 0;
}

static int destroy_qp(void)
{
	int err = devx_qp_destroy(&qp);

	return err ? err : destroy_cq();
}

static int make_connected_qp(void)
{
	OR_UNDO(make_qp(), );
	OR_UNDO(devx_qp_connect_self(&qp, d.pd, d.port, d.gid_index), destroy_qp());
	return 0;
}

static int make_dct(void)
{
	struct devx_wq_attr ring = { .pdn = d.pdn, .log_size = 4, .log_stride = 5 };
	struct devx_dct_attr attr = { .pdn = d.pdn, .port = d.port, .mtu = IBV_MTU_1024 };

	OR_UNDO(make_cq(), );
	OR_UNDO(make_umem(), destroy_cq());
	ring.wq_umem_id = ring.dbr_umem_id = umem.id;
	ring.dbr_offset = 1 << 15;
	OR_UNDO(devx_rmp_create(&other, d.ctx, &ring), (dereg_umem(), destroy_cq()));
	attr.cqn = cq.obj.id;
	attr.srqn = other.id;
	OR_UNDO(devx_dct_create(&obj, d.ctx, &attr),
		(devx_rmp_destroy(&other), dereg_umem(), destroy_cq()));
	return 0;
}

static int destroy_dct(void)
{
	OR_UNDO(devx_dct_destroy(&obj), );
	OR_UNDO(devx_rmp_destroy(&other), );
	OR_UNDO(dereg_umem(), );
	return destroy_cq();
}

Test(devx_steps, of_queues)
{
	static const struct steps rows[] = {
		{ "CQ", make_cq, destroy_cq, false },
		{ "QP", make_qp, destroy_qp, false },
		{ "QP in RTS", make_connected_qp, destroy_qp, false },
		/* A DCT that was drained is not drained again. */
		{ "DCT on an RMP", make_dct, destroy_dct, true },
	};

	EACH_STEP_FAILS(rows)
}

/* ---- Ethernet ---- */

static struct devx_obj td, rq, rqt;

static struct devx_wq_attr ring(uint8_t log_stride)
{
	return (struct devx_wq_attr){ .pdn = d.pdn,
				      .wq_umem_id = umem.id,
				      .dbr_umem_id = umem.id,
				      .dbr_offset = 1 << 15,
				      .log_size = 4,
				      .log_stride = log_stride };
}

static void undo_base(void)
{
	devx_td_destroy(&td);
	dereg_umem();
	destroy_cq();
}

static int make_base(void)
{
	OR_UNDO(make_cq(), );
	OR_UNDO(make_umem(), destroy_cq());
	OR_UNDO(devx_td_create(&td, d.ctx), (dereg_umem(), destroy_cq()));
	return 0;
}

static int destroy_base(void)
{
	OR_UNDO(devx_td_destroy(&td), );
	OR_UNDO(dereg_umem(), );
	return destroy_cq();
}

static int make_tir(void)
{
	struct devx_rq_attr rq_attr = { 0 };
	struct devx_tir_attr attr = { .hash_fn = DEVX_RX_HASH_TOEPLITZ,
				      .selected_fields = DEVX_RX_HASH_SRC_IP };

	OR_UNDO(make_base(), );
	rq_attr.wq = ring(4);
	rq_attr.cqn = cq.obj.id;
	OR_UNDO(devx_rq_create(&rq, d.ctx, &rq_attr), undo_base());
	OR_UNDO(devx_rqt_create(&rqt, d.ctx, &rq.id, 1, 1),
		(devx_rq_destroy(&rq), undo_base()));
	attr.transport_domain = td.id;
	attr.rqtn = rqt.id;
	OR_UNDO(devx_tir_create(&obj, d.ctx, &attr),
		(devx_rqt_destroy(&rqt), devx_rq_destroy(&rq), undo_base()));
	return 0;
}

static int destroy_tir(void)
{
	OR_UNDO(devx_tir_destroy(&obj), );
	OR_UNDO(devx_rqt_destroy(&rqt), );
	OR_UNDO(devx_rq_destroy(&rq), );
	return destroy_base();
}

static int make_sq(void)
{
	struct devx_sq_attr attr = { 0 };

	OR_UNDO(make_base(), );
	OR_UNDO(devx_tis_create(&other, d.ctx,
				&(struct devx_tis_attr){ .transport_domain = td.id }),
		undo_base());
	attr.wq = ring(6);
	attr.cqn = cq.obj.id;
	attr.tisn = other.id;
	attr.uar_page = uar.page_id;
	OR_UNDO(devx_sq_create(&obj, d.ctx, &attr), (devx_tis_destroy(&other), undo_base()));
	return 0;
}

static int destroy_sq(void)
{
	OR_UNDO(devx_sq_destroy(&obj), );
	OR_UNDO(devx_tis_destroy(&other), );
	return destroy_base();
}

Test(devx_steps, of_ethernet_queues)
{
	static const struct steps rows[] = {
		{ "TIR of a table", make_tir, destroy_tir, false },
		{ "SQ", make_sq, destroy_sq, false },
	};

	EACH_STEP_FAILS(rows)
}

/* ---- tables, events ---- */

static struct devx_obj table, group, entry;

static int make_entry(void)
{
	struct devx_flow_table_attr t = { .type = PRM_FT_TYPE_NIC_RX,
					  .level = 64,
					  .log_size = 4 };

	OR_UNDO(devx_flow_table_create(&table, d.ctx, &t), );
	OR_UNDO(devx_flow_group_create(&group, d.ctx,
				       &(struct devx_flow_group_attr){ .table_type = t.type,
								       .table_id = table.id }),
		devx_flow_table_destroy(&table));
	OR_UNDO(devx_flow_entry_create(&entry, d.ctx,
				       &(struct devx_flow_entry_attr){
					       .table_type = t.type,
					       .table_id = table.id,
					       .group_id = group.id,
					       .action = PRM_FLOW_CONTEXT_ACTION_DROP }),
		(devx_flow_group_destroy(&group), devx_flow_table_destroy(&table)));
	return 0;
}

static int destroy_entry(void)
{
	OR_UNDO(devx_flow_entry_destroy(&entry), );
	OR_UNDO(devx_flow_group_destroy(&group), );
	return devx_flow_table_destroy(&table);
}

Test(devx_steps, of_flow_entries)
{
	static const struct steps rows[] = {
		{ "flow entry", make_entry, destroy_entry, false },
	};

	EACH_STEP_FAILS(rows)
}

/* ---- copies ---- */

static struct dv_dma *dma;

static int make_dma(void)
{
	return dv_dma_create(&dma, &(struct dv_dma_attr){ .pd = d.pd });
}

static int destroy_dma(void)
{
	return dv_dma_destroy(dma);
}

Test(devx_steps_of_a_dpu, dma, .init = steps_start, .fini = steps_stop)
{
	static const struct steps rows[] = {
		{ "DMA queue", make_dma, destroy_dma, true } /* see the QPs of verbs */,
	};

	EACH_STEP_FAILS(rows)
}
