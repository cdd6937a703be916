/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of libibverbs and mlx5dv: what the kernel makes in several commands. */
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "lib/connect.h"
#include "steps.h"

static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_xrcd *xrcd;
static struct ibv_wq *wq;

static struct ibv_wq *create_wq(void)
{
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 16, .max_sge = 1, .pd = d.pd, .cq = cq
	};

	return ibv_create_wq(d.ctx, &attr);
}

static void start(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 16, .max_sge = 1 } };
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1
	};

	steps_start();
	cq = ibv_create_cq(d.ctx, 64, NULL, NULL, 0);
	srq = ibv_create_srq(d.pd, &srq_attr);
	xrcd = ibv_open_xrcd(d.ctx, &xrcd_attr);
	wq = create_wq();
	cr_assert(cq && srq && xrcd && wq);
}

static void stop(void)
{
	cr_assert_eq(ibv_destroy_wq(wq), 0);
	cr_assert_eq(ibv_close_xrcd(xrcd), 0);
	cr_assert_eq(ibv_destroy_srq(srq), 0);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
	steps_stop();
}

TestSuite(verbs_steps, .init = start, .fini = stop);

/* MAKE(name, type, create, destroy): make_name() and unmake_name() of an object. A destroying
 * call may return -1 and errno. */
#define MAKE(name, type, create, destroy)     \
	static type *name;                    \
	static int make_##name(void)          \
	{                                     \
		errno = 0;                    \
		name = create;                \
		return pointer_made(name);    \
	}                                     \
	static int unmake_##name(void)        \
	{                                     \
		int err = destroy(name);      \
                                              \
		return err < 0 ? errno : err; \
	}
#define ROW(name)                                        \
	{                                                \
#name, make_##name, unmake_##name, false \
	}
/* mlx5_ib ignores refusals when it destroys QPs and rules. */
#define ROW_ENDS(name)                                  \
	{                                               \
#name, make_##name, unmake_##name, true \
	}

/* ---- contexts, domains, memory ---- */

MAKE(context, struct ibv_context, ibv_open_device(d.ctx->device), ibv_close_device)
MAKE(pd, struct ibv_pd, ibv_alloc_pd(d.ctx), ibv_dealloc_pd)
MAKE(domain, struct ibv_xrcd,
     ibv_open_xrcd(d.ctx, &((struct ibv_xrcd_init_attr){ .comp_mask = IBV_XRCD_INIT_ATTR_FD |
								      IBV_XRCD_INIT_ATTR_OFLAGS,
							 .fd = -1 })),
     ibv_close_xrcd)
MAKE(td, struct ibv_td, ibv_alloc_td(d.ctx, &((struct ibv_td_init_attr){ 0 })), ibv_dealloc_td)
#undef ibv_reg_mr
MAKE(mr, struct ibv_mr, ibv_reg_mr(d.pd, d.memory, 1 << 16, IBV_ACCESS_LOCAL_WRITE),
     ibv_dereg_mr)
MAKE(null_mr, struct ibv_mr, ibv_alloc_null_mr(d.pd), ibv_dereg_mr)
MAKE(mw, struct ibv_mw, ibv_alloc_mw(d.pd, IBV_MW_TYPE_2), ibv_dealloc_mw)
MAKE(dm, struct ibv_dm, ibv_alloc_dm(d.ctx, &((struct ibv_alloc_dm_attr){ .length = 256 })),
     ibv_free_dm)
MAKE(mkey, struct mlx5dv_mkey,
     mlx5dv_create_mkey(&((struct mlx5dv_mkey_init_attr){
	     .pd = d.pd,
	     .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
	     .max_entries = 4 })),
     mlx5dv_destroy_mkey)
MAKE(ah, struct ibv_ah,
     ibv_create_ah(d.pd, &((struct ibv_ah_attr){
				 .port_num = 1,
				 .is_global = 1,
				 .grh = { .dgid = { .raw = { 0xfe, 0x80, [8] = 2, [11] = 0xff,
							     0xfe } },
					  .sgid_index = 0 } })),
     ibv_destroy_ah)

Test(verbs_steps, of_domains_and_memory)
{
	static const struct steps rows[] = {
		ROW_ENDS(context), ROW(pd), ROW(domain), ROW(td),   ROW(mr),
		ROW(null_mr),	   ROW(mw), ROW(dm),	 ROW(mkey), ROW(ah)
	};

	EACH_STEP_FAILS(rows)
}

/* ---- queues ---- */

static struct ibv_qp *create_qp(enum ibv_qp_type type)
{
	bool sends = type != IBV_QPT_XRC_RECV;
	bool receives = type != IBV_QPT_XRC_SEND && sends;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type,
		.send_cq = sends ? cq : NULL,
		.recv_cq = receives ? cq : NULL,
		.cap = { .max_send_wr = sends ? 16 : 0,
			 .max_recv_wr = receives ? 16 : 0,
			 .max_send_sge = sends,
			 .max_recv_sge = receives },
		.comp_mask = sends ? IBV_QP_INIT_ATTR_PD : IBV_QP_INIT_ATTR_XRCD,
		.pd = d.pd,
		.xrcd = xrcd,
	};

	return ibv_create_qp_ex(d.ctx, &attr);
}

static struct ibv_qp *create_dci(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_DRIVER,
					    .send_cq = cq,
					    .recv_cq = cq,
					    .cap = { .max_send_wr = 16, .max_send_sge = 1 },
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = d.pd };
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					  .dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI } };

	return mlx5dv_create_qp(d.ctx, &attr, &dv);
}

static struct ibv_rwq_ind_table *create_table(void)
{
	struct ibv_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = 0, .ind_tbl = &wq };

	return ibv_create_rwq_ind_table(d.ctx, &attr);
}

static struct ibv_cq *create_cq_ex(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 64,
					    .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP };
	struct ibv_cq_ex *ex = ibv_create_cq_ex(d.ctx, &attr);

	return ex ? ibv_cq_ex_to_cq(ex) : NULL;
}

static struct ibv_srq *create_xrc_srq(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 16, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = d.pd,
		.xrcd = xrcd,
		.cq = cq,
	};

	return ibv_create_srq_ex(d.ctx, &attr);
}

MAKE(one_cq, struct ibv_cq, ibv_create_cq(d.ctx, 64, NULL, NULL, 0), ibv_destroy_cq)
MAKE(cq_ex, struct ibv_cq, create_cq_ex(), ibv_destroy_cq)
MAKE(channel, struct ibv_comp_channel, ibv_create_comp_channel(d.ctx), ibv_destroy_comp_channel)
MAKE(one_srq, struct ibv_srq,
     ibv_create_srq(d.pd, &((struct ibv_srq_init_attr){ .attr = { 16, 1, 0 } })),
     ibv_destroy_srq)
MAKE(xrc_srq, struct ibv_srq, create_xrc_srq(), ibv_destroy_srq)
MAKE(one_wq, struct ibv_wq, create_wq(), ibv_destroy_wq)
MAKE(table, struct ibv_rwq_ind_table, create_table(), ibv_destroy_rwq_ind_table)
MAKE(rc, struct ibv_qp, create_qp(IBV_QPT_RC), ibv_destroy_qp)
MAKE(uc, struct ibv_qp, create_qp(IBV_QPT_UC), ibv_destroy_qp)
MAKE(ud, struct ibv_qp, create_qp(IBV_QPT_UD), ibv_destroy_qp)
MAKE(xrc_send, struct ibv_qp, create_qp(IBV_QPT_XRC_SEND), ibv_destroy_qp)
MAKE(xrc_recv, struct ibv_qp, create_qp(IBV_QPT_XRC_RECV), ibv_destroy_qp)
MAKE(raw_packet, struct ibv_qp, create_qp(IBV_QPT_RAW_PACKET), ibv_destroy_qp)
MAKE(dci, struct ibv_qp, create_dci(), ibv_destroy_qp)

Test(verbs_steps, of_queues)
{
	static const struct steps rows[] = {
		ROW(one_cq),	      ROW(cq_ex),   ROW(channel),	ROW(one_srq),
		ROW(xrc_srq),	      ROW(one_wq),  ROW(table),		ROW_ENDS(rc),
		ROW_ENDS(uc),	      ROW_ENDS(ud), ROW_ENDS(xrc_send), ROW_ENDS(xrc_recv),
		ROW_ENDS(raw_packet), ROW_ENDS(dci)
	};

	EACH_STEP_FAILS(rows)
}

/* ---- flow rules ---- */

static int make_raw_in_rts(void)
{
	int err = make_raw_packet();

	if (!err)
		err = connect_qp(raw_packet, &(struct ibv_qp_attr){ 0 });
	if (err && raw_packet)
		ibv_destroy_qp(raw_packet);
	return err < 0 ? errno : err;
}

static struct ibv_flow *create_flow(void)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
	} rule = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL,
			  .size = sizeof(rule),
			  .num_of_specs = 1,
			  .port = 1 },
		.eth = { .type = IBV_FLOW_SPEC_ETH,
			 .size = sizeof(rule.eth),
			 .val = { .dst_mac = { 2, 0, 0, 0, 0, 1 } },
			 .mask = { .dst_mac = { 255, 255, 255, 255, 255, 255 } } },
	};

	return ibv_create_flow(raw_packet, &rule.attr);
}

MAKE(flow, struct ibv_flow, create_flow(), ibv_destroy_flow)
MAKE(counters, struct ibv_counters,
     ibv_create_counters(d.ctx, &((struct ibv_counters_init_attr){ 0 })), ibv_destroy_counters)

Test(verbs_steps, of_flow_rules)
{
	static const struct steps queue[] = { { "raw packet QP in RTS", make_raw_in_rts,
						unmake_raw_packet, true } };
	static const struct steps rules[] = { ROW_ENDS(flow), ROW(counters) };

	EACH_STEP_FAILS(queue)
	cr_assert_eq(make_raw_in_rts(), 0);
	EACH_STEP_FAILS(rules)
	cr_assert_eq(ibv_destroy_qp(raw_packet), 0);
}
