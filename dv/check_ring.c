/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_ring_check() (check.h): WQE after WQE from ci to pi, then who knows of them.
 *
 *	 ci            rung           record        pi
 *	[   at work   ][  not rung   ][ no record  ]
 *
 * The device reads the record when the register is rung: what the register names is a WQE that
 * the record has to cover by then.
 */
#include "finding.h"
#include "wqe_shape.h"

struct ring_check {
	const struct dv_queue_facts *q;
	struct findings f;
	bool signalled;
};

#define SAY(c, fault, idx, ...) finding(&(c)->f, fault, idx, 0, __VA_ARGS__)

static const uint8_t *block(const struct dv_queue_facts *q, uint16_t idx)
{
	return (const uint8_t *)q->ring + (size_t)(idx & (q->wqe_cnt - 1)) * BLOCK;
}

/* Blocks of the WQE whose control segment is @ctrl. */
static uint16_t blocks(const uint8_t *ctrl)
{
	size_t says = wqe_says(ctrl);

	return (uint16_t)(says ? (says + BLOCK - 1) / BLOCK : 1);
}

/* Blocks from @idx to the edge, if they are what someone left who went on at slot 0. */
static uint16_t unfilled(const struct dv_queue_facts *q, uint16_t idx)
{
	uint16_t edge = (uint16_t)(q->wqe_cnt - (idx & (q->wqe_cnt - 1)));
	uint16_t next = (uint16_t)(idx + edge);

	if (!q->padded || edge == q->wqe_cnt || edge >= (uint16_t)(q->pi - idx))
		return 0;
	if (be16(block(q, idx) + 1) == idx || be16(block(q, next) + 1) != next)
		return 0;
	return edge;
}

/* The WQE at @idx; returns its blocks. */
static uint16_t check_wqe(struct ring_check *c, uint16_t idx)
{
	const struct dv_queue_facts *q = c->q;
	const uint8_t *ctrl = block(q, idx);
	uint16_t nbb = blocks(ctrl), left = (uint16_t)(q->pi - idx);
	uint16_t edge = (uint16_t)(q->wqe_cnt - (idx & (q->wqe_cnt - 1)));
	size_t space = c->f.n < c->f.max ? c->f.max - c->f.n : 0;
	uint8_t wqe[DV_WQE_MAX_BYTES];

	c->f.n += dv_wqe_check(q, wqe, dv_wqe_copy(wqe, q->ring, q->wqe_cnt, idx), idx,
			       space ? c->f.found + c->f.n : NULL, space);
	if (nbb > left)
		SAY(c, DV_FAULT_DS_END, idx, "it has %u blocks, and only %u are committed", nbb,
		    left);
	if (q->padded && nbb > edge)
		SAY(c, DV_FAULT_WRAP, idx,
		    "it continues after the edge of the ring, in slot 0");
	c->signalled |= (ctrl[11] >> 2 & 3) >= 2;
	return nbb < left ? nbb : left;
}

static void check_wqes(struct ring_check *c)
{
	uint16_t idx = c->q->ci, edge;

	while (idx != c->q->pi) {
		edge = unfilled(c->q, idx);
		if (edge)
			SAY(c, DV_FAULT_PADDING, idx,
			    "no NOPs in the %u blocks before the edge of the ring", edge);
		idx = (uint16_t)(idx + (edge ? edge : check_wqe(c, idx)));
	}
}

static void check_space(struct ring_check *c, uint32_t used)
{
	const struct dv_queue_facts *q = c->q;
	uint16_t next = q->next_nbb ? q->next_nbb : 1;

	if (used + next > q->wqe_cnt && !c->signalled)
		SAY(c, DV_FAULT_NO_SIGNAL, q->ci,
		    "from here on the ring is full of WQEs, and none is signalled: no CQE will "
		    "free it");
}

/* ---- doorbells ---- */

/* The record, which is @record, against what was written. */
static void check_record(struct ring_check *c, uint16_t record)
{
	const struct dv_queue_facts *q = c->q;
	uint16_t written = (uint16_t)(q->pi - q->ci), recorded = (uint16_t)(record - q->ci);

	if (recorded == written)
		return;
	if (recorded < written)
		SAY(c, DV_FAULT_UNRECORDED, record,
		    "this and what follows is in the ring, and the record ends before it: ring "
		    "the doorbell");
	else if ((int16_t)(record - q->pi) > 0)
		SAY(c, DV_FAULT_RECORD_AHEAD, q->pi,
		    "the record says %u, and the last WQE ends at %u: the device will read what "
		    "is no WQE",
		    record, q->pi);
	else
		SAY(c, DV_FAULT_RECORD_BEHIND, record,
		    "the record says %u, and all up to %u is completed: it went back", record,
		    q->ci);
}

/* The value in the register; *end: where its WQE ends. False: it is not of this queue. */
static bool check_register(struct ring_check *c, uint16_t *end)
{
	const struct dv_queue_facts *q = c->q;
	const uint8_t *rung = q->rung;
	uint16_t idx = be16(rung + 1);

	*end = (uint16_t)(idx + blocks(rung));
	if (be32(rung + 4) >> 8 != q->qpn) {
		SAY(c, DV_FAULT_RUNG_OTHER, idx,
		    "the register was rung with qpn 0x%x: this queue is 0x%x",
		    be32(rung + 4) >> 8, q->qpn);
		return false;
	}
	if (be64(rung) != be64(block(q, idx)))
		SAY(c, DV_FAULT_RUNG_OTHER, idx,
		    "the register was rung with 8 bytes that do not begin this WQE");
	return true;
}

static void check_rung(struct ring_check *c, uint16_t record, uint16_t end)
{
	if ((int16_t)(end - record) > 0)
		SAY(c, DV_FAULT_RUNG_FIRST, record,
		    "the register was rung for WQEs up to %u, and the record says %u: it has to "
		    "be written first",
		    end, record);
	else if (end != record)
		SAY(c, DV_FAULT_UNRUNG, end,
		    "this is in the record, and the register was not rung for it");
}

static void check_doorbells(struct ring_check *c)
{
	const struct dv_queue_facts *q = c->q;
	uint16_t record, end;

	if (!q->dbrec)
		return;
	record = (uint16_t)be32((const uint8_t *)q->dbrec);
	check_record(c, record);
	if (q->rung) {
		if (check_register(c, &end))
			check_rung(c, record, end);
	} else if (q->rung_pi) {
		check_rung(c, record, *q->rung_pi);
	}
}

size_t dv_ring_check(const struct dv_queue_facts *q, struct dv_finding *found, size_t max)
{
	struct ring_check c = { .q = q, .f = { found, max, 0 } };
	uint16_t used = (uint16_t)(q->pi - q->ci);

	if (!q->ring || !q->wqe_cnt || q->wqe_cnt & (q->wqe_cnt - 1))
		return 0;
	if (used > q->wqe_cnt)
		SAY(&c, DV_FAULT_OVERRUN, q->ci,
		    "%u blocks from here on are in use, and the ring has %u: WQEs were "
		    "overwritten before they were done",
		    used, q->wqe_cnt);
	else
		check_wqes(&c);
	check_space(&c, used);
	check_doorbells(&c);
	return c.f.n;
}
