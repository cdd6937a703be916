/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <sys/mman.h>
#include "lib/qp_pair.h"
#include "lib/connect.h"
#include "lib/device.h"

struct rig r;
struct wiring with;

static uint8_t *memory(uint8_t fill, int access, struct ibv_mr **mr)
{
	uint8_t *mem = mmap(NULL, LEN + 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(mem, MAP_FAILED);
	memset(mem, fill, LEN + 2 * PAGE);
	*mr = ibv_reg_mr(r.pd, mem + PAGE, LEN, access);
	cr_assert_not_null(*mr);
	return mem + PAGE;
}

void rig_start(void)
{
	struct ibv_device *device = device_find();

	with = normal();
	if (!device)
		cr_skip_test("no mlx5 device: run under dvkit-emu, or set DVKIT_DEVICE");
	/* libmlx5 prints every error CQE there. */
	setenv("MLX5_DEBUG_FILE", "/dev/null", 0);
	r.ctx = ibv_open_device(device);
	cr_assert_not_null(r.ctx);
	cr_assert_eq(ibv_query_port(r.ctx, 1, &r.port), 0);
	r.gid_index = device_gid_index(r.ctx, &r.port);
	cr_assert_eq(ibv_query_gid(r.ctx, 1, r.gid_index, &r.gid), 0);
	r.pd = ibv_alloc_pd(r.ctx);
	r.src = memory(0x5a, IBV_ACCESS_LOCAL_WRITE, &r.src_mr);
	r.dst = memory(0xdd, ALL_RIGHTS, &r.dst_mr);
}

void unpair(void)
{
	struct end *const ends[] = { &r.a, &r.b };

	for (int i = 0; i < 2; i++) {
		if (ends[i]->qp)
			cr_assert_eq(ibv_destroy_qp(ends[i]->qp), 0);
		if (ends[i]->ibcq)
			cr_assert_eq(ibv_destroy_cq(ends[i]->ibcq), 0);
		*ends[i] = (struct end){ 0 };
	}
	with = normal();
}

/* Tests leave what they made besides: the process ends with them. */
void rig_stop(void)
{
	if (r.ctx)
		unpair();
}

struct wiring normal(void)
{
	return (struct wiring){ .type = IBV_QPT_RC,
				.access = ALL_RIGHTS,
				.timeout = 10,
				.retry_cnt = 1,
				.rnr_retry = 1,
				.rd_atomic = 4,
				.dest_rd_atomic = 4,
				.psn = 0xfffff0,
				.a_state = IBV_QPS_RTS,
				.b_state = IBV_QPS_RTS,
				.cqe = 100 };
}

static void create(struct end *e, const struct wiring *w, struct ibv_pd *pd)
{
	struct ibv_qp_init_attr init = {
		.qp_type = w->type,
		.srq = w->srq,
		.cap = { 16, 16, 4, 4, 64 },
		.sq_sig_all = w->sq_sig_all,
	};

	e->ibcq = ibv_create_cq(r.ctx, w->cqe, NULL, w->channel, 0);
	cr_assert_not_null(e->ibcq);
	init.send_cq = init.recv_cq = e->ibcq;
	e->qp = ibv_create_qp(pd, &init);
	cr_assert_not_null(e->qp);
}

/* The attributes of all transitions of an end of @w that talks to @dest. */
static struct ibv_qp_attr attributes(const struct wiring *w, uint32_t dest)
{
	return (struct ibv_qp_attr){
		.qkey = RIG_QKEY,
		.qp_access_flags = (unsigned int)w->access,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dest,
		.rq_psn = w->psn,
		.max_dest_rd_atomic = w->dest_rd_atomic,
		.min_rnr_timer = 1,
		.ah_attr = path_by_port(&r.port, w->dgid ? *w->dgid : r.gid, r.gid_index),
		.timeout = w->timeout,
		.retry_cnt = w->retry_cnt,
		.rnr_retry = w->rnr_retry,
		.sq_psn = (w->psn + w->wrong_psn) & 0xffffff,
		.max_rd_atomic = w->rd_atomic,
	};
}

int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr a = { .qp_state = state };

	return ibv_modify_qp(qp, &a, IBV_QP_STATE);
}

void bring(struct end *e, const struct wiring *w, enum ibv_qp_state state, uint32_t dest)
{
	const struct ibv_qp_attr a = attributes(w, dest);

	for (enum ibv_qp_state to = IBV_QPS_INIT; to <= IBV_QPS_RTS && to <= state; to++)
		if (state_of(e) < to)
			cr_assert_eq(move_qp(e->qp, &a, to), 0);
	if (state == IBV_QPS_ERR)
		cr_assert_eq(to_state(e->qp, state), 0);
}

void pair(struct wiring w)
{
	struct wiring b = w;

	b.wrong_psn = 0;
	b.dgid = NULL;
	b.cqe = 100;
	w.srq = NULL;
	create(&r.a, &w, r.pd);
	create(&r.b, &b, w.pd ? w.pd : r.pd);
	bring(&r.b, &b, w.b_state, r.a.qp->qp_num);
	bring(&r.a, &w, w.a_state, w.dest_qpn ? w.dest_qpn : r.b.qp->qp_num);
}

void wired(void)
{
	pair(normal());
}

enum ibv_qp_state state_of(const struct end *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	cr_assert_eq(ibv_query_qp(e->qp, &a, IBV_QP_STATE, &init), 0);
	return a.qp_state;
}
