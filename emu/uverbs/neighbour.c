/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Neighbours: is there who has this address? (ib_core, addr.c, rdma_addr_find_l2_eth_by_grh)
 *
 * The kernel looks into its neighbour table, and sends ARP or neighbour discovery and waits up
 * to a second where the address is not in it. An entry stays usable after its host is down
 * (NUD_STALE is one of NUD_VALID): so does one here. The fabric is one link, on which every
 * IPv4 and every link-local address is looked for.
 */
#include <stdlib.h>
#include <time.h>

#include "uverbs/address.h"
#include "uverbs/method.h"

#define TIMEOUT_NS 1000000000u /* addr.c: 1000 ms */
#define LOOK_NS	   20000000

static bool known(const struct uverbs *u, uint32_t ipv4)
{
	for (size_t i = 0; i < u->neighbour_count; i++)
		if (u->neighbours[i] == ipv4)
			return true;
	return false;
}

/* Without memory for it the next one asks again. */
static void remember(struct uverbs *u, uint32_t ipv4)
{
	uint32_t *all;

	if (known(u, ipv4))
		return;
	all = realloc(u->neighbours, (u->neighbour_count + 1) * sizeof(*all));
	if (!all)
		return;
	all[u->neighbour_count++] = ipv4;
	u->neighbours = all;
}

static bool wait_for(struct uverbs *u, uint32_t ipv4)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	uint64_t end = core_now_ns() + TIMEOUT_NS;

	while (!wire_host_there(u->w, ipv4)) {
		if (core_now_ns() >= end)
			return false;
		hca_unlock(u->hca);
		nanosleep(&pause, NULL);
		hca_lock(u->hca);
	}
	return true;
}

int uverbs_neighbour(struct uverbs *u, uint32_t ipv4)
{
	if (!u->w || known(u, ipv4))
		return 0;
	if (!wait_for(u, ipv4))
		return -ETIMEDOUT;
	remember(u, ipv4);
	return 0;
}
