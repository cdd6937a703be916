/* SPDX-License-Identifier: BSD-2-Clause */
/* The same requests, built by dv in one batch: by the calls of its headers where they have one
 * for it, otherwise segment by segment. */
#include <dv/eth.h>
#include <dv/mmo.h>

#include "claims.h"
#include "request.h"

/* Parts that all of them need. */
struct job {
	const struct request *r;
	const struct oracle *o;
	struct dv_sq *sq;
	enum kind kind;
	uint8_t flags;	     /* of the control segment */
	struct dv_dest addr; /* zeros: connected */
};

static const uint8_t opcode[OPS] = {
	[OP_SEND] = MLX5_OPCODE_SEND,
	[OP_SEND_IMM] = MLX5_OPCODE_SEND_IMM,
	[OP_SEND_INV] = MLX5_OPCODE_SEND_INVAL,
	[OP_WRITE] = MLX5_OPCODE_RDMA_WRITE,
	[OP_WRITE_IMM] = MLX5_OPCODE_RDMA_WRITE_IMM,
	[OP_READ] = MLX5_OPCODE_RDMA_READ,
	[OP_CMP_SWAP] = MLX5_OPCODE_ATOMIC_CS,
	[OP_FETCH_ADD] = MLX5_OPCODE_ATOMIC_FA,
};

static uint8_t control_flags(const struct request *r, bool small_fence)
{
	uint8_t flags = small_fence ? DV_FENCE_INITIATOR_SMALL : DV_FENCE_NONE;

	if (r->flags & IBV_SEND_FENCE)
		flags = DV_FENCE_SMALL_AND_FENCE;
	if (r->flags & IBV_SEND_SIGNALED)
		flags |= DV_SIGNAL_ALWAYS;
	if (r->flags & IBV_SEND_SOLICITED)
		flags |= MLX5_WQE_CTRL_SOLICITED;
	return flags;
}

static void set_address(struct job *j)
{
	if (j->kind == KIND_UD)
		dv_dest_ud(&j->addr, &j->o->av, j->r->peer_qpn, j->r->peer_key);
	else if (j->kind == KIND_DCI)
		dv_dest_dc(&j->addr, &j->o->av, j->r->peer_qpn, j->r->dc_key);
	else if (j->kind == KIND_XRC)
		dv_dest_xrc(&j->addr, j->r->peer_qpn);
}

/* Segment by segment: any operation in any form, on any transport. */
static int composed(const struct job *j)
{
	const struct request *r = j->r;
	bool send = r->op == OP_SEND || r->op == OP_SEND_IMM || r->op == OP_SEND_INV;
	bool atomic = r->op == OP_CMP_SWAP || r->op == OP_FETCH_ADD;
	bool inl = r->form >= FORM_INLINE;
	size_t data = inl ? dv_inline_list_size(r->buf, r->n) : (size_t)r->n * DV_WQE_DS;
	size_t before = (1 + !send + atomic) * DV_WQE_DS + j->addr.bytes;
	void *seg = dv_sq_reserve(j->sq, dv_wqe_nbb(before + data));
	__be32 imm = 0;

	if (!seg)
		return ENOMEM;
	seg = dv_set_dest_seg(seg, &j->addr);
	if (!send)
		seg = dv_set_raddr_seg(seg, r->at);
	if (r->op == OP_CMP_SWAP)
		seg = dv_set_cmp_swap_seg(seg, r->compare_add, r->swap);
	if (r->op == OP_FETCH_ADD)
		seg = dv_set_fetch_add_seg(seg, r->compare_add);
	if (inl && r->form == FORM_INLINE_LIST)
		seg = dv_set_inline_list(seg, r->buf, r->n);
	else if (inl)
		seg = dv_set_inline_seg(seg, r->buf[0].addr,
					r->n ? (uint32_t)r->buf[0].length : 0);
	else
		seg = dv_set_data_segs(seg, r->sge, r->n);
	if (r->op == OP_SEND_IMM || r->op == OP_WRITE_IMM)
		imm = r->imm;
	if (r->op == OP_SEND_INV)
		imm = htobe32(r->inv_rkey);
	dv_sq_commit(j->sq, seg, opcode[r->op], 0, j->flags, imm);
	return 0;
}

static int rc_inline(const struct job *j)
{
	const struct request *r = j->r;
	const void *src = r->buf[0].addr;
	uint32_t len = (uint32_t)r->buf[0].length;

	if (r->form == FORM_INLINE_LIST)
		return composed(j);
	switch (r->op) {
	case OP_SEND:
		return dv_sq_send_inline(j->sq, j->flags, src, len);
	case OP_SEND_IMM:
		return dv_sq_send_imm_inline(j->sq, j->flags, src, len, r->imm);
	case OP_WRITE:
		return dv_sq_write_inline(j->sq, j->flags, r->at, src, len);
	case OP_WRITE_IMM:
		return dv_sq_write_imm_inline(j->sq, j->flags, r->at, src, len, r->imm);
	default:
		return composed(j);
	}
}

static int rc(const struct job *j)
{
	const struct request *r = j->r;

	if (r->form >= FORM_INLINE)
		return rc_inline(j);
	switch (r->op) {
	case OP_SEND:
		return dv_sq_send(j->sq, j->flags, r->sge, r->n);
	case OP_SEND_IMM:
		return dv_sq_send_imm(j->sq, j->flags, r->sge, r->n, r->imm);
	case OP_SEND_INV:
		return dv_sq_send_inv(j->sq, j->flags, r->sge, r->n, r->inv_rkey);
	case OP_WRITE:
		return dv_sq_write(j->sq, j->flags, r->at, r->sge, r->n);
	case OP_WRITE_IMM:
		return dv_sq_write_imm(j->sq, j->flags, r->at, r->sge, r->n, r->imm);
	case OP_READ:
		return dv_sq_read(j->sq, j->flags, r->at, r->sge, r->n);
	case OP_CMP_SWAP:
		return dv_sq_cmp_swap(j->sq, j->flags, r->at, r->sge, r->compare_add, r->swap);
	default:
		return dv_sq_fetch_add(j->sq, j->flags, r->at, r->sge, r->compare_add);
	}
}

/* The first bytes of a packet go where libmlx5 puts them; the first part is longer than
 * that. */
static int eth_inline(const struct job *j, uint8_t cs_flags)
{
	const struct request *r = j->r;
	uint16_t hdr = j->o->inline_hdr;
	struct ibv_data_buf buf[QUEUE_SGES];
	size_t bytes = DV_WQE_DS + dv_eth_seg_size(hdr) + dv_inline_list_size(r->buf, r->n);
	void *seg = dv_sq_reserve(j->sq, dv_wqe_nbb(bytes));

	if (!seg)
		return ENOMEM;
	memcpy(buf, r->buf, r->n * sizeof(*buf));
	buf[0].addr = (char *)buf[0].addr + hdr;
	buf[0].length -= hdr;
	seg = dv_set_eth_seg(seg, cs_flags, 0, r->buf[0].addr, hdr);
	seg = dv_set_inline_list(seg, buf, r->n);
	dv_sq_commit(j->sq, seg, MLX5_OPCODE_SEND, 0, j->flags, 0);
	return 0;
}

static int eth(const struct job *j)
{
	const struct request *r = j->r;
	uint8_t cs_flags =
		r->flags & IBV_SEND_IP_CSUM ? MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM : 0;
	struct dv_eth_hdr hdr = { (void *)(uintptr_t)r->sge[0].addr, j->o->inline_hdr };
	struct ibv_sge sge[QUEUE_SGES];

	if (r->form >= FORM_INLINE)
		return eth_inline(j, cs_flags);
	if (r->op == OP_TSO)
		return dv_sq_tso(j->sq, j->flags, cs_flags, r->mss,
				 (struct dv_eth_hdr){ r->hdr, r->hdr_len }, r->sge, r->n);
	memcpy(sge, r->sge, r->n * sizeof(*sge));
	sge[0].addr += hdr.len;
	sge[0].length -= hdr.len;
	return dv_sq_send_eth(j->sq, j->flags, cs_flags, hdr, sge, r->n);
}

static int umr_layout(const struct job *j, uint8_t flags, const struct dv_umr *umr)
{
	const struct request *r = j->r;
	struct dv_repeat repeat = { r->repeat, (uint16_t)r->n, r->column };

	if (r->op == OP_MR_INTERLEAVED || r->change.set_interleaved)
		return dv_sq_umr_interleaved(j->sq, flags, umr, &repeat);
	if (r->op == OP_MR_LIST || r->change.set_list)
		return dv_sq_umr_list(j->sq, flags, umr, r->sge, r->n);
	return dv_sq_umr(j->sq, flags, umr);
}

/* A signature starts over with a SET_PSV per domain, and only the last WQE is signalled. */
static int with_psvs(const struct job *j, struct dv_umr *umr)
{
	const struct mlx5dv_sig_block_attr *sig = &j->r->change.sig;
	const struct dv_psv *psv = &j->r->mkey->psv;
	uint8_t quiet = j->flags & (uint8_t)~DV_SIGNAL_ALWAYS;
	uint8_t flags = control_flags(j->r, true);
	uint8_t quiet_psv = flags & (uint8_t)~DV_SIGNAL_ALWAYS;
	struct dv_wqe_bsf_seg bsf;
	int err = dv_bsf_set_sig(&bsf, sig, *psv, 0);

	dv_umr_set_bsf(umr, &bsf, 1);
	err = err ? err : umr_layout(j, quiet, umr);
	if (!err && sig->mem)
		err = dv_sq_set_psv(j->sq, sig->wire ? quiet_psv : flags, psv->mem,
				    dv_sig_transient(sig->mem));
	if (!err && sig->wire)
		err = dv_sq_set_psv(j->sq, flags, psv->wire, dv_sig_transient(sig->wire));
	return err;
}

static int with_crypto(const struct job *j, struct dv_umr *umr)
{
	struct dv_wqe_bsf_seg bsf;
	int err = dv_bsf_set_crypto(&bsf, &j->r->change.crypto, CLAIMED_DEK, NULL, 1);

	dv_umr_set_bsf(umr, &bsf, 1);
	return err ? err : umr_layout(j, j->flags, umr);
}

static int change_key(const struct job *j, struct past *past)
{
	const struct request *r = j->r;
	bool *sig_set = &past->sig_set[r->mkey - j->o->mkey];
	struct dv_umr umr;

	dv_umr_init(&umr, r->lkey);
	if (r->op != OP_MKEY_CONFIGURE || r->change.set_access)
		dv_umr_set_access(&umr, r->access);
	if (r->change.reset_sig)
		*sig_set = false;
	if (r->change.set_sig) {
		*sig_set = true;
		return with_psvs(j, &umr);
	}
	if (r->change.set_crypto)
		return with_crypto(j, &umr);
	/* a key for signatures without one: libmlx5 says so each time */
	if (r->mkey->signs && !*sig_set)
		umr.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	return umr_layout(j, j->flags, &umr);
}

static int one(const struct job *j, struct past *past)
{
	const struct request *r = j->r;

	switch (r->op) {
	case OP_RAW:
		return dv_sq_raw(j->sq, r->raw);
	case OP_MEMCPY:
		return dv_sq_memcpy(j->sq, j->flags, j->o->opaque,
				    (struct dv_laddr){ r->sge[1].addr, r->sge[1].lkey },
				    (struct dv_laddr){ r->sge[0].addr, r->sge[0].lkey },
				    r->sge[0].length);
	case OP_BIND_MW:
		return dv_sq_bind_mw(j->sq, j->flags, r->mw, r->mw_rkey, &r->bind);
	case OP_LOCAL_INV:
		return dv_sq_local_inv(j->sq, j->flags, r->inv_rkey);
	case OP_MR_LIST:
	case OP_MR_INTERLEAVED:
	case OP_MKEY_CONFIGURE:
		return change_key(j, past);
	default:
		break;
	}
	if (j->kind == KIND_ETH)
		return eth(j);
	return j->addr.bytes ? composed(j) : rc(j);
}

/* libmlx5 puts a small fence on what follows a UMR. */
static bool leaves_small_fence(const struct request *r)
{
	return r->op == OP_BIND_MW || r->op == OP_LOCAL_INV || r->op >= OP_MR_LIST;
}

int post_dv(const struct request *r, unsigned int n, const struct oracle *o, struct past *past,
	    enum kind kind, struct dv_sq *sq)
{
	struct dv_batch b;
	unsigned int i;
	int err = dv_batch_begin(&b, sq, 0);

	for (i = 0; i < n && !err; i++) {
		struct job j = { .r = &r[i], .o = o, .sq = &b.sq, .kind = kind };

		j.flags = control_flags(&r[i], past->small_fence);
		set_address(&j);
		err = one(&j, past);
		if (!err && kind == KIND_DCI && r[i].form != FORM_NONE && r[i].stream)
			dv_sq_set_stream(&b.sq, r[i].stream);
		past->small_fence = leaves_small_fence(&r[i]);
	}
	dv_batch_end(&b);
	return err;
}
