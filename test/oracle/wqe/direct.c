/* SPDX-License-Identifier: BSD-2-Clause */
/* The same requests, built by dv: by the calls of its headers where they have one for it, otherwise
 * segment by segment. */
#include <dv/eth.h>
#include <dv/mmo.h>

#include "claims.h"
#include "request.h"

/* What all of them need. */
struct job {
	const struct request *r;
	const struct oracle *o;
	struct dv_sq *sq;
	enum kind kind;
	uint8_t flags; /* of the control segment */
	struct dv_to to;
};

static const uint8_t opcode[OPS] = {
	[OP_SEND] = MLX5_OPCODE_SEND,
	[OP_SEND_IMM] = MLX5_OPCODE_SEND_IMM,
	[OP_SEND_INV] = MLX5_OPCODE_SEND_INVAL,
	[OP_WRITE] = MLX5_OPCODE_RDMA_WRITE,
	[OP_WRITE_IMM] = MLX5_OPCODE_RDMA_WRITE_IMM,
	[OP_READ] = MLX5_OPCODE_RDMA_READ,
};

static uint8_t control_flags(const struct request *r, bool small_fence)
{
	uint8_t flags = small_fence ? DV_FENCE_INITIATOR_SMALL : DV_FENCE_NONE;

	if (r->flags & IBV_SEND_FENCE)
		flags = DV_FENCE_SMALL_AND_FENCE;
	if (r->flags & IBV_SEND_SIGNALED)
		flags |= DV_CQE_ALWAYS;
	if (r->flags & IBV_SEND_SOLICITED)
		flags |= MLX5_WQE_CTRL_SOLICITED;
	return flags;
}

static void set_to(struct job *j)
{
	if (j->kind == KIND_UD)
		dv_to_ud(&j->to, &j->o->av, j->r->peer_qpn, j->r->peer_key);
	else if (j->kind == KIND_DCI)
		dv_to_dc(&j->to, &j->o->av, j->r->peer_qpn, j->r->dc_key);
	else if (j->kind == KIND_XRC)
		dv_to_xrc(&j->to, j->r->peer_qpn);
}

/* Segment by segment: any operation in any form, to anybody. */
static int by_segments(const struct job *j)
{
	const struct request *r = j->r;
	bool to = j->kind == KIND_UD || j->kind == KIND_DCI || j->kind == KIND_XRC;
	bool at = r->op == OP_WRITE || r->op == OP_WRITE_IMM || r->op == OP_READ;
	bool inl = r->form >= FORM_INLINE;
	size_t bytes = inl ? dv_inline_list_size(r->buf, r->n) : (size_t)r->n * DV_WQE_DS;
	void *seg = dv_sq_start(j->sq, (to ? j->to.bytes : 0) + (at ? DV_WQE_DS : 0) + bytes);
	__be32 imm = 0;

	if (!seg)
		return ENOMEM;
	if (to)
		seg = dv_set_to_seg(seg, &j->to);
	if (at)
		seg = dv_set_raddr_seg(seg, r->at.raddr, r->at.rkey);
	if (inl)
		seg = dv_set_inline_list(seg, r->buf, r->n);
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
	bool list = r->form == FORM_INLINE_LIST;
	uint32_t len = list ? 0 : (uint32_t)r->buf[0].length;

	if (r->op == OP_SEND && list)
		return dv_sq_send_inline_list(j->sq, j->flags, r->buf, r->n);
	if (r->op == OP_SEND)
		return dv_sq_send_inline(j->sq, j->flags, r->buf[0].addr, len);
	if (r->op == OP_WRITE && list)
		return dv_sq_write_inline_list(j->sq, j->flags, r->at, r->buf, r->n);
	if (r->op == OP_WRITE)
		return dv_sq_write_inline(j->sq, j->flags, r->at, r->buf[0].addr, len);
	return by_segments(j);
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

static int ud(const struct job *j)
{
	const struct request *r = j->r;
	const struct mlx5_wqe_av *av = &j->to.seg.av;

	if (r->op == OP_SEND && r->form == FORM_INLINE)
		return dv_sq_send_ud_inline(j->sq, j->flags, av, r->buf[0].addr,
					    (uint32_t)r->buf[0].length);
	if (r->form >= FORM_INLINE)
		return by_segments(j);
	if (r->op == OP_SEND)
		return dv_sq_send_ud(j->sq, j->flags, av, r->sge, r->n);
	return dv_sq_send_ud_imm(j->sq, j->flags, av, r->sge, r->n, r->imm);
}

static int to_inline(const struct job *j)
{
	const struct request *r = j->r;
	uint32_t len = r->n ? (uint32_t)r->buf[0].length : 0;

	if (r->form == FORM_INLINE && r->op == OP_SEND)
		return dv_sq_send_inline_to(j->sq, j->flags, &j->to, r->buf[0].addr, len);
	if (r->form == FORM_INLINE && r->op == OP_WRITE)
		return dv_sq_write_inline_to(j->sq, j->flags,
					     (struct dv_to_at){ &j->to, r->at }, r->buf[0].addr,
					     len);
	return by_segments(j);
}

/* XRC and DC initiators. */
static int to(const struct job *j)
{
	const struct request *r = j->r;
	struct dv_to_at peer = { &j->to, r->at };

	if (r->form >= FORM_INLINE)
		return to_inline(j);
	switch (r->op) {
	case OP_SEND:
		return dv_sq_send_to(j->sq, j->flags, &j->to, r->sge, r->n);
	case OP_SEND_IMM:
		return dv_sq_send_imm_to(j->sq, j->flags, &j->to, r->sge, r->n, r->imm);
	case OP_SEND_INV:
		return dv_sq_send_inv_to(j->sq, j->flags, &j->to, r->sge, r->n, r->inv_rkey);
	case OP_WRITE:
		return dv_sq_write_to(j->sq, j->flags, peer, r->sge, r->n);
	case OP_WRITE_IMM:
		return dv_sq_write_imm_to(j->sq, j->flags, peer, r->sge, r->n, r->imm);
	case OP_READ:
		return dv_sq_read_to(j->sq, j->flags, peer, r->sge, r->n);
	case OP_CMP_SWAP:
		return dv_sq_cmp_swap_to(j->sq, j->flags, peer, r->sge, r->compare_add,
					 r->swap);
	default:
		return dv_sq_fetch_add_to(j->sq, j->flags, peer, r->sge, r->compare_add);
	}
}

/* The first bytes of a packet go where libmlx5 puts them; the first part is longer than that. */
static int eth_inline(const struct job *j, uint8_t cs_flags)
{
	const struct request *r = j->r;
	uint16_t hdr = j->o->inline_hdr;
	struct ibv_data_buf buf[QUEUE_SGES];
	void *seg =
		dv_sq_start(j->sq, dv_eth_seg_size(hdr) + dv_inline_list_size(r->buf, r->n));

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
	uint8_t quiet = j->flags & (uint8_t)~DV_CQE_ALWAYS;
	uint8_t flags = control_flags(j->r, true);
	uint8_t quiet_psv = flags & (uint8_t)~DV_CQE_ALWAYS;
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
				    &r->sge[0]);
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
	if (j->kind == KIND_UD)
		return ud(j);
	return j->kind == KIND_XRC || j->kind == KIND_DCI ? to(j) : rc(j);
}

/* libmlx5 puts a small fence on what follows a UMR. */
static bool leaves_small_fence(const struct request *r)
{
	return r->op == OP_BIND_MW || r->op == OP_LOCAL_INV || r->op >= OP_MR_LIST;
}

int post_dv(const struct request *r, unsigned int n, const struct oracle *o, struct past *past,
	    enum kind kind, struct dv_sq *sq)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		struct job j = { .r = &r[i], .o = o, .sq = sq, .kind = kind };

		j.flags = control_flags(&r[i], past->small_fence);
		set_to(&j);
		err = one(&j, past);
		if (!err && kind == KIND_DCI && r[i].form != FORM_NONE && r[i].stream)
			dv_sq_set_stream(sq, r[i].stream);
		past->small_fence = leaves_small_fence(&r[i]);
	}
	return err;
}
