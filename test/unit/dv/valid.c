/* SPDX-License-Identifier: BSD-2-Clause */
/* Random valid WQEs (valid.h). A table per transport: each call of dv that posts is in one. */
#include <dv/aso.h>
#include <dv/cross.h>
#include <dv/eth.h>
#include <dv/masked.h>
#include <dv/mmo.h>
#include <dv/post_umr.h>
#include "valid.h"

enum {
	SGES = 6,
	INLINE = 200,
};

/* Values for the arguments of a call. */
struct draw {
	struct dv_sq *sq;
	uint64_t *seed;
	uint8_t flags;
	unsigned int n; /* of sge and buf */
	uint32_t len;	/* of data */
	struct ibv_sge sge[SGES], word;
	struct ibv_data_buf buf[SGES];
	uint8_t data[INLINE];
	struct dv_raddr at;
	struct dv_laddr place[SGES];
	struct mlx5_wqe_av av;
	struct dv_dest addr;
	uint64_t a, b;
	uint32_t key;
};

typedef int post(struct draw *d);

static uint64_t any(struct draw *d)
{
	return valid_random(d->seed);
}

static uint32_t between(struct draw *d, uint32_t low, uint32_t high)
{
	return valid_between(d->seed, low, high);
}

static void draw_places(struct draw *d)
{
	unsigned int i;

	d->n = between(d, 0, SGES);
	for (i = 0; i < SGES; i++) {
		/* one of eight SGEs is empty: dv leaves it out */
		d->sge[i] =
			(struct ibv_sge){ any(d), between(d, 0, 7) ? between(d, 1, 1 << 30) : 0,
					  (uint32_t)any(d) };
		d->place[i] = (struct dv_laddr){ .addr = any(d), .lkey = (uint32_t)any(d) };
		d->buf[i] = (struct ibv_data_buf){ d->data, between(d, 0, 40) };
	}
	d->word = d->sge[0];
	d->word.length = 8;
}

static void draw_peer(struct draw *d, enum dv_transport transport)
{
	unsigned int i;

	for (i = 0; i < sizeof(d->av); i++)
		((uint8_t *)&d->av)[i] = (uint8_t)any(d);
	memset(d->av.reserved0, 0, sizeof(d->av.reserved0));
	d->av.rlid = htobe16((uint16_t)between(d, 1, 0xffff));
	dv_av_set_ud(&d->av, between(d, 0, 0xffffff), (uint32_t)any(d) | 1);
	if (transport == DV_UD)
		dv_dest_ud(&d->addr, &d->av, between(d, 0, 0xffffff), (uint32_t)any(d) | 1);
	else if (transport == DV_XRC)
		dv_dest_xrc(&d->addr, between(d, 0, 0xffffff));
	else if (transport == DV_DCI)
		dv_dest_dc(&d->addr, &d->av, between(d, 0, 0xffffff), any(d));
}

static void draw(struct draw *d, enum dv_transport transport)
{
	static const uint8_t flags[] = { 0, MLX5_WQE_CTRL_CQ_UPDATE,
					 MLX5_WQE_CTRL_CQ_UPDATE | MLX5_WQE_CTRL_SOLICITED,
					 MLX5_WQE_CTRL_FENCE,
					 MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE };

	d->flags = flags[between(d, 0, 4)];
	d->len = between(d, 0, INLINE);
	d->at = (struct dv_raddr){ any(d) & ~7ull, (uint32_t)any(d) };
	d->a = any(d);
	d->b = any(d);
	d->key = (uint32_t)any(d) | 1;
	draw_places(d);
	draw_peer(d, transport);
}

/* A function that posts a WQE of the drawn arguments. */
#define CALL(name, call)                \
	static int name(struct draw *d) \
	{                               \
		return call;            \
	}

/* ---- RC and UC ---- */

CALL(nop, dv_sq_nop(d->sq, d->flags))
CALL(send, dv_sq_send(d->sq, d->flags, d->sge, d->n))
CALL(send_imm, dv_sq_send_imm(d->sq, d->flags, d->sge, d->n, d->key))
CALL(send_inv, dv_sq_send_inv(d->sq, d->flags, d->sge, d->n, d->key))
CALL(send_inline, dv_sq_send_inline(d->sq, d->flags, d->data, d->len))
CALL(send_imm_inline, dv_sq_send_imm_inline(d->sq, d->flags, d->data, d->len, d->key))
CALL(write, dv_sq_write(d->sq, d->flags, d->at, d->sge, d->n))
CALL(write_imm, dv_sq_write_imm(d->sq, d->flags, d->at, d->sge, d->n, d->key))
CALL(write_inline, dv_sq_write_inline(d->sq, d->flags, d->at, d->data, d->len))
CALL(write_imm_inline, dv_sq_write_imm_inline(d->sq, d->flags, d->at, d->data, d->len, d->key))
CALL(read, dv_sq_read(d->sq, d->flags, d->at, d->sge, d->n))
CALL(cmp_swap, dv_sq_cmp_swap(d->sq, d->flags, d->at, &d->word, d->a, d->b))
CALL(fetch_add, dv_sq_fetch_add(d->sq, d->flags, d->at, &d->word, d->a))
static int masked_cmp_swap(struct draw *d)
{
	struct dv_masked_cs cs = { d->a, d->b, ~d->a, ~d->b };

	return d->key & 2 ? dv_sq_masked_cmp_swap(d->sq, d->flags, d->at, &d->word, &cs)
			  : dv_sq_masked_cmp_swap32(d->sq, d->flags, d->at, &d->word, &cs);
}
static int masked_fetch_add(struct draw *d)
{
	if (d->key & 2)
		return dv_sq_masked_fetch_add(d->sq, d->flags, d->at, &d->word, d->a, d->b);
	return dv_sq_masked_fetch_add32(d->sq, d->flags, d->at, &d->word, d->key, ~d->key);
}

static int raw(struct draw *d)
{
	uint8_t wqe[64];
	void *seg = dv_set_raddr_seg(dv_wqe_body(wqe), d->at);

	seg = dv_set_data_seg(seg, &d->word);
	dv_set_ctrl_seg(wqe, seg, d->sq->qpn, 0, MLX5_OPCODE_RDMA_READ, 0, d->flags, 0);
	return dv_sq_raw(d->sq, wqe);
}

/* ---- keys ---- */

static struct dv_umr change(struct draw *d)
{
	struct dv_umr umr;

	dv_umr_init(&umr, d->key);
	umr.start_addr = d->a;
	umr.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR;
	if (d->key & 2)
		dv_umr_set_access(&umr, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	return umr;
}
static int umr(struct draw *d)
{
	struct dv_umr u = change(d);

	return dv_sq_umr(d->sq, d->flags, &u);
}
static int umr_list(struct draw *d)
{
	struct mlx5dv_sig_block_domain wire = { .sig_type = MLX5DV_SIG_TYPE_CRC,
						.block_size = MLX5DV_BLOCK_SIZE_512 };
	struct mlx5dv_sig_crc crc = { MLX5DV_SIG_CRC_TYPE_CRC32, 0xffffffff };
	struct mlx5dv_sig_block_attr attr = { .wire = &wire };
	struct dv_umr u = change(d);
	struct dv_wqe_bsf_seg bsf;

	wire.sig.crc = &crc;
	if (!(d->key & 4)) {
		cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, (struct dv_psv){ 1, 2 }, 0), 0);
		dv_umr_set_bsf(&u, &bsf, 1);
	}
	return dv_sq_umr_list(d->sq, d->flags, &u, d->sge, d->n);
}
static int umr_interleaved(struct draw *d)
{
	struct mlx5dv_mr_interleaved column[3] = {
		{ d->a, 512, 1024, d->key },
		{ d->b, 64, 0, d->key },
		{ 0, 8, 0, 0 },
	};
	struct dv_repeat r = { between(d, 1, 99), (uint16_t)between(d, 1, 3), column };
	struct dv_umr u = change(d);

	return dv_sq_umr_interleaved(d->sq, d->flags, &u, &r);
}
static int umr_ksm(struct draw *d)
{
	struct dv_umr u = change(d);

	u.log_page_size = 12;
	return dv_sq_umr_ksm(d->sq, d->flags, &u, d->place, d->n);
}
static int umr_ptr(struct draw *d)
{
	struct ibv_sge list = { d->a, 64 * between(d, 1, 9), d->key };
	struct dv_umr u = change(d);

	return dv_sq_umr_ptr(d->sq, d->flags, &u, &list);
}
CALL(local_inv, dv_sq_local_inv(d->sq, d->flags, d->key))
static int bind_mw(struct draw *d)
{
	struct ibv_mr mr = { .lkey = (uint32_t)d->b };
	struct ibv_mw mw = { .rkey = d->key,
			     .type = d->key & 8 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2 };
	struct ibv_mw_bind_info info = { &mr, d->a, d->len, IBV_ACCESS_REMOTE_READ };

	return dv_sq_bind_mw(d->sq, d->flags, &mw, d->key + 1, &info);
}
CALL(set_psv, dv_sq_set_psv(d->sq, d->flags, d->key & 0xffffff, d->a))

/* ---- operations of the device's own ---- */

static int copy(struct draw *d)
{
	struct dv_laddr from = { d->word.addr, d->word.lkey };

	return dv_sq_memcpy(d->sq, d->flags, d->place[0], d->place[1], from,
			    d->key & 6 ? d->len + 1 : 1u << 31);
}
CALL(wait_cq, dv_sq_wait_cq(d->sq, d->flags, d->key & 0xffffff, d->len))
static int wait_word(struct draw *d)
{
	struct dv_wait w = { DV_WAIT_BIGGER | DV_WAIT_INVERT, d->key, d->at.raddr, d->a, d->b };

	return dv_sq_wait(d->sq, d->flags, d->key & 2 ? DV_OPMOD_WAIT_DATA : DV_OPMOD_WAIT_TIME,
			  &w);
}
CALL(send_en, dv_sq_send_en(d->sq, d->flags, d->key & 0xffffff, d->len))
static int aso(struct draw *d)
{
	struct dv_aso a = { .read_to = d->a & ~63ull, .lkey = d->key, .data = d->b };

	return dv_sq_aso(d->sq, d->flags, (uint8_t)between(d, 0, 5), d->key, &a,
			 d->key & 2 ? d->data : NULL);
}

/* ---- composed: an address, an operation, data ---- */

/* Space for any of them. */
static void *begin(struct draw *d)
{
	void *seg = dv_sq_reserve(d->sq, dv_wqe_nbb(48 + 4 * DV_WQE_DS + sizeof(d->sge) +
						    dv_inline_seg_size(INLINE)));

	return seg ? dv_set_dest_seg(seg, &d->addr) : NULL;
}
static int end(struct draw *d, const void *seg, uint8_t opcode, __be32 imm)
{
	dv_sq_commit(d->sq, seg, opcode, 0, d->flags, imm);
	return 0;
}
static int sges(struct draw *d, void *seg, uint8_t opcode, __be32 imm)
{
	return seg ? end(d, dv_set_data_segs(seg, d->sge, d->n), opcode, imm) : ENOMEM;
}
static void *begin_rdma(struct draw *d)
{
	void *seg = begin(d);

	return seg ? dv_set_raddr_seg(seg, d->at) : NULL;
}
static int atomic(struct draw *d, uint8_t opcode, uint64_t compare)
{
	void *seg = begin_rdma(d);

	if (!seg)
		return ENOMEM;
	seg = dv_set_cmp_swap_seg(seg, compare, d->a);
	return end(d, dv_set_data_seg(seg, &d->word), opcode, 0);
}
CALL(send_to, sges(d, begin(d), MLX5_OPCODE_SEND, 0))
CALL(send_imm_to, sges(d, begin(d), MLX5_OPCODE_SEND_IMM, d->key))
CALL(send_inv_to, sges(d, begin(d), MLX5_OPCODE_SEND_INVAL, htobe32(d->key)))
static int send_inline_to(struct draw *d)
{
	void *seg = begin(d);

	return seg ? end(d, dv_set_inline_seg(seg, d->data, d->len), MLX5_OPCODE_SEND, 0)
		   : ENOMEM;
}
static int send_inline_list_to(struct draw *d)
{
	void *seg = begin(d);

	return seg ? end(d, dv_set_inline_list(seg, d->buf, d->n), MLX5_OPCODE_SEND, 0)
		   : ENOMEM;
}
CALL(write_to, sges(d, begin_rdma(d), MLX5_OPCODE_RDMA_WRITE, 0))
CALL(write_imm_to, sges(d, begin_rdma(d), MLX5_OPCODE_RDMA_WRITE_IMM, d->key))
static int write_inline_to(struct draw *d)
{
	void *seg = begin_rdma(d);

	return seg ? end(d, dv_set_inline_seg(seg, d->data, d->len), MLX5_OPCODE_RDMA_WRITE, 0)
		   : ENOMEM;
}
static int write_inline_list_to(struct draw *d)
{
	void *seg = begin_rdma(d);

	return seg ? end(d, dv_set_inline_list(seg, d->buf, d->n), MLX5_OPCODE_RDMA_WRITE, 0)
		   : ENOMEM;
}
CALL(read_to, sges(d, begin_rdma(d), MLX5_OPCODE_RDMA_READ, 0))
CALL(cmp_swap_to, atomic(d, MLX5_OPCODE_ATOMIC_CS, d->b))
CALL(fetch_add_to, atomic(d, MLX5_OPCODE_ATOMIC_FA, 0))
static int send_of_a_batch(struct draw *d)
{
	struct dv_batch b;
	int err = dv_batch_begin(&b, d->sq, 1);

	if (err)
		return err;
	err = dv_sq_send(&b.sq, d->flags, &d->word, 1);
	dv_batch_end(&b);
	return err;
}
static int stream(struct draw *d)
{
	int err = send_to(d);

	if (!err)
		dv_sq_set_stream(d->sq, (uint16_t)d->key);
	return err;
}

/* ---- packets ---- */

static int send_eth(struct draw *d)
{
	struct dv_eth_hdr hdr = { d->data, (uint16_t)between(d, 0, 60) };

	return dv_sq_send_eth(d->sq, d->flags, (uint8_t)d->key, hdr, d->sge, d->n);
}
CALL(send_eth_vlan,
     dv_sq_send_eth_vlan(d->sq, d->flags, (uint8_t)d->key, (uint16_t)d->a, d->sge, d->n))
static int tso(struct draw *d)
{
	struct dv_eth_hdr hdr = { d->data, (uint16_t)between(d, 14, 120) };

	return dv_sq_tso(d->sq, d->flags, (uint8_t)d->key, (uint16_t)between(d, 1, 9000), hdr,
			 d->sge, d->n);
}
CALL(empw, dv_sq_empw(d->sq, d->flags, (uint8_t)d->key, d->sge, d->n))
CALL(empw_inline, dv_sq_empw_inline(d->sq, d->flags, (uint8_t)d->key, d->buf, d->n))
static int swp(struct draw *d)
{
	struct dv_eth_swp s = { 1, 2, 3, 4, DV_ETH_SWP_INNER_L4_UDP };
	int err = send_eth(d);

	if (err)
		return err;
	dv_eth_set_swp(dv_wqe_body((void *)d->sq->last), &s);
	dv_eth_set_metadata(dv_wqe_body((void *)d->sq->last), d->key);
	return 0;
}

/* clang-format off */
static post *const calls[][48] = {
	[DV_RC] = { nop, send, send_imm, send_inv, send_inline, send_imm_inline, write, write_imm,
		    write_inline, write_imm_inline, read, cmp_swap, fetch_add, masked_cmp_swap,
		    masked_fetch_add, umr, umr_list, umr_interleaved, umr_ksm, umr_ptr, local_inv,
		    bind_mw, set_psv, raw, copy, wait_cq, wait_word, send_en, aso, send_to, read_to,
		    send_inline_list_to, write_inline_list_to, send_of_a_batch },
	[DV_UC] = { nop, send, send_imm, send_inline, send_imm_inline, write, write_imm,
		    write_inline, write_imm_inline, local_inv, bind_mw, send_inline_list_to,
		    write_inline_list_to },
	[DV_UD] = { nop, send_to, send_imm_to, send_inline_to, send_inline_list_to },
	[DV_DCI] = { nop, send_to, send_imm_to, send_inv_to, send_inline_to, write_to, write_imm_to,
		     write_inline_to, read_to, cmp_swap_to, fetch_add_to, stream, local_inv, copy },
	[DV_XRC] = { nop, send_to, send_imm_to, send_inv_to, send_inline_to, write_to, write_imm_to,
		     write_inline_to, read_to, cmp_swap_to, fetch_add_to, local_inv, bind_mw },
	[DV_ETH] = { nop, send_eth, send_eth_vlan, tso, empw, empw_inline, swp, wait_cq, wait_word,
		     send_en, aso },
};
/* clang-format on */

int valid_post(struct dv_sq *sq, enum dv_transport transport, uint64_t *seed)
{
	post *const *table = calls[transport];
	struct draw d = { .sq = sq, .seed = seed };
	uint32_t n = 0;

	while (table[n])
		n++;
	draw(&d, transport);
	return table[between(&d, 0, n - 1)](&d);
}
