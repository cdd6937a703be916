/* SPDX-License-Identifier: BSD-2-Clause */
/* Offset and width of each row as enumerators, for the tables, and for check.cpp to compare
 * with <prm/bits.h>. */
#ifndef PRM_POSITION_H
#define PRM_POSITION_H

#include <prm/prm.h>

enum prm_position {
#define PRM_FIELD(s, f, byte, hi, lo) \
	prm_off_##s##_AT_##f = (byte)*8 + 31 - (hi), prm_width_##s##_AT_##f = (hi) - (lo) + 1,
#define PRM_QWORD(s, f, byte)		 prm_off_##s##_AT_##f = (byte)*8, prm_width_##s##_AT_##f = 64,
#define PRM_BYTES(s, f, byte, n)	 prm_off_##s##_AT_##f = (byte)*8, prm_width_##s##_AT_##f = 8,
#define PRM_ARRAY(s, f, byte, hi, lo, n) PRM_FIELD(s, f, byte, hi, lo)
#define PRM_QWORDS(s, f, byte, n)	 PRM_QWORD(s, f, byte)
#define PRM_NEST(s, f, byte, type) \
	prm_off_##s##_AT_##f = (byte)*8, prm_width_##s##_AT_##f = prm_bytes_##type * 8,
#define PRM_NESTS(s, f, byte, type, n) PRM_NEST(s, f, byte, type)
#include <prm/layout.def>
};

#endif
