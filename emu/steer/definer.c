/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Match definers: lookups of 32 bytes that a program makes, general objects MATCH_DEFINER.
 *
 *	number -> object: format and mask -> layout: the fields of the packet, masked
 *
 * The formats are those of which rdma-core writes rules, and their layouts those of its
 * mlx5_ifc.h, struct mlx5_ifc_ste_def*_v1_bits. Fields without a row: the type of a QP, of an
 * encapsulation, the port, loopback, the function that sent the packet, checks of checksums, a
 * random number, the length of the frame, what follows the first 8 bytes of a tunnel's header.
 */
#include <string.h>

#include "steer/lookup.h"

#define FLAGS(dw, hi) PART(dw, hi, (hi)-7, tcp_flags, 1) /* all but NS */
#define PORTS(dw)     RAW(dw, 31, 16, PORT, 0, "l4_sport"), RAW(dw, 15, 0, PORT, 16, "l4_dport")
#define SOURCE_4(dw)  ADDRESS_OF(4, dw, src_ipv4_src_ipv6, 3)
#define DEST_4(dw)    ADDRESS_OF(4, dw, dst_ipv4_dst_ipv6, 3)
#define SOURCE_6(dw)                                                                          \
	ADDRESS_OF(6, dw, src_ipv4_src_ipv6, 0), ADDRESS_OF(6, dw + 1, src_ipv4_src_ipv6, 1), \
		ADDRESS_OF(6, dw + 2, src_ipv4_src_ipv6, 2),                                  \
		ADDRESS_OF(6, dw + 3, src_ipv4_src_ipv6, 3)
#define DEST_6(dw)                                                                            \
	ADDRESS_OF(6, dw, dst_ipv4_dst_ipv6, 0), ADDRESS_OF(6, dw + 1, dst_ipv4_dst_ipv6, 1), \
		ADDRESS_OF(6, dw + 2, dst_ipv4_dst_ipv6, 2),                                  \
		ADDRESS_OF(6, dw + 3, dst_ipv4_dst_ipv6, 3)
#define SECOND_TAG(dw)                                                                       \
	CODE(dw, 17, 16, VLAN_2, "second_vlan_qualifier"), BOTH(dw, 15, 13, 1, second_prio), \
		BOTH(dw, 12, 12, 1, second_cfi), BOTH(dw, 11, 0, 1, second_vid)
/* Kinds of a layer: bits @hi … @hi - 5. */
#define TYPES(dw, hi)                                                                 \
	CODE(dw, hi, (hi)-1, L3_TYPE, "l3_type"), LAYER(dw, (hi)-2, (hi)-3, l4_type), \
		CODE(dw, (hi)-4, (hi)-5, VLAN, "first_vlan_qualifier")
/* A byte of protocol, then kinds, then whether it is a fragment. */
#define PROTOCOL_TYPES(dw, hi) \
	LAYER(dw, hi, (hi)-7, ip_protocol), TYPES(dw, (hi)-8), LAYER(dw, (hi)-14, (hi)-14, frag)
#define HEADER(dw, i) RAW(dw, 31, 0, TUNNEL, 32 * (i), "tunnel_header_" #i)

static const struct field none[] = { END };

static const struct field format_0[] = {
	MISC_2(0, 31, 0, metadata_reg_c_0),
	MISC_2(1, 31, 0, metadata_reg_c_1),
	LAYER(2, 31, 0, dmac_47_16),
	LAYER(3, 31, 16, dmac_15_0),
	LAYER(3, 15, 0, ethertype),
	L2_DWORD(4),
	SECOND_TAG(5),
	LAYER(6, 31, 0, smac_47_16),
	LAYER(7, 31, 16, smac_15_0),
	FLAGS(7, 7),
	END,
};
static const struct field format_2[] = {
	MISC_2(0, 31, 0, metadata_reg_a),
	RAW(1, 31, 28, L3, 0, "ip_version"),
	RAW(1, 27, 24, L3_4, 4, "ipv4_ihl"),
	LAYER(1, 23, 18, ip_dscp),
	LAYER(1, 17, 16, ip_ecn),
	LAYER(1, 15, 8, ttl_hoplimit),
	LAYER(1, 7, 0, ip_protocol),
	RAW(2, 31, 0, L3_4, 32, "identification_flags_offset"),
	RAW(3, 31, 16, L3_4, 16, "total_length"),
	RAW(3, 15, 0, L3_4, 80, "checksum"),
	BOTH(4, 19, 0, 1, ipv6_flow_label),
	PORTS(6),
	RAW(7, 31, 28, L4, 96, "tcp_data_offset"),
	LAYER(7, 25, 25, frag),
	LAYER(7, 24, 16, tcp_flags),
	CODE(7, 15, 15, FRAGMENT_1, "first_fragment"),
	END,
};
static const struct field format_6[] = {
	DEST_6(0), PORTS(6), LAYER(7, 25, 25, frag), LAYER(7, 24, 16, tcp_flags), END,
};
static const struct field format_16[] = {
	HEADER(0, 0),
	HEADER(1, 1),
	MISC_2(5, 31, 0, metadata_reg_a),
	TYPES(6, 23),
	LAYER(7, 30, 30, frag),
	CODE(7, 29, 29, SOURCE, "source_is_requester"),
	MISC_1(7, 23, 0, source_sqn),
	END,
};
static const struct field format_22[] = {
	SOURCE_4(0),
	DEST_4(1),
	PORTS(2),
	L2_DWORD(3),
	MISC_2(4, 31, 0, metadata_reg_c_0),
	LAYER(5, 31, 0, dmac_47_16),
	LAYER(6, 31, 0, smac_47_16),
	LAYER(7, 31, 16, smac_15_0),
	LAYER(7, 15, 0, dmac_15_0),
	END,
};
static const struct field format_24[] = {
	MISC_2(0, 31, 0, metadata_reg_c_2),
	MISC_2(1, 31, 0, metadata_reg_c_3),
	MISC_2(2, 31, 0, metadata_reg_c_0),
	MISC_2(3, 31, 0, metadata_reg_c_1),
	SOURCE_4(4),
	DEST_4(5),
	PORTS(6),
	PROTOCOL_TYPES(7, 15),
	END,
};
static const struct field format_24_inner[] = { PROTOCOL_TYPES(7, 31), END };
static const struct field format_25[] = {
	HEADER(3, 0), HEADER(4, 1), TYPES(6, 21), RAW(6, 15, 0, PORT, 16, "l4_dport"), END,
};
static const struct field format_25_inner[] = { SOURCE_4(0), DEST_4(1), PORTS(2), TYPES(6, 29),
						END };
static const struct field format_26[] = {
	SOURCE_6(0),
	L2_DWORD(4),
	SECOND_TAG(5),
	LAYER(6, 31, 0, smac_47_16),
	LAYER(7, 31, 16, smac_15_0),
	LAYER(7, 15, 8, ip_protocol),
	FLAGS(7, 7),
	END,
};
static const struct field format_28[] = {
	MISC_3(1, 31, 0, gtpu_teid), SOURCE_4(4), DEST_4(5), PORTS(6),
	PROTOCOL_TYPES(7, 15),	     END,
};
static const struct field format_28_inner[] = {
	PORTS(0), SOURCE_4(2), DEST_4(3), PROTOCOL_TYPES(7, 31), END,
};
static const struct field format_33[] = {
	SOURCE_4(0),
	DEST_4(1),
	PORTS(2),
	L2_DWORD(3),
	RAW(7, 31, 28, L3, 0, "ip_version"),
	RAW(7, 27, 24, L3_4, 4, "ipv4_ihl"),
	LAYER(7, 15, 8, ttl_hoplimit),
	LAYER(7, 7, 0, ip_protocol),
	END,
};

static const struct format {
	uint16_t id;
	const struct field *outer, *inner;
} formats[] = {
	{ 0, format_0, none },
	{ 2, format_2, none },
	{ 6, format_6, none },
	{ 16, format_16, none },
	{ 22, format_22, none },
	{ 24, format_24, format_24_inner },
	{ 25, format_25, format_25_inner },
	{ 26, format_26, none },
	{ 28, format_28, format_28_inner },
	{ 33, format_33, none },
};

static void clear(uint8_t *bytes, const struct field *f)
{
	for (; f->high >= f->low; f++)
		prm_store(bytes, 32u * f->dword + 31 - f->high, f->high - f->low + 1u, 0);
}

/* Are all bits of the mask in fields that have a row? */
static bool is_covered(const struct format *f, const uint8_t *mask)
{
	uint8_t left[STE_DEFINER];

	memcpy(left, mask, STE_DEFINER);
	clear(left, f->outer);
	clear(left, f->inner);
	for (size_t i = 0; i < STE_DEFINER; i++)
		if (left[i])
			return false;
	return true;
}

static const uint8_t *object(const struct steer_walk *w, uint16_t lookup)
{
	const struct hca_general *g = core_ids_get(&w->hca->definers, lookup & 0xff);

	return g ? g->obj : NULL;
}

static bool selects(const uint8_t *obj)
{
	return PRM_GET(match_definer, obj, format_id) == STEER_DEFINER_SELECT;
}

/* Its format; NULL: the emulator does not have it. */
static const struct format *find(const uint8_t *obj, const uint8_t **mask)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (formats[i].id != PRM_GET(match_definer, obj, format_id))
			continue;
		*mask = obj + PRM_OFF(match_definer, match_mask) / 8 +
			PRM_OFF(match_definer_format_0, metadata_reg_c_0) / 8;
		return &formats[i];
	}
	return NULL;
}

bool ste_definer(const struct steer_walk *w, const struct steer_work *work, uint16_t lookup,
		 uint8_t tag[STE_JUMBO_TAG])
{
	const uint8_t *mask, *obj = object(w, lookup);
	const struct format *f;

	if (obj && selects(obj)) {
		ste_select(work, obj, tag);
		if (lookup >> 8 == STE_MATCH)
			memmove(tag, tag + STE_JUMBO_TAG - STE_DEFINER, STE_DEFINER);
		return true;
	}
	f = obj ? find(obj, &mask) : NULL;
	if (!f || lookup >> 8 == STE_JUMBO || !is_covered(f, mask))
		return false;
	memset(tag, 0, STE_DEFINER);
	ste_fill(work, f->outer, false, tag);
	ste_fill(work, f->inner, true, tag);
	for (size_t i = 0; i < STE_DEFINER; i++)
		tag[i] &= mask[i];
	return true;
}

void ste_definer_names(const struct steer_walk *w, uint16_t lookup, struct ste_names *to)
{
	const uint8_t *obj = object(w, lookup);
	const struct format *f;

	if (obj && selects(obj)) {
		ste_select_names(obj, lookup, to);
		return;
	}
	f = obj ? find(obj, &to->mask) : NULL;
	if (!f)
		return;
	ste_name(f->outer, false, to);
	ste_name(f->inner, true, to);
}
