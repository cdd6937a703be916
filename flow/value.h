/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text: numbers, addresses, bytes.
 */
#ifndef FLOW_VALUE_H
#define FLOW_VALUE_H

#include "table.h"

enum { VALUE_TEXT = 2 * FLOW_MAX_BYTES + 8 }; /* of the longest value, with its NUL */

/* NULL, or why @s, of @len characters, is no such value. */
const char *value_number(const char *s, size_t len, unsigned int bits, uint64_t *v);
/* MAC, IPV4, IPV6: 6, 4, 16 bytes; IP: 16, an IPv4 address as ::ffff:a.b.c.d (RFC 4291); BYTES:
 * at most FLOW_MAX_BYTES. */
const char *value_bytes(const char *s, size_t len, enum flow_kind kind, uint8_t *bytes,
			size_t *n);

/* The first bytes of an IP value that is an IPv4 address. */
extern const uint8_t value_ipv4_mapped[12];

void value_print_number(char *buf, enum flow_kind kind, uint64_t v);
void value_print_bytes(char *buf, enum flow_kind kind, const uint8_t *bytes, size_t n);

#endif
