/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests of adapters that the engine does not execute: each ends in an error CQE, the QP
 * is in ERR, and --check names the opcode.
 */
#include <string.h>

#include "rig.h"

PAIR_SUITE(unsupported_wqe);

/* @wqe ends in an error, and the finding begins with its @name. */
static void expect_named(const char *wqe, const char *name)
{
	execute(&a, "%s sig", wqe);
	expect_finding("QP 0x10001: the WQE at 0x0 ends in an error: %s", name);
	expect_cqe(&a, "req_err local_qp_op wqe=0");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
}

Test(unsupported_wqe, opcodes)
{
	static const struct {
		const char *what, *wqe, *name;
	} rows[] = {
		{ "tso", "0x0e", "TSO: " },
		{ "wait", "0x0f", "WAIT: " },
		{ "send en", "0x17", "SEND_EN: " },
		{ "set psv", "0x20", "SET_PSV: " },
		{ "enhanced mpsw", "0x29", "ENHANCED_MPSW: " },
		{ "access aso", "0x2d opmod=4", "ACCESS_ASO: " },
		{ "flow table access", "0x2c", "FLOW_TBL_ACCESS: " },
		{ "mmo without permission", "0x2f opmod=1", "MMO: the QP was not enabled" },
	};

	FOR_EACH_ROW(row, rows, pair_open)
		expect_named(row->wqe, row->name);
}

Test(unsupported_wqe, mmo_of_other_kinds)
{
	a.qp->mmo = true;
	expect_named("0x2f opmod=2", "MMO: only DMA");
}

/* An opcode that no adapter has is a mistake of the program, without a finding of its name. */
Test(unsupported_wqe, an_unknown_opcode_is_not_reported)
{
	finish(&a, "0x3f sig", "req_err local_qp_op wqe=0");
}

Test(unsupported_wqe, umr_with_signature)
{
	uint8_t wqe[128] = {
		0,	     0, 0,    0x25, 0x01,	 0,	     0x01, 8, [11] = SIGNALED,
		[12] = 0x01, 0, 0x01, 0x42, [16] = 0x80, [30] = 0x10
	};

	post_bytes(&a, wqe, 8);
	work(&a);
	expect_finding("QP 0x10001: the UMR WQE at 0x0 ends in an error: signatures and "
		       "crypto (BSF) are not supported; remedy: none on this device: it is not "
		       "emulated, and needs an adapter");
	expect_cqe(&a, "req_err local_qp_op wqe=0");
}
