/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the device reads a send WQE: fields as (byte of the big-endian dword, high bit, low
 * bit), in the order of the PRM's "Send WQE construction" tables.
 *
 *	16-byte units:  ctrl | av | xrc | raddr | atomic | data …    64-byte basic blocks:
 *	READ, WRITE      x    (x)    (x)    x               x         ceil(ds / 4)
 *	atomics          x    (x)    (x)    x       x       x (one answer of 8 bytes)
 *	SEND             x    (x)    (x)                    x
 *	NOP              x           (av: UD and DC, 3 units; xrc: XRC)
 *	masked atomics   x    (x)    (x)    x       1 or 2  x (one answer of 4 or 8 bytes)
 *	UMR              x   what follows is in umr.h; no xrc
 *	MMO              x   what follows is in mmo.c; no av, no xrc
 *
 * Written from the tables, apart from the library's include/dv: writer and reader of WQEs
 * are to be two witnesses.
 */
#ifndef EMU_ENGINE_WQE_H
#define EMU_ENGINE_WQE_H

#include <endian.h>
#include <string.h>

#include "engine/turn.h"

#define WQE_UNIT	16u
#define WQE_BB		64u
#define WQE_MAX_DS	63u
#define WQE_INLINE_HEAD 4u

/* control segment */
#define WQE_CTRL_OPMOD	0, 31, 24
#define WQE_CTRL_INDEX	0, 23, 8
#define WQE_CTRL_OPCODE 0, 7, 0
#define WQE_CTRL_QPN	4, 31, 8
#define WQE_CTRL_DS	4, 5, 0
#define WQE_CTRL_FM	8, 7, 5
#define WQE_CTRL_CE	8, 3, 2
#define WQE_CTRL_SE	8, 1, 1
#define WQE_CTRL_IMM	12 /* 4 bytes, carried as they are */
/* address vector: 48 bytes from unit 1 on; WQE_AV_* are bytes of it */
#define WQE_AV_UNIT	  1u
#define WQE_AV_UNITS	  3u
#define WQE_AV_QKEY	  0, 31, 0  /* UD */
#define WQE_AV_DC_KEY	  0	    /* DC, 8 bytes */
#define WQE_AV_EXT	  8, 31, 31 /* the vector has 48 bytes, not 16 */
#define WQE_AV_DQPN	  8, 23, 0
#define WQE_AV_UDP_SPORT  12, 15, 0
#define WQE_AV_RMAC	  20 /* 6 bytes */
#define WQE_AV_TCLASS	  24, 15, 8
#define WQE_AV_HOP_LIMIT  24, 7, 0
#define WQE_AV_SGID_INDEX 28, 27, 20
#define WQE_AV_FLOW_LABEL 28, 19, 0
#define WQE_AV_RGID	  32 /* 16 bytes */
/* XRC segment, unit 1 */
#define WQE_XRC_SRQN 0, 23, 0
/* remote address segment */
#define WQE_RADDR_VA   0
#define WQE_RADDR_RKEY 8, 31, 0
/* atomic segment */
#define WQE_ATOMIC_SWAP_ADD 0
#define WQE_ATOMIC_COMPARE  8
/* opmod of a masked atomic: 8 | log2(bytes) - 2 */
#define WQE_MASKED_4 8u
#define WQE_MASKED_8 9u
/* data segment, pointer or inline */
#define WQE_DATA_INLINE	    0, 31, 31
#define WQE_DATA_BYTE_COUNT 0, 30, 0
#define WQE_DATA_LKEY	    4, 31, 0
#define WQE_DATA_ADDR	    8
/* Ends the list of a receive WQE (rdma-core, mlx5dv.h: MLX5_INVALID_LKEY). */
#define WQE_LKEY_INVALID 0x100u

enum wqe_opcode {
	WQE_NOP = 0x00,
	WQE_SEND_INVAL = 0x01,
	WQE_WRITE = 0x08,
	WQE_WRITE_IMM = 0x09,
	WQE_SEND = 0x0a,
	WQE_SEND_IMM = 0x0b,
	WQE_READ = 0x10,
	WQE_ATOMIC_CS = 0x11,
	WQE_ATOMIC_FA = 0x12,
	WQE_MASKED_CS = 0x14,
	WQE_MASKED_FA = 0x15,
	WQE_UMR = 0x25,
	WQE_MMO = 0x2f,
};

#define WQE_OPMOD_MMO_DMA 1u

enum wqe_fence { /* ctrl.fm; values of the kernel's MLX5_FENCE_MODE_* */
		 WQE_FENCE_NONE = 0,
		 WQE_FENCE_INITIATOR_SMALL = 1, /* for UMR before it: those run in order here */
};

enum wqe_completion { /* ctrl.ce; values of the kernel's MLX5_WQE_CTRL_CQ_* */
		      WQE_CE_ON_ERROR = 0,
		      WQE_CE_FIRST_ERROR = 1,
		      WQE_CE_ALWAYS = 2,
		      WQE_CE_AND_EQE = 3,
};

static inline uint32_t wqe_get(const uint8_t *seg, unsigned int byte, unsigned int high,
			       unsigned int low)
{
	uint32_t dword;

	memcpy(&dword, seg + byte, sizeof(dword));
	return be32toh(dword) << (31 - high) >> (31 - high + low);
}

static inline uint64_t wqe_get64(const uint8_t *seg, unsigned int byte)
{
	uint64_t qword;

	memcpy(&qword, seg + byte, sizeof(qword));
	return be64toh(qword);
}

static inline bool wqe_is_read(const struct hca_req_wqe *w)
{
	return w->opcode == WQE_READ;
}

static inline bool wqe_is_masked(const struct hca_req_wqe *w)
{
	return w->opcode == WQE_MASKED_CS || w->opcode == WQE_MASKED_FA;
}

static inline bool wqe_is_atomic(const struct hca_req_wqe *w)
{
	return w->opcode == WQE_ATOMIC_CS || w->opcode == WQE_ATOMIC_FA || wqe_is_masked(w);
}

/* Runs in this device alone, without a packet. */
static inline bool wqe_is_local(const struct hca_req_wqe *w)
{
	return w->opcode == WQE_UMR || w->opcode == WQE_MMO;
}

/* READ or atomic: answered with data, counted against max_rd_atomic. */
static inline bool wqe_is_rd(const struct hca_req_wqe *w)
{
	return wqe_is_read(w) || wqe_is_atomic(w);
}

/* The unit of the remote address segment; the atomic segment is the next one. */
static inline unsigned int wqe_raddr_unit(const struct hca_qp *qp)
{
	if (qp->st == PRM_QPC_ST_DCI)
		return WQE_AV_UNIT + WQE_AV_UNITS;
	return qp->st == PRM_QPC_ST_XRC ? 2 : 1;
}

/* Unit @unit of WQE @index: 16 bytes. */
void wqe_unit(const struct hca_qp *qp, uint16_t index, unsigned int unit,
	      uint8_t seg[WQE_UNIT]);
struct wqe_av {
	uint8_t bytes[WQE_AV_UNITS * WQE_UNIT];
};

/* The address vector of UD or DC send WQE @index. */
void wqe_av(const struct hca_qp *qp, uint16_t index, struct wqe_av *av);
/* Can the device send by it? */
bool wqe_av_fits(const struct hca *hca, const struct wqe_av *av);
/* Does @opcode of a DCI name a target? */
static inline bool wqe_has_target(uint8_t opcode)
{
	return opcode != WQE_NOP && opcode != WQE_MMO;
}
/* Basic blocks that the WQE at @index says it has: 1 … 16, whatever stands there. */
unsigned int wqe_blocks(const struct hca_qp *qp, uint16_t index);
/* Reads WQE @index, of which @avail blocks were announced, into @w (all but psn). What is
 * wrong with it goes into w->status. */
void wqe_decode(struct hca *hca, const struct hca_qp *qp, uint16_t index, uint16_t avail,
		struct hca_req_wqe *w);

#endif
