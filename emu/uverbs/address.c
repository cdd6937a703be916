/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address handles and address resolution.
 *
 * An address handle is data of the application's; the kernel's part is to check it and to
 * find the destination MAC (mlx5_ib, ah.c; ib_core, verbs.c, ib_resolve_eth_dmac).
 */
#include "uverbs/address.h"
#include "uverbs/method.h"

#define FLOW_LABEL_BITS 20
#define SPORT_BITS	14
#define SPORT_MIN	0xc000 /* IB_ROCE_UDP_ENCAP_VALID_PORT_MIN */
#define ROUTE_HOP_LIMIT 64

void uverbs_gid_of_mac(const uint8_t mac[6], uint8_t gid[16])
{
	const uint8_t eui[16] = {
		0xfe,	    0x80,   0,	    0,	  0,	0,	0,	0,
		mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5]
	};

	memcpy(gid, eui, sizeof(eui));
}

static void mac_of_link_local(const uint8_t gid[16], uint8_t mac[6])
{
	memcpy(mac, gid + 8, 3);
	memcpy(mac + 3, gid + 13, 3);
	mac[0] ^= 2;
}

/* Our fabric: a host's MAC is 02:c5 and its IPv4 address, that of a DPU's own function 02:d5
 * (options.h). On a real network the kernel asks with ARP. */
static bool is_of_host(const uint8_t mac[6])
{
	return mac[0] == 0x02 && (mac[1] == 0xc5 || mac[1] == 0xd5);
}

static void mac_of_mapped(const uint8_t gid[16], uint8_t mac[6])
{
	mac[0] = 0x02;
	mac[1] = 0xc5;
	memcpy(mac + 2, gid + 12, 4);
}

static bool is_of_network(const struct uverbs *u, const uint8_t gid[16])
{
	return u->w && wire_route(u->w, gid, u->hca->slot) == WIRE_NETWORK;
}

/* Addresses of other hosts of the network: the kernel finds their MACs when frames are sent. */
static int ask_network(struct uverbs *u, const uint8_t gid[16])
{
	uint8_t source[16];

	return is_of_network(u, gid) ? wire_source(u->w, gid, source) : 0;
}

/* Finds the owner of the unicast address @gid, by ARP or neighbour discovery: on this fabric a
 * host's IPv4 address is in its MAC, and that in its link-local address. */
static int ask(struct uverbs *u, const uint8_t gid[16], uint8_t mac[6])
{
	const uint8_t *ip = mac + 2;
	bool network = u->w && wire_has_network(u->w);

	if (hca_gid_is_ipv4(gid)) {
		mac_of_mapped(gid, mac);
	} else {
		uint8_t eui[16];

		mac_of_link_local(gid, mac);
		uverbs_gid_of_mac(mac, eui);
		/* No host here has such a GID: ask for one that does not exist. */
		if (!network && (!is_of_host(mac) || memcmp(gid, eui, sizeof(eui))))
			return uverbs_neighbour(u, 0);
	}
	if (network)
		return ask_network(u, gid);
	return uverbs_neighbour(u, (uint32_t)ip[0] << 24 | ip[1] << 16 | ip[2] << 8 | ip[3]);
}

/* ib_core, verbs.c: ib_resolve_eth_dmac, ib_resolve_unicast_gid_dmac */
static int find_mac(struct uverbs *u, const struct hca_gid *gid,
		    struct ib_uverbs_global_route *grh, uint8_t dmac[6])
{
	if (hca_is_multicast(grh->dgid)) {
		hca_multicast_mac(grh->dgid, dmac);
		return 0;
	}
	/* From RoCE v1 to a link-local address: the IP stack is not asked. */
	if (hca_gid_is_link_local(grh->dgid) && gid->version == PRM_ROCE_VERSION_1) {
		mac_of_link_local(grh->dgid, dmac);
		return 0;
	}
	if (gid->version == PRM_ROCE_VERSION_1 && is_of_network(u, grh->dgid))
		return wire_neighbour(u->w, grh->dgid, dmac);
	grh->hop_limit = ROUTE_HOP_LIMIT;
	/* addr.c, rdma_resolve_ip: both IPv4 or both IPv6 */
	if (hca_gid_is_ipv4(gid->raw) != hca_gid_is_ipv4(grh->dgid))
		return -EINVAL;
	if (!hca_gid_is_ipv4(grh->dgid) && !hca_gid_is_link_local(grh->dgid) &&
	    !(u->w && wire_has_network(u->w)))
		return -ENETUNREACH;
	return ask(u, grh->dgid, dmac);
}

int uverbs_resolve(struct uverbs *u, struct ib_uverbs_ah_attr *ah, const struct hca_gid **gid,
		   uint8_t dmac[6])
{
	int ret;

	/* ib_core, rdma_check_ah_attr: on RoCE an address is global. */
	if (ah->port_num - 1u >= UVERBS_PORTS || !ah->is_global)
		return -EINVAL;
	ret = uverbs_gid(u, ah->grh.sgid_index, gid);
	return ret ? ret : find_mac(u, *gid, &ah->grh, dmac);
}

uint16_t uverbs_udp_sport(uint32_t flow_label, uint32_t qpn, uint32_t remote_qpn)
{
	uint32_t fl = flow_label & ((1u << FLOW_LABEL_BITS) - 1);

	if (!fl) {
		uint64_t v = (uint64_t)qpn * remote_qpn;

		v ^= v >> FLOW_LABEL_BITS;
		v ^= v >> 2 * FLOW_LABEL_BITS;
		fl = v & ((1u << FLOW_LABEL_BITS) - 1);
	}
	return SPORT_MIN | ((fl ^ fl >> SPORT_BITS) & ((1u << SPORT_BITS) - 1));
}

static int answer_dmac(struct uverbs_call *c, const uint8_t dmac[6])
{
	struct mlx5_ib_create_ah_resp r = { 0 };

	if (!uverbs_len(c, UVERBS_ATTR_UHW_OUT))
		return 0;
	r.response_length = offsetof(struct mlx5_ib_create_ah_resp, reserved);
	if (uverbs_len(c, UVERBS_ATTR_UHW_OUT) < r.response_length)
		return -EINVAL;
	memcpy(r.dmac, dmac, sizeof(r.dmac));
	uverbs_put(c, UVERBS_ATTR_UHW_OUT, &r, r.response_length);
	return 0;
}

int uverbs_create_ah(struct uverbs_call *c)
{
	struct ib_uverbs_create_ah_resp resp;
	struct ib_uverbs_create_ah cmd;
	const struct hca_gid *gid;
	struct uverbs_ah *ah;
	uint8_t dmac[6], rate;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	ah = uverbs_object_new(c, UVERBS_AH);
	if (!ah)
		return c->error;
	ah->pd = uverbs_named(c, cmd.pd_handle, UVERBS_PD);
	if (!ah->pd)
		return -EINVAL;
	ah->pd->obj.uses++; /* it stays while the lock is free */
	ret = uverbs_resolve(c->u, &cmd.attr, &gid, dmac);
	ah->pd->obj.uses--;
	if (!ret)
		ret = answer_dmac(c, dmac);
	/* mlx5_ib, ah.c, create_ib_ah */
	if (!ret && kernel_has(c->u->kernel, KERNEL_AH_RATE))
		ret = uverbs_stat_rate(c->u, cmd.attr.static_rate, &rate);
	if (ret)
		return ret;
	resp.ah_handle = ah->obj.handle;
	uverbs_response(c, &resp);
	return 0;
}
