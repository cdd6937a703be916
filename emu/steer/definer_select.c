/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Match definers that select: 9 dwords and 8 bytes of a layout of all headers.
 *
 *	all headers	150 dwords: outer and inner L2, L3, L4, …, registers
 *	tag		dword selectors 8 … 0, byte selectors 7 … 0: 44 bytes; an STE with actions has
 *			the last 32
 *
 * Layout: DPDK, mlx5dr_definer.h, struct mlx5_ifc_definer_hl_bits; the order of the tag:
 * mlx5dr_definer.c, mlx5dr_definer_find_byte_in_tag. Fields without a row: the type of a QP, of
 * an encapsulation, the port, loopback, the function that sent the packet, checks of checksums
 * and of headers, labels of MPLS, a random number, IPsec, times, flexible parsers, the
 * registers C 8 to 11.
 */
#include <string.h>

#include "steer/lookup.h"

#define DWORDS	  150
#define SELECTED  9 /* dwords */
#define BYTES	  8
#define PORTS(dw) RAW(dw, 31, 16, PORT, 0, "l4_sport"), RAW(dw, 15, 0, PORT, 16, "l4_dport")
#define TYPES(dw)                                                     \
	CODE(dw, 7, 6, L3_TYPE, "l3_type"), LAYER(dw, 5, 4, l4_type), \
		CODE(dw, 3, 2, VLAN, "first_vlan_qualifier"), LAYER(dw, 1, 1, frag)
#define V6(dw, f)                                                                              \
	ADDRESS_OF(6, dw, f, 0), ADDRESS_OF(6, (dw) + 1, f, 1), ADDRESS_OF(6, (dw) + 2, f, 2), \
		ADDRESS_OF(6, (dw) + 3, f, 3)

/* Fields of the inner or of the outer headers, from these dwords on. */
#define HEADERS(l2, src, l3, l4, v4, dst6, src6)                                               \
	LAYER(l2, 31, 0, dmac_47_16), LAYER((l2) + 1, 31, 16, dmac_15_0),                      \
		LAYER((l2) + 1, 15, 0, ethertype), L2_DWORD((l2) + 2),                         \
		CODE((l2) + 3, 31, 28, L4_TYPE, "l4_type_ext"),                                \
		CODE((l2) + 3, 17, 16, VLAN_2, "second_vlan_qualifier"),                       \
		BOTH((l2) + 3, 15, 13, 1, second_prio), BOTH((l2) + 3, 12, 12, 1, second_cfi), \
		BOTH((l2) + 3, 11, 0, 1, second_vid), LAYER(src, 31, 0, smac_47_16),           \
		LAYER((src) + 1, 31, 16, smac_15_0), TYPES((src) + 1),                         \
		RAW(l3, 31, 28, L3, 0, "ip_version"), RAW(l3, 27, 24, L3_4, 4, "ipv4_ihl"),    \
		LAYER(l3, 23, 18, ip_dscp), LAYER(l3, 17, 16, ip_ecn),                         \
		LAYER(l3, 15, 8, ttl_hoplimit), LAYER(l3, 7, 0, ip_protocol),                  \
		RAW((l3) + 1, 31, 0, L3_4, 32, "identification_flags_offset"),                 \
		RAW((l3) + 2, 31, 16, L3_4, 16, "total_length"),                               \
		RAW((l3) + 2, 15, 0, L3_4, 80, "checksum"),                                    \
		BOTH((l3) + 3, 19, 0, 1, ipv6_flow_label),                                     \
		RAW((l3) + 4, 15, 0, L3_6, 32, "payload_length"), PORTS(l4),                   \
		RAW((l4) + 1, 31, 28, L4, 96, "tcp_data_offset"),                              \
		LAYER((l4) + 1, 25, 25, frag), LAYER((l4) + 1, 24, 16, tcp_flags),             \
		CODE((l4) + 1, 15, 15, FRAGMENT_1, "first_fragment"),                          \
		ADDRESS_OF(4, v4, src_ipv4_src_ipv6, 3),                                       \
		ADDRESS_OF(4, (v4) + 1, dst_ipv4_dst_ipv6, 3), V6(dst6, dst_ipv4_dst_ipv6),    \
		V6(src6, src_ipv4_src_ipv6)

static const struct field outer[] = {
	HEADERS(0, 8, 14, 24, 64, 68, 76),
	CODE(29, 29, 29, SOURCE, "source_is_requestor"),
	MISC_1(29, 23, 0, source_sqn),
	RAW(30, 31, 24, BTH, 0, "bth_opcode"),
	RAW(30, 23, 0, BTH, 40, "bth_dst_qp"),
	RAW(31, 29, 29, BTH, 64, "bth_a"),
	RAW(94, 31, 0, TCP_ICMP, 0, "tcp_icmp_0"),
	RAW(95, 31, 0, TCP_ICMP, 32, "tcp_icmp_1"),
	RAW(96, 31, 0, TCP_ICMP, 64, "tcp_icmp_2"),
	RAW(97, 31, 0, TUNNEL_4, 0, "tunnel_header_0"),
	RAW(98, 31, 0, TUNNEL_4, 32, "tunnel_header_1"),
	RAW(99, 31, 0, TUNNEL_4, 64, "tunnel_header_2"),
	RAW(100, 31, 0, TUNNEL_4, 96, "tunnel_header_3"),
	MISC_2(124, 31, 0, metadata_reg_a),
	MISC_2(142, 31, 0, metadata_reg_c_6),
	MISC_2(143, 31, 0, metadata_reg_c_7),
	MISC_2(144, 31, 0, metadata_reg_c_4),
	MISC_2(145, 31, 0, metadata_reg_c_5),
	MISC_2(146, 31, 0, metadata_reg_c_2),
	MISC_2(147, 31, 0, metadata_reg_c_3),
	MISC_2(148, 31, 0, metadata_reg_c_0),
	MISC_2(149, 31, 0, metadata_reg_c_1),
	END,
};
static const struct field inner[] = { HEADERS(4, 10, 19, 26, 66, 72, 80), END };

/* The position of each byte of the tag in the layout of all headers; from DWORDS * 4 on the
 * byte has none. */
struct places {
	uint16_t at[STE_JUMBO_TAG];
};

static void find_places(const uint8_t *obj, struct places *p)
{
	/* In the object selector 0 is the last byte of a dword, as 4 is. */
	const uint8_t *dw = obj + PRM_OFF(match_definer, format_select_dw3) / 8;
	const uint8_t *byte = obj + PRM_OFF(match_definer, format_select_byte3) / 8;
	size_t n = 0;

	for (size_t i = SELECTED; i-- > 0;) {
		uint8_t dword = i == 8 ? dw[11] : dw[i / 4 * 4 + 3 - i % 4];

		for (uint16_t j = 0; j < 4; j++)
			p->at[n++] = (uint16_t)(4 * dword + j);
	}
	for (size_t i = BYTES; i-- > 0;)
		p->at[n++] = byte[i / 4 * 4 + 3 - i % 4];
}

static const uint8_t *mask_of(const uint8_t *obj)
{
	return obj + PRM_OFF(match_definer, match_mask) / 8 + HCA_STE_SIZE - STE_JUMBO_TAG;
}

/* Puts the bytes of a tag where they are among all headers. */
static void spread(const struct places *p, const uint8_t *tag, uint8_t *all)
{
	memset(all, 0, 4 * DWORDS);
	for (size_t i = 0; i < STE_JUMBO_TAG; i++)
		if (p->at[i] < 4 * DWORDS)
			all[p->at[i]] |= tag[i];
}

/* The fields of which the mask has bits. */
static const struct field *pick(const struct field *f, const uint8_t *all_mask,
				struct field *picked)
{
	struct field *to = picked;

	for (; f->high >= f->low; f++)
		if (prm_load(all_mask, 32u * f->dword + 31 - f->high, f->high - f->low + 1u))
			*to++ = *f;
	*to = *f;
	return picked;
}

void ste_select(const struct steer_work *work, const uint8_t *obj, uint8_t tag[STE_JUMBO_TAG])
{
	const uint8_t *mask = mask_of(obj);
	uint8_t wanted[4 * DWORDS], all[4 * DWORDS] = { 0 };
	struct field picked[ARRAY_SIZE(outer)];
	struct places p;

	find_places(obj, &p);
	spread(&p, mask, wanted);
	ste_fill(work, pick(outer, wanted, picked), false, all);
	ste_fill(work, pick(inner, wanted, picked), true, all);
	for (size_t i = 0; i < STE_JUMBO_TAG; i++)
		tag[i] = p.at[i] < 4 * DWORDS ? all[p.at[i]] & mask[i] : 0;
}

static void clear(const struct field *f, uint8_t *all)
{
	for (; f->high >= f->low; f++)
		prm_store(all, 32u * f->dword + 31 - f->high, f->high - f->low + 1u, 0);
}

bool steer_select_fits(const uint8_t *obj)
{
	const uint8_t *mask = mask_of(obj);
	uint8_t all[4 * DWORDS];
	struct places p;

	find_places(obj, &p);
	for (size_t i = 0; i < STE_JUMBO_TAG; i++)
		if (mask[i] && p.at[i] >= 4 * DWORDS)
			return false;
	spread(&p, mask, all);
	clear(outer, all);
	clear(inner, all);
	for (size_t i = 0; i < sizeof(all); i++)
		if (all[i])
			return false;
	return true;
}

/* The dword of the tag, as the STE has it, in which dword @dword of all headers is compared.
 * Selectors that are not used are 0, too. */
static uint8_t dword_of(const struct places *p, const uint8_t *mask, uint8_t dword,
			size_t skipped)
{
	for (size_t i = skipped; i < STE_JUMBO_TAG; i++)
		if (p->at[i] / 4 == dword && mask[i])
			return (uint8_t)((i - skipped) / 4);
	return 0;
}

void ste_select_names(const uint8_t *obj, uint16_t lookup, struct ste_names *to)
{
	size_t skipped = STE_JUMBO_TAG - ste_tag_size(lookup);
	uint8_t mask[4 * DWORDS], tag[4 * DWORDS], seen[4 * DWORDS],
		whole[STE_JUMBO_TAG] = { 0 };
	struct ste_names all = { .mask = mask, .tag = tag, .seen = seen, .n = to->n };
	struct places p;

	find_places(obj, &p);
	spread(&p, mask_of(obj), mask);
	memcpy(whole + skipped, to->tag, STE_JUMBO_TAG - skipped);
	spread(&p, whole, tag);
	memcpy(whole + skipped, to->seen, STE_JUMBO_TAG - skipped);
	spread(&p, whole, seen);
	ste_name(outer, false, &all);
	ste_name(inner, true, &all);
	for (uint32_t i = to->n; i < all.n; i++) {
		to->bits[i] = all.bits[i];
		to->bits[i].dword = dword_of(&p, mask_of(obj), all.bits[i].dword, skipped);
	}
	to->n = all.n;
}
