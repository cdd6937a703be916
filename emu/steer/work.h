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

/* ---- the walk (walk.c) ---- */

struct steer_walk {
	struct hca *hca;
	const struct steer_sink *sink;
	uint32_t tables, stes; /* came to; hit, with the changes in their lists */
	const char *why;       /* it is dropped; NULL: as tables say */
	uint8_t type;	       /* of the tables that are walked */
	bool passed;	       /* RDMA: it left the tables */
};

void steer_report(const struct steer_walk *w, const struct steer_step *s);

/* ---- changes (rewrite.c) ---- */

/* Does @e change packets? */
bool steer_changes(const struct hca_fte *e);
/* Changes the packet as @e says; false: no packet is left, or no memory. */
bool steer_rewrite(struct steer_work *w, const struct hca_fte *e);

/* Makes the bytes the packet's own, which all that follows needs; false: no memory. */
bool steer_own(struct steer_work *w);
/* Removes @cut bytes at @at and puts @n bytes of @data there; w->h stays. False: it does not
 * fit. */
bool steer_splice(struct steer_work *w, size_t at, size_t cut, const uint8_t *data, size_t n);
/* The frame without what follows its IP packet. */
void steer_cut_padding(struct steer_work *w);

/* These find the headers again. False: no packet is left. */
bool steer_decapsulate(struct steer_work *w, const uint8_t *data, size_t n, bool l3);
bool steer_pop(struct steer_work *w);
bool steer_push(struct steer_work *w, uint32_t tag);
/* In front of the packet, or of its IP header. */
bool steer_encapsulate(struct steer_work *w, const struct hca_packet_reformat *r);

/* ---- fields (field.c) ---- */

/* Actions of a modify header context, on the bytes of w->own and on the registers. */
void steer_modify(struct steer_work *w, const uint8_t (*actions)[HCA_HEADER_ACTION_SIZE],
		  uint32_t n);

#endif
