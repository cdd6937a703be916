/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbell pages of virtio queues, and entries of the packet pacing table. */
#include "devx.h"
#include "uverbs/method.h"

#define SUITE	  var_and_pp_are_limited_by_the_adapter
#define DEDICATED MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX

CONTEXT_SUITE(SUITE);

struct pp {
	uint32_t handle;
	uint16_t index;
};

static int pp_alloc(struct bench *b, uint32_t rate, uint32_t flags, struct pp *pp)
{
	struct call c = call(MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, 0);
	uint8_t ctx[PRM_SZ(set_pp_rate_limit_context)] = { 0 };
	int ret;

	PRM_SET(set_pp_rate_limit_context, ctx, rate_limit, rate);
	call_in(&c, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, ctx, sizeof(ctx));
	call_u32(&c, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS, flags);
	call_out(&c, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, &pp->index, 2);
	ret = call_run(b, &c);
	pp->handle = h->data;
	return ret;
}

static int pp_destroy(struct bench *b, const struct pp *pp)
{
	return destroy(b, MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY,
		       MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE, pp->handle);
}

static void need_pp(void)
{
	if (!fw_cap(&b.hca, "qos_cap", "packet_pacing_uid"))
		cr_skip_test("this adapter has no packet pacing");
}

Test(SUITE, the_same_rate_is_the_same_entry_unless_dedicated)
{
	struct pp one, same, own, other;

	need_pp();
	cr_assert_eq(pp_alloc(&b, 100, 0, &one), 0);
	cr_assert_eq(pp_alloc(&b, 100, 0, &same), 0);
	cr_assert_eq(pp_alloc(&b, 100, DEDICATED, &own), 0);
	cr_assert_eq(pp_alloc(&b, 200, 0, &other), 0);
	cr_assert_neq(one.index, 0, "entry 0 is: no limit");
	cr_assert_eq(one.index, same.index);
	cr_assert_neq(own.index, one.index);
	cr_assert_neq(other.index, one.index);
	cr_assert_neq(other.index, own.index);
	cr_assert_eq(pp_destroy(&b, &one), 0);
	cr_assert_eq(pp_alloc(&b, 300, 0, &one), 0);
	cr_assert_neq(one.index, same.index, "still in use");
	cr_assert_eq(pp_destroy(&b, &same), 0);
	cr_assert_eq(pp_destroy(&b, &same), -ENOENT);
	cr_assert_eq(pp_alloc(&b, 400, 0, &other), 0);
	cr_assert_eq(other.index, same.index, "free again");
}

Test(SUITE, rates_have_limits_and_the_table_an_end)
{
	struct pp pp;
	uint32_t n = 0;
	int ret;

	need_pp();
	cr_assert_eq(pp_alloc(&b, 0, 0, &pp), -EINVAL);
	cr_assert_eq(pp_alloc(&b, UINT32_MAX, 0, &pp), -EINVAL);
	cr_assert_eq(pp_alloc(&b, 100, 2, &pp), -EINVAL, "an unknown flag");
	while (!(ret = pp_alloc(&b, 100, DEDICATED, &pp)))
		n++;
	cr_assert_eq(ret, -ENOSPC);
	cr_assert_eq(n, fw_cap(&b.hca, "qos_cap", "packet_pacing_rate_table_size") - 1);
}

/* ---- VAR ---- */

struct var {
	uint32_t handle, length, page;
	uint64_t offset;
};

static int var_alloc(struct bench *b, struct var *v)
{
	struct call c = call(MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_HANDLE, 0);
	int ret;

	call_out(&c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_OFFSET, &v->offset, 8);
	call_out(&c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_LENGTH, &v->length, 4);
	call_out(&c, MLX5_IB_ATTR_VAR_OBJ_ALLOC_PAGE_ID, &v->page, 4);
	ret = call_run(b, &c);
	v->handle = h->data;
	return ret;
}

static int var_destroy(struct bench *b, const struct var *v)
{
	return destroy(b, MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_DESTROY,
		       MLX5_IB_ATTR_VAR_OBJ_DESTROY_HANDLE, v->handle);
}

Test(SUITE, an_adapter_without_virtio_queues_does_not_know_var)
{
	struct var v;

	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], general_obj_types, 0);
	cr_assert_eq(var_alloc(&b, &v), -EPROTONOSUPPORT);
}

/* The capabilities as an adapter with virtio queues would tell them: 4 pages. */
Test(SUITE, pages_are_given_out_and_taken_back)
{
	uint8_t *cap;
	struct var v[4], more;
	char *page;

	cap = b.u->caps[PRM_CAP_VDPA_EMULATION];
	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], general_obj_types, 1u << 0xd);
	PRM_SET(virtio_emulation_cap, cap, log_doorbell_stride, 12);
	PRM_SET(virtio_emulation_cap, cap, log_doorbell_bar_size, 2);
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_eq(var_alloc(&b, &v[i]), 0);
		cr_assert_eq(v[i].page, i);
		cr_assert_eq(v[i].length, PAGE);
	}
	cr_assert_eq(var_alloc(&b, &more), -ENOSPC);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, b.hca.bar_fd, v[2].offset);
	cr_assert_neq(page, MAP_FAILED);
	page[0] = 1;
	munmap(page, PAGE);
	cr_assert_eq(var_destroy(&b, &v[2]), 0);
	cr_assert_eq(var_alloc(&b, &more), 0);
	cr_assert_eq(more.offset, v[2].offset);
}

Test(SUITE, a_port_without_a_switch_returns_nothing)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT);
	struct mlx5_ib_uapi_query_port info, none = { 0 };

	memset(&info, 0xff, sizeof(info));
	call_u32(&c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, 1);
	call_out(&c, MLX5_IB_ATTR_QUERY_PORT, &info, sizeof(info));
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_arr_eq((uint8_t *)&info, (uint8_t *)&none, sizeof(info));
	c.attr[0].data = 2;
	cr_assert_eq(call_run(&b, &c), -EINVAL);
}
