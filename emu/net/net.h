/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * net: the network that the port is connected to. It carries Ethernet frames.
 *
 *	                     .--> processes of the same port (own MAC, multicast)
 *	engine --net_send--> +--> processes of other ports, by MAC
 *	                     '--> TAP interface: the kernel of this machine is a host too
 *	TAP, file ---net_poll----> the same, as a switch would deliver it
 *
 * A port is a MAC address: processes that were started with the same one share it, others are
 * other hosts. All are connected to one switch. It knows the addresses of the ports
 * (hca_vhca.port), and sends a frame for another unicast address to all other ports and to the
 * TAP interface. Multicast is delivered to all, the sender included; a process of the same port
 * learns that a frame is local, and from which transport domain, since rules of loopback apply
 * to it.
 *
 * Frames for a process, the own one included, are read by wire_next(). Like wire, net is used
 * by one thread at a time, under the device lock.
 */
#ifndef EMU_NET_H
#define EMU_NET_H

#include "wire/wire.h"

struct net;

/* NULL: no memory. */
struct net *net_open(struct hca *hca, struct wire *w);
void net_close(struct net *n);
/* In the child of a fork: closes the parent's TAP interface. */
void net_abandon(struct net *n);

/* Connects TAP interface @name, which is created if there is none, and sets it up. If another
 * process of the fabric has it, frames go through that process. 0 or a positive errno value. */
int net_tap(struct net *n, const char *name);

/*
 * Delivers the frames of @path (struct net_record) as if they came from the network, with their
 * distances in time, as soon as a receive queue is ready. 0 or a positive errno value (EINVAL:
 * not such a file).
 */
int net_inject(struct net *n, const char *path);

/* The network interface @name is that of the port: if it is promiscuous, so is the port. 0 or a
 * positive errno value. */
int net_netdev(struct net *n, const char *name);

/* The port is that of a program: where its kernel would answer ARP, so does the port. */
void net_answer(struct net *n);

/* A file for net_inject() is a sequence of these, each followed by the frame without FCS. */
struct net_record {
	uint64_t ns; /* since the first */
	uint32_t len;
	uint32_t magic;
};

#define NET_RECORD_MAGIC 0x64766e31

/* A frame without FCS leaves the port; @tdn: the transport domain that sends it. False: its
 * only receiver has no space now, and the frame was not sent. Receivers of a multicast frame
 * without space lose it. */
bool net_send(struct net *n, uint32_t tdn, const uint8_t *frame, size_t len);

/* To be called for each frame that wire_next() returned: frames for the kernel go there. */
void net_arrived(struct net *n, const uint8_t *frame, size_t len, uint8_t from);

/* Takes frames from the TAP interface and from the file. False: there were none. */
bool net_poll(struct net *n, uint64_t now);

/* Readable when the kernel sent frames; -1: no TAP interface. */
int net_fd(const struct net *n);

/* Is a frame for @mac accepted by the port: unicast to its own address, or to one that the
 * driver has added (hca_vport.unicast), any multicast, or any frame if the port is
 * promiscuous? */
bool net_admits(const struct net *n, const uint8_t mac[6]);

#endif
