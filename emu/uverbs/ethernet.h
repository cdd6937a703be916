/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues of whole frames that are not QPs: what their files share.
 *
 *	wq.c         work queues: an RQ each
 *	rwq_table.c  tables of them: an RQ table each
 *	rss.c        QPs on such a table: a TIR each
 *	rq.c         RQs, for work queues and raw packet QPs
 *
 *	QP (RSS) --TIR--> table --RQT--> WQ, WQ, WQ … --RQ--> CQ
 *
 * On the arrows: the device's objects. An object in use cannot be destroyed: a WQ while it is
 * in a table, a table while a QP has it.
 */
#ifndef EMU_UVERBS_ETHERNET_H
#define EMU_UVERBS_ETHERNET_H

#include "uverbs/qp.h"

/* A capability of group ETHERNET_OFFLOADS; 0 on an adapter without the group. */
#define UVERBS_ETH(u, f) \
	PRM_GET(per_protocol_networking_offload_caps, (u)->caps[PRM_CAP_ETHERNET_OFFLOADS], f)

/* ---- work queues ---- */

struct uverbs_wq {
	struct uverbs_object obj;
	struct uverbs_pd *pd;
	struct uverbs_cq *cq;
	uint32_t rqn;
	uint8_t state; /* enum ibv_wq_state, as the driver last set it */
	struct uverbs_events events;
};

struct uverbs_rwq_table {
	struct uverbs_object obj;
	struct uverbs_wq **wq; /* 1 << log_size */
	uint32_t rqtn;
	uint8_t log_size;
	uint16_t uid; /* of its commands */
};

/* ---- RQs ---- */

/* Attributes for CREATE_RQ; the ring and the record are pinned already. */
struct uverbs_rq_attr {
	uint64_t buf, bytes, dbrec;
	uint8_t log_size, log_stride; /* WQEs, bytes of one */
	uint32_t pdn, user_index;
	uint16_t uid;
	const struct uverbs_cq *cq;
	bool strip_vlan, scatter_fcs, end_padding;
	/* of a striding RQ: log2 of the bytes of a stride and of the strides of a WQE */
	bool striding, two_byte_shift;
	uint8_t log_stride_bytes, log_strides;
};

int uverbs_rq_create(struct uverbs_file *f, const struct uverbs_rq_attr *a, uint32_t *rqn);

/* Can the device take off a frame's tag, leave its FCS, understand tunnels? */
bool uverbs_strips_vlan(const struct uverbs *u);
bool uverbs_scatters_fcs(const struct uverbs *u);
bool uverbs_knows_tunnels(const struct uverbs *u);

/* tirc.self_lb_block of MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_*: in spite of its name, frames of the
 * own transport domain that come in. */
uint8_t uverbs_self_loopback(uint32_t qp_flags);

/* Log2 of the fewest strides that a WQE of a striding RQ may have. */
uint32_t uverbs_min_log_strides(const struct uverbs *u);

#define UVERBS_LOG_STRIDE_BYTES_MIN 6 /* <mlx5_ib.h>: MLX5_MIN_SINGLE_STRIDE_LOG_NUM_BYTES … */
#define UVERBS_LOG_STRIDE_BYTES_MAX 13
#define UVERBS_LOG_STRIDES_MAX	    16

#endif
