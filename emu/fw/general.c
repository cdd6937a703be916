/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * General objects: four commands for objects of many types, and the table of the types.
 *
 *	header 0x00: obj_type, obj_id, log_obj_range | object 0x10: by the type's layout
 *
 *	types[] -> which bits may be set -> which PD it needs -> stored, shown, changed
 *
 * An object of these types is state: keys that encrypt nothing yet, match definers, which steer
 * reads, ASOs that no rule reaches, counters of virtio queues that do not exist. QP numbers
 * that are reserved are what they say: CREATE_QP never gives them. A scheduling element is
 * the one of scheduling.c, an alias that of alias.c; software-managed ICM and arguments have
 * bytes. Types that would have to act (virtio queues, connection tracking, IPsec) are
 * refused.
 */
#include <stdlib.h>

#include "fw/alias.h"
#include "fw/element.h"
#include "fw/flow.h"
#include "fw/hws.h"
#include "fw/rows.h"
#include "steer/steer.h"

#define OBJ	  PRM_SZ(general_obj_in_cmd_hdr) /* where the object starts */
#define NO_PD	  0xffff
#define KEY_BYTES 128

struct type {
	uint16_t type;
	const char *layout;
	uint16_t bytes;		       /* the shortest object that CREATE takes */
	uint16_t pd;		       /* bit at which its PD is */
	uint8_t log_range;	       /* at most 1 << this numbers at once */
	const struct fw_bits *creates; /* fields that may be set */
	const struct fw_bits *changes; /* … by MODIFY; NULL: never */
	uint64_t select;	       /* bits of modify_field_select */
	struct fw_bits secret;	       /* not shown by QUERY */
};

static const struct fw_bits encryption_key[] = {
	F(encryption_key_obj, key_size),
	F(encryption_key_obj, has_keytag),
	F(encryption_key_obj, key_purpose),
	F(encryption_key_obj, pd),
	F(encryption_key_obj, opaque),
	BYTES(encryption_key_obj, key, KEY_BYTES),
	END,
};
static const struct fw_bits definer[] = {
	F(match_definer, format_id),	      BYTES(match_definer, format_select_dw3, 8),
	F(match_definer, format_select_dw8),  BYTES(match_definer, format_select_byte3, 8),
	BYTES(match_definer, match_mask, 64), END,
};
static const struct fw_bits argument[] = { F(modify_header_arg, access_pd), END };
#define PARAMETER(i, f)                                              \
	{                                                            \
		PRM_OFF(flow_meter_aso_obj, flow_meter_parameters) + \
			(i)*PRM_SZ(flow_meter_parameters) * 8 +      \
			PRM_OFF(flow_meter_parameters, f),           \
			PRM_W(flow_meter_parameters, f)              \
	}
#define METER(i)                                                                       \
	PARAMETER(i, valid), PARAMETER(i, bucket_overflow), PARAMETER(i, start_color), \
		PARAMETER(i, both_buckets_on_green), PARAMETER(i, meter_mode),         \
		PARAMETER(i, cbs_exponent), PARAMETER(i, cbs_mantissa),                \
		PARAMETER(i, cir_exponent), PARAMETER(i, cir_mantissa),                \
		PARAMETER(i, ebs_exponent), PARAMETER(i, ebs_mantissa),                \
		PARAMETER(i, eir_exponent), PARAMETER(i, eir_mantissa)
static const struct fw_bits meter[] = {
	F(flow_meter_aso_obj, meter_aso_access_pd),
	METER(0),
	METER(1),
	END,
};
static const struct fw_bits hit[] = { F(flow_hit_aso, access_pd), END };
#define CONTEXT(f)                                                              \
	{                                                                       \
		PRM_OFF(sched_elem, sched_context) + PRM_OFF(sched_context, f), \
			PRM_W(sched_context, f)                                 \
	}
static const struct fw_bits element[] = {
	F(sched_elem, modify_field_select), /* libmlx5 says what it sets at creation, too */
	F(sched_elem, scheduling_hierarchy),
	CONTEXT(element_type),
	CONTEXT(sched_elem_attr),
	CONTEXT(parent_element_id),
	CONTEXT(bw_share),
	CONTEXT(max_average_bw),
	END,
};
static const struct fw_bits icm[] = {
	F(sw_icm, log_sw_icm_size),
	F(sw_icm, sw_icm_start_addr),
	END,
};
static const struct fw_bits sampler[] = {
	F(sampler_obj, table_type),
	F(sampler_obj, level),
	F(sampler_obj, ignore_flow_level),
	F(sampler_obj, sample_ratio),
	F(sampler_obj, sample_table_id),
	F(sampler_obj, default_table_id),
	END,
};
static const struct fw_bits nothing[] = { END };

#define ASO_RANGE 7 /* up to 128 at once */

/* assumed(general_object_types): what CREATE needs of each type: a PD for ASOs, arguments and
 * keys, nothing for definers and virtio queue counters; numbers in ranges for ASOs, arguments
 * and QP numbers only. */
static const struct type types[] = {
	{ PRM_OBJ_ENCRYPTION_KEY, "encryption_key_obj", PRM_SZ(encryption_key_obj),
	  PRM_OFF(encryption_key_obj, pd), 0, encryption_key, NULL, 0,
	  BYTES(encryption_key_obj, key, KEY_BYTES) },
	{ PRM_OBJ_MATCH_DEFINER, "match_definer", PRM_SZ(match_definer), NO_PD, 0, definer,
	  NULL, 0, END },
	/* The last named field ends it: DPDK sends no more. */
	{ PRM_OBJ_VIRTIO_Q_COUNTERS, "virtio_q_counters", 0x30, NO_PD, 0, nothing, NULL, 0,
	  END },
	{ PRM_OBJ_MODIFY_HEADER_ARG, "modify_header_arg", PRM_SZ(modify_header_arg),
	  PRM_OFF(modify_header_arg, access_pd), ASO_RANGE, argument, NULL, 0, END },
	{ PRM_OBJ_FLOW_METER_ASO, "flow_meter_aso_obj", PRM_SZ(flow_meter_aso_obj),
	  PRM_OFF(flow_meter_aso_obj, meter_aso_access_pd), ASO_RANGE, meter, NULL, 0, END },
	{ PRM_OBJ_FLOW_HIT_ASO, "flow_hit_aso", PRM_SZ(flow_hit_aso),
	  PRM_OFF(flow_hit_aso, access_pd), ASO_RANGE, hit, NULL, 0, END },
	{ PRM_OBJ_SCHED_ELEMENT, "sched_elem", PRM_SZ(sched_elem), NO_PD, 0, element, element,
	  3, END },
	{ PRM_OBJ_RESERVED_QPN, "reserved_qpn", 0, NO_PD, 5, nothing, NULL, 0, END },
	{ PRM_OBJ_SAMPLER, "sampler_obj", 0x28, NO_PD, 0, sampler, NULL, 0, END },
	{ PRM_OBJ_SW_ICM, "sw_icm", PRM_SZ(sw_icm), NO_PD, 0, icm, NULL, 0, END },
};

/* The type that the command names; NULL: not in the device's capabilities. */
static const struct type *type_of(const struct fw_cmd *c)
{
	uint32_t type = PRM_GET(general_obj_in_cmd_hdr, c->in, obj_type);
	uint64_t offered =
		PRM_GET(cmd_hca_cap, c->hca->caps[PRM_CAP_GENERAL], general_obj_types);

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type && type < 64 && offered >> type & 1)
			return &types[i];
	return NULL;
}

static enum hca_kind_id kind_of(const struct type *t)
{
	switch (t->type) {
	case PRM_OBJ_RESERVED_QPN:
		return HCA_KIND_reserved_qpn;
	case PRM_OBJ_SW_ICM:
		return HCA_KIND_sw_icm;
	case PRM_OBJ_MATCH_DEFINER:
		return HCA_KIND_definer;
	default:
		return HCA_KIND_general;
	}
}

static struct hca_general *object_of(const struct fw_cmd *c, const struct type *t)
{
	uint32_t id = PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id);
	struct hca_general *g = fw_find(c, kind_of(t), id);

	return g && g->type == t->type && g->id == id ? g : NULL;
}

static bool is_alias(const struct fw_cmd *c)
{
	return PRM_GET(general_obj_in_cmd_hdr, c->in, alias_object);
}

/* Refuses a type that is not offered. */
static enum fw_status check_type(struct fw_cmd *c, const struct type *t)
{
	/* assumed(object_type_not_offered_is_bad_param): a general object of a type that
	 * general_obj_types does not name is BAD_PARAM. */
	if (!t || is_alias(c))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return FW_OK;
}

/* May the object after the header be what it is? @n: bytes that have to be there. */
static enum fw_status check_object(struct fw_cmd *c, const struct type *t, size_t n,
				   const struct fw_bits *accepts)
{
	const struct prm_struct *layout = prm_struct(t->layout);
	size_t len = c->in_len - OBJ;
	uint8_t why;

	if (len < n)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (len > layout->bytes) {
		if (fw_more(c, OBJ + layout->bytes))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
		len = layout->bytes;
	}
	why = fw_accept(t->layout, accepts, c->in + OBJ, len);
	return why ? fw_refuse(c, FW_BAD_PARAM, why) : FW_OK;
}

static enum fw_status create_element(struct fw_cmd *c)
{
	const uint8_t *obj = c->in + OBJ;
	uint32_t id = 0;
	enum fw_status status = fw_sched_new(c, PRM_GET(sched_elem, obj, scheduling_hierarchy),
					     PRM_ADDR(sched_elem, obj, sched_context), &id);

	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, id);
	return status;
}

/* Is it in the area of 1 << @log_area bytes from @start on, address and size at multiples of a
 * block? */
static bool in_area(const struct fw_cmd *c, uint64_t addr, uint32_t log_size, uint64_t start,
		    uint32_t log_area)
{
	uint32_t log_block = FW_MEMIC(c->hca, log_sw_icm_alloc_granularity);

	return log_area && log_size >= log_block && log_size <= log_area && addr >= start &&
	       addr - start <= (1ull << log_area) - (1ull << log_size) &&
	       !((addr - start) & ((1ull << log_block) - 1));
}

#define AREA(of)                                         \
	FW_ICM_START(c->hca, of##_sw_icm_start_address), \
		FW_MEMIC(c->hca, log_##of##_sw_icm_size)

/* Memory in one of the areas, where the driver wants it (mlx5_core, lib/dm.c). */
/* assumed(sw_icm_is_checked): an object SW_ICM is refused unless it is of whole blocks in one
 * of the areas, and no other one has a byte of it. */
static enum fw_status check_icm(struct fw_cmd *c)
{
	const uint8_t *obj = c->in + OBJ;
	uint64_t addr = PRM_GET(sw_icm, obj, sw_icm_start_addr);
	uint32_t log_size = PRM_GET(sw_icm, obj, log_sw_icm_size);

	if (!in_area(c, addr, log_size, AREA(steering)) &&
	    !in_area(c, addr, log_size, AREA(header_modify)) &&
	    !in_area(c, addr, log_size, AREA(header_modify_pattern)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (hca_sw_icm_in(c->hca, addr, 1ull << log_size))
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_VALUE);
	return FW_OK;
}

static enum fw_status check_definer(struct fw_cmd *c)
{
	uint32_t format = PRM_GET(match_definer, c->in + OBJ, format_id);
	uint64_t offered = PRM_GET(cmd_hca_cap, c->hca->caps[PRM_CAP_GENERAL],
				   match_definer_format_supported);

	if (format >= 64 || !(offered >> format & 1) ||
	    (format == STEER_DEFINER_SELECT && !steer_select_fits(c->in + OBJ)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return FW_OK;
}

/* Both tables of a sampler; its address is in what QUERY shows. */
/* assumed(every_nth_packet_is_a_sample): of sample_ratio packets that come to a sampler the
 * last one is the sample. */
static enum fw_status read_sampler(struct fw_cmd *c, struct hca_general *g)
{
	uint32_t type = PRM_GET(sampler_obj, g->obj, table_type);

	g->sampler.nth = PRM_GET(sampler_obj, g->obj, sample_ratio);
	if (type != PRM_FT_TYPE_NIC_RX)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!g->sampler.nth)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	g->sampler.sample =
		fw_flow_target(c, type, PRM_GET(sampler_obj, g->obj, sample_table_id));
	g->sampler.then =
		fw_flow_target(c, type, PRM_GET(sampler_obj, g->obj, default_table_id));
	if (!g->sampler.sample || !g->sampler.then)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	PRM_SET(sampler_obj, g->obj, sw_steering_icm_address_rx,
		HCA_ICM_AT(HCA_ICM_SAMPLER, g->id));
	return FW_OK;
}

/* It begins as zeros. */
static bool take_memory(struct hca_general *g)
{
	switch (g->type) {
	case PRM_OBJ_SW_ICM:
		g->memory.addr = PRM_GET(sw_icm, g->obj, sw_icm_start_addr);
		g->memory.size = 1ull << PRM_GET(sw_icm, g->obj, log_sw_icm_size);
		break;
	case PRM_OBJ_MODIFY_HEADER_ARG:
		g->memory.size = (uint64_t)g->numbers * HCA_ARGUMENT;
		break;
	default:
		return true;
	}
	g->memory.bytes = calloc(1, g->memory.size);
	return g->memory.bytes;
}

static enum fw_status create_stored(struct fw_cmd *c, const struct type *t)
{
	uint32_t range = PRM_GET(general_obj_in_cmd_hdr, c->in, log_obj_range);
	struct hca_pd *pd = NULL;
	struct hca_general *g;
	size_t len = c->in_len - OBJ;
	enum fw_status status = t->type == PRM_OBJ_SW_ICM	   ? check_icm(c)
				: t->type == PRM_OBJ_MATCH_DEFINER ? check_definer(c)
								   : FW_OK;

	if (status != FW_OK)
		return status;
	if (range > t->log_range)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (t->pd != NO_PD) {
		pd = fw_pd(c, (uint32_t)prm_load(c->in + OBJ, t->pd, 24));
		if (!pd)
			return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	}
	g = hca_object_new(c->hca, kind_of(t), 1u << range);
	if (!g)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(g->obj, c->in + OBJ, len < sizeof(g->obj) ? len : sizeof(g->obj));
	g->type = t->type;
	g->pd = pd;
	if (t->type == PRM_OBJ_SAMPLER)
		status = read_sampler(c, g);
	else if (!take_memory(g))
		status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	if (status != FW_OK) {
		hca_object_free(c->hca, g);
		return status;
	}
	fw_begin(c, g);
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, g->id);
	return FW_OK;
}

enum fw_status fw_create_general_object(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	enum fw_status status;

	if (is_alias(c))
		return fw_alias_create(c);
	if (fw_is_hws(c))
		return fw_hws_create(c);
	status = check_type(c, t);
	if (status == FW_OK && PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id))
		status = fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (status == FW_OK)
		status = check_object(c, t, t->bytes, t->creates);
	if (status != FW_OK)
		return status;
	return t->type == PRM_OBJ_SCHED_ELEMENT ? create_element(c) : create_stored(c, t);
}

/* Only scheduling elements change; the state of the others is that of their creation. */
enum fw_status fw_modify_general_object(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	const uint8_t *obj = c->in + OBJ;
	enum fw_status status;

	if (fw_is_hws(c))
		return fw_hws_modify(c);
	status = check_type(c, t);
	if (status != FW_OK)
		return status;
	if (PRM_GET(general_obj_in_cmd_hdr, c->in, obj_offset))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!t->changes)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	status = check_object(c, t, t->bytes, t->changes);
	if (status != FW_OK)
		return status;
	return fw_sched_modify(c, PRM_GET(sched_elem, obj, scheduling_hierarchy),
			       PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id),
			       PRM_GET(sched_elem, obj, modify_field_select),
			       PRM_ADDR(sched_elem, obj, sched_context));
}

static void show_element(struct fw_cmd *c, const struct hca_sched *s)
{
	uint8_t *obj = c->out + OBJ;

	PRM_SET(sched_elem, obj, scheduling_hierarchy, PRM_SCHED_HIERARCHY_NIC);
	memcpy(PRM_ADDR(sched_elem, obj, sched_context), s->ctx, HCA_SCHED_CONTEXT_SIZE);
}

enum fw_status fw_query_general_object(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	enum fw_status status;
	const struct hca_general *g;
	const struct hca_sched *s;

	if (is_alias(c))
		return fw_alias_query(c);
	if (fw_is_hws(c))
		return fw_hws_query(c);
	status = check_type(c, t);
	if (status != FW_OK)
		return status;
	if (c->out_len < OBJ + t->bytes)
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	s = t->type == PRM_OBJ_SCHED_ELEMENT
		    ? fw_sched(c, PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id))
		    : NULL;
	g = s ? NULL : object_of(c, t);
	if (!s && !g)
		return fw_absent(c);
	PRM_SET(general_obj_out_cmd_hdr, c->out, obj_id, s ? s->id : g->id);
	if (s) {
		show_element(c, s);
		return FW_OK;
	}
	memcpy(c->out + OBJ, g->obj, t->bytes);
	memset(c->out + OBJ + t->secret.first / 8, 0, t->secret.width / 8);
	return FW_OK;
}

enum fw_status fw_destroy_general_object(struct fw_cmd *c)
{
	const struct type *t = type_of(c);
	enum fw_status status;

	/* The command that mlx5_ib prepares has no alias bit (devx.c,
	 * devx_obj_build_destroy_cmd). */
	if (PRM_GET(general_obj_in_cmd_hdr, c->in, obj_type) == PRM_OBJ_MKEY)
		return fw_alias_destroy(c);
	if (fw_is_hws(c))
		return fw_hws_destroy(c);
	status = check_type(c, t);
	if (status != FW_OK)
		return status;
	if (t->type == PRM_OBJ_SCHED_ELEMENT)
		return fw_sched_delete(c, PRM_GET(general_obj_in_cmd_hdr, c->in, obj_id));
	return fw_destroy(c, object_of(c, t));
}
