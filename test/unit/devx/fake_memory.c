/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_memory.h"
#include "lib/steps.h"

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
	if (!u)
		return NULL;
	u->umem_id = FAKE_UMEM_ID;
	fake_memory.umems++;
	return u;
}

INSTEAD struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *ctx, void *addr,
						      size_t size, uint32_t access)
{
	return umem(
		(struct mlx5dv_devx_umem_in){ .addr = addr, .size = size, .access = access });
}

INSTEAD struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *ctx,
							 struct mlx5dv_devx_umem_in *in)
{
	errno = EPROTONOSUPPORT;
	return fake_memory.no_ex ? NULL : umem(*in);
}

INSTEAD int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *u)
{
	if (fake.err || fake_memory.busy)
		return fake.err ? fake.err : EINVAL;
	fake_memory.umems--;
	free(u);
	return 0;
}

INSTEAD struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *ctx, uint32_t flags)
{
	static struct mlx5dv_devx_uar uar;

	fake_memory.uar_flags = flags;
	fake_memory.uars_asked++;
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
	fake_memory.uars--;
}

FAKE(int, mlx5dv_devx_query_eqn, (struct ibv_context * ctx, uint32_t vector, uint32_t *eqn),
     (*eqn = 7 + vector, fake.err))

INSTEAD struct mlx5dv_devx_cmd_comp *mlx5dv_devx_create_cmd_comp(struct ibv_context *ctx)
{
	static struct mlx5dv_devx_cmd_comp comp = { .fd = 42 };

	errno = fake.err;
	fake_memory.channels += !fake.err;
	return fake.err ? NULL : &comp;
}

INSTEAD void mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *comp)
{
	fake_memory.channels--;
}

INSTEAD int mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *comp,
					   struct mlx5dv_devx_async_cmd_hdr *answer, size_t len)
{
	answer->wr_id = 0x1234;
	memcpy(answer->out_data, fake.answer, len - sizeof(*answer));
	return fake.err;
}

#undef ibv_reg_mr
INSTEAD struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	static struct ibv_mr mr;

	errno = step_fails() ? ENOMEM : fake.err;
	if (errno)
		return NULL;
	mr = (struct ibv_mr){ .context = pd->context, .addr = addr, .length = length };
	fake_memory.mrs++;
	return &mr;
}

FAKE(int, ibv_dereg_mr, (struct ibv_mr * mr), (fake_memory.mrs--, 0))

FAKE(bool, mlx5dv_is_supported, (struct ibv_device * device), device)

INSTEAD int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	if (step_fails())
		return EOPNOTSUPP;
	if (type == MLX5DV_OBJ_AH)
		obj->ah.out->av = &fake_memory.av;
	else
		obj->pd.out->pdn = FAKE_PDN;
	return fake.err;
}

FAKE(struct ibv_ah *, ibv_create_ah, (struct ibv_pd * pd, struct ibv_ah_attr *attr),
     (errno = step_fails() ? ENETUNREACH : fake.err, fake_memory.ahs += !errno,
      errno ? NULL : (struct ibv_ah *)&fake_memory))

FAKE(int, ibv_destroy_ah, (struct ibv_ah * ah), (fake_memory.ahs--, 0))

#undef ibv_query_port
INSTEAD int ibv_query_port(struct ibv_context *ctx, uint8_t n, struct _compat_ibv_port_attr *to)
{
	struct ibv_port_attr *attr = (void *)to;

	attr->active_mtu = IBV_MTU_2048;
	attr->link_layer =
		fake_memory.infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
	return step_fails() ? EIO : fake.err;
}

INSTEAD int ibv_query_gid(struct ibv_context *ctx, uint8_t port, int index, union ibv_gid *gid)
{
	*gid = (union ibv_gid){ .raw = { 0xfe, 0x80, [14] = port, [15] = (uint8_t)index } };
	errno = step_fails() ? ENODEV : fake.err;
	return errno ? -1 : 0;
}

FAKE(int, _ibv_query_gid_ex,
     (struct ibv_context * ctx, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
      uint32_t flags, size_t size),
     (memset(entry, 0, size), entry->gid_type = fake_memory.gid_type,
      step_fails() ? ENODATA : fake.err))

/* A step that fails: fewer bytes. */
INSTEAD ssize_t getrandom(void *at, size_t n, unsigned int flags)
{
	if (!fake_memory.interrupts)
		return syscall(SYS_getrandom, at, n - step_fails(), flags);
	fake_memory.interrupts--;
	errno = EINTR;
	return -1;
}
