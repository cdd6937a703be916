/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "dr" with calls of mlx5dv_dr that only record: which ones it makes, in which
 * order, and that nothing is destroyed while something else uses it, which libmlx5 answers with
 * EBUSY.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <criterion/criterion.h>

#include <flow/port.h>

#include "fake.h"

/* ---- mlx5dv_dr ---- */

/* All kinds of objects: how many others use it, and which ones it uses. */
struct object {
	unsigned int refs, uses;
	struct object *use[16];
};

#define KIND(name)                    \
	struct name {                 \
		struct object object; \
	}
KIND(mlx5dv_dr_domain);
KIND(mlx5dv_dr_table);
KIND(mlx5dv_dr_matcher);
KIND(mlx5dv_dr_rule);
KIND(mlx5dv_dr_action);

/* The byte that has ip_version, of the latest matcher and rule. */
static uint8_t matched[2];

static uint8_t match_byte(const struct mlx5dv_flow_match_parameters *p)
{
	cr_assert_eq(p->match_sz, 7 * 64, "tables of libmlx5 refuse more");
	return ((const uint8_t *)p->match_buf)[0x12];
}

static void *new_object(void)
{
	if (fake_fails(fake.fail_with))
		return NULL;
	fake.objects++;
	return __real_calloc(1, sizeof(struct object));
}

static void use(void *user, void *used)
{
	struct object *o = user;

	if (!o)
		return;
	o->use[o->uses++] = used;
	o->use[o->uses - 1]->refs++;
}

static int destroy(void *p)
{
	struct object *o = p;

	if (o->refs || fake_busy())
		return EBUSY;
	while (o->uses)
		o->use[--o->uses]->refs--;
	free(o);
	fake.objects--;
	return 0;
}

#define DESTROY(kind)                                              \
	int mlx5dv_dr_##kind##_destroy(struct mlx5dv_dr_##kind *o) \
	{                                                          \
		return destroy(o);                                 \
	}
DESTROY(domain)
DESTROY(table)
DESTROY(matcher)
DESTROY(rule)
DESTROY(action)

struct mlx5dv_dr_domain *mlx5dv_dr_domain_create(struct ibv_context *ctx,
						 enum mlx5dv_dr_domain_type type)
{
	fake_call("domain%d ", type);
	(void)ctx;
	return new_object();
}

struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *d, uint32_t level)
{
	struct mlx5dv_dr_table *t = new_object();

	fake_call("table%u ", level);
	use(t, d);
	return t;
}

struct mlx5dv_dr_matcher *mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *t, uint16_t priority,
						   uint8_t criteria,
						   struct mlx5dv_flow_match_parameters *mask)
{
	struct mlx5dv_dr_matcher *m = new_object();

	(void)criteria;
	matched[0] = match_byte(mask);
	fake_call("matcher%u ", priority);
	use(m, t);
	return m;
}

struct mlx5dv_dr_rule *mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *m,
					     struct mlx5dv_flow_match_parameters *value,
					     size_t n, struct mlx5dv_dr_action *actions[])
{
	struct mlx5dv_dr_rule *r = new_object();

	matched[1] = match_byte(value);
	fake_call("rule%zu", n);
	use(r, m);
	for (size_t i = 0; i < n; i++)
		use(r, actions[i]);
	return r;
}

static struct mlx5dv_dr_action *action(void *used)
{
	struct mlx5dv_dr_action *a = new_object();

	if (used)
		use(a, used);
	return a;
}

#define PLAIN(kind, word)                                             \
	struct mlx5dv_dr_action *mlx5dv_dr_action_create_##kind(void) \
	{                                                             \
		fake_call(word " ");                                  \
		return action(NULL);                                  \
	}
PLAIN(drop, "drop")
PLAIN(default_miss, "miss")
PLAIN(pop_vlan, "pop")

struct mlx5dv_dr_action *mlx5dv_dr_action_create_tag(uint32_t tag)
{
	fake_call("tag%u ", tag);
	return action(NULL);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_ibv_qp(struct ibv_qp *qp)
{
	fake_call("qp%u ", qp->qp_num);
	return action(NULL);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *obj)
{
	(void)obj;
	fake_call("tir ");
	return action(NULL);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_flow_counter(struct mlx5dv_devx_obj *obj,
							      uint32_t offset)
{
	(void)obj;
	fake_call("count%u ", offset);
	return action(NULL);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_table(struct mlx5dv_dr_table *t)
{
	fake_call("to_table ");
	return action(t);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_vport(struct mlx5dv_dr_domain *d,
							    uint32_t vport)
{
	fake_call("vport%u ", vport);
	return action(d);
}

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_array(struct mlx5dv_dr_domain *d, size_t n,
				   struct mlx5dv_dr_action_dest_attr *dests[])
{
	struct mlx5dv_dr_action *a = action(d);

	fake_call("array%zu ", n);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(dests[i]->type, MLX5DV_DR_ACTION_DEST);
		use(a, dests[i]->dest);
	}
	return a;
}

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_flow_sampler(struct mlx5dv_dr_flow_sampler_attr *attr)
{
	struct mlx5dv_dr_action *a = action(attr->default_next_table);

	fake_call("sampler%u,%u ", attr->sample_ratio, attr->num_sample_actions);
	for (uint32_t i = 0; i < attr->num_sample_actions; i++)
		use(a, attr->sample_actions[i]);
	return a;
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_aso(struct mlx5dv_dr_domain *d,
						     struct mlx5dv_devx_obj *obj,
						     uint32_t offset, uint32_t flags,
						     uint8_t reg)
{
	cr_assert_eq((uintptr_t)obj, 0x1234u);
	fake_call("aso%u,%u,%u ", offset, flags, reg);
	return action(d);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_push_vlan(struct mlx5dv_dr_domain *d,
							   __be32 header)
{
	uint8_t b[4];

	memcpy(b, &header, 4);
	fake_call("push%02x%02x%02x%02x ", b[0], b[1], b[2], b[3]);
	return action(d);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_modify_header(struct mlx5dv_dr_domain *d,
							       uint32_t flags, size_t size,
							       __be64 list[])
{
	const uint8_t *b = (const uint8_t *)list;

	fake_call("modify%u,%zu,%02x%02x ", flags, size, b[0], b[1]);
	return action(d);
}

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_packet_reformat(struct mlx5dv_dr_domain *d, uint32_t flags,
					enum mlx5dv_flow_action_packet_reformat_type type,
					size_t size, void *data)
{
	cr_assert_eq(!size, !data);
	fake_call("reformat%u,%d,%zu ", flags, type, size);
	return action(d);
}

/* ---- the tests ---- */

static struct ibv_qp qps[2] = { { .qp_num = 7 }, { .qp_num = 9 } };
static struct ibv_qp *const list[2] = { &qps[0], &qps[1] };
static struct devx_obj meter = { .handle = (struct mlx5dv_devx_obj *)0x1234 };
static struct devx_obj *const meters[1] = { &meter };
static struct dv_flow_rule samples[2];
static struct dv_flow_targets targets = {
	.qp = list, .n_qp = 2, .sample = samples, .n_sample = 2, .meter = meters, .n_meter = 1
};
static struct dv_flow_port *port;
static struct dv_flow_error error;

static void open_port(void)
{
	cr_assert_eq(dv_flow_parse(&samples[0],
				   "ingress pattern end actions queue index 1 / end", &error),
		     0);
	cr_assert_eq(dv_flow_parse(&samples[1],
				   "ingress pattern end actions tag value 5 / queue / end",
				   &error),
		     0);
	cr_assert_eq(dv_flow_open(&port, fake_context, "dr", &targets, &error), 0);
}

static void close_port(void)
{
	dv_flow_close(port);
	cr_assert_eq(fake.objects, 0);
}

TestSuite(dr_calls_are_these, .init = open_port, .fini = close_port);

static int try_rule(const char *text, struct dv_flow **f)
{
	static struct dv_flow_rule rule;

	fake.calls[0] = 0;
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
	return dv_flow_create(f, port, &rule, &error);
}

static struct dv_flow *made(const char *text, const char *wanted)
{
	struct dv_flow *f = NULL;

	cr_assert_eq(try_rule(text, &f), 0, "%s: %s", text, error.message);
	cr_assert_str_eq(fake.calls, wanted, "%s: %s", text, fake.calls);
	return f;
}

static void refused(const char *text, int err, const char *message)
{
	unsigned int before = fake.objects;
	struct dv_flow *f;

	cr_assert_eq(try_rule(text, &f), err, "%s", text);
	cr_assert_eq(strncmp(error.message, message, strlen(message)), 0, "%s: %s", text,
		     error.message);
	/* A domain stays. */
	cr_assert(fake.objects == before ||
		  (fake.objects == before + 1 && strstr(fake.calls, "domain")));
}

Test(dr_calls_are_these, destinations)
{
	made("ingress pattern end actions drop / end", "domain0 table0 drop matcher0 rule1");
	made("ingress group 1 priority 3 pattern ipv4 / end actions queue index 1 / tag value 4 / end",
	     "table1 tag4 qp9 matcher3 rule2");
	made("ingress priority 65535 pattern end actions count / drop / end",
	     "counter1() count0 drop matcher65535 rule2");
	refused("ingress priority 65536 pattern end actions drop / end", EINVAL, "priority: ");
	made("transfer group 1 pattern end actions vport id 2 / end",
	     "domain2 table1 vport2 matcher0 rule1");
	made("egress group 1 pattern end actions set_meta data 1 / end",
	     "domain1 table1 modify0,8,1049 matcher0 rule1");
	refused("ingress group 1 pattern end actions jump group 1 / end", EINVAL, "jump: ");
	refused("ingress pattern end actions devx_table id 1 / end", EOPNOTSUPP,
		"devx_table: ");
}

/* Rules of one mask, table and priority have one matcher, as long as there is one of them. */
Test(dr_calls_are_these, matchers_are_shared)
{
	static const char text[] =
		"ingress group 1 pattern ipv4 dst is %u.0.0.1 / end actions drop / end";
	struct dv_flow *f[3];
	char one[80];

	for (unsigned int i = 0; i < 3; i++) {
		snprintf(one, sizeof(one), text, i);
		f[i] = made(one, i ? "drop rule1" : "domain0 table1 drop matcher0 rule1");
	}
	made("ingress group 1 priority 1 pattern ipv4 dst is 0.0.0.1 / end actions drop / end",
	     "drop matcher1 rule1");
	made("ingress group 2 pattern ipv4 dst is 0.0.0.1 / end actions drop / end",
	     "table2 drop matcher0 rule1");
	made("ingress group 1 pattern ipv4 dst spec 0.0.0.1 dst prefix 31 / end actions drop / end",
	     "drop matcher0 rule1");
	cr_assert_eq(dv_flow_destroy(f[1]), 0);
	cr_assert_eq(dv_flow_destroy(f[0]), 0);
	f[0] = made("ingress group 1 pattern ipv4 dst is 9.0.0.1 / end actions drop / end",
		    "drop rule1");
	cr_assert_eq(dv_flow_destroy(f[2]), 0);
	cr_assert_eq(dv_flow_destroy(f[0]), 0);
	made("ingress group 1 pattern ipv4 dst is 9.0.0.1 / end actions drop / end",
	     "drop matcher0 rule1");
}

/* Tables of libmlx5 match a version under its bits only; the kernel's root table under all. */
Test(dr_calls_are_these, versions)
{
	made("ingress pattern ipv6 / end actions drop / end",
	     "domain0 table0 drop matcher0 rule1");
	cr_assert(matched[0] == 0xf << 1 && matched[1] == 6 << 1);
	made("ingress group 1 pattern ipv6 / end actions drop / end",
	     "table1 drop matcher0 rule1");
	cr_assert(matched[0] == 6 << 1 && matched[1] == 6 << 1);
}

Test(dr_calls_are_these, mirror)
{
	made("ingress group 1 pattern end actions queue / jump group 2 / end",
	     "domain0 table1 qp7 table2 to_table array2 matcher0 rule1");
	made("ingress group 1 pattern end actions queue / sample ratio 1 index 0 / end",
	     "qp7 qp9 array2 rule1");
	refused("ingress pattern end actions queue / queue / end", EINVAL,
		"queue: twice the same");
	refused("ingress pattern end actions queue index 1 / sample ratio 1 index 0 / end",
		EINVAL, "queue: twice the same");
	refused("ingress pattern end actions queue index 1 / sample ratio 1 index 1 / end",
		EOPNOTSUPP, "sample: tag is not");
	fake.one_tir = true;
	refused("ingress pattern end actions queue / queue index 1 / end", EOPNOTSUPP,
		"several destinations: capability nic_rx_multi_path_tirs");
}

Test(dr_calls_are_these, sample)
{
	made("ingress group 1 pattern end actions sample ratio 100 index 1 / jump group 3 / end",
	     "domain0 table1 table3 tag5 qp7 sampler100,2 matcher0 rule1");
	refused("ingress group 1 pattern end actions sample ratio 2 index 0 / queue / end",
		EOPNOTSUPP, "sample: dr wants jump");
	refused("ingress pattern end actions sample ratio 2 index 2 / jump group 3 / end",
		EINVAL, "sample index: ");
	refused("ingress pattern end actions sample ratio 0 index 0 / drop / end", EINVAL,
		"sample ratio: ");
}

Test(dr_calls_are_these, meter)
{
	made("ingress group 1 pattern end actions meter mtr_id 1 / jump group 2 / end",
	     "domain0 table1 aso1,4,3 table2 to_table matcher0 rule2");
	refused("ingress group 1 pattern end actions meter mtr_id 2 / drop / end", EINVAL,
		"meter mtr_id: ");
	refused("ingress pattern end actions meter / meter / drop / end", EINVAL, "meter: ");
}

Test(dr_calls_are_these, headers)
{
	made("ingress group 1 pattern eth / vlan / ipv4 / end actions queue / set_ttl ttl_value 3 / "
	     "of_push_vlan ethertype 0x8100 / of_set_vlan_vid vlan_vid 5 / of_pop_vlan / tag value 1 / end",
	     "domain0 table1 tag1 pop modify0,8,100a push81000005 qp7 matcher0 rule5");
	made("ingress group 1 pattern end actions vxlan_decap / queue / end",
	     "reformat0,0,0 qp7 matcher0 rule2");
	made("egress group 1 pattern end actions nvgre_encap tni 1 ip-src ::1 ip-dst ::2 / end",
	     "domain1 table1 reformat0,1,62 matcher0 rule1");
	made("ingress pattern ipv4 / end actions raw_decap / "
	     "raw_encap data 0001020304050607080900010800 / dec_ttl / queue / end",
	     "table0 reformat1,2,14 modify1,8,200a qp7 matcher0 rule3");
	refused("ingress pattern end actions of_pop_vlan / drop / end", EOPNOTSUPP,
		"of_pop_vlan: mlx5dv_dr has it in other groups");
}

/* Each permutation of four rules that share tables. */
Test(dr_calls_are_these, destruction_in_any_order)
{
	static const char *const texts[4] = {
		"ingress pattern end actions jump group 1 / end",
		"ingress group 1 pattern end actions jump group 2 / queue / end",
		"ingress group 2 pattern end actions sample ratio 9 index 0 / jump group 3 / end",
		"ingress group 1 pattern end actions drop / end",
	};

	for (unsigned int order = 0; order < 256; order++) {
		struct dv_flow *f[4];
		unsigned int done = 0;

		for (unsigned int i = 0; i < 4; i++)
			cr_assert_eq(try_rule(texts[i], &f[i]), 0, "%s", error.message);
		for (unsigned int i = 0; i < 4; i++) {
			unsigned int n = order >> 2 * i & 3;

			if (!(done >> n & 1))
				cr_assert_eq(dv_flow_destroy(f[n]), 0);
			done |= 1u << n;
		}
		while (dv_flow_next(port, NULL))
			cr_assert_eq(dv_flow_destroy(dv_flow_next(port, NULL)), 0);
		cr_assert_eq(fake.objects, 1, "only the domain is left");
	}
}
