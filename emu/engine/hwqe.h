/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the device reads a send WQE: fields as (byte of the big-endian dword, high bit, low
 * bit), in the order of the PRM's "Send WQE construction" tables.
 *
 *	16-byte units:  ctrl | av | xrc | raddr | atomic | data …    64-byte basic blocks:
 *	READ, WRITE      x    (x)    (x)    x               x         ceil(ds / 4)
 *	atomics          x    (x)    (x)    x       x       x (response of 8 bytes)
 *	SEND             x    (x)    (x)                    x
 *	NOP              x           (av: UD and DC, 3 units; xrc: XRC)
 *	masked atomics   x    (x)    (x)    x       1 or 2  x (response of 4 or 8 bytes)
 *	UMR              x   the rest is in umr.h; no xrc
 *	MMO              x   the rest is in mmo.c; no av, no xrc
 *	FLOW_TBL_ACCESS  x   zeros 3 | data 4; its number is in ctrl.imm; of RC (gta.h: of SQs)
 *
 * Written from the tables and not from the library's include/dv: what writes WQEs and what
 * reads them are independent. (dv has a reader too, wqe_*, for its printers and checks.)
 */
#ifndef EMU_ENGINE_HWQE_H
#define EMU_ENGINE_HWQE_H

#include "core/core.h"
#include "engine/loop.h"

#define HWQE_UNIT	 16u
#define HWQE_BB		 64u
#define HWQE_MAX_DS	 63u
#define HWQE_INLINE_HEAD 4u

/* control segment */
#define HWQE_CTRL_OPMOD	 0, 31, 24
#define HWQE_CTRL_INDEX	 0, 23, 8
#define HWQE_CTRL_OPCODE 0, 7, 0
#define HWQE_CTRL_QPN	 4, 31, 8
#define HWQE_CTRL_DS	 4, 5, 0
#define HWQE_CTRL_FM	 8, 7, 5
#define HWQE_CTRL_CE	 8, 3, 2
#define HWQE_CTRL_SE	 8, 1, 1
#define HWQE_CTRL_IMM	 12 /* 4 bytes, carried as they are */
/* address vector: 48 bytes from unit 1 on; HWQE_AV_* are bytes of it */
#define HWQE_AV_UNIT	   1u
#define HWQE_AV_UNITS	   3u
#define HWQE_AV_QKEY	   0, 31, 0  /* UD */
#define HWQE_AV_DC_KEY	   0	     /* DC, 8 bytes */
#define HWQE_AV_EXT	   8, 31, 31 /* the vector has 48 bytes, not 16 */
#define HWQE_AV_DQPN	   8, 23, 0
#define HWQE_AV_UDP_SPORT  12, 15, 0
#define HWQE_AV_RMAC	   20 /* 6 bytes */
#define HWQE_AV_TCLASS	   24, 15, 8
#define HWQE_AV_HOP_LIMIT  24, 7, 0
#define HWQE_AV_SGID_INDEX 28, 27, 20
#define HWQE_AV_FLOW_LABEL 28, 19, 0
#define HWQE_AV_RGID	   32 /* 16 bytes */
/* XRC segment, unit 1 */
#define HWQE_XRC_SRQN 0, 23, 0
/* remote address segment */
#define HWQE_RADDR_VA	0
#define HWQE_RADDR_RKEY 8, 31, 0
/* atomic segment */
#define HWQE_ATOMIC_SWAP_ADD 0
#define HWQE_ATOMIC_COMPARE  8
/* opmod of a masked atomic: 8 | log2(bytes) - 2 */
#define HWQE_MASKED_4 8u
#define HWQE_MASKED_8 9u
/* data segment, pointer or inline */
#define HWQE_DATA_INLINE     0, 31, 31
#define HWQE_DATA_BYTE_COUNT 0, 30, 0
#define HWQE_DATA_LKEY	     4, 31, 0
#define HWQE_DATA_ADDR	     8
/* Ends the list of a receive WQE (rdma-core, mlx5dv.h: MLX5_INVALID_LKEY). */
#define HWQE_LKEY_INVALID 0x100u

enum hwqe_opcode {
	HWQE_NOP = 0x00,
	HWQE_SEND_INVAL = 0x01,
	HWQE_WRITE = 0x08,
	HWQE_WRITE_IMM = 0x09,
	HWQE_SEND = 0x0a,
	HWQE_SEND_IMM = 0x0b,
	HWQE_READ = 0x10,
	HWQE_ATOMIC_CS = 0x11,
	HWQE_ATOMIC_FA = 0x12,
	HWQE_MASKED_CS = 0x14,
	HWQE_MASKED_FA = 0x15,
	HWQE_UMR = 0x25,
	HWQE_ARGUMENT = 0x2c, /* FLOW_TBL_ACCESS */
	HWQE_MMO = 0x2f,
};

#define HWQE_OPMOD_MMO_DMA 1u
/* FLOW_TBL_ACCESS that writes an STE, and 64 bytes of an argument. */
#define HWQE_OPMOD_STE	    0u
#define HWQE_OPMOD_ARGUMENT 1u

enum hwqe_fence { /* ctrl.fm; values of the kernel's MLX5_FENCE_MODE_* */
		  HWQE_FENCE_NONE = 0,
		  HWQE_FENCE_INITIATOR_SMALL =
			  1, /* for UMR before it: those run in order here */
};

enum hwqe_completion { /* ctrl.ce; values of the kernel's MLX5_WQE_CTRL_CQ_* */
		       HWQE_CE_ON_ERROR = 0,
		       HWQE_CE_FIRST_ERROR = 1,
		       HWQE_CE_ALWAYS = 2,
		       HWQE_CE_AND_EQE = 3,
};

static inline uint64_t hwqe_get64(const uint8_t *seg, unsigned int byte)
{
	uint64_t qword;

	memcpy(&qword, seg + byte, sizeof(qword));
	return be64toh(qword);
}

static inline bool hwqe_is_read(const struct hca_req_wqe *w)
{
	return w->opcode == HWQE_READ;
}

static inline bool hwqe_is_masked(const struct hca_req_wqe *w)
{
	return w->opcode == HWQE_MASKED_CS || w->opcode == HWQE_MASKED_FA;
}

static inline bool hwqe_is_atomic(const struct hca_req_wqe *w)
{
	return w->opcode == HWQE_ATOMIC_CS || w->opcode == HWQE_ATOMIC_FA || hwqe_is_masked(w);
}

/* Takes a receive WQE of the peer. */
static inline bool hwqe_needs_receive(const struct hca_req_wqe *w)
{
	return w->opcode == HWQE_SEND || w->opcode == HWQE_SEND_IMM ||
	       w->opcode == HWQE_SEND_INVAL || w->opcode == HWQE_WRITE_IMM;
}

/* Is executed without a packet. */
static inline bool hwqe_is_local(const struct hca_req_wqe *w)
{
	return w->opcode == HWQE_UMR || w->opcode == HWQE_MMO || w->opcode == HWQE_ARGUMENT;
}

/* READ or atomic: has a response with data, counts against max_rd_atomic. */
static inline bool hwqe_is_read_atomic(const struct hca_req_wqe *w)
{
	return hwqe_is_read(w) || hwqe_is_atomic(w);
}

/* The unit of the remote address segment; the atomic segment is the next one. */
static inline unsigned int hwqe_raddr_unit(const struct hca_qp *qp)
{
	if (qp->st == PRM_QPC_ST_DCI)
		return HWQE_AV_UNIT + HWQE_AV_UNITS;
	return qp->st == PRM_QPC_ST_XRC ? 2 : 1;
}

/* Reads WQE @index, @units of it, or as many as its control segment says, into e->wqe. */
void hwqe_fetch(struct engine *e, const struct hca_qp *qp, uint16_t index, unsigned int units);

/* The bytes of WQE @index, which was decoded as @w; valid until the next of these calls. */
static inline const uint8_t *hwqe_bytes(struct engine *e, const struct hca_qp *qp,
					uint16_t index, const struct hca_req_wqe *w)
{
	if (e->wqe.qp != qp || e->wqe.index != index)
		hwqe_fetch(e, qp, index, w->ds);
	return e->wqe.bytes;
}

/* Unit @unit of WQE @index: 16 bytes. */
void hwqe_unit(const struct hca_qp *qp, uint16_t index, unsigned int unit,
	       uint8_t seg[HWQE_UNIT]);
struct hwqe_av {
	uint8_t bytes[HWQE_AV_UNITS * HWQE_UNIT];
};

/* The address vector of UD or DC send WQE @index. */
void hwqe_av(const struct hca_qp *qp, uint16_t index, struct hwqe_av *av);
/* Can the device send by it? */
bool hwqe_av_fits(const struct hca *hca, const struct hwqe_av *av);
/* Does @opcode of a DCI name a target? */
static inline bool hwqe_has_target(uint8_t opcode)
{
	return opcode != HWQE_NOP && opcode != HWQE_MMO;
}
/* Is there a WQE after the last one that was rung, by its index, with any QPN? */
bool hwqe_is_posted(const struct hca_qp *qp);
/* Basic blocks of the WQE at @index by its ds: 1 … 16 for any bytes. */
unsigned int hwqe_blocks(const struct hca_qp *qp, uint16_t index);
/* Decodes WQE @index, which was fetched and of which at most @avail blocks were posted, into @w
 * (all but psn). w->status: the syndrome of what is wrong with it, or 0. */
void hwqe_decode(struct engine *e, const struct hca_qp *qp, uint16_t index, uint16_t avail,
		 struct hca_req_wqe *w);

#endif
