/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ARP (RFC 826) for the port of a program, in the place of its kernel: a virtual machine on
 * the fabric asks before it sends to a GID. The addresses are those of the GIDs; the reply is a
 * frame of the port.
 */
#include "net/inside.h"

#define ARP_LEN	       42 /* of Ethernet's 14, and the message */
#define AT_TYPE	       12
#define AT_OPERATION   20
#define AT_SENDER      22 /* MAC, IPv4 address */
#define AT_TARGET      32
#define ADDRESS_OF     6 /* in sender and target */
#define BYTES_OF_HOST  10
#define BYTES_OF_FRAME 60 /* without FCS */

/* Ethernet type, hardware, protocol, their lengths, operation */
static const uint8_t request[10] = { 0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 1 };

static bool is_own(const struct hca *hca, const uint8_t ipv4[4])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };

	for (unsigned int i = 0; i < HCA_GIDS; i++)
		if (hca->port.gid[i].valid && !memcmp(hca->port.gid[i].raw, mapped, 12) &&
		    !memcmp(hca->port.gid[i].raw + 12, ipv4, 4))
			return true;
	return false;
}

void arp_answer(struct net *n, const uint8_t *frame, size_t len)
{
	const uint8_t *mac = n->hca->port.mac;
	uint8_t reply[BYTES_OF_FRAME] = { 0 };

	if (len < ARP_LEN || memcmp(frame + AT_TYPE, request, sizeof(request)) ||
	    !(frame[0] & 1 || !memcmp(frame, mac, 6)) ||
	    !is_own(n->hca, frame + AT_TARGET + ADDRESS_OF))
		return;
	memcpy(reply, frame + AT_SENDER, 6);
	memcpy(reply + 6, mac, 6);
	memcpy(reply + AT_TYPE, request, sizeof(request));
	reply[AT_OPERATION + 1] = 2;
	memcpy(reply + AT_SENDER, mac, 6);
	memcpy(reply + AT_SENDER + ADDRESS_OF, frame + AT_TARGET + ADDRESS_OF, 4);
	memcpy(reply + AT_TARGET, frame + AT_SENDER, BYTES_OF_HOST);
	net_send(n, 0, reply, sizeof(reply));
}
