/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unmaps memory of a queue before the queue is destroyed, then lets the device use it.
 *
 *	queues WHAT HOW		WHAT: cq | cq-record | sq | rq | record
 *				HOW:  raw: by a system call that the emulator does not see;
 *				      munmap, mmap, free: by libc
 *
 *	WRITE posted | memory unmapped | register rung | what does the device do?
 *
 * raw: the pages are unmapped. An error event, and the QP is in ERR where it used them. By
 * libc: the device has them still, as pinning promises, and the message arrives.
 */
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "lib/raw_call.h"

enum {
	SIZE = 64,
	PAGE = 4096,
	SECONDS = 20,
	LARGE = 8000, /* CQEs: of their size the heap has separate mappings */
};

static char from[SIZE];
static volatile char to[SIZE];

struct bench {
	struct device dev;
	struct pair pair;
	struct ibv_mr *from, *to;
	struct dv_sq sq;
	struct dv_cq cq;
};

struct range {
	uintptr_t start, end;
};

static struct range pages(const void *at, size_t len)
{
	uintptr_t start = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

	return (struct range){ start,
			       ((uintptr_t)at + len + PAGE - 1) & ~(uintptr_t)(PAGE - 1) };
}

static struct range memory_of(const struct bench *b, const char *what)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	struct mlx5dv_obj obj = { .qp = { b->pair.a, &qp }, .cq = { b->pair.a_cq, &cq } };

	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ));
	if (!strcmp(what, "cq"))
		return pages(cq.buf, (size_t)cq.cqe_cnt * cq.cqe_size);
	if (!strcmp(what, "cq-record"))
		return pages(cq.dbrec, 8);
	if (!strcmp(what, "sq"))
		return pages(qp.sq.buf, (size_t)qp.sq.wqe_cnt * qp.sq.stride);
	if (!strcmp(what, "rq"))
		return pages(qp.rq.buf, (size_t)qp.rq.wqe_cnt * qp.rq.stride);
	if (!strcmp(what, "record"))
		return pages(qp.dbrec, 8);
	errx(2, "usage: queues WHAT HOW");
}

/* A WRITE to oneself, in the ring and in the record; the 8 bytes for the register. */
static uint64_t post(struct bench *b)
{
	struct ibv_sge sge = { (uintptr_t)from, SIZE, b->from->lkey };
	uint64_t word;

	ok(dv_sq_write(&b->sq, MLX5_WQE_CTRL_CQ_UPDATE,
		       (struct dv_raddr){ (uintptr_t)to, b->to->rkey }, &sge, 1));
	dv_sq_record(&b->sq);
	memcpy(&word, b->sq.last, sizeof(word));
	return word;
}

static void unmap(const char *how, struct range m)
{
	if (!strcmp(how, "raw"))
		raw_call(SYS_munmap, (long)m.start, (long)(m.end - m.start), 0, 0, 0, 0);
	else if (!strcmp(how, "munmap"))
		ok(munmap((void *)m.start, m.end - m.start));
	else if (!strcmp(how, "free"))
		free((void *)m.start); /* it is a block of libmlx5's, and begins there */
	else if (mmap((void *)m.start, m.end - m.start, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		err(1, "mmap");
}

/* The receive ring matters for a message that needs a receive. */
static void post_receive_and_send(struct bench *b, const char *how, struct range gone)
{
	struct ibv_sge sge = { (uintptr_t)to, SIZE, b->to->lkey };
	struct ibv_sge out = { (uintptr_t)from, SIZE, b->from->lkey };
	struct ibv_recv_wr recv = { .sg_list = &sge, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = { .sg_list = &out, .num_sge = 1, .opcode = IBV_WR_SEND },
			   *bad;

	ok(ibv_post_recv(b->pair.a, &recv, &bad_recv));
	unmap(how, gone);
	ok(ibv_post_send(b->pair.b, &send, &bad));
}

static bool is_expected(const char *what, const struct ibv_async_event *ev)
{
	if (!strncmp(what, "cq", 2))
		return ev->event_type == IBV_EVENT_CQ_ERR;
	return ev->event_type == IBV_EVENT_QP_FATAL;
}

static void wait_for_event(struct bench *b, const char *what)
{
	struct pollfd fd = { .fd = b->dev.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event ev;

	do {
		if (poll(&fd, 1, SECONDS * 1000) != 1)
			errx(1, "no event for %s", what);
		ok(ibv_get_async_event(b->dev.ctx, &ev));
		ibv_ack_async_event(&ev);
	} while (!is_expected(what, &ev));
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	ok(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

/* Lets the device use what was unmapped. */
static void use(struct bench *b, const char *what, const char *how)
{
	struct range m = memory_of(b, what);
	uint64_t word;

	if (!strcmp(what, "rq")) {
		post_receive_and_send(b, how, m);
	} else if (!strcmp(what, "cq-record")) {
		/* The QP's record may be on the same page, and nothing of it is touched. */
		unmap(how, m);
		*(volatile uint64_t *)b->cq.arm_reg = htobe64(b->cq.cqn);
	} else {
		word = post(b);
		unmap(how, m);
		*(volatile uint64_t *)b->sq.bf_reg = word;
	}
}

static void wait_for_state(struct bench *b, enum ibv_qp_state state)
{
	for (int i = 0; state_of(b->pair.a) != state; i++) {
		if (i == SECONDS * 100)
			errx(1, "the QP is in state %d", state_of(b->pair.a));
		usleep(10000);
	}
}

static void wait_for_data(void)
{
	for (int i = 0; to[SIZE - 1] != 'x'; i++) {
		if (i == SECONDS * 100)
			errx(1, "no data");
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .dev = device_open((struct options){ .port = 1, .gid_index = -1 }) };
	int both = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	if (argc != 3)
		errx(2, "usage: queues WHAT HOW");
	memset(from, 'x', SIZE);
	b.from = made(ibv_reg_mr(b.dev.pd, from, SIZE, IBV_ACCESS_LOCAL_WRITE));
	b.to = made(ibv_reg_mr(b.dev.pd, (void *)to, SIZE, both));
	b.pair = pair_create(&b.dev);
	if (!strcmp(argv[2], "free"))
		ok(ibv_resize_cq(b.pair.a_cq, LARGE));
	ok(dv_sq_map(&b.sq, b.pair.a));
	ok(dv_cq_map(&b.cq, b.pair.a_cq));
	use(&b, argv[1], argv[2]);
	if (!strcmp(argv[2], "raw")) {
		wait_for_event(&b, argv[1]);
		if (strcmp(argv[1], "cq-record") != 0)
			wait_for_state(&b, IBV_QPS_ERR);
	} else {
		wait_for_data();
		wait_for_state(&b, IBV_QPS_RTS);
	}
	puts("as expected");
	/* libmlx5 would write to the memory that is unmapped. */
	fflush(stdout);
	return 0;
}
