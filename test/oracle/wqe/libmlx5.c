/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests, posted by libmlx5: ibv_post_send() with a list, or the calls between ibv_wr_start()
 * and ibv_wr_complete(). */
#include "request.h"

enum {
	MOST = 8, /* requests of a batch */
};

static const enum ibv_wr_opcode opcode[OPS] = {
	[OP_SEND] = IBV_WR_SEND,
	[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
	[OP_WRITE] = IBV_WR_RDMA_WRITE,
	[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[OP_READ] = IBV_WR_RDMA_READ,
	[OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	[OP_BIND_MW] = IBV_WR_BIND_MW,
	[OP_LOCAL_INV] = IBV_WR_LOCAL_INV,
	[OP_TSO] = IBV_WR_TSO,
};

/* The members that lie in unions, by opcode and by the kind of the queue. */
static void wr_fill_op(struct ibv_send_wr *wr, const struct request *r)
{
	switch (r->op) {
	case OP_SEND_IMM:
		wr->imm_data = r->imm;
		break;
	case OP_SEND_INV:
	case OP_LOCAL_INV:
		wr->invalidate_rkey = r->inv_rkey;
		break;
	case OP_WRITE_IMM:
		wr->imm_data = r->imm;
		/* fall through */
	case OP_WRITE:
	case OP_READ:
		wr->wr.rdma.remote_addr = r->at.raddr;
		wr->wr.rdma.rkey = r->at.rkey;
		break;
	case OP_CMP_SWAP:
	case OP_FETCH_ADD:
		wr->wr.atomic.remote_addr = r->at.raddr;
		wr->wr.atomic.rkey = r->at.rkey;
		wr->wr.atomic.compare_add = r->compare_add;
		wr->wr.atomic.swap = r->swap;
		break;
	case OP_BIND_MW:
		wr->bind_mw.mw = r->mw;
		wr->bind_mw.rkey = r->mw_rkey;
		wr->bind_mw.bind_info = r->bind;
		break;
	case OP_TSO:
		wr->tso.hdr = (void *)r->hdr;
		wr->tso.hdr_sz = r->hdr_len;
		wr->tso.mss = r->mss;
		break;
	default:
		break;
	}
}

/* @sge: space for inline data, which ibv_post_send() takes as SGEs. */
static void wr_fill(struct ibv_send_wr *wr, const struct request *r, const struct oracle *o,
		    enum kind kind, struct ibv_sge *sge)
{
	unsigned int i;

	*wr = (struct ibv_send_wr){ .opcode = opcode[r->op], .send_flags = r->flags };
	if (r->form == FORM_SGE || r->form == FORM_LIST) {
		wr->sg_list = (struct ibv_sge *)r->sge;
		wr->num_sge = (int)r->n;
	} else if (r->form != FORM_NONE) {
		for (i = 0; i < r->n; i++)
			sge[i] = (struct ibv_sge){ (uintptr_t)r->buf[i].addr,
						   (uint32_t)r->buf[i].length, 0 };
		wr->send_flags |= IBV_SEND_INLINE;
		wr->sg_list = sge;
		wr->num_sge = (int)r->n;
	}
	wr_fill_op(wr, r);
	if (kind == KIND_UD) {
		wr->wr.ud.ah = o->ah;
		wr->wr.ud.remote_qpn = r->peer_qpn;
		wr->wr.ud.remote_qkey = r->peer_key;
	}
	if (kind == KIND_XRC)
		wr->qp_type.xrc.remote_srqn = r->peer_qpn;
}

static int post_send(const struct request *r, unsigned int n, const struct oracle *o,
		     struct queue *q)
{
	static struct ibv_sge sge[MOST][QUEUE_SGES];
	struct ibv_send_wr wr[MOST], *bad;
	unsigned int i;

	for (i = 0; i < n; i++) {
		wr_fill(&wr[i], &r[i], o, q->kind, sge[i]);
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
	}
	return ibv_post_send(q->qp, wr, &bad);
}

static void wr_op(const struct request *r, struct ibv_qp_ex *x)
{
	switch (r->op) {
	case OP_SEND:
		ibv_wr_send(x);
		break;
	case OP_SEND_IMM:
		ibv_wr_send_imm(x, r->imm);
		break;
	case OP_SEND_INV:
		ibv_wr_send_inv(x, r->inv_rkey);
		break;
	case OP_WRITE:
		ibv_wr_rdma_write(x, r->at.rkey, r->at.raddr);
		break;
	case OP_WRITE_IMM:
		ibv_wr_rdma_write_imm(x, r->at.rkey, r->at.raddr, r->imm);
		break;
	case OP_READ:
		ibv_wr_rdma_read(x, r->at.rkey, r->at.raddr);
		break;
	case OP_CMP_SWAP:
		ibv_wr_atomic_cmp_swp(x, r->at.rkey, r->at.raddr, r->compare_add, r->swap);
		break;
	case OP_FETCH_ADD:
		ibv_wr_atomic_fetch_add(x, r->at.rkey, r->at.raddr, r->compare_add);
		break;
	case OP_BIND_MW:
		ibv_wr_bind_mw(x, r->mw, r->mw_rkey, &r->bind);
		break;
	case OP_LOCAL_INV:
		ibv_wr_local_inv(x, r->inv_rkey);
		break;
	case OP_TSO:
		ibv_wr_send_tso(x, (void *)r->hdr, r->hdr_len, r->mss);
		break;
	default:
		break;
	}
}

static void wr_data(const struct request *r, struct ibv_qp_ex *x)
{
	switch (r->form) {
	case FORM_SGE:
		ibv_wr_set_sge(x, r->sge[0].lkey, r->sge[0].addr, r->sge[0].length);
		break;
	case FORM_LIST:
		ibv_wr_set_sge_list(x, r->n, r->sge);
		break;
	case FORM_INLINE:
		ibv_wr_set_inline_data(x, r->buf[0].addr, r->buf[0].length);
		break;
	case FORM_INLINE_LIST:
		ibv_wr_set_inline_data_list(x, r->n, r->buf);
		break;
	case FORM_NONE:
		break;
	}
}

static void wr_address(const struct request *r, const struct oracle *o, struct queue *q)
{
	if (q->kind == KIND_UD)
		ibv_wr_set_ud_addr(q->qpx, o->ah, r->peer_qpn, r->peer_key);
	else if (q->kind == KIND_XRC)
		ibv_wr_set_xrc_srqn(q->qpx, r->peer_qpn);
	else if (q->kind == KIND_DCI && r->stream)
		mlx5dv_wr_set_dc_addr_stream(q->dvx, o->ah, r->peer_qpn, r->dc_key, r->stream);
	else if (q->kind == KIND_DCI)
		mlx5dv_wr_set_dc_addr(q->dvx, o->ah, r->peer_qpn, r->dc_key);
}

static void configure(const struct request *r, struct queue *q)
{
	const struct key_change *c = &r->change;
	struct mlx5dv_mkey_conf_attr attr = {
		.conf_flags = c->reset_sig ? MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR : 0,
	};

	mlx5dv_wr_mkey_configure(q->dvx, r->mkey->mkey,
				 (uint8_t)(c->set_access + c->set_list + c->set_interleaved +
					   c->set_sig + c->set_crypto),
				 &attr);
	if (c->set_access)
		mlx5dv_wr_set_mkey_access_flags(q->dvx, r->access);
	if (c->set_list)
		mlx5dv_wr_set_mkey_layout_list(q->dvx, (uint16_t)r->n, r->sge);
	if (c->set_interleaved)
		mlx5dv_wr_set_mkey_layout_interleaved(q->dvx, r->repeat, (uint16_t)r->n,
						      r->column);
	if (c->set_sig)
		mlx5dv_wr_set_mkey_sig_block(q->dvx, &c->sig);
	if (c->set_crypto)
		mlx5dv_wr_set_mkey_crypto(q->dvx, &c->crypto);
}

/* Is @r a request that only mlx5dv has? */
static bool mlx5dv_op(const struct request *r, struct queue *q)
{
	switch (r->op) {
	case OP_RAW:
		mlx5dv_wr_raw_wqe(q->dvx, r->raw);
		return true;
	case OP_MEMCPY:
		mlx5dv_wr_memcpy(q->dvx, r->sge[1].lkey, r->sge[1].addr, r->sge[0].lkey,
				 r->sge[0].addr, r->sge[0].length);
		return true;
	case OP_MR_LIST:
		mlx5dv_wr_mr_list(q->dvx, r->mkey->mkey, r->access, (uint16_t)r->n,
				  (struct ibv_sge *)r->sge);
		return true;
	case OP_MR_INTERLEAVED:
		mlx5dv_wr_mr_interleaved(q->dvx, r->mkey->mkey, r->access, r->repeat,
					 (uint16_t)r->n,
					 (struct mlx5dv_mr_interleaved *)r->column);
		return true;
	case OP_MKEY_CONFIGURE:
		configure(r, q);
		return true;
	default:
		return false;
	}
}

static int wr_post(const struct request *r, unsigned int n, const struct oracle *o,
		   struct queue *q)
{
	unsigned int i;

	ibv_wr_start(q->qpx);
	for (i = 0; i < n; i++) {
		bool is_key = r[i].op >= OP_MR_LIST;

		q->qpx->wr_flags = r[i].flags | (is_key ? IBV_SEND_INLINE : 0);
		if (is_key)
			r[i].mkey->mkey->lkey = r[i].lkey;
		if (mlx5dv_op(&r[i], q))
			continue;
		wr_op(&r[i], q->qpx);
		if (r[i].form == FORM_NONE)
			continue;
		if (r[i].address_first)
			wr_address(&r[i], o, q);
		wr_data(&r[i], q->qpx);
		if (!r[i].address_first)
			wr_address(&r[i], o, q);
	}
	return ibv_wr_complete(q->qpx);
}

int post_libmlx5(const struct request *r, unsigned int n, const struct oracle *o,
		 struct queue *q, enum api api)
{
	return api == API_WR ? wr_post(r, n, o, q) : post_send(r, n, o, q);
}
