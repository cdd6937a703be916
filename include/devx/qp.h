/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A QP without ibv_create_qp(): CREATE_QP over a umem that devx allocates, its state
 * transitions, and its queues as dv_sq and dv_rq.
 *
 *	umem:  | receive ring | send ring | receive counter, send counter |
 *
 *	      devx_qp_init     devx_qp_rtr     devx_qp_rts
 *	RESET ------------> INIT ---------> RTR ---------> RTS <-- devx_qp_sqerr2rts -- SQER
 *	  ^ '---- devx_qp_connect, devx_qp_connect_self ---'
 *	  '---- devx_qp_reset: from anywhere      devx_qp_err: from anywhere ---> ERR
 *
 *	devx_qp_create(&qp, ctx, &attr);
 *	devx_av_resolve(&conn.av, pd, &ah_attr);	or filled by hand
 *	devx_qp_connect(&qp, &conn);
 *	dv_sq_write(&qp.sq, …);
 *
 * RC, UC, UD and XRC initiators. The driver does not know these QPs: no asynchronous events by
 * ibv_get_async_event() (subscribe, eq.h), no cleaning of their CQ (dv_cq_clean()). There is no
 * public command for SQD. Fields without an attribute here are set in an inbox:
 * devx_obj_modify(&qp.obj, …).
 *
 * The struct holds two cache lines of queues: on the heap, aligned_alloc(64, …).
 */
#ifndef DEVX_QP_H
#define DEVX_QP_H

#include <devx/uar.h>
#include <devx/umem.h>
#include <dv/map.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_qp_attr {
	uint8_t st; /* PRM_QPC_ST_RC, UC, UD, XRC, DCI */
	uint32_t pdn;
	const struct devx_uar *uar;
	uint32_t send_cqn, recv_cqn;
	uint32_t sq_wqe_cnt; /* blocks of 64 bytes, a power of two; 0: no send queue */
	uint32_t rq_wqe_cnt; /* receives, a power of two; 0: no receive queue */
	uint32_t rq_max_sge; /* of a receive; 0: 1 */
	uint32_t srqn;	     /* number of an RMP or SRQ in its place; 0: none */
	uint32_t xrcd;
	uint32_t user_index;	/* in its CQEs, instead of the QP number */
	uint8_t ts_format;	/* qpc.ts_format: 0 free running, 1 the device's default */
	uint8_t counter_set_id; /* of devx_q_counter_create(); 0: the device's default set */
	uint8_t send_dbr_mode;	/* PRM_QPC_SEND_DBR_MODE_*; NO_DBR_EXT: see below */
	bool mmo;		/* DMA, compression … by WQE (MLX5_OPCODE_MMO) */
	uint64_t reserved[2];	/* 0 */
};

struct devx_qp {
	struct dv_sq sq;
	struct dv_rq rq;
	struct devx_obj obj; /* obj.id: the QP number */
	struct devx_umem umem;
	struct mlx5dv_qp rings; /* as dv_sq_init() and dv_rq_init() took them */
	uint8_t st, counter_set_id;
};

/* XRC and DCI want an SRQ or RMP, an XRC domain and a CQ for receives, although they receive
 * nothing: mlx5_ib (qp.c, create_user_qp, create_dci) gives them its own where the program has
 * none, and what the device does with 0 is not public.
 *
 * EINVAL: sizes that are no powers of two, neither queue, a receive ring that is no multiple of
 * 64 bytes before a send ring. EOPNOTSUPP: mmo, and the device has none; a send_dbr_mode that
 * it does not have (capabilities of GENERAL_2: send_dbr_mode_no_dbr_ext, …_int).
 *
 * With NO_DBR_EXT the device never reads a send record: qp.sq is rung by
 * dv_sq_doorbell_no_dbr() only. ConnectX-8 has it, older ones do not (DOCA GPUNetIO, changelog
 * of 2.0.0), for a limited number of QPs: beyond, CREATE_QP is refused
 * (meta-pytorch/torchcomms, pull request 4092). */
int devx_qp_create(struct devx_qp *qp, struct ibv_context *ctx,
		   const struct devx_qp_attr *attr);
int devx_qp_destroy(struct devx_qp *qp);

/* The way to the peer. */
struct devx_av {
	uint8_t port;
	uint8_t sl;
	uint8_t sgid_index, hop_limit, tclass;
	union ibv_gid dgid; /* RoCE; InfiniBand, if is_global */
	uint8_t dmac[6];    /* RoCE: of the peer, or of the router before it */
	uint16_t udp_sport; /* RoCE v2: 0xc000 and up */
	uint32_t flow_label;
	uint16_t dlid;	   /* InfiniBand */
	uint8_t path_bits; /* InfiniBand: the source LID is the port's plus this; below 1 << LMC */
	uint8_t stat_rate; /* ads.stat_rate, the device's code of a static rate; 0: none */
	bool is_global;
	bool roce;
	bool roce_v1; /* the GID at sgid_index is: no UDP port, no DSCP */
};

/* Fills @av as the kernel resolves @attr (ibv_create_ah() asks ARP or the neighbour table for
 * the MAC). The PD does not matter. Fields that @attr does not have are not filled. */
int devx_av_resolve(struct devx_av *av, struct ibv_pd *pd, struct ibv_ah_attr *attr);

/* What two QPs agree on; the names are those of ibv_qp_attr. */
struct devx_qp_conn {
	struct devx_av av;
	uint32_t access;     /* IBV_ACCESS_REMOTE_{WRITE,READ,ATOMIC}: what the peer may */
	uint8_t atomic_mode; /* PRM_QPC_ATOMIC_MODE_*; 0: IB_SPEC; masked ones want UP_TO_8B */
	uint16_t pkey_index;
	uint32_t qkey; /* UD */
	uint32_t dest_qp_num;
	uint32_t rq_psn, sq_psn;
	enum ibv_mtu path_mtu;
	/* READs and atomics at a time; 0: 1. The device has powers of two: what the peer may
	 * send at a time is rounded up, what is sent at a time is rounded down. */
	uint8_t max_dest_rd_atomic, max_rd_atomic;
	uint8_t min_rnr_timer, timeout, retry_cnt, rnr_retry;
	/* LAG (a bond): the port that sends, from 1 on; 0: the device chooses. The kernel
	 * spreads QPs of verbs over the ports, others it does not know. Needs the capability
	 * lag_tx_port_affinity. */
	uint8_t lag_tx_port;
};

/* The transitions; each reads its part of @conn. EREMOTEIO with BAD_QP_STATE: not from this
 * state. */
int devx_qp_init(struct devx_qp *qp, const struct devx_qp_conn *conn);
int devx_qp_rtr(struct devx_qp *qp, const struct devx_qp_conn *conn);
int devx_qp_rts(struct devx_qp *qp, const struct devx_qp_conn *conn);
/* All three. */
int devx_qp_connect(struct devx_qp *qp, const struct devx_qp_conn *conn);

/* To itself, over @port and the GID at @gid_index: for DMA by WQE, and to try things. */
int devx_qp_connect_self(struct devx_qp *qp, struct ibv_pd *pd, uint8_t port,
			 uint8_t gid_index);

/* UC and UD: the send queue, which alone stops at an error, continues. */
int devx_qp_sqerr2rts(struct devx_qp *qp);
/* What was posted completes with WR_FLUSH_ERR. */
int devx_qp_err(struct devx_qp *qp);
/* What was posted is dropped, and sq and rq are empty; its CQEs stay (dv_cq_clean()). */
int devx_qp_reset(struct devx_qp *qp);

/* Writes the context; PRM_GET(qpc, qpc, state) … reads it. */
int devx_qp_query(struct devx_qp *qp, uint8_t qpc[PRM_SZ(qpc)]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
