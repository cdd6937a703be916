/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected targets: one number for many senders (DCIs), which need its access key.
 * A DCT has no receive queue: it receives into an SRQ, and the CQE has the sender. It accepts
 * packets as soon as it is created; there are no state transitions.
 *
 *	DCI \
 *	DCI -> (GID, dctn, dc_access_key) -> DCT -> SRQ, CQ
 *	DCI /
 *
 * Capability dct. Draining (DRAIN_DCT, event DCT_DRAINED) is not available through DevX:
 * destroying a DCT that is in use causes errors at its senders.
 */
#ifndef DEVX_DCT_H
#define DEVX_DCT_H

#include <devx/devx.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_dct_attr {
	uint32_t pdn;
	uint32_t cqn;
	uint32_t srqn; /* an RMP's id, or an SRQ's number */
	uint64_t dc_access_key;
	uint32_t access; /* IBV_ACCESS_REMOTE_{WRITE,READ,ATOMIC} */
	uint32_t user_index;
	uint32_t flow_label;
	uint16_t pkey_index;
	uint8_t port;	   /* 0: 1 */
	uint8_t mtu;	   /* enum ibv_mtu */
	uint8_t gid_index; /* of its address: my_addr_index */
	uint8_t hop_limit; /* of answers */
	uint8_t tclass;
	uint8_t min_rnr_nak;	/* as ibv_qp_attr.min_rnr_timer */
	uint8_t counter_set_id; /* of a Q counter; 0: none */
	uint64_t reserved[2];	/* 0 */
};

/* EINVAL: an access flag that a DCT does not have. */
int devx_dct_create(struct devx_obj *dct, struct ibv_context *ctx,
		    const struct devx_dct_attr *attr);
/* PRM_GET(dctc, dctc, …) reads the context. */
int devx_dct_query(struct devx_obj *dct, uint8_t dctc[PRM_SZ(dctc)]);
int devx_dct_destroy(struct devx_obj *dct);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
