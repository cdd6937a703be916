/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connecting a QP that plain verbs created: what its peer has to know of it, how two programs
 * exchange that over a socket, and the transitions to RTS.
 *
 *	struct dv_endpoint ours, theirs;
 *
 *	err = dv_endpoint_init(&ours, qp, 1, DV_GID_DEFAULT);      port 1
 *	if (!err)
 *		err = dv_endpoint_exchange(fd, &ours, &theirs);    a connected stream socket
 *	if (!err)
 *		err = dv_qp_connect(qp, &ours, &theirs, NULL);     INIT, RTR, RTS
 *	if (!err)
 *		err = dv_sq_map(&sq, qp);
 *
 * On the wire an endpoint is a record of 40 bytes, in network byte order:
 *
 *	+0   "dvep"                    +12  psn, 24 bits
 *	+4   version, 1                +16  GID, 16
 *	+5   type of the QP            +32  LID
 *	+6   link layer                +34  type of the GID
 *	+7   MTU                       +35  READs and atomics at a time that it executes
 *	+8   qpn, 24 bits              +36  0
 *
 * It fits where rdma_cm carries private data: of a connection request of RDMA_PS_TCP 56 bytes
 * (Linux, cma.c: 92 of the REQ without the 36 bytes of its header), of a response 196. But a QP
 * that rdma_cm connects needs no record and none of these calls: rdma_connect() and
 * rdma_accept() take it to RTS, and dv_sq_map() is all that is left.
 *
 * QPs of firmware commands are connected by devx_qp_connect() (devx/qp.h), with the same
 * endpoints and attributes; dv_endpoint_fill() makes theirs.
 *
 * All return 0 or a positive errno value.
 */
#ifndef DV_ENDPOINT_H
#define DV_ENDPOINT_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum {
	DV_ENDPOINT_BYTES = 40, /* of a record */
	DV_GID_DEFAULT = -1,	/* as gid_index: dv_gid_default() chooses */
};

struct dv_endpoint {
	uint32_t qpn, psn; /* psn: of the first packet that this QP sends */
	union ibv_gid gid;
	uint16_t lid;
	uint8_t qp_type; /* enum ibv_qp_type; a DC initiator or target, IBV_QPT_DRIVER, as 0xff */
	uint8_t link_layer; /* IBV_LINK_LAYER_* */
	uint8_t mtu;	    /* enum ibv_mtu: of the port */
	uint8_t gid_type;   /* enum ibv_gid_type: IB, RoCE v1, RoCE v2 */
	uint8_t rd_atomic;  /* READs and atomics at a time that it executes for its peer */

	/* This side's; not in the record. */
	uint8_t port, gid_index;
	uint8_t init_rd_atomic; /* READs and atomics at a time that it may have under way */
	uint8_t reserved[16];	/* 0 */
};

/* The attributes of a connection that are not the peer's; names as in ibv_qp_attr and
 * ibv_ah_attr. */
struct dv_qp_conn {
	unsigned int access;   /* IBV_ACCESS_REMOTE_*: rights of the peer; UC: only WRITE */
	uint8_t mtu;	       /* enum ibv_mtu; 0: the smaller one of both ports */
	uint8_t max_rd_atomic; /* 0: as many as the device and the peer can */
	uint8_t min_rnr_timer, timeout, retry_cnt, rnr_retry;
	uint8_t sl, traffic_class, hop_limit, static_rate;
	/* Only devx_qp_connect(): PRM_QPC_ATOMIC_MODE_*, the atomics that the peer may send; 0:
	 * IB_SPEC; masked ones want UP_TO_8B. And on a bond (LAG) the port that sends, from 1
	 * on; 0: the device chooses. The kernel spreads QPs of verbs over the ports, others it
	 * does not know. Needs the capability lag_tx_port_affinity. */
	uint8_t atomic_mode, lag_tx_port;
	uint32_t flow_label;
	uint16_t pkey_index;
	uint32_t qkey;	      /* UD */
	uint32_t reserved[8]; /* 0 */
};

/*
 * Sets the defaults of dv_qp_connect() without a @conn; for programs that change some of them.
 *	all remote access; timeout 14, 67 ms; retry_cnt 7; rnr_retry 7, without limit;
 *	min_rnr_timer 12, 0.64 ms; hop_limit 64; qkey 0x11111111; all others 0
 */
void dv_qp_conn_init(struct dv_qp_conn *conn);

/* The index of the GID for connections on @port: of RoCE version 2 before 1, then an
 * IPv4-mapped one before others; of InfiniBand 0. ENOENT: the port has no GID. */
int dv_gid_default(uint8_t *index, struct ibv_context *ctx, uint8_t port);

/* Fills @ep for @qp with the GID at @gid_index, or DV_GID_DEFAULT; the PSN is a random number,
 * which may be changed, as may mtu and rd_atomic be lowered: the peer has no more than
 * rd_atomic under way. ENETDOWN: the port is not active; ENOENT: no such GID; others as
 * ibv_query_port(). After ENETDOWN, or if the port cannot be queried, *ep is not changed; after
 * ENOENT, or if the device cannot be queried, it is filled as far as that goes: port, LID, link
 * layer, MTU and type, but no rd_atomic, and without a GID after ENOENT. No peer can use it
 * then. */
int dv_endpoint_init(struct dv_endpoint *ep, const struct ibv_qp *qp, uint8_t port,
		     int gid_index);

/* Like dv_endpoint_init(), after an error too, for a QP that is not one of verbs. */
int dv_endpoint_fill(struct dv_endpoint *ep, struct ibv_context *ctx, enum ibv_qp_type type,
		     uint32_t qpn, uint8_t port, int gid_index);

/* Writes the record of @ep; reads one from the first 40 of @len bytes. EPROTO: not a record of
 * this version, or one that no endpoint has; *ep is not changed then. */
void dv_endpoint_pack(uint8_t record[DV_ENDPOINT_BYTES], const struct dv_endpoint *ep);
int dv_endpoint_unpack(struct dv_endpoint *ep, const void *record, size_t len);

/* They send, receive, or send and receive one whole record over the stream socket @fd. They
 * wait as long as SO_SNDTIMEO and SO_RCVTIMEO allow, then return EAGAIN; the socket has to be a
 * blocking one. After an error a part of a record may be transferred, and the connection is of
 * no more use. ECONNRESET: the peer closed the connection; EPROTO: what was received is not a
 * record; others as send(2), recv(2). */
int dv_endpoint_send(int fd, const struct dv_endpoint *ours);
int dv_endpoint_recv(int fd, struct dv_endpoint *theirs);
int dv_endpoint_exchange(int fd, const struct dv_endpoint *ours, struct dv_endpoint *theirs);

/* The path from @ours to @theirs, for ibv_create_ah() or devx_av_resolve(). @conn may be NULL.
 * Ports of InfiniBand that need a GRH within their subnet (IBV_QPF_GRH_REQUIRED) are not
 * supported. */
void dv_endpoint_path(struct ibv_ah_attr *path, const struct dv_endpoint *ours,
		      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);

/*
 * Takes @qp from RESET to RTS, to talk to @theirs. @conn may be NULL: dv_qp_conn_init(). RC,
 * UC, XRC (either half) and UD, whose WQEs name the peer: theirs may be NULL. EOPNOTSUPP: a QP
 * of another type. EPROTOTYPE: the peer's QP is not of the type that goes with this one.
 * ENETUNREACH: the peer is on another link layer, or its GID is of another version of RoCE.
 * Others as ibv_modify_qp(), and the QP is in the state that it had reached.
 *
 * EOPNOTSUPP also: the device has no atomics; leave IBV_ACCESS_REMOTE_ATOMIC out of
 * @conn->access.
 *
 * The peer may not be connected yet when this returns. Messages to it are then lost (UC, UD),
 * or sent again until retry_cnt is exhausted (RC): exchange a byte over the socket before the
 * first message.
 *
 * The three steps, for a program that has something to do between them: receives can be posted
 * after dv_qp_init().
 */
int dv_qp_connect(struct ibv_qp *qp, const struct dv_endpoint *ours,
		  const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);
int dv_qp_init(struct ibv_qp *qp, const struct dv_endpoint *ours,
	       const struct dv_qp_conn *conn);
int dv_qp_rtr(struct ibv_qp *qp, const struct dv_endpoint *ours,
	      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);
int dv_qp_rts(struct ibv_qp *qp, const struct dv_endpoint *ours,
	      const struct dv_endpoint *theirs, const struct dv_qp_conn *conn);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
