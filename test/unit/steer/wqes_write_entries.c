/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtc: WQEs by hand that write STEs to the table of an RTC, and packets that walk through it.
 * The match definer selects the IPv4 destination (dword 65 of all headers) and the ports (24);
 * the rows that tags lead to are computed apart (CRC-32 of IEEE 802.3).
 */
#include "stes.h"

enum { DEPTH = 1, ROWS = 3 }; /* log2 */

static struct hca_flow_table *from, *miss;
static struct hca_general *selects;
static struct hca_stc_range *stcs;
static struct hca_rtc *r;
static struct hca_pd *pd;
static struct hca_tir *other;
static uint8_t ctrl[48], data[64];
static const char *why;

static void set_stc(uint32_t i, uint8_t at, uint64_t lead, uint32_t word, uint32_t takes)
{
	uint64_t v = lead >> 5 | 1;

	stcs->stc[i] = (struct hca_stc){ .set = true, .at = at, .takes = { takes, 0 } };
	stcs->stc[i].word[0] = lead ? (uint32_t)(v >> 27) : word;
	stcs->stc[i].word[1] = lead ? (uint32_t)(v << 5) : 0;
}

static struct hca_rtc *new_rtc(uint8_t rows, uint8_t depth, bool by_offset)
{
	struct hca_rtc *n = hca_rtc_new(&hca);

	n->stes = hca_ste_range_new(&hca);
	n->stes->log_size = rows + depth;
	cr_assert(hca_ste_range_place(&hca, n->stes));
	n->stcs = stcs;
	n->pd = pd;
	n->log_rows = rows;
	n->log_depth = depth;
	n->by_offset = by_offset;
	n->hashed = n->definer = (uint8_t)selects->id;
	n->miss = miss;
	return n;
}

/* STCs: 0 to 3 nothing at 0, 5, 6, 7; 4 and 5 lead to TIRs; 6 a flow tag. */
static void setup(void)
{
	start();
	begin(1);
	from = hca.roots[0];
	from->sw_owner = false;
	miss = table(0);
	rule(group(miss, 0, 0), 0, 2); /* drop */
	pd = hca_pd_new(&hca);
	other = hca_tir_new(&hca);
	selects = hca_object_new(&hca, HCA_KIND_definer, 1);
	memset(selects->obj, 0, sizeof(selects->obj));
	selects->obj[0x13] = 61;
	selects->obj[0x23] = 65; /* dword 0 */
	selects->obj[0x22] = 24; /* dword 1 */
	memset(selects->obj + 0x40 + 64 - 16, 0xff, 8);
	stcs = hca_stc_range_new(&hca);
	stcs->log_size = 3;
	stcs->stc = calloc(9, sizeof(*stcs->stc)); /* one more than there are */
	set_stc(0, 0, 0, 0, 0);
	set_stc(1, 5, 0, 0, 0);
	set_stc(2, 6, 0, 0, 0);
	set_stc(3, 7, 0, 0, 0);
	set_stc(4, 3, tir_address(), 0, 0);
	set_stc(5, 3, HCA_ICM_TIR + 64ull * other->tirn, 0, 0);
	set_stc(6, 5, 0, 0x0c000000, 0xffffff);
	stcs->stc[8] = stcs->stc[4];
	from->rtc_valid = true;
	from->rtc = r = new_rtc(ROWS, DEPTH, false);
	memset(ctrl, 0, sizeof(ctrl));
	memset(data, 0, sizeof(data));
}

TestSuite(rtc, .init = setup, .fini = stop);

/* A WQE with opcode and index @op; 4 STCs after that of the counter, to 10.0.0.@to. */
static void wqe(uint32_t op, uint32_t hit, uint8_t to)
{
	put32(ctrl, op);
	put32(ctrl + 4, 4u << 29);
	put32(ctrl + 8, hit);
	put32(ctrl + 12, 1);
	put32(ctrl + 16, 2);
	put32(ctrl + 20, 3);
	from_hex(data + 32, "00000000 00000000 00000000 00000000 12340035 0a000000 00000000 "
			    "00000000");
	data[32 + 23] = to;
}

static enum steer_gta_end run_on(const struct hca_rtc *rtc)
{
	const struct steer_gta g = { .rtc = rtc->id, .pd = pd, .ctrl = ctrl, .data = data };

	why = NULL;
	return steer_gta(&hca, &g, &why);
}

static enum steer_gta_end execute(void)
{
	return run_on(r);
}

static enum steer_gta_end execute_wqe(uint32_t op, uint32_t hit, uint8_t to)
{
	wqe(op, hit, to);
	return execute();
}

static const uint8_t *slot(uint32_t i)
{
	return r->stes->bytes + 64 * (r->first + i);
}

static void refused(const char *text)
{
	cr_assert_eq(execute(), STEER_GTA_WRONG);
	cr_assert_not_null(strstr(why, text), "%s", why);
}

Test(rtc, rows_are_those_of_the_hash)
{
	static const uint32_t row[] = { 1, 6, 2, 5 }; /* of 10.0.0.2 to 10.0.0.5 */
	uint64_t leads = HCA_ICM_TABLE + 64ull * miss->table_id;

	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_eq(execute_wqe(0, 4, (uint8_t)(2 + i)), STEER_GTA_DONE, "%s", why);
		cr_assert_eq(slot(2 * row[i])[0], 4, "row %u", row[i]);
		cr_assert_eq(slot(2 * row[i] + 1)[0], 0);
		cr_assert_eq(core_be64(slot(2 * row[i]) + 4) & 0xffffffffff, leads);
	}
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.tirn[0], tir->tirn);
	cr_assert_arr_eq(got.compared.mask, selects->obj + 0x60, 32);
	cr_assert_arr_eq(got.compared.tag, data + 32, 23);
	cr_assert_eq(got.compared.tag[23], 2);
	cr_assert_arr_eq(got.compared.packet, got.compared.tag, 32);
	cr_assert_eq(execute_wqe(1u << 28, 0, 2), STEER_GTA_DONE);
	receive();
	cr_assert_eq(got.did[1], STEER_HIT, "its row is empty, and the next one is not");
	cr_assert_eq(execute_wqe(0, 4, 10), STEER_GTA_DONE, "the second one of row 2");
	cr_assert_eq(execute_wqe(0, 4, 2), STEER_GTA_DONE, "row 1");
	bytes[33] = 10;
	cr_assert_eq(receive(), 1);
	bytes[33] = 9; /* 10.0.0.9: the miss table drops */
	cr_assert_eq(receive(), 0);
	cr_assert_eq(findings, 0);
}

/* Bytes of an STE: format 4, definer, miss, hit, actions, tag. */
Test(rtc, stes_are_made_of_stcs_and_words)
{
	uint8_t expect[64] = { 4 };
	uint64_t hit = tir_address() >> 5 | 1, leads = HCA_ICM_TABLE + 64ull * miss->table_id;

	wqe(0, 4, 2);
	put32(ctrl + 12, 6);
	put32(data + 20, 0xabcdef);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	expect[6] = (uint8_t)selects->id;
	expect[7] = (uint8_t)(leads >> 32);
	put32(expect + 8, (uint32_t)leads);
	put32(expect + 12, (uint32_t)(hit >> 27));
	put32(expect + 16, (uint32_t)(hit << 5));
	put32(expect + 20, 0x0cabcdef);
	memcpy(expect + 32, data + 32, 32);
	cr_assert_arr_eq(slot(2), expect, 64);
	receive();
	cr_assert_eq(got.meta.flow_tag, 0xabcdef);
}

Test(rtc, rows_have_collisions_until_they_are_full)
{
	/* the same row for all: one row of two */
	from->rtc = r = new_rtc(1, 1, false);
	r->log_rows = 0;
	r->first = 2;
	cr_assert_eq(execute_wqe(0, 4, 2), STEER_GTA_DONE);
	cr_assert_eq(execute_wqe(0, 5, 3), STEER_GTA_DONE);
	cr_assert_eq(execute_wqe(0, 5, 4), STEER_GTA_NOT);
	bytes[33] = 3;
	receive();
	cr_assert_eq(got.tirn[0], other->tirn, "after the miss of the first one");
	cr_assert_eq(execute_wqe(1u << 28, 0, 2), STEER_GTA_DONE, "deactivate");
	cr_assert_eq(slot(0)[0], 0);
	receive();
	cr_assert_eq(got.tirn[0], other->tirn, "the second one is the first of its row");
	cr_assert_eq(execute_wqe(1u << 28, 0, 2), STEER_GTA_NOT, "it was taken away");
	cr_assert_eq(execute_wqe(0, 4, 4), STEER_GTA_DONE, "there is a place again");
}

Test(rtc, equal_tags_are_one_entry)
{
	cr_assert_eq(execute_wqe(0, 4, 2), STEER_GTA_DONE);
	cr_assert_eq(execute_wqe(0, 5, 2), STEER_GTA_DONE);
	cr_assert_eq(slot(3)[0], 0);
	receive();
	cr_assert_eq(got.tirn[0], other->tirn);
}

Test(rtc, arrays_are_written_by_offset)
{
	struct hca_rtc *array = new_rtc(2, 0, true);
	uint32_t last = 3;

	array->definer = array->hashed = HCA_DEFINER_ALWAYS;
	r = array;
	cr_assert_eq(execute_wqe(last, 5, 0), STEER_GTA_DONE);
	cr_assert_eq(slot(last)[0], 4);
	cr_assert_eq(slot(last)[6], HCA_DEFINER_ALWAYS);
	wqe(last + 1, 5, 0);
	refused("index is not one of the RTC");
	/* STC 7 and word 4: an STE of the hash table leads to the last of the array. */
	set_stc(7, 3, array->stes->addr, 0, 0);
	stcs->stc[7].takes[1] = last << 6;
	r = from->rtc;
	wqe(0, 7, 2);
	put32(data + 16, last << 6);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	receive();
	cr_assert_eq(got.tirn[0], other->tirn);
	put32(data + 16, (last + 1) << 6);
	refused("bits that its STC does not take");
	/* one that no WQE wrote */
	put32(data + 16, 1 << 6);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(findings, 1);
	/* packets enter it at its first row, or with a hash definer at that of their hash */
	from->rtc = r = array;
	put32(data + 16, 0);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(execute_wqe(0, 4, 0), STEER_GTA_DONE);
	cr_assert_eq(receive(), 1);
	array->hashed = (uint8_t)selects->id;
	cr_assert_eq(execute_wqe(1, 5, 0), STEER_GTA_DONE);
	receive();
	cr_assert_eq(got.tirn[0], other->tirn);
	cr_assert_eq(execute_wqe(1u << 28 | 1, 0, 0), STEER_GTA_DONE);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(findings, 1);
}

Test(rtc, without_a_miss_table_receive_drops_and_transmit_allows)
{
	hca.roots[PRM_FT_TYPE_NIC_TX] = from;
	r->miss = NULL;
	cr_assert_eq(receive(), 0);
	r->type = from->type = PRM_FT_TYPE_NIC_TX;
	cr_assert_eq(send_it(), 1);
	cr_assert_eq(findings, 0);
}

/* 11 dwords of tag: the definer has dword 8, at its front. */
Test(rtc, jumbo_tags_have_no_actions)
{
	from->rtc = r = new_rtc(ROWS, 0, false);
	r->jumbo = true;
	selects->obj[0x2b] = 0;			   /* dword selector 8: the destination MAC */
	memset(selects->obj + 0x40 + 20, 0xff, 4); /* its mask */
	wqe(0, 4, 2);
	put32(ctrl + 4, 1u << 29);
	put32(data + 20, 0x02000000);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	cr_assert_eq(slot(5)[0], 5, "the row of 44 bytes");
	cr_assert_eq(receive(), 1);
	bytes[0] = 4;
	cr_assert_eq(receive(), 0);
	put32(ctrl + 4, 4u << 29);
	refused("another number of STCs");
}

Test(rtc, wqes_that_do_not_fit_are_refused)
{
	static const char no_stc[] = "does not exist, or was never set";
	static const char bits[] = "bits that its STC does not take";
	static const struct {
		uint8_t *at;
		uint32_t v;
		const char *why;
	} rows[] = {
		{ ctrl, 2u << 28, "opcode" },
		{ ctrl, 1, "hash table" },
		{ ctrl + 4, 2u << 29, "another number of STCs" },
		{ ctrl + 4, 5u << 29, "another number of STCs" },
		{ ctrl + 4, 4u << 29 | 8, no_stc },
		{ ctrl + 4, 4u << 29 | 1, "of another place" },
		{ ctrl + 8, 8, no_stc },
		{ ctrl + 8, 7, no_stc },
		{ ctrl + 8, 1, "of another place" },
		{ ctrl + 12, 2, "of another place" },
		{ ctrl + 16, 1, "of another place" },
		{ ctrl + 20, 2, "of another place" },
		{ data + 4, 1, "words 1 to 3" },
		{ data + 8, 1, "words 1 to 3" },
		{ data + 12, 1, "words 1 to 3" },
		{ data, 1, bits },
		{ data + 16, 64, bits },
		{ data + 20, 1, bits },
		{ data + 24, 1, bits },
		{ data + 28, 1, bits },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		wqe(0, 4, 2);
		put32(rows[i].at, rows[i].v);
		refused(rows[i].why);
		memset(data, 0, 32);
	}
	wqe(0, 4, 2);
	stcs->stc[2].takes[1] = 1; /* of two words */
	refused("have the same word");
	stcs->stc[2].takes[1] = 0;
	stcs->stc[2].word[1] = 0x12345678;
	refused("have the same word");
	put32(ctrl + 4, 3u << 29);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	cr_assert_eq(core_be32(slot(2) + 28), 0x12345678);
	pd = hca_pd_new(&hca);
	refused("no RTC of that number");
}

Test(rtc, counters_are_of_the_bulk_of_their_stc)
{
	struct hca_flow_counter *bulk = hca_object_new(&hca, HCA_KIND_flow_counter, 2);

	set_stc(0, 0, 0, bulk->id, 0xffffff);
	stcs->stc[0].use = &bulk->object;
	wqe(0, 4, 2);
	put32(data, 1);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	receive();
	cr_assert_eq(bulk->traffic[1].packets, 1);
	cr_assert_eq(bulk->traffic[0].packets, 0);
	put32(data, 2);
	refused("bulk");
	set_stc(0, 0, 0, bulk->id - 1, 0xffffff);
	put32(data, 0);
	stcs->stc[0].use = &bulk->object;
	refused("bulk");
}

/* Each byte of the mask alone, all dwords of which are the same of all headers: 33 is checks of
 * headers, 149 the last register. */
Test(rtc, definers_without_a_row_do_not_fit)
{
	static const uint8_t dwords[] = { 149, 150, 33 };

	for (size_t d = 0; d < 3; d++) {
		memset(selects->obj + 0x20, dwords[d], 12);
		for (uint32_t i = 0; i < 36; i++) {
			memset(selects->obj + 0x40, 0, 64);
			selects->obj[0x40 + 20 + i] = 0x80;
			cr_expect_eq(steer_select_fits(selects->obj), !d, "%u, byte %u",
				     dwords[d], i);
		}
	}
}

/* Byte selectors 7 to 0 are the last 8 bytes of the tag: the protocol is byte 14 * 4 + 3. */
Test(rtc, bytes_are_selected)
{
	selects->obj[0x33] = 59;
	selects->obj[0x40 + 63] = 0xff;
	wqe(0, 4, 2);
	data[63] = 17;
	from->rtc = r = new_rtc(0, 0, false);
	cr_assert_eq(execute(), STEER_GTA_DONE, "%s", why);
	cr_assert_eq(receive(), 1);
	bytes[23] = 6;
	cr_assert_eq(receive(), 0);
}
