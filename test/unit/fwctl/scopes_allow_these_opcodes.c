/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every opcode in every scope, against the driver's switch: mlx5ctl_validate_rpc in
 * drivers/fwctl/mlx5/main.c of Linux 6.15. The numbers are those of that file and of
 * <linux/mlx5/mlx5_ifc.h>.
 */
#include <criterion/criterion.h>

#include "fwctl/scope.h"

enum { NEVER = 9, ACCESS_REG = 0x805, ACCESS_REGISTER_USER = 0xb0c };

/* From FWCTL_RPC_CONFIGURATION on. */
static const uint16_t configuration[] = { 0x100, 0x101, 0x109, 0x10e, 0x731, 0x740,
					  0x760, 0x762, 0x823, 0xb22, 0xb2e };

/* From FWCTL_RPC_DEBUG_READ_ONLY on. */
static const uint16_t read_only[] = {
	0x107, 0x10a, 0x10c, 0x111, 0x117, 0x201,  0x203,  0x303,  0x402, 0x50b, 0x512, 0x602,
	0x702, 0x707, 0x713, 0x716, 0x719, 0x722,  0x725,  0x727,  0x728, 0x730, 0x732, 0x750,
	0x752, 0x754, 0x764, 0x765, 0x76f, 0x770,  0x773,  0x781,  0x784, 0x80b, 0x80d, 0x813,
	0x819, 0x821, 0x822, 0x824, 0x826, 0x82a,  0x831,  0x842,  0x903, 0x907, 0x90b, 0x90f,
	0x911, 0x915, 0x919, 0x932, 0x935, 0x937,  0x93b,  0x93f,  0x942, 0x962, 0x964, 0x971,
	0x981, 0xa02, 0xa05, 0xa09, 0xb02, 0xb03,  0xb05,  0xb07,  0xb08, 0xb0a, 0xb0d, 0xb0f,
	0xb13, 0xb14, 0xb28, 0xb2a, 0xb2f, 0x8000, 0x8001, 0x8006,
};

/* From FWCTL_RPC_DEBUG_WRITE on. */
static const uint16_t writing[] = { 0x820 };

/* The first scope that allows each opcode. */
static uint8_t least[0x10000];

static void set(uint8_t scope, const uint16_t *opcodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(least[opcodes[i]], NEVER, "%#x is twice in the lists", opcodes[i]);
		least[opcodes[i]] = scope;
	}
}

#define SET(scope, list) set(scope, list, sizeof(list) / sizeof((list)[0]))

Test(scope, allows_these_opcodes)
{
	memset(least, NEVER, sizeof(least));
	SET(0, configuration);
	SET(1, read_only);
	SET(2, writing);
	for (uint32_t opcode = 0; opcode < 0x10000; opcode++)
		for (uint32_t scope = 0; scope < 4 && opcode != ACCESS_REG; scope++)
			for (uint16_t op_mod = 0; op_mod < 2 && opcode != ACCESS_REGISTER_USER;
			     op_mod++)
				if (fwctl_scope_allows(scope, opcode, op_mod) !=
				    (scope >= least[opcode]))
					cr_expect_fail("%#x in scope %u", opcode, scope);
}

/* A register may be written by the scope of configuration, op_mod 0, and read with more. */
Test(scope, allows_registers)
{
	static const uint16_t opcodes[] = { ACCESS_REG, ACCESS_REGISTER_USER };

	for (int i = 0; i < 2; i++)
		for (uint32_t scope = 0; scope < 4; scope++) {
			cr_expect(fwctl_scope_allows(scope, opcodes[i], 0));
			for (uint32_t op_mod = 1; op_mod < 0x10000; op_mod++)
				if (fwctl_scope_allows(scope, opcodes[i], op_mod) !=
				    (scope >= 1))
					cr_expect_fail("%#x, op_mod %u, scope %u", opcodes[i],
						       op_mod, scope);
		}
}
