/* SPDX-License-Identifier: BSD-2-Clause */
/* The library does not include emu/; this test does, and compares the two lists. */
#include <stdbool.h>
#include <string.h>
#include <criterion/criterion.h>
#include <devx/devx.h>

#include "fw/command.h"

/* A word that the explanation has to have. */
static const char *const words[256] = {
	[FW_WHY_OPCODE] = "command",
	[FW_WHY_IN_LEN] = "inbox",
	[FW_WHY_OUT_LEN] = "outbox",
	[FW_WHY_RESERVED] = "reserved bit",
	[FW_WHY_UNSUPPORTED] = "not emulated",
	[FW_WHY_UID] = "uid",
	[FW_WHY_OP_MOD] = "op_mod",
	[FW_WHY_OBJECT] = "object of the command",
	[FW_WHY_PD] = "protection domain",
	[FW_WHY_UAR] = "UAR",
	[FW_WHY_EQ] = "event queue",
	[FW_WHY_CQ] = "CQ",
	[FW_WHY_BUSY] = "refers to it",
	[FW_WHY_LIMIT] = "limit",
	[FW_WHY_FULL] = "exhausted",
	[FW_WHY_SIZE] = "size",
	[FW_WHY_PAS] = "page list",
	[FW_WHY_PAGE_OFFSET] = "page offset",
	[FW_WHY_DBR] = "doorbell record",
	[FW_WHY_STATE] = "state",
	[FW_WHY_OPT_PARAM] = "opt_param_mask",
	[FW_WHY_GID] = "GID",
	[FW_WHY_MTU] = "MTU",
	[FW_WHY_VALUE] = "out of range",
	[FW_WHY_XRCD] = "XRC domain",
	[FW_WHY_SRQ] = "shared receive queue",
	[FW_WHY_TD] = "transport domain",
	[FW_WHY_TIS] = "TIS",
	[FW_WHY_RQ] = "RQ",
	[FW_WHY_UMEM] = "umem",
	[FW_WHY_RIGHTS] = "access",
	[FW_WHY_RQT] = "RQ table",
	[FW_WHY_SCHED] = "scheduling element",
	[FW_WHY_COUNTER] = "counter",
	[FW_WHY_VHCA] = "VHCA id",
	[FW_WHY_ACCESS_KEY] = "access key",
	[FW_WHY_TABLE] = "flow table",
	[FW_WHY_GROUP] = "flow group",
	[FW_WHY_INDEX] = "flow index",
	[FW_WHY_MATCH] = "mask",
	[FW_WHY_FLOW_ACTION] = "action",
	[FW_WHY_DESTINATION] = "destination",
	[FW_WHY_HEADERS] = "modify header",
	[FW_WHY_REGISTER] = "this register",
	[FW_WHY_READ_ONLY] = "only be read",
};

/* A reason without a case is a warning of the compiler, and needs a row above. */
static bool exists(enum fw_reason why)
{
	switch (why) {
	case FW_WHY_OPCODE:
	case FW_WHY_IN_LEN:
	case FW_WHY_OUT_LEN:
	case FW_WHY_RESERVED:
	case FW_WHY_UNSUPPORTED:
	case FW_WHY_UID:
	case FW_WHY_OP_MOD:
	case FW_WHY_OBJECT:
	case FW_WHY_PD:
	case FW_WHY_UAR:
	case FW_WHY_EQ:
	case FW_WHY_CQ:
	case FW_WHY_BUSY:
	case FW_WHY_LIMIT:
	case FW_WHY_FULL:
	case FW_WHY_SIZE:
	case FW_WHY_PAS:
	case FW_WHY_PAGE_OFFSET:
	case FW_WHY_DBR:
	case FW_WHY_STATE:
	case FW_WHY_OPT_PARAM:
	case FW_WHY_GID:
	case FW_WHY_MTU:
	case FW_WHY_VALUE:
	case FW_WHY_XRCD:
	case FW_WHY_SRQ:
	case FW_WHY_TD:
	case FW_WHY_TIS:
	case FW_WHY_RQ:
	case FW_WHY_UMEM:
	case FW_WHY_RIGHTS:
	case FW_WHY_RQT:
	case FW_WHY_SCHED:
	case FW_WHY_COUNTER:
	case FW_WHY_VHCA:
	case FW_WHY_ACCESS_KEY:
	case FW_WHY_TABLE:
	case FW_WHY_GROUP:
	case FW_WHY_INDEX:
	case FW_WHY_MATCH:
	case FW_WHY_FLOW_ACTION:
	case FW_WHY_DESTINATION:
	case FW_WHY_HEADERS:
	case FW_WHY_REGISTER:
	case FW_WHY_READ_ONLY:
		return true;
	}
	return false;
}

Test(emulator, every_reason_is_explained)
{
	for (unsigned int why = 0; why < 256; why++) {
		uint32_t syndrome = 0xe0000000 | PRM_OP_CREATE_QP << 8 | why;
		const char *text = devx_syndrome_str(PRM_OP_CREATE_QP, syndrome);

		cr_assert_eq(!!text, exists((enum fw_reason)why), "reason %u: %s", why,
			     text ? text : "no text");
		if (text)
			cr_assert_not_null(strstr(text, words[why]), "reason %u: %s", why,
					   text);
	}
}

Test(emulator, the_syndrome_belongs_to_its_command)
{
	uint32_t syndrome = 0xe0000000 | PRM_OP_CREATE_QP << 8 | FW_WHY_PD;

	cr_assert_null(devx_syndrome_str(PRM_OP_CREATE_CQ, syndrome));
	cr_assert_null(devx_syndrome_str(PRM_OP_CREATE_QP, syndrome & 0xffffff));
}
