/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX: general commands, objects, umems, UARs, event channels; and the contexts of objects of
 * verbs. */
#include "calls.h"

enum {
	CREATE_MKEY = 0x200,
	QUERY_CQ = 0x403,
	QUERY_QP = 0x50b,
	QUERY_SRQ = 0x702,
	ALLOC_PD = 0x800,
	ALLOC_TRANSPORT_DOMAIN = 0x816,
	QUERY_HCA_CAP = 0x100,
	ALLOC_Q_COUNTER = 0x771,
	ALLOC_FLOW_COUNTER = 0x939,
	CREATE_TIS = 0x912,
	QUERY_RQ = 0x90b,
	QUERY_RQT = 0x919,
};

static void set_op(uint8_t *in, unsigned int opcode, unsigned int op_mod)
{
	in[0] = (uint8_t)(opcode >> 8);
	in[1] = (uint8_t)opcode;
	in[6] = (uint8_t)(op_mod >> 8);
	in[7] = (uint8_t)op_mod;
}

static void put_bytes(const uint8_t *bytes, size_t n)
{
	putchar(' ');
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
}

/* Every opcode, with an empty inbox: which of them the kernel lets pass. */
static void opcodes(void)
{
	uint8_t in[64], out[64];

	for (unsigned int opcode = 0x100; opcode <= 0xb20; opcode++) {
		memset(in, 0, sizeof(in));
		memset(out, 0, sizeof(out));
		set_op(in, opcode, 0);
		if (DONE(mlx5dv_devx_general_cmd(bench.ctx, in, sizeof(in), out, sizeof(out)),
			 "mlx5dv_devx_general_cmd %#x", opcode) != EINVAL)
			put("status=%#x", out[0]);
	}
}

static void capabilities(void)
{
	uint8_t in[16], out[16 + 4096];

	for (unsigned int op_mod = 0; op_mod <= 0x80; op_mod++) {
		memset(in, 0, sizeof(in));
		memset(out, 0, sizeof(out));
		set_op(in, QUERY_HCA_CAP, op_mod);
		DONE(mlx5dv_devx_general_cmd(bench.ctx, in, sizeof(in), out, sizeof(out)),
		     "QUERY_HCA_CAP op_mod=%#x", op_mod);
		put("status=%#x", out[0]);
	}
	for (size_t len = 0; len <= 32; len += 4) {
		set_op(in, QUERY_HCA_CAP, 0);
		DONE(mlx5dv_devx_general_cmd(bench.ctx, in, 16, out, len),
		     "QUERY_HCA_CAP outlen=%zu", len);
		if (len <= 16)
			DONE(mlx5dv_devx_general_cmd(bench.ctx, in, len, out, 64),
			     "QUERY_HCA_CAP inlen=%zu", len);
	}
}

static void objects(void)
{
	static const unsigned int makers[] = { ALLOC_PD, ALLOC_TRANSPORT_DOMAIN,
					       ALLOC_Q_COUNTER, ALLOC_FLOW_COUNTER,
					       CREATE_TIS };
	uint8_t in[256], out[256];

	for (size_t i = 0; i < COUNT(makers); i++) {
		struct mlx5dv_devx_obj *obj;

		memset(in, 0, sizeof(in));
		set_op(in, makers[i], 0);
		obj = MADE(mlx5dv_devx_obj_create(bench.ctx, in, sizeof(in), out, 16),
			   "mlx5dv_devx_obj_create %#x", makers[i]);
		if (!obj)
			continue;
		for (unsigned int opcode = 0x200; opcode <= 0xb10; opcode += 1) {
			if (opcode != 0x773 && opcode != 0x93b && opcode != 0x913 &&
			    opcode != 0x915 && opcode % 64)
				continue;
			memset(in, 0, sizeof(in));
			set_op(in, opcode, 0);
			DONE(mlx5dv_devx_obj_query(obj, in, 64, out, sizeof(out)),
			     "mlx5dv_devx_obj_query %#x", opcode);
			DONE(mlx5dv_devx_obj_modify(obj, in, 64, out, sizeof(out)),
			     "mlx5dv_devx_obj_modify %#x", opcode);
		}
		DONE(mlx5dv_devx_obj_destroy(obj), "mlx5dv_devx_obj_destroy");
	}
}

static void umems(void)
{
	static const uint64_t bitmaps[] = { 0, 4096, 8192, 1 << 20, 1 << 30, 2048, UINT64_MAX };
	struct mlx5dv_devx_umem *umem;

	for (unsigned int access = 0; access <= 0x80; access = access ? access << 1 : 1) {
		umem = MADE(mlx5dv_devx_umem_reg(bench.ctx, bench.memory, PAGE, access),
			    "mlx5dv_devx_umem_reg access=%#x", access);
		if (umem)
			DONE(mlx5dv_devx_umem_dereg(umem), "mlx5dv_devx_umem_dereg");
	}
	for (size_t size = 0; size <= MEMORY - 3; size = size * 5 + 1) {
		umem = MADE(mlx5dv_devx_umem_reg(bench.ctx, bench.memory + 3, size, 7),
			    "mlx5dv_devx_umem_reg size=%zu", size);
		if (umem)
			DONE(mlx5dv_devx_umem_dereg(umem), "mlx5dv_devx_umem_dereg");
	}
	MADE(mlx5dv_devx_umem_reg(bench.ctx, (void *)8, PAGE, 1),
	     "mlx5dv_devx_umem_reg unmapped");
	for (size_t i = 0; i < COUNT(bitmaps); i++) {
		struct mlx5dv_devx_umem_in a = { .addr = bench.memory,
						 .size = PAGE,
						 .access = 1,
						 .pgsz_bitmap = bitmaps[i] };

		umem = MADE(mlx5dv_devx_umem_reg_ex(bench.ctx, &a),
			    "mlx5dv_devx_umem_reg_ex pgsz_bitmap=%#llx",
			    (unsigned long long)bitmaps[i]);
		if (umem)
			DONE(mlx5dv_devx_umem_dereg(umem), "mlx5dv_devx_umem_dereg");
	}
}

static void uars_and_channels(void)
{
	for (uint32_t flags = 0; flags <= 3; flags++) {
		struct mlx5dv_devx_uar *uar = MADE(mlx5dv_devx_alloc_uar(bench.ctx, flags),
						   "mlx5dv_devx_alloc_uar flags=%u", flags);
		struct mlx5dv_var *var;

		if (uar) {
			put("reg_addr=%zd",
			    (ssize_t)((char *)uar->reg_addr - (char *)uar->base_addr));
			mlx5dv_devx_free_uar(uar);
		}
		var = MADE(mlx5dv_alloc_var(bench.ctx, flags), "mlx5dv_alloc_var flags=%u",
			   flags);
		if (var)
			mlx5dv_free_var(var);
	}
	for (unsigned int flags = 0; flags <= 3; flags++) {
		struct mlx5dv_devx_event_channel *channel = MADE(
			mlx5dv_devx_create_event_channel(
				bench.ctx, (enum mlx5dv_devx_create_event_channel_flags)flags),
			"mlx5dv_devx_create_event_channel flags=%u", flags);
		uint16_t events[] = { 0x9, 0x1c, 0xffff };

		if (!channel)
			continue;
		for (size_t i = 0; i < COUNT(events); i++)
			DONE(mlx5dv_devx_subscribe_devx_event(channel, NULL, 2, &events[i], 1),
			     "mlx5dv_devx_subscribe_devx_event %#x", events[i]);
		DONE(mlx5dv_devx_subscribe_devx_event(channel, NULL, 0, events, 1),
		     "mlx5dv_devx_subscribe_devx_event none");
		mlx5dv_devx_destroy_event_channel(channel);
	}
	for (size_t size = 0; size <= 64; size += 4)
		for (uint32_t flags = 0; flags <= 2; flags++) {
			uint8_t context[64] = { 0, 0, 0x10, 0 }; /* rate_limit */
			struct mlx5dv_pp *pp =
				MADE(mlx5dv_pp_alloc(bench.ctx, size, context, flags),
				     "mlx5dv_pp_alloc size=%zu flags=%u", size, flags);

			if (pp)
				mlx5dv_pp_free(pp);
		}
}

/* The context of an object of verbs; not where its memory is. */
static void contexts(void)
{
	struct ibv_srq_init_attr srq_attr = { NULL, { 10, 2, 0 } };
	struct ibv_srq *srq = MADE(ibv_create_srq(bench.pd, &srq_attr), "ibv_create_srq");
	uint8_t in[16] = { 0 }, out[16 + 512];

	NEED(srq);
	for (unsigned int opcode = QUERY_CQ; opcode <= QUERY_SRQ; opcode++) {
		if (opcode != QUERY_CQ && opcode != QUERY_SRQ && opcode != QUERY_QP)
			continue;
		memset(out, 0, sizeof(out));
		set_op(in, opcode, 0);
		if (!DONE(mlx5dv_devx_cq_query(bench.cq, in, sizeof(in), out, sizeof(out)),
			  "mlx5dv_devx_cq_query %#x", opcode))
			put_bytes(out + 16, 8);
		if (!DONE(mlx5dv_devx_srq_query(srq, in, sizeof(in), out, sizeof(out)),
			  "mlx5dv_devx_srq_query %#x", opcode))
			put_bytes(out + 16, 4);
	}
	DONE(ibv_destroy_srq(srq), "ibv_destroy_srq");
}

void devx_calls(void)
{
	opcodes();
	capabilities();
	objects();
	umems();
	uars_and_channels();
	contexts();
}
