/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a CQE. Read cq.h before. 64 bytes, big-endian; not every field is valid in
 * every CQE:
 *
 *	 0  packet: tunnel, stride's WQE (mp.h), RSS hash, path, checksum   received
 *	22  who sent it: SLID, SL, QP; what it is: headers, checks, VLAN    received
 *	32  user index   36 imm, rkey or pkey   40 app   44 byte_cnt        all
 *	48  timestamp                                                       success
 *	52  hardware, vendor syndrome, syndrome                             error
 *	56  opcode of the WQE, QP   60 wqe_counter   62 signature   63 op_own
 *
 * op_own: opcode (4 bits), format (2), solicited, owner. The format says what is in place of
 * bytes 0-31 or before the CQE: nothing, small received data, or that it is one of a compressed
 * session (mini.h). A signature error (opcode MLX5_CQE_SIG_ERR) has another layout.
 *
 * All functions read one field and return it in host order, unless they say otherwise. None of
 * them looks whether the field means anything in this CQE.
 */
#ifndef DV_CQE_H
#define DV_CQE_H

#include <dv/barrier.h>
#include <dv/port.h>

#ifdef __cplusplus
extern "C" {
#endif

static_assert(sizeof(struct mlx5_cqe64) == 64, "CQE");
static_assert(offsetof(struct mlx5_cqe64, wqe_id) == 2, "CQE");
static_assert(offsetof(struct mlx5_cqe64, ml_path) == 17, "CQE");
static_assert(offsetof(struct mlx5_cqe64, slid) == 22, "CQE");
static_assert(offsetof(struct mlx5_cqe64, flags_rqpn) == 24, "CQE");
static_assert(offsetof(struct mlx5_cqe64, vlan_info) == 30, "CQE");
static_assert(offsetof(struct mlx5_cqe64, srqn_uidx) == 32, "CQE");
static_assert(offsetof(struct mlx5_cqe64, imm_inval_pkey) == 36, "CQE");
static_assert(offsetof(struct mlx5_cqe64, byte_cnt) == 44, "CQE");
static_assert(offsetof(struct mlx5_cqe64, timestamp) == 48, "CQE");
static_assert(offsetof(struct mlx5_cqe64, sop_drop_qpn) == 56, "CQE");
static_assert(offsetof(struct mlx5_cqe64, wqe_counter) == 60, "CQE");
static_assert(offsetof(struct mlx5_cqe64, op_own) == 63, "CQE");
static_assert(offsetof(struct mlx5_err_cqe, vendor_err_synd) == 54, "error CQE");
static_assert(offsetof(struct mlx5_err_cqe, syndrome) == 55, "error CQE");

enum {
	DV_CQE_FORMAT_MASK = 3 << 2, /* of op_own; all bits: compressed */
};

/* The layout of MLX5_CQE_SIG_ERR. */
struct dv_sig_err_cqe {
	uint8_t rsvd0[16];
	__be32 expected_trans_sig; /* guard: the block's own checksum */
	__be32 actual_trans_sig;
	__be32 expected_ref_tag;
	__be32 actual_ref_tag;
	__be16 syndrome; /* which of guard, reference and application tag */
	uint8_t sig_type;
	uint8_t domain; /* 3 bits: memory, wire … */
	__be32 mkey;
	__be64 sig_err_offset; /* of the block, in bytes */
	uint8_t rsvd48[14];
	uint8_t signature;
	uint8_t op_own;
};

static_assert(sizeof(struct dv_sig_err_cqe) == 64, "signature error CQE");

/* ---- every CQE ---- */

/* MLX5_CQE_REQ (our send queue), MLX5_CQE_RESP_* (our receive queue), MLX5_CQE_*_ERR. */
DV_INLINE uint8_t dv_cqe_opcode(const struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 4;
}

/* Whether it is of the send queue, where both queues of a QP have one CQ: a WQE that was
 * executed or that failed. */
DV_INLINE bool dv_cqe_is_send(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_opcode(cqe) == MLX5_CQE_REQ || dv_cqe_opcode(cqe) == MLX5_CQE_REQ_ERR;
}

/* Whether the WQE failed: MLX5_CQE_REQ_ERR or MLX5_CQE_RESP_ERR. */
DV_INLINE bool dv_cqe_is_error(const struct mlx5_cqe64 *cqe)
{
	/* The two are neighbours, and above them is only INVALID, which no CQE has that was
	 * polled. */
	static_assert(MLX5_CQE_RESP_ERR == MLX5_CQE_REQ_ERR + 1, "errors");
	static_assert(MLX5_CQE_INVALID == MLX5_CQE_REQ_ERR + 2, "errors");
	return cqe->op_own >= MLX5_CQE_REQ_ERR << 4;
}

/* Whether it represents several completions: only in a CQ created for that (mini.h). */
DV_INLINE bool dv_cqe_is_compressed(const struct mlx5_cqe64 *cqe)
{
	return (cqe->op_own & DV_CQE_FORMAT_MASK) == DV_CQE_FORMAT_MASK;
}

/* The sender, or an error, asked for an event. */
DV_INLINE bool dv_cqe_is_solicited(const struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 1 & 1;
}

/* Requester: index of the first block of the WQE. Responder: index of the receive WQE; of a
 * striding RQ, of the stride (mp.h). 16 bits, free-running: & (wqe_cnt - 1) gives the slot. */
DV_INLINE uint16_t dv_cqe_wqe_counter(const struct mlx5_cqe64 *cqe)
{
	return be16toh(cqe->wqe_counter);
}

/* Our QP that this is about; not of packets with a flow tag. */
DV_INLINE uint32_t dv_cqe_qpn(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->sop_drop_qpn) & 0xffffff;
}

/* The user index given to the queue when it was made (libmlx5 chooses it for verbs queues). */
DV_INLINE uint32_t dv_cqe_uidx(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->srqn_uidx) & 0xffffff;
}

/* Bytes received, or read; 0 has no meaning for a send or a write. */
DV_INLINE uint32_t dv_cqe_byte_cnt(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->byte_cnt);
}

/* When, by the device's clock. Free-running: cycles, see mlx5dv_ts_to_ns(). Real time: seconds
 * in the upper half, nanoseconds in the lower. Which one is a matter of the device
 * (MLX5DV_CONTEXT_FLAGS_REAL_TIME_TS) and of the queue's ts_format. */
DV_INLINE uint64_t dv_cqe_timestamp(const struct mlx5_cqe64 *cqe)
{
	return be64toh(cqe->timestamp);
}

/* A real-time timestamp in nanoseconds since the epoch. */
DV_INLINE uint64_t dv_cqe_real_time_ns(const struct mlx5_cqe64 *cqe)
{
	uint64_t ts = be64toh(cqe->timestamp);

	return (ts >> 32) * 1000000000 + (uint32_t)ts;
}

/* A checksum: the XOR of all bytes of the CQE, of the data in front of it (format 64) and of
 * the three bytes of its free-running index in the CQ equals 0xff. In a CQ with enhanced
 * compression: the count of passes over the ring. */
DV_INLINE uint8_t dv_cqe_signature(const struct mlx5_cqe64 *cqe)
{
	return cqe->signature;
}

/* Small data that the device put into the CQE instead of the buffer, or NULL: at most 32 bytes
 * inside it, or 64 in front of it (128-byte CQEs). scatter.h copies them to their place. */
DV_INLINE const void *dv_cqe_inline(const struct mlx5_cqe64 *cqe)
{
	if (cqe->op_own & MLX5_INLINE_SCATTER_32)
		return cqe;
	return cqe->op_own & MLX5_INLINE_SCATTER_64 ? cqe - 1 : NULL;
}

/* ---- requester ---- */

/* The opcode of the WQE (MLX5_OPCODE_*). */
DV_INLINE uint8_t dv_cqe_send_opcode(const struct mlx5_cqe64 *cqe)
{
	return (uint8_t)(be32toh(cqe->sop_drop_qpn) >> 24);
}

/* ---- errors ---- */

/* Why it failed: enum of mlx5dv.h (MLX5_CQE_SYNDROME_*), in words by dv_syndrome_str().
 * 0: success. */
DV_INLINE uint8_t dv_cqe_syndrome(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_is_error(cqe) ? ((const struct mlx5_err_cqe *)cqe)->syndrome : 0;
}

/* The vendor's finer reason, to quote in a report (dv_vendor_syndrome_str()). 0: success. */
DV_INLINE uint8_t dv_cqe_vendor_syndrome(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_is_error(cqe) ? ((const struct mlx5_err_cqe *)cqe)->vendor_err_synd : 0;
}

/* The hardware's syndrome and its type, to quote beside the vendor's: 0xTTSS. 0: success. */
DV_INLINE uint16_t dv_cqe_hw_syndrome(const struct mlx5_cqe64 *cqe)
{
	const uint8_t *bytes = (const uint8_t *)cqe;
	uint16_t type = bytes[53] >> 4; /* PRM, error_syndrome: 4 bits; UCX, ib_mlx5_log.c */

	if (!dv_cqe_is_error(cqe))
		return 0;
	return (uint16_t)(type << 8 | bytes[52]);
}

/* The CQE as a signature error, or NULL: it is not one. */
DV_INLINE const struct dv_sig_err_cqe *dv_cqe_sig_err(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_opcode(cqe) == MLX5_CQE_SIG_ERR ? (const struct dv_sig_err_cqe *)cqe
						      : NULL;
}

/* ---- received messages ---- */

/* The sender's immediate, in network order as in ibv_wc: RESP_SEND_IMM and RESP_WR_IMM. */
DV_INLINE __be32 dv_cqe_imm(const struct mlx5_cqe64 *cqe)
{
	return cqe->imm_inval_pkey;
}

/* RESP_SEND_INV: the rkey that the sender had us invalidate. */
DV_INLINE uint32_t dv_cqe_inval_rkey(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->imm_inval_pkey);
}

/* RESP_SEND of a UD or raw packet QP: the index of its P_Key; with steering by metadata, all 32
 * bits are that (dv_cqe_inval_rkey() reads them). */
DV_INLINE uint16_t dv_cqe_pkey_index(const struct mlx5_cqe64 *cqe)
{
	return (uint16_t)be32toh(cqe->imm_inval_pkey);
}

/* UD: the sender's QP. */
DV_INLINE uint32_t dv_cqe_src_qp(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->flags_rqpn) & 0xffffff;
}

/* UD: the sender's LID (0 on RoCE), the service level, and the low bits of our LID. */
DV_INLINE uint16_t dv_cqe_slid(const struct mlx5_cqe64 *cqe)
{
	return be16toh(cqe->slid);
}

DV_INLINE uint8_t dv_cqe_sl(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->flags_rqpn) >> 24 & 0xf;
}

DV_INLINE uint8_t dv_cqe_path_bits(const struct mlx5_cqe64 *cqe)
{
	return cqe->ml_path & 0x7f;
}

/* UD: 0: no GRH; 1: in the first 40 bytes of the data; 2: in front of the CQE (128-byte
 * CQEs). */
DV_INLINE uint8_t dv_cqe_grh(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->flags_rqpn) >> 28 & 3;
}

/* SRQs with tag matching: app is 1; app_op and app_info describe the event of the tag. */
DV_INLINE uint8_t dv_cqe_app(const struct mlx5_cqe64 *cqe)
{
	return cqe->app;
}

DV_INLINE uint8_t dv_cqe_app_op(const struct mlx5_cqe64 *cqe)
{
	return cqe->app_op;
}

DV_INLINE uint16_t dv_cqe_app_info(const struct mlx5_cqe64 *cqe)
{
	return be16toh(cqe->app_info);
}

#ifdef __cplusplus
}
#endif

#endif
