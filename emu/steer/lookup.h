/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside steer: how the layouts of lookups and of match definers are written, a row for each
 * field.
 *
 *	static const struct field gre[] = { MISC_1(0, 31, 31, gre_c_present), …, END };
 *
 *	dword, its bits -> bits of fte_match_param, or of a header, or a code
 */
#ifndef EMU_STEER_LOOKUP_H
#define EMU_STEER_LOOKUP_H

#include "steer/ste.h"

/* The source of the bits of a field. */
enum from {
	MATCH,	  /* fte_match_param, from bit @outer or @inner on */
	MATCH_4,  /* the same of an IPv4 packet, … */
	MATCH_6,  /* of an IPv6 packet */
	L3,	  /* the IP header, from bit @outer on */
	L3_4,	  /* … that of IPv4 */
	L3_6,	  /* … that of IPv6 */
	L4,	  /* the TCP or ICMP header */
	ICMP_4,	  /* the ICMP header, … */
	ICMP_6,	  /* of that version */
	BTH,	  /* the base transport header of RoCE */
	TUNNEL,	  /* the header of the tunnel, of the types that flexible parsers know */
	TUNNEL_4, /* four dwords of it; of GRE: flags and protocol, checksum, key, number */
	TCP_ICMP, /* the ICMP header, or that of TCP from its second dword on */
	L3_TYPE,
	L4_TYPE,    /* 1 TCP, 2 UDP, 3 ICMP */
	VLAN,	    /* the kind of the first tag: 1 service, 2 customer */
	VLAN_2,	    /* of the second */
	PORT,	    /* of TCP or UDP, bit @outer of its header */
	FRAGMENT_1, /* the first fragment of several */
	SOURCE,	    /* of a packet that was sent here: 1 */
};

struct field {
	uint8_t dword, high, low, from;
	uint16_t outer, inner;
	const char *name;
};

#define OUTER(f) (PRM_OFF(fte_match_param, outer_headers) + PRM_OFF(fte_match_set_lyr_2_4, f))
#define INNER(f) (PRM_OFF(fte_match_param, inner_headers) + PRM_OFF(fte_match_set_lyr_2_4, f))
#define MISC1(f) (PRM_OFF(fte_match_param, misc_parameters) + PRM_OFF(fte_match_set_misc, f))
#define MISC2(f) (PRM_OFF(fte_match_param, misc_parameters_2) + PRM_OFF(fte_match_set_misc2, f))
#define MISC3(f) (PRM_OFF(fte_match_param, misc_parameters_3) + PRM_OFF(fte_match_set_misc3, f))

#define FIELD(dw, hi, lo, from, outer, inner, name)  \
	{                                            \
		dw, hi, lo, from, outer, inner, name \
	}
#define LAYER(dw, hi, lo, f) FIELD(dw, hi, lo, MATCH, OUTER(f), INNER(f), #f)
/* From bit @skip of the field on. */
#define PART(dw, hi, lo, f, skip) \
	FIELD(dw, hi, lo, MATCH, OUTER(f) + (skip), INNER(f) + (skip), #f)
#define MISC_1(dw, hi, lo, f) FIELD(dw, hi, lo, MATCH, MISC1(f), MISC1(f), #f)
#define MISC_2(dw, hi, lo, f) FIELD(dw, hi, lo, MATCH, MISC2(f), MISC2(f), #f)
#define MISC_3(dw, hi, lo, f) FIELD(dw, hi, lo, MATCH, MISC3(f), MISC3(f), #f)
#define BOTH(dw, hi, lo, n, f) \
	FIELD(dw, hi, lo, MATCH, MISC##n(outer_##f), MISC##n(inner_##f), #f)
#define CODE(dw, hi, lo, what, name)	   FIELD(dw, hi, lo, what, 0, 0, name)
#define RAW(dw, hi, lo, header, bit, name) FIELD(dw, hi, lo, header, bit, bit, name)
#define END				   FIELD(0, 0, 1, 0, 0, 0, NULL)

/* Dword @i of four; the last one is the address of IPv4. */
#define ADDRESS(dw, f, i) PART(dw, 31, 0, f, 32 * (i))
#define ADDRESS_OF(version, dw, f, i) \
	FIELD(dw, 31, 0, MATCH_##version, OUTER(f) + 32 * (i), INNER(f) + 32 * (i), #f)

/* A dword that lookups of L2 and several definers have. */
#define L2_DWORD(dw)                                                                        \
	LAYER(dw, 28, 28, frag), CODE(dw, 21, 20, L3_TYPE, "l3_type"),                      \
		LAYER(dw, 19, 18, l4_type), CODE(dw, 17, 16, VLAN, "first_vlan_qualifier"), \
		LAYER(dw, 15, 13, first_prio), LAYER(dw, 12, 12, first_cfi),                \
		LAYER(dw, 11, 0, first_vid)

/* Writes the fields that the packet has, of its inner headers or of the outer ones, to @tag. */
void ste_fill(const struct steer_work *w, const struct field *fields, bool inner, uint8_t *tag);
/* The names of the fields that are in the mask. */
void ste_name(const struct field *fields, bool inner, struct ste_names *to);

#endif
