/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts: the IPv4 addresses on the fabric. A host consists of all processes that were started
 * with its address. Each holds a name of it until it ends:
 *
 *	host/192.168.0.1/1, host/192.168.0.1/2, ...	the lowest free number
 *
 * Link-local addresses contain the IPv4 address, like the MAC.
 */
#include <errno.h>
#include <stdio.h>

#include "wire/inside.h"
#include "wire/wire.h"

#define NAME_BYTES 32

static void host_name(uint32_t ipv4, unsigned int n, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "host/%u.%u.%u.%u/%u", ipv4 >> 24, ipv4 >> 16 & 0xff,
		 ipv4 >> 8 & 0xff, ipv4 & 0xff, n);
}

int wire_host(struct wire *w, uint32_t ipv4)
{
	char name[NAME_BYTES];
	int ret = -EADDRINUSE;

	for (unsigned int n = 1; n < SLOTS && ret == -EADDRINUSE; n++) {
		host_name(ipv4, n, name);
		ret = wire_claim(w, name);
	}
	return ret;
}

bool wire_host_there(const struct wire *w, uint32_t ipv4)
{
	char name[NAME_BYTES];

	for (unsigned int n = 1; n < SLOTS; n++) {
		host_name(ipv4, n, name);
		if (wire_claimed(w, name))
			return true;
	}
	return false;
}
