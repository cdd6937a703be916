/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The field in which a packet differs from an entry of a flow table.
 */
#ifndef DVFW_FLOW_DIFFERS_H
#define DVFW_FLOW_DIFFERS_H

#include <stdbool.h>
#include <stdint.h>

struct flow_difference {
	char field[96]; /* its path in fte_match_param */
	char packet[48], value[48], mask[48];
	bool whole; /* the mask is all ones */
};

/* Finds the most significant difference: the kind of packet before addresses and ports. @mask,
 * @value, @packet: fte_match_param. False: they agree. */
bool flow_differs(const uint8_t *mask, const uint8_t *value, const uint8_t *packet,
		  struct flow_difference *d);

#endif
