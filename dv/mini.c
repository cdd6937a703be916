/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the sessions of compressed CQEs out, where they lie. mini.h has the layouts, which
 * follow the readers of Linux (mlx5e, en_rx.c), DPDK (mlx5_rx.c, for the formats that Linux
 * does not use) and UCX (ib_mlx5.c, requesters).
 *
 * The array with the minis is in a slot that a CQE is written to: it is copied out first.
 */
#include <errno.h>
#include <string.h>

#include <dv/mini.h>
#include <dv/mp.h>

#include "refuse.h"

enum {
	BASIC_MINIS = 8, /* of a slot */
	ENHANCED_MINIS = 7,
};

/* The slots of a session, and how far it is written. */
struct session {
	struct dv_mini *m;
	uint32_t first;	       /* its first slot */
	struct mlx5_cqe64 cqe; /* the CQE written last */
	struct dv_mini_cqe minis[BASIC_MINIS];
};

static struct mlx5_cqe64 *slot(const struct session *s, uint32_t ci)
{
	return (struct mlx5_cqe64 *)dv_cq_at(&s->m->cq, ci);
}

static void set_be16(struct mlx5_cqe64 *cqe, size_t at, uint16_t value)
{
	__be16 be = htobe16(value);

	memcpy((char *)cqe + at, &be, sizeof(be));
}

static void set_be32(struct mlx5_cqe64 *cqe, size_t at, uint32_t value)
{
	__be32 be = htobe32(value);

	memcpy((char *)cqe + at, &be, sizeof(be));
}

enum {
	AT_HASH = 12, /* of a CQE */
	AT_HASH_TYPE = 16,
	AT_CHECKSUM = 20,
};

static uint16_t high(const struct dv_mini_cqe *mini)
{
	return (uint16_t)(mini->what[0] << 8 | mini->what[1]);
}

static uint16_t low(const struct dv_mini_cqe *mini)
{
	return (uint16_t)(mini->what[2] << 8 | mini->what[3]);
}

/* The index that comes after that of @cqe. */
static uint16_t next_counter(const struct dv_mini *m, const struct mlx5_cqe64 *cqe)
{
	return (uint16_t)(dv_cqe_wqe_counter(cqe) +
			  (m->striding ? dv_cqe_strides(cqe).count : 1));
}

static void requester(struct mlx5_cqe64 *cqe, const struct dv_mini_cqe *mini)
{
	cqe->wqe_counter = htobe16(high(mini));
	cqe->sop_drop_qpn = htobe32((uint32_t)mini->what[2] << 24 | dv_cqe_qpn(cqe));
	cqe->byte_cnt = mini->byte_cnt;
}

/* DPDK calls the half at 0 flow_tag_high, and puts the 8 bits in front of it all the same
 * (mlx5_rx.c, rxq_cq_to_mbuf(), after its byte swapping): so do we. */
static void flow_tag(struct mlx5_cqe64 *cqe, const struct dv_mini_cqe *mini)
{
	uint32_t word = be32toh(mini->byte_cnt), drops = dv_cqe_send_opcode(cqe);

	cqe->sop_drop_qpn = htobe32(drops << 24 | word >> 24 << 16 | high(mini));
	cqe->byte_cnt = htobe32(word & 0xffff);
}

/* Fills @cqe from the mini CQE of a received packet. */
static void responder(const struct dv_mini *m, struct mlx5_cqe64 *cqe,
		      const struct dv_mini_cqe *mini)
{
	cqe->byte_cnt = mini->byte_cnt;
	switch (m->format) {
	case DV_MINI_HASH:
		memcpy((char *)cqe + AT_HASH, mini->what, sizeof(mini->what));
		break;
	case DV_MINI_CSUM_STRIDX:
		cqe->wqe_counter = htobe16(low(mini));
		/* fall through */
	case DV_MINI_CSUM:
		set_be16(cqe, AT_CHECKSUM, high(mini));
		break;
	case DV_MINI_FTAG_STRIDX:
		flow_tag(cqe, mini);
		cqe->wqe_counter = htobe16(low(mini));
		break;
	case DV_MINI_L34H_STRIDX:
		cqe->l4_hdr_type_etc = mini->what[1];
		cqe->wqe_counter = htobe16(low(mini));
		break;
	}
}

/* No other packet's hash and checksum: those of the title are its own. */
static void forget(const struct dv_mini *m, struct mlx5_cqe64 *cqe)
{
	if (m->format != DV_MINI_HASH) {
		set_be32(cqe, AT_HASH, 0);
		((uint8_t *)cqe)[AT_HASH_TYPE] = 0;
	}
	if (m->format != DV_MINI_CSUM && m->format != DV_MINI_CSUM_STRIDX)
		set_be16(cqe, AT_CHECKSUM, 0);
}

/* Makes the CQE of @mini from the one before and writes it to slot @ci. */
static void write_next(struct session *s, uint32_t ci, const struct dv_mini_cqe *mini,
		       bool is_title)
{
	struct mlx5_cqe64 *cqe = &s->cqe;
	bool owner = ci & s->m->cq.cqe_cnt;

	if (dv_cqe_opcode(cqe) == MLX5_CQE_REQ) {
		requester(cqe, mini);
	} else {
		if (!is_title) {
			cqe->wqe_counter = htobe16(next_counter(s->m, cqe));
			forget(s->m, cqe);
		}
		responder(s->m, cqe, mini);
	}
	cqe->op_own =
		(uint8_t)((cqe->op_own & ~(DV_CQE_FORMAT_MASK | MLX5_CQE_OWNER_MASK)) | owner);
	if (s->m->enhanced)
		cqe->signature = (uint8_t)(ci >> s->m->log_cqe_cnt);
	*slot(s, ci) = *cqe;
}

static void expand_basic(struct session *s)
{
	uint32_t n, i;

	s->cqe = *slot(s, s->first);
	n = be32toh(s->cqe.byte_cnt);
	/* Never more than the ring holds, whatever the title says. */
	n = n < s->m->cq.cqe_cnt ? n : s->m->cq.cqe_cnt;
	memcpy(s->minis, slot(s, s->first + 1), sizeof(s->minis));
	write_next(s, s->first, &s->minis[0], true);
	for (i = 1; i < n; i++) {
		if (i % BASIC_MINIS == 0)
			memcpy(s->minis, slot(s, s->first + i), sizeof(s->minis));
		write_next(s, s->first + i, &s->minis[i % BASIC_MINIS], false);
	}
}

static void expand_enhanced(struct session *s)
{
	uint32_t n = (uint32_t)dv_cqe_opcode(slot(s, s->first)) + 1, i;

	n = n < ENHANCED_MINIS ? n : ENHANCED_MINIS;
	n = n < s->m->cq.cqe_cnt ? n : s->m->cq.cqe_cnt;
	s->cqe = s->m->title;
	memcpy(s->minis, slot(s, s->first), sizeof(s->minis));
	for (i = 0; i < n; i++)
		write_next(s, s->first + i, &s->minis[i], false);
}

void dv_mini_expand(struct dv_mini *m)
{
	struct session s = { .m = m, .first = m->cq.ci - 1 };

	if (m->enhanced)
		expand_enhanced(&s);
	else
		expand_basic(&s);
}

int dv_mini_init(struct dv_mini *m, const struct dv_cq *cq, const struct dv_mini_attr *attr)
{
	if (cq->cqe_size != sizeof(struct mlx5_cqe64) || attr->format > DV_MINI_L34H_STRIDX)
		return dv_refuse(EOPNOTSUPP, "CQEs of %u bytes, format %u", cq->cqe_size,
				 attr->format);
	*m = (struct dv_mini){
		.cq = *cq,
		.format = attr->format,
		.enhanced = attr->enhanced,
		.striding = attr->striding,
		.log_cqe_cnt = (uint32_t)__builtin_ctz(cq->cqe_cnt),
	};
	return 0;
}
