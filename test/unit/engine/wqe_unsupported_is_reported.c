/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests of adapters that the engine does not execute: each ends in an error CQE, the QP
 * is in ERR, and --check names the opcode.
 */
#include <stdio.h>
#include <string.h>

#include "rig.h"

static struct host h;
static struct side a, b;
static char said[256];

static void listen(const struct core_trace *t)
{
	if (t->kind == TRACE_CHECK)
		snprintf(said, sizeof(said), "%.*s", (int)t->in_len, (const char *)t->in);
}

static void setup(void)
{
	pair_open(&h, &a, &b);
	core_trace_to = listen;
	core_trace_mask = 1u << TRACE_CHECK;
	said[0] = 0;
}

static void teardown(void)
{
	core_trace_to = NULL;
	host_close(&h);
}

TestSuite(unsupported_wqe, .init = setup, .fini = teardown);

static void post_op(uint8_t opmod, uint8_t opcode)
{
	uint8_t wqe[64] = { opmod, 0, 0, opcode, 0x01, 0x00, 0x01, 4, [11] = SIGNALED };

	wqe[2] = (uint8_t)a.pi;
	post(&a, wqe, 4);
	ring(&a);
	settle(&h, 1);
}

static void named(uint8_t opmod, uint8_t opcode, const char *name)
{
	char want[64];

	snprintf(want, sizeof(want), "QP 0x10001: the WQE at 0x0 ends in an error: %s", name);
	post_op(opmod, opcode);
	cr_expect_eq(strncmp(said, want, strlen(want)), 0, "said: %s", said);
	expect_error(&a, 13, 0x02, 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
}

Test(unsupported_wqe, tso)
{
	named(0, 0x0e, "TSO: ");
}

Test(unsupported_wqe, wait)
{
	named(0, 0x0f, "WAIT: ");
}

Test(unsupported_wqe, send_en)
{
	named(0, 0x17, "SEND_EN: ");
}

Test(unsupported_wqe, set_psv)
{
	named(0, 0x20, "SET_PSV: ");
}

Test(unsupported_wqe, enhanced_mpsw)
{
	named(0, 0x29, "ENHANCED_MPSW: ");
}

Test(unsupported_wqe, access_aso)
{
	named(4, 0x2d, "ACCESS_ASO: ");
}

Test(unsupported_wqe, flow_table_access)
{
	named(0, 0x2c, "FLOW_TBL_ACCESS: ");
}

Test(unsupported_wqe, mmo_of_other_kinds)
{
	a.qp->mmo = true;
	named(2, 0x2f, "MMO: only DMA");
}

Test(unsupported_wqe, mmo_without_permission)
{
	named(1, 0x2f, "MMO: the QP was not enabled");
}

/* An opcode that no adapter has is a mistake of the program, without a finding of its name. */
Test(unsupported_wqe, an_unknown_opcode_is_not_reported)
{
	post_op(0, 0x3f);
	cr_expect_eq(said[0], 0, "said: %s", said);
	expect_error(&a, 13, 0x02, 0);
}

Test(unsupported_wqe, umr_with_signature)
{
	uint8_t wqe[128] = {
		0,	     0, 0,    0x25, 0x01,	 0,	     0x01, 8, [11] = SIGNALED,
		[12] = 0x01, 0, 0x01, 0x42, [16] = 0x80, [30] = 0x10
	};

	post(&a, wqe, 8);
	ring(&a);
	settle(&h, 1);
	cr_expect_str_eq(
		said, "QP 0x10001: the UMR WQE at 0x0 ends in an error: signatures and "
		      "crypto (BSF) are not supported; remedy: none on this device: it is not "
		      "emulated, and needs an adapter");
	expect_error(&a, 13, 0x02, 0);
}
