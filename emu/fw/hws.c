/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * General objects of hardware steering (hca/hws.h). Known from DPDK, mlx5dr_cmd.c.
 *
 *	STE range	log_obj_range
 *	STC range	log_obj_range <- MODIFY: obj_offset, an action (hws_stc.c)
 *	RTC		STEs from an offset of a range on, match definer, STCs, miss table
 *	pattern		changes of headers
 *
 * Refused by name: ranges (ste_format RANGE, 4DW_RANGE), a second match STE, WQEs that firmware
 * generates (update_method), linear tables, tables of the e-switch.
 */
#include <stdlib.h>

#include "fw/flow.h"
#include "fw/hws.h"
#include "fw/rows.h"
#include "steer/steer.h"

#define OBJ PRM_SZ(general_obj_in_cmd_hdr)
static_assert(PRM_SZ(rtc) == sizeof(((struct hca_rtc *)0)->ctx), "rtc");

static const struct fw_bits table_type[] = { F(ste, table_type), END };
static const struct fw_bits stc_type[] = { F(stc, table_type), END };
static const struct fw_bits stc_action[] = {
	F(stc, modify_field_select),
	F(stc, reparse_mode),
	F(stc, table_type),
	F(stc, ste_action_offset),
	F(stc, action_type),
	BYTES(stc, stc_param, 16),
	END,
};
static const struct fw_bits rtc[] = {
	F(rtc, update_index_mode),
	F(rtc, reparse_mode),
	F(rtc, pd),
	F(rtc, num_hash_definer),
	F(rtc, log_depth),
	F(rtc, log_hash_size),
	F(rtc, ste_format_0),
	F(rtc, table_type),
	F(rtc, match_definer_0),
	F(rtc, stc_id),
	F(rtc, ste_table_base_id),
	F(rtc, ste_table_offset),
	F(rtc, miss_flow_table_id),
	END,
};
static const struct fw_bits pattern[] = {
	F(header_modify_pattern_in, pattern_length),
	BYTES(header_modify_pattern_in, pattern_data, 8 * HCA_PATTERN_MAX),
	END,
};

static const struct type {
	uint16_t type;
	uint8_t kind;
	const char *layout;
	uint16_t bytes; /* of an object */
	const struct fw_bits *creates;
} types[] = {
	{ PRM_OBJ_STC, HCA_KIND_stc_range, "stc", PRM_SZ(stc), stc_type },
	{ PRM_OBJ_RTC, HCA_KIND_rtc, "rtc", PRM_SZ(rtc), rtc },
	{ PRM_OBJ_STE, HCA_KIND_ste_range, "ste", PRM_SZ(ste), table_type },
	{ PRM_OBJ_MODIFY_HDR_PATTERN, HCA_KIND_pattern, "header_modify_pattern_in",
	  PRM_SZ(header_modify_pattern_in), pattern },
};

static const struct type *type_of(const struct fw_cmd *c)
{
	uint32_t type = PRM_GET(general_obj_in_cmd_hdr, c->in, obj_type);
	uint64_t offered = PRM_GET(cmd_hca_cap_2, c->hca->caps[PRM_CAP_GENERAL_2],
				   general_obj_types_127_64);

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type && offered >> (type - 64) & 1)
			return &types[i];
	return NULL;
}

bool fw_is_hws(const struct fw_cmd *c)
{
	return type_of(c);
}

static void *object_of(const struct fw_cmd *c, const struct type *t)
{
	struct hca_object *o =
		fw_find(c, t->kind, PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id));

	return o && o->id == PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id) ? o : NULL;
}

/* assumed(hws_of_nic_tables_only): RTCs, STCs and STEs are of the table types NIC_RX and
 * NIC_TX; those of the e-switch are not executed. */
static bool is_nic(uint32_t type)
{
	return type == PRM_FT_TYPE_NIC_RX || type == PRM_FT_TYPE_NIC_TX;
}

/* assumed(hws_ranges_are_one_object): a range of STEs or STCs has one number, the obj_id of its
 * creation, and not one for each. */
static enum fw_status check_range(struct fw_cmd *c, uint32_t type, uint32_t least,
				  uint32_t most)
{
	uint32_t log = PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range);

	if (!is_nic(type))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return log < least || log > most ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE) : FW_OK;
}

/* ---- STE and STC ranges ---- */

/* A new range of @kind, which holds 1 << log_obj_range of the 1 << @log_max that there are. */
static void *new_range(struct fw_cmd *c, enum hca_kind_id kind, uint64_t used, uint32_t log_max,
		       enum fw_status *status)
{
	uint64_t more = 1ull << PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range);

	if (used + more > 1ull << log_max) {
		*status = fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
		return NULL;
	}
	return fw_alloc(c, kind, log_max, status);
}

static enum fw_status create_stes(struct fw_cmd *c, uint32_t *id)
{
	uint32_t type = PRM_GET(ste, c->in + OBJ, table_type);
	enum fw_status status =
		check_range(c, type, FW_WQE_FT(c->hca, ste_alloc_log_granularity),
			    FW_WQE_FT(c->hca, ste_alloc_log_max));
	struct hca_ste_range *r = NULL;
	uint64_t used = 0;
	uint32_t at = 0;

	while ((r = core_ids_next(&c->hca->ste_ranges, &at)))
		used += 1ull << r->log_size;
	if (status == FW_OK)
		r = new_range(c, HCA_KIND_ste_range, used, FW_WQE_FT(c->hca, log_max_num_ste),
			      &status);
	if (!r)
		return status;
	r->type = type;
	r->log_size = PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range);
	if (!hca_ste_range_place(c->hca, r)) {
		fw_end(c->hca, r);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	*id = r->id;
	return FW_OK;
}

static enum fw_status create_stcs(struct fw_cmd *c, uint32_t *id)
{
	uint32_t type = PRM_GET(stc, c->in + OBJ, table_type);
	enum fw_status status =
		check_range(c, type, FW_WQE_FT(c->hca, stc_alloc_log_granularity),
			    FW_WQE_FT(c->hca, stc_alloc_log_max));
	struct hca_stc_range *r = NULL;
	uint64_t used = 0;
	uint32_t at = 0;

	while ((r = core_ids_next(&c->hca->stc_ranges, &at)))
		used += 1ull << r->log_size;
	if (status == FW_OK)
		r = new_range(c, HCA_KIND_stc_range, used, FW_WQE_FT(c->hca, log_max_num_stc),
			      &status);
	if (!r)
		return status;
	r->type = type;
	r->log_size = PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range);
	r->stc = calloc((size_t)1 << r->log_size, sizeof(*r->stc));
	if (!r->stc) {
		fw_end(c->hca, r);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	*id = r->id;
	return FW_OK;
}

/* ---- RTC ---- */

/* The match definer that @number names. False: there is none. */
static bool read_definer(struct fw_cmd *c, uint32_t number, bool jumbo, struct hca_general **g)
{
	*g = number == HCA_DEFINER_ALWAYS ? NULL : fw_definer(c, number);
	if (number == HCA_DEFINER_ALWAYS)
		return !jumbo;
	return *g &&
	       (!jumbo || PRM_GET(match_definer, (*g)->obj, format_id) == STEER_DEFINER_SELECT);
}

static enum fw_status check_rtc(struct fw_cmd *c, const uint8_t *o)
{
	const struct hca_ste_range *stes = fw_ste_range(c, PRM_GET(rtc, o, ste_table_base_id));
	const struct hca_stc_range *stcs = fw_stc_range(c, PRM_GET(rtc, o, stc_id));
	uint32_t type = PRM_GET(rtc, o, table_type), miss = PRM_GET(rtc, o, miss_flow_table_id);
	uint32_t log = (uint32_t)(PRM_GET(rtc, o, log_depth) + PRM_GET(rtc, o, log_hash_size));
	bool jumbo = PRM_GET(rtc, o, ste_format_0) == PRM_RTC_STE_FORMAT_11DW;
	bool by_offset = PRM_GET(rtc, o, update_index_mode);
	struct hca_general *g;

	if (!is_nic(type) ||
	    (!jumbo && PRM_GET(rtc, o, ste_format_0) != PRM_RTC_STE_FORMAT_8DW))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(rtc, o, update_index_mode) > 1 ||
	    PRM_GET(rtc, o, num_hash_definer) > by_offset ||
	    !(FW_WQE_FT(c->hca, rtc_reparse_mode) >> PRM_GET(rtc, o, reparse_mode) & 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_pd(c, PRM_GET(rtc, o, pd)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (!stes || !stcs || stes->type != type || stcs->type != type)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	if (miss && !fw_flow_target(c, type, miss))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	if (!read_definer(c, PRM_GET(rtc, o, match_definer_0),
			  jumbo && !PRM_GET(rtc, o, num_hash_definer), &g))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_MATCH);
	/* assumed(rows_of_an_rtc): an RTC whose STEs are written by offset has rows of one. */
	if (PRM_GET(rtc, o, log_depth) >
		    (by_offset ? 0 : FW_WQE_FT(c->hca, rtc_log_depth_max)) ||
	    log > stes->log_size ||
	    PRM_GET(rtc, o, ste_table_offset) > (1ull << stes->log_size) - (1ull << log))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

static enum fw_status create_rtc(struct fw_cmd *c, uint32_t *id)
{
	const uint8_t *o = c->in + OBJ;
	enum fw_status status = check_rtc(c, o);
	struct hca_rtc *r = NULL;
	struct hca_general *g;

	if (status == FW_OK)
		r = fw_alloc(c, HCA_KIND_rtc, FW_WQE_FT(c->hca, log_max_num_rtc), &status);
	if (!r)
		return status;
	r->type = PRM_GET(rtc, o, table_type);
	r->log_rows = PRM_GET(rtc, o, log_hash_size);
	r->log_depth = PRM_GET(rtc, o, log_depth);
	r->jumbo = PRM_GET(rtc, o, ste_format_0) == PRM_RTC_STE_FORMAT_11DW;
	r->by_offset = PRM_GET(rtc, o, update_index_mode);
	r->hashed = PRM_GET(rtc, o, match_definer_0);
	/* With a hash definer the STEs themselves compare nothing (DPDK, mlx5dr_matcher.c,
	 * mlx5dr_matcher_create_rtc: hash split table). */
	r->definer = PRM_GET(rtc, o, num_hash_definer) ? HCA_DEFINER_ALWAYS : r->hashed;
	r->first = PRM_GET(rtc, o, ste_table_offset);
	r->pd = fw_pd(c, PRM_GET(rtc, o, pd));
	r->stes = fw_ste_range(c, PRM_GET(rtc, o, ste_table_base_id));
	r->stcs = fw_stc_range(c, PRM_GET(rtc, o, stc_id));
	r->miss = PRM_GET(rtc, o, miss_flow_table_id)
			  ? fw_flow_target(c, r->type, PRM_GET(rtc, o, miss_flow_table_id))
			  : NULL;
	if (read_definer(c, r->hashed, false, &g))
		r->uses[0] = g;
	memcpy(r->ctx, o, sizeof(r->ctx));
	hca_object_refer(r, 1);
	*id = r->id;
	return FW_OK;
}

/* ---- patterns ---- */

static enum fw_status create_pattern(struct fw_cmd *c, uint32_t *id)
{
	const uint8_t *o = c->in + OBJ;
	const uint8_t *data = o + PRM_OFF(header_modify_pattern_in, pattern_data) / 8;
	uint32_t n = PRM_GET(header_modify_pattern_in, o, pattern_length);
	uint8_t change[HCA_PATTERN_MAX][8];
	enum fw_status status;
	struct hca_pattern *p;

	if (!n || n > FW_WQE_FT(c->hca, max_header_modify_pattern_length))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < (size_t)(data - c->in) + 8 * n)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (fw_more(c, (size_t)(data - c->in) + 8 * n))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	for (uint32_t i = 0; i < n; i++)
		if (!steer_ste_change(c->hca, data + 8 * i, change[i]))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	p = fw_alloc(c, HCA_KIND_pattern, FW_WQE_FT(c->hca, log_max_num_header_modify_pattern),
		     &status);
	if (!p)
		return status;
	p->n = n;
	memcpy(p->change, change, 8 * n);
	memcpy(p->obj, o, (size_t)(data - o) + 8 * n);
	*id = p->id;
	return FW_OK;
}

/* ---- commands ---- */

/* Reserved bits of an object, whose data follow the named fields of a pattern. */
static enum fw_status check_object(struct fw_cmd *c, const struct type *t,
				   const struct fw_bits *accepts)
{
	bool list = t->type == PRM_OBJ_MODIFY_HDR_PATTERN;
	size_t most = list ? sizeof(((struct hca_pattern *)0)->obj) : t->bytes;
	size_t len = c->in_len - OBJ;
	uint8_t why;

	if (c->in_len < OBJ + t->bytes)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (len > most) {
		if (fw_more(c, OBJ + most))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
		len = most;
	}
	why = fw_accept(t->layout, accepts, c->in + OBJ, len);
	return why ? fw_refuse(c, FW_BAD_PARAM, why) : FW_OK;
}

enum fw_status fw_hws_create(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	enum fw_status status = check_object(c, t, t->creates);
	bool range = t->type == PRM_OBJ_STE || t->type == PRM_OBJ_STC;
	uint32_t id = 0;

	if (status != FW_OK)
		return status;
	if (PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!range && PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	switch (t->type) {
	case PRM_OBJ_STE:
		status = create_stes(c, &id);
		break;
	case PRM_OBJ_STC:
		status = create_stcs(c, &id);
		break;
	case PRM_OBJ_RTC:
		status = create_rtc(c, &id);
		break;
	default:
		status = create_pattern(c, &id);
		break;
	}
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, id);
	return status;
}

/* Only STCs change; the STEs that were made of one stay as they are. */
/* assumed(stcs_are_read_when_an_ste_is_written): a change of an STC changes no STE. */
enum fw_status fw_hws_modify(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	uint32_t at = PRM_GET(general_obj_in_cmd_hdr, c->in, obj_offset);
	enum fw_status status;
	struct hca_stc_range *r;
	struct hca_stc s;

	if (t->type != PRM_OBJ_STC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	status = check_object(c, t, stc_action);
	if (status != FW_OK)
		return status;
	r = object_of(c, t);
	if (!r)
		return fw_absent(c);
	if (at >= 1u << r->log_size)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_INDEX);
	if (PRM_GET(stc, c->in + OBJ, modify_field_select) != 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	s = r->stc[at];
	status = fw_stc_read(c, r, c->in + OBJ, &s);
	if (status != FW_OK)
		return status;
	hca_object_refer(r, -1);
	r->stc[at] = s;
	hca_object_refer(r, 1);
	return FW_OK;
}

enum fw_status fw_hws_query(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	const struct hca_object *o = object_of(c, t);
	const struct hca_pattern *p = (const struct hca_pattern *)o;
	uint8_t *out = c->out + OBJ;
	size_t len;

	if (!o)
		return fw_absent(c);
	if (c->out_len < OBJ + t->bytes)
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, o->id);
	switch (t->type) {
	case PRM_OBJ_STE:
		PRM_SET(ste, out, table_type, ((const struct hca_ste_range *)o)->type);
		break;
	case PRM_OBJ_STC:
		PRM_SET(stc, out, table_type, ((const struct hca_stc_range *)o)->type);
		break;
	case PRM_OBJ_RTC:
		memcpy(out, ((const struct hca_rtc *)o)->ctx, PRM_SZ(rtc));
		break;
	default:
		len = c->out_len - OBJ;
		memcpy(out, p->obj, len < sizeof(p->obj) ? len : sizeof(p->obj));
		break;
	}
	return FW_OK;
}

enum fw_status fw_hws_destroy(struct fw_cmd *c)
{
	return fw_destroy(c, object_of(c, type_of(c)));
}
