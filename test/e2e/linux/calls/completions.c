/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues: sizes, vectors, channels; resized, moderated. */
#include "calls.h"

static void destroy(struct ibv_cq *cq)
{
	if (!cq)
		return;
	put("cqe=%d", cq->cqe);
	DONE(ibv_destroy_cq(cq), "ibv_destroy_cq");
}

static void resize(int from)
{
	const int sizes[] = { 0,   1,	2,    3,  63,	   64,	    65,
			      127, 128, 1000, -1, 4194303, 4194304, 0x7fffffff };
	struct ibv_cq *cq = ibv_create_cq(bench.ctx, from, NULL, NULL, 0);

	NEED(cq);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		if (sizes[i] == bench.limits.orig_attr.max_cqe)
			continue; /* more memory than the virtual machine has */
		DONE(ibv_resize_cq(cq, sizes[i]), "ibv_resize_cq from=%d cqe=%d", from,
		     sizes[i]);
		put("cqe=%d", cq->cqe);
	}
	DONE(ibv_destroy_cq(cq), "ibv_destroy_cq");
}

static void moderate(void)
{
	const uint16_t values[] = { 0, 1, 4095, 4096, 65535 };
	struct ibv_cq *cq = ibv_create_cq(bench.ctx, 10, NULL, NULL, 0);

	NEED(cq);
	for (uint32_t mask = 0; mask <= 3; mask++)
		for (size_t i = 0; i < COUNT(values); i++)
			for (size_t k = 0; k < COUNT(values); k++) {
				struct ibv_modify_cq_attr a = { mask,
								{ values[i], values[k] } };

				DONE(ibv_modify_cq(cq, &a),
				     "ibv_modify_cq mask=%u count=%u period=%u", mask,
				     values[i], values[k]);
			}
	DONE(ibv_req_notify_cq(cq, 0), "ibv_req_notify_cq");
	DONE(ibv_destroy_cq(cq), "ibv_destroy_cq");
}

static void extended(void)
{
	struct ibv_cq_init_attr_ex a = { .cqe = 10 };
	struct mlx5dv_cq_init_attr dv = { 0 };
	struct ibv_cq_ex *cq;

	for (uint64_t flags = 1; flags <= 1 << 13; flags <<= 1) {
		a.wc_flags = flags;
		cq = MADE(ibv_create_cq_ex(bench.ctx, &a), "ibv_create_cq_ex wc_flags=%#llx",
			  (unsigned long long)flags);
		destroy(cq ? ibv_cq_ex_to_cq(cq) : NULL);
	}
	a.wc_flags = 0;
	for (a.comp_mask = 0; a.comp_mask <= 4; a.comp_mask++)
		for (a.flags = 0; a.flags <= 4; a.flags++) {
			a.parent_domain = NULL;
			cq = MADE(ibv_create_cq_ex(bench.ctx, &a),
				  "ibv_create_cq_ex comp_mask=%u flags=%u", a.comp_mask,
				  a.flags);
			destroy(cq ? ibv_cq_ex_to_cq(cq) : NULL);
		}
	a.comp_mask = a.flags = 0;
	for (unsigned int format = 0; format <= 8; format++) {
		dv = (struct mlx5dv_cq_init_attr){
			.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
			.cqe_comp_res_format = (uint8_t)format
		};
		cq = MADE(mlx5dv_create_cq(bench.ctx, &a, &dv),
			  "mlx5dv_create_cq compressed=%u", format);
		destroy(cq ? ibv_cq_ex_to_cq(cq) : NULL);
	}
	for (unsigned int flags = 0; flags <= 3; flags++)
		for (unsigned int size = 32; size <= 256; size <<= 1) {
			dv = (struct mlx5dv_cq_init_attr){
				.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_FLAGS |
					     MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
				.flags = flags,
				.cqe_size = (uint16_t)size
			};
			cq = MADE(mlx5dv_create_cq(bench.ctx, &a, &dv),
				  "mlx5dv_create_cq flags=%u size=%u", flags, size);
			destroy(cq ? ibv_cq_ex_to_cq(cq) : NULL);
		}
	for (uint64_t mask = 1; mask <= 32; mask <<= 1) {
		dv = (struct mlx5dv_cq_init_attr){ .comp_mask = mask };
		cq = MADE(mlx5dv_create_cq(bench.ctx, &a, &dv),
			  "mlx5dv_create_cq comp_mask=%llu", (unsigned long long)mask);
		destroy(cq ? ibv_cq_ex_to_cq(cq) : NULL);
	}
}

void completion_calls(void)
{
	const int sizes[] = { -1,	 0,    1,     2,     3,
			      4,	 31,   32,    63,    64,
			      65,	 127,  128,   255,   1000,
			      1023,	 1024, 65535, 65536, bench.limits.orig_attr.max_cqe + 1,
			      0x7fffffff };
	const int vectors[] = { -1, bench.ctx->num_comp_vectors,
				bench.ctx->num_comp_vectors - 1, 1000 };
	struct ibv_comp_channel *channel =
		MADE(ibv_create_comp_channel(bench.ctx), "ibv_create_comp_channel");
	struct ibv_cq *cq;

	NEED(channel);
	for (size_t i = 0; i < COUNT(sizes); i++)
		destroy(MADE(ibv_create_cq(bench.ctx, sizes[i], NULL, NULL, 0),
			     "ibv_create_cq cqe=%d", sizes[i]));
	for (size_t i = 0; i < COUNT(vectors); i++)
		destroy(MADE(ibv_create_cq(bench.ctx, 5, NULL, NULL, vectors[i]),
			     "ibv_create_cq vector=%s",
			     i == 0   ? "-1"
			     : i == 1 ? "n"
			     : i == 2 ? "n-1"
				      : "1000"));
	cq = MADE(ibv_create_cq(bench.ctx, 5, NULL, channel, 0), "ibv_create_cq channel");
	NEED(cq);
	DONE(ibv_req_notify_cq(cq, 1), "ibv_req_notify_cq");
	DONE(ibv_destroy_comp_channel(channel), "ibv_destroy_comp_channel in-use");
	DONE(ibv_destroy_cq(cq), "ibv_destroy_cq");
	DONE(ibv_destroy_comp_channel(channel), "ibv_destroy_comp_channel");
	resize(1);
	resize(100);
	moderate();
	extended();
}
