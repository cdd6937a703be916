/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Definitions that mlx5_ifc.h needs outside the kernel. In it a bit is a byte:
 *
 *	u8 opcode[0x10];    offsetof = first bit, sizeof = width
 */
#ifndef ORACLE_PRM_SHIM_H
#define ORACLE_PRM_SHIM_H

typedef unsigned char u8;

#define BIT(n)	   (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
/* A tail inside a union; the empty member makes C accept it. */
#define DECLARE_FLEX_ARRAY(type, name) \
	struct {                       \
		struct {               \
		} empty_##name;        \
		type name[];           \
	}

#endif
