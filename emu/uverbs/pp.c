/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet pacing: entries of the adapter's table of rates, which send queues name by index
 * (mlx5_ib, qos.c; mlx5_core, rl.c).
 *
 *	entry 0: no limit
 *	entry i: a rate, a burst, a packet size; who asks for the same ones shares it, unless it
 *	         wants a separate one (DEDICATED_INDEX)
 *
 * Raw packet QPs have rates by MODIFY_QP, others use the object.
 */
#include <stdlib.h>

#include "uverbs/devx.h"
#include "uverbs/qp.h"

#define SHARED_UID 0xffff /* <linux/mlx5/driver.h>: MLX5_SHARED_RESOURCE_UID */
#define CTX_SIZE   PRM_SZ(set_pp_rate_limit_context)
#define CAP(u, f)  PRM_GET(qos_cap, (u)->caps[PRM_CAP_QOS], f)

struct uverbs_rate {
	uint32_t users;
	uint16_t uid;
	bool dedicated;
	uint8_t ctx[PRM_SZ(set_pp_rate_limit_context)];
};

bool uverbs_has_pp(const struct uverbs *u)
{
	return UVERBS_CAP(u, qos) && CAP(u, packet_pacing) && CAP(u, packet_pacing_uid);
}

static uint32_t entries(const struct uverbs *u)
{
	uint32_t size = CAP(u, packet_pacing_rate_table_size);

	return size ? size - 1 : 0;
}

static int fw_set(struct uverbs *u, uint16_t index, uint16_t uid, const uint8_t *ctx)
{
	uint8_t in[PRM_SZ(set_pp_rate_limit_in)] = { 0 };
	uint8_t out[PRM_SZ(set_pp_rate_limit_out)] = { 0 };

	PRM_SET(set_pp_rate_limit_in, in, opcode, PRM_OP_SET_PP_RATE_LIMIT);
	PRM_SET(set_pp_rate_limit_in, in, uid, uid);
	PRM_SET(set_pp_rate_limit_in, in, rate_limit_index, index);
	memcpy(PRM_ADDR(set_pp_rate_limit_in, in, ctx), ctx, CTX_SIZE);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* rl.c, find_rl_entry: one to share, or else the first that is not used; entries(): none. */
static uint32_t find(const struct uverbs *u, const struct uverbs_rate *want)
{
	uint32_t unused = entries(u);

	for (uint32_t i = 0; i < entries(u); i++) {
		const struct uverbs_rate *r = &u->rates[i];

		if (!r->users && unused == entries(u))
			unused = i;
		if (r->users && !want->dedicated && !r->dedicated && r->uid == want->uid &&
		    !memcmp(r->ctx, want->ctx, CTX_SIZE))
			return i;
	}
	return unused;
}

/* rl.c, mlx5_rl_add_rate_raw */
static int take(struct uverbs *u, const struct uverbs_rate *want, uint16_t *index)
{
	uint32_t rate = PRM_GET(set_pp_rate_limit_context, want->ctx, rate_limit), i;
	int ret;

	if (!rate || rate < CAP(u, packet_pacing_min_rate) ||
	    rate > CAP(u, packet_pacing_max_rate))
		return -EINVAL;
	if (!u->rates)
		u->rates = calloc(entries(u) + 1, sizeof(*u->rates));
	if (!u->rates)
		return -ENOMEM;
	i = find(u, want);
	if (i == entries(u))
		return -ENOSPC;
	if (!u->rates[i].users) {
		ret = fw_set(u, i + 1, want->uid, want->ctx);
		if (ret)
			return ret;
		u->rates[i] = *want;
	}
	u->rates[i].users++;
	*index = i + 1;
	return 0;
}

void uverbs_rate_put(struct uverbs *u, uint16_t index)
{
	static const uint8_t none[PRM_SZ(set_pp_rate_limit_context)];
	struct uverbs_rate *r = &u->rates[index - 1];

	/* rl.c, mlx5_rl_entry_put: whatever firmware says. */
	if (!--r->users)
		fw_set(u, index, r->uid, none);
}

static struct uverbs_rate rate_of(const struct uverbs *u, const struct uverbs_rate_limit *limit)
{
	struct uverbs_rate r = { .uid = CAP(u, packet_pacing_uid) ? SHARED_UID : 0 };

	PRM_SET(set_pp_rate_limit_context, r.ctx, rate_limit, limit->rate);
	PRM_SET(set_pp_rate_limit_context, r.ctx, burst_upper_bound, limit->burst);
	PRM_SET(set_pp_rate_limit_context, r.ctx, typical_packet_size, limit->packet);
	return r;
}

/* rl.c, mlx5_rl_add_rate */
int uverbs_rate_take(struct uverbs *u, const struct uverbs_rate_limit *limit, uint16_t *index)
{
	const struct uverbs_rate want = rate_of(u, limit);

	if (!UVERBS_CAP(u, qos) || !CAP(u, packet_pacing))
		return -EINVAL;
	return take(u, &want, index);
}

/* rl.c, mlx5_rl_are_equal */
bool uverbs_rate_is(const struct uverbs *u, uint16_t index,
		    const struct uverbs_rate_limit *limit)
{
	const struct uverbs_rate want = rate_of(u, limit);

	return index ? !memcmp(u->rates[index - 1].ctx, want.ctx, CTX_SIZE) : !limit->rate;
}

bool uverbs_rate_has_burst(const struct uverbs *u)
{
	return CAP(u, packet_pacing_burst_bound);
}

bool uverbs_rate_has_packet(const struct uverbs *u)
{
	return CAP(u, packet_pacing_typical_size);
}

int uverbs_pp_destroy(struct uverbs *u, void *obj)
{
	uverbs_rate_put(u, ((struct uverbs_pp *)obj)->index);
	return 0;
}

static int read_rate(const struct uverbs_call *c, struct uverbs_rate *want)
{
	uint32_t flags;
	int ret = uverbs_flags(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS,
			       MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX, &flags);

	/* qos.c: the entry can only be used through DevX. */
	if (!c->file->uid)
		return -EINVAL;
	if (ret)
		return ret;
	want->dedicated = flags & MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX;
	want->uid = want->dedicated ? c->file->uid : SHARED_UID;
	return uverbs_get(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, want->ctx, CTX_SIZE);
}

int uverbs_pp_alloc(struct uverbs_call *c)
{
	struct uverbs_rate want = { 0 };
	struct uverbs_pp *pp = c->made;
	int ret = read_rate(c, &want);

	if (!ret)
		ret = take(c->u, &want, &pp->index);
	if (!ret)
		uverbs_answer(c, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, pp->index);
	return ret;
}
