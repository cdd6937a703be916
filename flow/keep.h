/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rule in as few bytes as it needs: struct dv_flow_rule has space for the largest one.
 */
#ifndef FLOW_KEEP_H
#define FLOW_KEEP_H

#include <flow/rule.h>

struct kept;

/* The bytes that @rule needs; it has no more items, actions and queues than a rule can have. */
size_t keep_bytes(const struct dv_flow_rule *rule);
void keep_rule(struct kept *kept, const struct dv_flow_rule *rule);
/* The same rule again: equal bytes, if its absent parts are zeroes. */
void keep_read(const struct kept *kept, struct dv_flow_rule *rule);

#endif
