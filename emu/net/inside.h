/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside net: what its files share.
 *
 *	net.c     the switch
 *	tap.c     the kernel of this machine as a host
 *	inject.c  frames of a file
 *	netdev.c  the network interface of the port
 *	arp.c     what a kernel answers on it
 */
#ifndef EMU_NET_INSIDE_H
#define EMU_NET_INSIDE_H

#include "net/net.h"

#define NET_BATCH 64 /* frames taken from one source in an iteration */

struct net_port {
	uint64_t mac;
	uint8_t slot;
	bool promisc, tap;
};

struct net {
	struct hca *hca;
	struct wire *w;
	int tap;	  /* -1: none */
	char netdev[16];  /* name of the interface of the port */
	int netdev_fd;	  /* that its changes are read from; -1: none */
	bool answers;	  /* ARP */
	uint64_t looked;  /* when */
	uint64_t changes; /* hca_port_changes() when the ports were read */
	unsigned int nports;
	struct net_port
		ports[HCA_VHCAS];      /* of all processes of the fabric, this one included */
	uint8_t *records, *next, *end; /* of the injected file: mapped; NULL: none */
	uint64_t started;	       /* when its first frame was injected; 0: not yet */
	uint8_t frame[WIRE_MAX_ETHERNET];
};

/* Reads the ports of the fabric again if they changed. */
void net_ports(struct net *n);
/* A frame that came in by the TAP interface or the file: to all ports that a switch delivers it
 * to. */
void net_forward(struct net *n, const uint8_t *frame, size_t len, bool to_tap);

bool tap_poll(struct net *n);
void tap_write(struct net *n, const uint8_t *frame, size_t len);

void netdev_poll(struct net *n, uint64_t now);

/* Replies to a request for an address of the port. */
void arp_answer(struct net *n, const uint8_t *frame, size_t len);

bool inject_poll(struct net *n, uint64_t now);
void inject_end(struct net *n);

#endif
