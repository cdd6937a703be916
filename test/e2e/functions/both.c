/* SPDX-License-Identifier: BSD-2-Clause */
/* Two devices of a process, by plain verbs. */
#include "both.h"
#include "lib/connect.h"

struct side host, dpu;

struct ibv_context *open_by_name(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	cr_assert_not_null(list);
	for (int i = 0; list[i] && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	cr_assert_not_null(ctx, "%s", name);
	return ctx;
}

void give_memory(struct side *s, uint8_t fill)
{
	if (s->mr)
		cr_assert_eq(ibv_dereg_mr(s->mr), 0);
	s->mem = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(s->mem, MAP_FAILED);
	memset(s->mem, fill, LEN);
	s->mr = ibv_reg_mr(s->pd, s->mem, LEN, ALL);
	cr_assert_not_null(s->mr);
}

static void make(struct side *s, const char *name)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 16, 16, 1, 1, 0 } };

	s->ctx = open_by_name(name);
	s->pd = ibv_alloc_pd(s->ctx);
	cr_assert_not_null(s->pd);
	s->cq = ibv_create_cq(s->ctx, 32, NULL, NULL, 0);
	cr_assert_not_null(s->cq);
	init.send_cq = init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	cr_assert_not_null(s->qp);
}

static void connect_to(struct side *s, const struct side *peer, int gid_index)
{
	struct ibv_qp_attr a = { .qp_access_flags = ALL,
				 .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = peer->qp->qp_num,
				 .max_dest_rd_atomic = 1,
				 .max_rd_atomic = 1,
				 .min_rnr_timer = 1,
				 .timeout = 14,
				 .retry_cnt = 7,
				 .rnr_retry = 7 };
	union ibv_gid gid;

	cr_assert_eq(ibv_query_gid(peer->ctx, 1, gid_index, &gid), 0);
	a.ah_attr = path_to(gid, (uint8_t)gid_index);
	cr_assert_eq(connect_qp(s->qp, &a), 0);
}

void both_connected(int gid_index)
{
	setenv("MLX5_DEBUG_FILE", "/dev/null", 0); /* libmlx5 prints error CQEs */
	make(&host, "mlx5_0");
	make(&dpu, "mlx5_1");
	connect_to(&host, &dpu, gid_index);
	connect_to(&dpu, &host, gid_index);
}

void dpu_alone(void)
{
	make(&dpu, "mlx5_1");
	connect_to(&dpu, &dpu, 3);
}

void both_start(void)
{
	both_connected(3);
}

static void close_side(struct side *s)
{
	if (s->mr)
		cr_assert_eq(ibv_dereg_mr(s->mr), 0);
	cr_assert_eq(ibv_destroy_qp(s->qp), 0);
	cr_assert_eq(ibv_destroy_cq(s->cq), 0);
	cr_assert_eq(ibv_dealloc_pd(s->pd), 0);
	cr_assert_eq(ibv_close_device(s->ctx), 0);
	*s = (struct side){ 0 };
}

void both_stop(void)
{
	close_side(&host);
	close_side(&dpu);
}

void post_write(struct side *from, const struct side *to, uint32_t rkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)from->mem,
			       .length = LEN,
			       .lkey = from->mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)to->mem;
	wr.wr.rdma.rkey = rkey;
	cr_assert_eq(ibv_post_send(from->qp, &wr, &bad), 0);
}

enum ibv_wc_status next_status(struct side *s)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(s->cq, 1, &wc)))
		;
	cr_assert_eq(n, 1);
	return wc.status;
}

bool all_are(const uint8_t *mem, uint8_t value)
{
	for (size_t i = 0; i < LEN; i++)
		if (mem[i] != value)
			return false;
	return true;
}
