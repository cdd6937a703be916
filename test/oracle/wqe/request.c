/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

const char *const op_name[OPS] = {
	[OP_SEND] = "SEND",
	[OP_SEND_IMM] = "SEND_IMM",
	[OP_SEND_INV] = "SEND_INV",
	[OP_WRITE] = "RDMA_WRITE",
	[OP_WRITE_IMM] = "RDMA_WRITE_IMM",
	[OP_READ] = "RDMA_READ",
	[OP_CMP_SWAP] = "CMP_SWAP",
	[OP_FETCH_ADD] = "FETCH_ADD",
	[OP_BIND_MW] = "BIND_MW",
	[OP_LOCAL_INV] = "LOCAL_INV",
	[OP_TSO] = "TSO",
	[OP_RAW] = "raw WQE",
	[OP_MEMCPY] = "memcpy",
	[OP_MR_LIST] = "mr_list",
	[OP_MR_INTERLEAVED] = "mr_interleaved",
	[OP_MKEY_CONFIGURE] = "mkey_configure",
};

#define BIT(op) (1u << (op))

enum {
	SENDS = BIT(OP_SEND) | BIT(OP_SEND_IMM),
	ALL_OF_UC = SENDS | BIT(OP_SEND_INV) | BIT(OP_WRITE) | BIT(OP_WRITE_IMM) |
		    BIT(OP_BIND_MW) | BIT(OP_LOCAL_INV),
	ALL_OF_RC = ALL_OF_UC | BIT(OP_READ) | BIT(OP_CMP_SWAP) | BIT(OP_FETCH_ADD),
	OF_KEYS = BIT(OP_MR_LIST) | BIT(OP_MR_INTERLEAVED) | BIT(OP_MKEY_CONFIGURE),
	ONLY_WR = OF_KEYS | BIT(OP_RAW) | BIT(OP_MEMCPY),
};

static const uint32_t ops_of[KINDS] = {
	[KIND_RC] = ALL_OF_RC | ONLY_WR,
	[KIND_UC] = ALL_OF_UC | BIT(OP_RAW),
	[KIND_UD] = SENDS | BIT(OP_RAW),
	[KIND_XRC] = ALL_OF_RC | BIT(OP_RAW),
	[KIND_DCI] = ALL_OF_RC | BIT(OP_RAW) | BIT(OP_MEMCPY),
	[KIND_ETH] = BIT(OP_SEND) | BIT(OP_TSO) | BIT(OP_RAW),
};

/* One of @ops. */
static enum op pick_op(struct random *random, uint32_t ops)
{
	uint32_t nth = random_below(random, (uint32_t)__builtin_popcount(ops));

	for (; nth; nth--)
		ops &= ops - 1;
	return (enum op)__builtin_ctz(ops);
}

static uint32_t possible(const struct oracle *o, const struct queue *q, enum api api)
{
	uint32_t ops = ops_of[q->kind];

	if (api == API_POST_SEND)
		ops &= ~(uint32_t)ONLY_WR;
	if (!q->tso)
		ops &= ~BIT(OP_TSO);
	if (!q->memcpy)
		ops &= ~BIT(OP_MEMCPY);
	if (!o->mkey[0].mkey)
		ops &= ~(uint32_t)OF_KEYS;
	return ops;
}

/* Lengths at the edges of segments and blocks, and others. */
static uint32_t some_length(struct random *random, uint32_t most)
{
	uint32_t len;

	switch (random_below(random, 4)) {
	case 0:
		len = random_below(random, 17);
		break;
	case 1:
		len = random_below(random, 10) * 16 + random_below(random, 5) + 10;
		break;
	default:
		len = random_below(random, most + 1);
	}
	return len < most ? len : most;
}

/* Nothing of it is read: any address will do, and any length that is no inline data. */
static void some_sges(struct request *r, struct random *random, unsigned int n)
{
	unsigned int i;

	r->n = n;
	for (i = 0; i < n; i++) {
		r->sge[i].addr = random_64(random);
		r->sge[i].lkey = random_32(random);
		r->sge[i].length = random_once_in(random, 8) ? 0 : random_32(random) >> 1;
	}
}

static void some_bufs(struct request *r, const struct oracle *o, struct random *random,
		      unsigned int n)
{
	uint32_t left = QUEUE_INLINE, len;
	unsigned int i;

	r->n = n;
	for (i = 0; i < n; i++) {
		len = some_length(random, n == 1 ? left : left / 4);
		r->buf[i].addr = o->mem + random_below(random, ORACLE_BYTES - QUEUE_INLINE);
		r->buf[i].length = len;
		left -= len;
	}
}

static unsigned int some_count(struct random *random)
{
	return random_once_in(random, 4) ? random_below(random, QUEUE_SGES + 1)
					 : random_below(random, 5);
}

static void some_data(struct request *r, const struct oracle *o, struct random *random,
		      bool may_be_inline)
{
	r->form = FORM_SGE + random_below(random, may_be_inline ? 4 : 2);
	if (r->form == FORM_SGE)
		some_sges(r, random, 1);
	else if (r->form == FORM_LIST)
		some_sges(r, random, some_count(random));
	else
		some_bufs(r, o, random, r->form == FORM_INLINE ? 1 : some_count(random));
}

/* Packets lie in memory of ours, for libmlx5 may copy their start; it does well only if the
 * first part is longer than that. */
static void some_packet(struct request *r, const struct oracle *o, const struct queue *q,
			struct random *random)
{
	uint32_t left = r->op == OP_TSO ? q->max_tso : ~(uint32_t)0;
	unsigned int i;

	some_data(r, o, random, r->op == OP_SEND);
	if (r->form == FORM_LIST && !r->n)
		some_sges(r, random, 1);
	if (r->form == FORM_INLINE_LIST && !r->n)
		some_bufs(r, o, random, 1);
	if (r->form >= FORM_INLINE) {
		if (r->buf[0].length < 20)
			r->buf[0].length = 20;
		return;
	}
	for (i = 0; i < r->n; i++) {
		r->sge[i].addr = (uintptr_t)o->mem + random_below(random, ORACLE_BYTES / 2);
		r->sge[i].length = 20 + random_below(random, 2000);
		if (r->sge[i].length > left)
			r->sge[i].length = left;
		left -= r->sge[i].length;
	}
}

static void some_hdr(struct request *r, struct random *random)
{
	unsigned int i;

	r->hdr_len = (uint16_t)(14 + random_below(random, QUEUE_TSO_HDR - 13));
	r->mss = (uint16_t)random_32(random);
	for (i = 0; i < r->hdr_len; i++)
		r->hdr[i] = (uint8_t)random_32(random);
}

static void some_window(struct request *r, const struct oracle *o, enum api api,
			struct random *random)
{
	static const unsigned int access[] = { IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE,
					       IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_ATOMIC,
					       IBV_ACCESS_ZERO_BASED };
	unsigned int i;

	/* ibv_wr_bind_mw() takes all windows for those of type 2 */
	r->mw = o->mw[api == API_WR || random_once_in(random, 2)];
	r->mw_rkey = random_32(random);
	r->bind = (struct ibv_mw_bind_info){ .mr = o->mr, .addr = random_64(random) };
	r->bind.length = random_once_in(random, 6) ? 0 : 1 + random_below(random, 1u << 31);
	for (i = 0; i < sizeof(access) / sizeof(*access); i++)
		r->bind.mw_access_flags |= random_once_in(random, 2) ? access[i] : 0;
}

void request_nop(struct request *r, const struct queue *q, unsigned int nbb)
{
	memset(r, 0, sizeof(*r));
	r->op = OP_RAW;
	dv_set_ctrl_seg(r->raw, r->raw + nbb * DV_WQE_BB, q->qp->qp_num, 0, MLX5_OPCODE_NOP, 0,
			0, 0);
}

/* Any bytes; only the size has to be right, and the queue, which the device gets. */
static void some_raw(struct request *r, const struct queue *q, struct random *random)
{
	uint32_t ds = 1 + random_below(random, DV_WQE_MAX_NBB * 4);
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)r->raw;
	uint32_t i;
	uint64_t word;

	for (i = 0; i < ds * 2; i++) {
		word = random_64(random);
		memcpy(r->raw + 8 * i, &word, 8);
	}
	ctrl->qpn_ds = htobe32(q->qp->qp_num << 8 | ds);
}

static void some_columns(struct request *r, struct random *random)
{
	unsigned int i;

	r->repeat = random_below(random, 1000);
	r->n = 1 + some_count(random) % QUEUE_SGES;
	for (i = 0; i < r->n; i++) {
		r->column[i].addr = random_64(random);
		r->column[i].bytes_count = random_below(random, 30000);
		r->column[i].bytes_skip = random_below(random, 30000);
		r->column[i].lkey = random_32(random);
	}
}

/* libmlx5 44 adds up the lengths of a list in an int (corrected in rdma-core 61): these stay
 * below what it can hold. */
static void some_areas(struct request *r, struct random *random)
{
	unsigned int i;

	some_sges(r, random, some_count(random));
	for (i = 0; i < r->n; i++)
		r->sge[i].length >>= 5;
}

static void some_domain(struct mlx5dv_sig_block_domain *d, struct mlx5dv_sig_t10dif *dif,
			struct mlx5dv_sig_crc *crc, struct random *random)
{
	bool ones = random_once_in(random, 2);

	*d = (struct mlx5dv_sig_block_domain){ .block_size = random_below(random, 5) };
	if (random_once_in(random, 2)) {
		d->sig_type = MLX5DV_SIG_TYPE_CRC;
		d->sig.crc = crc;
		crc->type = random_below(random, 3);
		crc->seed = !ones					  ? 0
			    : crc->type == MLX5DV_SIG_CRC_TYPE_CRC64_XP10 ? UINT64_MAX
									  : UINT32_MAX;
		return;
	}
	d->sig_type = MLX5DV_SIG_TYPE_T10DIF;
	d->sig.dif = dif;
	dif->bg_type = random_below(random, 2);
	dif->bg = ones ? 0xffff : 0;
	dif->app_tag = (uint16_t)random_below(random, 3);
	dif->ref_tag = random_below(random, 3);
	dif->flags = (uint16_t)random_below(random, 8);
}

/* A copy mask goes with two domains of one structure only. */
static void some_signature(struct key_change *c, struct random *random)
{
	bool alike = random_once_in(random, 2);
	uint32_t which = random_below(random, 4);

	c->set_sig = true;
	c->sig = (struct mlx5dv_sig_block_attr){ .check_mask = (uint8_t)random_32(random),
						 .copy_mask = (uint8_t)random_32(random) };
	some_domain(&c->mem, &c->dif[0], &c->crc[0], random);
	some_domain(&c->wire, &c->dif[1], &c->crc[1], random);
	if (alike)
		c->wire = c->mem;
	if (alike && which >= 2 && random_once_in(random, 2))
		c->sig.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	c->sig.mem = which == 1 ? NULL : &c->mem;
	c->sig.wire = which == 0 ? NULL : &c->wire;
}

static void some_crypto(struct key_change *c, const struct oracle *o, struct random *random)
{
	unsigned int i;

	c->set_crypto = true;
	c->crypto = (struct mlx5dv_crypto_attr){
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = random_once_in(random, 2),
		.signature_crypto_order = random_below(random, 2),
		.data_unit_size = random_below(random, 5),
		.dek = o->dek,
	};
	for (i = 0; i < sizeof(c->crypto.initial_tweak); i++)
		c->crypto.initial_tweak[i] = (char)random_32(random);
	for (i = 0; i < sizeof(c->crypto.keytag); i++)
		c->crypto.keytag[i] = (char)random_32(random);
}

static void some_key(struct request *r, const struct oracle *o, struct random *random)
{
	struct key_change *c = &r->change;

	do {
		r->mkey = (struct oracle_mkey *)&o->mkey[random_below(random, QUEUE_MKEYS)];
	} while (!r->mkey->mkey);
	r->lkey = r->mkey->mkey->lkey;
	if (r->mkey->takes_tags)
		r->lkey = (r->lkey & ~(uint32_t)0xff) | random_below(random, 256);
	r->access = (random_below(random, 8) << 1) | random_below(random, 2);
	if (r->op == OP_MKEY_CONFIGURE) {
		c->set_access = random_once_in(random, 2);
		c->set_list = random_once_in(random, 3);
		c->set_interleaved = !c->set_list && random_once_in(random, 3);
		c->reset_sig = random_once_in(random, 4);
		if (r->mkey->signs && random_once_in(random, 2))
			some_signature(c, random);
		if (r->mkey->encrypts && random_once_in(random, 2))
			some_crypto(c, o, random);
	}
	if (r->op == OP_MR_LIST || c->set_list)
		some_areas(r, random);
	else if (r->op == OP_MR_INTERLEAVED || c->set_interleaved)
		some_columns(r, random);
	/* list and BSF together have to be what max_inline_data allows */
	if (r->n > QUEUE_SGES - 4)
		r->n = QUEUE_SGES - 4;
}

static void some_body(struct request *r, struct oracle *o, const struct queue *q, enum api api,
		      struct random *random)
{
	switch (r->op) {
	case OP_SEND:
	case OP_SEND_IMM:
	case OP_SEND_INV:
	case OP_WRITE:
	case OP_WRITE_IMM:
		if (q->kind == KIND_ETH)
			some_packet(r, o, q, random);
		else
			some_data(r, o, random, true);
		break;
	case OP_TSO:
		some_packet(r, o, q, random);
		some_hdr(r, random);
		break;
	case OP_READ:
		some_data(r, o, random, false);
		break;
	case OP_CMP_SWAP:
	case OP_FETCH_ADD:
		some_sges(r, random, 1);
		r->form = FORM_SGE;
		r->sge[0].length = 8;
		break;
	case OP_MEMCPY:
		some_sges(r, random, 2);
		r->sge[0].length = random_once_in(random, 4)
					   ? q->memcpy
					   : 1 + random_below(random, q->memcpy);
		break;
	case OP_BIND_MW:
		some_window(r, o, api, random);
		break;
	case OP_RAW:
		some_raw(r, q, random);
		break;
	case OP_LOCAL_INV:
	case OPS:
		break;
	default:
		some_key(r, o, random);
	}
}

void request_random(struct request *r, struct oracle *o, const struct queue *q, enum api api,
		    struct random *random)
{
	r->op = pick_op(random, possible(o, q, api));
	r->form = FORM_NONE;
	r->n = 0;
	r->change = (struct key_change){ 0 };
	r->flags = (random_once_in(random, 2) ? IBV_SEND_SIGNALED : 0) |
		   (random_once_in(random, 4) ? IBV_SEND_SOLICITED : 0) |
		   (random_once_in(random, 4) ? IBV_SEND_FENCE : 0);
	if (q->csum && random_once_in(random, 2))
		r->flags |= IBV_SEND_IP_CSUM;
	r->at = (struct dv_raddr){ random_64(random), random_32(random) };
	r->compare_add = random_64(random);
	r->swap = random_64(random);
	r->imm = random_32(random);
	r->inv_rkey = random_32(random);
	r->peer_qpn = random_below(random, 1 << 24);
	r->peer_key = random_32(random);
	r->dc_key = random_64(random);
	r->stream = random_once_in(random, 2) ? (uint16_t)random_32(random) : 0;
	r->address_first = random_once_in(random, 2);
	some_body(r, o, q, api, random);
}
