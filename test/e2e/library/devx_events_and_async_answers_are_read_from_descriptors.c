/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <devx/async.h>
#include "devx_fixture.h"

TestSuite(devx_descriptors, .init = devx_start, .fini = devx_stop);

static bool readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static void write_something(void)
{
	struct ibv_sge from = { (uintptr_t)x.src, 8, x.mkey.key };
	struct dv_raddr to = { (uintptr_t)x.dst, x.mkey.key };

	cr_assert_eq(dv_sq_write(&x.a.sq, X_SIGNALLED, to, &from, 1), 0);
	dv_sq_doorbell(&x.a.sq);
}

Test(devx_descriptors, an_armed_cq_wakes_its_subscriber)
{
	uint16_t kind = PRM_EVENT_COMP;
	struct devx_events events;
	struct devx_event event;

	devx_ok(devx_events_create(&events, x.ctx, false));
	devx_ok(devx_events_subscribe(&events, &x.cq.obj, &kind, 1, 0x1122334455667788));
	for (int i = 0; i < 3; i++) {
		cr_assert_not(readable(events.fd, 20), "nothing is armed");
		dv_cq_arm(&x.cq.cq, false);
		write_something();
		cr_assert(readable(events.fd, 10000));
		devx_ok(devx_events_get(&events, &event));
		cr_assert_eq(event.cookie, 0x1122334455667788);
		cr_assert_eq(PRM_GET(eqe, event.eqe, event_type), PRM_EVENT_COMP);
		cr_assert_eq(
			PRM_GET(comp_event, PRM_ADDR(eqe, event.eqe, event_data), cq_number),
			x.cq.obj.id);
		dv_cq_event(&x.cq.cq);
		devx_completion();
	}
	devx_events_destroy(&events);
}

Test(devx_descriptors, cookies_alone)
{
	uint16_t kind = PRM_EVENT_COMP;
	struct devx_events events;
	struct devx_event event;

	devx_ok(devx_events_create(&events, x.ctx, true));
	devx_ok(devx_events_subscribe(&events, &x.cq.obj, &kind, 1, 77));
	cr_assert_eq(fcntl(events.fd, F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(devx_events_get(&events, &event), EAGAIN);
	dv_cq_arm(&x.cq.cq, false);
	write_something();
	devx_completion();
	cr_assert(readable(events.fd, 10000));
	devx_ok(devx_events_get(&events, &event));
	cr_assert_eq(event.cookie, 77);
	devx_events_destroy(&events);
}

Test(devx_descriptors, an_eventfd_will_do)
{
	struct devx_events events;
	int fd = eventfd(0, EFD_NONBLOCK);
	uint64_t n = 0;

	devx_ok(devx_events_create(&events, x.ctx, true));
	devx_ok(devx_events_subscribe_fd(&events, fd, &x.cq.obj, PRM_EVENT_COMP));
	dv_cq_arm(&x.cq.cq, false);
	write_something();
	devx_completion();
	cr_assert(readable(fd, 10000));
	cr_assert_eq(read(fd, &n, sizeof(n)), (ssize_t)sizeof(n));
	cr_assert_eq(n, 1);
	devx_events_destroy(&events);
	close(fd);
}

/* Two queries are on their way at once; each answer says which it is. */
Test(devx_descriptors, queries_are_answered_later)
{
	uint8_t in[PRM_SZ(query_qp_in)] = { 0 }, out[PRM_SZ(query_qp_out)];
	struct devx_async async;
	uint64_t wr_id, seen = 0;

	devx_ok(devx_async_create(&async, x.ctx));
	PRM_SET(query_qp_in, in, opcode, PRM_OP_QUERY_QP);
	PRM_SET(query_qp_in, in, qpn, x.a.obj.id);
	devx_ok(devx_async_query(&async, &x.a.obj, in, sizeof(in), sizeof(out), 1));
	PRM_SET(query_qp_in, in, qpn, x.b.obj.id);
	devx_ok(devx_async_query(&async, &x.b.obj, in, sizeof(in), sizeof(out), 2));
	for (int i = 0; i < 2; i++) {
		cr_assert(readable(async.fd, 10000));
		devx_ok(devx_async_get(&async, &wr_id, out, sizeof(out)));
		cr_assert_eq(PRM_GET(qpc, PRM_ADDR(query_qp_out, out, qpc), remote_qpn),
			     wr_id == 1 ? x.b.obj.id : x.a.obj.id);
		seen |= wr_id;
	}
	cr_assert_eq(seen, 3);
	cr_assert_not(readable(async.fd, 0));
	devx_async_destroy(&async);
}
