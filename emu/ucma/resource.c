/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of the ids, for RDMA netlink (kernel, nldev.c, fill_res_cm_id_entry). */
#include <endian.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "ucma/id.h"

#define QPT_RC 2 /* ib_verbs.h: enum ib_qp_type */
#define QPT_UD 4

/* kernel, cma_priv.h: enum rdma_cm_state */
static uint8_t state_of(const struct ucma_id *id)
{
	static const uint8_t states[] = {
		[UCMA_IDLE] = 0,	[UCMA_ADDR_BOUND] = 7, [UCMA_ADDR_KNOWN] = 2,
		[UCMA_ROUTE_KNOWN] = 4, [UCMA_LISTEN] = 8,     [UCMA_CONNECT] = 5,
		[UCMA_DISCONNECT] = 6,
	};

	return states[id->state];
}

static void put_address(const struct ucma_addr *a, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *v6 = (void *)to;
	struct sockaddr_in *v4 = (void *)to;

	memset(to, 0, sizeof(*to));
	to->ss_family = a->family;
	if (a->family == AF_INET) {
		v4->sin_port = htobe16(a->port);
		memcpy(&v4->sin_addr, a->ip + 12, 4);
	} else if (a->family == AF_INET6) {
		v6->sin6_port = htobe16(a->port);
		memcpy(&v6->sin6_addr, a->ip, 16);
	}
}

static void describe(const struct ucma_id *id, struct ucma_resource *r)
{
	*r = (struct ucma_resource){
		.number = id->id,
		.qpn = id->qpn,
		.ps = id->ps,
		.type = id->ud ? QPT_UD : QPT_RC,
		.state = state_of(id),
	};
	put_address(&id->src, &r->src);
	put_address(&id->dst, &r->dst);
}

struct ucma_resource *ucma_resources(struct ucma *u, size_t *n)
{
	struct ucma_resource *all;
	struct core_list *pos, *tmp;
	size_t count = 0;

	*n = 0;
	hca_lock(u->hca);
	core_list_for_each(pos, tmp, &u->all)
		count++;
	all = count ? malloc(count * sizeof(*all)) : NULL;
	core_list_for_each(pos, tmp, &u->all) {
		const struct ucma_id *id = core_container(pos, struct ucma_id, on_ucma);

		/* One without a device is on no device's list; a listener without one listens
		 * on all of them (cma.c, cma_listen_on_dev). */
		if (all && (id->has_device || id->state == UCMA_LISTEN))
			describe(id, &all[(*n)++]);
	}
	hca_unlock(u->hca);
	return all;
}
