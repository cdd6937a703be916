/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every device: no capability without the command that it promises, no row that is not a field,
 * and never more than the model executes.
 */
#include "device.h"
#include "fw/cap_rows.h"

static const char *const names[] = { "cx5", "cx6dx", "cx7", "cx8", "bf2", "bf3" };

#define NAMES (sizeof(names) / sizeof(names[0]))

static const struct fw_kind *kind_of(const char *name)
{
	return core_container(fw_device_find(name), struct fw_kind, device);
}

Test(devices, are_found_by_name_and_differ_in_their_pci_id)
{
	static const uint16_t ids[NAMES] = { 0x1017, 0x101d, 0x1021, 0x1023, 0xa2d6, 0xa2dc };
	const struct fw_device *dev = NULL;

	for (size_t i = 0; i < NAMES; i++) {
		dev = fw_device_next(dev);
		cr_assert_not_null(dev);
		cr_assert_str_eq(dev->name, names[i]);
		cr_assert_eq(dev, fw_device_find(names[i]));
		cr_assert_eq(dev->pci_id, ids[i]);
		cr_assert_eq(strlen(dev->board_id), 13, "a PSID is MT_ and ten digits");
		for (size_t j = 0; j < i; j++)
			cr_assert_str_neq(dev->board_id, fw_device_find(names[j])->board_id);
	}
	cr_assert_null(fw_device_next(dev));
	cr_assert_null(fw_device_find("cx3"));
}

/* The name of the field at @bits of @s, NULL: there is none. */
static const char *field_at(const struct prm_struct *s, size_t base, const struct fw_bits *bits)
{
	for (const struct prm_field *f = s->fields; f->name; f++) {
		size_t bit = base + f->bit;

		if (!f->type && bit == bits->first && f->width == bits->width)
			return f->name;
		if (f->type && bits->first >= bit && bits->first < bit + f->width)
			return field_at(f->type, bit, bits);
	}
	return NULL;
}

static void check_rows(const struct fw_cap_row *rows, bool model)
{
	for (const struct fw_cap_row *row = rows; row->field.width; row++) {
		size_t at;
		const struct prm_struct *layout = fw_cap_group(row->group, &at);
		const char *name = layout ? field_at(layout, 0, &row->field) : NULL;

		cr_assert_not_null(name, "group 0x%x, bit %u", row->group, row->field.first);
		cr_assert_eq(row->value >> (row->field.width - 1) >> 1, 0, "%s", name);
		cr_assert_eq(row->max >> (row->field.width - 1) >> 1, 0, "%s", name);
		cr_assert(row->use == FW_CAP_BITS || row->use == FW_CAP_LACKS ||
				  row->value <= row->max,
			  "%s", name);
		cr_assert(!model || row->use != FW_CAP_LACKS, "%s", name);
		for (const struct fw_cap_row *other = rows; other != row; other++)
			cr_assert(other->group != row->group ||
					  other->field.first != row->field.first,
				  "%s has two rows", name);
	}
}

Test(devices, rows_are_fields_that_hold_their_value)
{
	check_rows(fw_model_caps, true);
	for (size_t i = 0; i < NAMES; i++)
		check_rows(kind_of(names[i])->caps, false);
}

/* Fields that are sets of bits. */
Test(devices, sets_of_bits_are_said_to_be)
{
	static const char *const sets[] = {
		"general_obj_types",
		"uctx_cap",
		"atomic_operations",
		"atomic_size_qp",
		"atomic_size_dc",
		"roce_version",
		"l3_type",
		"vhca_tunnel_commands",
		"cross_vhca_object_to_object_supported",
		"allowed_object_for_other_vhca_access",
	};

	for (const struct fw_cap_row *row = fw_model_caps; row->field.width; row++) {
		size_t at;
		const char *name = field_at(fw_cap_group(row->group, &at), 0, &row->field);

		for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
			cr_assert(strcmp(name, sets[i]) || row->use == FW_CAP_BITS, "%s", name);
	}
}

static const struct fw_cap_row *model_row(const struct fw_cap_row *like)
{
	for (const struct fw_cap_row *row = fw_model_caps; row->field.width; row++)
		if (row->group == like->group && row->field.first == like->field.first)
			return row;
	return NULL;
}

Test(devices, none_has_more_than_the_model_executes)
{
	for (size_t i = 0; i < NAMES; i++) {
		for (const struct fw_cap_row *row = kind_of(names[i])->caps; row->field.width;
		     row++) {
			const struct fw_cap_row *ours = model_row(row);

			cr_assert_not_null(ours, "%s: group 0x%x, bit %u", names[i], row->group,
					   row->field.first);
			if (row->use == FW_CAP_LIMIT)
				cr_assert_leq(row->value, ours->value);
			else if (row->use == FW_CAP_BITS)
				cr_assert_eq(row->value & ~ours->value, 0);
			else
				cr_assert(row->use == FW_CAP_LACKS || ours->use == FW_CAP_ANY);
		}
	}
}

Test(devices, lack_what_is_newer_than_they_are)
{
	const uint64_t key = 1ull << PRM_OBJ_ENCRYPTION_KEY;

	setup();
	cr_assert_eq(fw_cap(&hca, "cmd_hca_cap", "general_obj_types") & key, 0);
	teardown();
	setup_as("cx6dx");
	cr_assert_neq(fw_cap(&hca, "cmd_hca_cap", "general_obj_types") & key, 0);
	teardown();
}

#define FEATURE(group, field, op)              \
	{                                      \
		group, field, PRM_OP_##op, #op \
	}
#define GEN(field, op) FEATURE("cmd_hca_cap", field, op)

/* The command that a nonzero capability implies. */
static const struct {
	const char *group, *field;
	uint16_t opcode;
	const char *name;
} features[] = {
	GEN("log_max_uctx", CREATE_UCTX),
	GEN("log_max_umem", CREATE_UMEM),
	GEN("log_max_pd", ALLOC_PD),
	GEN("log_max_transport_domain", ALLOC_TRANSPORT_DOMAIN),
	GEN("log_max_xrcd", ALLOC_XRCD),
	GEN("xrc", CREATE_XRC_SRQ),
	GEN("log_max_mkey", CREATE_MKEY),
	GEN("log_max_eq", CREATE_EQ),
	GEN("log_max_cq", CREATE_CQ),
	GEN("cq_moderation", MODIFY_CQ),
	GEN("cq_resize", MODIFY_CQ),
	GEN("log_max_qp", CREATE_QP),
	GEN("rc", INIT2RTR_QP),
	GEN("log_max_mcg", ATTACH_TO_MCG),
	GEN("max_qp_mcg", DETACH_FROM_MCG),
	GEN("log_max_srq", CREATE_RMP),
	GEN("log_max_rmp", CREATE_RMP),
	GEN("dct", CREATE_DCT),
	GEN("log_max_sq", CREATE_SQ),
	GEN("log_max_rq", CREATE_RQ),
	GEN("log_max_tis", CREATE_TIS),
	GEN("log_max_tir", CREATE_TIR),
	GEN("log_max_rqt", CREATE_RQT),
	GEN("log_max_rqt_size", CREATE_RQT),
	GEN("nic_flow_table", CREATE_FLOW_TABLE),
	GEN("eswitch_manager", QUERY_ESW_VPORT_CONTEXT),
	GEN("eswitch_manager", QUERY_ESW_FUNCTIONS),
	GEN("vhca_state", QUERY_VHCA_STATE),
	FEATURE("cmd_hca_cap_2", "query_vuid", QUERY_VUID),
	FEATURE("cmd_hca_cap_2", "allowed_object_for_other_vhca_access",
		ALLOW_OTHER_VHCA_ACCESS),
	GEN("device_memory", ALLOC_MEMIC),
	GEN("general_obj_types", CREATE_GENERAL_OBJECT),
	GEN("general_obj_types", QUERY_GENERAL_OBJECT),
	GEN("max_qp_cnt", ALLOC_Q_COUNTER),
	GEN("max_qp_cnt", QUERY_Q_COUNTER),
	GEN("flow_counter_bulk_alloc", ALLOC_FLOW_COUNTER),
	GEN("vport_counters", QUERY_VPORT_COUNTER),
	GEN("nic_receive_steering_discard", QUERY_VNIC_ENV),
	GEN("access_register_user", ACCESS_REGISTER_USER),
	GEN("vport_group_manager", QUERY_ESW_VPORT_CONTEXT),
	GEN("lag_master", CREATE_LAG),
	GEN("qos", CREATE_SCHEDULING_ELEMENT),
	FEATURE("cmd_hca_cap_2", "send_dbr_mode_no_dbr_ext", CREATE_QP),
	FEATURE("qos_cap", "packet_pacing", SET_PP_RATE_LIMIT),
	FEATURE("debug_cap", "resource_dump", ACCESS_REG),
};

Test(devices, promises_are_kept)
{
	for (size_t i = 0; i < NAMES; i++) {
		cr_assert_eq(hca_init(&hca, 5), 0);
		fw_init(&hca, fw_device_find(names[i]));
		for (size_t j = 0; j < sizeof(features) / sizeof(features[0]); j++) {
			const char *field = features[j].field;

			cr_assert_not_null(prm_field(prm_struct(features[j].group), field),
					   "%s", field);
			if (!fw_executes(features[j].opcode))
				cr_assert_eq(fw_cap(&hca, features[j].group, field), 0,
					     "%s: %s without %s", names[i], field,
					     features[j].name);
		}
		hca_fini(&hca);
	}
	cr_assert_not(fw_executes(0xfff));
}

/* GENERAL announces the groups that a driver will ask for. */
Test(devices, announced_groups_are_there)
{
	static struct fw_image img;

	for (size_t i = 0; i < NAMES; i++) {
		uint32_t missing = 0;

		cr_assert_eq(hca_init(&hca, 5), 0);
		fw_init(&hca, fw_device_find(names[i]));
		img.groups = hca.cap_groups;
		memcpy(img.bytes, hca.cap_bytes, sizeof(img.bytes));
		cr_assert(fw_image_complete(&img, &missing), "%s: 0x%x", names[i], missing);
		hca_fini(&hca);
	}
}
