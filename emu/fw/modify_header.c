/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modify header contexts: lists of changes that steering rules make to the headers of a packet.
 *
 *	set	| 1 | field     | offset | length |	| data                              |
 *	add	| 2 | field     |        |        |	| data                              |
 *	copy	| 3 | src_field | offset | length |	|   | dst_field | offset |          |
 *
 * Which fields there are: hca/flow.h. Hardware differs: which of them can be set, added to or
 * copied in tables of a type (header_modify_*) is not checked.
 */
#include "fw/flow.h"
#include "fw/rows.h"

#define LIST_AT PRM_SZ(alloc_modify_header_context_in)

static_assert(PRM_SZ(set_action_in) == HCA_HEADER_ACTION_SIZE, "an action");

static const struct fw_bits set_bits[] = {
	F(set_action_in, action_type), F(set_action_in, field), F(set_action_in, offset),
	F(set_action_in, length),      F(set_action_in, data),	END,
};
static const struct fw_bits add_bits[] = {
	F(add_action_in, action_type),
	F(add_action_in, field),
	F(add_action_in, data),
	END,
};
static const struct fw_bits copy_bits[] = {
	F(copy_action_in, action_type),
	F(copy_action_in, src_field),
	F(copy_action_in, src_offset),
	F(copy_action_in, length),
	F(copy_action_in, dst_field),
	F(copy_action_in, dst_offset),
	END,
};

/* The limits of tables of @type; NULL: their rules change no header. */
static const uint8_t *limits(const struct fw_cmd *c, uint32_t type)
{
	const uint8_t *caps = fw_flow_caps(c, type);

	return caps && FW_FT(caps, max_modify_header_actions) ? caps : NULL;
}

/* Bits @offset … of @field, @length of them; 0 means 32. */
static bool is_part(uint32_t field, uint32_t offset, uint32_t length)
{
	return offset + (length ? length : 32) <= hca_header_field_bits(field);
}

/* assumed(header_fields_are_checked): an action on an unknown field, or on bits beyond its end,
 * is BAD_PARAM. */
static bool fields_ok(const uint8_t *a)
{
	switch (PRM_GET(set_action_in, a, action_type)) {
	case PRM_ACTION_SET:
		return is_part(PRM_GET(set_action_in, a, field),
			       PRM_GET(set_action_in, a, offset),
			       PRM_GET(set_action_in, a, length));
	case PRM_ACTION_ADD:
		return hca_header_field_bits(PRM_GET(add_action_in, a, field));
	default:
		return is_part(PRM_GET(copy_action_in, a, src_field),
			       PRM_GET(copy_action_in, a, src_offset),
			       PRM_GET(copy_action_in, a, length)) &&
		       is_part(PRM_GET(copy_action_in, a, dst_field),
			       PRM_GET(copy_action_in, a, dst_offset),
			       PRM_GET(copy_action_in, a, length));
	}
}

static enum fw_status check_action(struct fw_cmd *c, const uint8_t *action)
{
	uint8_t why = FW_WHY_VALUE;

	switch (PRM_GET(set_action_in, action, action_type)) {
	case PRM_ACTION_SET:
		why = fw_accept("set_action_in", set_bits, action, HCA_HEADER_ACTION_SIZE);
		break;
	case PRM_ACTION_ADD:
		why = fw_accept("add_action_in", add_bits, action, HCA_HEADER_ACTION_SIZE);
		break;
	case PRM_ACTION_COPY:
		why = fw_accept("copy_action_in", copy_bits, action, HCA_HEADER_ACTION_SIZE);
		break;
	default:
		break;
	}
	if (!why && !fields_ok(action))
		why = FW_WHY_VALUE;
	return why ? fw_refuse(c, FW_BAD_PARAM, why) : FW_OK;
}

static enum fw_status check(struct fw_cmd *c, const uint8_t *caps, uint32_t n)
{
	enum fw_status status = FW_OK;

	if (!caps)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!n || n > PRM_GET(flow_table_prop_layout, caps, max_modify_header_actions))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < LIST_AT + n * HCA_HEADER_ACTION_SIZE)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (fw_more(c, LIST_AT + n * HCA_HEADER_ACTION_SIZE))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
	for (uint32_t i = 0; i < n && status == FW_OK; i++)
		status = check_action(c, c->in + LIST_AT + i * HCA_HEADER_ACTION_SIZE);
	return status;
}

enum fw_status fw_alloc_modify_header_context(struct fw_cmd *c)
{
	uint32_t type = PRM_GET(alloc_modify_header_context_in, c->in, table_type);
	uint32_t n = PRM_GET(alloc_modify_header_context_in, c->in, num_of_actions);
	const uint8_t *caps = limits(c, type);
	enum fw_status status = check(c, caps, n);
	struct hca_modify_header *m;

	if (status != FW_OK)
		return status;
	m = fw_alloc(c, HCA_KIND_modify_header,
		     PRM_GET(flow_table_prop_layout, caps, log_max_modify_header_context),
		     &status);
	if (!m)
		return status;
	m->table_type = type;
	m->cnt = n;
	memcpy(m->actions, c->in + LIST_AT, n * HCA_HEADER_ACTION_SIZE);
	PRM_SET(alloc_modify_header_context_out, c->out, modify_header_id, m->id);
	return FW_OK;
}

enum fw_status fw_dealloc_modify_header_context(struct fw_cmd *c)
{
	uint32_t id = PRM_GET(dealloc_modify_header_context_in, c->in, modify_header_id);

	return fw_destroy(c, fw_modify_header(c, id));
}
