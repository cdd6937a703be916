/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters that dvfw top shows, by name.
 *
 *	vport  received_eth_unicast.packets     QUERY_VPORT_COUNTER
 *	vnic   rx_steer_discards …              QUERY_VNIC_ENV
 *	port   if_in_octets …                   PPCNT: IEEE 802.3, RFC 2863
 *	q      out_of_sequence …                hw_counters of the port in sysfs: the kernel's own Q
 *	                                        counter; DevX queries none but its own
 *
 * A source that the device refuses is not asked again.
 */
#ifndef DVFW_COUNTERS_H
#define DVFW_COUNTERS_H

#include <stdint.h>

#include "base/base.h"

#define COUNTERS_MAX 256

struct counter {
	const char *source; /* "vport", "vnic", "port", "q" */
	char name[80];
	unsigned int bits; /* it wraps at 2^bits */
	uint64_t value, before;
};

struct counters {
	struct dvfw *dvfw;
	uint8_t port;
	unsigned int refused; /* sources, a bit each */
	size_t n;
	double seconds; /* between before and value */
	double when;
	struct counter all[COUNTERS_MAX];
};

/* Reads all; the first time before is value. An exit status: no source answers. */
int counters_read(struct counters *c);
/* Since the last reading, per second. */
double counter_rate(const struct counters *c, const struct counter *k);

#endif
