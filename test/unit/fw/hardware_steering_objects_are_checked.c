/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hws: STE ranges, STC ranges, RTCs and patterns: each limit, what they refer to, and what is
 * refused by name. Numbers: DPDK, mlx5_prm.h.
 */
#include "flow.h"
#include "objects.h"

static struct hca_pd *pd;

static void open_device(void)
{
	setup_as("cx6dx");
	pd = hca_pd_new(&hca);
}

TestSuite(hws, .init = open_device, .fini = teardown);

enum { STC = 0x40, RTC = 0x41, STE = 0x42, PATTERN = 0x43 };

/* 1 << @log of them. */
static uint8_t *range_box(uint16_t type, size_t bytes, uint32_t log)
{
	uint8_t *o = create_box(type, bytes);

	b.in[0xc] = (uint8_t)log;
	return o;
}

static uint32_t new_range(uint16_t type, uint8_t table_type, uint32_t log)
{
	range_box(type, 0x80, log)[0x11] = table_type;
	return created();
}

Test(hws, ranges_have_limits)
{
	for (uint16_t type = STC; type <= STE; type += 2) {
		uint32_t most = type == STC ? 12 : 22;

		BAD_PARAM(range_box(type, 0x80, most + 1), WHY_SIZE);
		cr_assert_eq(destroy(type, new_range(type, TX, most)), FW_OK);
		BAD_PARAM(range_box(type, 0x80, 0)[0x11] = FDB, WHY_UNSUPPORTED);
		range_box(type, 0x80, 0)[0x11] = 10; /* receive side of the e-switch */
		REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
		BOX_REFUSED(range_box(type, 0x7f, 0), FW_BAD_INP_LEN, WHY_IN_LEN);
		BAD_PARAM(range_box(type, 0x80, 0)[0x40] = 1, WHY_RESERVED);
	}
	/* 2^24 STEs in all */
	for (int i = 0; i < 4; i++)
		new_range(STE, RX, 22);
	BOX_REFUSED(range_box(STE, 0x80, 0), FW_LIM_ERR, WHY_LIMIT);
}

/* ---- STCs ---- */

static uint32_t stcs;

/* STC 1 does @action at @dword; its parameter is from the returned byte on. */
static uint8_t *stc_box(uint8_t action, uint8_t dword)
{
	uint8_t *o = object_box(PRM_OP_MODIFY_GENERAL_OBJECT, STC, stcs, 0x80);

	b.in[0xf] = 1;
	o[7] = 1;
	o[0x12] = dword;
	o[0x13] = action;
	return o + 0x20;
}

static const struct hca_stc *stc(void)
{
	const struct hca_stc_range *r = core_ids_get(&hca.stc_ranges, stcs);

	return &r->stc[1];
}

Test(hws, stcs_have_a_place)
{
	static const struct {
		uint8_t action, places;
	} rows[] = { { 0x00, 0xe1 }, { 0x83, 0x08 }, { 0x84, 0x08 }, { 0x0c, 0x20 } };

	stcs = new_range(STC, RX, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint8_t at = 0; at < 9; at++) {
			stc_box(rows[i].action, at);
			if (at < 8 && rows[i].places >> at & 1)
				cr_assert_eq(execute(), FW_OK, "0x%x", rows[i].action);
			else
				REFUSED(FW_BAD_PARAM, WHY_VALUE);
		}
	BAD_PARAM(WITH_BYTE(stc_box(0x83, 3), 0xf, 2), WHY_INDEX);
	BAD_PARAM(stc_box(0x83, 3)[-0x20 + 7] = 0, WHY_VALUE);	  /* modify_field_select */
	BAD_PARAM(stc_box(0x83, 3)[-0x20 + 0x10] = 3, WHY_VALUE); /* reparse_mode */
}

Test(hws, stcs_that_are_not_executed_are_refused_by_name)
{
	/* ASO, ADD_FIELD, vport, uplink, table of the e-switch, an unknown one */
	static const uint8_t actions[] = { 0x12, 0x1b, 0x85, 0x86, 0x87, 0x7f };
	uint32_t stes;

	stcs = new_range(STC, RX, 1);
	for (size_t i = 0; i < sizeof(actions); i++)
		for (uint8_t at = 0; at < 8; at++)
			BAD_PARAM(stc_box(actions[i], at), WHY_UNSUPPORTED);
	/* a lookup in a range of STEs */
	stes = new_range(STE, RX, 2);
	BAD_PARAM(WITH(core_put_be32(stc_box(0x80, 3), stes), b.in[0x10 + 0x27] = 16),
		  WHY_UNSUPPORTED);
	core_put_be32(stc_box(0x80, 3), stes);
	b.in[0x10 + 0x27] = 15;
	b.in[0x10 + 0x28] = 1;
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	BOX_OK(WITH(core_put_be32(stc_box(0x80, 3), stes), b.in[0x10 + 0x27] = 15));
	cr_assert_eq(stc()->takes[1], 3u << 6);
	cr_assert_eq(destroy(STE, stes), FW_BAD_RES_STATE);
	BOX_OK(stc_box(0x83, 3));
	cr_assert_eq(destroy(STE, stes), FW_OK);
}

Test(hws, stcs_refer_to_their_objects)
{
	struct hca_tir *tir = hca_tir_new(&hca);
	struct hca_flow_counter *f = hca_flow_counter_new(&hca);
	uint32_t t = new_table(RX, 0, 1), other = new_table(TX, 0, 1), word;

	stcs = new_range(STC, RX, 1);
	BOX_REFUSED(core_put_be32(stc_box(0x81, 3), tir->tirn + 1), FW_BAD_RES, WHY_DEST);
	BOX_OK(core_put_be32(stc_box(0x81, 3), tir->tirn));
	cr_assert_eq(tir->refs, 1);
	/* 0x20 0000 0000 + 64 * number, in units of 32 bytes, and one entry */
	word = (uint32_t)((0x2000000000ull + 64ull * tir->tirn) >> 5 | 1) << 5;
	cr_assert_eq(stc()->word[1], word);
	BOX_REFUSED(core_put_be32(stc_box(0x82, 3), other), FW_BAD_RES, WHY_TABLE);
	BOX_OK(core_put_be32(stc_box(0x82, 3), t));
	cr_assert_eq(tir->refs, 0);
	on_table(PRM_OP_DESTROY_FLOW_TABLE, RX, t);
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	BOX_REFUSED(core_put_be32(stc_box(0x14, 0), f->id + 1), FW_BAD_RES, WHY_COUNTER);
	BOX_OK(core_put_be32(stc_box(0x14, 0), f->id));
	cr_assert_eq(f->refs, 1);
	cr_assert_eq(destroy(STC, stcs), FW_OK);
	cr_assert_eq(f->refs, 0);
	stcs = new_range(STC, TX, 1);
	BAD_PARAM(core_put_be32(stc_box(0x81, 3), tir->tirn), WHY_DEST);
}

/* Actions in the form of commands become words of STEs of format 1: the place of a field is
 * that of rdma-core, dr_ste_v1.c. */
Test(hws, stcs_that_change_headers_are_words_of_an_ste)
{
	stcs = new_range(STC, RX, 1);
	BOX_OK(core_put_be32(stc_box(0x06, 6), 0x100a0008)); /* SET, IPv4 TTL */
	cr_assert_eq(stc()->word[0], 0x060e2808u, "%#x", stc()->word[0]);
	cr_assert_eq(stc()->takes[1], UINT32_MAX);
	BAD_PARAM(core_put_be32(stc_box(0x06, 6), 0x10ff0000), WHY_ACTION); /* no such field */
	core_put_be32(stc_box(0x07, 6), 0x100a0008); /* SET in an STC that adds */
	REFUSED(FW_BAD_PARAM, WHY_ACTION);
	/* REMOVE_WORDS: 2 words at the first VLAN tag */
	BOX_OK(core_put_be32(stc_box(0x08, 5), 0x70020002));
	cr_assert_eq(stc()->word[0], 0x08020002);
	BAD_PARAM(core_put_be32(stc_box(0x08, 5), 0x70090002), WHY_ACTION); /* TCP */
	/* REMOVE with decap: from the start to the inner MAC */
	BOX_OK(core_put_be32(stc_box(0x09, 5), 0x58001300));
	cr_assert_eq(stc()->word[0], 0x09001308);
	/* INSERT inline: 2 words at byte 12 */
	BOX_OK(core_put_be32(stc_box(0x0b, 6), 0x44000602));
	cr_assert_eq(stc()->word[0], 0x0a000c00);
	BAD_PARAM(core_put_be32(stc_box(0x0b, 6), 0x44000603), WHY_ACTION); /* 3 words */
	core_put_be32(stc_box(0x0b, 6), 0x40000002); /* of an argument that there is not */
	REFUSED(FW_BAD_RES, WHY_HEADERS);
}

/* ---- patterns ---- */

static uint8_t *pattern_box(uint8_t n)
{
	uint8_t *o = create_box(PATTERN, 0x20 + 8 * (size_t)n);

	o[0x10] = n;
	for (uint32_t i = 0; i < n; i++)
		core_put_be32(o + 0x20 + 8 * i, 0x100a0008);
	return o;
}

Test(hws, patterns_are_lists)
{
	uint32_t id;

	BAD_PARAM(pattern_box(0), WHY_SIZE);
	BAD_PARAM(pattern_box(33), WHY_RESERVED);
	pattern_box(32);
	id = created();
	cr_assert_gt(id, 0xffff);
	cr_assert_eq(destroy(PATTERN, id), FW_OK);
	BAD_PARAM(pattern_box(2)[0x28] = 0x80, WHY_ACTION); /* ADD_FIELD */
	BOX_REFUSED(SHORTER(pattern_box(2), 8), FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(pattern_box(2)[0x10] = 1, WHY_VALUE); /* one more than it says */
}

/* A list of changes takes two objects. */
Test(hws, stcs_of_lists_need_a_pattern_and_an_argument)
{
	uint32_t list, argument, other;
	uint8_t *o;

	pattern_box(2);
	list = created();
	o = create_box(PRM_OBJ_MODIFY_HEADER_ARG, PRM_SZ(modify_header_arg));
	prm_store(o, 0x10 * 8 + 8, 24, pd->pdn);
	argument = created();
	o = create_box(PRM_OBJ_FLOW_METER_ASO, PRM_SZ(flow_meter_aso_obj));
	prm_store(o, 0x10 * 8 + 8, 24, pd->pdn);
	other = created();
	stcs = new_range(STC, RX, 1);
	for (int missing = 0; missing < 4; missing++) {
		o = stc_box(0x0e, 6);
		core_put_be32(o, list + (missing == 1));
		core_put_be32(o + 4, missing == 2   ? argument + 1000
				     : missing == 3 ? other
						    : argument);
		if (missing)
			REFUSED(FW_BAD_RES, WHY_HEADERS);
		else
			cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	}
	cr_assert_eq(stc()->word[0], 0x0e000000 | list);
	cr_assert_eq(stc()->word[1], 0x02000000 | argument);
	cr_assert_eq(destroy(PATTERN, list), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(PRM_OBJ_MODIFY_HEADER_ARG, argument), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(STC, stcs), FW_OK);
	cr_assert_eq(destroy(PATTERN, list), FW_OK);
	cr_assert_eq(destroy(PRM_OBJ_MODIFY_HEADER_ARG, argument), FW_OK);
}

/* ---- RTCs ---- */

static uint32_t stes, end;

static uint8_t *rtc_box(void)
{
	uint8_t *o = create_box(RTC, 0x80);

	SET(rtc, o, F(pd, pd->pdn), F(log_depth, 4), F(log_hash_size, 3), F(ste_format_0, 4),
	    F(match_definer_0, 15), F(stc_id, stcs), F(ste_table_base_id, stes),
	    F(miss_flow_table_id, end));
	return o;
}

static void rtc_objects(void)
{
	stcs = new_range(STC, RX, 1);
	stes = new_range(STE, RX, 8);
	end = new_table(RX, 0, 1);
}

#define RTC_REFUSED(f, v, status, why) BOX_REFUSED(PRM_SET(rtc, rtc_box(), f, v), status, why)

Test(hws, rtcs_are_checked)
{
	rtc_objects();
	RTC_REFUSED(ste_format_0, 7, FW_BAD_PARAM, WHY_UNSUPPORTED); /* ranges */
	RTC_REFUSED(ste_format_0, 8, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(ste_format_1, 7, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(num_match_ste, 2, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(update_method, 1, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(access_index_mode, 1, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(update_index_mode, 2, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(num_hash_definer, 1, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(reparse_mode, 3, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(table_type, FDB, FW_BAD_PARAM, WHY_UNSUPPORTED);
	RTC_REFUSED(pd, pd->pdn + 1, FW_BAD_RES, WHY_PD);
	RTC_REFUSED(stc_id, stcs + 1, FW_BAD_RES, WHY_OBJECT);
	RTC_REFUSED(ste_table_base_id, stes + 1, FW_BAD_RES, WHY_OBJECT);
	RTC_REFUSED(table_type, TX, FW_BAD_RES, WHY_OBJECT);
	RTC_REFUSED(miss_flow_table_id, end + 1, FW_BAD_RES, WHY_TABLE);
	RTC_REFUSED(match_definer_0, 16, FW_BAD_RES, WHY_MATCH);
	RTC_REFUSED(ste_format_0, 5, FW_BAD_RES, WHY_MATCH); /* compares nothing */
	RTC_REFUSED(log_depth, 5, FW_BAD_PARAM, WHY_SIZE);
	RTC_REFUSED(log_hash_size, 5, FW_BAD_PARAM, WHY_SIZE);
	RTC_REFUSED(ste_table_offset, 129, FW_BAD_PARAM, WHY_SIZE);
	BOX_OK(PRM_SET(rtc, rtc_box(), ste_table_offset, 128));
	BAD_PARAM(PRM_SET(rtc, rtc_box(), update_index_mode, 1), WHY_SIZE); /* rows of one */
}

/* Objects are shown as they were made. */
Test(hws, objects_are_shown)
{
	static const uint16_t types[] = { STC, STE };
	uint8_t was[0x80];
	uint32_t id;

	for (size_t i = 0; i < 2; i++) {
		id = new_range(types[i], TX, 1);
		cr_expect_eq(queried(types[i], id, 0x80)[0x11], TX);
		cr_expect_eq(PRM_GET(general_obj_out_cmd_hdr, b.out, obj_id), id);
		BOX_REFUSED(query_box(types[i], id, 0x7f), FW_BAD_OUTP_LEN, WHY_OUT_LEN);
		BOX_REFUSED(query_box(types[i], id + 1, 0x80), FW_BAD_RES_STATE, WHY_OBJECT);
	}
	rtc_objects();
	memcpy(was, rtc_box(), sizeof(was));
	cr_expect_arr_eq(queried(RTC, created(), 0x80), was, 0x80);
	memcpy(was, pattern_box(2), 0x30);
	cr_expect_arr_eq(queried(PATTERN, created(), 0x30), was, 0x30);
}

/* rtc_valid is bit 15 of the first dword of the context, rtc_id_0 its dword 6. */
static void rtc_table_box(uint32_t table, uint32_t rtc)
{
	on_table(PRM_OP_MODIFY_FLOW_TABLE, RX, table);
	b.in[0xf] = 2;
	PRM_SET(flow_table_context, PRM_ADDR(modify_flow_table_in, b.in, flow_table_context),
		rtc_id_0, rtc);
}

Test(hws, tables_lead_to_rtcs)
{
	uint32_t table, rtc;

	rtc_objects();
	rtc_box();
	rtc = created();
	BAD_PARAM(rtc_table_box(end, rtc), WHY_TABLE);
	BOX_OK(WITH_BYTE(table_box(RX, 0, 127), 0x1a, 0x80));
	table = id24();
	BAD_PARAM(group_box(RX, table, 0, 0, 0, NULL), WHY_UNSUPPORTED);
	BOX_REFUSED(rtc_table_box(table, rtc + 1), FW_BAD_RES, WHY_OBJECT);
	BOX_OK(rtc_table_box(table, rtc));
	cr_assert_eq(destroy(RTC, rtc), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(STE, stes), FW_BAD_RES_STATE);
	cr_assert_eq(destroy(STC, stcs), FW_BAD_RES_STATE);
	BOX_OK(rtc_table_box(table, 0));
	cr_assert_eq(destroy(RTC, rtc), FW_OK);
	cr_assert_eq(destroy(STE, stes), FW_OK);
	cr_assert_eq(destroy(STC, stcs), FW_OK);
}
