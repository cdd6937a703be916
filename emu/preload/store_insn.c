/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Just as much of the instruction format as stores need (Intel SDM, volume 2, chapter 2):
 *
 *	prefixes | REX, VEX or EVEX | map | opcode | ModRM | SIB …
 *
 * Only instructions that are known to store and not to read: movs of integers and vectors. Not
 * those that repeat (rep movs), which store several times.
 */
#include <stdbool.h>

#include "preload/store_insn.h"

enum map { MAP_1, MAP_0F, MAP_0F38, MAP_OTHER };

#define RSP 4
#define RBP 5

struct insn {
	const uint8_t *at; /* the next byte */
	enum map map;
	bool vector;		     /* VEX or EVEX */
	bool repne;		     /* F2 */
	uint8_t rex_r, rex_x, rex_b; /* 0 or 8 */
};

/* False: a prefix that no plain store has (LOCK, segments, address size, REP). */
static bool prefixes(struct insn *i)
{
	for (;; i->at++) {
		switch (*i->at) {
		case 0x66:
			break;
		case 0xf2:
			i->repne = true;
			break;
		case 0xf3: /* of vector moves; string instructions are not known below */
			break;
		case 0x67:
		case 0x64:
		case 0x65:
		case 0xf0:
			return false;
		default:
			return true;
		}
	}
}

static void high_bits(struct insn *i, uint8_t inverted)
{
	i->rex_r = inverted & 0x80 ? 0 : 8;
	i->rex_x = inverted & 0x40 ? 0 : 8;
	i->rex_b = inverted & 0x20 ? 0 : 8;
}

static void encoding(struct insn *i)
{
	static const enum map maps[8] = { MAP_OTHER, MAP_0F,	MAP_0F38,  MAP_OTHER,
					  MAP_OTHER, MAP_OTHER, MAP_OTHER, MAP_OTHER };
	uint8_t byte = *i->at;

	if (byte == 0xc5) {
		high_bits(i, i->at[1] | 0x60);
		i->map = MAP_0F;
		i->at += 2;
	} else if (byte == 0xc4 || byte == 0x62) {
		high_bits(i, i->at[1]);
		i->map = maps[i->at[1] & 7];
		i->at += byte == 0xc4 ? 3 : 4;
	} else {
		if ((byte & 0xf0) == 0x40) {
			high_bits(i, (uint8_t) ~(byte << 5));
			i->at++;
		}
		i->map = MAP_1;
		return;
	}
	i->vector = true;
}

static void legacy_map(struct insn *i)
{
	if (i->map != MAP_1 || *i->at != 0x0f)
		return;
	i->at++;
	i->map = MAP_0F;
	if (*i->at != 0x38 && *i->at != 0x3a)
		return;
	i->map = *i->at == 0x38 ? MAP_0F38 : MAP_OTHER;
	i->at++;
}

/* MOV of registers and constants, MOVNTI, MOVBE, MOVDIRI. */
static bool stores_integer(const struct insn *i, uint8_t op)
{
	if (i->vector)
		return false;
	if (i->map == MAP_1)
		return op == 0x88 || op == 0x89 || op == 0xc6 || op == 0xc7;
	if (i->map == MAP_0F)
		return op == 0xc3;
	return i->map == MAP_0F38 && ((op == 0xf1 && !i->repne) || op == 0xf9);
}

/* MOVUPS and similar, MOVLPS, MOVHPS, MOVAPS, MOVNTPS, MOVD, MOVDQA, MOVDQU, MOVQ, MOVNTDQ. */
static bool stores_vector(const struct insn *i, uint8_t op)
{
	if (i->map != MAP_0F)
		return false;
	switch (op) {
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x2b:
	case 0x7e:
	case 0x7f:
	case 0xd6:
	case 0xe7:
		return true;
	default:
		return false;
	}
}

/* The base register of ModRM; -1: no base register, or one that is also the index. */
static int base_of(const struct insn *i, const uint8_t *modrm)
{
	uint8_t mod = modrm[0] >> 6, rm = modrm[0] & 7, sib = modrm[1], base, index;

	if (mod == 3 || (rm == RBP && !mod))
		return -1;
	if (rm != RSP)
		return rm | i->rex_b;
	base = sib & 7;
	index = (sib >> 3 & 7) | i->rex_x;
	if (base == RBP && !mod)
		return -1;
	base |= i->rex_b;
	return base == RSP || base == index ? -1 : base;
}

int store_base(const uint8_t *code)
{
	struct insn i = { .at = code };
	bool constant;
	uint8_t op;
	int base;

	if (!prefixes(&i))
		return -1;
	encoding(&i);
	legacy_map(&i);
	op = *i.at;
	if (!stores_integer(&i, op) && !stores_vector(&i, op))
		return -1;
	base = base_of(&i, i.at + 1);
	constant = i.map == MAP_1 && (op == 0xc6 || op == 0xc7);
	/* The stored register must not be the address register. */
	if (stores_integer(&i, op) && !constant && base == ((i.at[1] >> 3 & 7) | i.rex_r))
		return -1;
	return base;
}
