/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as text. A value is copied out of the rule's text first, since the C library wants
 * strings.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

enum { LONGEST = 64 }; /* of a number or an address */

const uint8_t value_ipv4_mapped[12] = { [10] = 0xff, 0xff };

static bool copy(char to[LONGEST], const char *s, size_t len)
{
	if (!len || len >= LONGEST)
		return false;
	memcpy(to, s, len);
	to[len] = 0;
	return true;
}

const char *value_number(const char *s, size_t len, unsigned int bits, uint64_t *v)
{
	char text[LONGEST], *end;

	/* strtoull() accepts blanks and signs. */
	if (!copy(text, s, len) || text[0] < '0' || text[0] > '9')
		return "not a number";
	errno = 0;
	*v = strtoull(text, &end, 0);
	if (*end)
		return "not a number";
	return errno || (bits < 64 && *v >> bits) ? "the number is too large" : NULL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* aa:bb:cc:dd:ee:ff; a group has one digit or two. */
static bool mac(const char *s, uint8_t bytes[6])
{
	for (int i = 0; i < 6; i++) {
		int v = digit(*s);

		if (v < 0)
			return false;
		if (digit(*++s) >= 0)
			v = v << 4 | digit(*s++);
		bytes[i] = (uint8_t)v;
		if (*s++ != (i < 5 ? ':' : '\0'))
			return false;
	}
	return true;
}

static const char *ip(const char *s, uint8_t bytes[16])
{
	memcpy(bytes, value_ipv4_mapped, sizeof(value_ipv4_mapped));
	if (inet_pton(AF_INET, s, bytes + 12) == 1 || inet_pton(AF_INET6, s, bytes) == 1)
		return NULL;
	return "not an IP address";
}

static const char *hex(const char *s, size_t len, uint8_t *bytes, size_t *n)
{
	if (len >= 2 && s[0] == '0' && (s[1] | 0x20) == 'x') {
		s += 2;
		len -= 2;
	}
	if (!len || len % 2)
		return "not an even number of hexadecimal digits";
	if (len / 2 > FLOW_MAX_BYTES)
		return "too many bytes";
	for (size_t i = 0; i < len; i += 2) {
		int high = digit(s[i]), low = digit(s[i + 1]);

		if (high < 0 || low < 0)
			return "not a hexadecimal digit";
		bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	*n = len / 2;
	return NULL;
}

const char *value_bytes(const char *s, size_t len, enum flow_kind kind, uint8_t *bytes,
			size_t *n)
{
	char text[LONGEST];

	if (kind == KIND_BYTES)
		return hex(s, len, bytes, n);
	if (!copy(text, s, len))
		text[0] = 0;
	switch (kind) {
	case KIND_MAC:
		*n = 6;
		return mac(text, bytes) ? NULL : "not a MAC address";
	case KIND_IPV4:
		*n = 4;
		return inet_pton(AF_INET, text, bytes) == 1 ? NULL : "not an IPv4 address";
	case KIND_IP:
		*n = 16;
		return ip(text, bytes);
	default:
		*n = 16;
		return inet_pton(AF_INET6, text, bytes) == 1 ? NULL : "not an IPv6 address";
	}
}

void value_print_number(char *buf, enum flow_kind kind, uint64_t v)
{
	snprintf(buf, VALUE_TEXT, kind == KIND_HEX ? "0x%llx" : "%llu", (unsigned long long)v);
}

void value_print_bytes(char *buf, enum flow_kind kind, const uint8_t *bytes, size_t n)
{
	size_t at = 0;

	if (kind == KIND_IP) {
		bool v4 = !memcmp(bytes, value_ipv4_mapped, sizeof(value_ipv4_mapped));

		kind = v4 ? KIND_IPV4 : KIND_IPV6;
		bytes += v4 ? sizeof(value_ipv4_mapped) : 0;
	}
	if (kind == KIND_IPV4 || kind == KIND_IPV6) {
		inet_ntop(kind == KIND_IPV4 ? AF_INET : AF_INET6, bytes, buf, VALUE_TEXT);
		return;
	}
	buf[0] = 0;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(buf + at, VALUE_TEXT - at, "%s%02x",
				       kind == KIND_MAC && i ? ":" : "", bytes[i]);
}
