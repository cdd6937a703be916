/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_memory.h"

#define INSTEAD __attribute__((visibility("default")))

struct fake_memory fake_memory;
uint8_t fake_page[4096] __attribute__((aligned(4096)));

void fake_memory_reset(void)
{
	fake_reset();
	fake_memory = (struct fake_memory){ 0 };
}

static struct mlx5dv_devx_umem *umem(struct mlx5dv_devx_umem_in in)
{
	struct mlx5dv_devx_umem *u;

	fake_memory.umem = in;
	errno = fake.err;
	if (fake.err)
		return NULL;
	u = calloc(1, sizeof(*u));
	u->umem_id = FAKE_UMEM_ID;
	fake_memory.umems++;
	return u;
}

INSTEAD struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *ctx, void *addr,
						      size_t size, uint32_t access)
{
	(void)ctx;
	return umem(
		(struct mlx5dv_devx_umem_in){ .addr = addr, .size = size, .access = access });
}

INSTEAD struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *ctx,
							 struct mlx5dv_devx_umem_in *in)
{
	(void)ctx;
	errno = EPROTONOSUPPORT;
	return fake_memory.no_ex ? NULL : umem(*in);
}

INSTEAD int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *u)
{
	if (fake.err)
		return fake.err;
	fake_memory.umems--;
	free(u);
	return 0;
}

INSTEAD struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *ctx, uint32_t flags)
{
	static struct mlx5dv_devx_uar uar;

	(void)ctx;
	fake_memory.uar_flags = flags;
	errno = fake.err;
	if ((fake_memory.no_bf && flags == MLX5DV_UAR_ALLOC_TYPE_BF) ||
	    (fake_memory.no_dedicated && flags > MLX5DV_UAR_ALLOC_TYPE_NC))
		errno = EOPNOTSUPP;
	if (errno)
		return NULL;
	uar = (struct mlx5dv_devx_uar){ .base_addr = fake_page,
					.reg_addr = fake_page + 0x800,
					.page_id = FAKE_UAR_PAGE };
	fake_memory.uars++;
	return &uar;
}

INSTEAD void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *uar)
{
	(void)uar;
	fake_memory.uars--;
}

INSTEAD int mlx5dv_devx_query_eqn(struct ibv_context *ctx, uint32_t vector, uint32_t *eqn)
{
	(void)ctx;
	*eqn = 7 + vector;
	return fake.err;
}

INSTEAD struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct ibv_context *ctx)
{
	static struct mlx5dv_devx_cmd_comp comp = { .fd = 42 };

	(void)ctx;
	errno = fake.err;
	fake_memory.channels += !fake.err;
	return fake.err ? NULL : &comp;
}

INSTEAD void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *comp)
{
	(void)comp;
	fake_memory.channels--;
}

INSTEAD int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *comp,
					   struct mlx5dv_devx_async_cmd_hdr *answer, size_t len)
{
	(void)comp;
	answer->wr_id = 0x1234;
	memcpy(answer->out_data, fake.answer, len - sizeof(*answer));
	return fake.err;
}
