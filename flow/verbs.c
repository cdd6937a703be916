/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "verbs": ibv_create_flow() on the QP that is the destination. A rule that drops or is of
 * egress wants a QP, too: the first of the targets.
 */
#include <errno.h>
#include <string.h>

#include <flow/spec.h>

#include "port.h"
#include "rss.h"

/* Value 0 is packets, value 1 octets: flow_query() reads them. */
static int create_counters(struct flow *f, struct flow_error *error)
{
	struct ibv_counters_init_attr init = { 0 };
	struct ibv_counter_attach_attr packets = { .counter_desc = IBV_COUNTER_PACKETS };
	struct ibv_counter_attach_attr octets = { .counter_desc = IBV_COUNTER_BYTES,
						  .index = 1 };
	int err;

	if (!f->plan.count)
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

static int find_qp(struct flow *f, struct ibv_qp **qp, struct flow_error *error)
{
	struct target to = { .qp = f->port->targets.qps ? f->port->targets.qp[0] : NULL };

	if (f->plan.dest != DEST_DROP && f->plan.dest != DEST_NONE) {
		int err = flow_target(f, &to, error);

		if (err)
			return err;
	}
	*qp = to.qp;
	return *qp ? 0
		   : flow_refuse(error, EINVAL,
				 "ibv_create_flow wants a QP, and the targets have none");
}

static int install(struct flow *f, struct flow_error *error)
{
	struct flow_attr attr;
	struct ibv_qp *qp = NULL;
	/* Before anything is created. */
	int err = flow_attr_build(&f->rule, NULL, &attr, error);

	if (!err)
		err = flow_rss_create(f, error);
	if (!err)
		err = find_qp(f, &qp, error);
	if (!err)
		err = create_counters(f, error);
	if (!err)
		err = flow_attr_build(&f->rule, f->counters, &attr, error);
	if (err)
		return err;
	f->ibv = ibv_create_flow(qp, &attr.attr);
	return f->ibv ? 0 : flow_refuse(error, errno, "ibv_create_flow: %s", strerror(errno));
}

static int remove_rule(struct flow *f)
{
	int err = f->ibv ? ibv_destroy_flow(f->ibv) : 0;

	if (err)
		return err;
	f->ibv = NULL;
	err = f->counters ? ibv_destroy_counters(f->counters) : 0;
	if (err)
		return err;
	f->counters = NULL;
	return flow_rss_destroy(f);
}

const struct backend flow_verbs = { "verbs",	 false, false, install,
				    remove_rule, NULL,	NULL,  NULL };
