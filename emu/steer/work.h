/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside steer: a packet on its way, with its headers and what entries are compared with.
 *
 *	steer_work_init --> p, h, match --steer_rewrite--> p, h, match
 *	                                --copy--> one for each destination
 */
#ifndef EMU_STEER_WORK_H
#define EMU_STEER_WORK_H

#include "steer/steer.h"

#define STEER_FRAME_MAX 10000 /* bytes of the longest frame of the wire */

struct steer_work {
	struct steer_packet p;
	struct steer_headers h;
	uint8_t match[HCA_MATCH_SIZE]; /* fte_match_param */
	uint8_t *own;		       /* p.bytes, once they were changed; NULL: the caller's */
};

/* False: not an Ethernet packet. */
bool steer_work_init(struct steer_work *w, const struct steer_packet *p);
/* After a change of the packet: its headers, and what is compared. */
bool steer_work_again(struct steer_work *w);
void steer_work_fini(struct steer_work *w);

/* Does @e change packets? */
bool steer_changes(const struct hca_fte *e);
/* Changes the packet as @e says; false: no packet is left, or no memory. */
bool steer_rewrite(struct steer_work *w, const struct hca_fte *e);

/* ---- fields (field.c) ---- */

/* The actions of @m, on the bytes of w->own and on the registers. */
void steer_modify(struct steer_work *w, const struct hca_modify_header *m);

#endif
