/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the firmware: what the commands of flow tables, groups and entries share.
 *
 *	table type -> flow_table_prop_layout of the capabilities: what tables of that type may do
 */
#ifndef EMU_FW_FLOW_H
#define EMU_FW_FLOW_H

#include "fw/command.h"

#define FW_FT(caps, f) ((uint32_t)PRM_GET(flow_table_prop_layout, caps, f))

/* The flow_table_prop_layout of tables of @type; NULL: this device has no such tables. */
const uint8_t *fw_flow_caps(const struct fw_cmd *c, uint32_t type);

/* The table @id of @type as far as the command's uid may change it; NULL: there is none. */
struct hca_flow_table *fw_flow_table_of(const struct fw_cmd *c, uint32_t type, uint32_t id);
/* The same as far as it may be named as a destination: also the driver's shared ones. */
struct hca_flow_table *fw_flow_target(const struct fw_cmd *c, uint32_t type, uint32_t id);

/* May a group of tables of @type have that mask? @criteria: its parts, PRM_MATCH_*. */
enum fw_status fw_flow_mask(struct fw_cmd *c, uint32_t type, uint32_t criteria,
			    const uint8_t *mask);

/* Do tables with @caps have that PRM_REFORMAT_*? */
bool fw_flow_reformats(const uint8_t *caps, uint32_t type);

/* Reads and checks what the flow_context @ctx of SET_FLOW_TABLE_ENTRY, for table @t, says that
 * an entry does. On refusal @act owns nothing. */
enum fw_status fw_fte_read(struct fw_cmd *c, const struct hca_flow_table *t, const uint8_t *ctx,
			   struct hca_fte_do *act);
/* May an entry of @t do all of it together? */
enum fw_status fw_fte_check(struct fw_cmd *c, const struct hca_flow_table *t,
			    const struct hca_fte_do *act);

#endif
