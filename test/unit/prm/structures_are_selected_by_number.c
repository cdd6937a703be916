/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capability groups, general objects, registers, named values and units: the tables agree with
 * each other, and the printer shows the structure that the number selects.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "prm/prm.h"
#include "prm/table.h"

static const char *text_of(const struct prm_cmd *cmd, const void *in, size_t in_len,
			   const void *out, size_t out_len, enum prm_style style)
{
	static char text[1 << 16];

	if (out)
		prm_format_out(text, sizeof(text), cmd, in, in_len, out, out_len, style);
	else
		prm_format(text, sizeof(text), cmd->in, in, in_len, style);
	return text;
}

Test(structures_are_selected_by_number, every_group_has_a_name_and_a_structure)
{
	const struct prm_cmd *cmd = prm_cmd(PRM_OP_QUERY_HCA_CAP);
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 };
	static uint8_t out[PRM_SZ(query_hca_cap_out)];
	int n = 0;

	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g)); n++) {
		char arm[96];
		const char *text;

		cr_expect_eq(prm_cap_group(g->id), g);
		cr_expect_str_eq(prm_value_name("CAP", g->id, NULL), g->name);
		PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(g->id, PRM_CAP_MAX));
		snprintf(arm, sizeof(arm), "capability.%s.", g->layout->name);
		text = text_of(cmd, in, sizeof(in), out, sizeof(out), PRM_LINES);
		cr_expect_not_null(strstr(text, arm), "%s", g->name);
	}
	cr_expect_eq(n, 29);
	cr_expect_null(prm_cap_group(0x0a));

	/* No named group without a structure. */
	for (const struct prm_named_value *v = NULL; (v = prm_value_next(v));)
		if (!strcmp(v->kind, "CAP"))
			cr_expect_not_null(prm_cap_group(v->value), "%s", v->name);
}

Test(structures_are_selected_by_number, every_object_type_shows_its_structure)
{
	const struct prm_cmd *cmd = prm_cmd(PRM_OP_CREATE_GENERAL_OBJECT);
	const struct prm_cmd *query = prm_cmd(PRM_OP_QUERY_GENERAL_OBJECT);
	static uint8_t in[PRM_SZ(general_object_in) + 0x200], out[sizeof(in)];

	for (const struct prm_object *o = NULL; (o = prm_object_next(o));) {
		char arm[96];

		PRM_SET(general_object_in, in, obj_type, o->type);
		cr_expect_str_eq(prm_value_name("OBJ", o->type, NULL), o->name);
		cr_expect_eq(prm_in_bytes(cmd, in, sizeof(in)), 0x10 + o->layout->bytes);
		cr_expect_eq(prm_out_bytes(query, in, sizeof(in)), 0x10 + o->layout->bytes);
		cr_expect_eq(prm_in_bytes(query, in, sizeof(in)), 0x10);
		if (!o->layout->fields->name)
			continue; /* RESERVED_QPN: a size, no fields */
		snprintf(arm, sizeof(arm), "object.%s.", o->layout->name);
		cr_expect_not_null(strstr(text_of(cmd, in, prm_in_bytes(cmd, in, sizeof(in)),
						  NULL, 0, PRM_LINES),
					  arm),
				   "%s", o->name);
		cr_expect_not_null(
			strstr(text_of(query, in, 0x10, out, sizeof(out), PRM_LINES), arm),
			"%s", o->name);
	}
}

Test(structures_are_selected_by_number, an_object_of_unknown_type_is_bytes)
{
	uint8_t in[0x18] = { 0x0a, 0, 0, 0, 0, 0, 0x77, 0x77 };

	in[0x13] = 5;
	cr_expect_str_eq(text_of(prm_cmd(PRM_OP_CREATE_GENERAL_OBJECT), in, sizeof(in), NULL, 0,
				 PRM_LINE),
			 "opcode=0xa00(CREATE_GENERAL_OBJECT) obj_type=0x7777 "
			 "object=0x0000000500000000");
}

Test(structures_are_selected_by_number, a_register_is_shown_by_its_fields)
{
	const struct prm_cmd *cmd = prm_cmd(PRM_OP_ACCESS_REGISTER_USER);
	uint8_t in[PRM_SZ(access_register_in) + PRM_SZ(ptys_reg)] = { 0 };
	uint8_t out[sizeof(in)] = { 0 };

	PRM_SET(access_register_in, in, opcode, PRM_OP_ACCESS_REGISTER_USER);
	PRM_SET(access_register_in, in, op_mod, PRM_REG_OP_READ);
	PRM_SET(access_register_in, in, register_id, 0x5004);
	PRM_SET(ptys_reg, PRM_ADDR(access_register_in, in, register_data), local_port, 1);
	cr_expect_eq(prm_in_bytes(cmd, in, sizeof(in)), sizeof(in));
	cr_expect_str_eq(text_of(cmd, in, sizeof(in), NULL, 0, PRM_LINE),
			 "opcode=0xb0c(ACCESS_REGISTER_USER) op_mod=0x1(READ) "
			 "register_id=0x5004(PTYS) reg.ptys_reg.local_port=0x1");

	PRM_SET(ptys_reg, PRM_ADDR(access_register_out, out, register_data), eth_proto_oper, 8);
	cr_expect_str_eq(text_of(cmd, in, sizeof(in), out, sizeof(out), PRM_LINE),
			 "reg.ptys_reg.eth_proto_oper=0x8");

	PRM_SET(access_register_in, in, register_id, 0x1234);
	cr_expect_eq(prm_in_bytes(cmd, in, sizeof(in)), PRM_SZ(access_register_in));
	cr_expect_str_eq(text_of(cmd, in, 0x14, NULL, 0, PRM_LINE),
			 "opcode=0xb0c(ACCESS_REGISTER_USER) op_mod=0x1(READ) "
			 "register_id=0x1234 register_data[1]={0x10000}");
}

Test(structures_are_selected_by_number, every_register_shows_its_structure)
{
	const struct prm_cmd *cmd = prm_cmd(PRM_OP_ACCESS_REG);
	static uint8_t in[PRM_SZ(access_register_in) + 0x100];

	for (const struct prm_reg *reg = NULL; (reg = prm_reg_next(reg));) {
		char arm[96];

		cr_expect_eq(prm_reg(reg->id), reg);
		PRM_SET(access_register_in, in, register_id, reg->id);
		snprintf(arm, sizeof(arm), "reg.%s.", reg->layout->name);
		cr_expect_not_null(
			strstr(text_of(cmd, in, sizeof(in), NULL, 0, PRM_LINES), arm), "%s",
			reg->name);
	}
}

Test(structures_are_selected_by_number, values_have_names_in_both_directions)
{
	uint64_t v;

	for (const struct prm_named_value *n = NULL; (n = prm_value_next(n));) {
		cr_expect(prm_value(n->kind, n->name, &v), "%s %s", n->kind, n->name);
		cr_expect_eq(v, n->value, "%s %s", n->kind, n->name);
		cr_expect_str_eq(prm_value_name(n->kind, v, NULL), n->name);
	}
	cr_expect(prm_value("QPC_STATE", "rts", &v));
	cr_expect_eq(v, 3);
	cr_expect_not(prm_value("QPC_STATE", "RTX", &v));
	cr_expect_not(prm_value("NOSUCH", "RTS", &v));
}

Test(structures_are_selected_by_number, units_follow_numbers)
{
	const struct prm_struct *qpc = prm_struct("qpc");

	cr_expect_str_eq(prm_unit(qpc, "page_offset"), "64ths of a page");
	cr_expect_str_eq(prm_unit(prm_struct("cmd_hca_cap"), "log_max_qp"), "log2");
	cr_expect_null(prm_unit(qpc, "pd"));
	cr_expect_null(prm_unit(prm_struct("cmd_hca_cap_2"), "umr_log_entity_size_5"));

	uint8_t p[PRM_SZ(wq)] = { 0 };
	char text[8192];
	PRM_SET(wq, p, log_wq_sz, 7);
	prm_format(text, sizeof(text), prm_struct("wq"), p, sizeof(p), PRM_LINES);
	cr_expect_not_null(strstr(text, "log_wq_sz = 0x7 [log2 of WQEs]\n"));
}

Test(structures_are_selected_by_number, commands_say_which_capability_they_need)
{
	struct prm_pos pos;
	int n = 0;

	for (const struct prm_cmd *cmd = NULL; (cmd = prm_cmd_next(cmd));) {
		char name[64];

		if (!cmd->needs)
			continue;
		n++;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(cmd->needs, "."), cmd->needs);
		cr_expect(prm_struct(name) &&
				  prm_find(prm_struct(name), strchr(cmd->needs, '.') + 1, &pos),
			  "%s", cmd->needs);
	}
	cr_expect_geq(n, 60);
	cr_expect_str_eq(prm_cmd(PRM_OP_CREATE_DCT)->needs, "cmd_hca_cap.dct");
	cr_expect_null(prm_cmd(PRM_OP_ALLOC_PD)->needs);
}
