/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions that change headers, in the device's terms.
 */
#ifndef FLOW_HEADERS_H
#define FLOW_HEADERS_H

#include <devx/flow.h>

#include "error.h"
#include "table.h"

enum { HEADERS_CHANGES = 64 };

struct headers {
	uint8_t change[HEADERS_CHANGES][8]; /* set_action_in, add_action_in */
	unsigned int changes;
	unsigned int pops, pushes; /* VLAN tags: at most 2 each */
	struct devx_vlan push[2];
	bool decap;			 /* remove a layer 2 tunnel */
	const struct flow_action *encap; /* raw_encap */
	uint8_t reformat;		 /* of encap: PRM_REFORMAT_* */
};

/* EINVAL, EOPNOTSUPP: an action that the device does not have like this. Other actions are left out. */
int flow_headers(const struct flow_rule *rule, struct headers *h, struct flow_error *error);
/* Whether it is one of these actions. */
bool flow_is_of_headers(enum flow_action_type type);
bool flow_changes_headers(const struct flow_rule *rule);

#endif
