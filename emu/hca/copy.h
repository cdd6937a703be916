/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last value written to a doorbell register, where stores are seen one by one.
 *
 *	UAR page  0x800  register 0, half 0	0x900  half 1
 *	          0xa00  register 1, half 0	0xb00  half 1
 *	          0xc00  register 2, half 0	0xd00  half 1
 *	          0xe00  register 3, half 0	0xf00  half 1
 */
#ifndef EMU_HCA_COPY_H
#define EMU_HCA_COPY_H

#include <stdbool.h>
#include <stdint.h>

#define HCA_UAR_REGISTERS 0x800u /* in the UAR page */
#define HCA_REGISTERS	  4u
#define HCA_REGISTER_HALF 0x100u

struct hca_copy {
	int thread;			/* that began it; 0: nothing was written yet */
	uint32_t number;		/* of the queue */
	bool sq;			/* which is an SQ of raw packets */
	uint8_t half;			/* of the register */
	bool reported;			/* one finding for each copy */
	bool known;			/* the queue is there: what follows is valid */
	bool announced;			/* the record covered the WQE */
	bool again;			/* the half is that of the ring before */
	bool early;			/* it announced WQEs that the record did not have yet */
	uint16_t record;		/* as it was then */
	bool second;			/* the same again, after the record */
	uint16_t index;			/* of the WQE */
	uint32_t words;			/* bit i: the i-th 8 bytes were written */
	uint8_t last_at, last_len;	/* offset and bytes of the latest store */
	uint16_t len;			/* of the WQE, in whole blocks */
	uint8_t first[8];		/* that the register got */
	uint8_t wqe[HCA_REGISTER_HALF]; /* as it is in the ring */
};

#endif
