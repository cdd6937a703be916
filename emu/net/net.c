/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The switch. Each process does it for the frames that it sends: it knows the ports of all
 * processes, and a frame goes straight to their slots.
 *
 *	unicast, own MAC          processes of this port
 *	unicast, MAC of a port    its processes, and those of promiscuous ports
 *	unicast, other            processes of all other ports, TAP
 *	multicast                 all processes, this one included; TAP
 *
 * The entry of a process that ended stays until its slot is taken again; frames to it are lost.
 */
#include <stdlib.h>
#include <string.h>

#include "net/inside.h"

static uint64_t mac_of(const uint8_t *at)
{
	return (uint64_t)core_be16(at) << 32 | core_be32(at + 2);
}

static bool is_multicast(const uint8_t *mac)
{
	return mac[0] & 1;
}

void net_ports(struct net *n)
{
	uint64_t changes = hca_port_changes(n->hca);

	if (changes == n->changes)
		return;
	n->changes = changes;
	n->nports = 0;
	for (unsigned int slot = 1; slot < HCA_VHCAS; slot++) {
		uint64_t port = atomic_load(&n->hca->vhcas[slot].port);

		if (port)
			n->ports[n->nports++] = (struct net_port){
				.mac = port & HCA_PORT_MAC,
				.slot = slot,
				.promisc = port & HCA_PORT_PROMISC,
				.tap = port & HCA_PORT_TAP,
			};
	}
}

static bool is_port(const struct net *n, uint64_t mac)
{
	for (unsigned int i = 0; i < n->nports; i++)
		if (n->ports[i].mac == mac)
			return true;
	return false;
}

/* The ports that a frame goes to. */
struct receivers {
	unsigned int n;
	const struct net_port *port[HCA_VHCAS];
	bool kernel; /* and to the TAP interface */
};

/* @from: MAC of the sending port; 0: it does not come from a port. */
static void find(struct net *n, const uint8_t *dmac, uint64_t from, struct receivers *r)
{
	bool all = is_multicast(dmac), known;
	uint64_t to = mac_of(dmac);

	net_ports(n);
	known = is_port(n, to);
	r->n = 0;
	r->kernel = all || !known;
	for (unsigned int i = 0; i < n->nports; i++) {
		const struct net_port *p = &n->ports[i];

		if (all || p->mac == to ||
		    (p->mac != from && to != from && (!known || p->promisc)))
			r->port[r->n++] = p;
	}
}

static bool is_among(const struct receivers *r, const struct net_port *p)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (r->port[i] == p)
			return true;
	return false;
}

/* The TAP interface of this process, or that of another one, which passes on what it
 * receives. */
static void to_kernel(struct net *n, const uint8_t *frame, size_t len,
		      const struct receivers *r)
{
	const struct wire_ethernet how = { 0 };

	if (n->tap >= 0) {
		tap_write(n, frame, len);
		return;
	}
	for (unsigned int i = 0; i < n->nports; i++)
		if (n->ports[i].tap && !is_among(r, &n->ports[i]))
			wire_send_ethernet(n->w, n->ports[i].slot, &how, frame, len);
}

/* @tdn 0: the frame came from outside. */
static bool deliver(struct net *n, uint32_t tdn, const uint8_t *frame, size_t len,
		    const struct receivers *r)
{
	uint64_t own = mac_of(n->hca->port.mac);

	for (unsigned int i = 0; i < r->n; i++) {
		struct wire_ethernet how = { .tdn = tdn };

		how.local = tdn && r->port[i]->mac == own;
		if (!wire_send_ethernet(n->w, r->port[i]->slot, &how, frame, len) && r->n == 1)
			return false;
	}
	return true;
}

bool net_send(struct net *n, uint32_t tdn, const uint8_t *frame, size_t len)
{
	struct receivers r;

	if (len < WIRE_MIN_ETHERNET || len > WIRE_MAX_ETHERNET || n->hca->port.down)
		return true;
	find(n, frame, mac_of(n->hca->port.mac), &r);
	if (!deliver(n, tdn, frame, len, &r))
		return false;
	if (r.kernel)
		to_kernel(n, frame, len, &r);
	wire_capture(n->w, frame, len);
	return true;
}

void net_forward(struct net *n, const uint8_t *frame, size_t len, bool to_tap)
{
	struct receivers r;

	if (len < WIRE_MIN_ETHERNET)
		return;
	find(n, frame, 0, &r);
	deliver(n, 0, frame, len, &r);
	if (to_tap && r.kernel)
		to_kernel(n, frame, len, &r);
	wire_capture(n->w, frame, len);
}

void net_arrived(struct net *n, const uint8_t *frame, size_t len, uint8_t from)
{
	if (from == n->hca->slot)
		return;
	if (n->answers)
		arp_answer(n, frame, len);
	if (n->tap < 0)
		return;
	net_ports(n);
	if (is_multicast(frame) || !is_port(n, mac_of(frame)))
		tap_write(n, frame, len);
}

bool net_admits(const struct net *n, const uint8_t mac[6])
{
	const struct hca *hca = n->hca;

	if (is_multicast(mac) || hca->port.promisc || !memcmp(mac, hca->port.mac, 6))
		return true;
	for (unsigned int i = 0; i < hca->vport.n_unicast; i++)
		if (!memcmp(mac, hca->vport.unicast[i], 6))
			return true;
	return false;
}

bool net_poll(struct net *n, uint64_t now)
{
	bool moved = n->tap >= 0 && tap_poll(n);

	if (n->netdev_fd >= 0)
		netdev_poll(n, now);
	return (n->records && inject_poll(n, now)) || moved;
}

int net_fd(const struct net *n)
{
	return n->tap;
}

void net_answer(struct net *n)
{
	n->answers = true;
}

struct net *net_open(struct hca *hca, struct wire *w)
{
	struct net *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->hca = hca;
	n->w = w;
	n->tap = n->netdev_fd = -1;
	return n;
}

void net_abandon(struct net *n)
{
	core_own_close(n->tap);
	core_own_close(n->netdev_fd);
	n->tap = n->netdev_fd = -1;
}

void net_close(struct net *n)
{
	if (!n)
		return;
	net_abandon(n);
	inject_end(n);
	free(n);
}
