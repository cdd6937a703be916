/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet queues, of which a raw packet QP is made:
 *
 *	TD <- TIS <- SQ -> CQ, PD, UAR page		what is sent, and as whom
 *	TD <- TIR -> RQ -> CQ, PD			what is received, and by whom
 *	      TIR -> RQT -> RQ, RQ, …			… or spread over several
 *
 * A send queue and a receive queue are separate objects here, each with its state; only
 * the driver sees a QP in them. Their doorbell record is that of a QP: the RQ's word, the SQ's.
 */
#ifndef EMU_HCA_RAW_H
#define EMU_HCA_RAW_H

#include "core/core.h"
#include "hca/kind.h"
#include "hca/rc.h"
#include "hca/ring.h"
#include "hca/umem.h"

struct hca;
struct hca_td;
struct hca_pd;
struct hca_cq;
struct hca_uar;
struct hca_sched;
struct hca_rate;

/* Bytes of the PRM contexts that are kept as last set (checked against prm in fw). */
#define HCA_TISC_SIZE 0xa0
#define HCA_SQC_SIZE  0xf0
#define HCA_RQC_SIZE  0xf0
#define HCA_TIRC_SIZE 0xf0
#define HCA_RQTC_SIZE 0xf0

struct hca_tis {
	HCA_OBJECT(tisn);
	struct hca_td *td;
	uint8_t tisc[HCA_TISC_SIZE];
};

struct hca_sq {
	HCA_OBJECT(sqn);
	uint8_t state; /* PRM_SQC_STATE_* */
	bool flush;    /* sqc.flush_in_error_en */
	struct hca_tis *tis;
	struct hca_pd *pd;
	struct hca_cq *cq;
	struct hca_uar *uar;
	struct hca_sched *sched; /* queue group; NULL: none */
	struct hca_rate *rate;	 /* entry of the rate table; NULL: unlimited */
	uint32_t user_index;
	struct hca_umem_refs umems;
	uint64_t dbrec; /* address of {be32 rcv, be32 snd} */
	struct hca_wq wq;
	/* engine */
	uint16_t end;	      /* the record as the last ring said it */
	uint16_t pi;	      /* the WQE that is executed */
	uint32_t packet;      /* of that WQE: packets that were sent, */
	struct hca_cursor at; /* and where the next one starts */
	uint8_t *kept;	      /* a packet whose receiver had no space; NULL: none */
	size_t kept_len;
	struct core_list on_sending; /* hca.sending: has something to do */
	uint8_t sqc[HCA_SQC_SIZE];
	struct core_list on_uar; /* hca_uar.sqs */
};

struct hca_rq {
	HCA_OBJECT(rqn);
	uint8_t state; /* PRM_RQC_STATE_* */
	struct hca_pd *pd;
	struct hca_cq *cq;
	struct hca_q_counter *counter; /* never NULL */
	uint32_t user_index;
	struct hca_umem_refs umems;
	uint64_t dbrec;
	struct hca_wq wq;
	uint8_t rqc[HCA_RQC_SIZE];
	/* engine */
	uint16_t ci;		      /* the WQE that receives the next packet */
	uint32_t stride;	      /* of that WQE, if it has strides: those that are used */
	uint8_t dropped;	      /* packets since the last CQE */
	struct core_list on_flushing; /* hca.flushing: went to ERR */
};

/* Takes queues to the state in which RESET leaves them. */
void hca_sq_reset(struct hca_sq *sq);
void hca_rq_reset(struct hca_rq *rq);

struct hca_tir {
	HCA_OBJECT(tirn);
	struct hca_td *td;
	struct hca_rq *rq;   /* disp_type DIRECT */
	struct hca_rqt *rqt; /* INDIRECT */
	uint8_t tirc[HCA_TIRC_SIZE];
};

struct hca_rqt {
	HCA_OBJECT(rqtn);
	uint32_t cnt;	    /* RQs that are in it */
	struct hca_rq **rq; /* cnt of them, owned */
	uint8_t rqtc[HCA_RQTC_SIZE];
};

#endif
