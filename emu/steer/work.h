/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside steer: a packet on its way, with its headers and what entries are compared with.
 *
 *	steer_work_init --> p, h, match --copy--> one for each destination
 */
#ifndef EMU_STEER_WORK_H
#define EMU_STEER_WORK_H

#include "steer/steer.h"

struct steer_work {
	struct steer_packet p;
	struct steer_headers h;
	uint8_t match[HCA_MATCH_SIZE]; /* fte_match_param */
};

/* False: not an Ethernet packet. */
bool steer_work_init(struct steer_work *w, const struct steer_packet *p);

#endif
