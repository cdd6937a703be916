/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CQ of four entries on an EQ of four, on plain memory, and calls that act as the device and
 * as the software that uses them.
 */
#ifndef TEST_UNIT_EVENT_QUEUES_H
#define TEST_UNIT_EVENT_QUEUES_H

#include <criterion/criterion.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

#define UNUSED __attribute__((unused))

static struct hca hca;
static struct hca_cq *cq;
static struct hca_eq *eq;
static uint8_t ring[4][64] __attribute__((aligned(64))), eq_ring[4][64];
static uint32_t record[2];
static int irqs;

static void count_irq(struct hca *dev, struct hca_eq *q)
{
	(void)dev;
	cr_assert_eq(q, eq);
	irqs++;
}

static struct hca_ring ring_of(void *buf)
{
	struct hca_ring r = { .pas = malloc(sizeof(uint64_t)), .npas = 1, .log_page = 12 };

	r.pas[0] = (uintptr_t)buf;
	return r;
}

static UNUSED void setup(void)
{
	irqs = 0;
	cr_assert_eq(hca_init(&hca, 1), 0);
	hca.irq = count_irq;
	eq = hca_eq_new(&hca);
	eq->ring = ring_of(eq_ring);
	eq->log_size = 2;
	eq->events = 1u << PRM_EVENT_CQ_ERROR | 1u << PRM_EVENT_WQ_CATAS_ERROR;
	cq = hca_cq_new(&hca);
	cq->ring = ring_of(ring);
	cq->log_size = 2;
	cq->cqe_size_log = 6;
	cq->eq = eq;
	cq->dbrec = (uintptr_t)record;
	record[0] = 0;
	record[1] = UINT32_MAX;
	cq->arm_last = UINT32_MAX;
}

static UNUSED void teardown(void)
{
	hca_fini(&hca);
}

/* Opcodes of the CQEs that the device writes (op_own 7:4). */
enum { SEND_CQE = 2, SEND_IMM_CQE = 3, REQ_ERR_CQE = 13, RESP_ERR_CQE = 14 };
enum { PLAIN, SOLICITED }; /* a CQE; and an arm, for all CQEs or solicited ones only */

static UNUSED bool put_cqe(uint8_t op, bool solicited)
{
	uint8_t entry[128] = { 0 };

	entry[64] = 0x11;
	entry[127] = op << 4;
	return event_cqe(&hca, cq, entry, solicited);
}

/* How many interrupts there were after it. */
static UNUSED int after_cqe(uint8_t op, bool solicited)
{
	put_cqe(op, solicited);
	return irqs;
}

static UNUSED void consume(uint32_t ci)
{
	record[0] = htobe32(ci);
}

/* The record and the register, with sequence number @sn and consumer index @ci; the interrupts
 * so far. */
static UNUSED int arm(uint32_t sn, bool solicited, uint32_t ci)
{
	uint32_t word = sn << 28 | (uint32_t)solicited << 24 | ci;

	record[1] = htobe32(word);
	event_cq_arm(&hca, cq, word);
	return irqs;
}

#endif
