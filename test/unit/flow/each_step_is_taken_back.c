/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call that creates a rule, and each allocation, fails once: the error is that of the
 * call, and no part of the rule stays. Each call that destroys it is refused once: the rule
 * stays, and is destroyed by the next try.
 */
#include <errno.h>
#include <criterion/criterion.h>
#include <flow/flow.h>

#include "fake.h"

#define RAW_ENCAP "raw_encap data 0001020304050607080900010800"

static const struct {
	const char *backend, *rule;
} rows[] = {
	{ "verbs", "ingress pattern eth / end actions count / queue / queue index 1 / end" },
	{ "verbs", "ingress pattern ipv4 / end actions count / rss queues 1 0 2 end / end" },
	{ "kernel",
	  "ingress pattern ipv4 / end actions count / dec_ttl / vxlan_decap / queue / "
	  "rss queues 1 2 end / end" },
	{ "devx", "ingress pattern ipv4 / end actions count / dec_ttl / " RAW_ENCAP
		  " / queue / jump group 1 / rss queues 1 2 end / end" },
	{ "devx", "transfer group 2 pattern end actions vport id 2 / jump group 3 / end" },
	{ "dr", "ingress pattern end actions drop / end" },
	{ "dr", "ingress group 1 pattern end actions count / queue / jump group 2 / end" },
	{ "dr",
	  "ingress group 1 pattern end actions tag value 4 / meter mtr_id 1 / queue / end" },
	{ "dr",
	  "ingress group 1 pattern end actions sample ratio 9 index 0 / jump group 2 / end" },
	{ "dr", "ingress group 1 pattern eth / vlan / ipv4 / end actions of_pop_vlan / "
		"dec_ttl / of_push_vlan ethertype 0x8100 / rss queues 1 2 end / end" },
	{ "dr", "ingress pattern ipv4 / end actions raw_decap / " RAW_ENCAP
		" / dec_ttl / queue / end" },
};

static struct dv_flow_port *port;
static struct dv_flow_rule rule;
static struct dv_flow_error error;

static void open_port(size_t row)
{
	static struct dv_flow_rule sample;
	static struct devx_obj meter = { .handle = (struct mlx5dv_devx_obj *)0x1234 };
	static struct devx_obj *const meters[] = { &meter };
	struct dv_flow_targets targets = fake_targets;

	cr_assert_eq(dv_flow_parse(&sample,
				   "ingress pattern end actions tag value 5 / queue / end",
				   &error),
		     0);
	targets.sample = &sample;
	targets.meter = meters;
	targets.n_sample = targets.n_meter = 1;
	cr_assert_eq(dv_flow_open(&port, fake_context, rows[row].backend, &targets, &error), 0);
	cr_assert_eq(dv_flow_parse(&rule, rows[row].rule, &error), 0, "%s: %s", rows[row].rule,
		     error.message);
}

static void nothing_is_left(unsigned int objects, size_t row, unsigned int n)
{
	cr_assert_null(dv_flow_next(port, NULL), "%s: call %u", rows[row].rule, n);
	cr_assert_eq(fake.objects, objects, "%s: call %u", rows[row].rule, n);
}

/* The number of calls: that of the first one that would have failed after the last. */
static unsigned int each_constructor_fails(size_t row, unsigned int objects)
{
	static const int errors[] = { EINVAL, ENOMEM, ENOSPC, EBUSY };
	struct dv_flow *f;
	int err;

	for (unsigned int n = 1;; n++) {
		fake.fail_at = n;
		fake.fail_with = errors[n % 4];
		fake.failed = 0;
		error.message[0] = 0;
		err = dv_flow_create(&f, port, &rule, &error);
		cr_assert_eq(err, fake.failed, "%s: call %u: %d", rows[row].rule, n, err);
		if (!err)
			return n;
		cr_assert_neq(error.message[0], 0, "%s: call %u", rows[row].rule, n);
		nothing_is_left(objects, row, n);
	}
}

static unsigned int each_destructor_is_refused(size_t row, unsigned int objects)
{
	struct dv_flow *f;

	for (unsigned int n = 1;; n++) {
		f = dv_flow_next(port, NULL);
		fake.busy_at = n;
		if (!dv_flow_destroy(f)) {
			nothing_is_left(objects, row, n);
			return n;
		}
		cr_assert_eq(dv_flow_next(port, NULL), f, "%s: call %u", rows[row].rule, n);
		cr_assert_eq(dv_flow_destroy(f), 0, "%s: call %u", rows[row].rule, n);
		nothing_is_left(objects, row, n);
		cr_assert_eq(dv_flow_create(&f, port, &rule, &error), 0);
	}
}

Test(each_step_is_taken_back, of_each_back_end)
{
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		unsigned int domain, made, gone;
		struct dv_flow *f;

		open_port(row);
		cr_assert_eq(dv_flow_create(&f, port, &rule, &error), 0, "%s: %s",
			     rows[row].rule, error.message);
		cr_assert_eq(dv_flow_destroy(f), 0);
		domain = fake.objects; /* stays */
		made = each_constructor_fails(row, domain);
		fake.fail_at = 0;
		gone = each_destructor_is_refused(row, domain);
		fake.busy_at = 0;
		cr_assert(made > 3 && gone > 1, "%s: %u, %u", rows[row].rule, made, gone);
		dv_flow_close(port);
		cr_assert_eq(fake.objects, 0, "%s", rows[row].rule);
	}
}

Test(each_step_is_taken_back, of_a_port)
{
	fake.fail_at = 1;
	cr_assert_eq(dv_flow_open(&port, fake_context, "devx", NULL, &error), ENOMEM);
}
