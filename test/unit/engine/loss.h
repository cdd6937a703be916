/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random operations from near to far over a wire that loses random frames in both directions.
 * Each is executed once, in order, with the right bytes. The seed is fixed.
 *
 *	lower half of each buffer: sent or read     upper half: written
 */
#ifndef TEST_ENGINE_LOSS_H
#define TEST_ENGINE_LOSS_H

#include "rig.h"

#define LOSS_OPS 400

struct loss {
	struct side *from, *to;
	uint32_t longest;    /* message */
	unsigned int blocks; /* of a WQE */
	/* Posts a receive of @len bytes at offset @at for @to. */
	void (*receive)(uint32_t at, uint32_t len);
	void (*address)(void);	 /* addresses the next WQE to @to; may be NULL */
	void (*meanwhile)(void); /* in every round; may be NULL */
};

/* 0 … @n - 1. */
unsigned int loss_dice(unsigned int n);

/* Fills the buffers. */
void loss_begin(void);
void loss_run(const struct loss *l);

#endif
