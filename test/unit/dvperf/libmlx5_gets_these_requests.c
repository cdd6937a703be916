/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests as ibv_post_send() and ibv_wr_* get them, by functions of the test in place of
 * libmlx5's: both APIs ask for the same, WQE by WQE. */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lane/lane.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

#define RADDR 0x900000000000 /* above what this process has */

static struct options o;
static struct lane *l;
static char got[2000];
static int fails_with;		    /* of the next post */
static unsigned int waiting, calls; /* CQEs, and calls of ibv_poll_cq() */
static enum ibv_wc_status status;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	size_t at = strlen(got);
	va_list ap;

	va_start(ap, format);
	vsnprintf(got + at, sizeof(got) - at, format, ap);
	va_end(ap);
}

static void say_data(bool is_inline, uint64_t addr, size_t length, uint32_t lkey)
{
	say(" %s%lx+%zu.%x\n", is_inline ? "inline " : "", addr - l->op.sge.addr, length,
	    is_inline ? 0 : lkey);
}

static void say_op(const char *name, unsigned int flags, uint64_t raddr, uint32_t rkey)
{
	say("%s%s to %lx.%x", name, flags & IBV_SEND_SIGNALED ? " signaled" : "", raddr - RADDR,
	    rkey);
}

/* ---- ibv_post_send ---- */

static void say_wr(const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		say_op("write", wr->send_flags, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		say_op("imm", wr->send_flags, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		say(" %x", be32toh(wr->imm_data));
		break;
	case IBV_WR_RDMA_READ:
		say_op("read", wr->send_flags, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		say_op("add", wr->send_flags, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
		say(" %lu", wr->wr.atomic.compare_add);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		say_op("swap", wr->send_flags, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
		say(" %lu %lu", wr->wr.atomic.compare_add, wr->wr.atomic.swap);
		break;
	default:
		say("send%s", wr->send_flags & IBV_SEND_SIGNALED ? " signaled" : "");
		break;
	}
	if (o.service == SERVICE_UD)
		say(" ud %d.%x.%x", wr->wr.ud.ah == l->op.ah, wr->wr.ud.remote_qpn,
		    wr->wr.ud.remote_qkey);
	if (o.service == SERVICE_XRC)
		say(" srq %x", wr->qp_type.xrc.remote_srqn);
	cr_assert_eq(wr->num_sge, 1);
	say_data(wr->send_flags & IBV_SEND_INLINE, wr->sg_list->addr, wr->sg_list->length,
		 wr->sg_list->lkey);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	unsigned int n = 0;

	cr_assert_eq(qp, l->verbs.qp);
	for (; wr; wr = wr->next, n++) {
		cr_assert_eq(wr->wr_id, n);
		say_wr(wr);
		if (fails_with && n == 1)
			*bad = wr;
	}
	return fails_with;
}

/* ---- ibv_wr_* ---- */

static struct mlx5dv_qp_ex dv_qpx;

static void wr_start(struct ibv_qp_ex *q)
{
	(void)q;
}

static int wr_complete(struct ibv_qp_ex *q)
{
	(void)q;
	return fails_with;
}

static void wr_write(struct ibv_qp_ex *q, uint32_t rkey, uint64_t raddr)
{
	say_op("write", q->wr_flags, raddr, rkey);
}

static void wr_write_imm(struct ibv_qp_ex *q, uint32_t rkey, uint64_t raddr, __be32 imm)
{
	say_op("imm", q->wr_flags, raddr, rkey);
	say(" %x", be32toh(imm));
}

static void wr_read(struct ibv_qp_ex *q, uint32_t rkey, uint64_t raddr)
{
	say_op("read", q->wr_flags, raddr, rkey);
}

static void wr_add(struct ibv_qp_ex *q, uint32_t rkey, uint64_t raddr, uint64_t add)
{
	say_op("add", q->wr_flags, raddr, rkey);
	say(" %lu", add);
}

static void wr_swap(struct ibv_qp_ex *q, uint32_t rkey, uint64_t raddr, uint64_t compare,
		    uint64_t swap)
{
	say_op("swap", q->wr_flags, raddr, rkey);
	say(" %lu %lu", compare, swap);
}

static void wr_send(struct ibv_qp_ex *q)
{
	say("send%s", q->wr_flags & IBV_SEND_SIGNALED ? " signaled" : "");
}

static void wr_ud(struct ibv_qp_ex *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	(void)q;
	say(" ud %d.%x.%x", ah == l->op.ah, qpn, qkey);
}

static void wr_srqn(struct ibv_qp_ex *q, uint32_t srqn)
{
	(void)q;
	say(" srq %x", srqn);
}

static void wr_dc(struct mlx5dv_qp_ex *q, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	(void)q;
	say(" dc %d.%x.%lx", ah == l->op.ah, dctn, key);
}

static void wr_sge(struct ibv_qp_ex *q, uint32_t lkey, uint64_t addr, uint32_t length)
{
	(void)q;
	say_data(false, addr, length, lkey);
}

static void wr_inline(struct ibv_qp_ex *q, void *addr, size_t length)
{
	(void)q;
	say_data(true, (uintptr_t)addr, length, 0);
}

static void wr_memcpy(struct mlx5dv_qp_ex *q, uint32_t to_key, uint64_t to, uint32_t from_key,
		      uint64_t from, size_t length)
{
	unsigned int flags = l->verbs.qpx->wr_flags;

	(void)q;
	say("copy%s %s%lx.%x from %s%lx.%x +%zu\n",
	    flags & IBV_SEND_SIGNALED ? " signaled" : "", to >= RADDR ? "" : "here ",
	    to - (to >= RADDR ? RADDR : l->op.sge.addr), to_key, from >= RADDR ? "" : "here ",
	    from - (from >= RADDR ? RADDR : l->op.sge.addr), from_key, length);
}

/* ---- ibv_poll_cq ---- */

static int poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	unsigned int n = waiting < (unsigned int)most ? waiting : (unsigned int)most;

	(void)cq;
	cr_assert_leq(most, MAX_CQE_POLL);
	for (unsigned int i = 0; i < n; i++)
		wc[i] = (struct ibv_wc){ .status = i == n - 1 ? status : IBV_WC_SUCCESS,
					 .vendor_err = 0x77 };
	waiting -= n;
	calls++;
	return (int)n;
}

/* ---- a lane ---- */

static void open_lane(const char *text)
{
	static struct ibv_context ctx = { .ops = { .post_send = post_send,
						   .poll_cq = poll_cq } };
	static struct ibv_qp qp = { .context = &ctx, .qp_num = 0x123 };
	static struct ibv_cq cq = { .context = &ctx };
	static struct ibv_ah ah;
	static struct ibv_qp_ex qpx = { .wr_start = wr_start,
					.wr_complete = wr_complete,
					.wr_rdma_write = wr_write,
					.wr_rdma_write_imm = wr_write_imm,
					.wr_rdma_read = wr_read,
					.wr_atomic_fetch_add = wr_add,
					.wr_atomic_cmp_swp = wr_swap,
					.wr_send = wr_send,
					.wr_set_ud_addr = wr_ud,
					.wr_set_xrc_srqn = wr_srqn,
					.wr_set_sge = wr_sge,
					.wr_set_inline_data = wr_inline };

	dv_qpx.wr_set_dc_addr = wr_dc;
	dv_qpx.wr_memcpy = wr_memcpy;
	o = given(text);
	l = aligned_alloc(64, sizeof(*l));
	lane_open_memory(l, &o);
	l->verbs.qp = &qp;
	l->verbs.qpx = &qpx;
	l->verbs.dv_qpx = &dv_qpx;
	l->cqs.send_ibcq = &cq;
	l->op.ah = &ah;
	if (o.service != SERVICE_UD && o.service != SERVICE_DC)
		l->op.ah = NULL;
	l->op.remote = (struct dv_raddr){ RADDR, 7 };
	l->op.remote_qpn = 0x99;
	l->op.remote_srqn = 0x55;
	l->op.sge.lkey = 5;
	got[0] = 0;
	fails_with = 0;
}

static void close_lane(void)
{
	l->verbs.qp = NULL;
	l->op.ah = NULL;
	lane_close(l);
	free(l);
}

enum { WR = 1, VERBS = 2, BOTH = 3 };

/* Three WQEs, of which the second is signaled. */
static const struct {
	int apis;
	const char *options, *requests;
} rows[] = {
	{ BOTH, "size=8",
	  "write to 0.7 0+8.5\nwrite signaled to 40.7 40+8.5\nwrite to 80.7 80+8.5\n" },
	{ BOTH, "size=8 inline_size=8",
	  "write to 0.7 inline 0+8.0\nwrite signaled to 40.7 inline 40+8.0\n"
	  "write to 80.7 inline 80+8.0\n" },
	/* one slot for all */
	{ BOTH, "size=65536 op=read",
	  "read to 0.7 0+65536.5\nread signaled to 0.7 0+65536.5\nread to 0.7 0+65536.5\n" },
	{ BOTH, "size=8 op=write_imm",
	  "imm to 0.7 33333333 0+8.5\nimm signaled to 40.7 33333333 40+8.5\n"
	  "imm to 80.7 33333333 80+8.5\n" },
	{ BOTH, "size=8 op=send inline_size=8",
	  "send inline 0+8.0\nsend signaled inline 40+8.0\nsend inline 80+8.0\n" },
	{ BOTH, "op=atomic",
	  "add to 0.7 1 0+8.5\nadd signaled to 40.7 1 40+8.5\nadd to 80.7 1 80+8.5\n" },
	{ BOTH, "atomic_type=CMP_AND_SWAP",
	  "swap to 0.7 0 1 0+8.5\nswap signaled to 40.7 0 1 40+8.5\nswap to 80.7 0 1 80+8.5\n" },
	{ BOTH, "size=8 op=send connection=UD",
	  "send ud 1.99.11111111 0+8.5\nsend signaled ud 1.99.11111111 40+8.5\n"
	  "send ud 1.99.11111111 80+8.5\n" },
	{ BOTH, "size=8 connection=XRC",
	  "write to 0.7 srq 55 0+8.5\nwrite signaled to 40.7 srq 55 40+8.5\n"
	  "write to 80.7 srq 55 80+8.5\n" },
	{ BOTH, "size=8 op=write_imm connection=XRC",
	  "imm to 0.7 33333333 srq 55 0+8.5\nimm signaled to 40.7 33333333 srq 55 40+8.5\n"
	  "imm to 80.7 33333333 srq 55 80+8.5\n" },
	{ WR, "size=8 connection=DC op=read",
	  "read to 0.7 dc 1.99.22222222 0+8.5\nread signaled to 40.7 dc 1.99.22222222 40+8.5\n"
	  "read to 80.7 dc 1.99.22222222 80+8.5\n" },
	/* slots of 128 bytes, of which there are two */
	{ BOTH, "size=100 remote=sequential remote-size=256",
	  "write to 0.7 0+100.5\nwrite signaled to 80.7 80+100.5\nwrite to 0.7 100+100.5\n" },
	{ BOTH, "size=8 op=write_imm remote=sequential connection=XRC",
	  "imm to 0.7 33333333 srq 55 0+8.5\nimm signaled to 40.7 33333333 srq 55 40+8.5\n"
	  "imm to 80.7 33333333 srq 55 80+8.5\n" },
	{ WR, "size=60 op=mmo",
	  "copy 0.7 from here 0.5 +60\ncopy signaled 40.7 from here 40.5 +60\n"
	  "copy 80.7 from here 80.5 +60\n" },
	{ WR, "size=60 op=mmo remote-vhca=read host=a",
	  "copy here 0.5 from 0.7 +60\ncopy signaled here 40.5 from 40.7 +60\n"
	  "copy here 80.5 from 80.7 +60\n" },
	/* chunks: the last of a copy is signaled, and may be as long as the others */
	{ WR, "size=60 chunk=25 op=mmo",
	  "copy 0.7 from here 0.5 +25\ncopy 19.7 from here 19.5 +25\n"
	  "copy 32.7 from here 32.5 +10\n"
	  "copy 40.7 from here 40.5 +25\ncopy 59.7 from here 59.5 +25\n"
	  "copy signaled 72.7 from here 72.5 +10\n"
	  "copy 80.7 from here 80.5 +25\ncopy 99.7 from here 99.5 +25\n"
	  "copy b2.7 from here b2.5 +10\n" },
	{ WR, "size=60 chunk=30 op=mmo remote-vhca=read host=a",
	  "copy here 0.5 from 0.7 +30\ncopy here 1e.5 from 1e.7 +30\n"
	  "copy here 40.5 from 40.7 +30\ncopy signaled here 5e.5 from 5e.7 +30\n"
	  "copy here 80.5 from 80.7 +30\ncopy here 9e.5 from 9e.7 +30\n" },
};

static void open_row(size_t i, const char *api)
{
	char text[200];

	snprintf(text, sizeof(text), "batch=3 api=%s %s", api, rows[i].options);
	open_lane(text);
}

Test(libmlx5, gets_these_requests)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int api = WR; api <= VERBS; api++) {
			if (!(rows[i].apis & api))
				continue;
			open_row(i, api == WR ? "wr" : "verbs");
			cr_expect_eq(l->poster->post(l, 3, 1, 5), 3);
			cr_expect_str_eq(got, rows[i].requests, "%d, %s: %s", api,
					 rows[i].options, got);
			close_lane();
		}
}

/* Every second of five; and none of two where the third would be. */
Test(libmlx5, signals_by_an_interval)
{
	for (int api = 0; api < 2; api++) {
		open_lane(api ? "batch=5 size=8 op=send api=wr"
			      : "batch=5 size=8 op=send api=verbs");
		l->poster->post(l, 5, 1, 2);
		cr_expect_str_eq(got, "send 0+8.5\nsend signaled 40+8.5\nsend 80+8.5\n"
				      "send signaled c0+8.5\nsend 100+8.5\n");
		got[0] = 0;
		l->poster->post(l, 2, 2, 2);
		cr_expect_str_eq(got, "send 0+8.5\nsend 40+8.5\n");
		close_lane();
	}
}

/* A walk goes on where it was; after a refusal from the first that was not posted, of which
 * there is one more by ibv_wr_*: all or none. */
Test(libmlx5, walks_from_batch_to_batch)
{
	for (int api = 0; api < 2; api++) {
		open_lane(api ? "batch=2 size=8 op=read remote=sequential api=wr"
			      : "batch=2 size=8 op=read remote=sequential api=verbs");
		l->poster->post(l, 2, 1, 2);
		cr_expect_eq(l->op.walk.at, 0x80);
		fails_with = ENOMEM;
		cr_expect_eq(l->poster->post(l, 2, 1, 2), api ? 0 : 1);
		cr_expect_eq(l->op.walk.at, api ? 0x80 : 0xc0);
		fails_with = 0;
		got[0] = 0;
		cr_expect_eq(l->poster->post(l, 1, 0, 2), 1);
		cr_expect_str_eq(got, api ? "read signaled to 80.7 0+8.5\n"
					  : "read signaled to c0.7 0+8.5\n");
		close_lane();
	}
}

static void post_badly(const void *api)
{
	open_lane(api);
	fails_with = EINVAL;
	l->poster->post(l, 2, 1, 2);
}

static void poll_badly(const void *api)
{
	open_lane(api);
	status = IBV_WC_REM_ACCESS_ERR;
	waiting = 3;
	l->poster->poll(l, 16);
}

Test(libmlx5, errors_end_the_program)
{
	said_only(1, "QP 0x123 failed: Invalid argument (0x0)", post_badly, "batch=2 api=wr");
	said_only(1, "QP 0x123 failed: Invalid argument (0x0)", post_badly,
		  "batch=2 api=verbs");
	said_only(1, "QP 0x123 failed: remote access error (0x77)", poll_badly, "api=wr");
}

/* As many calls as are needed for more than one call takes. */
Test(libmlx5, is_polled)
{
	static const unsigned int of[][4] = {
		/* that wait, wanted, taken, calls */
		{ 0, 16, 0, 1 },      { 3, 16, 3, 1 },	    { 16, 16, 16, 1 },
		{ 17, 16, 16, 1 },    { 256, 256, 256, 1 }, { 300, 257, 257, 2 },
		{ 256, 257, 256, 2 }, { 255, 600, 255, 1 }, { 600, 600, 600, 3 },
	};

	open_lane("api=verbs");
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		waiting = of[i][0];
		calls = 0;
		cr_expect_eq(l->poster->poll(l, of[i][1]), of[i][2], "row %zu", i);
		cr_expect_eq(calls, of[i][3], "row %zu: %u calls", i, calls);
		cr_expect_eq(waiting, of[i][0] - of[i][2]);
	}
	close_lane();
}
