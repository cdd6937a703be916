/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network interface of --wire as text, and the addresses of a port.
 *
 *	eth0;020000000001;1500;10.0.0.1;fe80::1
 *	name MAC          MTU  addresses, the chosen one first
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/options.h"

#define DPU_BIT 0x10 /* in the second byte of a MAC */

static const uint8_t mapped_prefix[12] = { [10] = 0xff, [11] = 0xff };

bool options_address(const char *text, uint8_t ip[16])
{
	memcpy(ip, mapped_prefix, sizeof(mapped_prefix));
	return inet_pton(AF_INET, text, ip + 12) == 1 || inet_pton(AF_INET6, text, ip) == 1;
}

void options_address_text(const uint8_t ip[16], char text[OPTIONS_ADDRESS_TEXT])
{
	if (!memcmp(ip, mapped_prefix, sizeof(mapped_prefix)))
		inet_ntop(AF_INET, ip + 12, text, OPTIONS_ADDRESS_TEXT);
	else
		inet_ntop(AF_INET6, ip, text, OPTIONS_ADDRESS_TEXT);
}

static bool take_mac(const char *text, uint8_t mac[6])
{
	if (strlen(text) != 12 || strspn(text, "0123456789abcdef") != 12)
		return false;
	for (int i = 0; i < 6; i++) {
		const char hex[3] = { text[2 * i], text[2 * i + 1] };

		mac[i] = strtoul(hex, NULL, 16);
	}
	return true;
}

static bool take_mtu(const char *text, uint32_t *mtu)
{
	char *end;

	*mtu = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *mtu && *mtu <= 65536;
}

bool options_wire(const char *text, struct options_wire *w)
{
	char copy[OPTIONS_WIRE_TEXT], *rest = copy, *item;
	bool ok = strlen(text) < sizeof(copy);

	memset(w, 0, sizeof(*w));
	if (!ok)
		return false;
	strcpy(copy, text);
	for (unsigned int n = 0; ok && (item = strsep(&rest, ";")); n++) {
		if (n == 0)
			ok = options_tap(item) && strcpy(w->netdev, item);
		else if (n == 1)
			ok = take_mac(item, w->mac);
		else if (n == 2)
			ok = take_mtu(item, &w->mtu);
		else
			ok = w->nips < OPTIONS_IPS && options_address(item, w->ip[w->nips++]);
	}
	return ok && w->nips;
}

_Static_assert(OPTIONS_WIRE_TEXT > 16 + 13 + 11 + OPTIONS_IPS * (1 + OPTIONS_ADDRESS_TEXT),
	       "space for all addresses");

void options_wire_text(const struct options_wire *w, char text[OPTIONS_WIRE_TEXT])
{
	const uint8_t *m = w->mac;
	int at = snprintf(text, OPTIONS_WIRE_TEXT, "%s;%02x%02x%02x%02x%02x%02x;%u", w->netdev,
			  m[0], m[1], m[2], m[3], m[4], m[5], w->mtu);

	for (unsigned int i = 0; i < w->nips; i++) {
		text[at++] = ';';
		options_address_text(w->ip[i], text + at);
		at += strlen(text + at);
	}
}

uint32_t options_wire_ipv4(const struct options_wire *w)
{
	for (unsigned int i = 0; i < w->nips; i++) {
		const uint8_t *a = w->ip[i] + 12;

		if (!memcmp(w->ip[i], mapped_prefix, sizeof(mapped_prefix)))
			return (uint32_t)a[0] << 24 | a[1] << 16 | a[2] << 8 | a[3];
	}
	return 0;
}

/* ---- the port ---- */

void options_port_mac(const struct options *o, bool dpu, uint8_t mac[6])
{
	static const uint8_t none[6];

	options_mac(o->ipv4, dpu, mac);
	if (!*o->wire.netdev || !memcmp(o->wire.mac, none, sizeof(none)))
		return;
	memcpy(mac, o->wire.mac, 6);
	if (dpu) {
		mac[0] |= 2; /* locally administered */
		mac[1] ^= DPU_BIT;
	}
}

static unsigned int add(uint8_t ip[OPTIONS_ADDRESSES][16], unsigned int n, const uint8_t *more)
{
	for (unsigned int i = 0; i < n; i++)
		if (!memcmp(ip[i], more, 16))
			return n;
	memcpy(ip[n], more, 16);
	return n + 1;
}

unsigned int options_addresses(const struct options *o, bool dpu,
			       uint8_t ip[OPTIONS_ADDRESSES][16])
{
	uint8_t mac[6], link_local[16] = { 0xfe, 0x80 }, mapped[16];
	unsigned int n;
	uint64_t guid;

	options_port_mac(o, dpu, mac);
	guid = options_guid(mac);
	for (int i = 0; i < 8; i++)
		link_local[8 + i] = guid >> (56 - 8 * i);
	memcpy(mapped, mapped_prefix, sizeof(mapped_prefix));
	for (int i = 0; i < 4; i++)
		mapped[12 + i] = o->ipv4 >> (24 - 8 * i);
	n = add(ip, 0, link_local);
	if (!*o->wire.netdev)
		return add(ip, n, mapped);
	for (unsigned int i = 0; i < o->wire.nips; i++)
		n = add(ip, n, o->wire.ip[i]);
	return n;
}
