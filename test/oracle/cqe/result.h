/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of a poll as members of ibv_wc, and which of them are valid. Three who fill it:
 *
 *	result_poll_cq		libmlx5 by ibv_poll_cq()
 *	result_start_poll	libmlx5 by ibv_start_poll() and the readers
 *	result_direct		dv: its accessors, and the table of the specification (direct.c)
 */
#ifndef ORACLE_CQE_RESULT_H
#define ORACLE_CQE_RESULT_H

#include "oracle/cqe/case.h"

enum result_field {
	RESULT_WR_ID,
	RESULT_STATUS,
	RESULT_OPCODE,
	RESULT_VENDOR_ERR,
	RESULT_BYTE_LEN,
	RESULT_IMM, /* as 32 bits of the machine, in whatever order the API has it */
	RESULT_QP_NUM,
	RESULT_SRC_QP,
	RESULT_FLAGS,
	RESULT_PKEY_INDEX,
	RESULT_SLID,
	RESULT_SL,
	RESULT_PATH_BITS,
	RESULT_TIMESTAMP,
	RESULT_CVLAN,
	RESULT_FLOW_TAG,
	RESULT_FIELDS,
};

struct result {
	int found;	  /* 1, 0: nothing, -1: refused */
	uint32_t defined; /* bits of result_field */
	uint64_t field[RESULT_FIELDS];
};

extern const char *const result_field_name[RESULT_FIELDS];

void result_poll_cq(struct result *r, struct rig_side *side);
void result_start_poll(struct result *r, unsigned int n, struct rig_side *side);

/* The case by dv: @cqe is from dv_cq_poll(), or NULL. @lazy: as the readers would say it.
 * Retires receives and results inside the CQE. */
void result_direct(struct result *r, struct rig_side *side, const struct test_case *c,
		   const struct mlx5_cqe64 *cqe, bool lazy);

static inline void result_set(struct result *r, enum result_field field, uint64_t value)
{
	r->field[field] = value;
	r->defined |= 1u << field;
}

#endif
