/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of vxlan_encap and nvgre_encap:
 *
 *	Ethernet | VLAN tag | IPv4 or IPv6 | UDP | VXLAN	RFC 7348
 *	Ethernet | VLAN tag | IPv4 or IPv6 | GRE with a key	RFC 7637
 */
#include <errno.h>
#include <string.h>

#include "headers.h"
#include "value.h"

enum { TYPE_VLAN = 0x8100, TYPE_IPV4 = 0x800, TYPE_IPV6 = 0x86dd, TYPE_ETHERNET = 0x6558 };
enum { PROTOCOL_UDP = 17, PROTOCOL_GRE = 47, DEFAULT_TTL = 64 };
enum { VXLAN_I = 0x08, GRE_KEY = 0x2000 };

/* The arguments that both have. */
struct args {
	enum dv_flow_arg version, src, dst, tci, eth_src, eth_dst;
};

static const struct args vxlan_args = {
	FLOW_ARG_VXLAN_ENCAP_IP_VERSION, FLOW_ARG_VXLAN_ENCAP_IP_SRC,
	FLOW_ARG_VXLAN_ENCAP_IP_DST,	 FLOW_ARG_VXLAN_ENCAP_VLAN_TCI,
	FLOW_ARG_VXLAN_ENCAP_ETH_SRC,	 FLOW_ARG_VXLAN_ENCAP_ETH_DST,
};

static const struct args nvgre_args = {
	FLOW_ARG_NVGRE_ENCAP_IP_VERSION, FLOW_ARG_NVGRE_ENCAP_IP_SRC,
	FLOW_ARG_NVGRE_ENCAP_IP_DST,	 FLOW_ARG_NVGRE_ENCAP_VLAN_TCI,
	FLOW_ARG_NVGRE_ENCAP_ETH_SRC,	 FLOW_ARG_NVGRE_ENCAP_ETH_DST,
};

struct out {
	uint8_t *bytes;
	size_t len;
};

static void put(struct out *o, unsigned int bytes, uint64_t v)
{
	while (bytes--)
		o->bytes[o->len++] = (uint8_t)(v >> 8 * bytes);
}

static void put_bytes(struct out *o, const struct dv_flow_action *a, enum dv_flow_arg arg,
		      unsigned int skip)
{
	size_t n = flow_args[arg].bits / 8u - skip;

	memcpy(o->bytes + o->len, a->bytes + flow_arg_byte(arg) + skip, n);
	o->len += n;
}

static bool is_v4(const struct dv_flow_action *a, enum dv_flow_arg arg)
{
	return !memcmp(a->bytes + flow_arg_byte(arg), value_ipv4_mapped,
		       sizeof(value_ipv4_mapped));
}

static int check(const struct dv_flow_action *a, const struct args *args,
		 struct dv_flow_error *error)
{
	uint64_t version = is_v4(a, args->src) ? FLOW_IP_VERSION_IPV4 : FLOW_IP_VERSION_IPV6;

	if (!dv_flow_action_has(a, args->src) || !dv_flow_action_has(a, args->dst))
		return flow_refuse(error, EINVAL, "%s: ip-src and ip-dst are wanted",
				   flow_actions[a->type]);
	if (is_v4(a, args->src) != is_v4(a, args->dst) ||
	    (dv_flow_action_has(a, args->version) &&
	     dv_flow_action_arg(a, args->version) != version))
		return flow_refuse(error, EINVAL, "%s: the addresses are of one ip-version",
				   flow_actions[a->type]);
	return 0;
}

static void put_l2(struct out *o, const struct dv_flow_action *a, const struct args *args)
{
	put_bytes(o, a, args->eth_dst, 0);
	put_bytes(o, a, args->eth_src, 0);
	if (dv_flow_action_has(a, args->tci)) {
		put(o, 2, TYPE_VLAN);
		put(o, 2, dv_flow_action_arg(a, args->tci));
	}
	put(o, 2, is_v4(a, args->src) ? TYPE_IPV4 : TYPE_IPV6);
}

static void put_l3(struct out *o, const struct dv_flow_action *a, const struct args *args,
		   uint8_t protocol, uint8_t tos, uint8_t ttl)
{
	if (is_v4(a, args->src)) {
		put(o, 2, 0x4500u | tos);
		put(o, 6, 0); /* length, identification, fragment */
		put(o, 1, ttl);
		put(o, 1, protocol);
		put(o, 2, 0); /* checksum */
		put_bytes(o, a, args->src, sizeof(value_ipv4_mapped));
		put_bytes(o, a, args->dst, sizeof(value_ipv4_mapped));
	} else {
		put(o, 4, 6u << 28 | (uint32_t)tos << 20);
		put(o, 2, 0); /* length */
		put(o, 1, protocol);
		put(o, 1, ttl);
		put_bytes(o, a, args->src, 0);
		put_bytes(o, a, args->dst, 0);
	}
}

static void put_vxlan(struct out *o, const struct dv_flow_action *a)
{
	bool has_port = dv_flow_action_has(a, FLOW_ARG_VXLAN_ENCAP_UDP_DST);
	bool has_ttl = dv_flow_action_has(a, FLOW_ARG_VXLAN_ENCAP_IP_TTL);

	put_l3(o, a, &vxlan_args, PROTOCOL_UDP,
	       (uint8_t)dv_flow_action_arg(a, FLOW_ARG_VXLAN_ENCAP_IP_TOS),
	       has_ttl ? (uint8_t)dv_flow_action_arg(a, FLOW_ARG_VXLAN_ENCAP_IP_TTL)
		       : DEFAULT_TTL);
	put(o, 2, dv_flow_action_arg(a, FLOW_ARG_VXLAN_ENCAP_UDP_SRC));
	put(o, 2, has_port ? dv_flow_action_arg(a, FLOW_ARG_VXLAN_ENCAP_UDP_DST) : PORT_VXLAN);
	put(o, 4, 0); /* length; no checksum */
	put(o, 4, (uint32_t)VXLAN_I << 24);
	put(o, 4, dv_flow_action_arg(a, FLOW_ARG_VXLAN_ENCAP_VNI) << 8);
}

static void put_nvgre(struct out *o, const struct dv_flow_action *a)
{
	put_l3(o, a, &nvgre_args, PROTOCOL_GRE, 0, DEFAULT_TTL);
	put(o, 2, GRE_KEY);
	put(o, 2, TYPE_ETHERNET);
	put(o, 4, dv_flow_action_arg(a, FLOW_ARG_NVGRE_ENCAP_TNI) << 8);
}

int tunnel_header(const struct dv_flow_action *a, uint8_t header[FLOW_MAX_BYTES], size_t *len,
		  struct dv_flow_error *error)
{
	const struct args *args =
		a->type == FLOW_ACTION_VXLAN_ENCAP ? &vxlan_args : &nvgre_args;
	struct out o = { header, 0 };
	int err = check(a, args, error);

	if (err)
		return err;
	put_l2(&o, a, args);
	if (a->type == FLOW_ACTION_VXLAN_ENCAP)
		put_vxlan(&o, a);
	else
		put_nvgre(&o, a);
	*len = o.len;
	return 0;
}
