/* SPDX-License-Identifier: BSD-2-Clause */
/* The library does not include emu/; this test does, and compares the two lists. */
#include <string.h>
#include <criterion/criterion.h>
#include <devx/devx.h>

#include "fw/command.h"

/* A word that the explanation has to have; NULL: there is no such reason. A reason without a
 * row is a warning of the compiler. */
static const char *word(enum fw_reason why)
{
#define ROW(name, word)     \
	case FW_WHY_##name: \
		return word
	switch (why) {
		ROW(OPCODE, "command");
		ROW(IN_LEN, "inbox");
		ROW(OUT_LEN, "outbox");
		ROW(RESERVED, "reserved bit");
		ROW(UNSUPPORTED, "not emulated");
		ROW(UID, "uid");
		ROW(OP_MOD, "op_mod");
		ROW(OBJECT, "object of the command");
		ROW(PD, "protection domain");
		ROW(UAR, "UAR");
		ROW(EQ, "event queue");
		ROW(CQ, "CQ");
		ROW(BUSY, "refers to it");
		ROW(LIMIT, "limit");
		ROW(FULL, "exhausted");
		ROW(SIZE, "size");
		ROW(PAS, "page list");
		ROW(PAGE_OFFSET, "page offset");
		ROW(DBR, "doorbell record");
		ROW(STATE, "state");
		ROW(OPT_PARAM, "opt_param_mask");
		ROW(GID, "GID");
		ROW(MTU, "MTU");
		ROW(VALUE, "out of range");
		ROW(XRCD, "XRC domain");
		ROW(SRQ, "shared receive queue");
		ROW(TD, "transport domain");
		ROW(TIS, "TIS");
		ROW(RQ, "RQ");
		ROW(UMEM, "umem");
		ROW(RIGHTS, "access");
		ROW(RQT, "RQ table");
		ROW(SCHED, "scheduling element");
		ROW(COUNTER, "counter");
		ROW(VHCA, "VHCA id");
		ROW(ACCESS_KEY, "access key");
		ROW(TABLE, "flow table");
		ROW(GROUP, "flow group");
		ROW(INDEX, "flow index");
		ROW(MATCH, "mask");
		ROW(FLOW_ACTION, "action");
		ROW(DESTINATION, "destination");
		ROW(HEADERS, "modify header");
		ROW(REGISTER, "this register");
		ROW(READ_ONLY, "only be read");
	}
	return NULL;
}

Test(emulator, every_reason_is_explained)
{
	for (unsigned int why = 0; why < 256; why++) {
		uint32_t syndrome = 0xe0000000 | PRM_OP_CREATE_QP << 8 | why;
		const char *text = devx_syndrome_str(PRM_OP_CREATE_QP, syndrome);
		const char *expected = word((enum fw_reason)why);

		cr_assert_eq(!!text, !!expected, "reason %u", why);
		if (text)
			cr_assert_not_null(strstr(text, expected), "reason %u: %s", why, text);
	}
}

Test(emulator, reports_are_listed_once)
{
	const struct devx_syndrome *s = devx_syndrome_next(NULL);
	int n = 0;

	for (; s; s = devx_syndrome_next(s), n++)
		cr_expect_eq(devx_syndrome_str(s->opcode, s->syndrome), s->text);
	cr_expect_geq(n, 3);
}

Test(emulator, the_syndrome_belongs_to_its_command)
{
	uint32_t syndrome = 0xe0000000 | PRM_OP_CREATE_QP << 8 | FW_WHY_PD;

	cr_assert_null(devx_syndrome_str(PRM_OP_CREATE_CQ, syndrome));
	cr_assert_null(devx_syndrome_str(PRM_OP_CREATE_QP, syndrome & 0xffffff));
}
