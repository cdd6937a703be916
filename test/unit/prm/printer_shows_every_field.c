/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prm_format: names, values, and at unions the arm that the discriminator selects; a union
 * of unknown arm as bytes. A text that does not fit is cut and its whole length returned.
 */
#include <criterion/criterion.h>

#include "prm/prm.h"
#include "prm/table.h"

static const char *line(const char *name, const void *p, size_t len)
{
	static char text[4096];

	prm_format(text, sizeof(text), prm_struct(name), p, len, PRM_LINE);
	return text;
}

Test(printer_shows_every_field, event_type_selects_the_arm)
{
	uint8_t eqe[64] = { 0 };

	PRM_SET(eqe, eqe, event_type, PRM_EVENT_CQ_ERROR);
	PRM_SET(cq_error, PRM_ADDR(eqe, eqe, event_data), cqn, 0x77);
	cr_expect_str_eq(line("eqe", eqe, 64),
			 "event_type=0x4(CQ_ERROR) event_data.cq_error.cqn=0x77");

	PRM_SET(eqe, eqe, event_type, PRM_EVENT_GENERAL_EVENT);
	cr_expect_str_eq(line("eqe", eqe, 64),
			 "event_type=0x22(GENERAL_EVENT) event_data=0x00000077"
			 "000000000000000000000000000000000000000000000000");
}

Test(printer_shows_every_field, two_discriminators_must_both_hold)
{
	uint8_t eqe[64] = { 0 };

	PRM_SET(eqe, eqe, event_type, PRM_EVENT_PAGE_FAULT);
	PRM_SET(eqe, eqe, event_sub_type, 1);
	PRM_SET(rdma_page_fault_event, PRM_ADDR(eqe, eqe, event_data), r_key, 0x1234);
	cr_expect_str_eq(line("eqe", eqe, 64), "event_type=0xc(PAGE_FAULT) event_sub_type=0x1 "
					       "event_data.rdma_page_fault_event.r_key=0x1234");
}

Test(printer_shows_every_field, access_mode_selects_the_reading)
{
	uint8_t mkc[PRM_SZ(mkc)] = { 0 };

	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, translations_octword_size, 9);
	PRM_SET(mkc, mkc, log_page_size, 12);
	cr_expect_str_eq(
		line("mkc", mkc, sizeof(mkc)),
		"access_mode_1_0=0x1(MTT) translations_octword_size=0x9 log_page_size=0xc");

	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_KSM);
	cr_expect_str_eq(
		line("mkc", mkc, sizeof(mkc)),
		"access_mode_1_0=0x3(KSM) translations_octword_size=0x9 log_entity_size=0xc");

	PRM_SET(mkc, mkc, access_mode_4_2, PRM_MKC_ACCESS_MODE_CROSSING >> 2);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_CROSSING & 3);
	cr_expect_str_eq(
		line("mkc", mkc, sizeof(mkc)),
		"access_mode_4_2=0x1 access_mode_1_0=0x2(CROSSING) crossing_target_mkey=0x9 "
		"log_page_size=0xc");
}

Test(printer_shows_every_field, inbox_selects_the_capability_group)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 }, out[PRM_SZ(query_hca_cap_out)] = { 0 };
	char text[256];

	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(PRM_CAP_ROCE, PRM_CAP_CUR));
	PRM_SET(roce_cap, PRM_ADDR(query_hca_cap_out, out, capability), roce_version, 5);
	prm_format_out(text, sizeof(text), prm_cmd(PRM_OP_QUERY_HCA_CAP), in, sizeof(in), out,
		       sizeof(out), PRM_LINE);
	cr_expect_str_eq(text, "capability.roce_cap.roce_version=0x5");

	prm_format_out(text, sizeof(text), prm_cmd(PRM_OP_QUERY_HCA_CAP), in, 4, out, 0x24,
		       PRM_LINE);
	cr_expect_str_eq(text, "capability=0x0000000000000000000000000000000000000005");
}

Test(printer_shows_every_field, ip_version_selects_the_address)
{
	uint8_t match[PRM_SZ(fte_match_set_lyr_2_4)] = { 0 };

	PRM_SET(fte_match_set_lyr_2_4, match, ip_version, 4);
	PRM_SET(ipv4_layout, PRM_ADDR(fte_match_set_lyr_2_4, match, dst_ipv4_dst_ipv6), ipv4,
		0x0a000001);
	cr_expect_str_eq(line("fte_match_set_lyr_2_4", match, sizeof(match)),
			 "ip_version=0x4 dst_ipv4_dst_ipv6.ipv4_layout.ipv4=0xa000001");

	/* A mask: unknown. */
	PRM_SET(fte_match_set_lyr_2_4, match, ip_version, 0xf);
	cr_expect_str_eq(line("fte_match_set_lyr_2_4", match, sizeof(match)),
			 "ip_version=0xf dst_ipv4_dst_ipv6=0x0000000000000000000000000a000001");
}

Test(printer_shows_every_field, action_type_selects_the_parameter)
{
	uint8_t stc[PRM_SZ(stc)] = { 0 };

	PRM_SET(stc, stc, action_type, 0x81); /* JUMP_TO_TIR */
	PRM_SET(stc_ste_param_tir, PRM_ADDR(stc, stc, stc_param), tirn, 0x42);
	cr_expect_str_eq(line("stc", stc, sizeof(stc)),
			 "action_type=0x81(JUMP_TO_TIR) stc_param.tir.tirn=0x42");
}

Test(printer_shows_every_field, elements_of_a_union_select_by_themselves)
{
	uint8_t in[0x20] = { 0 };
	uint8_t *set = PRM_ADDR_AT(alloc_modify_header_context_in, in, actions, 0);
	uint8_t *copy = PRM_ADDR_AT(alloc_modify_header_context_in, in, actions, 1);

	PRM_SET(set_action_in, set, action_type, 1);
	PRM_SET(set_action_in, set, data, 5);
	PRM_SET(copy_action_in, copy, action_type, 3);
	PRM_SET(copy_action_in, copy, dst_field, 9);
	cr_expect_str_eq(
		line("alloc_modify_header_context_in", in, sizeof(in)),
		"actions[0].set_action_in.action_type=0x1(SET) actions[0].set_action_in.data=0x5 "
		"actions[1].copy_action_in.action_type=0x3(COPY) "
		"actions[1].copy_action_in.dst_field=0x9(OUT_TCP_DPORT)");
}

Test(printer_shows_every_field, tails_are_counted_and_shortened)
{
	uint8_t in[PRM_SZ(create_cq_in) + 8 * 6] = { 0 };

	for (unsigned int i = 0; i < 6; i++)
		PRM_SET_AT(create_cq_in, in, pas, i, (i + 1) << 12);
	cr_expect_str_eq(line("create_cq_in", in, PRM_SZ(create_cq_in)), "");
	cr_expect_str_eq(line("create_cq_in", in, PRM_SZ(create_cq_in) + 16 + 7),
			 "pas[2]={0x1000,0x2000}");
	cr_expect_str_eq(line("create_cq_in", in, sizeof(in)),
			 "pas[6]={0x1000,0x2000,0x3000,0x4000,...}");
}

Test(printer_shows_every_field, a_line_a_field_with_its_offset)
{
	uint8_t out[PRM_SZ(alloc_pd_out)] = { PRM_STATUS_NO_RES };
	char text[256];

	PRM_SET(alloc_pd_out, out, syndrome, 0x1234);
	prm_format(text, sizeof(text), prm_struct("alloc_pd_out"), out, sizeof(out), PRM_LINES);
	cr_expect_str_eq(text, "0x000 status = 0xf(NO_RES)\n"
			       "0x004 syndrome = 0x1234\n"
			       "0x009 pd = 0x0\n");
}

Test(printer_shows_every_field, fields_beyond_the_length_are_not_read)
{
	uint8_t out[8] = { PRM_STATUS_BAD_OP, 0, 0, 0, 0xe0, 0x01, 0x02, 0x03 };

	cr_expect_str_eq(line("query_qp_out", out, 8),
			 "status=0x2(BAD_OP) syndrome=0xe0010203");
	cr_expect_str_eq(line("query_qp_out", out, 7), "status=0x2(BAD_OP)");
	cr_expect_str_eq(line("query_qp_out", out, 0), "");
}

Test(printer_shows_every_field, every_shorter_buffer_holds_a_prefix)
{
	uint8_t in[PRM_SZ(create_qp_in)] = { 0 };
	char whole[512], part[512];

	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	PRM_SET(qpc, PRM_ADDR(create_qp_in, in, qpc), pd, 1);
	PRM_SET(qpc, PRM_ADDR(create_qp_in, in, qpc), cqn_rcv, 2);
	size_t n = prm_format(whole, sizeof(whole), prm_struct("create_qp_in"), in, sizeof(in),
			      PRM_LINE);

	for (size_t size = 0; size <= n + 1; size++) {
		memset(part, '#', sizeof(part));
		cr_expect_eq(prm_format(part, size, prm_struct("create_qp_in"), in, sizeof(in),
					PRM_LINE),
			     n);
		cr_expect_eq(part[size], '#', "size %zu", size);
		if (!size)
			continue;
		cr_expect_eq(strlen(part), size - 1);
		cr_expect_eq(strncmp(part, whole, size - 1), 0);
	}
}

Test(printer_shows_every_field, unnamed_bits_are_found)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 };
	size_t bit;

	cr_expect_not(prm_unnamed(prm_struct("alloc_pd_in"), in, sizeof(in), &bit));
	PRM_SET(alloc_pd_in, in, opcode, PRM_OP_ALLOC_PD);
	cr_expect_not(prm_unnamed(prm_struct("alloc_pd_in"), in, sizeof(in), &bit));
	in[9] = 0x10;
	cr_assert(prm_unnamed(prm_struct("alloc_pd_in"), in, sizeof(in), &bit));
	cr_expect_eq(bit, 9 * 8 + 3);
	cr_expect_not(prm_unnamed(prm_struct("alloc_pd_in"), in, 9, &bit));
}
