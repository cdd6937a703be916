/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX events: who gets which, and how. */
#include <fcntl.h>
#include <sys/eventfd.h>

#include "devx.h"
#include "event/event.h"
#include "uverbs/devx.h"
#include "uverbs/driver.h"

#define SUITE devx_events_reach_their_subscribers

CONTEXT_SUITE(SUITE);
#define OMIT MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA

struct subscribe {
	int fd;
	const uint32_t *handle; /* NULL: no object */
	const int *eventfd;
	const uint64_t *cookie;
	uint16_t events[20];
	uint16_t bytes;
};

struct event {
	uint64_t cookie;
	uint8_t eqe[64];
};

static int subscribe(struct bench *b, const struct subscribe *s)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT);

	call_object(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, s->fd);
	if (s->handle)
		call_object(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, *s->handle);
	call_in(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, s->events, s->bytes);
	if (s->eventfd)
		call_u32(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, *s->eventfd);
	if (s->cookie)
		call_u64(&c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, *s->cookie);
	return call_run(b, &c);
}

static const uint64_t cookie = 0xfeedface12345678;

static struct subscribe to_cq(const struct devx_cq *q, int fd)
{
	return (struct subscribe){ .fd = fd,
				   .handle = &q->handle,
				   .cookie = &cookie,
				   .events = { PRM_EVENT_COMP, PRM_EVENT_CQ_ERROR },
				   .bytes = 4 };
}

static void complete(struct bench *b, uint32_t cqn)
{
	hca_lock(&b->hca);
	event_comp(&b->hca, hca_cq_find(&b->hca, cqn));
	hca_unlock(&b->hca);
}

static void fail(struct bench *b, uint32_t cqn)
{
	hca_lock(&b->hca);
	event_async(&b->hca, PRM_EVENT_CQ_ERROR, cqn, EVENT_CQ_OVERRUN);
	hca_unlock(&b->hca);
}

Test(SUITE, a_record_is_cookie_and_eqe)
{
	struct subscribe s;
	struct devx_cq q;
	struct event e;
	int fd;

	devx_cq_up(&b, &q);
	fd = alloc_event_fd(&b, 0);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	cr_assert_not(readable(fd));
	complete(&b, q.cqn);
	fail(&b, q.cqn);
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e));
	cr_assert_eq(e.cookie, cookie);
	cr_assert_eq(e.eqe[1], PRM_EVENT_COMP);
	cr_assert_eq((uint32_t)e.eqe[57] << 16 | e.eqe[58] << 8 | e.eqe[59], q.cqn);
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e));
	cr_assert_eq(e.eqe[1], PRM_EVENT_CQ_ERROR);
	cr_assert_eq(e.eqe[43], EVENT_CQ_OVERRUN);
	cr_assert_not(readable(fd));
}

Test(SUITE, without_data_a_cookie_waits_once)
{
	struct subscribe s;
	struct devx_cq q;
	uint64_t got[8];
	int fd;

	devx_cq_up(&b, &q);
	fd = alloc_event_fd(&b, OMIT);
	s = to_cq(&q, fd);
	s.bytes = 2;
	cr_assert_eq(subscribe(&b, &s), 0);
	for (int i = 0; i < 5; i++) {
		complete(&b, q.cqn);
		complete(&b, q.cqn);
		cr_assert(uverbs_unread(&b.hca, hca_cq_find(&b.hca, q.cqn)));
		cr_assert_eq(read(fd, got, sizeof(got)), 8);
		cr_assert_not(uverbs_unread(&b.hca, hca_cq_find(&b.hca, q.cqn)));
		cr_assert_eq(got[0], cookie);
		cr_assert_not(readable(fd));
	}
}

Test(SUITE, each_subscription_has_its_own_cookie)
{
	const uint64_t second = 2;
	struct subscribe s;
	struct devx_cq q, other;
	uint64_t got;
	int fd;

	devx_cq_up(&b, &q);
	devx_cq_up(&b, &other);
	fd = alloc_event_fd(&b, OMIT);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	s = to_cq(&other, fd);
	s.cookie = &second;
	cr_assert_eq(subscribe(&b, &s), 0);
	complete(&b, q.cqn);
	complete(&b, other.cqn);
	complete(&b, q.cqn);
	cr_assert_eq(read(fd, &got, 8), 8);
	cr_assert_eq(got, cookie);
	complete(&b, other.cqn);
	complete(&b, q.cqn);
	cr_assert_eq(read(fd, &got, 8), 8);
	cr_assert_eq(got, second);
	cr_assert_eq(read(fd, &got, 8), 8);
	cr_assert_eq(got, cookie);
	cr_assert_not(readable(fd));
}

Test(SUITE, an_eventfd_counts)
{
	struct subscribe s;
	struct devx_cq q;
	uint64_t n;
	int fd, efd = eventfd(0, EFD_NONBLOCK), own;

	devx_cq_up(&b, &q);
	fd = alloc_event_fd(&b, 0);
	s = to_cq(&q, fd);
	s.cookie = NULL;
	s.eventfd = &efd;
	own = dup(efd);
	cr_assert_eq(subscribe(&b, &s), 0);
	close(efd);
	complete(&b, q.cqn);
	complete(&b, q.cqn);
	fail(&b, q.cqn);
	cr_assert(uverbs_unread(&b.hca, hca_cq_find(&b.hca, q.cqn)));
	cr_assert_eq(read(own, &n, 8), 8);
	cr_assert_not(uverbs_unread(&b.hca, hca_cq_find(&b.hca, q.cqn)));
	cr_assert_eq(n, 3);
	cr_assert_not(readable(fd));
}

Test(SUITE, what_is_refused)
{
	const int none = -1, not_one = 0, closed = 900;
	struct subscribe s, good;
	struct devx_cq q;
	int efd = eventfd(0, 0);

	devx_cq_up(&b, &q);
	good = to_cq(&q, alloc_event_fd(&b, 0));
	s = good;
	s.eventfd = &efd;
	cr_assert_eq(subscribe(&b, &s), -EINVAL, "cookie or eventfd");
	s.cookie = NULL;
	s.eventfd = &none;
	cr_assert_eq(subscribe(&b, &s), -EBADF);
	s.eventfd = &closed;
	cr_assert_eq(subscribe(&b, &s), -EBADF);
	s.eventfd = &not_one;
	cr_assert_eq(subscribe(&b, &s), -EINVAL, "no eventfd");
	WITH(s, good, s.fd = alloc_cmd_fd(&b), subscribe(&b, &s), -EBADF);
	s = good;
	s.bytes = 3;
	cr_assert_eq(subscribe(&b, &s), -EINVAL);
	s.bytes = 34;
	cr_assert_eq(subscribe(&b, &s), -EINVAL, "more than 16");
	s = good;
	s.events[1] = 9;
	cr_assert_eq(subscribe(&b, &s), -EINVAL, "a port change is about no object");
	s.events[1] = 300;
	cr_assert_eq(subscribe(&b, &s), -EINVAL);
	s = good;
	s.handle = NULL;
	cr_assert_eq(subscribe(&b, &s), -EINVAL, "a completion is about one");
	s.events[0] = 9;
	s.bytes = 2;
	cr_assert_eq(subscribe(&b, &s), 0);
	complete(&b, q.cqn);
	cr_assert_not(readable(good.fd), "nothing of what was refused");
}

/* Masks of an adapter with event_cap say which events are about an object, and which are
 * not: the first and the last of each word (devx.c, is_valid_events). */
Test(SUITE, masks_of_the_adapter_permit)
{
	static const uint16_t events[] = { 1, 63, 64, 127, 128, 191, 192, 255 };
	uint8_t *masks = b.u->caps[PRM_CAP_DEV_EVENT];
	struct subscribe to, none;
	struct devx_cq q;

	devx_cq_up(&b, &q);
	to = to_cq(&q, alloc_event_fd(&b, 0));
	to.bytes = 2;
	none = to;
	none.handle = NULL;
	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], event_cap, 1);
	for (size_t i = 0; i < 2 * sizeof(events) / sizeof(events[0]); i++) {
		uint16_t e = events[i / 2];
		bool about_none = i & 1;

		memset(masks, 0, PRM_SZ(device_event_cap));
		masks[32 * about_none + e / 64 * 8 + 7 - e % 64 / 8] = 1 << e % 8;
		to.events[0] = none.events[0] = e;
		cr_expect_eq(subscribe(&b, &to), about_none ? -EINVAL : 0, "%u", e);
		cr_expect_eq(subscribe(&b, &none), about_none ? 0 : -EINVAL, "%u", e);
		to.events[0] = none.events[0] = e ^ 2;
		cr_expect_eq(subscribe(&b, &to), -EINVAL, "not %u", e);
		cr_expect_eq(subscribe(&b, &none), -EINVAL, "not %u", e);
	}
	memset(masks, 0xff, PRM_SZ(device_event_cap));
	to.events[0] = none.events[0] = 256;
	cr_expect_eq(subscribe(&b, &to), -EINVAL);
	cr_expect_eq(subscribe(&b, &none), -EINVAL);
}

Test(SUITE, subscriptions_end_with_their_object_and_their_descriptor)
{
	char was[LINE], is[LINE];
	struct subscribe s;
	struct devx_cq q;
	struct event e;
	int fd;

	devx_cq_up(&b, &q);
	fd = alloc_event_fd(&b, 0);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	fail(&b, q.cqn);
	cr_assert_eq(devx_destroy(&b, q.handle), 0);
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e), "a reported event stays");
	fail(&b, q.cqn);
	cr_assert_not(readable(fd));
	devx_cq_up(&b, &q);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	bench_state(&b, was);
	close(fd);
	fd = alloc_event_fd(&b, 0);
	bench_state(&b, is);
	cr_assert_str_eq(is, was, "one for the other: %s, before %s", is, was);
	close(fd);
	complete(&b, q.cqn);
}

/* Kind and number of the object in an EQE (devx.c, get_event_obj_type and
 * devx_get_obj_id_from_event; <linux/mlx5/device.h>): both have to be those of the CQ. */
Test(SUITE, an_event_is_about_one_object)
{
	static const struct {
		uint8_t event, kind_at, number_at;
		uint16_t kind;
	} rows[] = { { PRM_EVENT_COMP, 0, 57, 0 },
		     { PRM_EVENT_CQ_ERROR, 0, 33, 0 },
		     { PRM_EVENT_COMM_EST, 52, 57, 0 },
		     { PRM_EVENT_WQ_CATAS_ERROR, 52, 57, 0 },
		     { PRM_EVENT_OBJECT_CHANGE, 35, 37, PRM_OBJ_CQ } };
	struct devx_cq q;

	devx_cq_up(&b, &q);
	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], event_cap, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct subscribe s = to_cq(&q, alloc_event_fd(&b, 0));

		memset(b.u->caps[PRM_CAP_DEV_EVENT], 0xff, 32);
		s.events[0] = rows[i].event;
		s.bytes = 2;
		cr_assert_eq(subscribe(&b, &s), 0);
		for (int wrong = 0; wrong < 4; wrong++) {
			uint8_t eqe[64] = { [1] = rows[i].event };
			uint32_t number = q.cqn ^ (wrong == 2) ^ (wrong == 3) << 23;
			struct event e;

			if (rows[i].kind_at)
				eqe[rows[i].kind_at] = (uint8_t)rows[i].kind ^ (wrong == 1);
			eqe[34] |= rows[i].kind >> 8;
			for (int k = 0; k < 3; k++)
				eqe[rows[i].number_at + k] = (uint8_t)(number >> (16 - 8 * k));
			hca_lock(&b.hca);
			uverbs_devx_event(b.u, eqe);
			hca_unlock(&b.hca);
			cr_expect_eq(readable(s.fd), !wrong || (wrong == 1 && !rows[i].kind_at),
				     "row %zu, %d", i, wrong);
			if (readable(s.fd))
				cr_assert_eq(read(s.fd, &e, sizeof(e)), sizeof(e));
		}
	}
}

/* A CQ of verbs has a channel; DevX gets events for its CQs, whatever other object has
 * the same number. */
Test(SUITE, completions_are_reported_of_devx_cqs_only)
{
	struct subscribe s;
	struct cq_attr a;
	struct devx_cq q;
	struct cq cq;
	int fd;

	devx_cq_up(&b, &q);
	a = cq_attr(&q.uar);
	cr_assert_eq(create_cq(&b, &a, &cq), 0);
	fd = alloc_event_fd(&b, 0);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	complete(&b, cq.cqn);
	cr_assert_not(readable(fd));
}

Test(SUITE, vectors_have_event_queues_and_contexts_no_static_pages)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN);
	uint32_t out;

	cr_assert(core_ids_get(&b.hca.eqs, query_eqn(&b, 0)));
	call_u32(&c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 1000);
	call_out(&c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &out, 4);
	cr_assert_eq(call_run(&b, &c), -ENOENT);
	c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR);
	call_u32(&c, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX, 0);
	call_out(&c, MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, &out, 4);
	cr_assert_eq(call_run(&b, &c), -EINVAL);
}

Test(SUITE, a_short_buffer_is_refused_and_a_loss_is_reported_once)
{
	struct subscribe s;
	struct devx_cq q;
	struct event e;
	int fd;

	devx_cq_up(&b, &q);
	fd = alloc_event_fd(&b, 0);
	s = to_cq(&q, fd);
	cr_assert_eq(subscribe(&b, &s), 0);
	cr_assert_eq(uverbs_read_check(0, 1), 0, "not one of ours");
	cr_assert_eq(uverbs_read_check(-1, 1), 0);
	complete(&b, q.cqn);
	cr_assert_eq(uverbs_read_check(fd, sizeof(e) - 1), -EINVAL);
	cr_assert_eq(uverbs_read_check(fd, sizeof(e)), 0);
	for (int i = 0; i < 20000; i++)
		complete(&b, q.cqn);
	cr_assert_eq(uverbs_read_check(fd, sizeof(e)), -EOVERFLOW);
	cr_assert_eq(uverbs_read_check(fd, sizeof(e)), 0);
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e), "what came before is there");
	close(fd);
	cr_assert_eq(open("/dev/null", O_RDONLY), fd);
	cr_assert_eq(uverbs_read_check(fd, 0), 0, "the number is another file's");
}

/* The lengths of reads are checked of 255 descriptors at a time. */
Test(SUITE, reads_of_many_descriptors_are_not_checked)
{
	struct subscribe s;
	struct devx_cq q;
	int fd = -1;

	call_run = call_once;
	devx_cq_up(&b, &q);
	for (int n = 1; n <= 256; n++) {
		fd = alloc_event_fd(&b, 0);
		if (n < 255)
			continue;
		s = to_cq(&q, fd);
		cr_assert_eq(subscribe(&b, &s), 0);
		complete(&b, q.cqn);
		cr_expect_eq(uverbs_read_check(fd, 1), n == 255 ? -EINVAL : 0, "%d", n);
	}
}

/* An RQ of four WQEs of 32 bytes, its record after them. */
static uint32_t rmp_up(struct bench *b, uint32_t *rmpn)
{
	struct umem m = { .va = (uintptr_t)pages(2),
			  .len = 2 * PAGE,
			  .access = IBV_ACCESS_LOCAL_WRITE };
	uint8_t *rmpc, *wq;
	uint32_t pdn, handle;
	struct box x;

	devx_pd(b, &pdn);
	cr_assert_eq(umem_reg(b, &m), 0);
	box(&x, PRM_OP_CREATE_RMP, PRM_SZ(create_rmp_in), PRM_SZ(create_rmp_out));
	rmpc = PRM_ADDR(create_rmp_in, x.in, ctx);
	wq = PRM_ADDR(rmpc, rmpc, wq);
	PRM_SET(rmpc, rmpc, state, 1); /* ready */
	PRM_SET(wq, wq, pd, pdn);
	PRM_SET(wq, wq, log_wq_stride, 5);
	PRM_SET(wq, wq, log_wq_sz, 2);
	PRM_SET(wq, wq, wq_umem_id, m.id);
	PRM_SET(wq, wq, dbr_umem_id, m.id);
	PRM_SET(wq, wq, dbr_addr, PAGE);
	cr_assert_eq(devx_create(b, &x, &handle), 0, "syndrome %#x",
		     (uint32_t)PRM_GET(create_rmp_out, x.out, syndrome));
	*rmpn = PRM_GET(create_rmp_out, x.out, rmpn);
	return handle;
}

Test(SUITE, an_rmp_is_an_rq)
{
	uint32_t rmpn, rmp;
	struct subscribe s;
	struct event e;

	rmp = rmp_up(&b, &rmpn);
	s = (struct subscribe){ .fd = alloc_event_fd(&b, 0),
				.handle = &rmp,
				.cookie = &cookie,
				.events = { PRM_EVENT_SRQ_CATAS_ERROR },
				.bytes = 2 };
	cr_assert_eq(subscribe(&b, &s), 0);
	hca_lock(&b.hca);
	event_async(&b.hca, PRM_EVENT_SRQ_CATAS_ERROR, rmpn, 0);
	hca_unlock(&b.hca);
	cr_assert(readable(s.fd));
	cr_assert_eq(read(s.fd, &e, sizeof(e)), sizeof(e));
	cr_assert_eq(e.eqe[1], PRM_EVENT_SRQ_CATAS_ERROR);
	cr_assert_eq(e.eqe[32 + 20], 1, "MLX5_EVENT_QUEUE_TYPE_RQ");
}
