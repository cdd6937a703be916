/* SPDX-License-Identifier: BSD-2-Clause */
/* One work request, in terms that belong to neither side; each side makes it its own. */
#ifndef TEST_ORACLE_WQE_REQUEST_H
#define TEST_ORACLE_WQE_REQUEST_H

#include "queue.h"
#include "random.h"

enum api {
	API_POST_SEND, /* ibv_post_send() */
	API_WR,	       /* ibv_wr_*, mlx5dv_wr_* */
	APIS
};

enum op {
	OP_SEND,
	OP_SEND_IMM,
	OP_SEND_INV,
	OP_WRITE,
	OP_WRITE_IMM,
	OP_READ,
	OP_CMP_SWAP,
	OP_FETCH_ADD,
	OP_BIND_MW,
	OP_LOCAL_INV,
	OP_TSO,
	OP_RAW,
	OP_MEMCPY,
	OP_MR_LIST,
	OP_MR_INTERLEAVED,
	OP_MKEY_CONFIGURE,
	OPS
};

extern const char *const op_name[OPS];

enum form {
	FORM_NONE,
	FORM_SGE,	  /* one SGE; empty ones too */
	FORM_LIST,	  /* a list of them */
	FORM_INLINE,	  /* one buffer */
	FORM_INLINE_LIST, /* several */
};

/* How a key is changed by OP_MKEY_CONFIGURE. */
struct key_change {
	bool set_access, set_list, set_interleaved, set_sig, reset_sig, set_crypto;
	struct mlx5dv_crypto_attr crypto;
	struct mlx5dv_sig_block_attr sig;
	struct mlx5dv_sig_block_domain mem, wire;
	struct mlx5dv_sig_t10dif dif[2];
	struct mlx5dv_sig_crc crc[2];
};

struct request {
	enum op op;
	enum form form;
	unsigned int flags; /* IBV_SEND_* */
	unsigned int n;	    /* of sge or buf */
	struct ibv_sge sge[QUEUE_SGES];
	struct ibv_data_buf buf[QUEUE_SGES];
	struct dv_raddr at;
	uint64_t compare_add, swap;
	__be32 imm;
	uint32_t inv_rkey;
	/* whom for */
	uint32_t peer_qpn, peer_key;
	uint64_t dc_key;
	uint16_t stream;
	bool address_first;
	/* windows and keys */
	struct ibv_mw *mw;
	uint32_t mw_rkey;
	struct ibv_mw_bind_info bind;
	struct oracle_mkey *mkey;
	uint32_t lkey; /* of it, with its own tag where the key takes new ones */
	unsigned int access;
	uint32_t repeat;
	struct mlx5dv_mr_interleaved column[QUEUE_SGES];
	struct key_change change;
	/* packets */
	uint8_t hdr[QUEUE_TSO_HDR];
	uint16_t hdr_len, mss;
	/* a WQE as it is */
	uint8_t raw[DV_WQE_MAX_NBB * DV_WQE_BB] __attribute__((aligned(16)));
};

/* A random one that @api can post on @q. */
void request_random(struct request *r, struct oracle *o, const struct queue *q, enum api api,
		    struct random *random);

/* A NOP of @nbb blocks, as a raw WQE. */
void request_nop(struct request *r, const struct queue *q, unsigned int nbb);

/* How many WRs libmlx5 makes of @r, at most. */
static inline unsigned int request_wrs(const struct request *r)
{
	return r->op == OP_MKEY_CONFIGURE ? 3 : 1;
}

/* Posts them and rings, by libmlx5. 0 or a positive errno value. */
int post_libmlx5(const struct request *r, unsigned int n, const struct oracle *o,
		 struct queue *q, enum api api);

/* The same by dv, on @sq; not rung. libmlx5 keeps state between requests: @past is what dv has
 * to know of it, and is brought up to date. */
int post_dv(const struct request *r, unsigned int n, const struct oracle *o, struct past *past,
	    enum kind kind, struct dv_sq *sq);

#endif
