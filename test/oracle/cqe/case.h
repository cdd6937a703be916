/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random CQE: bytes that a device could write and bytes that none would, chosen so that
 * libmlx5 survives them. Cases that it cannot survive are left out:
 *
 *	more data inside a CQE than fits	it copies what follows the CQE
 *	more than the list of an SRQ's slot holds	it goes on in the head of the next slot
 *	data inside a WQ's CQE, or of a QP that is not RC	it takes the WQ for a QP; it complains
 *	tag matching on an SRQ without tags		it has no list of tags to look in
 *	format 3 (compressed)				it takes it for data inside the CQE
 */
#ifndef ORACLE_CQE_CASE_H
#define ORACLE_CQE_CASE_H

#include "oracle/cqe/rig.h"

enum case_is {
	CASE_DONE,    /* a completion */
	CASE_NOTHING, /* not written yet: another owner, or no opcode */
	CASE_REFUSED, /* a CQE that libmlx5 calls an error of polling */
	CASE_UNREAD,  /* an opcode that it hands on without a status */
};

struct test_case {
	enum case_is is;
	enum rig_queue_kind kind;
	uint32_t ci; /* its index in the ring */
	uint8_t opcode, syndrome, send_opcode;
	uint16_t counter;  /* wqe_counter */
	bool out_of_order; /* wqe_counter is not the oldest receive's … */
	uint32_t tail;	   /* … which is this one */
	uint32_t inside;   /* bytes inside the CQE */
	uint8_t data[64];
	uint8_t slot[128] __attribute__((aligned(64)));
};

uint64_t case_random(void);
void case_seed(uint64_t seed);

/* The case for the CQE that @side polls after @ahead others; @last of its batch: only then it
 * may be something else than a completion. */
void case_make(struct test_case *c, struct rig_side *side, uint32_t ahead, bool last);

/* libmlx5 will count this receive. */
void case_count(const struct test_case *c, struct rig_side *side);

/* The CQE of the case, in a slot of @size bytes. */
static inline struct mlx5_cqe64 *case_cqe(struct test_case *c, uint32_t size)
{
	return (struct mlx5_cqe64 *)(c->slot + size) - 1;
}

#endif
