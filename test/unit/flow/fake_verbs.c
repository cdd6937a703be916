/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <criterion/criterion.h>
#include <devx/caps.h>
#include <devx/flow.h>
#include <prm/prm.h>
#include <prm/table.h>

#include "fake.h"

struct fake fake;

bool fake_fails(int err)
{
	if (!fake.fail_at || --fake.fail_at)
		return false;
	errno = fake.failed = err;
	return true;
}

int fake_busy(void)
{
	return fake.busy_at && !--fake.busy_at ? EBUSY : 0;
}

void fake_call(const char *fmt, ...)
{
	size_t len = strlen(fake.calls);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fake.calls + len, sizeof(fake.calls) - len, fmt, ap);
	va_end(ap);
}

#pragma GCC visibility push(default) /* the linker wants it if libdvkit.so allocates, too */

/* The linker's --wrap: allocations of the library. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_malloc(size_t size)
{
	return fake_fails(ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fake_fails(ENOMEM) ? NULL : __real_calloc(n, size);
}

#pragma GCC visibility pop

/* ---- objects ---- */

struct object {
	union {
		struct ibv_flow flow;
		struct ibv_flow_action action;
		struct ibv_counters counters;
		struct ibv_rwq_ind_table ind_table;
		struct ibv_qp qp;
	};
	const char *name;
	unsigned int number;
};

static unsigned int number_of(const void *o)
{
	return ((const struct object *)o)->number;
}

static struct object *create(const char *name)
{
	static unsigned int number;
	struct object *o;

	if (fake_fails(fake.fail_with))
		return NULL;
	o = __real_calloc(1, sizeof(*o));
	number = fake.objects++ ? number + 1 : 1;
	o->name = name;
	o->number = number;
	fake_call("%s%u", name, number);
	return o;
}

static int destroy(void *p)
{
	struct object *o = p;

	if (fake_busy())
		return EBUSY;
	fake_call("-%s%u ", o->name, o->number);
	fake.objects--;
	free(o);
	return 0;
}

#define DESTROYS(linkage, name, type)    \
	linkage int name(struct type *o) \
	{                                \
		return destroy(o);       \
	}
DESTROYS(static, destroy_flow, ibv_flow)
DESTROYS(static, destroy_counters, ibv_counters)
DESTROYS(static, destroy_ind_table, ibv_rwq_ind_table)
DESTROYS(static, destroy_action, ibv_flow_action)
DESTROYS(, ibv_destroy_qp, ibv_qp)
DESTROYS(, mlx5dv_destroy_flow_matcher, mlx5dv_flow_matcher)

/* ---- libibverbs ---- */

static struct ibv_flow *create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr)
{
	const uint8_t *at = (const uint8_t *)(attr + 1);
	struct object *o = create("flow");
	struct ibv_flow_spec s; /* those of the rule are not aligned */

	if (!o)
		return NULL;
	o->flow.context = fake_context;
	fake_call("(qp%u", qp->qp_num);
	for (unsigned int i = 0; i < attr->num_of_specs; i++, at += s.hdr.size) {
		memcpy(&s.hdr, at, sizeof(s.hdr));
		memcpy(&s, at, s.hdr.size);
		fake_call(" %x", s.hdr.type);
		if (s.hdr.type == IBV_FLOW_SPEC_ACTION_TAG)
			fake_call("=%x", s.flow_tag.tag_id);
		if (s.hdr.type == IBV_FLOW_SPEC_ACTION_COUNT)
			fake_call("=%u", number_of(s.flow_count.counters));
	}
	fake_call(") ");
	return &o->flow;
}

static struct ibv_counters *create_counters(struct ibv_context *ctx,
					    struct ibv_counters_init_attr *attr)
{
	struct object *o = create("counters");

	(void)attr;
	if (o)
		o->counters.context = ctx;
	return o ? &o->counters : NULL;
}

static int attach(struct ibv_counters *c, struct ibv_counter_attach_attr *attr,
		  struct ibv_flow *f)
{
	cr_assert(c && !f);
	if (fake_fails(fake.fail_with))
		return fake.failed;
	fake_call("[%u]=%d ", attr->index, attr->counter_desc);
	return 0;
}

static int read_counters(struct ibv_counters *c, uint64_t *value, uint32_t n, uint32_t flags)
{
	(void)c;
	cr_assert_eq(flags, IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	for (uint32_t i = 0; i < n; i++)
		value[i] = (uint64_t)(i + 1) << 32 | (i + 5);
	return 0;
}

static struct ibv_rwq_ind_table *create_ind_table(struct ibv_context *ctx,
						  struct ibv_rwq_ind_table_init_attr *attr)
{
	struct object *o = create("ind");
	unsigned int n = 1u << attr->log_ind_tbl_size;

	if (!o)
		return NULL;
	o->ind_table.context = ctx;
	o->ind_table.ind_tbl_num = 0xa0 + (int)o->number;
	fake_call("[%u:", n);
	for (unsigned int i = 0; i < n && i < 8; i++)
		fake_call(" %u", attr->ind_tbl[i]->wq_num);
	fake_call("] ");
	return &o->ind_table;
}

static struct ibv_qp *create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
	struct object *o = create("qp");

	if (!o)
		return NULL;
	cr_assert_eq(attr->pd, fake_targets.pd);
	cr_assert_eq(attr->rx_hash_conf.rx_hash_key_len, 40);
	o->qp.context = ctx;
	o->qp.qp_num = 0xb0 + o->number;
	fake_call("(ind%u %lx %02x%02x) ", number_of(attr->rwq_ind_tbl),
		  (unsigned long)attr->rx_hash_conf.rx_hash_fields_mask,
		  attr->rx_hash_conf.rx_hash_key[0], attr->rx_hash_conf.rx_hash_key[39]);
	return &o->qp;
}

static int query_device(struct ibv_context *ctx, const struct ibv_query_device_ex_input *in,
			struct ibv_device_attr_ex *attr, size_t size)
{
	(void)ctx;
	(void)in;
	(void)size;
	if (fake.max_table < 0)
		return EIO;
	attr->rss_caps.max_rwq_indirection_table_size = fake.max_table ? fake.max_table : 16;
	return 0;
}

static struct verbs_context verbs = {
	.ibv_create_flow = create_flow,
	.ibv_destroy_flow = destroy_flow,
	.create_counters = create_counters,
	.attach_counters_point_flow = attach,
	.destroy_counters = destroy_counters,
	.read_counters = read_counters,
	.create_rwq_ind_table = create_ind_table,
	.destroy_rwq_ind_table = destroy_ind_table,
	.create_qp_ex = create_qp,
	.query_device_ex = query_device,
	.destroy_flow_action = destroy_action,
	.sz = sizeof(verbs),
	.context = { .abi_compat = __VERBS_ABI_IS_EXTENDED },
};

struct ibv_context *const fake_context = &verbs.context;

/* ---- libmlx5 ---- */

struct mlx5dv_flow_matcher *mlx5dv_create_flow_matcher(struct ibv_context *ctx,
						       struct mlx5dv_flow_matcher_attr *attr)
{
	struct object *o = create("matcher");

	cr_assert_eq(ctx, fake_context);
	cr_assert_eq(attr->match_mask->match_sz, DEVX_FLOW_MATCH_BYTES);
	if (o)
		fake_call("(%u %x %x %lx:%d %02x) ", attr->priority,
			  attr->match_criteria_enable, attr->flags,
			  (unsigned long)attr->comp_mask, attr->ft_type,
			  ((const uint8_t *)attr->match_mask->match_buf)[18]);
	return (void *)o;
}

static void call_action(const struct mlx5dv_flow_action_attr *a)
{
	switch (a->type) {
	case MLX5DV_FLOW_ACTION_DEST_IBV_QP:
		fake_call(" qp%u", a->qp->qp_num);
		break;
	case MLX5DV_FLOW_ACTION_TAG:
		fake_call(" tag=%x", a->tag_value);
		break;
	case MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION:
		fake_call(" action%u", number_of(a->action));
		break;
	case MLX5DV_FLOW_ACTION_COUNTERS_DEVX:
		fake_call(" count%u", number_of(a->obj));
		break;
	case MLX5DV_FLOW_ACTION_DEST_DEVX:
		fake_call(" obj%u", number_of(a->obj));
		break;
	default:
		fake_call(" type%d", a->type);
	}
}

struct ibv_flow *mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher,
				    struct mlx5dv_flow_match_parameters *value, size_t n,
				    struct mlx5dv_flow_action_attr actions[])
{
	struct object *o = create("flow");

	if (!o)
		return NULL;
	o->flow.context = fake_context;
	fake_call("(matcher%u %02x", number_of(matcher),
		  ((const uint8_t *)value->match_buf)[18]);
	for (size_t i = 0; i < n; i++)
		call_action(&actions[i]);
	fake_call(") ");
	return &o->flow;
}

struct ibv_flow_action *
mlx5dv_create_flow_action_packet_reformat(struct ibv_context *ctx, size_t size, void *data,
					  enum mlx5dv_flow_action_packet_reformat_type type,
					  enum mlx5dv_flow_table_type table)
{
	struct object *o = create("reformat");

	cr_assert_eq(!size, !data);
	if (!o)
		return NULL;
	o->action.context = ctx;
	fake_call("(%zu %d %d) ", size, type, table);
	return &o->action;
}

struct ibv_flow_action *
mlx5dv_create_flow_action_modify_header(struct ibv_context *ctx, size_t size, uint64_t *actions,
					enum mlx5dv_flow_table_type table)
{
	struct object *o = create("modify");

	if (!o)
		return NULL;
	o->action.context = ctx;
	fake_call("(%zu %02x %d) ", size, *(uint8_t *)actions, table);
	return &o->action;
}

#pragma GCC visibility push(default) /* libdvkit.so calls them, too */

/* The TIR of a QP is 0x100 + its number. */
int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	cr_assert_eq(type, (uint64_t)MLX5DV_OBJ_QP);
	if (fake_fails(EOPNOTSUPP))
		return EINVAL;
	obj->qp.out->tirn = 0x100 + obj->qp.in->qp_num;
	return 0;
}

/* All capabilities; 64 levels of tables with at most 4 Mi entries. */
int devx_caps_query(uint8_t caps[DEVX_CAPS_BYTES], struct ibv_context *ctx, uint16_t group,
		    enum prm_cap_mode mode)
{
	uint8_t *props = PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_receive);

	(void)ctx;
	(void)group;
	(void)mode;
	memset(caps, 0xff, DEVX_CAPS_BYTES);
	PRM_SET(flow_table_nic_cap, caps, nic_rx_multi_path_tirs, !fake.one_tir);
	PRM_SET(flow_table_prop_layout, props, max_ft_level, 64);
	PRM_SET(flow_table_prop_layout, props, log_max_ft_size, 22);
	return 0;
}

static const char *kind_of(uint16_t opcode)
{
	switch (opcode) {
	case PRM_OP_CREATE_FLOW_TABLE:
		return "table";
	case PRM_OP_CREATE_FLOW_GROUP:
		return "group";
	case PRM_OP_SET_FLOW_TABLE_ENTRY:
		return "entry";
	case PRM_OP_ALLOC_FLOW_COUNTER:
		return "counter";
	case PRM_OP_ALLOC_TRANSPORT_DOMAIN:
		return "td";
	case PRM_OP_CREATE_TIR:
		return "tir";
	case PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT:
		return "modify";
	default:
		return "reformat";
	}
}

/* The fields that are not 0, without the names of the structures that they are in. */
static void call_fields(char *text)
{
	char *save, *word = strtok_r(text, " ", &save), *value, *dot;
	const char *between = "";

	fake_call("(");
	while ((word = strtok_r(NULL, " ", &save))) {
		value = strchr(word, '=');
		dot = value ? memrchr(word, '.', (size_t)(value - word)) : NULL;
		fake_call("%s%s", between, dot ? dot + 1 : word);
		between = " ";
	}
	fake_call(") ");
}

struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *ctx, const void *in,
					       size_t in_len, void *out, size_t out_len)
{
	uint16_t opcode = (uint16_t)PRM_GET(mbox_in, in, opcode);
	const struct prm_create *c = prm_create(opcode);
	struct object *o = create(kind_of(opcode));
	char text[2048];

	cr_assert_eq(ctx, fake_context);
	if (!o)
		return NULL;
	if (!c->chosen) {
		cr_assert_geq(8 * out_len, c->number.bit + c->number.width);
		prm_store(out, c->number.bit, c->number.width, o->number);
	}
	prm_format(text, sizeof(text), prm_cmd(opcode)->in, in, in_len, PRM_LINE);
	call_fields(text);
	return (void *)o;
}

int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *o)
{
	return destroy(o);
}

#pragma GCC visibility pop

/* ---- targets ---- */

static struct ibv_qp qps[] = { { .context = &verbs.context, .qp_num = 7 },
			       { .context = &verbs.context, .qp_num = 9 } };
static struct ibv_wq wqs[] = {
	{ .wq_num = 20 }, { .wq_num = 21 }, { .wq_num = 22 }, { .wq_num = 23 }
};
static struct object handles[] = {
	{ .number = 51 }, { .number = 52 }, { .number = 61 }, { .number = 62 }
};
static struct devx_obj objs[] = { { .handle = (void *)&handles[0], .id = 51 },
				  { .handle = (void *)&handles[1], .id = 52 },
				  { .handle = (void *)&handles[2], .id = 61 },
				  { .handle = (void *)&handles[3], .id = 62 } };
static struct ibv_pd pd;

const struct dv_flow_targets fake_targets = {
	.qp = (struct ibv_qp *[]){ &qps[0], &qps[1] },
	.n_qp = 2,
	.wq = (struct ibv_wq *[]){ &wqs[0], &wqs[1], &wqs[2], &wqs[3] },
	.n_wq = 4,
	.pd = &pd,
	.tir = (struct devx_obj *[]){ &objs[0], &objs[1] },
	.n_tir = 2,
	.table = (struct devx_obj *[]){ &objs[2], &objs[3] },
	.n_table = 2,
	.entries = 1000,
};
