/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STCs: actions by number, each as the words of an STE.
 *
 *	action_type, ste_action_offset, stc_param -> word[2], and the bits that a WQE may add
 *
 *	dword 0		a counter, or nothing
 *	dwords 3, 4	where the packet goes: TIR, flow table, STE, drop, allow
 *	dword 5		flow tag, removal of headers, or nothing
 *	dwords 6, 7	a change of a field, a pattern of changes, an insertion; or nothing in each
 *
 * Places and parameters: DPDK, mlx5dr_action.c, mlx5dr_action_fill_stc_attr. Refused by name:
 * ASO, ADD_FIELD, vports, the uplink, tables of the e-switch, lookups in a range of STEs by
 * another match definer than the one that every packet hits.
 */
#include "fw/flow.h"
#include "fw/hws.h"
#include "steer/steer.h"

/* Action words of an STE begin with the type of the action. */
#define WORD(type) ((uint32_t)PRM_STC_ACTION_##type << 24)
#define NUMBER	   0xffffffu

/* A WQE adds an index to the address of an STE, in units of 64 bytes. */
#define INDEX_SHIFT 6

static bool at_one_of(const struct hca_stc *s, uint32_t mask)
{
	return s->at < 32 && mask >> s->at & 1;
}

/* The words 3 and 4 of an STE: a table with one entry at @addr. */
static void lead_to(struct hca_stc *s, uint64_t addr)
{
	uint64_t v = addr >> 5 | 1;

	s->word[0] = (uint32_t)(v >> 27);
	s->word[1] = (uint32_t)(v << 5);
}

static uint64_t end_of(uint8_t type, bool drop)
{
	bool rx = type == PRM_FT_TYPE_NIC_RX;

	return HCA_ICM_AT(HCA_ICM_END,
			  (uint64_t)(drop ? (rx ? HCA_ICM_RX_DROP : HCA_ICM_TX_DROP)
					  : (rx ? HCA_ICM_RX_ALLOW : HCA_ICM_TX_ALLOW)));
}

static enum fw_status go(struct fw_cmd *c, const struct hca_stc_range *range, const uint8_t *p,
			 struct hca_stc *s)
{
	struct hca_tir *tir;
	struct hca_flow_table *t;

	switch (s->action) {
	case PRM_STC_ACTION_JUMP_TO_TIR:
		tir = fw_tir(c, PRM_GET(stc_ste_param_tir, p, tirn));
		if (range->type != PRM_FT_TYPE_NIC_RX)
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DESTINATION);
		if (!tir)
			return fw_refuse(c, FW_BAD_RES, FW_WHY_DESTINATION);
		s->use = &tir->object;
		lead_to(s, HCA_ICM_AT(HCA_ICM_TIR, tir->tirn));
		return FW_OK;
	case PRM_STC_ACTION_JUMP_TO_FT:
		t = fw_flow_target(c, range->type, PRM_GET(stc_ste_param_table, p, table_id));
		if (!t)
			return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
		s->use = &t->object;
		lead_to(s, HCA_ICM_AT(HCA_ICM_TABLE, t->table_id));
		return FW_OK;
	default:
		lead_to(s, end_of(range->type, s->action == PRM_STC_ACTION_DROP));
		return FW_OK;
	}
}

static enum fw_status go_to_stes(struct fw_cmd *c, const struct hca_stc_range *range,
				 const uint8_t *p, struct hca_stc *s)
{
	struct hca_ste_range *r =
		fw_ste_range(c, PRM_GET(stc_ste_param_ste_table, p, ste_obj_id));

	if (!r || r->type != range->type)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	if (PRM_GET(stc_ste_param_ste_table, p, match_definer_id) != HCA_DEFINER_ALWAYS ||
	    PRM_GET(stc_ste_param_ste_table, p, log_hash_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	s->use = &r->object;
	lead_to(s, r->addr);
	s->takes[1] = ((1u << r->log_size) - 1) << INDEX_SHIFT;
	return FW_OK;
}

static enum fw_status count(struct fw_cmd *c, const uint8_t *p, struct hca_stc *s)
{
	struct hca_flow_counter *f =
		fw_flow_counter(c, PRM_GET(stc_ste_param_flow_counter, p, flow_counter_id));

	if (!f)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	s->use = &f->object;
	s->word[0] = PRM_GET(stc_ste_param_flow_counter, p, flow_counter_id);
	s->takes[0] = NUMBER;
	return FW_OK;
}

static struct hca_general *argument_of(struct fw_cmd *c, uint32_t id)
{
	struct hca_general *g = fw_general(c, id);

	return g && g->type == PRM_OBJ_MODIFY_HEADER_ARG ? g : NULL;
}

static enum fw_status change_list(struct fw_cmd *c, const uint8_t *p, struct hca_stc *s)
{
	uint32_t id = PRM_GET(stc_ste_param_header_modify_list, p, header_modify_argument_id);
	struct hca_pattern *pattern = fw_pattern(
		c, PRM_GET(stc_ste_param_header_modify_list, p, header_modify_pattern_id));
	struct hca_general *g = argument_of(c, id);

	if (!pattern || !g)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_HEADERS);
	s->use = &pattern->object;
	s->also = &g->object;
	s->word[0] = WORD(MODIFY_LIST) | pattern->id;
	s->word[1] = pattern->n << 24 | id;
	s->takes[1] = NUMBER;
	return FW_OK;
}

/* The action of @p, stc_param, is one of a list of changes. */
static enum fw_status change(struct fw_cmd *c, const uint8_t *p, uint32_t type,
			     struct hca_stc *s)
{
	bool insert = type == PRM_ACTION_INSERT;
	bool data = insert && !PRM_GET(stc_ste_param_insert, p, inline_data);
	struct hca_general *g =
		data ? argument_of(c, PRM_GET(stc_ste_param_insert, p, insert_argument)) : NULL;
	uint8_t to[8];

	if (data && !g)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_HEADERS);
	if (PRM_GET(set_action_in, p, action_type) != type || !steer_ste_change(c->hca, p, to))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	s->use = g ? &g->object : NULL;
	s->word[0] = core_be32(to);
	s->word[1] = core_be32(to + 4);
	if (data)
		s->takes[1] = NUMBER;
	else if (insert || type == PRM_ACTION_SET || type == PRM_ACTION_ADD)
		s->takes[1] = UINT32_MAX;
	return FW_OK;
}

#define AT(dword) (1u << (dword))

/* The actions that are executed, and the dwords at which they may be. */
static const struct action {
	uint8_t action;
	uint8_t places;
	uint8_t change; /* PRM_ACTION_* of one that is like that of a list of changes */
} actions[] = {
	{ PRM_STC_ACTION_NOP, AT(0) | AT(5) | AT(6) | AT(7), 0 },
	{ PRM_STC_ACTION_COUNTER, AT(0), 0 },
	{ PRM_STC_ACTION_JUMP_TO_STE_TABLE, AT(3), 0 },
	{ PRM_STC_ACTION_JUMP_TO_TIR, AT(3), 0 },
	{ PRM_STC_ACTION_JUMP_TO_FT, AT(3), 0 },
	{ PRM_STC_ACTION_DROP, AT(3), 0 },
	{ PRM_STC_ACTION_ALLOW, AT(3), 0 },
	{ PRM_STC_ACTION_TAG, AT(5), 0 },
	{ PRM_STC_ACTION_REMOVE_WORDS, AT(5), PRM_ACTION_REMOVE_WORDS },
	{ PRM_STC_ACTION_HEADER_REMOVE, AT(5), PRM_ACTION_REMOVE },
	{ PRM_STC_ACTION_COPY, AT(6), PRM_ACTION_COPY },
	{ PRM_STC_ACTION_SET, AT(6), PRM_ACTION_SET },
	{ PRM_STC_ACTION_ADD, AT(6), PRM_ACTION_ADD },
	{ PRM_STC_ACTION_HEADER_INSERT, AT(6), PRM_ACTION_INSERT },
	{ PRM_STC_ACTION_MODIFY_LIST, AT(6), 0 },
};

/* NULL: it is not executed. */
static const struct action *find(uint32_t action)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (actions[i].action == action)
			return &actions[i];
	return NULL;
}

static enum fw_status act(struct fw_cmd *c, const struct hca_stc_range *range, const uint8_t *p,
			  struct hca_stc *s)
{
	switch (s->action) {
	case PRM_STC_ACTION_NOP:
		return FW_OK;
	case PRM_STC_ACTION_COUNTER:
		return count(c, p, s);
	case PRM_STC_ACTION_TAG:
		s->word[0] = WORD(TAG);
		s->takes[0] = NUMBER;
		return FW_OK;
	case PRM_STC_ACTION_MODIFY_LIST:
		return change_list(c, p, s);
	case PRM_STC_ACTION_JUMP_TO_STE_TABLE:
		return go_to_stes(c, range, p, s);
	default:
		return go(c, range, p, s);
	}
}

enum fw_status fw_stc_read(struct fw_cmd *c, const struct hca_stc_range *range,
			   const uint8_t *obj, struct hca_stc *s)
{
	struct hca_stc next = { .set = true,
				.at = PRM_GET(stc, obj, ste_action_offset),
				.action = PRM_GET(stc, obj, action_type) };
	const uint8_t *p = PRM_ADDR(stc, obj, stc_param);
	const struct action *a = find(next.action);
	uint32_t type = PRM_GET(stc, obj, table_type);
	enum fw_status status;

	if (!a)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!at_one_of(&next, a->places) || (type && type != range->type) ||
	    PRM_GET(stc, obj, reparse_mode) > 2)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	status = a->change ? change(c, p, a->change, &next) : act(c, range, p, &next);
	if (status == FW_OK)
		*s = next;
	return status;
}
