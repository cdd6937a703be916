/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that an entry changes.
 *
 *	decapsulate, remove -> pop VLAN tags -> modify headers -> push VLAN tags -> encapsulate, insert
 *
 * The packet is copied before: others may still have it. Lengths and the IPv4 checksum of
 * headers that are put in front are those of the whole packet then.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "prm/prm.h"
#include "steer/work.h"

#define DO(name) PRM_FLOW_CONTEXT_ACTION_##name

/* assumed(order_of_flow_actions): an entry with several changes removes headers first, then
 * modifies, then adds. */
#define CHANGES                                                                          \
	(DO(PACKET_REFORMAT) | DO(DECAP) | DO(MOD_HDR) | DO(VLAN_POP) | DO(VLAN_POP_2) | \
	 DO(VLAN_PUSH) | DO(VLAN_PUSH_2))

bool steer_changes(const struct hca_fte *e)
{
	return e->act.action & CHANGES;
}

bool steer_work_again(struct steer_work *w)
{
	if (!steer_parse(&w->h, w->p.bytes, w->p.len))
		return false;
	steer_match(w->match, &w->p, &w->h);
	return true;
}

bool steer_work_init(struct steer_work *w, const struct steer_packet *p)
{
	w->p = *p;
	w->own = NULL;
	return steer_work_again(w);
}

void steer_work_fini(struct steer_work *w)
{
	free(w->own);
}

bool steer_own(struct steer_work *w)
{
	if (w->own)
		return true;
	w->own = w->p.len <= STEER_FRAME_MAX ? malloc(STEER_FRAME_MAX) : NULL;
	if (!w->own)
		return false;
	w->p.bytes = memcpy(w->own, w->p.bytes, w->p.len);
	return true;
}

bool steer_splice(struct steer_work *w, size_t at, size_t cut, const uint8_t *data, size_t n)
{
	if (at > w->p.len || cut > w->p.len - at || w->p.len - cut + n > STEER_FRAME_MAX)
		return false;
	memmove(w->own + at + n, w->own + at + cut, w->p.len - at - cut);
	if (n)
		memcpy(w->own + at, data, n);
	w->p.len = w->p.len - cut + n;
	return true;
}

/* The same, and the headers that the packet has then. */
static bool splice(struct steer_work *w, size_t at, size_t cut, const uint8_t *data, size_t n)
{
	return steer_splice(w, at, cut, data, n) && steer_parse(&w->h, w->p.bytes, w->p.len);
}

/* ---- removing ---- */

void steer_cut_padding(struct steer_work *w)
{
	if (w->h.outer.end)
		w->p.len = w->h.outer.end;
}

/* assumed(decapsulation_without_a_tunnel): a packet without the tunnel that an entry removes
 * stays as it is. */
bool steer_decapsulate(struct steer_work *w, const uint8_t *data, size_t n, bool l3)
{
	const struct steer_layer *in = &w->h.inner;

	if (l3 ? !in->version : !in->has_l2)
		return true;
	steer_cut_padding(w);
	return splice(w, 0, l3 ? in->l3 : in->l2, data, n);
}

/* assumed(pop_without_a_tag): an entry that removes a VLAN tag leaves a packet without one as
 * it is. */
bool steer_pop(struct steer_work *w)
{
	return !w->h.outer.vlans || splice(w, w->h.outer.vlan[0], 4, NULL, 0);
}

/* ---- anchors of INSERT_HDR and REMOVE_HDR ---- */

/* False: the packet has no such header. */
static bool anchor(const struct steer_work *w, uint8_t which, size_t *at)
{
	const struct steer_layer *l = &w->h.outer;

	switch (which) {
	case PRM_REFORMAT_CONTEXT_ANCHOR_MAC_START:
		*at = 0;
		return true;
	case PRM_REFORMAT_CONTEXT_ANCHOR_IP_START:
		*at = l->l3;
		return l->version;
	default:
		*at = l->l4;
		return l->l4;
	}
}

/* assumed(anchors_that_a_packet_lacks): INSERT_HDR and REMOVE_HDR at a header that is not there
 * change nothing. */
static bool at_anchor(struct steer_work *w, const struct hca_packet_reformat *r)
{
	bool insert = r->type == PRM_REFORMAT_INSERT_HDR;
	size_t at;

	if (!anchor(w, r->param_0, &at))
		return true;
	return splice(w, at + r->param_1, insert ? 0 : r->size, r->data, insert ? r->size : 0);
}

/* ---- adding ---- */

bool steer_push(struct steer_work *w, uint32_t tag)
{
	uint8_t bytes[4];

	core_put_be32(bytes, tag);
	return splice(w, 12, 0, bytes, sizeof(bytes));
}

static void put_ipv4_checksum(uint8_t *ip)
{
	size_t len = (ip[0] & 0xf) * 4;
	uint32_t s = 0;

	core_put_be16(ip + 10, 0);
	for (size_t i = 0; i < len; i += 2)
		s += core_be16(ip + i);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	core_put_be16(ip + 10, ~s);
}

/* assumed(encapsulation_writes_lengths): the device writes the lengths of the IP and UDP
 * headers that it adds, and the checksum of an IPv4 header; a UDP checksum is as given. */
static bool put_lengths(struct steer_work *w)
{
	const struct steer_layer *l = &w->h.outer;
	uint8_t *ip = w->own + l->l3;
	size_t rest = w->p.len - l->l3;

	if (l->version == 4) {
		core_put_be16(ip + 2, rest);
		put_ipv4_checksum(ip);
	} else if (l->version == 6) {
		core_put_be16(ip + 4, rest - 40);
	}
	/* The lengths decide how far the parser looks. */
	if (!steer_parse(&w->h, w->p.bytes, w->p.len))
		return false;
	if (l->l4 && l->protocol == IPPROTO_UDP)
		core_put_be16(w->own + l->l4 + 4, w->p.len - l->l4);
	return true;
}

bool steer_encapsulate(struct steer_work *w, const struct hca_packet_reformat *r)
{
	bool l3 = r->type == PRM_REFORMAT_L2_TO_L3_TUNNEL;
	size_t cut = l3 ? 14 + 4 * w->h.outer.vlans : 0;

	return splice(w, 0, cut, r->data, r->size) && put_lengths(w);
}

/* ---- all of it ---- */

static bool reformat_first(struct steer_work *w, const struct hca_packet_reformat *r)
{
	switch (r ? r->type : PRM_REFORMAT_INSERT_HDR) {
	case PRM_REFORMAT_L3_TUNNEL_TO_L2:
		return steer_decapsulate(w, r->data, r->size, true);
	case PRM_REFORMAT_REMOVE_HDR:
		return at_anchor(w, r);
	default:
		return true;
	}
}

static bool reformat_last(struct steer_work *w, const struct hca_packet_reformat *r)
{
	switch (r ? r->type : PRM_REFORMAT_REMOVE_HDR) {
	case PRM_REFORMAT_L3_TUNNEL_TO_L2:
	case PRM_REFORMAT_REMOVE_HDR:
		return true;
	case PRM_REFORMAT_INSERT_HDR:
		return at_anchor(w, r);
	default:
		return steer_encapsulate(w, r);
	}
}

static bool change(struct steer_work *w, const struct hca_fte_do *act)
{
	if (act->action & DO(DECAP) && !steer_decapsulate(w, NULL, 0, false))
		return false;
	if (!reformat_first(w, act->reformat) ||
	    (act->action & DO(VLAN_POP) && !steer_pop(w)) ||
	    (act->action & DO(VLAN_POP_2) && !steer_pop(w)))
		return false;
	if (act->modify)
		steer_modify(w, act->modify->actions, act->modify->cnt);
	if ((act->action & DO(VLAN_PUSH) && !steer_push(w, act->push_vlan[0])) ||
	    (act->action & DO(VLAN_PUSH_2) && !steer_push(w, act->push_vlan[1])))
		return false;
	return reformat_last(w, act->reformat);
}

bool steer_rewrite(struct steer_work *w, const struct hca_fte *e)
{
	return steer_own(w) && change(w, &e->act) && steer_work_again(w);
}
