/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs: what their files share.
 *
 *	qp.c         create, destroy
 *	qp_modify.c  attributes -> QPC -> the command of the transition
 *	qp_state.c   which attributes a transition needs and allows
 *	qp_query.c   QPC -> attributes
 *	raw.c        raw packet QPs, which are an SQ and an RQ
 *	rss.c        and those that are neither, but spread over work queues
 *	dct.c        dynamically connected targets
 *	mcast.c      multicast groups of UD QPs
 */
#ifndef EMU_UVERBS_QP_H
#define EMU_UVERBS_QP_H

#include "uverbs/method.h"

/* The types of IB_UVERBS_QPT_DRIVER: mlx5_ib.h, MLX5_IB_QPT_DCI, MLX5_IB_QPT_DCT. The numbers
 * are ours. */
enum {
	UVERBS_QPT_DCI = 16,
	UVERBS_QPT_DCT = 17,
};

/* The attributes of CREATE_QP. */
struct uverbs_qp_attr {
	uint8_t type; /* enum ib_uverbs_qp_type, or one of these */
	uint32_t flags;
	struct ib_uverbs_qp_cap cap;
	struct mlx5_ib_create_qp mlx5;
	struct mlx5_ib_create_qp_rss rss; /* instead, with @table */
	struct uverbs_rwq_table *table;
	uint8_t log_rq, log_sq;
	uint32_t bfreg; /* as uverbs_qp.bfreg */
	struct uverbs_pd *pd;
	struct uverbs_cq *scq, *rcq;
	struct uverbs_srq *srq;
	struct uverbs_xrcd *xrcd;
	uint32_t pdn;
	uint16_t uid;
};

/* qpc.st of an enum ib_uverbs_qp_type that has one. */
uint8_t uverbs_qp_service(uint8_t type);

/* A change of state of a QP of @type, and the IBV_QP_* attributes in @mask that come with
 * it. */
struct uverbs_qp_change {
	uint8_t type, from, to; /* as uverbs_qp_attr.type; ibv_qp_state */
	uint32_t mask;
};

/* The attributes may, and all that must, come with this change. */
bool uverbs_qp_mask_ok(const struct uverbs_qp_change *ch);

/* The command of a transition (0: mlx5_ib has none) and which optional parts of the QPC the
 * attributes make. */
uint16_t uverbs_qp_command(const struct uverbs_qp_change *ch, uint32_t *opt_param_mask);

/* qpc.atomic_mode, the largest that the device has for @type; -EOPNOTSUPP: none. */
int uverbs_atomic_mode(const struct uverbs *u, uint8_t type);

/* The attributes of @qp; @mask: those that are asked for. */
int uverbs_qp_attributes(struct uverbs_qp *qp, uint32_t mask,
			 struct ib_uverbs_query_qp_resp *r);

/* Ends what attach_mcast did. */
void uverbs_detach_all(struct uverbs_qp *qp);

/* ---- dynamically connected targets ---- */

/* Prepares CREATE_DCT with the attributes that are known at creation. */
int uverbs_dct_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp);
int uverbs_dct_destroy(struct uverbs *u, struct uverbs_qp *qp);
/* Answers with the number, once there is one. @ece: options, in place of those of the creation;
 * 0: those. */
int uverbs_dct_modify(struct uverbs_call *c, struct uverbs_qp *qp,
		      const struct ib_uverbs_modify_qp *a, uint32_t ece);
int uverbs_dct_query(struct uverbs *u, const struct uverbs_qp *qp, uint32_t mask,
		     struct ib_uverbs_query_qp_resp *r);

/* ---- raw packets ---- */

/* CAP_NET_RAW: who may see and send whole frames. */
bool uverbs_raw_permitted(void);
int uverbs_raw_pin(struct uverbs_call *c, struct uverbs_qp_attr *a);
/* The objects of the device for a new @qp; its number is that of its SQ, or of its RQ. */
int uverbs_raw_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp);
void uverbs_raw_destroy(struct uverbs *u, struct uverbs_qp *qp);
void uverbs_raw_answer(const struct uverbs *u, const struct uverbs_qp *qp,
		       struct mlx5_ib_create_qp_resp *r);
/* Moves both queues as command @opcode would move a QP. @rate: an entry of the table of rates
 * for the SQ, 0 ends the limit; NULL: as it was. */
int uverbs_raw_modify(struct uverbs *u, struct uverbs_qp *qp, uint16_t opcode,
		      const uint16_t *rate);
/* A user of an entry of the table of rates (kbit/s, bytes): -EINVAL, -ENOSPC; and its end. */
struct uverbs_rate_limit {
	uint32_t rate, burst;
	uint16_t packet;
};
int uverbs_rate_take(struct uverbs *u, const struct uverbs_rate_limit *limit, uint16_t *index);
/* Is entry @index this limit? 0 is no limit. */
bool uverbs_rate_is(const struct uverbs *u, uint16_t index,
		    const struct uverbs_rate_limit *limit);
void uverbs_rate_put(struct uverbs *u, uint16_t index);
bool uverbs_rate_has_burst(const struct uverbs *u);
bool uverbs_rate_has_packet(const struct uverbs *u);

/* With a table of work queues: what libmlx5 says of it, and its TIR. */
int uverbs_rss_read(const struct uverbs_call *c, struct uverbs_qp_attr *a);
int uverbs_rss_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp);
void uverbs_rss_destroy(struct uverbs *u, struct uverbs_qp *qp);
/* The TIR of @half takes what its own transport domain sends, or not any more. */
void uverbs_raw_loops(struct uverbs *u, struct uverbs_raw_half *half, bool loops);
/* Takes number and address of the TIR of @h from the answer of CREATE_TIR. */
void uverbs_raw_tir(struct uverbs_raw_half *h, const uint8_t *out);

/* *state: enum ibv_qp_state, made of those of the queues. */
int uverbs_raw_query(struct uverbs *u, struct uverbs_qp *qp, uint8_t *state);

#endif
