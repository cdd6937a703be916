/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of rdma_cm by which a connection fails, and the status that comes with them.
 *
 *	REJECTED, 28     reason of the REJ message (InfiniBand specification 12.6.7.2; enum ib_cm_rej_reason)
 *	UNREACHABLE, -110   errno (rdma_get_cm_event(3))
 *
 * What an event means: rdma_get_cm_event(3), Linux, core/cma.c, and public reports.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* The first row that fits; status 0: any. */
static const struct {
	const char *event;
	int status;
	const char *causes, *steps;
} events[] = {
	{ "ADDR_ERROR", -ENODEV,
	  "no RDMA device belongs to the interface by which the address is reached: the route "
	  "leaves by another interface, or device and interface are in different network "
	  "namespaces (a container)",
	  "'ip route get ADDRESS', 'rdma link': is that interface one of an RDMA device?\n"
	  "in a container: 'show_gids', 'rdma system'" },
	{ "ADDR_ERROR", -ETIMEDOUT,
	  "no host has the address: ARP or neighbour discovery had no answer",
	  "'ping -I INTERFACE ADDRESS', 'ip neigh'" },
	{ "ADDR_ERROR", 0,
	  "the address could not be resolved: no route, no interface of an RDMA device, or no "
	  "answer to ARP",
	  "'ip route get ADDRESS', 'rdma link', 'ip neigh'" },
	{ "ROUTE_ERROR", 0,
	  "no path to the address: on InfiniBand the subnet manager did not answer or has none; "
	  "on RoCE the GID of the address is missing",
	  "InfiniBand: 'sminfo', 'ibstat'; RoCE: 'show_gids'" },
	{ "CONNECT_ERROR", 0,
	  "the connection was answered and then failed: the QP could not be modified, or the "
	  "peer ended",
	  "look at the peer's program and at both kernel logs" },
	{ "UNREACHABLE", -ETIMEDOUT,
	  "the peer does not answer connection requests: it is down, its device is another one, "
	  "or UDP port 4791 is filtered\n"
	  "the two sides send different versions of RoCE",
	  "'ping -I INTERFACE ADDRESS'; firewall: UDP 4791\n"
	  "'cma_roce_mode' of both sides; 'ib_send_bw -R' between them\n"
	  "many connections at once: a longer timeout, or repeat" },
	{ "UNREACHABLE", 0,
	  "the peer does not answer connection requests\n"
	  "Linux 6.0 and later: the MAC address of the peer's IP address changed (ARP), also of a "
	  "connection that is established",
	  "'ip neigh', 'ip monitor neigh': does the entry of the peer change?" },
	{ "REJECTED", 8, "no program listens on that port (service id), or on another address",
	  "is the server running, with this port and address? 'rdma resource show cm_id'" },
	{ "REJECTED", -ECONNREFUSED, "iWARP: no program listens on that port, or it refused",
	  "is the server running, with this port and address?" },
	{ "REJECTED", 28,
	  "the peer's program refused (rdma_reject), or ended before it accepted; also what a "
	  "kernel's user (NVMe, iSER, SRP) answers",
	  "look at the log of the peer's program; its private data may say why" },
	{ "REJECTED", 10,
	  "the peer still has a connection with the same numbers: this side was "
	  "restarted, or both ended without DREQ",
	  "try again: the peer releases the old connection" },
	{ "REJECTED", 0, "the peer, or its kernel, refused the connection",
	  "look at the peer's program and kernel log" },
	{ "DEVICE_REMOVAL", 0, "the device was removed, or its driver is being reset",
	  "look for health messages and resets in the kernel log" },
	{ "MULTICAST_ERROR", 0, "the multicast group could not be joined",
	  "InfiniBand: does the subnet manager have the group? RoCE: 'show_gids', 'ip maddr'" },
	{ "ADDR_CHANGE", 0,
	  "the address moved to another interface (bonding): the id belongs to a device that is "
	  "not used any more",
	  "destroy the id, and connect again" },
};

static const char *const reasons[] = {
	[1] = "no QP available",
	[2] = "no EE context available",
	[3] = "no resources available",
	[4] = "timeout",
	[5] = "unsupported request",
	[6] = "invalid communication ID",
	[7] = "invalid communication instance",
	[8] = "invalid service ID",
	[9] = "invalid transport service type",
	[10] = "stale connection",
	[11] = "RDC does not exist",
	[12] = "primary GID rejected",
	[13] = "primary LID rejected",
	[14] = "invalid primary SL",
	[15] = "invalid primary traffic class",
	[16] = "invalid primary hop limit",
	[17] = "invalid primary packet rate",
	[18] = "alternate GID rejected",
	[19] = "alternate LID rejected",
	[20] = "invalid alternate SL",
	[21] = "invalid alternate traffic class",
	[22] = "invalid alternate hop limit",
	[23] = "invalid alternate packet rate",
	[24] = "port and CM redirection",
	[25] = "port redirection",
	[26] = "invalid path MTU",
	[27] = "insufficient responder resources",
	[28] = "consumer reject",
	[29] = "RNR retry count rejected",
	[30] = "duplicate local communication ID",
	[31] = "invalid class version",
	[32] = "invalid flow label",
	[33] = "invalid alternate flow label",
	[35] = "vendor option not supported",
};

void fact_cm_event(struct facts *f, const char *text)
{
	snprintf(f->event, sizeof(f->event), "%s", text);
	item_fact(f->item, "event", "RDMA_CM_EVENT_%s", text);
	item_summary(f->item, "%s", text);
}

void fact_cm_status(struct facts *f, const char *text)
{
	long status = strtol(text, NULL, 10);
	const char *words = "not in our tables";

	f->cm_status = (int)status;

	if (status < 0 && status > -4096) {
		words = strerror((int)-status);
	} else if (status > 0 && !strcmp(f->event, "REJECTED")) {
		if ((size_t)status < ROWS(reasons) && reasons[status])
			words = reasons[status];
	}
	item_fact(f->item, "status", "%s: %s", text, words);
	item_summary(f->item, "%s: %s", f->event, words);
}

void fact_cm_end(struct facts *f)
{
	for (size_t i = 0; i < ROWS(events); i++)
		if (!strcmp(events[i].event, f->event) &&
		    (!events[i].status || events[i].status == f->cm_status)) {
			item_list(f->item, "causes", events[i].causes);
			item_list(f->item, "steps", events[i].steps);
			return;
		}
}
