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
 *	dv_endpoint_fill(&ours, ctx, IBV_QPT_RC, qp.obj.id, port, DV_GID_DEFAULT);
 *	dv_endpoint_exchange(fd, &ours, &theirs);
 *	devx_qp_connect(&qp, pd, &ours, &theirs, NULL);
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
#include <dv/endpoint.h>
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
	/* Memory of the caller for rings and record: devx_qp_bytes() at this offset of a umem
	 * that lives as long as the queue, a multiple of 64 and of a 64th of the umem's
	 * page (umem.h, page_sizes); NULL: allocated. Without
	 * devx_umem.addr (memory of a GPU) nothing is written to it and sq and rq are not
	 * filled: the caller zeroes the record. */
	const struct devx_umem *umem;
	uint64_t umem_offset;
	uint64_t reserved[2]; /* 0 */
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
 * EINVAL: sizes that are not powers of two, neither queue, a receive ring that is not a
 * multiple of 64 bytes before a send ring. EOPNOTSUPP: mmo, and the device has none; a
 * send_dbr_mode that it does not have (capabilities of GENERAL_2: send_dbr_mode_no_dbr_ext,
 * …_int).
 *
 * With NO_DBR_EXT the device never reads a send record: qp.sq is rung by
 * dv_sq_doorbell_no_dbr() only. ConnectX-8 has it, older ones do not (DOCA GPUNetIO, changelog
 * of 2.0.0), for a limited number of QPs: beyond, CREATE_QP is refused
 * (meta-pytorch/torchcomms, pull request 4092). */
int devx_qp_create(struct devx_qp *qp, struct ibv_context *ctx,
		   const struct devx_qp_attr *attr);
int devx_qp_destroy(struct devx_qp *qp);
/* Bytes of rings and record in a umem. */
size_t devx_qp_bytes(const struct devx_qp_attr *attr);

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

/*
 * The transitions, as dv_qp_init(), dv_qp_rtr() and dv_qp_rts() (dv/endpoint.h) do them for QPs
 * of verbs. @ours is filled by dv_endpoint_fill(); @conn may be NULL: dv_qp_conn_init(). UD has
 * no peer: @av and @theirs may be NULL. READs and atomics at a time: the device has powers of
 * two; what the peer may send (ours->rd_atomic) is rounded up, what is sent is rounded down.
 * EREMOTEIO with BAD_QP_STATE: not from this state.
 */
int devx_qp_init(struct devx_qp *qp, const struct dv_endpoint *ours,
		 const struct dv_qp_conn *conn);
int devx_qp_rtr(struct devx_qp *qp, const struct devx_av *av, const struct dv_endpoint *ours,
		const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);
int devx_qp_rts(struct devx_qp *qp, const struct dv_endpoint *ours,
		const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);
/* All three; the way to the peer by devx_av_resolve() in @pd. ENETUNREACH: the peer is on
 * another link layer, or its GID is of another version of RoCE. */
int devx_qp_connect(struct devx_qp *qp, struct ibv_pd *pd, const struct dv_endpoint *ours,
		    const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);

/* To itself, over @port and the GID at @gid_index: for DMA by WQE, and to try things. */
int devx_qp_connect_self(struct devx_qp *qp, struct ibv_pd *pd, uint8_t port,
			 uint8_t gid_index);

/* UC and UD: the send queue, which alone stops at an error, continues. */
int devx_qp_sqerr2rts(struct devx_qp *qp);
/* Posted WQEs complete with WR_FLUSH_ERR. */
int devx_qp_err(struct devx_qp *qp);
/* Posted WQEs are dropped, and sq and rq are empty; their CQEs stay (dv_cq_clean()). */
int devx_qp_reset(struct devx_qp *qp);

/* Writes the context; PRM_GET(qpc, qpc, state) … reads it. */
int devx_qp_query(struct devx_qp *qp, uint8_t qpc[PRM_SZ(qpc)]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
