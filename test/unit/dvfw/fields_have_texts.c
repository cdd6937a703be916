/* SPDX-License-Identifier: BSD-2-Clause */
/* Every field of the contexts of queues and keys, of general objects, of registers and of
 * capabilities has a text, and so has every field that is nested in them; and every command,
 * with the fields of its boxes. Quantities have a unit, or named values. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "names/names.h"
#include "names/text.h"
#include "prm/table.h"

static char contexts[] =
	"ads qpc qpc_ext qp_context_extension mkc mtt klm cqc srqc xrc_srqc xrqc rmpc rqc "
	"sqc wq tirc tisc dctc eqc rqtc rx_hash_field_select umem uctx sw_icm alias_context "
	"lagc scheduling_context host_params_context vhca_state_context "
	"set_pp_rate_limit_context general_object_in general_object_out ud_adrs_vector "
	"tls_static_params tls_progress_params cqe64 err_cqe sig_err_cqe wqe_ctrl_seg "
	"wqe_data_seg wqe_inl_data_seg wqe_raddr_seg wqe_atomic_seg wqe_datagram_seg "
	"wqe_eth_seg wqe_umr_ctrl_seg wqe_srq_next_seg";

static unsigned int described, not_public;

/* Endings of names of quantities, which have a unit: bytes, pages, microseconds … */
static const char *const quantities[] = { "_size",   "_sz",	 "_len",    "_length",
					  "_offset", "_timeout", "_period", "_duration",
					  "_rate",   "_usecs",	 "_us",	    "_mtu" };

/* Quantities by their name that have no unit. */
static const char *const plain[] = {
	"rqtc.rqt_max_size",				 /* entries */
	"rqtc.rqt_actual_size",				 /* entries */
	"sqc.tis_lst_sz",				 /* entries */
	"fpga_cap.fpga_ddr_size",			 /* the unit is not public */
	"fpga_cap.fpga_cr_space_size",			 /* the unit is not public */
	"sbcam_reg.cap_sbsr_stat_size",			 /* entries */
	"general_object_in.obj_offset",			 /* a number */
	"macsec_offload_obj.confidentiality_offset",	 /* a code */
	"vector_calc_cap.max_chunk_size",		 /* a code */
	"nic_vport_context.allowed_list_size",		 /* entries */
	"flow_context.destination_list_size",		 /* entries */
	"flow_context.flow_counter_list_size",		 /* entries */
	"query_cong_statistics_out.accumulators_period", /* the unit is not public */
};

static bool is_plain(const struct prm_struct *s, const struct prm_field *f)
{
	char name[160];

	snprintf(name, sizeof(name), "%s.%s", s->name, f->name);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(plain[i], name))
			return true;
	return false;
}

static bool is_quantity(const struct prm_field *f)
{
	size_t n = strlen(f->name);

	if (f->type || f->bytes || f->array || f->width == 1)
		return false;
	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++) {
		size_t end = strlen(quantities[i]);

		if (n > end && !strcmp(f->name + n - end, quantities[i]))
			return true;
	}
	return false;
}

/* Whether @s has not been looked at before: many boxes have the same structures in them. */
static bool first_time(const struct prm_struct *s)
{
	static const struct prm_struct *seen[2000];
	static size_t n;

	for (size_t i = 0; i < n; i++)
		if (seen[i] == s)
			return false;
	cr_assert_lt(n, sizeof(seen) / sizeof(seen[0]));
	seen[n++] = s;
	return true;
}

static void look_at(const struct prm_struct *s)
{
	if (!first_time(s))
		return;
	for (const struct prm_field *f = s->fields; f->name; f++) {
		const char *text = text_of_field(s, f->name);
		enum word_form form;

		cr_expect(text || s->is_union, "%s.%s has no text", s->name, f->name);
		cr_expect(!is_quantity(f) || is_plain(s, f) || prm_unit(s, f->name) ||
				  word_kind(s, f, &form),
			  "%s.%s has no unit", s->name, f->name);
		described += text != NULL;
		not_public +=
			text && (strstr(text, "Not public") || strstr(text, "not public"));
		if (f->type)
			look_at(f->type);
	}
}

static void report(const char *of)
{
	fprintf(stderr, "%s: %u fields with a text, of which %u say \"not public\"\n", of,
		described, not_public);
}

Test(fields_have_texts, contexts)
{
	for (const char *name = strtok(contexts, " "); name; name = strtok(NULL, " ")) {
		const struct prm_struct *s = prm_struct(name);

		cr_assert_not_null(s, "there is no structure %s", name);
		cr_expect_not_null(text_of_struct(s), "%s has no text", s->name);
		look_at(s);
	}
	report("contexts");
}

Test(fields_have_texts, objects)
{
	const struct prm_object *o = NULL;

	while ((o = prm_object_next(o)))
		look_at(o->layout);
	report("objects");
}

Test(fields_have_texts, registers)
{
	const struct prm_reg *r = NULL;

	while ((r = prm_reg_next(r))) {
		cr_expect_not_null(text_of_struct(r->layout), "%s has no text",
				   r->layout->name);
		look_at(r->layout);
	}
	report("registers");
}

Test(fields_have_texts, capabilities)
{
	const struct prm_struct *s = prm_struct("hca_cap_union");

	cr_assert_not_null(s);
	for (const struct prm_field *f = s->fields; f->name; f++) {
		cr_expect_not_null(text_of_struct(f->type), "%s has no text", f->type->name);
		look_at(f->type);
	}
	report("capabilities");
}

/* A field that its text calls a size, a length or a time has a unit; "log2" alone does not say
 * of what. */
static void look_at_unit_of(const struct prm_struct *s, const struct prm_field *f)
{
	static const char *const sizes[] = { "Size of ",   "Longest ",	  "Shortest ",
					     "Time after", "Time within", "Frequency ",
					     "Distance " };
	const char *text = text_of_field(s, f->name), *unit = prm_unit(s, f->name);

	for (size_t i = 0; text && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		cr_expect(strncmp(text, sizes[i], strlen(sizes[i])) || f->width == 1 ||
				  (unit && strcmp(unit, "log2")),
			  "%s.%s has no unit", s->name, f->name);
}

Test(fields_have_texts, sizes_in_capabilities_have_units)
{
	const struct prm_struct *s = prm_struct("hca_cap_union");

	for (const struct prm_field *of = s->fields; of->name; of++)
		for (const struct prm_field *f = of->type->fields; f->name; f++)
			look_at_unit_of(of->type, f);
}

Test(fields_have_texts, boxes_of_commands)
{
	const struct prm_cmd *cmd = NULL;

	while ((cmd = prm_cmd_next(cmd))) {
		if (cmd->in)
			look_at(cmd->in);
		if (cmd->out)
			look_at(cmd->out);
	}
	report("boxes of commands");
}

/* The choices of op_mod differ from command to command; the text of all boxes does not say
 * it. */
Test(fields_have_texts, commands_with_variants)
{
	static const char *const boxes[] = {
		"query_hca_cap_in",	    "query_pages_in",
		"manage_pages_in",	    "query_vport_state_in",
		"modify_vport_state_in",    "modify_cq_in",
		"config_int_moderation_in", "arm_rq_in",
		"arm_xrc_srq_in",	    "access_register_in",
		"modify_memic_in",	    "suspend_vhca_in",
		"resume_vhca_in",	    "set_fte_in",
		"set_flow_table_root_in",
	};
	const struct prm_struct none = { .name = "" };

	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		const struct prm_struct *s = prm_struct(boxes[i]);

		cr_assert_not_null(s, "there is no structure %s", boxes[i]);
		cr_expect_str_neq(text_of_field(s, "op_mod"), text_of_field(&none, "op_mod"),
				  "%s.op_mod has the text of all boxes", boxes[i]);
	}
}

Test(fields_have_texts, commands)
{
	const struct prm_cmd *cmd = NULL;
	unsigned int n = 0;

	while ((cmd = prm_cmd_next(cmd))) {
		cr_expect_not_null(text_of_command(cmd), "%s has no text", cmd->name);
		n++;
	}
	fprintf(stderr, "commands: %u\n", n);
}
