/* SPDX-License-Identifier: BSD-2-Clause */
/* SQs, RQs and RMPs of one shape, and the domains, TISes and TIRs that they need. */
#ifndef TEST_UNIT_FW_QUEUES_H
#define TEST_UNIT_FW_QUEUES_H

#include "device.h"

/* The doorbell record of all of them. */
static _Alignas(8) uint32_t record[2];

static UNUSED uint32_t new_td(uint16_t u)
{
	return alloc_as(u, PRM_OP_ALLOC_TRANSPORT_DOMAIN);
}

static UNUSED uint32_t new_xrcd(uint16_t u)
{
	return alloc_as(u, PRM_OP_ALLOC_XRCD);
}

static UNUSED uint8_t *tis_box(uint16_t u, uint32_t td)
{
	uint8_t *tisc = PRM_ADDR(create_tis_in, b.in, ctx);

	box(PRM_OP_CREATE_TIS);
	uid(u);
	PRM_SET(tisc, tisc, transport_domain, td);
	return tisc;
}

static UNUSED uint32_t new_tis(uint16_t u, uint32_t td)
{
	return MADE(tis_box(u, td));
}

/* Fields of both contexts: 64 entries of 64 bytes, one page. */
static UNUSED uint8_t *wq_box(uint32_t opcode, const struct needs *of)
{
	uint8_t *ctx = PRM_ADDR(create_sq_in, b.in, ctx), *wq = PRM_ADDR(sqc, ctx, wq);

	box(opcode);
	SET(wq, wq, F(wq_type, 1), F(pd, of->pd), F(dbr_addr, (uintptr_t)record),
	    F(log_wq_stride, 6), F(log_wq_sz, 6));
	SET(sqc, ctx, F(cqn, of->cq), F(user_index, 0xabcdef));
	pas(page(5));
	return ctx;
}

static UNUSED uint8_t *sq_box(const struct needs *of, uint32_t tisn)
{
	uint8_t *sqc = wq_box(PRM_OP_CREATE_SQ, of);

	SET(sqc, sqc, F(flush_in_error_en, 1), F(tis_lst_sz, 1), F(tis_num_0, tisn));
	PRM_SET(wq, PRM_ADDR(sqc, sqc, wq), uar_page, of->uar);
	return sqc;
}

static UNUSED uint32_t new_sq(const struct needs *of, uint32_t tisn)
{
	return MADE(sq_box(of, tisn));
}

/* Returns its WQ. */
static UNUSED uint8_t *rq_wq_box(const struct needs *of)
{
	uint8_t *rqc = wq_box(PRM_OP_CREATE_RQ, of);

	PRM_SET(rqc, rqc, vsd, 1);
	return PRM_ADDR(rqc, rqc, wq);
}

static UNUSED uint32_t new_rq(const struct needs *of)
{
	return MADE(rq_wq_box(of));
}

static UNUSED uint8_t *tir_box(uint32_t td, uint32_t rqn)
{
	uint8_t *tirc = PRM_ADDR(create_tir_in, b.in, ctx);

	box(PRM_OP_CREATE_TIR);
	SET(tirc, tirc, F(inline_rqn, rqn), F(transport_domain, td));
	return tirc;
}

static UNUSED uint32_t new_tir(uint32_t td, uint32_t rqn)
{
	return MADE(tir_box(td, rqn));
}

/* 128 WQEs of 64 bytes: two pages; returns the WQ. */
static UNUSED uint8_t *rmp_box(uint32_t pd)
{
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, b.in, ctx), *wq = PRM_ADDR(rmpc, rmpc, wq);

	box(PRM_OP_CREATE_RMP);
	PRM_SET(rmpc, rmpc, state, 1);
	SET(wq, wq, F(pd, pd), F(dbr_addr, (uintptr_t)record), F(log_wq_stride, 6),
	    F(log_wq_sz, 7));
	pas(page(5));
	pas(page(6));
	return wq;
}

static UNUSED uint32_t new_rmp(uint32_t pd)
{
	return MADE(rmp_box(pd));
}

#endif
