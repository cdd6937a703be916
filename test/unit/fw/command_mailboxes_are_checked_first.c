/* SPDX-License-Identifier: BSD-2-Clause */
/* exec: unknown opcodes, short boxes, user contexts; status and syndrome of a refusal. */
#include "device.h"
#include "fw/command.h"

DEVICE_SUITE(exec);

Test(exec, alloc_pd_by_hand)
{
	static const uint8_t in[16] = { 0x08, 0x00, 0, 0 };
	uint8_t out[16];

	memset(out, 0xff, sizeof(out));
	fw_exec(&hca, in, sizeof(in), out, sizeof(out));
	/* status 0, syndrome 0, pd: slot 5, index 1 */
	cr_assert_arr_eq(out, ((uint8_t[16]){ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0x00, 0x01 }),
			 16);
	cr_assert_not_null(core_ids_get(&hca.pds, 0x50001));
}

Test(exec, unknown_opcode_is_bad_op)
{
	static const uint8_t in[16] = { 0x0f, 0xff };
	uint8_t out[16];

	fw_exec(&hca, in, sizeof(in), out, sizeof(out));
	cr_assert_arr_eq(out, ((uint8_t[16]){ 0x02, 0, 0, 0, 0xe0, 0x0f, 0xff, 0x01 }), 16);
}

Test(exec, known_to_prm_but_not_here_is_bad_op)
{
	BOX_REFUSED(box(PRM_OP_CREATE_XRQ), FW_BAD_OP, WHY_OPCODE);
	BOX_REFUSED(box(PRM_OP_QUERY_HCA_VPORT_CONTEXT), FW_BAD_OP, WHY_OPCODE);
}

/* Every command that has a row: one byte less is refused, and nothing happens. */
Test(exec, boxes_too_short)
{
	unsigned int known = 0;

	hca.life = HCA_RUNNING; /* so that there are the commands of an owner */
	for (const struct prm_cmd *cmd = prm_cmd_next(NULL); cmd; cmd = prm_cmd_next(cmd)) {
		const struct fw_command *row = fw_command(cmd->opcode);

		box(cmd->opcode);
		if (row)
			b.in_len = row->in_len;
		b.in_len--;
		if (execute() == FW_BAD_OP)
			continue;
		known++;
		cr_assert_eq(b.out[0], FW_BAD_INP_LEN, "%s", cmd->name);
		box(cmd->opcode);
		b.in_len = row->in_len;
		b.out_len = row->out_len - 1;
		cr_assert_eq(execute(), FW_BAD_OUTP_LEN, "%s", cmd->name);
	}
	cr_assert_geq(known, 49);
	cr_assert_eq(hca.pds.used + hca.uars.used + hca.tds.used + hca.uctx.used, 0);
}

Test(exec, boxes_without_a_header)
{
	uint8_t out[4];

	fw_exec(&hca, "\x08", 1, out, sizeof(out));
	cr_assert_arr_eq(out, ((uint8_t[4]){ FW_BAD_INP_LEN }), 4);
}

Test(exec, longer_boxes_are_fine_if_nothing_is_in_them)
{
	box(PRM_OP_ALLOC_PD);
	b.in_len += 16;
	b.out_len += 16;
	cr_assert_eq(execute(), FW_OK);
	b.in[b.in_len - 1] = 1;
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(syndrome(), 0xe0080004);
}

Test(exec, a_uid_that_does_not_exist_is_refused)
{
	BAD_PARAM(AS(9, box(PRM_OP_ALLOC_PD)), WHY_UID);
}

Test(exec, commands_of_the_driver_need_uid_0)
{
	static const uint16_t ops[] = { PRM_OP_CREATE_UCTX, PRM_OP_SET_ISSI, PRM_OP_CREATE_EQ,
					PRM_OP_SET_ROCE_ADDRESS, PRM_OP_ACCESS_REG };
	uint16_t u = new_uctx();

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		BAD_PARAM(AS(u, box(ops[i])), WHY_UID);
	}
}

static struct {
	unsigned int count;
	uint32_t opcode;
	uint8_t status;
	size_t in_len, out_len;
} seen;

static void sink(const struct core_trace *t)
{
	cr_assert_eq(t->kind, TRACE_FW);
	seen.count++;
	seen.opcode = t->obj;
	seen.status = *(const uint8_t *)t->out;
	seen.in_len = t->in_len;
	seen.out_len = t->out_len;
}

Test(exec, every_command_is_traced_refused_or_not)
{
	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_FW;
	BOX_OK(box(PRM_OP_NOP));
	EQUALS(E(seen.count, 1), E(seen.opcode, PRM_OP_NOP), E(seen.in_len, 16),
	       E(seen.out_len, 16));
	box(PRM_OP_CREATE_XRQ);
	execute();
	EQUALS(E(seen.count, 2), E(seen.opcode, PRM_OP_CREATE_XRQ), E(seen.status, FW_BAD_OP));
}
