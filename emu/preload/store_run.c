/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of the instruction set as copies to registers of a device consist of (Intel SDM, volume 2):
 *
 *	prefix 66 or F3 | REX | opcode | ModRM | SIB | displacement | immediate
 *
 *	89 8B C7 8D		MOV of 4 and 8 bytes, LEA
 *	0F 10 28 6F		MOVUPS, MOVAPS, MOVDQA, MOVDQU from memory
 *	0F 11 29 2B 7F E7	the same to memory, MOVNTPS, MOVNTDQ
 *
 * The last line with VEX or EVEX instead of the prefixes, too, without a mask: libc's memcpy uses registers of 32 and 64
 * bytes.
 *
 *	VEX	C5 | R vvvv L pp
 *		C4 | R X B map | W vvvv L pp
 *	EVEX	62 | R X B R' 0 map | W vvvv 1 pp | z L b V' aaa	displacements of 8 bits are in vectors
 *
 * Others end the run: the processor executes them.
 */
#include "preload/store_run.h"

#if defined(__x86_64__)

#include <string.h>

#include "preload/store_vector.h"

#define RUN    64  /* instructions */
#define VECTOR 16u /* bytes, of SSE */
#define RSP    4
#define RBP    5
#define MAP_0F 1 /* of VEX and EVEX */

struct insn {
	const uint8_t *at; /* the next byte */
	bool operand;	   /* prefix 66 */
	bool rep;	   /* prefix F3 */
	uint8_t rex;
	uint8_t len;  /* of the operand */
	uint8_t reg;  /* of ModRM */
	uint8_t high; /* EVEX.R': what is added to it */
	uint8_t unit; /* of displacements of 8 bits */
	bool vector, load, store, constant, lea;
	bool memory; /* the other operand is not a register */
	uint8_t rm;
	uintptr_t address;
	uint64_t value; /* constant */
};

static greg_t *reg_at(ucontext_t *uc, unsigned int n)
{
	static const uint8_t gregs[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					   REG_R12, REG_R13, REG_R14, REG_R15 };

	return &uc->uc_mcontext.gregs[gregs[n]];
}

/* ---- decoding ---- */

static int32_t signed32(const uint8_t *at)
{
	int32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static bool integer_op(struct insn *i, uint8_t op)
{
	if (i->operand || i->rep)
		return false;
	i->len = i->rex & 8 ? 8 : 4;
	i->load = op == 0x8b;
	i->store = op == 0x89 || op == 0xc7;
	i->constant = op == 0xc7;
	i->lea = op == 0x8d;
	return i->load || i->store || i->lea;
}

static bool vector_op(struct insn *i, uint8_t op)
{
	i->vector = true;
	if (!i->len)
		i->len = VECTOR;
	switch (op) {
	case 0x10: /* MOVUPS, MOVUPD */
	case 0x28:
		i->load = !i->rep;
		break;
	case 0x11:
	case 0x29:
	case 0x2b:
		i->store = !i->rep;
		break;
	case 0x6f: /* without a prefix of MMX registers */
		i->load = i->operand || i->rep;
		break;
	case 0x7f:
		i->store = i->operand || i->rep;
		break;
	case 0xe7:
		i->store = i->operand;
		break;
	default:
		break;
	}
	return i->load || i->store;
}

static bool opcode(struct insn *i)
{
	uint8_t op = *i->at++;

	return op == 0x0f ? vector_op(i, *i->at++) : integer_op(i, op);
}

static uint64_t index_of(ucontext_t *uc, const struct insn *i, uint8_t sib)
{
	unsigned int index = (sib >> 3 & 7) | (i->rex & 2) << 2;

	return index == RSP ? 0 : (uint64_t)*reg_at(uc, index) << (sib >> 6);
}

/* Base, index and displacement. Relative to the program counter: not known. */
static bool memory(ucontext_t *uc, struct insn *i, uint8_t mod, uint8_t rm)
{
	bool has_base = true;

	i->memory = true;
	if (rm == RSP) {
		uint8_t sib = *i->at++;

		i->address = index_of(uc, i, sib);
		rm = sib & 7;
		has_base = rm != RBP || mod;
	} else if (rm == RBP && !mod) {
		return false;
	}
	if (has_base)
		i->address += (uint64_t)*reg_at(uc, rm | (i->rex & 1) << 3);
	if (mod == 1) {
		i->address += (int8_t)*i->at++ * i->unit;
	} else if (mod == 2 || !has_base) {
		i->address += signed32(i->at);
		i->at += 4;
	}
	return true;
}

static bool operands(ucontext_t *uc, struct insn *i)
{
	uint8_t modrm = *i->at++, mod = modrm >> 6, rm = modrm & 7;

	i->reg = (modrm >> 3 & 7) | (i->rex & 4) << 1 | i->high;
	if (mod == 3)
		i->rm = rm | (i->rex & 1) << 3;
	else if (!memory(uc, i, mod, rm))
		return false;
	if (i->constant) {
		if (modrm >> 3 & 7)
			return false;
		i->value = (uint64_t)(int64_t)signed32(i->at);
		i->at += 4;
	}
	return true;
}

static bool is_vex(uint8_t byte)
{
	return byte == 0xc4 || byte == 0xc5 || byte == 0x62;
}

/* The bits of both that have the same place: in the first byte R, X and B, inverted; in the last pp. */
static void common(struct insn *i, uint8_t first, uint8_t last)
{
	i->rex = ~first >> 5 & 7;
	i->operand = (last & 3) == 1;
	i->rep = (last & 3) == 2;
}

/* False: the opcode, which follows, is of another map, has a mask, or pp is F2. */
static bool vex(struct insn *i)
{
	uint8_t kind = *i->at++, first = *i->at++, last = first, length;

	if (kind == 0xc5) {
		common(i, first | 0x60, last); /* only R */
		length = last >> 2 & 1;
	} else if (kind == 0xc4) {
		last = *i->at++;
		common(i, first, last);
		length = last >> 2 & 1;
	} else {
		last = *i->at++;
		common(i, first, last);
		i->high = first & 0x10 ? 0 : 16;
		length = *i->at >> 5 & 3;
		if (*i->at++ & 0x97 || first & 0x08) /* z, b, aaa */
			return false;
	}
	i->len = VECTOR << length;
	i->unit = kind == 0x62 ? i->len : 1;
	return i->len <= STORE_VECTOR_MAX && (last & 3) != 3 &&
	       (kind == 0xc5 || (first & 7) == MAP_0F);
}

static bool decode(ucontext_t *uc, struct insn *i)
{
	*i = (struct insn){ .at = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP], .unit = 1 };
	if (is_vex(*i->at))
		return vex(i) && vector_op(i, *i->at++) && i->store && operands(uc, i);
	for (; *i->at == 0x66 || *i->at == 0xf3; i->at++) {
		i->operand |= *i->at == 0x66;
		i->rep |= *i->at == 0xf3;
	}
	if ((*i->at & 0xf0) == 0x40)
		i->rex = *i->at++;
	return !(i->operand && i->rep) && opcode(i) && operands(uc, i);
}

/* ---- executing ---- */

/* As of a register of 8 bytes: 4 that are written to it clear the others. */
static void set_reg(ucontext_t *uc, const struct insn *i, unsigned int n, const uint8_t *bytes)
{
	uint64_t value = 0;

	memcpy(&value, bytes, i->len);
	*reg_at(uc, n) = (greg_t)value;
}

/* Register @n as an operand. False: it is not known. */
static bool get_reg(ucontext_t *uc, const struct insn *i, unsigned int n, uint8_t *bytes)
{
	if (i->vector)
		return store_vector_get(uc, n, i->len, bytes);
	memcpy(bytes, reg_at(uc, n), i->len);
	return true;
}

/* What is stored. */
static bool get(ucontext_t *uc, const struct insn *i, uint8_t *bytes)
{
	if (!i->constant)
		return get_reg(uc, i, i->reg, bytes);
	memcpy(bytes, &i->value, i->len);
	return true;
}

/* Of what does not store. */
static bool execute(ucontext_t *uc, const struct insn *i)
{
	uint8_t bytes[VECTOR] = { 0 };

	if (i->lea)
		memcpy(bytes, &i->address, i->len);
	else if (i->memory && !core_fault_load(bytes, i->address, i->len))
		return false;
	else if (!i->memory && !get_reg(uc, i, i->rm, bytes))
		return false;
	if (i->vector)
		store_vector_set(uc, i->reg, bytes);
	else
		set_reg(uc, i, i->reg, bytes);
	return true;
}

/* Where the bytes that @i stores go in @to; NULL: to another page, or there is no space. */
static uint8_t *place(const struct insn *i, uintptr_t page, struct engine_store *to, size_t max,
		      size_t *n)
{
	struct engine_store *last = *n ? &to[*n - 1] : NULL;
	uintptr_t off = i->address - page;

	if (!i->memory || off >= HCA_PAGE_SIZE || off + i->len > HCA_PAGE_SIZE)
		return NULL;
	if (last && last->offset + last->len == off &&
	    last->len + i->len <= sizeof(last->bytes)) {
		last->len += i->len;
		return last->bytes + last->len - i->len;
	}
	if (*n == max)
		return NULL;
	last = &to[(*n)++];
	last->offset = off;
	last->len = i->len;
	return last->bytes;
}

size_t store_run(void *ucontext, uintptr_t page, struct engine_store *to, size_t max)
{
	ucontext_t *uc = ucontext;
	struct insn i;
	size_t n = 0;

	for (unsigned int run = 0; run < RUN && decode(uc, &i); run++) {
		uint8_t value[STORE_VECTOR_MAX], *bytes = NULL;

		if (i.store && get(uc, &i, value))
			bytes = place(&i, page, to, max, &n);
		if (bytes)
			memcpy(bytes, value, i.len);
		else if (!n || i.store || !execute(uc, &i))
			break;
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)i.at;
	}
	return n;
}

#else

size_t store_run(void *ucontext, uintptr_t page, struct engine_store *to, size_t max)
{
	(void)ucontext, (void)page, (void)to, (void)max;
	return 0;
}

#endif
