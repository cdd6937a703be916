/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of entries (STEs) that WQEs write: rule table contexts (RTC).
 *
 *	WQE: control 48 bytes | data 64 bytes
 *	     opcode, index, an STC for each part	words 0, 4 to 7 | tag
 *
 *	STE: counter | definer, miss | hit | actions | tag
 *	     STC 0 + word 0	       STC 1 + word 4	STC 2 to 4 + words 5 to 7
 *
 *	row, by the hash of the tag: STE -miss-> STE … -miss-> the miss table of the RTC
 *
 * Layouts: DPDK, mlx5dr_send.h, struct mlx5dr_wqe_gta_ctrl_seg, struct
 * mlx5dr_wqe_gta_data_seg_ste; mlx5dr_action.h, enum mlx5dr_action_stc_idx; which bytes are
 * hashed, and how: mlx5dr_rule.c, mlx5dr_rule_hash_calculate.
 */
#include <string.h>

#include "steer/ste.h"

/* Dwords of an STE, and of the data of a WQE. */
enum { COUNTER = 0, DEFINER = 1, MISS = 2, HIT = 3, ACTIONS = 5, TAG = 8 };
enum { ACTIVATE = 0, DEACTIVATE = 1 };
enum { STC_COUNTER, STC_HIT, STC_5, STC_6, STC_7 };
#define STC_NUMBER 0x1fffffffu /* of STC 0; the bits above are how many follow it */

static size_t tag_bytes(const struct hca_rtc *r)
{
	return r->jumbo ? STE_JUMBO_TAG : STE_DEFINER;
}

static uint8_t *slot(const struct hca_rtc *r, uint32_t row, uint32_t i)
{
	return r->stes->bytes + (uint64_t)STE_SIZE * (r->first + (row << r->log_depth) + i);
}

static uint64_t slot_addr(const struct hca_rtc *r, uint32_t row, uint32_t i)
{
	return r->stes->addr + (uint64_t)(slot(r, row, i) - r->stes->bytes);
}

static uint8_t *tag_of(const struct hca_rtc *r, uint8_t *ste)
{
	return ste + STE_SIZE - tag_bytes(r);
}

/* assumed(an_rtc_without_a_miss_table_ends): a packet that no STE of an RTC without a miss
 * table takes is dropped on receive, and allowed on transmit. */
static uint64_t miss_of(const struct hca_rtc *r)
{
	if (r->miss)
		return HCA_ICM_AT(HCA_ICM_TABLE, r->miss->table_id);
	return HCA_ICM_AT(HCA_ICM_END,
			  r->type == PRM_FT_TYPE_NIC_TX ? HCA_ICM_TX_ALLOW : HCA_ICM_RX_DROP);
}

/* The first STE of a row, from slot @i on, that a WQE wrote; else the miss table. */
static uint64_t next_in(const struct hca_rtc *r, uint32_t row, uint32_t i)
{
	for (; i < 1u << r->log_depth; i++)
		if (*slot(r, row, i))
			return slot_addr(r, row, i);
	return miss_of(r);
}

/* Each STE of the row misses to the next one. */
static void link_row(const struct hca_rtc *r, uint32_t row)
{
	for (uint32_t i = 0; i < 1u << r->log_depth; i++) {
		uint8_t *s = slot(r, row, i);
		uint64_t to = next_in(r, row, i + 1);

		if (!*s)
			continue;
		s[4 * DEFINER + 3] = (uint8_t)(to >> 32);
		core_put_be32(s + 4 * MISS, (uint32_t)to);
	}
}

uint64_t ste_enter(const struct steer_walk *w, const struct steer_work *work,
		   const struct hca_rtc *r)
{
	uint16_t lookup = (uint16_t)((r->jumbo ? STE_JUMBO : STE_MATCH) << 8 | r->hashed);
	uint8_t tag[STE_JUMBO_TAG];
	uint32_t row = 0;

	if (r->log_rows && r->hashed != HCA_DEFINER_ALWAYS) {
		if (!ste_definer(w, work, lookup, tag))
			return 0;
		row = ste_hash(tag, tag_bytes(r)) & ((1u << r->log_rows) - 1);
	}
	return next_in(r, row, 0);
}

/* ---- what a WQE describes ---- */

struct wqe {
	const struct hca_rtc *rtc;
	const uint8_t *ctrl, *data;
	uint8_t ste[STE_SIZE];
	const char *why; /* it cannot be executed; NULL: nothing */
};

static uint32_t word(const uint8_t *p, uint32_t i)
{
	return core_be32(p + 4 * (size_t)i);
}

/* Two words are of it; the word after a single one is of the next STC. */
static bool is_double(const struct hca_stc *s)
{
	return s->word[1] || s->takes[1];
}

static const struct hca_stc *stc_of(const struct wqe *w, uint32_t nth)
{
	uint32_t number = word(w->ctrl, 1 + nth) & (nth ? UINT32_MAX : STC_NUMBER);
	const struct hca_stc_range *stcs = w->rtc->stcs;

	return number < 1u << stcs->log_size ? &stcs->stc[number] : NULL;
}

/* Adds the words of the nth STC, whose place is @at, and those of the WQE. NULL, or why not, as
 * below. */
static const char *add(struct wqe *w, uint32_t nth, uint8_t at)
{
	const struct hca_stc *s = stc_of(w, nth);
	uint32_t words = s && is_double(s) ? 2 : 1;

	if (!s || !s->set)
		return "one of its STCs does not exist, or was never set";
	if (s->at != at)
		return "one of its STCs is of another place";
	for (uint32_t i = 0; i < words; i++) {
		uint32_t more = word(w->data, at + i);

		if (more & ~s->takes[i])
			return "it has bits that its STC does not take";
		core_put_be32(w->ste + 4 * (at + i), s->word[i] + more);
	}
	return NULL;
}

/* The counter of the STC and of the WQE is one of its bulk. */
static const char *check_counter(const struct wqe *w)
{
	uint32_t number = ste_bits(w->ste, COUNTER, 31, 0);
	const struct hca_object *bulk = stc_of(w, STC_COUNTER)->use;

	return !bulk || (number >= bulk->id && number - bulk->id < bulk->numbers)
		       ? NULL
		       : "its counter is not in the bulk of its STC";
}

static const char *build(struct wqe *w)
{
	static const uint8_t places[] = { COUNTER, HIT, 5, 6, 7 };
	uint32_t n = word(w->ctrl, 1) >> 29;
	const struct hca_rtc *r = w->rtc;
	const char *why = NULL;
	uint8_t *s = w->ste;

	if (word(w->data, 1) || word(w->data, 2) || word(w->data, 3))
		return "words 1 to 3 of its data are not 0";
	if (r->jumbo ? n != STC_HIT : n != STC_6 && n != STC_7)
		return "it has another number of STCs than its format";
	for (uint32_t nth = 0; nth <= n && !why; nth++)
		why = nth == STC_7 && is_double(stc_of(w, STC_6))
			      ? "its STCs 3 and 4 have the same word"
			      : add(w, nth, places[nth]);
	if (!why)
		why = check_counter(w);
	if (why)
		return why;
	/* A counter has 24 bits: the format is above it. */
	s[0] = r->jumbo ? STE_JUMBO : STE_MATCH;
	s[4 * DEFINER + 2] = r->definer;
	memcpy(tag_of(r, s), w->data + STE_SIZE - tag_bytes(r), tag_bytes(r));
	return NULL;
}

/* ---- writing ---- */

/* The slot of the row that has the same tag, or else a free one. NULL: there is neither. */
/* assumed(equal_tags_are_one_entry): a WQE with a tag that the row has writes to that STE. */
static uint8_t *find(const struct wqe *w, uint32_t row, bool or_free)
{
	const struct hca_rtc *r = w->rtc;
	const uint8_t *tag = w->data + STE_SIZE - tag_bytes(r);
	uint8_t *unused = NULL;

	for (uint32_t i = 0; i < 1u << r->log_depth; i++) {
		uint8_t *s = slot(r, row, i);

		if (*s && !memcmp(tag_of(r, s), tag, tag_bytes(r)))
			return s;
		if (!*s && !unused)
			unused = s;
	}
	return or_free ? unused : NULL;
}

static enum steer_gta_end put(struct wqe *w, uint32_t row, uint8_t *at, bool set)
{
	if (!at)
		return STEER_GTA_NOT;
	if (set)
		memcpy(at, w->ste, STE_SIZE);
	else
		memset(at, 0, STE_SIZE);
	link_row(w->rtc, row);
	return STEER_GTA_DONE;
}

static enum steer_gta_end write_ste(struct wqe *w)
{
	const struct hca_rtc *r = w->rtc;
	uint32_t op = word(w->ctrl, 0) >> 28, index = word(w->ctrl, 0) & 0xfffffff;
	const uint8_t *tag = w->data + STE_SIZE - tag_bytes(r);
	uint32_t row =
		r->by_offset ? index : ste_hash(tag, tag_bytes(r)) & ((1u << r->log_rows) - 1);

	if (op > DEACTIVATE)
		w->why = "its opcode is neither activate (0) nor deactivate (1)";
	else if (!r->by_offset && index)
		w->why = "it has an index, and its RTC is a hash table";
	else if (row >= 1u << r->log_rows)
		w->why = "its index is not one of the RTC";
	else if (op == ACTIVATE)
		w->why = build(w);
	if (w->why)
		return STEER_GTA_WRONG;
	return put(w, row, r->by_offset ? slot(r, row, 0) : find(w, row, op == ACTIVATE),
		   op == ACTIVATE);
}

enum steer_gta_end steer_gta(struct hca *hca, const struct steer_gta *g, const char **why)
{
	struct wqe w = { .rtc = core_ids_get(&hca->rtcs, g->rtc),
			 .ctrl = g->ctrl,
			 .data = g->data };
	enum steer_gta_end end;

	if (!w.rtc || w.rtc->pd != g->pd) {
		*why = "the PD of the queue has no RTC of that number";
		return STEER_GTA_WRONG;
	}
	end = write_ste(&w);
	*why = w.why;
	return end;
}
