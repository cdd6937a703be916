/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "fixture.h"
#include "lib/connect.h"
#include "lib/device.h"

struct fixture f;
int patience = 10;

static void create(struct end *e)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 64,
			 .max_recv_wr = 64,
			 .max_send_sge = MAX_SGE,
			 .max_recv_sge = 8,
			 .max_inline_data = MAX_INLINE },
	};

	e->ibcq = ibv_create_cq(f.ctx, 2048, NULL, f.channel, 0);
	cr_assert_not_null(e->ibcq);
	init.send_cq = init.recv_cq = e->ibcq;
	e->qp = ibv_create_qp(f.pd, &init);
	cr_assert_not_null(e->qp);
	cr_assert_eq(dv_sq_map(&e->sq, e->qp), 0);
	cr_assert_eq(dv_rq_map(&e->rq, e->qp), 0);
	cr_assert_eq(dv_cq_map(&e->cq, e->ibcq), 0);
}

void fixture_qp_to_rts(struct ibv_qp *qp, uint32_t peer)
{
	const struct ibv_qp_attr a = {
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = f.port.active_mtu,
		.dest_qp_num = peer,
		.rq_psn = 0xfffff0,
		.sq_psn = 0xfffff0,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = path_by_port(&f.port, f.gid, (uint8_t)f.gid_index),
	};

	cr_assert_eq(connect_qp(qp, &a), 0);
}

void fixture_to_rts(struct end *a, struct end *b)
{
	fixture_qp_to_rts(a->qp, b->qp->qp_num);
	fixture_qp_to_rts(b->qp, a->qp->qp_num);
}

void fixture_connect(struct end *a, struct end *b)
{
	create(a);
	create(b);
	fixture_to_rts(a, b);
}

void fixture_destroy(struct end *e)
{
	cr_assert_eq(ibv_destroy_qp(e->qp), 0);
	cr_assert_eq(ibv_destroy_cq(e->ibcq), 0);
}

void fixture_start(void)
{
	struct ibv_device *device = device_find();
	size_t i;

	if (!device)
		cr_skip_test("no mlx5 device: run under dvkit-emu, or set DVKIT_DEVICE");
	f.ctx = ibv_open_device(device);
	cr_assert_not_null(f.ctx);
	cr_assert_eq(ibv_query_port(f.ctx, 1, &f.port), 0);
	f.gid_index = device_gid_index(f.ctx, &f.port);
	cr_assert_eq(ibv_query_gid(f.ctx, 1, f.gid_index, &f.gid), 0);
	f.mtu = 128u << f.port.active_mtu;
	f.pd = ibv_alloc_pd(f.ctx);
	f.channel = ibv_create_comp_channel(f.ctx);
	cr_assert_not_null(f.channel);
	cr_assert_eq(fcntl(f.channel->fd, F_SETFL, O_NONBLOCK), 0);
	f.src = aligned_alloc(4096, 2 * SIZE);
	f.dst = f.src + SIZE;
	f.mr = ibv_reg_mr(f.pd, f.src, 2 * SIZE,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	cr_assert_not_null(f.mr);
	for (i = 0; i < SIZE; i++)
		f.src[i] = (uint8_t)(i * 7 + (i >> 8) + (i >> 16));
	memset(f.dst, 0xdd, SIZE);
	fixture_connect(&f.a, &f.b);
}

void fixture_stop(void)
{
	if (!f.ctx)
		return;
	fixture_destroy(&f.a);
	fixture_destroy(&f.b);
	cr_assert_eq(ibv_destroy_comp_channel(f.channel), 0);
	cr_assert_eq(ibv_dereg_mr(f.mr), 0);
	cr_assert_eq(ibv_dealloc_pd(f.pd), 0);
	cr_assert_eq(ibv_close_device(f.ctx), 0);
	free(f.src);
}

struct ibv_sge src_sge(uint32_t offset, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)f.src + offset, len, f.mr->lkey };
}

struct ibv_sge dst_sge(uint32_t offset, uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)f.dst + offset, len, f.mr->lkey };
}

struct dv_raddr dst_at(uint32_t offset)
{
	return (struct dv_raddr){ (uintptr_t)f.dst + offset, f.mr->rkey };
}

struct dv_raddr src_at(uint32_t offset)
{
	return (struct dv_raddr){ (uintptr_t)f.src + offset, f.mr->rkey };
}

void sq_posted(struct dv_sq *sq, int err)
{
	cr_assert_eq(err, 0);
	dv_sq_doorbell(sq);
}

void rq_posted(struct dv_rq *rq, int err)
{
	cr_assert_eq(err, 0);
	dv_rq_doorbell(rq);
}

void receive(struct end *e, struct ibv_sge sge)
{
	rq_posted(&e->rq, dv_rq_post(&e->rq, &sge, 1));
}

struct mlx5_cqe64 completion(struct end *e)
{
	const struct mlx5_cqe64 *cqe;
	time_t end = time(NULL) + patience;
	struct mlx5_cqe64 copy;

	while (!(cqe = dv_cq_poll(&e->cq)))
		if (time(NULL) > end)
			cr_assert_fail("QP 0x%x: no completion within %d s", e->qp->qp_num,
				       patience);
	copy = *cqe;
	if (dv_cqe_opcode(cqe) == MLX5_CQE_REQ || dv_cqe_opcode(cqe) == MLX5_CQE_REQ_ERR)
		dv_sq_retire(&e->sq, cqe);
	else
		dv_rq_retire(&e->rq, cqe);
	dv_cq_release(&e->cq);
	return copy;
}

struct mlx5_cqe64 success(struct end *e, uint8_t opcode)
{
	struct mlx5_cqe64 cqe = completion(e);
	char text[256];

	dv_cqe_format(text, sizeof(text), &cqe, sizeof(cqe), DV_LINE);
	cr_assert_eq(dv_cqe_opcode(&cqe), opcode, "%s", text);
	cr_assert_eq(dv_cqe_qpn(&cqe), e->qp->qp_num, "%s", text);
	return cqe;
}

struct mlx5_cqe64 ring(struct end *e)
{
	dv_sq_doorbell(&e->sq);
	return success(e, MLX5_CQE_REQ);
}

bool stays_quiet(struct end *e)
{
	int i;

	for (i = 0; i < 50; i++) {
		if (dv_cq_poll(&e->cq))
			return false;
		usleep(1000);
	}
	return true;
}
