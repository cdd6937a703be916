/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX queries whose answers are read later, one record at a time. */
#include <fcntl.h>

#include "devx.h"

#define SUITE devx_async_answers_are_read_from_a_descriptor

struct query {
	int fd;
	uint32_t handle;
	uint64_t wr_id, out_len;
};

static int query_async(struct bench *b, const struct query *q, const struct box *x)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY);

	call_object(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, q->handle);
	call_in(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, x->in, x->in_len);
	call_object(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD, q->fd);
	call_u64(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, q->wr_id);
	call_u64(&c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, q->out_len);
	return call_run(b, &c);
}

struct answer {
	uint64_t wr_id;
	uint8_t out[OUT_MAX];
};

static struct devx_cq cq;
static struct query q; /* of the context of cq */
static struct box x;   /* its command */

static void query_open(void)
{
	context_open();
	devx_cq_up(&b, &cq);
	q = (struct query){ .fd = alloc_cmd_fd(&b),
			    .handle = cq.handle,
			    .wr_id = 0x1122334455667788,
			    .out_len = PRM_SZ(query_cq_out) };
	box(&x, PRM_OP_QUERY_CQ, PRM_SZ(query_cq_in), PRM_SZ(query_cq_out));
	PRM_SET(query_cq_in, x.in, cqn, cq.cqn);
}

TestSuite(SUITE, .init = query_open, .fini = device_close);

Test(SUITE, each_answer_is_one_read)
{
	struct answer a;

	cr_assert_not(readable(q.fd));
	cr_assert_eq(query_async(&b, &q, &x), 0);
	q.wr_id++;
	cr_assert_eq(query_async(&b, &q, &x), 0);
	cr_assert(readable(q.fd));
	for (uint64_t i = 0; i < 2; i++) {
		cr_assert_eq(read(q.fd, &a, sizeof(a)), 8 + PRM_SZ(query_cq_out));
		cr_assert_eq(a.wr_id, 0x1122334455667788 + i);
		cr_assert_eq(a.out[0], FW_OK);
		cr_assert_eq(
			PRM_GET(cqc, PRM_ADDR(query_cq_out, a.out, cq_context), log_cq_size),
			6);
	}
	cr_assert_not(readable(q.fd));
	cr_assert_eq(fcntl(q.fd, F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(read(q.fd, &a, sizeof(a)), -1);
	cr_assert_eq(errno, EAGAIN);
}

Test(SUITE, a_refusal_of_firmware_is_an_answer)
{
	struct answer a;

	q.out_len = 16;
	cr_assert_eq(query_async(&b, &q, &x), 0);
	cr_assert_eq(read(q.fd, &a, sizeof(a)), 8 + 16);
	cr_assert_eq(a.out[0], FW_BAD_OUTP_LEN);
}

Test(SUITE, what_is_refused_at_once)
{
	struct query wrong;
	struct box y;

	wrong = q;
	wrong.fd = alloc_event_fd(&b, 0);
	cr_assert_eq(query_async(&b, &wrong, &x), -EBADF, "a descriptor for events");
	wrong.fd = 0;
	cr_assert_eq(query_async(&b, &wrong, &x), -EBADF);
	WITH(wrong, q, wrong.handle = cq.mem.handle, query_async(&b, &wrong, &x), -EINVAL);
	WITH(wrong, q, wrong.out_len = 0x10000, query_async(&b, &wrong, &x), -EINVAL);
	box(&y, PRM_OP_MODIFY_CQ, PRM_SZ(modify_cq_in), PRM_SZ(modify_cq_out));
	PRM_SET(modify_cq_in, y.in, cqn, cq.cqn);
	cr_assert_eq(query_async(&b, &q, &y), -EINVAL, "not a query");
	PRM_SET(query_cq_in, x.in, cqn, cq.cqn + 1);
	cr_assert_eq(query_async(&b, &q, &x), -EINVAL);
	cr_assert_not(readable(q.fd));
}

Test(SUITE, a_full_queue_is_eagain)
{
	struct answer a;
	uint32_t n = 0;

	q.out_len = 60000;
	while (n < 1000 && !query_async(&b, &q, &x))
		n++;
	cr_assert_gt(n, 0);
	cr_assert_lt(n, 1000);
	cr_assert_eq(query_async(&b, &q, &x), -EAGAIN);
	cr_assert_gt(read(q.fd, &a, sizeof(a)), 0);
	cr_assert_eq(query_async(&b, &q, &x), 0);
}

Test(SUITE, a_closed_descriptor_goes_away)
{
	int twin = dup(q.fd);
	close(q.fd);
	q.fd = twin;
	cr_assert_eq(query_async(&b, &q, &x), 0, "known by any number");
	close(twin);
	cr_assert_eq(query_async(&b, &q, &x), -EBADF);
	alloc_cmd_fd(&b);
}

Test(SUITE, a_short_buffer_is_refused)
{
	cr_assert_eq(query_async(&b, &q, &x), 0);
	cr_assert_eq(uverbs_read_check(q.fd, 8), -ENOSPC);
	cr_assert_eq(uverbs_read_check(q.fd, 8 + PRM_SZ(query_cq_out)), 0);
}
