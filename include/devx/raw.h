/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects between Ethernet packets and work queues.
 *
 *	SQ -> TIS -> wire       TD  transport domain: groups them, and loops packets back
 *	             |              among themselves
 *	            rule
 *	             v
 *	            TIR --inline_rqn------------> RQ        all packets to one
 *	             '---hash---> RQT [rqn rqn …] -> RQ     spread: receive-side scaling
 *
 * Rules come from mlx5dv_create_flow(), whose DEST_DEVX action takes the TIR's handle.
 */
#ifndef DEVX_RAW_H
#define DEVX_RAW_H

#include <stdbool.h>

#include <devx/devx.h>
#include <prm/value.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ALLOC_TRANSPORT_DOMAIN */
int devx_td_create(struct devx_obj *td, struct ibv_context *ctx);
int devx_td_destroy(struct devx_obj *td);

struct devx_tis_attr {
	uint32_t transport_domain;
	uint32_t pdn;		      /* 0: none */
	uint8_t prio;		      /* twice the 802.1p priority (mlx5_core, en_main.c) */
	uint8_t lag_tx_port_affinity; /* 0: any port of the bond */
	uint64_t reserved[2];	      /* 0 */
};

int devx_tis_create(struct devx_obj *tis, struct ibv_context *ctx,
		    const struct devx_tis_attr *attr);
/* PRM_GET(tisc, tisc, …) reads the context. */
int devx_tis_query(struct devx_obj *tis, uint8_t tisc[PRM_SZ(tisc)]);
int devx_tis_destroy(struct devx_obj *tis);

enum devx_rx_hash_fn {
	DEVX_RX_HASH_XOR8 = PRM_RX_HASH_FN_INVERTED_XOR8,
	DEVX_RX_HASH_TOEPLITZ = PRM_RX_HASH_FN_TOEPLITZ,
};

/* Bits of selected_fields. */
enum devx_rx_hash_field {
	DEVX_RX_HASH_SRC_IP = 1 << 0,
	DEVX_RX_HASH_DST_IP = 1 << 1,
	DEVX_RX_HASH_L4_SPORT = 1 << 2,
	DEVX_RX_HASH_L4_DPORT = 1 << 3,
	DEVX_RX_HASH_IPSEC_SPI = 1 << 4,
};

struct devx_tir_attr {
	uint32_t transport_domain;
	uint32_t inline_rqn; /* all packets to this RQ; 0: by hash, through rqtn */
	uint8_t self_lb_block; /* PRM_TIRC_SELF_LB_BLOCK_*: packets of the port itself that are let in */

	uint32_t rqtn;
	enum devx_rx_hash_fn hash_fn;
	bool symmetric;		  /* both directions of a connection hash alike */
	bool ipv6;		  /* of the outer header; else IPv4 */
	bool udp;		  /* hash UDP ports; else TCP */
	uint32_t selected_fields; /* DEVX_RX_HASH_… */
	uint8_t toeplitz_key[40];
	uint64_t reserved[2]; /* 0 */
};

/* EINVAL: neither inline_rqn nor rqtn, or both; a table without a hash. */
int devx_tir_create(struct devx_obj *tir, struct ibv_context *ctx,
		    const struct devx_tir_attr *attr);
/* PRM_GET(tirc, tirc, …) reads the context. */
int devx_tir_query(struct devx_obj *tir, uint8_t tirc[PRM_SZ(tirc)]);
int devx_tir_destroy(struct devx_obj *tir);

/* A table of @n RQs that may grow to @max_size of them (powers of two, as mlx5_core has them;
 * capability log_max_rqt_size). EINVAL: no RQ, more than @max_size, @max_size above
 * DEVX_RQT_MAX, which is what fits an inbox. */
#define DEVX_RQT_MAX 16315
int devx_rqt_create(struct devx_obj *rqt, struct ibv_context *ctx, const uint32_t *rqn,
		    size_t n, size_t max_size);
int devx_rqt_modify(struct devx_obj *rqt, const uint32_t *rqn, size_t n);
int devx_rqt_destroy(struct devx_obj *rqt);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
