/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of layout.def at compile time; nothing of this file is in the library.
 *
 *	dword   |31 ............ 0|31 ............ 0|
 *	field        [====]                            inside one dword: yes
 *	field                  [=====]                 straddles: refused
 *
 * Each row of a structure is inside its declared bytes (a trailing array begins at their end),
 * in ascending order, and shares no bit with another, unless PRM_ALT follows it or the
 * structure is a union. C++ because its constant expressions can walk an array; that prm.h
 * compiles as C++17 is shown on the way.
 */
#include <prm/prm.h>

#include "position.h"

namespace
{

enum row_kind { begin, begin_union, bits, nest, alt };

struct row {
	row_kind kind;
	int owner;
	unsigned int off, width, count;
	bool array;
};

enum owner_index {
#define PRM_STRUCT(s, bytes) owner_##s,
#include <prm/layout.def>
};

#define POSITION(s, f) owner_##s, prm_off_##s##_AT_##f, prm_width_##s##_AT_##f
constexpr row rows[] = {
#define PRM_STRUCT(s, bytes)		 { begin, owner_##s, 0, (bytes)*8, 1, false },
#define PRM_UNION(s, bytes)		 { begin_union, owner_##s, 0, (bytes)*8, 1, false },
#define PRM_FIELD(s, f, byte, hi, lo)	 { bits, POSITION(s, f), 1, false },
#define PRM_QWORD(s, f, byte)		 { bits, POSITION(s, f), 1, false },
#define PRM_BYTES(s, f, byte, n)	 { bits, POSITION(s, f), n, true },
#define PRM_ARRAY(s, f, byte, hi, lo, n) { bits, POSITION(s, f), n, true },
#define PRM_QWORDS(s, f, byte, n)	 { bits, POSITION(s, f), n, true },
#define PRM_NEST(s, f, byte, type)	 { nest, POSITION(s, f), 1, false },
#define PRM_NESTS(s, f, byte, type, n)	 { nest, POSITION(s, f), n, true },
#define PRM_ALT(s, f)			 { alt, owner_##s, 0, 0, 0, false },
#include <prm/layout.def>
};
constexpr int row_count = sizeof(rows) / sizeof(rows[0]);

enum row_index {
#define PRM_STRUCT(s, bytes)		 row_##s,
#define PRM_FIELD(s, f, byte, hi, lo)	 row_##s##_AT_##f,
#define PRM_QWORD(s, f, byte)		 row_##s##_AT_##f,
#define PRM_BYTES(s, f, byte, n)	 row_##s##_AT_##f,
#define PRM_ARRAY(s, f, byte, hi, lo, n) row_##s##_AT_##f,
#define PRM_QWORDS(s, f, byte, n)	 row_##s##_AT_##f,
#define PRM_NEST(s, f, byte, type)	 row_##s##_AT_##f,
#define PRM_NESTS(s, f, byte, type, n)	 row_##s##_AT_##f,
#define PRM_ALT(s, f)			 row_alt_##s##_AT_##f,
#include <prm/layout.def>
};

constexpr bool is_alt(int i)
{
	return i + 1 < row_count && rows[i + 1].kind == alt;
}

constexpr bool in_one_dword(int i)
{
	const row &r = rows[i];

	if (r.kind == nest || r.array)
		if (r.off % 8)
			return false;
	if (r.kind == nest)
		return true;
	if (r.width == 64)
		return r.off % 64 == 0 || (r.array && r.off % 32 == 0);
	return r.width >= 1 && r.off / 32 == (r.off + r.width - 1) / 32;
}

constexpr unsigned int end_of(const row &r)
{
	return r.off + r.width * r.count;
}

/* @first is the row of the structure. */
constexpr bool inside(int first, int i)
{
	if (rows[i].count == 0)
		return rows[i].off >= rows[first].width;
	return end_of(rows[i]) <= rows[first].width;
}

/* An alternative begins no earlier than what it overlays; any other row after all before it. */
constexpr bool in_order(int first, int i)
{
	if (rows[first].kind == begin_union)
		return rows[i].off == 0;
	for (int k = first + 1; k < i; k++) {
		if (rows[k].kind == alt)
			continue;
		if (rows[k].off > rows[i].off)
			return false;
		if (!is_alt(k) && !is_alt(i) && end_of(rows[k]) > rows[i].off)
			return false;
	}
	return true;
}

/* The types of bits.h say the same, by the layout rules of the language. */
#define CHECK(s, f)                                                                          \
	static_assert(PRM_OFF(s, f) == prm_off_##s##_AT_##f, #s "." #f);                     \
	static_assert(PRM_W(s, f) == prm_width_##s##_AT_##f, #s "." #f);                     \
	static_assert(in_one_dword(row_##s##_AT_##f), #s "." #f " straddles a dword");       \
	static_assert(inside(row_##s, row_##s##_AT_##f), #s "." #f " leaves the structure"); \
	static_assert(in_order(row_##s, row_##s##_AT_##f),                                   \
		      #s "." #f " overlaps or is unsorted");
#define PRM_FIELD(s, f, byte, hi, lo)                                \
	static_assert((hi) <= 31 && (hi) >= (lo) && (byte) % 4 == 0, \
		      #s "." #f " is not in a dword");               \
	CHECK(s, f)
#define PRM_QWORD(s, f, byte)		 CHECK(s, f)
#define PRM_BYTES(s, f, byte, n)	 CHECK(s, f)
#define PRM_ARRAY(s, f, byte, hi, lo, n) CHECK(s, f)
#define PRM_QWORDS(s, f, byte, n)	 CHECK(s, f)
#define PRM_NEST(s, f, byte, type)	 CHECK(s, f)
#define PRM_NESTS(s, f, byte, type, n)	 CHECK(s, f)
#include <prm/layout.def>

/* A command's opcode is in the inbox where every command has it, opcodes ascend. */
constexpr unsigned int opcodes[] = {
#define PRM_CMD(name, opcode, in, out, call) opcode,
#include <prm/opcode.def>
};

constexpr bool ascending()
{
	for (unsigned int i = 1; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i - 1] >= opcodes[i])
			return false;
	return true;
}
static_assert(ascending(), "opcode.def is not in the order of opcodes");

#define PRM_CMD(name, code, in, out, call)                                       \
	static_assert(PRM_OFF(in, opcode) == 0 && PRM_W(in, opcode) == 16, #in); \
	static_assert(PRM_OFF(out, status) == 0 && PRM_OFF(out, syndrome) == 32, #out);
#include <prm/opcode.def>

/* The tables beside them name fields that are there. */
#define PRM_NEEDS(cmd, s, f) static_assert(PRM_OP_##cmd > 0 && PRM_W(s, f) > 0, #cmd);
#include <prm/needs.def>
#define PRM_UNIT(s, f, unit) static_assert(PRM_W(s, f) > 0, #s);
#include <prm/unit.def>
#define PRM_NAMED(kind, s, f) static_assert(PRM_W(s, f) > 0, #s);
#include <prm/value.def>

/* The number of an object has at most 32 bits, and so has the field that a destroying command
 * copies. */
#define PRM_CREATE(create, box, s, f, destroy, ds, df)                                        \
	static_assert(PRM_OP_##create > 0 && PRM_OP_##destroy > 0, #create);                  \
	static_assert(PRM_W(s, f) <= 32 && PRM_W(ds, df) <= 32 && PRM_OFF(ds, df) >= 64 - 16, \
		      #create);
#define PRM_COPY(create, s, ds, f) \
	static_assert(PRM_W(s, f) <= 32 && PRM_W(s, f) == PRM_W(ds, f), #create "." #f);
#define PRM_COPY_BYTES(create, s, ds, f, bytes)                                  \
	static_assert(PRM_W(s, f) == 8 && PRM_W(ds, f) == 8 && (bytes) % 4 == 0, \
		      #create "." #f);
#define PRM_USE(command, create, s, f)                                                  \
	static_assert(PRM_OP_##command > 0 && PRM_OP_##create > 0 && PRM_W(s, f) <= 32, \
		      #command);
#include "prm/opcode_object.def"

/* A structure that a number selects is a member of the union, under its own name. */
#define PRM_CAP_GROUP(name, s) static_assert(PRM_W(hca_cap_union, s) == prm_bytes_##s * 8, #s);
#include <prm/cap_group.def>
#define PRM_OBJECT(name, s) \
	static_assert(PRM_W(general_object_auto, s) == prm_bytes_##s * 8, #s);
#include <prm/object_type.def>
#define PRM_REGISTER(name, id, s) \
	static_assert(PRM_W(register_data_auto, s) == prm_bytes_##s * 8, #s);
#include <prm/register.def>

} // namespace
