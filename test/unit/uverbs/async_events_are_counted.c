/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The asynchronous event fd: records of 16 bytes, and counts that let libibverbs' destroy
 * calls return.
 */
#include <fcntl.h>

#include "event/event.h"
#include "ethernet.h"
#include "shared.h"

#define SUITE	    async_events_are_counted
#define SUITE_NO_FD async_events_are_counted_without_fd

QP_SUITE(SUITE_NO_FD);

static void raise_event(struct rig *r, uint8_t type, uint32_t number)
{
	hca_lock(&r->b.hca);
	event_async(&r->b.hca, type, number, 0);
	hca_unlock(&r->b.hca);
}

static struct ib_uverbs_async_event_desc next_event(int fd)
{
	struct ib_uverbs_async_event_desc e = { 0 };

	cr_assert(readable(fd));
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e));
	return e;
}

static int fd; /* of asynchronous events, opened before the queues */

static void qp_and_fd_open(void)
{
	bench_context(&r.b);
	fd = alloc_async_fd(&r.b);
	rig_queues(&r);
}

static void qp_and_fd_close(void)
{
	rig_down(&r);
	close(fd);
}

TestSuite(SUITE, .init = qp_and_fd_open, .fini = qp_and_fd_close);

#define MANY 5000 /* more than a pipe of the usual size has space for */

/* mlx5_ib: mlx5_ib_qp_event, mlx5_ib_cq_event, mlx5_ib_srq_event, mlx5_ib_wq_event. Each
 * object has another user handle. */
enum { QP, CQ, SRQ, WQ, KINDS };
static const uint64_t handle[KINDS] = { 0xdecade, 0xc0ffee, 0x5a5a, 0xfeed };
static const struct {
	uint8_t type, of;
	uint32_t ib;
} rows[] = {
	{ PRM_EVENT_PATH_MIG, QP, IBV_EVENT_PATH_MIG },
	{ PRM_EVENT_COMM_EST, QP, IBV_EVENT_COMM_EST },
	{ PRM_EVENT_SQ_DRAINED, QP, IBV_EVENT_SQ_DRAINED },
	{ PRM_EVENT_WQ_CATAS_ERROR, QP, IBV_EVENT_QP_FATAL },
	{ PRM_EVENT_WQ_INVAL_REQ_ERROR, QP, IBV_EVENT_QP_REQ_ERR },
	{ PRM_EVENT_WQ_ACCESS_ERROR, QP, IBV_EVENT_QP_ACCESS_ERR },
	{ PRM_EVENT_SRQ_LAST_WQE, QP, IBV_EVENT_QP_LAST_WQE_REACHED },
	{ PRM_EVENT_CQ_ERROR, CQ, IBV_EVENT_CQ_ERR },
	{ PRM_EVENT_SRQ_RQ_LIMIT, SRQ, IBV_EVENT_SRQ_LIMIT_REACHED },
	{ PRM_EVENT_SRQ_CATAS_ERROR, SRQ, IBV_EVENT_SRQ_ERR },
	{ PRM_EVENT_WQ_CATAS_ERROR, WQ, IBV_EVENT_WQ_FATAL },
	{ PRM_EVENT_WQ_INVAL_REQ_ERROR, WQ, UINT32_MAX },
	{ PRM_EVENT_WQ_ACCESS_ERROR, WQ, UINT32_MAX },
	{ PRM_EVENT_DCT_DRAINED, QP, UINT32_MAX },
};

Test(SUITE, events_carry_the_user_handle)
{
	struct srq_attr sa = srq_attr(r.pd);
	struct ib_uverbs_ex_destroy_wq_resp wq_end;
	struct ib_uverbs_ex_create_wq_resp wq;
	struct ib_uverbs_ex_destroy_wq cmd = { 0 };
	struct ib_uverbs_destroy_qp_resp qp_end;
	struct ib_uverbs_destroy_cq_resp cq_end;
	struct ib_uverbs_async_event_desc e;
	struct qp_attr raw_attr = r.attr;
	struct qp raw = { 0 };
	uint32_t srq_events;
	struct srq srq;

	cr_assert_eq(create_srq(&r.b, &sa, &srq), 0);
	wq = new_wq(&r);
	raw_attr.type = IB_UVERBS_QPT_RAW_PACKET; /* has two numbers, and gets none of these */
	raw_attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	raw_attr.user_handle = 0xbad;
	if (has_cap(CAP_NET_RAW))
		cr_assert_eq(create_qp(&r.b, &raw_attr, &raw), 0);
	const uint32_t number[KINDS] = { r.qp.qpn, r.cq.cqn, srq.srqn, wq.wqn };

	cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	cr_assert_not(readable(fd));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		raise_event(&r, rows[i].type, number[rows[i].of]);
		if (rows[i].ib != UINT32_MAX) {
			e = next_event(fd);
			cr_expect_eq(e.element, handle[rows[i].of], "%zu", i);
			cr_expect_eq(e.event_type, rows[i].ib, "%zu: %u", i, e.event_type);
		}
		raise_event(&r, rows[i].type, 0x800000 ^ number[rows[i].of]);
		cr_expect_not(readable(fd), "%zu: of no object", i);
	}
	if (raw.handle)
		cr_assert_eq(destroy_qp(&r.b, raw.handle, &qp_end), 0);
	for (int i = 0; i < MANY; i++)
		raise_event(&r, PRM_EVENT_COMM_EST, r.qp.qpn);
	for (int i = 0; i < MANY; i++)
		cr_assert_eq(next_event(fd).event_type, IBV_EVENT_COMM_EST);
	cr_expect_not(readable(fd));
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &qp_end), 0);
	cr_expect_eq(qp_end.events_reported, 7 + MANY);
	cr_assert_eq(destroy_srq(&r.b, srq.handle, &srq_events), 0);
	cr_expect_eq(srq_events, 2);
	cmd.wq_handle = wq.wq_handle;
	cr_assert_eq(write_cmd(&r.b, EX(IB_USER_VERBS_EX_CMD_DESTROY_WQ), &cmd, sizeof(cmd),
			       &wq_end, sizeof(wq_end)),
		     0);
	cr_expect_eq(wq_end.events_reported, 1);
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &cq_end), 0);
	cr_expect_eq(cq_end.async_events_reported, 1);
}

/* One of three events was read; the other two vanish with the QP, those of the CQ stay. */
Test(SUITE, what_was_not_read_vanishes)
{
	struct ib_uverbs_destroy_qp_resp qr;
	struct ib_uverbs_destroy_cq_resp cr;

	raise_event(&r, PRM_EVENT_COMM_EST, r.qp.qpn);
	raise_event(&r, PRM_EVENT_CQ_ERROR, r.cq.cqn);
	raise_event(&r, PRM_EVENT_WQ_CATAS_ERROR, r.qp.qpn);
	raise_event(&r, PRM_EVENT_WQ_ACCESS_ERROR, r.qp.qpn);
	cr_assert_eq(next_event(fd).event_type, IBV_EVENT_COMM_EST);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &qr), 0);
	cr_assert_eq(qr.events_reported, 1);
	cr_assert_eq(next_event(fd).event_type, IBV_EVENT_CQ_ERR);
	cr_assert_not(readable(fd));
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &cr), 0);
	cr_assert_eq(cr.async_events_reported, 1);
}

/* A QP and a CQ may have the same user handle: the kind of event distinguishes them. */
Test(SUITE, equal_user_handles_are_not_mixed_up)
{
	struct ib_uverbs_destroy_qp_resp qr;
	struct qp_attr a;
	struct qp qp;

	a = r.attr;
	a.user_handle = 0xc0ffee;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	raise_event(&r, PRM_EVENT_CQ_ERROR, r.cq.cqn);
	raise_event(&r, PRM_EVENT_WQ_CATAS_ERROR, qp.qpn);
	cr_assert_eq(destroy_qp(&r.b, qp.handle, &qr), 0);
	cr_assert_eq(qr.events_reported, 0);
	cr_assert_eq(next_event(fd).event_type, IBV_EVENT_CQ_ERR);
	cr_assert_not(readable(fd));
}

/* An event of the port or of the device: each context has one record. */
static void expect_both(int one, int two, uint64_t element, uint32_t type)
{
	const int fds[] = { one, two };

	for (int i = 0; i < 2; i++) {
		struct ib_uverbs_async_event_desc e = next_event(fds[i]);

		cr_expect_eq(e.element, element);
		cr_expect_eq(e.event_type, type);
		cr_expect_not(readable(fds[i]));
	}
}

/* A program that opens the device and waits for events, as ibv_asyncwatch does, gets those of
 * its objects and of the port, and of no other program's QPs: the kernel hands an event to the
 * file that made the object (ib_uverbs: uverbs_main.c, ib_uverbs_qp_event_handler). So does an
 * adapter's. */
Test(SUITE, another_context_gets_events_of_the_device_only)
{
	struct bench watcher;
	struct call port = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	struct mlx5_ib_alloc_ucontext_resp resp;
	int watched;

	watcher = r.b;
	watcher.f = uverbs_open(r.b.u);
	cr_assert_eq(get_context(&watcher, &usual_context, &resp), 0);
	watched = alloc_async_fd(&watcher);
	raise_event(&r, PRM_EVENT_WQ_CATAS_ERROR, r.qp.qpn);
	raise_event(&r, PRM_EVENT_CQ_ERROR, r.cq.cqn);
	cr_assert_not(readable(watched));
	cr_assert_eq(next_event(fd).event_type, IBV_EVENT_QP_FATAL);
	cr_assert_eq(next_event(fd).event_type, IBV_EVENT_CQ_ERR);
	for (int i = 0; i < 2; i++) {
		r.b.hca.port.down = !i;
		event_port(&r.b.hca);
		expect_both(fd, watched, 1, i ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
	}
	uverbs_fail(r.b.u);
	uverbs_fail(r.b.u);
	expect_both(fd, watched, 0, IBV_EVENT_DEVICE_FATAL);
	cr_assert_eq(call_once(&watcher, &port), -EIO);
	uverbs_release(watcher.f);
	close(watched);
}

Test(SUITE_NO_FD, without_an_fd_nothing_is_reported)
{
	struct ib_uverbs_destroy_qp_resp qr;

	raise_event(&r, PRM_EVENT_WQ_CATAS_ERROR, r.qp.qpn);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &qr), 0);
	cr_assert_eq(qr.events_reported, 0);
}

static int create_cq_on(struct rig *r, int64_t fd, struct cq *cq)
{
	struct cq_attr a = cq_attr(&r->uar);

	a.async = fd;
	a.user_handle = 0xbeef;
	return create_cq(&r->b, &a, cq);
}

/* The fd of an object may be any number that leads to the same pipe. */
Test(SUITE, an_object_may_choose_its_fd)
{
	struct cq cq;
	int second, copy, stranger[2];

	second = alloc_async_fd(&r.b);
	copy = dup(second);
	cr_assert_eq(create_cq_on(&r, copy, &cq), 0);
	raise_event(&r, PRM_EVENT_CQ_ERROR, cq.cqn);
	cr_assert_not(readable(fd));
	cr_assert_eq(next_event(second).element, 0xbeef);
	cr_assert_eq(pipe(stranger), 0);
	cr_assert_eq(create_cq_on(&r, stranger[0], &cq), -EBADF);
	cr_assert_eq(create_cq_on(&r, -1, &cq), -EBADF);
	cr_assert_eq(create_cq_on(&r, 1ll << 40, &cq), -EBADF);
}
