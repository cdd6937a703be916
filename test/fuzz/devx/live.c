/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fuzz_devx.h"

void live_add(struct user *u, const struct live *l)
{
	FUZZ_CHECK(u->n < LIVE_MAX, "more objects than places");
	u->live[u->n++] = *l;
}

struct live *live_find(struct user *u, uint32_t kind)
{
	unsigned int at = u->n ? below(u->n) : 0;

	for (unsigned int i = 0; i < u->n; i++) {
		struct live *l = &u->live[(at + i) % u->n];

		if (!kind || l->kind == kind)
			return l;
	}
	return NULL;
}

struct live *live_object(struct user *u)
{
	unsigned int at = u->n ? below(u->n) : 0;

	for (unsigned int i = 0; i < u->n; i++)
		if (u->live[(at + i) % u->n].obj)
			return &u->live[(at + i) % u->n];
	return NULL;
}

int live_destroy(struct user *u, struct live *l)
{
	int err = 0;

	if (l->obj)
		err = mlx5dv_devx_obj_destroy(l->obj);
	else if (l->umem)
		err = mlx5dv_devx_umem_dereg(l->umem);
	else if (l->uar)
		mlx5dv_devx_free_uar(l->uar);
	if (!err)
		*l = u->live[--u->n];
	return err;
}

/* Numbers of what verbs made: commands may name them. */
static void add_number(struct user *u, uint32_t kind, uint32_t number)
{
	live_add(u, &(struct live){ .kind = kind, .number = number });
}

static void make_queues(struct user *u)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 16, 16, 2, 2, 0 } };
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 16, .max_sge = 1 } };
	uint32_t srqn = 0;
	struct mlx5dv_srq dvsrq = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_cq dvcq = { .comp_mask = 0 };
	struct mlx5dv_pd dvpd = { .comp_mask = 0 };
	struct mlx5dv_obj all = { 0 };

	u->pd = ibv_alloc_pd(u->ctx);
	u->cq = ibv_create_cq(u->ctx, 64, NULL, NULL, 0);
	u->srq = u->pd ? ibv_create_srq(u->pd, &srq) : NULL;
	attr.send_cq = attr.recv_cq = u->cq;
	u->qp = u->pd && u->cq ? ibv_create_qp(u->pd, &attr) : NULL;
	FUZZ_CHECK(u->qp && u->srq, "no queues of verbs: %m");
	all.pd.in = u->pd;
	all.pd.out = &dvpd;
	all.cq.in = u->cq;
	all.cq.out = &dvcq;
	all.srq.in = u->srq;
	all.srq.out = &dvsrq;
	FUZZ_CHECK(!mlx5dv_init_obj(&all, MLX5DV_OBJ_PD | MLX5DV_OBJ_CQ | MLX5DV_OBJ_SRQ),
		   "no numbers of verbs' objects");
	srqn = dvsrq.srqn;
	add_number(u, PRM_OP_ALLOC_PD, dvpd.pdn);
	add_number(u, PRM_OP_CREATE_CQ, dvcq.cqn);
	add_number(u, PRM_OP_CREATE_QP, u->qp->qp_num);
	add_number(u, PRM_OP_CREATE_RMP, srqn);
}

static struct ibv_device *device(void)
{
	static struct ibv_device **list;

	if (!list)
		list = ibv_get_device_list(NULL);
	FUZZ_CHECK(list && *list, "no device: run under dvkit-emu");
	return *list;
}

void user_open(struct user *u)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	uint32_t eqn;

	u->n = 0;
	u->ctx = mlx5dv_open_device(device(), &attr);
	FUZZ_CHECK(u->ctx, "the device does not open: %m");
	make_queues(u);
	for (uint32_t vector = 0; vector < 2; vector++)
		if (!mlx5dv_devx_query_eqn(u->ctx, vector, &eqn))
			add_number(u, KIND_EQ, eqn);
	u->answers = mlx5dv_devx_create_cmd_comp(u->ctx);
	u->events = mlx5dv_devx_create_event_channel(
		u->ctx, one_in(2) ? MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA : 0);
	u->eventfd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	FUZZ_CHECK(u->answers && u->events && u->eventfd >= 0, "no descriptors: %m");
	fcntl(u->answers->fd, F_SETFL, O_NONBLOCK);
	fcntl(u->events->fd, F_SETFL, O_NONBLOCK);
}

static bool is_made(const struct live *l)
{
	return l->obj || l->umem || l->uar;
}

/* An object that refers to others goes before them: pass after pass, until nothing is left or
 * nothing goes. */
static void destroy_all(struct user *u)
{
	bool some = true;
	unsigned int left = 0;
	int err = 0;

	while (some) {
		some = false;
		left = 0;
		for (unsigned int i = u->n; i--;) {
			if (!is_made(&u->live[i]))
				continue;
			err = live_destroy(u, &u->live[i]);
			some |= !err;
			left += !!err;
		}
	}
	for (unsigned int i = 0; i < u->n; i++)
		FUZZ_CHECK(!is_made(&u->live[i]),
			   "%u handles cannot be destroyed; one of kind 0x%x, number 0x%x: %d",
			   left, u->live[i].kind, u->live[i].number, err);
}

void user_close(struct user *u, bool destroy)
{
	if (destroy) {
		destroy_all(u);
		FUZZ_CHECK(!ibv_destroy_qp(u->qp) && !ibv_destroy_srq(u->srq) &&
				   !ibv_destroy_cq(u->cq) && !ibv_dealloc_pd(u->pd),
			   "an object of verbs cannot be destroyed: %m");
	}
	mlx5dv_devx_destroy_cmd_comp(u->answers);
	mlx5dv_devx_destroy_event_channel(u->events);
	close(u->eventfd);
	FUZZ_CHECK(!ibv_close_device(u->ctx), "the context does not close");
}
