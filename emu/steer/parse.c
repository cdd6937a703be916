/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of a packet, and at which byte each begins.
 *
 *	Ethernet [VLAN [VLAN]] | IPv4, IPv6 with extensions | TCP, UDP, ICMP, ESP, GRE
 *	tunnel: VXLAN (UDP 4789), VXLAN-GPE (4790), GENEVE (6081), GTP-U (2152), MPLS (6635), GRE, IP in IP
 *		-> the same once more
 *
 * Formats: IEEE 802.1Q; RFC 791, 8200, 2784 and 2890 (GRE), 7348 (VXLAN),
 * draft-ietf-nvo3-vxlan-gpe, 8926 (GENEVE), 7510 and 4023 (MPLS); 3GPP TS 29.281 (GTP-U). A
 * header that is cut off counts as missing, like all that would follow it.
 */
#include <netinet/in.h>

#include "steer/steer.h"

#define TYPE_IPV4  0x0800
#define TYPE_IPV6  0x86dd
#define TYPE_CVLAN 0x8100
#define TYPE_SVLAN 0x88a8
#define TYPE_MPLS  0x8847
#define TYPE_MPLS2 0x8848
#define TYPE_TEB   0x6558 /* transparent Ethernet bridging: an Ethernet packet follows */

#define PORT_GTPU      2152
#define PORT_VXLAN     4789
#define PORT_VXLAN_GPE 4790
#define PORT_ROCE      4791
#define PORT_GENEVE    6081
#define PORT_MPLS      6635

struct cursor {
	const uint8_t *b;
	size_t at, len;
};

static bool has(const struct cursor *c, size_t n)
{
	return c->at <= c->len && n <= c->len - c->at;
}

static uint16_t be16(const struct cursor *c, size_t offset)
{
	return core_be16(c->b + c->at + offset);
}

static uint8_t byte(const struct cursor *c, size_t offset)
{
	return c->b[c->at + offset];
}

/* ---- layer 3 ---- */

static void ends_at(struct cursor *c, struct steer_layer *l, size_t end)
{
	if (end < c->len)
		c->len = end;
	l->end = c->len;
}

static bool parse_ipv4(struct cursor *c, struct steer_layer *l)
{
	size_t header;

	if (!has(c, 20) || byte(c, 0) >> 4 != 4)
		return false;
	header = (byte(c, 0) & 0xf) * 4;
	if (header < 20 || !has(c, header))
		return false;
	l->version = 4;
	l->l3 = c->at;
	l->protocol = byte(c, 9);
	l->fragment = be16(c, 6) & 0x3fff; /* more fragments, or an offset */
	ends_at(c, l, c->at + be16(c, 2));
	c->at += header;
	return !l->fragment;
}

/* The extension headers; false: a fragment, or cut off. */
/* assumed(ipv6_extensions): hop-by-hop, routing and destination options and fragment headers
 * are passed over, ip_protocol is what follows them, and a fragment header of a whole packet is
 * not a fragment. */
static bool parse_extensions(struct cursor *c, struct steer_layer *l)
{
	for (;;) {
		size_t bytes = 8;

		switch (l->protocol) {
		case IPPROTO_HOPOPTS:
		case IPPROTO_ROUTING:
		case IPPROTO_DSTOPTS:
			if (has(c, 8))
				bytes = 8 + byte(c, 1) * (size_t)8;
			break;
		case IPPROTO_FRAGMENT:
			if (has(c, 8))
				l->fragment = be16(c, 2) & 0xfff9;
			break;
		default:
			return !l->fragment;
		}
		if (!has(c, bytes))
			return false;
		l->protocol = byte(c, 0);
		c->at += bytes;
	}
}

static bool parse_ipv6(struct cursor *c, struct steer_layer *l)
{
	if (!has(c, 40) || byte(c, 0) >> 4 != 6)
		return false;
	l->version = 6;
	l->l3 = c->at;
	l->protocol = byte(c, 6);
	ends_at(c, l, c->at + 40 + be16(c, 4));
	c->at += 40;
	return parse_extensions(c, l);
}

/* ---- layer 2 ---- */

static bool is_tag(uint16_t type)
{
	return type == TYPE_CVLAN || type == TYPE_SVLAN;
}

static bool parse_l2(struct cursor *c, struct steer_layer *l)
{
	if (!has(c, 14))
		return false;
	l->has_l2 = true;
	l->l2 = c->at;
	c->at += 12;
	while (l->vlans < 2 && is_tag(be16(c, 0)) && has(c, 6)) {
		l->vlan[l->vlans++] = c->at;
		c->at += 4;
	}
	l->ethertype = be16(c, 0);
	c->at += 2;
	return true;
}

/* Bytes of a header whose fields rules match; 0: the protocol has no such header. */
static size_t l4_bytes(const struct steer_layer *l)
{
	switch (l->protocol) {
	case IPPROTO_TCP:
		return 20;
	case IPPROTO_UDP:
	case IPPROTO_ESP:
		return 8;
	case IPPROTO_ICMP:
		return l->version == 4 ? 8 : 0;
	case IPPROTO_ICMPV6:
		return l->version == 6 ? 8 : 0;
	case IPPROTO_GRE:
		return 4;
	default:
		return 0;
	}
}

/* An IP packet of @type; true: and what follows its IP headers. */
static bool parse_ip(struct cursor *c, struct steer_layer *l, uint16_t type)
{
	bool more = type == TYPE_IPV4	? parse_ipv4(c, l)
		    : type == TYPE_IPV6 ? parse_ipv6(c, l)
					: false;

	if (more && l4_bytes(l) && has(c, l4_bytes(l)))
		l->l4 = c->at;
	return more;
}

/* ---- tunnels ---- */

static void inner_ip(struct cursor *c, struct steer_headers *h, uint16_t type)
{
	parse_ip(c, &h->inner, type);
}

/* The first label after an Ethernet header; false: none follows. */
static bool parse_mpls(const struct cursor *c, struct steer_layer *l)
{
	if (l->ethertype != TYPE_MPLS && l->ethertype != TYPE_MPLS2)
		return false;
	l->l3 = has(c, 4) ? c->at : 0;
	return true;
}

static void inner_ethernet(struct cursor *c, struct steer_headers *h)
{
	if (parse_l2(c, &h->inner) && !parse_mpls(c, &h->inner))
		parse_ip(c, &h->inner, h->inner.ethertype);
}

static void inner_ip_of_any_version(struct cursor *c, struct steer_headers *h)
{
	if (has(c, 1))
		inner_ip(c, h, byte(c, 0) >> 4 == 4 ? TYPE_IPV4 : TYPE_IPV6);
}

/* An IP packet follows the label that is the bottom of the stack. */
static void inner_mpls(struct cursor *c, struct steer_headers *h)
{
	bool bottom = false;

	h->mpls = has(c, 4) ? c->at : 0;
	while (!bottom) {
		if (!has(c, 4))
			return;
		bottom = byte(c, 2) & 1;
		c->at += 4;
	}
	inner_ip_of_any_version(c, h);
}

static void enter(struct cursor *c, struct steer_headers *h, enum steer_tunnel tunnel,
		  size_t bytes)
{
	h->tunnel = tunnel;
	h->tunnel_at = c->at;
	c->at += bytes;
}

/* Versions 0 and 1: rdma-core's test_mlx5_dr.py has adapters remove a tunnel of version 1. */
static void in_gre(struct cursor *c, struct steer_headers *h)
{
	uint16_t flags = be16(c, 0), type = be16(c, 2);
	size_t bytes =
		4 + (flags >> 15 & 1) * 4 + (flags >> 13 & 1) * 4 + (flags >> 12 & 1) * 4;

	if ((flags & 7) > 1 || !has(c, bytes))
		return;
	enter(c, h, type == TYPE_MPLS ? STEER_MPLS_GRE : STEER_GRE, bytes);
	if (type == TYPE_TEB)
		inner_ethernet(c, h);
	else if (type == TYPE_MPLS)
		inner_mpls(c, h);
	else
		inner_ip(c, h, type);
}

static void in_geneve(struct cursor *c, struct steer_headers *h)
{
	size_t bytes = 8 + (has(c, 8) ? byte(c, 0) & 0x3f : 0) * 4;
	uint16_t type;

	if (!has(c, bytes))
		return;
	type = be16(c, 2);
	enter(c, h, STEER_GENEVE, bytes);
	if (type == TYPE_TEB)
		inner_ethernet(c, h);
	else
		inner_ip(c, h, type);
}

static void in_vxlan_gpe(struct cursor *c, struct steer_headers *h)
{
	enum { NEXT_IPV4 = 1, NEXT_IPV6, NEXT_ETHERNET };
	uint8_t next;

	if (!has(c, 8))
		return;
	next = byte(c, 3);
	enter(c, h, STEER_VXLAN_GPE, 8);
	if (next == NEXT_ETHERNET)
		inner_ethernet(c, h);
	else if (next == NEXT_IPV4 || next == NEXT_IPV6)
		inner_ip(c, h, next == NEXT_IPV4 ? TYPE_IPV4 : TYPE_IPV6);
}

/* The options of a GTP-U header, and its chain of extension headers; false: cut off. */
static bool skip_gtpu_options(struct cursor *c, uint8_t flags)
{
	enum { ANY = 7, EXTENSION = 4 };
	uint8_t next;

	if (!(flags & ANY))
		return true;
	if (!has(c, 4))
		return false;
	next = flags & EXTENSION ? byte(c, 3) : 0;
	c->at += 4;
	while (next) {
		size_t bytes = has(c, 1) ? byte(c, 0) * (size_t)4 : 0;

		if (!bytes || !has(c, bytes))
			return false;
		next = byte(c, bytes - 1);
		c->at += bytes;
	}
	return true;
}

static void in_gtpu(struct cursor *c, struct steer_headers *h)
{
	enum { VERSION_1 = 1, G_PDU = 255 };
	uint8_t flags, type;

	if (!has(c, 8) || byte(c, 0) >> 5 != VERSION_1)
		return;
	flags = byte(c, 0);
	type = byte(c, 1);
	enter(c, h, STEER_GTPU, 8);
	if (type == G_PDU && skip_gtpu_options(c, flags))
		inner_ip_of_any_version(c, h);
}

static void in_udp(struct cursor *c, struct steer_headers *h)
{
	uint16_t port = be16(c, 2);

	c->at += 8;
	switch (port) {
	case PORT_VXLAN:
		if (!has(c, 8))
			break;
		enter(c, h, STEER_VXLAN, 8);
		inner_ethernet(c, h);
		break;
	case PORT_VXLAN_GPE:
		in_vxlan_gpe(c, h);
		break;
	case PORT_GENEVE:
		in_geneve(c, h);
		break;
	case PORT_GTPU:
		in_gtpu(c, h);
		break;
	case PORT_MPLS:
		enter(c, h, STEER_MPLS_UDP, 0);
		inner_mpls(c, h);
		break;
	case PORT_ROCE:
		h->bth = has(c, 12) ? c->at : 0;
		break;
	default:
		break;
	}
}

static void parse_tunnel(struct cursor *c, struct steer_headers *h)
{
	switch (h->outer.protocol) {
	case IPPROTO_UDP:
		if (h->outer.l4)
			in_udp(c, h);
		break;
	case IPPROTO_GRE:
		if (h->outer.l4)
			in_gre(c, h);
		break;
	case IPPROTO_IPIP:
	case IPPROTO_IPV6:
		enter(c, h, STEER_IP_IN_IP, 0);
		inner_ip(c, h, h->outer.protocol == IPPROTO_IPIP ? TYPE_IPV4 : TYPE_IPV6);
		break;
	default:
		break;
	}
}

bool steer_parse(struct steer_headers *h, const uint8_t *bytes, size_t len)
{
	struct cursor c = { .b = bytes, .len = len };

	*h = (struct steer_headers){ 0 };
	if (!parse_l2(&c, &h->outer))
		return false;
	if (!parse_mpls(&c, &h->outer) && parse_ip(&c, &h->outer, h->outer.ethertype))
		parse_tunnel(&c, h);
	return true;
}
