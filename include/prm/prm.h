/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prm: fields of the device's command layouts, by name.
 *
 *	uint8_t in[PRM_SZ(create_qp_in)] = { 0 };
 *	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
 *	PRM_SET(create_qp_in, in, qpc.pd, pdn);
 *
 *	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);      the same, with the address of the context
 *	PRM_SET(qpc, qpc, pd, pdn);
 *
 * A field is a name, or a path of names from the outermost structure to the field, as in Linux'
 * MLX5_SET(): PRM_GET(query_hca_cap_out, out, capability.cmd_hca_cap.log_max_qp). A path does
 * not lead into an array of structures: PRM_ADDR_AT() is the address of an element.
 *
 *	qpc.pd = FIELD(qpc, pd, 0x004, 23, 0):
 *	byte 4        5        6        7
 *	    +--------+--------+--------+--------+
 *	    |31    24|23            pd         0|     the most significant byte comes first
 *	    +--------+--------+--------+--------+
 *
 * Here are the constants and the accessors; the rows are in the .def files (read layout.def
 * first), opcodes in opcode.def, names of values in value.h, the tables for run time in
 * table.h. Names that do not exist do not compile. Values are in host byte order. Buffers
 * need no alignment. Plain memory: nothing here is a barrier, and locks are the caller's.
 */
#ifndef PRM_PRM_H
#define PRM_PRM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <prm/bits.h>
#include <prm/value.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRM_INLINE static inline __attribute__((always_inline, unused))

/* Bytes of a structure; a trailing array (pas, …) follows them. */
#define PRM_SZ(s) ((size_t)prm_bytes_##s)
/* First bit, 0 is the most significant bit of byte 0; and bits of the field or of one
 * element. */
#define PRM_OFF(s, f) offsetof(union prm_bits_##s, f)
#define PRM_W(s, f)   sizeof(((union prm_bits_##s *)0)->f##_w_)

/* A field or element of up to 64 bits. PRM_SET leaves all other bits as they are and drops
 * the bits of @v that do not fit; an array's first element is meant. */
#define PRM_GET(s, p, f)    PRM_GET_AT(s, p, f, 0)
#define PRM_SET(s, p, f, v) PRM_SET_AT(s, p, f, 0, v)
/* Whether all bits of the number @v fit the field. */
#define PRM_FITS(s, f, v) prm_fits(prm_narrow(PRM_W(s, f)), v)
/* PRM_SET for a number that is not known to fit: 0, or ERANGE and nothing is written. */
#define PRM_SET_CHECKED(s, p, f, v) \
	prm_store_checked(p, PRM_OFF(s, f), prm_narrow(PRM_W(s, f)), v)
/* Element @i of an array. */
#define PRM_GET_AT(s, p, f, i)                                                       \
	prm_load((const uint8_t *)(p) + (size_t)(i) * (prm_narrow(PRM_W(s, f)) / 8), \
		 PRM_OFF(s, f), PRM_W(s, f))
#define PRM_SET_AT(s, p, f, i, v)                                                              \
	prm_store((uint8_t *)(p) + (size_t)(i) * (prm_narrow(PRM_W(s, f)) / 8), PRM_OFF(s, f), \
		  PRM_W(s, f), (v))

/* Address of a field that starts at a byte: a nested structure, an array; and of element @i. */
#define PRM_ADDR(s, p, f)	((uint8_t *)(p) + PRM_OFF(s, f) / 8)
#define PRM_ADDR_AT(s, p, f, i) (PRM_ADDR(s, p, f) + (size_t)(i) * (PRM_W(s, f) / 8))

/* Evaluates to @width; does not compile for a constant above 64: use PRM_ADDR for such a
 * field. */
#define prm_narrow(width) ((width) + 0 * sizeof(char[(width) <= 64 ? 1 : -1]))

/* Big-endian load and store of the 1..4 bytes at @p. */
PRM_INLINE uint32_t prm_load32(const uint8_t *p, size_t bytes)
{
	if (bytes == 1)
		return p[0];
	if (bytes == 2)
		return (uint32_t)p[0] << 8 | p[1];
	if (bytes == 3)
		return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

	uint32_t be;
	memcpy(&be, p, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	be = __builtin_bswap32(be);
#endif
	return be;
}

PRM_INLINE void prm_store32(uint8_t *p, size_t bytes, uint32_t v)
{
	if (bytes == 4) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		v = __builtin_bswap32(v);
#endif
		memcpy(p, &v, 4);
		return;
	}
	if (bytes == 3)
		p[bytes - 3] = (uint8_t)(v >> 16);
	if (bytes >= 2)
		p[bytes - 2] = (uint8_t)(v >> 8);
	p[bytes - 1] = (uint8_t)v;
}

/* The field of @width bits at bit @off of @p. Touches the bytes of the field, no others. */
PRM_INLINE uint64_t prm_load(const void *p, size_t off, size_t width)
{
	const uint8_t *at = (const uint8_t *)p + off / 8;
	size_t bytes = (off % 8 + width + 7) / 8;

	if (width == 64)
		return (uint64_t)prm_load32(at, 4) << 32 | prm_load32(at + 4, 4);
	return prm_load32(at, bytes) >> (bytes * 8 - off % 8 - width) & (~0ULL >> (64 - width));
}

PRM_INLINE void prm_store(void *p, size_t off, size_t width, uint64_t v)
{
	uint8_t *at = (uint8_t *)p + off / 8;
	size_t bytes = (off % 8 + width + 7) / 8;

	if (width == 64) {
		prm_store32(at, 4, (uint32_t)(v >> 32));
		prm_store32(at + 4, 4, (uint32_t)v);
		return;
	}

	size_t shift = bytes * 8 - off % 8 - width;
	uint32_t mask = (uint32_t)((~0ULL >> (64 - width)) << shift);
	uint32_t old = width == bytes * 8 ? 0 : prm_load32(at, bytes) & ~mask;
	prm_store32(at, bytes, old | ((uint32_t)v << shift & mask));
}

PRM_INLINE bool prm_fits(size_t width, uint64_t v)
{
	return width >= 64 || !(v >> width);
}

__attribute__((warn_unused_result)) PRM_INLINE int prm_store_checked(void *p, size_t off,
								     size_t width, uint64_t v)
{
	if (!prm_fits(width, v))
		return ERANGE;
	prm_store(p, off, width, v);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
