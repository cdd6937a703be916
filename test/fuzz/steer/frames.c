/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames: headers of all kinds, one in the other, then damaged or cut off. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_steer.h"

enum { MAX = 2048, DEPTH = 4 };

static uint8_t bytes[MAX];
static size_t len;

static void put(unsigned int n, uint64_t v)
{
	while (n-- && len < MAX - 1)
		bytes[len++] = (uint8_t)(v >> 8 * n);
}

static void any(unsigned int n)
{
	while (n--)
		put(1, chance());
}

static void in_ethernet(unsigned int depth);
static void in_ip(unsigned int depth, uint16_t type);

static void tcp_or_other(void)
{
	any(20 + below(60));
}

static void in_udp(unsigned int depth)
{
	static const uint16_t ports[] = { 53, 2152, 4789, 4790, 4791, 6081, 6635 };
	uint16_t port = PICK(ports);

	any(2);
	put(2, port);
	any(4);
	if (!depth || one_in(8)) {
		any(below(64));
	} else if (port == 4789) {
		any(8);
		in_ethernet(depth - 1);
	} else if (port == 4790) {
		put(4, 0x0c000000 | below(5));
		any(4);
		in_ip(depth - 1, one_in(2) ? 0x0800 : 0x86dd);
	} else if (port == 6081) {
		put(1, one_in(2) ? below(64) : below(3));
		any(1);
		put(2, one_in(2) ? 0x6558 : 0x0800);
		any(4 + 4 * below(3));
		in_ethernet(depth - 1);
	} else if (port == 2152) {
		put(1, 0x30 | below(8));
		put(1, one_in(4) ? 1 : 255);
		any(6);
		any(4 * below(4));
		in_ip(depth - 1, one_in(2) ? 0x0800 : 0x86dd);
	} else if (port == 6635) {
		put(4, one_in(2) << 8);
		in_ip(depth - 1, 0x0800);
	} else {
		any(below(64));
	}
}

static void in_gre(unsigned int depth)
{
	uint8_t flags = chance() & 0xb0;
	uint16_t type = one_in(3) ? 0x8847 : one_in(2) ? 0x6558 : 0x0800;

	put(2, flags << 8);
	put(2, type);
	any(4 * __builtin_popcount(flags));
	if (type == 0x6558)
		in_ethernet(depth);
	else
		in_ip(depth, type);
}

static void in_protocol(unsigned int depth, uint8_t protocol)
{
	if (protocol == 17)
		in_udp(depth);
	else if (protocol == 47 && depth)
		in_gre(depth - 1);
	else if ((protocol == 4 || protocol == 41) && depth)
		in_ip(depth - 1, protocol == 4 ? 0x0800 : 0x86dd);
	else
		tcp_or_other();
}

static void in_ip(unsigned int depth, uint16_t type)
{
	static const uint8_t protocols[] = { 1, 4, 6, 17, 17, 17, 41, 47, 47, 50, 58, 99 };
	static const uint8_t extensions[] = { 0, 43, 44, 60 };
	uint8_t protocol = PICK(protocols);

	if (type == 0x8847) {
		put(4, odd_number());
		put(4, 0x140);
		in_ip(depth, 0x0800);
	} else if (type == 0x0800) {
		put(1, one_in(8) ? chance() : 0x45);
		any(1);
		put(2, one_in(8) ? odd_number() : 1500);
		any(2);
		put(2, one_in(8) ? chance() : 0x4000);
		any(1);
		put(1, protocol);
		any(10);
		in_protocol(depth, protocol);
	} else if (type == 0x86dd) {
		bool extended = one_in(4);

		put(4, 0x60000000 | below(1 << 28));
		put(2, one_in(8) ? odd_number() : 1400);
		put(1, extended ? PICK(extensions) : protocol);
		any(33);
		if (extended) {
			put(1, one_in(2) ? PICK(extensions) : protocol);
			put(1, below(3));
			any(6);
		}
		in_protocol(depth, protocol);
	} else {
		any(below(100));
	}
}

static void in_ethernet(unsigned int depth)
{
	static const uint16_t types[] = { 0x0800, 0x0800, 0x86dd, 0x8847, 0x0806 };
	uint16_t type = PICK(types);

	any(12);
	for (unsigned int n = one_in(3) ? below(4) : 0; n; n--) {
		put(2, one_in(2) ? 0x8100 : 0x88a8);
		any(2);
	}
	put(2, type);
	in_ip(depth, type);
}

uint8_t *frame_make(size_t *n)
{
	uint8_t *copy;

	len = 0;
	in_ethernet(below(DEPTH));
	if (one_in(4))
		len = below((uint32_t)len + 1);
	for (unsigned int i = one_in(4) ? below(4) : 0; i && len; i--)
		spoil(bytes, len);
	*n = len;
	copy = malloc(len ? len : 1);
	FUZZ_CHECK(copy, "out of memory");
	return memcpy(copy, bytes, len);
}
