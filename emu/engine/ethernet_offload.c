/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksums (RFC 1071, 791, 793, 768, 8200), segmentation of TCP and UDP, VLAN tags.
 *
 * Checksums are computed from scratch, whatever the field contained: programs write the sum of
 * the pseudo header, or nothing. Flags that ask for a checksum of a header which a packet does
 * not have do nothing (Caladan sets them on ARP too).
 */
#include <endian.h>
#include <string.h>

#include "core/core.h"
#include "engine/ethernet_offload.h"
#include "event/event.h"

#define MIN_FRAME 60 /* without FCS: IEEE 802.3 */
#define TCP	  6
#define UDP	  17
#define TAG	  4
#define TAG_AT	  12

/* TCP header */
#define TCP_SEQ	   4
#define TCP_FLAGS  13
#define TCP_SUM	   16
#define TCP_FIN	   0x01
#define TCP_PSH	   0x08
#define TCP_ACK	   0x10
#define TCP_CWR	   0x80
#define UDP_LENGTH 4
#define UDP_SUM	   6
#define IP4_LENGTH 2
#define IP4_ID	   4
#define IP4_SUM	   10
#define IP6_LENGTH 4
#define IP6_BYTES  40
#define IP6_NEXT   6
#define IP4_BYTES  20

/* ---- sums ---- */

/* A sum of bytes in the machine's order has its bytes in that order, too (RFC 1071, 2(B)): of 8
 * at a time, with the carries added again, and turned at the end. */
static uint32_t add(uint32_t sum, const uint8_t *at, size_t len)
{
	uint64_t all = 0, part;

	for (; len >= sizeof(part); at += sizeof(part), len -= sizeof(part)) {
		memcpy(&part, at, sizeof(part));
		all += part;
		all += all < part;
	}
	all = (all >> 32) + (uint32_t)all;
	all = (all >> 16 & 0xffff) + (all & 0xffff) + (all >> 32);
	all = (all >> 16) + (all & 0xffff);
	sum += be16toh((uint16_t)((all >> 16) + all));
	for (; len > 1; at += 2, len -= 2)
		sum += core_be16(at);
	return len ? sum + (uint32_t)*at * 256 : sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* The checksum of a pseudo header and the @len bytes of L4 that follow the IP headers. */
static uint16_t l4_sum(const uint8_t *frame, const struct steer_layer *ip, size_t len)
{
	const uint8_t *l3 = frame + ip->l3;
	uint32_t sum = ip->protocol + (uint32_t)(len >> 16) + (uint32_t)(len & 0xffff);

	sum = ip->version == 4 ? add(sum, l3 + 12, 8) : add(sum, l3 + 8, 32);
	sum = fold(sum);
	for (size_t done = 0; done < len; done += 4096)
		sum = fold(
			add(sum, frame + ip->l4 + done, len - done < 4096 ? len - done : 4096));
	return (uint16_t)sum;
}

static void put16(uint8_t *at, uint16_t v)
{
	at[0] = v >> 8;
	at[1] = (uint8_t)v;
}

/* ---- sending ---- */

static size_t ip4_bytes(const uint8_t *l3)
{
	return (size_t)(l3[0] & 0xf) * 4;
}

static void fill_l3(uint8_t *frame, const struct steer_layer *ip)
{
	uint8_t *l3 = frame + ip->l3;

	if (ip->version != 4)
		return;
	put16(l3 + IP4_SUM, 0);
	put16(l3 + IP4_SUM, ~fold(add(0, l3, ip4_bytes(l3))));
}

/* The bytes from the L4 header to the end of the datagram; 0: there is no L4 header that has a
 * checksum. */
static size_t l4_bytes(const struct steer_layer *ip)
{
	size_t len = ip->version && !ip->fragment && ip->l4 && ip->end > ip->l4
			     ? ip->end - ip->l4
			     : 0;

	if (ip->protocol == TCP)
		return len >= 20 ? len : 0;
	return ip->protocol == UDP && len >= 8 ? len : 0;
}

/* A checksum of UDP that is 0 is sent as 0xffff (RFC 768). */
static void fill_l4(uint8_t *frame, const struct steer_layer *ip)
{
	size_t len = l4_bytes(ip);
	uint8_t *at;
	uint16_t sum;

	if (!len)
		return;
	at = frame + ip->l4 + (ip->protocol == TCP ? TCP_SUM : UDP_SUM);
	put16(at, 0);
	sum = ~l4_sum(frame, ip, len);
	put16(at, ip->protocol == UDP && !sum ? 0xffff : sum);
}

/* Inner before outer: the outer L4 covers the inner headers. */
static void fill_checksums(uint8_t *frame, const struct steer_headers *h, uint8_t flags)
{
	if (flags & EWQE_INNER_L4)
		fill_l4(frame, &h->inner);
	if (flags & EWQE_INNER_L3)
		fill_l3(frame, &h->inner);
	if (flags & EWQE_L4)
		fill_l4(frame, &h->outer);
	if (flags & EWQE_L3)
		fill_l3(frame, &h->outer);
}

/* Lengths of the IP and UDP headers of a packet that is @len bytes long; IP identification: of
 * packet @n. assumed(tso_counts_the_ip_identification): each packet of a TSO WQE has the
 * identification of the one before plus 1, as Linux does it. */
static void cut_ip(uint8_t *frame, size_t len, const struct steer_layer *ip, uint32_t n)
{
	uint8_t *l3 = frame + ip->l3;

	if (ip->version == 4) {
		put16(l3 + IP4_LENGTH, (uint16_t)(len - ip->l3));
		put16(l3 + IP4_ID, (uint16_t)(core_be16(l3 + IP4_ID) + n));
		fill_l3(frame, ip);
	} else if (ip->version == 6) {
		put16(l3 + IP6_LENGTH, (uint16_t)(len - ip->l3 - IP6_BYTES));
	}
	if (ip->version && ip->protocol == UDP && ip->l4)
		put16(frame + ip->l4 + UDP_LENGTH, (uint16_t)(len - ip->l4));
}

/* assumed(tso_flags_are_those_of_gso): CWR is in the first packet only, FIN and PSH are in the
 * last. */
static void cut_tcp(uint8_t *tcp, uint32_t offset, bool last)
{
	core_put_be32(tcp + TCP_SEQ, core_be32(tcp + TCP_SEQ) + offset);
	if (offset)
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
	if (!last)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
}

/* The headers of the WQE are those of the whole message; here they become those of one
 * packet. */
static void segment(const struct ethernet_wqe *w, uint8_t *frame, size_t len,
		    struct steer_headers *h)
{
	const struct steer_layer *ip = h->inner.version ? &h->inner : &h->outer;

	cut_ip(frame, len, &h->outer, w->packet);
	if (h->inner.version)
		cut_ip(frame, len, &h->inner, w->packet);
	if (ip->version && ip->protocol == TCP && ip->l4)
		cut_tcp(frame + ip->l4, w->packet * w->mss, w->packet + 1 == w->npkt);
	steer_parse(h, frame, len); /* the ends of the datagrams */
}

static size_t insert_tag(const struct ethernet_wqe *w, uint8_t *frame, size_t len)
{
	if (!w->vlan_type)
		return len;
	memmove(frame + TAG_AT + TAG, frame + TAG_AT, len - TAG_AT);
	put16(frame + TAG_AT, w->vlan_type);
	put16(frame + TAG_AT + 2, w->tci);
	return len + TAG;
}

/* assumed(short_frames_are_padded_with_zeros): no program pads frames for these adapters. */
static size_t pad(uint8_t *frame, size_t len)
{
	if (len >= MIN_FRAME)
		return len;
	memset(frame + len, 0, MIN_FRAME - len);
	return MIN_FRAME;
}

size_t offload_packet(const struct ethernet_wqe *w, uint8_t *frame, size_t len)
{
	struct steer_headers h;

	if ((w->cs_flags || w->opcode == EWQE_TSO) && steer_parse(&h, frame, len)) {
		if (w->opcode == EWQE_TSO)
			segment(w, frame, len, &h);
		fill_checksums(frame, &h, w->cs_flags);
	}
	return pad(frame, insert_tag(w, frame, len));
}

/* ---- receiving ---- */

static bool l3_is_good(const uint8_t *frame, const struct steer_layer *ip)
{
	return ip->version == 6 ||
	       (ip->version == 4 &&
		fold(add(0, frame + ip->l3, ip4_bytes(frame + ip->l3))) == 0xffff);
}

/* assumed(udp_without_checksum_is_l4_ok): a UDP header whose checksum is 0, which means that
 * there is none. */
static bool l4_is_good(const uint8_t *frame, const struct steer_layer *ip)
{
	size_t len = l4_bytes(ip);

	if (!len)
		return false;
	if (ip->protocol == UDP && ip->version == 4 && !core_be16(frame + ip->l4 + UDP_SUM))
		return true;
	return l4_sum(frame, ip, len) == 0xffff;
}

/* kernel, <linux/mlx5/device.h>: CQE_L4_HDR_TYPE_*. */
static uint8_t l4_kind(const uint8_t *frame, const struct steer_layer *ip)
{
	size_t len = l4_bytes(ip);
	const uint8_t *tcp = frame + ip->l4;

	if (!len)
		return HCQE_L4_NONE;
	if (ip->protocol == UDP)
		return HCQE_L4_UDP;
	if (!(tcp[TCP_FLAGS] & TCP_ACK))
		return HCQE_L4_TCP;
	return len > (size_t)(tcp[12] >> 4) * 4 ? HCQE_L4_TCP_ACK_DATA : HCQE_L4_TCP_ACK_EMPTY;
}

void offload_verify(struct offload_result *r, const uint8_t *frame, size_t len,
		    const struct steer_headers *h)
{
	const struct steer_layer *ip = h->inner.version ? &h->inner : &h->outer;

	*r = (struct offload_result){ 0 };
	if (!h->outer.version)
		return;
	r->tunneled = h->inner.version;
	r->outer_ipv6 = h->outer.version == 6;
	r->l3 = ip->version == 4 ? HCQE_IPV4_PACKET : HCQE_IPV6_PACKET;
	r->l3_ok = l3_is_good(frame, ip);
	r->ip_ext = ip->version == 4 ? ip4_bytes(frame + ip->l3) > IP4_BYTES
				     : frame[ip->l3 + IP6_NEXT] != ip->protocol;
	r->fragment = ip->fragment;
	r->l4 = l4_kind(frame, ip);
	r->l4_ok = l4_is_good(frame, ip);
	/* kernel, en_rx.c: without the capability cqe_checksum_full, what follows the datagram
	 * is not covered. */
	r->sum = fold(add(0, frame + h->outer.l3,
			  (h->outer.end < len ? h->outer.end : len) - h->outer.l3));
}
