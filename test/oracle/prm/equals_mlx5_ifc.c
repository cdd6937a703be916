/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every row of include/prm against Linux' mlx5_ifc.h, a header that this project did not write:
 * the same offset, the same width, the same nested type, the same size of the structure. The
 * comparison happens at compile time; if this program runs, all is equal.
 *
 *	PRM_FIELD(qpc, pd, 0x004, 23, 0)   ==   offsetof, sizeof of mlx5_ifc_qpc_bits.pd
 *
 * A row that mlx5_ifc.h does not know is a compile error unless not_in_kernel.txt lists it
 * (unknown.h is made from that list); listed rows that it does know are found by the other
 * test, listed.cmake. Listed rows that prm does not have are found here, when it runs.
 */
#include <stddef.h>
#include <stdio.h>

#include "shim.h"
#include <mlx5_ifc.h>
#include <mlx5_ifc_fpga.h>

#include "prm/prm.h"
#include "prm/table.h"
#include "spelling.h"
#include "unknown.h"

/* @probe, if it is defined as "~, x", becomes x; else @otherwise. */
#define PICK(probe, otherwise) SECOND_OF(probe, otherwise, ~)
#define SECOND_OF(...)	       SECOND(__VA_ARGS__)
#define SECOND(a, b, ...)      b
#define IGNORE(...)
#define IF_KNOWN(s, check)	  PICK(UNKNOWN_##s, check)
#define IF_ROW_KNOWN(s, f, check) PICK(UNKNOWN_##s, PICK(UNKNOWN_##s##_AT_##f, check))

/* ifc_qpc: the structure of mlx5_ifc.h. */
#define TYPEDEF(s, tag)	     typedef PICK(TAG_##s, tag) ifc_##s;
#define PRM_STRUCT(s, bytes) IF_KNOWN(s, TYPEDEF)(s, struct mlx5_ifc_##s##_bits)
#define PRM_UNION(s, bytes)  IF_KNOWN(s, TYPEDEF)(s, union mlx5_ifc_##s##_bits)
#include "prm/layout.def"

#define NAME(s, f)    PICK(MEMBER_##s##_AT_##f, f)
#define MEMBER(s, f)  (((ifc_##s *)0)->NAME(s, f))
#define OFF(s, f)     _Static_assert(offsetof(ifc_##s, NAME(s, f)) == PRM_OFF(s, f), #s "." #f);
#define BITS(s, f, n) _Static_assert(sizeof(MEMBER(s, f)) == (n)*PRM_W(s, f), #s "." #f);
#define ELEMENT(s, f) _Static_assert(sizeof(MEMBER(s, f)[0]) == PRM_W(s, f), #s "." #f);
#define TYPE(s, f, member, type) \
	_Static_assert(__builtin_types_compatible_p(__typeof__(member), ifc_##type), #s "." #f);

/* A row that has further bits: the first and the last of mlx5_ifc.h are in it. */
#define FIRST(s, f) offsetof(ifc_##s, NAME(s, f))
#define END(s, f)   (FIRST(s, f) + sizeof(MEMBER(s, f)))
#define WIDER(s, f, ...)                                                   \
	_Static_assert(PRM_OFF(s, f) <= FIRST(s, f) &&                     \
			       END(s, f) <= PRM_OFF(s, f) + PRM_W(s, f) && \
			       sizeof(MEMBER(s, f)) < PRM_W(s, f),         \
		       #s "." #f);

#define NUMBER(s, f)	      OFF(s, f) BITS(s, f, 1)
#define NUMBERS(s, f, n)      OFF(s, f) BITS(s, f, n) ELEMENT(s, f)
#define NUMBERS_TAIL(s, f, n) OFF(s, f) ELEMENT(s, f)
#define BYTES(s, f, n)	      OFF(s, f) BITS(s, f, n)
#define BYTES_TAIL(s, f, n)   OFF(s, f)
#define NEST(s, f, type)      OFF(s, f) BITS(s, f, 1) TYPE(s, f, MEMBER(s, f), type)
#define NESTS(s, f, type, n)  NUMBERS(s, f, n) TYPE(s, f, MEMBER(s, f)[0], type)
/* mlx5_ifc.h may write the first one out and not as an array. */
#define NESTS_TAIL(s, f, type, n) \
	OFF(s, f) _Static_assert(sizeof(ifc_##type) == PRM_W(s, f), #s "." #f);
/* n = 0 is a tail. */
#define NUMBERS_0 ~, NUMBERS_TAIL
#define BYTES_0	  ~, BYTES_TAIL
#define NESTS_0	  ~, NESTS_TAIL

#define SIZE(s, bytes)			 _Static_assert(sizeof(ifc_##s) == (bytes)*8, "size of " #s);
#define PRM_STRUCT(s, bytes)		 PICK(UNKNOWN_##s, PICK(UNKNOWN_BYTES_##s, SIZE))(s, bytes)
#define PRM_FIELD(s, f, byte, hi, lo)	 IF_ROW_KNOWN(s, f, NUMBER)(s, f)
#define PRM_QWORD(s, f, byte)		 IF_ROW_KNOWN(s, f, NUMBER)(s, f)
#define PRM_BYTES(s, f, byte, n)	 IF_ROW_KNOWN(s, f, PICK(BYTES_##n, BYTES))(s, f, n)
#define PRM_ARRAY(s, f, byte, hi, lo, n) IF_ROW_KNOWN(s, f, PICK(NUMBERS_##n, NUMBERS))(s, f, n)
#define PRM_QWORDS(s, f, byte, n)	 IF_ROW_KNOWN(s, f, PICK(NUMBERS_##n, NUMBERS))(s, f, n)
#define PRM_NEST(s, f, byte, type)	 IF_ROW_KNOWN(s, f, NEST)(s, f, type)
#define PRM_NESTS(s, f, byte, type, n)	 IF_ROW_KNOWN(s, f, PICK(NESTS_##n, NESTS))(s, f, type, n)
#include "prm/layout.def"

/* Paths: as MLX5_GET() and MLX5_SET() of Linux' device.h take them, which are offsetof() and
 * sizeof() of these types too. */
#define PATH(s, path)                                                                          \
	_Static_assert(offsetof(struct mlx5_ifc_##s##_bits, path) == PRM_OFF(s, path), #path); \
	_Static_assert(sizeof(((struct mlx5_ifc_##s##_bits *)0)->path) == PRM_W(s, path), #path)
PATH(query_hca_cap_out, capability.cmd_hca_cap.log_max_qp);
PATH(query_hca_cap_out, capability.cmd_hca_cap_2.max_reformat_insert_size);
PATH(query_hca_cap_out, capability.atomic_caps.atomic_operations);
PATH(create_qp_in, qpc.primary_address_path.sl);
PATH(create_qp_in, qpc.secondary_address_path.udp_sport);
PATH(create_cq_in, cq_context.log_cq_size);
PATH(create_mkey_in, memory_key_mkey_entry.start_addr);
PATH(create_rq_in, ctx.wq.log_wq_sz);
PATH(create_tir_in, ctx.rx_hash_field_selector_outer.selected_fields);
PATH(create_sq_in, ctx.wq);

/* The same choice once more, to count. */
#define PLUS_ONE(...) +1
#undef WIDER
#define WIDER(...)
static const int structs_compared = 0
#define PRM_STRUCT(s, bytes) IF_KNOWN(s, PLUS_ONE)()
#include "prm/layout.def"
	;
#define COUNT(s, f) IF_ROW_KNOWN(s, f, PLUS_ONE)()
static const int rows_compared = 0
#define PRM_FIELD(s, f, byte, hi, lo)	 COUNT(s, f)
#define PRM_QWORD(s, f, byte)		 COUNT(s, f)
#define PRM_BYTES(s, f, byte, n)	 COUNT(s, f)
#define PRM_ARRAY(s, f, byte, hi, lo, n) COUNT(s, f)
#define PRM_QWORDS(s, f, byte, n)	 COUNT(s, f)
#define PRM_NEST(s, f, byte, type)	 COUNT(s, f)
#define PRM_NESTS(s, f, byte, type, n)	 COUNT(s, f)
#include "prm/layout.def"
	;

/* Names of the list, and how often prm does not have them. */
static const struct {
	const char *owner, *field;
} listed[] = {
#define LISTED(s, f) { #s, #f },
#include "listed.def"
};

static int listed_in_vain(void)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		const struct prm_struct *s = prm_struct(listed[i].owner);

		if (s && (!*listed[i].field || prm_field(s, listed[i].field)))
			continue;
		printf("prm has no row %s %s, but not_in_kernel.txt lists it\n",
		       listed[i].owner, listed[i].field);
		wrong++;
	}
	return wrong;
}

int main(void)
{
	int rows = 0;

	for (const struct prm_struct *s = prm_struct_next(NULL); s; s = prm_struct_next(s))
		for (const struct prm_field *f = s->fields; f->name; f++)
			rows++;
	printf("prm: %d fields of %d structs equal mlx5_ifc.h of %s; %d rows it does not know\n",
	       rows_compared, structs_compared, MLX5_IFC, rows - rows_compared);
	return listed_in_vain() != 0;
}
