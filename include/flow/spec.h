/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rule as the specs of ibv_create_flow(3).
 *
 *	struct dv_flow_attr attr;
 *
 *	err = dv_flow_attr_build(&attr, &rule, NULL, &error);
 *	flow = ibv_create_flow(qp, &attr.attr);
 *
 * A spec matches less than fte_match_param: no second VLAN tag, no TTL, no flags of TCP, a VLAN
 * tag only with a bit of it. The tag, drop and count of the actions are specs, too; the
 * destination is the QP.
 */
#ifndef FLOW_SPEC_H
#define FLOW_SPEC_H

#include <infiniband/verbs.h>

#include <flow/text.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* libibverbs reads the specs at the end of attr. */
struct dv_flow_attr {
	struct ibv_flow_attr attr;
	uint8_t specs[1024];
};

/* Type NORMAL, port 1, the priority of @rule. @counters: of the action count, NULL: it is left
 * out; its description is the caller's. For a mirror rule, the same attributes for each QP.
 * EOPNOTSUPP: what specs cannot express, @error says what; EINVAL: as dv_flow_match_build(). */
int dv_flow_attr_build(struct dv_flow_attr *attr, const struct dv_flow_rule *rule,
		       struct ibv_counters *counters, struct dv_flow_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
