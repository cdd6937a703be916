/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of hardware steering that firmware mostly accepts, and WQEs that write STEs to them:
 * many fit, others have any bits.
 */
#include <string.h>

#include "fuzz_steer.h"

enum { OBJECT = 0x10, BYTES = 0x80 };

static uint8_t in[OBJECT + BYTES + 64];

static uint32_t some(const struct core_ids *t)
{
	uint32_t skip = t->used ? below(t->used) : 0, id = 0;

	if (!t->used)
		return below(4);
	do
		core_ids_next(t, &id);
	while (skip--);
	return id;
}

static uint8_t *object(uint16_t opcode, uint16_t type)
{
	memset(in, 0, sizeof(in));
	PRM_SET(mbox_in, in, opcode, opcode);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	return in + OBJECT;
}

static bool execute(struct hca *hca, size_t len)
{
	uint8_t out[OBJECT];

	if (one_in(32))
		in[below((uint32_t)len)] ^= (uint8_t)(1u << below(8));
	fw_exec(hca, in, len, out, sizeof(out));
	return !out[0];
}

static bool create(struct hca *hca, uint16_t type)
{
	uint8_t *o = object(PRM_OP_CREATE_GENERAL_OBJECT, type);

	switch (type) {
	case PRM_OBJ_RTC:
		PRM_SET(rtc, o, pd, some(&hca->pds));
		PRM_SET(rtc, o, update_index_mode, one_in(3));
		PRM_SET(rtc, o, log_depth, below(3));
		PRM_SET(rtc, o, log_hash_size, below(4));
		PRM_SET(rtc, o, ste_format_0, 4 + one_in(4));
		PRM_SET(rtc, o, match_definer_0, one_in(3) ? 15 : some(&hca->definers));
		PRM_SET(rtc, o, stc_id, some(&hca->stc_ranges));
		PRM_SET(rtc, o, ste_table_base_id, some(&hca->ste_ranges));
		PRM_SET(rtc, o, ste_table_offset, below(2));
		PRM_SET(rtc, o, miss_flow_table_id, one_in(2) ? 0 : some(&hca->flow_tables));
		break;
	case PRM_OBJ_MODIFY_HDR_PATTERN:
		PRM_SET(header_modify_pattern_in, o, pattern_length, 2);
		core_put_be32(o + 0x20, 0x100a0008); /* SET, TTL */
		core_put_be32(o + 0x28, (uint32_t)chance());
		return execute(hca, OBJECT + 0x30);
	case PRM_OBJ_MATCH_DEFINER:
		PRM_SET(match_definer, o, format_id, STEER_DEFINER_SELECT);
		for (int i = 0; i < 6; i++) {
			o[0x20 + below(8)] = (uint8_t)below(151);
			memset(o + 0x60 + 4 * below(8), 0xff, 4);
		}
		break;
	default:
		in[0xc] = (uint8_t)(3 + below(4));
		break;
	}
	return execute(hca, OBJECT + BYTES);
}

/* STCs 0 to 4 are of the places that a WQE needs, mostly with actions of these places. */
static const uint8_t places[] = { 0, 3, 5, 6, 7 };

static uint8_t action_at(uint8_t place)
{
	static const uint8_t ends[] = { 0x80, 0x81, 0x81, 0x82, 0x83, 0x84 };
	static const uint8_t singles[] = { 0x00, 0x08, 0x09, 0x0c };
	static const uint8_t doubles[] = { 0x00, 0x05, 0x06, 0x07, 0x0b, 0x0e };

	switch (place) {
	case 0:
		return one_in(2) ? 0x14 : 0;
	case 3:
		return PICK(ends);
	case 5:
		return PICK(singles);
	case 6:
		return PICK(doubles);
	default:
		return 0;
	}
}

/* The first dword of the parameter of an action. */
static uint32_t parameter(struct hca *hca, uint8_t action)
{
	switch (action) {
	case 0x80:
		return some(&hca->ste_ranges);
	case 0x81:
		return some(&hca->tirs);
	case 0x82:
		return some(&hca->flow_tables);
	case 0x14:
		return some(&hca->flow_counters);
	case 0x0e:
		return some(&hca->patterns);
	case 0x06:
		return 0x100a0008; /* TTL */
	case 0x08:
		return 0x70020000 | below(8);
	case 0x09:
		return 0x50001300;
	default:
		return (uint32_t)chance();
	}
}

static bool set_stc(struct hca *hca)
{
	uint8_t *o = object(PRM_OP_MODIFY_GENERAL_OBJECT, PRM_OBJ_STC);
	uint32_t nth = below(5);
	uint8_t action = one_in(32) ? (uint8_t)chance() : action_at(places[nth]);

	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, some(&hca->stc_ranges));
	in[0xf] = (uint8_t)nth;
	o[7] = 1;
	o[0x12] = places[nth];
	o[0x13] = action;
	core_put_be32(o + 0x20, parameter(hca, action));
	core_put_be32(o + 0x24, action == 0x80 ? 15 : some(&hca->generals));
	return execute(hca, OBJECT + BYTES);
}

static bool lead(struct hca *hca)
{
	uint8_t out[OBJECT];

	memset(in, 0, sizeof(in));
	PRM_SET(mbox_in, in, opcode, PRM_OP_MODIFY_FLOW_TABLE);
	in[0xf] = 2;
	PRM_SET(modify_flow_table_in, in, table_id, some(&hca->flow_tables));
	PRM_SET(flow_table_context, PRM_ADDR(modify_flow_table_in, in, flow_table_context),
		rtc_id_0, some(&hca->rtcs));
	fw_exec(hca, in, PRM_SZ(modify_flow_table_in), out, sizeof(out));
	return !out[0];
}

/* A root table of an RTC, as a rule of the root would lead to it. */
static bool enter(struct hca *hca)
{
	struct hca_flow_table *t = core_ids_get(&hca->flow_tables, some(&hca->flow_tables));
	struct hca_rtc *r = core_ids_get(&hca->rtcs, some(&hca->rtcs));

	if (!t || !r || t->rtc || t->groups || t->type != r->type || t->sw_owner)
		return false;
	t->rtc_valid = true;
	t->rtc = r;
	r->refs++;
	hca->roots[t->type] = t;
	return true;
}

static bool write_ste(struct hca *hca)
{
	uint8_t ctrl[STEER_GTA_CTRL] = { 0 }, data[STEER_GTA_DATA] = { 0 };
	const struct hca_rtc *r = core_ids_get(&hca->rtcs, some(&hca->rtcs));
	struct steer_gta g = { .ctrl = ctrl, .data = data };
	const char *why = NULL;

	g.rtc = r ? r->id : (uint32_t)chance();
	g.pd = r && !one_in(32) ? r->pd : NULL;
	core_put_be32(ctrl, (one_in(4) << 28) | (r && r->by_offset ? below(8) : 0));
	for (uint32_t i = 0; i < 5; i++)
		core_put_be32(ctrl + 4 + 4 * i, one_in(32) ? below(6) : i);
	ctrl[4] = (uint8_t)((r && r->jumbo ? 1 : 3 + one_in(2)) << 5);
	if (one_in(2))
		data[63 - below(32)] = (uint8_t)chance();
	if (one_in(16))
		data[below(64)] = (uint8_t)chance();
	if (one_in(8))
		ctrl[below(48)] = (uint8_t)chance();
	return steer_gta(hca, &g, &why) != STEER_GTA_WRONG;
}

bool wqe_run(struct hca *hca)
{
	static const uint16_t types[] = { PRM_OBJ_STC,
					  PRM_OBJ_RTC,
					  PRM_OBJ_RTC,
					  PRM_OBJ_STE,
					  PRM_OBJ_MODIFY_HDR_PATTERN,
					  PRM_OBJ_MATCH_DEFINER };

	if (one_in(3))
		return write_ste(hca);
	if (one_in(2))
		return set_stc(hca);
	if (one_in(8))
		return enter(hca);
	return one_in(4) ? lead(hca) : create(hca, PICK(types));
}
