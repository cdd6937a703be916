/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as people write them.
 */
#ifndef DVFW_VALUE_H
#define DVFW_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Hex digits (0x… or not), pairs with colons, and where *n is 16 an IPv6 or IPv4 address
 * (that one mapped into IPv6). *n: bytes wanted, 0 if any number will do; then those found.
 */
bool parse_bytes(const char *text, uint8_t *bytes, size_t size, size_t *n);

#endif
