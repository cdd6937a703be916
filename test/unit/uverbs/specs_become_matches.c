/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each bit of a specification of ibv_create_flow() becomes one bit of the match. Both places
 * are written by hand, from ib_user_verbs.h (struct ib_uverbs_flow_spec_*) and mlx5_ifc.h
 * (struct fte_match_param).
 */
#include "flows.h"
#include "uverbs/flow.h"

#define SUITE specs_become_matches

FLOW_SUITE(SUITE);

#define INNER IBV_FLOW_SPEC_INNER
#define MISC  0x40
#define IN    0x80 /* inner_headers */
#define MISC2 0xc0

static const struct row {
	uint32_t type, before; /* before: the specification in front of it, 0: none */
	uint16_t half;	       /* bytes of a value */
	uint16_t from, n, at;  /* bytes from @from on are at @at of the match */
	uint8_t first;	       /* bits of the first one; 0: all */
	uint16_t also;	       /* each of them sets bit 7 of this byte, too; 0: none */
} rows[] = {
	{ IBV_FLOW_SPEC_ETH, 0, 16, 0, 6, 8, 0, 0 },
	{ IBV_FLOW_SPEC_ETH, 0, 16, 6, 6, 0, 0, 0 },
	{ IBV_FLOW_SPEC_ETH, 0, 16, 12, 2, 6, 0, 0 },
	{ IBV_FLOW_SPEC_ETH, 0, 16, 14, 2, 0x0e, 0, 0x12 },
	{ IBV_FLOW_SPEC_ETH | INNER, 0, 16, 0, 6, IN + 8, 0, 0 },
	{ IBV_FLOW_SPEC_ETH | INNER, 0, 16, 14, 2, IN + 0x0e, 0, IN + 0x12 },
	{ IBV_FLOW_SPEC_IPV4, 0, 12, 0, 4, 0x2c, 0, 0 },
	{ IBV_FLOW_SPEC_IPV4, 0, 12, 4, 4, 0x3c, 0, 0 },
	{ IBV_FLOW_SPEC_IPV4, 0, 12, 8, 2, 0x10, 0, 0 },
	{ IBV_FLOW_SPEC_IPV4, 0, 8, 4, 4, 0x3c, 0, 0 },
	{ IBV_FLOW_SPEC_IPV4 | INNER, 0, 12, 0, 4, IN + 0x2c, 0, 0 },
	{ IBV_FLOW_SPEC_IPV6, 0, 40, 0, 32, 0x20, 0, 0 },
	{ IBV_FLOW_SPEC_IPV6, 0, 40, 33, 3, MISC + 0x1d, 0x0f, 0 },
	{ IBV_FLOW_SPEC_IPV6, 0, 40, 36, 2, 0x10, 0, 0 },
	{ IBV_FLOW_SPEC_IPV6 | INNER, 0, 40, 16, 16, IN + 0x30, 0, 0 },
	{ IBV_FLOW_SPEC_IPV6 | INNER, 0, 40, 33, 3, MISC + 0x21, 0x0f, 0 },
	{ IBV_FLOW_SPEC_TCP, 0, 4, 0, 2, 0x16, 0, 0 },
	{ IBV_FLOW_SPEC_TCP, 0, 4, 2, 2, 0x14, 0, 0 },
	{ IBV_FLOW_SPEC_UDP, 0, 4, 0, 2, 0x1e, 0, 0 },
	{ IBV_FLOW_SPEC_UDP | INNER, 0, 4, 2, 2, IN + 0x1c, 0, 0 },
	{ IBV_FLOW_SPEC_GRE, 0, 8, 2, 6, MISC + 0x0e, 0, 0 },
	{ IBV_FLOW_SPEC_VXLAN_TUNNEL, 0, 4, 1, 3, MISC + 0x14, 0, 0 },
	{ IBV_FLOW_SPEC_MPLS, 0, 4, 0, 4, MISC2, 0, 0 },
	{ IBV_FLOW_SPEC_MPLS | INNER, 0, 4, 0, 4, MISC2 + 4, 0, 0 },
	{ IBV_FLOW_SPEC_MPLS, IBV_FLOW_SPEC_GRE, 4, 0, 4, MISC2 + 8, 0, 0 },
	{ IBV_FLOW_SPEC_MPLS, IBV_FLOW_SPEC_UDP, 4, 0, 4, MISC2 + 12, 0, 0 },
};

static int parse(const struct row *row, const uint8_t *value, const uint8_t *mask,
		 struct uverbs_match *m)
{
	const uint16_t before = row->before == IBV_FLOW_SPEC_GRE ? 8 : 4;
	struct flow_request f = flow_of(&r);
	struct uverbs_flow_specs all = { 0 };
	const uint8_t zero[8] = { 0 };
	int ret;

	if (row->before)
		add_spec(&f, row->before, zero, zero, before);
	add_spec(&f, row->type, value, mask, row->half);
	ret = uverbs_flow_specs_check(r.b.f, f.specs, f.cmd.flow_attr.size,
				      f.cmd.flow_attr.num_of_specs, &all);
	if (!ret)
		ret = uverbs_flow_specs_parse(r.b.u, f.specs, f.cmd.flow_attr.num_of_specs,
					      &all);
	*m = all.match;
	return ret;
}

static void mpls_parts(uint32_t bits)
{
	uint8_t *nic = r.b.u->caps[PRM_CAP_FLOW_TABLE];
	uint8_t *rx = PRM_ADDR(flow_table_nic_cap, nic, flow_table_properties_nic_receive);
	uint8_t *f = PRM_ADDR(flow_table_prop_layout, rx, ft_field_support);

	PRM_SET(flow_table_fields_supported, f, outer_first_mpls, bits);
	PRM_SET(flow_table_fields_supported, f, inner_first_mpls, bits);
	PRM_SET(flow_table_fields_supported, f, outer_first_mpls_over_gre, bits);
	PRM_SET(flow_table_fields_supported, f, outer_first_mpls_over_udp, bits);
}

static void try_bit(const struct row *row, uint32_t byte, uint8_t bit,
		    const struct uverbs_match *none)
{
	uint8_t value[48] = { 0 }, mask[48] = { 0 };
	struct uverbs_match m, want = *none;
	uint32_t at = row->at + byte;

	value[row->from + byte] = mask[row->from + byte] = bit;
	want.mask[at] |= bit;
	want.value[at] |= bit;
	if (row->also)
		want.mask[row->also] |= 0x80;
	if (row->also)
		want.value[row->also] |= 0x80;
	cr_assert_eq(parse(row, value, mask, &m), 0, "type 0x%x", row->type);
	cr_expect_arr_eq(m.mask, want.mask, sizeof(m.mask), "type 0x%x: byte %u, bit 0x%x",
			 row->type, row->from + byte, bit);
	cr_expect_arr_eq(m.value, want.value, sizeof(m.value));
	value[row->from + byte] = 0;
	cr_assert_eq(parse(row, value, mask, &m), 0);
	cr_expect_arr_eq(m.mask, want.mask, sizeof(m.mask));
	cr_expect_eq(m.value[at], none->value[at]);
}

Test(SUITE, bit_by_bit)
{
	const uint8_t zero[48] = { 0 };
	struct uverbs_match none;

	cr_assert_eq(uverbs_flow_caps_read(r.b.u), 0);
	mpls_parts(15);
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		cr_assert_eq(parse(row, zero, zero, &none), 0);
		for (uint32_t i = 0; i < row->n; i++)
			for (int bit = 0; bit < 8; bit++)
				if (i || !row->first || row->first >> bit & 1)
					try_bit(row, i, (uint8_t)(1 << bit), &none);
	}
}

/* fs.c, check_mpls_supp_fields: a capability for each part of a label. */
Test(SUITE, parts_of_a_label_need_a_capability_each)
{
	static const struct row mpls = { .type = IBV_FLOW_SPEC_MPLS, .half = 4 };
	static const uint8_t parts[4][2][4] = {
		/* the first and the last bit of each */
		{ { 0x80 }, { 0, 0, 0x10 } },	      /* label */
		{ { 0, 0, 8 }, { 0, 0, 2 } },	      /* experimental bits */
		{ { 0, 0, 1 }, { 0, 0, 1 } },	      /* bottom of the stack */
		{ { 0, 0, 0, 0x80 }, { 0, 0, 0, 1 } } /* time to live */
	};
	struct uverbs_match m;

	cr_assert_eq(uverbs_flow_caps_read(r.b.u), 0);
	for (int i = 0; i < 8; i++)
		for (int cap = 0; cap < 4; cap++) {
			const uint8_t *mask = parts[i / 2][i & 1];

			mpls_parts(1u << cap);
			cr_expect_eq(parse(&mpls, mask, mask, &m),
				     cap == i / 2 ? 0 : -EOPNOTSUPP, "%d with %d", i, cap);
		}
}

/* The headers say what comes with them: version, protocol, ethertype where there is no version
 * to match. */
Test(SUITE, headers_imply_their_version_and_protocol)
{
	static const struct {
		uint32_t type;
		uint16_t half, at;
		uint8_t value, mask;
	} implied[] = {
		{ IBV_FLOW_SPEC_IPV4, 12, 0x12, 4 << 1, 15 << 1 },
		{ IBV_FLOW_SPEC_IPV4 | INNER, 12, IN + 0x12, 4 << 1, 15 << 1 },
		{ IBV_FLOW_SPEC_IPV6, 40, 0x12, 6 << 1, 15 << 1 },
		{ IBV_FLOW_SPEC_TCP, 4, 0x10, 6, 255 },
		{ IBV_FLOW_SPEC_UDP, 4, 0x10, 17, 255 },
		{ IBV_FLOW_SPEC_UDP | INNER, 4, IN + 0x10, 17, 255 },
		{ IBV_FLOW_SPEC_GRE, 8, 0x10, 47, 255 },
	};
	const uint8_t zero[48] = { 0 };

	for (size_t i = 0; i < sizeof(implied) / sizeof(implied[0]); i++) {
		struct row row = { .type = implied[i].type, .half = implied[i].half };
		struct uverbs_match m;

		cr_assert_eq(parse(&row, zero, zero, &m), 0);
		cr_expect_eq(m.value[implied[i].at], implied[i].value, "type 0x%x", row.type);
		cr_expect_eq(m.mask[implied[i].at], implied[i].mask, "type 0x%x", row.type);
	}
}
