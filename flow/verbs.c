/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "verbs": ibv_create_flow() on the QP that is the destination. A rule that drops
 * or is of egress wants a QP, too: the first of the targets.
 */
#include <errno.h>
#include <string.h>

#include <flow/spec.h>

#include "port.h"
#include "rss.h"

/* Value 0 is packets, value 1 octets: dv_flow_query() reads them. */
static int create_counters(struct dv_flow *f, struct dv_flow_error *error)
{
	struct ibv_counters_init_attr init = { 0 };
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS };
	struct ibv_counter_attach_attr octets = { .counter_desc = IBV_COUNTER_BYTES,
						  .index = 1 };
	int err;

	if (!f->making->plan.count)
		return 0;
	f->counters = ibv_create_counters(f->port->ctx, &init);
	if (!f->counters)
		return flow_refuse(error, errno, "ibv_create_counters: %s", strerror(errno));
	err = ibv_attach_counters_point_flow(f->counters, &packets, NULL);
	if (!err)
		err = ibv_attach_counters_point_flow(f->counters, &octets, NULL);
	return err ? flow_refuse(error, err, "ibv_attach_counters_point_flow: %s",
				 strerror(err))
		   : 0;
}

static int find_qp(struct dv_flow *f, const struct plan_to *plan, struct ibv_qp **qp,
		   struct dv_flow_error *error)
{
	struct target to = { .qp = f->port->targets.n_qp ? f->port->targets.qp[0] : NULL };

	if (plan->dest != DEST_DROP && plan->dest != DEST_NONE) {
		int err = flow_target(f, plan, &to, error);

		if (err)
			return err;
	}
	*qp = to.qp;
	return *qp ? 0
		   : flow_refuse(error, EINVAL,
				 "ibv_create_flow wants a QP, and the targets have none");
}

/* Rules that match the same are one entry of the kernel, with all their QPs; one of them
 * counts. */
static int create_rules(struct dv_flow *f, struct dv_flow_error *error)
{
	for (unsigned int i = 0; !i || i < f->making->plan.dests; i++) {
		struct dv_flow_attr attr;
		struct ibv_qp *qp = NULL;
		int err = find_qp(f, &f->making->plan.to[i], &qp, error);

		if (!err)
			err = dv_flow_attr_build(&attr, f->making->rule, i ? NULL : f->counters,
						 error);
		if (err)
			return err;
		f->ibv[i] = ibv_create_flow(qp, &attr.attr);
		if (!f->ibv[i])
			return flow_refuse(error, errno, "ibv_create_flow: %s",
					   strerror(errno));
	}
	return 0;
}

static int install(struct dv_flow *f, struct dv_flow_error *error)
{
	struct dv_flow_attr attr;
	/* Before anything is created. */
	int err = dv_flow_attr_build(&attr, f->making->rule, NULL, error);

	for (unsigned int i = 0; !err && i < f->making->plan.dests; i++)
		err = flow_spec_check_dest(f->making->plan.to[i].dest, error);
	if (!err)
		err = flow_rss_create(f, error);
	if (!err)
		err = create_counters(f, error);
	return err ? err : create_rules(f, error);
}

static int remove_rule(struct dv_flow *f)
{
	int err = flow_ibv_remove(f);

	if (err)
		return err;
	err = f->counters ? ibv_destroy_counters(f->counters) : 0;
	if (err)
		return err;
	f->counters = NULL;
	return flow_rss_destroy(f);
}

const struct backend flow_verbs = { .name = "verbs",
				    .install = install,
				    .remove = remove_rule };
