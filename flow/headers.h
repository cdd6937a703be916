/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions that change headers, in the device's terms.
 */
#ifndef FLOW_HEADERS_H
#define FLOW_HEADERS_H

#include <devx/flow.h>

#include "modify.h"

struct headers {
	struct modify_list modify;
	unsigned int pops, pushes; /* VLAN tags: at most 2 each */
	struct devx_vlan push[2];
	bool decap;		       /* remove a layer 2 tunnel */
	uint8_t encap[FLOW_MAX_BYTES]; /* a header that is added */
	size_t encap_len;
	uint8_t reformat; /* with encap: PRM_REFORMAT_* */
};

/* EINVAL, EOPNOTSUPP: an action that the device does not have like this. Other actions are left
 * out. */
int flow_headers(const struct dv_flow_rule *rule, struct headers *h,
		 struct dv_flow_error *error);
/* Whether it is one of these actions. */
bool flow_is_of_headers(enum dv_flow_action_type type);
bool flow_changes_headers(const struct dv_flow_rule *rule);

/* The header of vxlan_encap or nvgre_encap. Lengths and the checksum of IPv4 are the
 * device's. */
int tunnel_header(const struct dv_flow_action *a, uint8_t header[FLOW_MAX_BYTES], size_t *len,
		  struct dv_flow_error *error);

#endif
