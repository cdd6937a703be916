/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The variables that the examples of the man pages use without declaring them. A block that
 * declares one itself hides the one here.
 */
#include <err.h>
#include <stdio.h>
#include <dv/batch.h>
#include <dv/check.h>
#include <dv/dma.h>
#include <dv/map.h>
#include <dv/mini.h>
#include <dv/post.h>
#include <dv/print.h>
#include <dv/reason.h>

extern struct ibv_context *ctx;
extern struct ibv_pd *pd;
extern struct ibv_comp_channel *channel;
extern struct ibv_qp *ibqp;
extern struct ibv_cq *ibcq;
extern struct ibv_srq *ibsrq;
extern void *context;
extern uint8_t gid_index;

extern struct ibv_sge sge[16];
extern struct dv_raddr to;
extern uint64_t raddr;
extern uint32_t rkey;
extern uint32_t len;
extern void *wqe, *seg;
extern const struct mlx5_cqe64 *cqe;
extern size_t i, n;
extern char text[4096], line[256];

#ifdef DEVX
#include <devx/async.h>
#include <devx/caps.h>
#include <devx/counter.h>
#include <devx/cq.h>
#include <devx/cross_vhca.h>
#include <devx/dct.h>
#include <devx/devx.h>
#include <devx/eq.h>
#include <devx/flow.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/psv.h>
#include <devx/qp.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <devx/srq.h>
#include <devx/uar.h>
#include <devx/umem.h>
#include <devx/vhca.h>
#include <devx/wq.h>

extern struct devx_cq cq;
extern struct devx_umem umem;
extern struct devx_uar uar;
extern struct devx_obj rmp, rq;
extern uint32_t pdn, cqn, eqn;
extern uint64_t key;
extern void *buf;
extern size_t size;

/* As a local variable, because err() of <err.h> is a function. */
#define LOCALS int err = 0;
#else
extern struct dv_sq sq;
extern struct dv_rq rq;
extern struct dv_cq cq;

#define LOCALS
#endif
