/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbells, WQEs, CQEs and events are traced once each, as they are in memory; so is a WQE
 * that ends in an error, and none that is flushed. */
#include "rig.h"

PAIR_SUITE(work_trace);

Test(work_trace, lines)
{
	static const char *const lines[] = {
		"doorbell 0x1 index 800, 8 bytes 00000000",
		"wqe 0x10001 index 0, 48 bytes 00000008, 64 blocks, service 0, syndrome 0",
		"wqe 0x10001 index 1, 48 bytes 00000108, 64 blocks, service 0, syndrome 0",
		"wqe 0x10001 index 2, 48 bytes 00000208, 64 blocks, service 0, syndrome 0",
		"eqe 0x1 index 0, 64 bytes 00110000", /* access error of the peer's QP */
		"cqe 0x10001 index 0, 64 bytes 00000000",
		"cqe 0x10001 index 1, 64 bytes 00000000",
		"failed 0x10001 index 1, 48 bytes 00000108, 64 blocks, service 0, syndrome 13",
		"cqe 0x10001 index 2, 64 bytes 00000000",
	};

	events_open(&near);
	see(1u << TRACE_DOORBELL | 1u << TRACE_WQE | 1u << TRACE_CQE | 1u << TRACE_EQE |
	    1u << TRACE_FAILED);
	execute(&a, "write 8 remote=0x100000 sig; write 8 remote=0x100000 rkey=wrong; write 8");
	expect_finding("remote write of 8 bytes|the peer refuses 8 bytes");
	expect_traced(lines, sizeof(lines) / sizeof(lines[0]));
}
