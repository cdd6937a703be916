/* SPDX-License-Identifier: BSD-2-Clause */
/* RoCE frames on the network: the frames of slot WIRE_NETWORK. */
#ifndef EMU_WIRE_NETWORK_H
#define EMU_WIRE_NETWORK_H

#include "wire/inside.h"

#define NETWORK_BATCH 32 /* frames in one system call */

struct network {
	int send4, send6; /* raw sockets; send6 -1: there is no IPv6 */
	int packets;	  /* receives */
	int held[OPTIONS_ADDRESSES];
	unsigned int nheld;
	unsigned int ifindex;
	uint16_t id; /* identification of the last IPv4 header */
	unsigned int nown;
	uint8_t own[OPTIONS_ADDRESSES][16];
	struct network_in *in;
	struct core_list groups; /* struct network_group, of network.c */
};

/* True: all frames of @b left, or are lost. False: the rest, from b->pos on, has to wait. */
bool network_send(struct network *n, struct burst *b);
/* Completes a frame of wire_pack(): identification, checksum, ICRC. */
void network_seal(struct network *n, uint8_t *frame, size_t len);
/* The next frame that arrived, valid until the next call; NULL: there is none. */
uint8_t *network_next(struct network *n, size_t *len);
bool network_is_own(const struct network *n, const uint8_t gid[16]);
void network_close(struct network *n);

#endif
