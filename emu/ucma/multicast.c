/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast groups by address (kernel, ucma.c, ucma_process_join; cma.c,
 * cma_iboe_join_multicast).
 *
 *	JOIN   239.1.2.3 --> membership of the id; event MULTICAST_JOIN: GID ::ffff:239.1.2.3, Q_Key, path
 *	LEAVE  membership
 *
 * librdmacm attaches the id's QP to that GID when it returns the event. There is no subnet
 * manager to ask, so the event comes at once. Members of a group are the QPs that are attached
 * (hca/mcg.h): a membership has no other effect.
 */
#include <netinet/in.h>
#include <stdlib.h>

#include "ucma/id.h"

#define ENOTSUPP      524 /* kernel, <linux/errno.h> */
#define MULTICAST_QPN HCA_MULTICAST_QPN
#define HOP_LIMIT     64 /* kernel, <net/ipv6.h>: IPV6_DEFAULT_HOPLIMIT */

struct join {
	uint64_t response, uid;
	uint32_t id;
	uint16_t addr_size, flags;
	struct sockaddr_storage addr;
};

/* kernel, cma.c: cma_iboe_set_mgid, with RoCE v2 as the default type of GIDs; for that type
 * groups of other families are refused. */
static int mgid_of(const struct sockaddr_storage *s, uint8_t mgid[16])
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;
	uint32_t ipv4;

	memset(mgid, 0, 16);
	memcpy(&in, s, sizeof(in));
	memcpy(&in6, s, sizeof(in6));
	if (s->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr))
		return -EINVAL;
	if (s->ss_family != AF_INET)
		return -ENOTSUPP;
	ipv4 = ntohl(in.sin_addr.s_addr);
	if (ipv4 >> 24 == 0)
		return -EINVAL;
	if (ipv4 >> 24 == IN_LOOPBACKNET)
		return 0; /* cma_any_addr: it stays 0 */
	hca_gid_set_ipv4(mgid, &in.sin_addr);
	return 0;
}

/* kernel, cma.c, cma_make_mc_event; multicast.c, ib_init_ah_from_mcmember */
static void post_event(struct ucma_membership *m, int status)
{
	struct ucma_event *e = ucma_event_new(
		m->id, status ? UCMA_MULTICAST_ERROR : UCMA_MULTICAST_JOIN, status);
	struct rdma_ucm_ud_param *ud;

	if (!e)
		return;
	e->membership = m;
	e->resp.uid = m->uid;
	e->resp.id = m->number;
	ud = &e->resp.param.ud;
	if (!status) {
		ud->qp_num = MULTICAST_QPN;
		ud->qkey = m->id->qkey;
		ud->ah_attr = (struct ib_uverbs_ah_attr){
			.grh = { .sgid_index = m->id->path.sgid_index, .hop_limit = HOP_LIMIT },
			.is_global = 1,
			.port_num = 1,
		};
		memcpy(ud->ah_attr.grh.dgid, m->mgid, sizeof(m->mgid));
	}
	ucma_event_post(e);
}

static void end(struct ucma_membership *m)
{
	ucma_events_forget(m);
	core_ids_del(&m->id->file->u->memberships, m->number);
	core_list_del(&m->on_id);
	free(m);
}

static int add(struct ucma_id *id, const struct join *j, const uint8_t mgid[16])
{
	struct rdma_ucm_create_id_resp resp;
	struct ucma_membership *m = calloc(1, sizeof(*m));
	int ret;

	if (!m)
		return -ENOMEM;
	if (!core_ids_add(&id->file->u->memberships, m, &m->number)) {
		free(m);
		return -ENOMEM;
	}
	m->id = id;
	m->uid = j->uid;
	memcpy(m->mgid, mgid, sizeof(m->mgid));
	core_list_add(&id->memberships, &m->on_id);
	resp.id = m->number;
	ret = ucma_put(j->response, &resp, sizeof(resp));
	if (ret)
		end(m);
	else
		post_event(m, ucma_check_qkey(id));
	return ret;
}

static int process(struct ucma_call *c, const struct join *j)
{
	uint8_t mgid[16];
	struct ucma_id *id;
	int ret;

	if (c->out_len < sizeof(struct rdma_ucm_create_id_resp))
		return -ENOSPC;
	if (j->addr_size != ucma_addr_size(j->addr.ss_family))
		return -EINVAL;
	if (j->flags != RDMA_MC_JOIN_FLAG_FULLMEMBER &&
	    j->flags != RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER)
		return -EINVAL;
	ret = ucma_find(c, j->id, &id);
	if (ret)
		return ret;
	/* ucma_get_ctx_dev; rdma_join_multicast */
	if (!id->has_device || !id->ud ||
	    (id->state != UCMA_ADDR_BOUND && id->state != UCMA_ADDR_KNOWN))
		return -EINVAL;
	ret = mgid_of(&j->addr, mgid);
	return ret ? ret : add(id, j, mgid);
}

int ucma_join_ip_mcast(struct ucma_call *c)
{
	struct rdma_ucm_join_ip_mcast cmd;
	struct join j = { 0 };
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	j.response = cmd.response;
	j.uid = cmd.uid;
	j.id = cmd.id;
	j.flags = RDMA_MC_JOIN_FLAG_FULLMEMBER;
	memcpy(&j.addr, &cmd.addr, sizeof(cmd.addr));
	/* rdma_addr_size_in6: what does not fit in the structure is not an address */
	j.addr_size = ucma_addr_size(j.addr.ss_family);
	return j.addr_size && j.addr_size <= sizeof(cmd.addr) ? process(c, &j) : -EINVAL;
}

int ucma_join_mcast(struct ucma_call *c)
{
	struct rdma_ucm_join_mcast cmd;
	struct join j = { 0 };
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	j.response = cmd.response;
	j.uid = cmd.uid;
	j.id = cmd.id;
	j.flags = cmd.join_flags;
	j.addr_size = cmd.addr_size;
	memcpy(&j.addr, &cmd.addr, sizeof(j.addr));
	return ucma_addr_size(j.addr.ss_family) ? process(c, &j) : -EINVAL;
}

/* kernel, ucma.c, ucma_leave_multicast: the request is that of DESTROY_ID. */
int ucma_leave_mcast(struct ucma_call *c)
{
	struct rdma_ucm_destroy_id_resp resp;
	struct rdma_ucm_destroy_id cmd;
	struct ucma_membership *m;
	int ret;

	if (c->out_len < sizeof(resp))
		return -ENOSPC;
	ret = ucma_get(c, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	m = core_ids_get(&c->file->u->memberships, cmd.id);
	if (!m)
		return -ENOENT;
	if (m->id->file != c->file)
		return -EINVAL;
	resp.events_reported = m->reported;
	end(m);
	return ucma_put(cmd.response, &resp, sizeof(resp));
}

void ucma_leave_all(struct ucma_id *id)
{
	while (!core_list_empty(&id->memberships))
		end(core_container(id->memberships.next, struct ucma_membership, on_id));
}
