/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layouts as types in which each byte is a bit of the layout, as in Linux' mlx5_ifc.h:
 * offsetof() and sizeof() are bit positions and widths, of nested fields too. For the macros of
 * prm.h only; there are no objects of these types.
 *
 * The names of all fields are members here. A macro of the program with such a name (state, pd,
 * type …) has to be defined after this header is included; where it is defined, PRM_GET() and
 * the others cannot be used with that field.
 *
 *	union prm_bits_qpc {
 *		char whole_[0xe8 * 8];
 *		struct { char before_state[0]; char state[0]; char state_w_[4]; };
 *		struct { char before_pd[40];   char pd[0];    char pd_w_[24];   };
 *		struct { char before_primary_address_path[…]; union prm_bits_ads primary_address_path; … };
 *	};
 *
 * A row has its offset by a member in front of it, since rows may overlap. Its width is that of
 * a separate member, since a trailing array makes a union longer than the structure that it
 * describes. A nested structure is a member of its type, so it is defined before; an array of
 * them is not.
 */
#ifndef PRM_BITS_H
#define PRM_BITS_H

#ifdef __cplusplus
extern "C" {
#endif
/* Anonymous structures (C++) and arrays of size 0. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

/* An enumerator a structure. */
enum prm_bytes {
#define PRM_STRUCT(s, bytes) prm_bytes_##s = bytes,
#include <prm/layout.def>
};

/* Each row of layout.def that begins a structure ends the one before it. */
union prm_bits_ {
	char none_;
#define PRM_STRUCT(s, bytes) \
	}                    \
	;                    \
	union prm_bits_##s { \
		char whole_[(bytes)*8];
#define PRM_ROW_(f, bit, width)       \
	struct {                      \
		char before_##f[bit]; \
		char f[0];            \
		char f##_w_[width];   \
	};
#define PRM_FIELD(s, f, byte, hi, lo)	 PRM_ROW_(f, (byte)*8 + 31 - (hi), (hi) - (lo) + 1)
#define PRM_QWORD(s, f, byte)		 PRM_ROW_(f, (byte)*8, 64)
#define PRM_BYTES(s, f, byte, n)	 PRM_ROW_(f, (byte)*8, 8)
#define PRM_ARRAY(s, f, byte, hi, lo, n) PRM_FIELD(s, f, byte, hi, lo)
#define PRM_QWORDS(s, f, byte, n)	 PRM_QWORD(s, f, byte)
#define PRM_NESTS(s, f, byte, type, n)	 PRM_ROW_(f, (byte)*8, prm_bytes_##type * 8)
#define PRM_NEST(s, f, byte, type)                 \
	struct {                                   \
		char before_##f[(byte)*8];         \
		union prm_bits_##type f;           \
		char f##_w_[prm_bytes_##type * 8]; \
	};
#include <prm/layout.def>
};
#undef PRM_ROW_

#pragma GCC diagnostic pop
#ifdef __cplusplus
}
#endif

#endif
