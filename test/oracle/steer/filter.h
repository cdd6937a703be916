/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mask and a value as a filter of libpcap (pcap-filter(7)), and the fields that both can see.
 *
 *	fields[i]: bits of fte_match_param <-> an expression over IPv4, over IPv6, or over the frame
 *
 * A field that a packet does not have is 0, so a rule for 0 is met by packets without it, too.
 */
#ifndef ORACLE_STEER_FILTER_H
#define ORACLE_STEER_FILTER_H

#include <stddef.h>
#include <stdint.h>

struct field {
	uint16_t bit, width; /* in fte_match_param */
	/* in IPv4, in IPv6: the condition and the number; NULL: not there */
	const char *if4, *in4, *if6, *in6;
	/* in the frame, whatever follows; else NULL */
	const char *frame;
};

extern const struct field fields[];
extern const size_t field_count;

/* The expression of all fields in which @mask has bits. */
void filter_text(char *text, size_t size, const uint8_t *mask, const uint8_t *value);

#endif
