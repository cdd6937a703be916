/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames with 0, 1 or 2 tags, IPv4 with options and fragments, IPv6, others; see packet.h. */
#include "packet.h"

#include <string.h>

static void put(struct packet *p, uint64_t v, size_t n)
{
	while (n--)
		p->bytes[p->len++] = v >> 8 * n;
}

static void put_mac(struct packet *p, struct random *r)
{
	put(p, random_once_in(r, 4) ? 0x0100 : 0x0200, 2);
	put(p, random_below(r, 3), 4);
}

/* TPID and TCI. */
static void put_tag(struct packet *p, struct random *r)
{
	put(p, random_once_in(r, 2) ? 0x8100 : 0x88a8, 2);
	put(p, random_below(r, 4) << 13 | random_below(r, 2) << 12 | random_below(r, 4), 2);
}

static uint32_t any_port(struct random *r)
{
	static const uint16_t ports[] = { 0, 1, 53, 80, 2152, 4789, 4790, 4791, 6081, 0xffff };

	return ports[random_below(r, 8)];
}

static void put_tcp(struct packet *p, struct random *r)
{
	put(p, any_port(r), 2);
	put(p, any_port(r), 2);
	put(p, random_below(r, 3), 4);
	put(p, random_below(r, 3), 4);
	put(p, 0x5000 | random_below(r, 512), 2);
	put(p, 0, 6);
}

static void put_l4(struct packet *p, struct random *r, uint8_t protocol)
{
	size_t at = p->len;

	if (protocol == 6) {
		put_tcp(p, r);
	} else if (protocol == 17) {
		put(p, any_port(r), 2);
		put(p, any_port(r), 2);
		put(p, 8 + 24, 2);
		put(p, 0, 2);
	} else {
		put(p, random_below(r, 3) << 8 | random_below(r, 3), 2);
		put(p, random_32(r), 4);
		put(p, 0, 2);
	}
	while (p->len < at + 32)
		put(p, random_below(r, 3), 1);
}

static uint8_t any_protocol(struct random *r)
{
	static const uint8_t protocols[] = { 1, 6, 6, 17, 17, 58, 99 };

	return protocols[random_below(r, 7)];
}

/* Header and 32 bytes. */
static void put_ipv4(struct packet *p, struct random *r)
{
	uint32_t options = random_once_in(r, 4) ? random_below(r, 4) : 0;
	uint32_t fragment =
		random_once_in(r, 5) ? random_below(r, 2) << 13 | random_below(r, 2) : 0;
	uint8_t protocol = any_protocol(r);

	put(p, 0x45 + options, 1);
	put(p, random_below(r, 8) << 2 | random_below(r, 4), 1);
	put(p, 20 + 4 * options + 32, 2);
	put(p, random_32(r), 2);
	put(p, fragment | random_below(r, 2) << 14, 2);
	put(p, 62 + random_below(r, 3), 1);
	put(p, protocol, 1);
	put(p, 0, 2);
	put(p, 0x0a000000 + random_below(r, 3), 4);
	put(p, 0x0a000000 + random_below(r, 3), 4);
	for (uint32_t i = 0; i < options; i++)
		put(p, 0x01010101, 4);
	put_l4(p, r, protocol);
}

static void put_ipv6(struct packet *p, struct random *r)
{
	uint8_t protocol = any_protocol(r);

	put(p, 6u << 28 | random_below(r, 256) << 20 | random_below(r, 4), 4);
	put(p, 32, 2);
	put(p, protocol, 1);
	put(p, 62 + random_below(r, 3), 1);
	for (unsigned int i = 0; i < 2; i++) {
		put(p, 0xfd000000 + random_below(r, 2), 4);
		put(p, 0, 4);
		put(p, random_below(r, 2), 4);
		put(p, random_below(r, 3), 4);
	}
	put_l4(p, r, protocol);
}

void packet_random(struct packet *p, struct random *r)
{
	uint32_t kind = random_below(r, 8), tags = random_below(r, 4);

	memset(p, 0, sizeof(*p));
	put_mac(p, r);
	put_mac(p, r);
	for (uint32_t i = 1; i < tags; i++) /* none as often as the others together */
		put_tag(p, r);
	put(p, kind < 4 ? 0x0800 : kind < 7 ? 0x86dd : 0x0806, 2);
	if (kind < 4)
		put_ipv4(p, r);
	else if (kind < 7)
		put_ipv6(p, r);
	else
		put_l4(p, r, 99);
}
