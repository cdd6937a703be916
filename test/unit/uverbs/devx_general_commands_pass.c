/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX OTHER: the kernel's list, the uid, and firmware's own refusals. */
#include "bench.h"
#include "prm/prm.h"
#include "uverbs/driver.h"

#define SUITE	     devx_general_commands_pass
#define SUITE_DEVICE devx_general_commands_pass_with_device

CONTEXT_SUITE(SUITE);
DEVICE_SUITE(SUITE_DEVICE);

static int other(struct bench *b, const void *in, uint16_t in_len, void *out, uint16_t out_len)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);

	call_in(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, in_len);
	call_out(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, out_len);
	return call_run(b, &c);
}

/* Opcode in the first two bytes, op_mod in the last two of the second dword. */
#define INBOX(op, mod)                                                   \
	{                                                                \
		(op) >> 8, (op)&0xff, 0, 0, 0, 0, (mod) >> 8, (mod)&0xff \
	}

Test(SUITE, query_hca_cap_as_libmlx5_sends_it)
{
	uint8_t in[16] = INBOX(0x100, 1), out[4112];

	memset(out, 0xaa, sizeof(out));
	cr_assert_eq(other(&b, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(out[0], 0);
	cr_assert_eq(PRM_GET(cmd_hca_cap, out + 16, log_max_qp),
		     fw_cap(&b.hca, "cmd_hca_cap", "log_max_qp"));
}

Test(SUITE, what_makes_or_changes_objects_does_not_pass)
{
	const uint16_t opcodes[] = { 0x200, 0x202, 0x400, 0x401, 0x500, 0x50a, 0x800,
				     0x801, 0x802, 0xa04, 0x109, 0x102, 0xd00, 0xffff };
	uint8_t out[16];

	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		uint8_t in[16] = INBOX(opcodes[i], 0);

		cr_assert_eq(other(&b, in, sizeof(in), out, sizeof(out)), -EINVAL, "%#x",
			     opcodes[i]);
	}
}

Test(SUITE, a_refusal_of_firmware_comes_with_its_outbox)
{
	uint8_t in[16] = INBOX(0x80a, 0), out[16] = { 0 }; /* GET_DROPPED_PACKET_LOG */

	cr_assert_eq(other(&b, in, sizeof(in), out, sizeof(out)), -EREMOTEIO);
	cr_assert_eq(out[0], FW_BAD_OP);
	cr_assert_neq(out[4] | out[5] | out[6] | out[7], 0, "a syndrome");
}

Test(SUITE, lengths_and_pointers)
{
	uint8_t in[16] = INBOX(0x100, 1), out[64];

	cr_assert_eq(other(&b, in, 8, out, sizeof(out)), -EINVAL, "shorter than a header");
	cr_assert_eq(other(&b, in, sizeof(in), out, 8), -EINVAL);
	cr_assert_eq(other(&b, WILD, sizeof(in), out, sizeof(out)), -EFAULT);
	cr_assert_eq(other(&b, in, sizeof(in), WILD, 4112), -EFAULT);
}

Test(SUITE_DEVICE, without_a_devx_context_only_capabilities_are_returned)
{
	struct mlx5_ib_alloc_ucontext_req_v2 q = usual_context;
	struct mlx5_ib_alloc_ucontext_resp r;
	uint8_t caps[16] = INBOX(0x100, 1), functions[16] = INBOX(0x740, 0),
		nop[16] = INBOX(0x80d, 0), out[4112];

	q.flags = 0;
	cr_assert_eq(get_context(&b, &q, &r), 0);
	cr_assert_eq(other(&b, caps, sizeof(caps), out, sizeof(out)), 0, "the driver's");
	cr_assert_eq(PRM_GET(cmd_hca_cap, out + 16, log_max_qp),
		     fw_cap(&b.hca, "cmd_hca_cap", "log_max_qp"));
	/* QUERY_ESW_FUNCTIONS passes, too (devx.c, devx_is_whitelist_cmd); its outbox is
	 * longer. */
	cr_assert_eq(other(&b, functions, sizeof(functions), out, 64), -EREMOTEIO);
	cr_assert_eq(out[0], FW_BAD_OUTP_LEN);
	cr_assert_eq(other(&b, nop, sizeof(nop), out, 16), -EINVAL);
	b.u->uid = 0; /* and stays */
	b.objects++;
	cr_assert_eq(other(&b, caps, sizeof(caps), out, sizeof(out)), -EOPNOTSUPP);
}
