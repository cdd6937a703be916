/* SPDX-License-Identifier: BSD-2-Clause */
/* Something ends in the middle of others' work: memory that a READ reads, the link, a QP. */
#include <errno.h>
#include <sys/mman.h>

#include "rig.h"

#define PAGE 4096

static void setup(void)
{
	far_pair_open_with(1024, 0x100);
	a.qp->ack_timeout = 0;
}

TestSuite(in_the_middle, .init = setup, .fini = rig_close);

/* A READ of 8 KiB: after so many packets comes a page of the responder that is unmapped.
 * Packets before it are sent and read; a NAK of the packet's PSN ends both QPs. */
Test(in_the_middle, memory_of_a_read_response_goes)
{
	static const char *const before[] = {
		"", "read_response_first", "read_response_first read_response_middle",
		"read_response_first read_response_middle read_response_middle"
	};

	for (unsigned int n = 0; n < 4; n++) {
		struct hca_eq *eq;

		rig_close();
		setup();
		eq = events_open(&far);
		record_frames();
		cr_assert_eq(mprotect(far.buf + 4 * PAGE, PAGE, PROT_NONE), 0);
		execute(&a, "read 8192 local=0x100000 remote=0x%x sig", 4 * PAGE - 1024 * n);
		expect_frames(0, "read_request");
		if (n)
			expect_frames(1, before[n]);
		expect_frames(1 + n, "ack");
		cr_expect_eq(frames, 2 + n, "%u", frames);
		cr_expect_eq(psn_of(1 + n), 0x100 + n);
		expect_cqe(&a, "req_err rem_access wqe=0");
		cr_expect_arr_eq(near.buf + 0x100000, far.buf + 4 * PAGE - 1024 * n, 1024 * n);
		cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
		expect_event(eq, PRM_EVENT_WQ_ACCESS_ERROR, b.qp->qpn);
		expect_no_event(eq);
		expect_finding(
			"QP 0x20001, remote read of 1024 bytes at 0xa0004000: the memory of "
			"the key is not mapped|the peer refuses 8192 bytes");
	}
}

Test(in_the_middle, link_goes_and_comes_back)
{
	struct hca_eq *eq = events_open(&near);

	for (int i = 0; i < 2; i++) {
		engine_link(near.e, false);
		cr_expect_eq(near.hca.counts.unplugged, 1, "once for each time");
		execute(&a, "write 8 remote=0x1000 sig");
		expect_none(&a);
	}
	expect_event(eq, PRM_EVENT_PORT_CHANGE, 0);
	engine_link(near.e, true);
	expect_event(eq, PRM_EVENT_PORT_CHANGE, 0);
	expect_no_event(eq);
}

/* Another process of the adapter takes the port down or up; or down and up before this one
 * looks. */
Test(in_the_middle, port_is_taken_down_by_another_process)
{
	static const uint32_t changes[] = { 1, 2, 5, 6, 8 }, events[] = { 1, 1, 1, 1, 2 };
	struct hca_eq *eq = events_open(&near);

	for (int i = 0; i < 5; i++) {
		atomic_store(&near.hca.adapter->admin, changes[i]);
		settle();
		settle();
		for (uint32_t k = 0; k < events[i]; k++)
			expect_event(eq, PRM_EVENT_PORT_CHANGE, 0);
		expect_no_event(eq);
		cr_expect_eq(near.hca.port.down, changes[i] & 1, "%d", i);
	}
}

Test(in_the_middle, a_qp_is_made_to_fail)
{
	struct hca_eq *eq = events_open(&near);

	post(&a, "recv 8; recv 8");
	cr_assert_eq(engine_fail_qp(near.e, a.qp->qpn + 1), ENOENT);
	expect_no_event(eq);
	cr_assert_eq(engine_fail_qp(near.e, a.qp->qpn), 0);
	expect_event(eq, PRM_EVENT_WQ_CATAS_ERROR, a.qp->qpn);
	settle();
	expect_cqe(&a, "resp_err flushed wqe=0; resp_err flushed wqe=1");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
}
