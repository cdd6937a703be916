/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet queues, of which a raw packet QP is made:
 *
 *	TD <- TIS <- SQ -> CQ, PD, UAR page		what is sent, and as whom
 *	TD <- TIR -> RQ -> CQ, PD			what is received, and by whom
 *	      TIR -> RQT -> RQ, RQ, …			… or spread over several
 *
 * A send queue and a receive queue are objects of their own here, with states of their own; only
 * the driver sees a QP in them. Their doorbell record is that of a QP: the RQ's word, the SQ's.
 */
#ifndef EMU_DEV_RAW_H
#define EMU_DEV_RAW_H

#include "core/core.h"
#include "dev/ring.h"
#include "dev/umem.h"

struct dev;
struct dev_td;
struct dev_pd;
struct dev_cq;
struct dev_uar;
struct dev_sched;
struct dev_rate;

/* Bytes of the PRM contexts that are kept as last set (checked against prm in fw). */
#define DEV_TISC_SIZE 0xa0
#define DEV_SQC_SIZE  0xf0
#define DEV_RQC_SIZE  0xf0
#define DEV_TIRC_SIZE 0xf0
#define DEV_RQTC_SIZE 0xf0

enum dev_wq_state { /* sqc.state, rqc.state: mlx5_ifc.h, MLX5_SQC_STATE_*, MLX5_RQC_STATE_* */
		    DEV_WQS_RST = 0,
		    DEV_WQS_RDY = 1,
		    DEV_WQS_ERR = 3,
};

struct dev_tis {
	uint32_t tisn;
	uint16_t uid;
	uint32_t refs; /* SQs */
	struct dev_td *td;
	uint8_t tisc[DEV_TISC_SIZE];
};

struct dev_sq {
	uint32_t sqn;
	uint16_t uid;
	uint8_t state; /* enum dev_wq_state */
	bool flush;    /* sqc.flush_in_error_en */
	struct dev_tis *tis;
	struct dev_pd *pd;
	struct dev_cq *cq;
	struct dev_uar *uar;
	struct dev_sched *sched; /* queue group; NULL: none */
	struct dev_rate *rate;	 /* entry of the rate table; NULL: unlimited */
	uint32_t user_index;
	struct dev_home home;
	uint64_t dbrec; /* address of {be32 rcv, be32 snd} */
	struct dev_wq wq;
	uint16_t pi; /* engine: the record as the last ring said it */
	uint8_t sqc[DEV_SQC_SIZE];
	struct core_list on_uar; /* dev_uar.sqs */
};

struct dev_rq {
	uint32_t rqn;
	uint16_t uid;
	uint8_t state; /* enum dev_wq_state */
	uint32_t refs; /* TIRs; RQTs, once per place in them */
	struct dev_pd *pd;
	struct dev_cq *cq;
	/* never NULL; nothing is received, so it counts nothing */
	struct dev_q_counter *counter;
	uint32_t user_index;
	struct dev_home home;
	uint64_t dbrec;
	struct dev_wq wq;
	uint8_t rqc[DEV_RQC_SIZE];
};

struct dev_tir {
	uint32_t tirn;
	uint16_t uid;
	struct dev_td *td;
	struct dev_rq *rq;   /* disp_type DIRECT */
	struct dev_rqt *rqt; /* INDIRECT */
	uint8_t tirc[DEV_TIRC_SIZE];
};

struct dev_rqt {
	uint32_t rqtn;
	uint16_t uid;
	uint32_t refs;	    /* TIRs */
	uint32_t cnt;	    /* RQs that are in it */
	struct dev_rq **rq; /* cnt of them, owned */
	uint8_t rqtc[DEV_RQTC_SIZE];
};

struct dev_rqt *dev_rqt_new(struct dev *d);
void dev_rqt_free(struct dev *d, struct dev_rqt *rqt);

#endif
