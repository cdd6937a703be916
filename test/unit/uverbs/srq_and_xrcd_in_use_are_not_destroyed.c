/* SPDX-License-Identifier: BSD-2-Clause */
/* srq, xrcd: creation, limits, events, inodes, and who keeps whom. */
#include <fcntl.h>

#include "event/event.h"
#include "shared.h"

#define SUITE	      srq_and_xrcd_in_use_are_not_destroyed
#define SUITE_CONTEXT srq_and_xrcd_in_use_are_not_destroyed_with_context
#define SUITE_ALONE   srq_and_xrcd_in_use_are_not_destroyed_alone

QP_SUITE(SUITE);
CONTEXT_SUITE(SUITE_CONTEXT);

static int modify_srq(struct bench *b, uint32_t srq, uint32_t mask, uint32_t limit)
{
	struct ib_uverbs_modify_srq cmd = {
		.srq_handle = srq, .attr_mask = mask, .max_wr = 10, .srq_limit = limit
	};

	return write_cmd(b, IB_USER_VERBS_CMD_MODIFY_SRQ, &cmd, sizeof(cmd), NULL, 0);
}

static struct ib_uverbs_query_srq_resp query_srq(struct bench *b, uint32_t srq)
{
	struct ib_uverbs_query_srq cmd = { .srq_handle = srq };
	struct ib_uverbs_query_srq_resp resp;

	memset(&resp, 0xaa, sizeof(resp));
	cr_assert_eq(write_cmd(b, IB_USER_VERBS_CMD_QUERY_SRQ, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     0);
	return resp;
}

Test(SUITE, a_basic_srq_is_sized_and_limited)
{
	struct ib_uverbs_query_srq_resp q;
	const struct hca_srq *fw;
	struct srq_attr a;
	struct srq srq;

	a = srq_attr(r.pd);
	a.max_wr = 40;
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	cr_assert_eq(srq.max_wr, 63, "up to the next power of two, less one");
	cr_assert_eq(srq.max_sge, 3);
	fw = hca_srq_find(&r.b.hca, srq.srqn);
	cr_assert_eq(fw->wq.cnt, 64);
	cr_assert_eq(fw->wq.log_stride, 6);
	cr_assert(!fw->xrc);
	cr_assert_eq(modify_srq(&r.b, srq.handle, IBV_SRQ_LIMIT, 20), 0);
	q = query_srq(&r.b, srq.handle);
	cr_assert_eq(q.max_wr, 63);
	cr_assert_eq(q.max_sge, 3);
	cr_assert_eq(q.srq_limit, 20);
	cr_assert_eq(fw->lwm, 20);
	cr_assert_eq(modify_srq(&r.b, srq.handle, IBV_SRQ_LIMIT, 64), -EINVAL);
	cr_assert_eq(modify_srq(&r.b, srq.handle, IBV_SRQ_MAX_WR, 0), -EINVAL);
	cr_assert_eq(modify_srq(&r.b, srq.handle, 0, 0), 0);
	cr_assert_eq(modify_srq(&r.b, r.pd, IBV_SRQ_LIMIT, 1), -EINVAL);
	cr_assert_eq(fw->lwm, 20);
}

Test(SUITE, creation_is_checked)
{
	struct srq_attr a;
	struct srq srq;

	a = srq_attr(r.pd);
	a.max_sge = 33;
	cr_assert_eq(create_srq(&r.b, &a, &srq), -EINVAL);
	a.max_sge = 32; /* passes the kernel, and is too wide for the device */
	a.uhw.buf_addr = (uintptr_t)pages(16);
	cr_assert_eq(create_srq(&r.b, &a, &srq), -EINVAL);
	WITH(a, srq_attr(r.pd), a.uhw.buf_addr = 16, create_srq(&r.b, &a, &srq), -EFAULT);
	WITH(a, srq_attr(r.pd), a.uhw.reserved1 = 1, create_srq(&r.b, &a, &srq), -EINVAL);
	WITH(a, srq_attr(r.pd), a.uhw.flags = 1, create_srq(&r.b, &a, &srq), -EOPNOTSUPP,
	     "signatures");
	a = srq_attr(r.pd);
	a.type = IB_UVERBS_SRQT_TM;
	cr_assert_eq(create_srq(&r.b, &a, &srq), -EOPNOTSUPP);
	a.type = 3;
	cr_assert_eq(create_srq(&r.b, &a, &srq), -EINVAL);
	a.type = IB_UVERBS_SRQT_XRC;
	cr_assert_eq(create_srq(&r.b, &a, &srq), -ENOENT, "without a domain");
	cr_assert_eq(r.b.hca.srqs.used, 0);
}

Test(SUITE, an_xrc_srq_belongs_to_its_domain)
{
	struct srq_attr a;
	uint32_t xrcd, events;
	struct srq srq;
	const struct hca_srq *fw;

	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	a = srq_attr(r.pd);
	a.type = IB_UVERBS_SRQT_XRC;
	a.xrcd = xrcd;
	a.cq = r.cq.handle;
	a.uhw.uidx = 0xffffff;
	cr_assert_eq(create_srq(&r.b, &a, &srq), -EINVAL, "no user index");
	a.uhw.uidx = 9;
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	fw = hca_srq_find(&r.b.hca, srq.srqn);
	cr_assert(fw->xrc);
	cr_assert_eq(fw->uid, 0);
	cr_assert_eq(fw->user_index, 9);
	cr_assert_eq(fw->dbrec, a.uhw.db_addr);
	cr_assert_eq(modify_srq(&r.b, srq.handle, IBV_SRQ_LIMIT, 5), 0);
	cr_assert_eq(query_srq(&r.b, srq.handle).srq_limit, 5);
	cr_assert_eq(close_xrcd(&r.b, xrcd), -EBUSY);
	cr_assert_eq(destroy_srq(&r.b, srq.handle, &events), 0);
	cr_assert_eq(close_xrcd(&r.b, xrcd), 0);
	cr_assert_eq(r.b.hca.xrcds.used, 0);
}

Test(SUITE_CONTEXT, a_file_names_a_domain)
{
	char name[] = "/tmp/dvkit-xrcd-XXXXXX";
	uint32_t one, two, three;
	int fd = mkstemp(name), again;

	cr_assert_geq(fd, 0);
	again = open(name, O_RDONLY);
	unlink(name);
	cr_assert_eq(open_xrcd(&b, fd, 0, &one), -EAGAIN, "it was not created");
	cr_assert_eq(open_xrcd(&b, 1000, O_CREAT, &one), -EBADF);
	cr_assert_eq(open_xrcd(&b, fd, O_CREAT, &one), 0);
	cr_assert_eq(open_xrcd(&b, again, O_CREAT | O_EXCL, &two), -EINVAL);
	cr_assert_eq(open_xrcd(&b, again, 0, &two), 0);
	cr_assert_eq(b.hca.xrcds.used, 1);
	cr_assert_eq(open_xrcd(&b, -1, O_CREAT, &three), 0);
	cr_assert_eq(b.hca.xrcds.used, 2, "a private one");
	close(fd);
	close(again);
	cr_assert_eq(close_xrcd(&b, one), 0);
	cr_assert_eq(b.hca.xrcds.used, 2);
	cr_assert_eq(close_xrcd(&b, two), 0);
	cr_assert_eq(b.hca.xrcds.used, 1);
	strcpy(strrchr(name, '-'), "-XXXXXX");
	fd = mkstemp(name);
	strcpy(strrchr(name, '-'), "-XXXXXX");
	again = mkstemp(name);
	cr_assert_eq(open_xrcd(&b, fd, O_CREAT, &one), 0);
	cr_assert_eq(open_xrcd(&b, again, O_CREAT, &two), 0);
	cr_expect_eq(b.hca.xrcds.used, 3, "another file of the same device");
}

/* One event that was read, one that was not: the second goes away with the SRQ. */
Test(SUITE_ALONE, limit_events_are_counted)
{
	struct ib_uverbs_async_event_desc desc;
	struct srq_attr a;
	uint32_t events;
	struct srq srq;
	struct rig r;
	int fd;

	bench_context(&r.b);
	fd = alloc_async_fd(&r.b);
	rig_queues(&r);
	a = srq_attr(r.pd);
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	hca_lock(&r.b.hca);
	event_async(&r.b.hca, PRM_EVENT_SRQ_RQ_LIMIT, srq.srqn, 0);
	event_async(&r.b.hca, PRM_EVENT_SRQ_CATAS_ERROR, srq.srqn, 0);
	hca_unlock(&r.b.hca);
	cr_assert_eq(read(fd, &desc, sizeof(desc)), sizeof(desc));
	cr_assert_eq(desc.element, a.user_handle);
	cr_assert_eq(desc.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	cr_assert_eq(destroy_srq(&r.b, srq.handle, &events), 0);
	cr_assert_eq(events, 1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	cr_assert_lt(read(fd, &desc, sizeof(desc)), 0);
	close(fd);
	rig_down(&r);
}

Test(SUITE, a_qp_keeps_its_srq)
{
	struct ib_uverbs_destroy_qp_resp resp;
	struct typed_attr t;
	struct srq_attr a;
	uint32_t events;
	struct srq srq;
	struct qp qp;

	a = srq_attr(r.pd);
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	t = typed_attr(&r, IB_UVERBS_QPT_UD);
	t.srq = srq.handle;
	t.uhw.rq_wqe_count = t.uhw.rq_wqe_shift = 0;
	cr_assert_eq(create_typed(&r.b, &t, &qp), 0);
	cr_assert_eq(qp.cap.max_recv_wr + qp.cap.max_recv_sge, 0, "it has no receive queue");
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->srq, hca_srq_find(&r.b.hca, srq.srqn));
	cr_assert_eq(destroy_srq(&r.b, srq.handle, &events), -EBUSY);
	cr_assert_eq(destroy_qp(&r.b, qp.handle, &resp), 0);
	cr_assert_eq(destroy_srq(&r.b, srq.handle, &events), 0);
}

/* Closing the file ends what was left, whatever depends on what. */
Test(SUITE, close_ends_everything)
{
	struct typed_attr t;
	struct srq_attr a;
	struct srq srq;
	uint32_t xrcd;
	struct qp qp;

	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	a = srq_attr(r.pd);
	a.type = IB_UVERBS_SRQT_XRC;
	a.xrcd = xrcd;
	a.cq = r.cq.handle;
	cr_assert_eq(create_srq(&r.b, &a, &srq), 0);
	t = target_attr(&r, xrcd);
	cr_assert_eq(create_typed(&r.b, &t, &qp), 0);
}
