/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of net: a process with a port, all in one process, and what arrives there. */
#ifndef TEST_UNIT_NET_PORT_H
#define TEST_UNIT_NET_PORT_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "lib/descriptors.h"
#include "lib/steps.h"
#include "net/net.h"

struct port {
	struct hca hca;
	struct wire *w;
	struct net *n;
};

/* Before the first one was opened; the last one leaves it so. */
static struct {
	unsigned int ports;
	int descriptors;
	long allocations;
} port_before;

static inline void port_open(struct port *p, uint8_t mac)
{
	char fabric[32];

	if (!port_before.ports++) {
		port_before.descriptors = open_descriptors();
		port_before.allocations = steps.allocations;
	}
	memset(p, 0, sizeof(*p));
	snprintf(fabric, sizeof(fabric), "net-test-%d", (int)getpid());
	p->w = wire_open(fabric);
	cr_assert_not_null(p->w, "no slot: %m");
	p->hca.slot = wire_slot(p->w);
	p->hca.vhcas = wire_vhcas(p->w);
	p->hca.port.mac[0] = 2;
	p->hca.port.mac[5] = mac;
	hca_vhca_publish(&p->hca, mac);
	p->n = net_open(&p->hca, p->w);
	cr_assert_not_null(p->n);
}

static inline void port_close(struct port *p)
{
	net_close(p->n);
	wire_close(p->w);
	if (--port_before.ports)
		return;
	cr_expect_eq(open_descriptors(), port_before.descriptors, "a descriptor is left");
	cr_expect_eq(steps.allocations, port_before.allocations, "memory is left");
}

/* A frame of @len bytes to 02:00:00:00:00:@to, or to the multicast address 03:…; the rest
 * counts up. */
static inline void frame_to(uint8_t *frame, size_t len, uint8_t first, uint8_t to)
{
	for (size_t i = 0; i < len; i++)
		frame[i] = (uint8_t)i;
	memset(frame, 0, 12);
	frame[0] = first;
	frame[5] = to;
	frame[6] = 2;
	frame[11] = 0x99;
}

/* The next Ethernet frame at @p; 0: there is none. */
static inline size_t arrived(struct port *p, uint8_t *bytes, struct wire_ethernet *how)
{
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	frame = wire_next(p->w, &len, &from);
	if (!frame)
		return 0;
	cr_assert_not_null(wire_ethernet(p->w));
	*how = *wire_ethernet(p->w);
	memcpy(bytes, frame, len);
	net_arrived(p->n, frame, len, from);
	return len;
}

static inline void expect_frame(struct port *p, const uint8_t *frame, size_t len, bool local)
{
	static uint8_t got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how = { 0 };

	cr_expect_eq(arrived(p, got, &how), len, "slot %u", p->hca.slot);
	cr_expect_arr_eq(got, frame, len);
	cr_expect_eq(how.local, local, "slot %u", p->hca.slot);
}

static inline void expect_no_frame(struct port *p)
{
	static uint8_t got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	cr_expect_eq(arrived(p, got, &how), 0, "slot %u", p->hca.slot);
}

#endif
