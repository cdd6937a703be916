/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the firmware: general objects of hardware steering, of which general.c hands over
 * the commands.
 *
 *	hws.c		STE ranges, STC ranges, RTCs, patterns: CREATE, QUERY, DESTROY
 *	hws_stc.c	what an STC does: MODIFY
 */
#ifndef EMU_FW_HWS_H
#define EMU_FW_HWS_H

#include "fw/command.h"

#define FW_WQE_FT(hca, f)                            \
	((uint32_t)PRM_GET(wqe_based_flow_table_cap, \
			   (hca)->caps[PRM_CAP_WQE_BASED_FLOW_TABLE], f))

/* Is the command about an object of these types? */
bool fw_is_hws(const struct fw_cmd *c);
fw_handler fw_hws_create, fw_hws_modify, fw_hws_query, fw_hws_destroy;

/* Reads what @obj, an stc, says of STCs of @range. On refusal @s is as it was. */
enum fw_status fw_stc_read(struct fw_cmd *c, const struct hca_stc_range *range,
			   const uint8_t *obj, struct hca_stc *s);

#endif
