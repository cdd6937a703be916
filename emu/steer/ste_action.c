/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of an STE.
 *
 *	format 0	one or two, which the type of the STE and its dwords 3 to 5 say
 *	format 1	words of 4 or 8 bytes, one after the other: 8 bytes of them, or 12 (MATCH)
 *	format 3	the same; a header and an offset have more bits
 *
 *	list of changes	in ICM: n * 8 bytes
 *	pattern		the same, and the data of each in an argument, a general object
 *
 * Actions of ASOs (meters, first hit, connection tracking) are not here.
 */
#include <string.h>

#include "steer/ste.h"

#define CHANGE HCA_HEADER_ACTION_SIZE

static const char no_memory[] = "no packet is left after its actions";
static const char no_list[] = "its list of changes is not in ICM";
static const char no_change[] = "it changes a field that there is not";
static const char no_action[] = "it has an action that is not executed";
static const char no_reformat[] = "its reformat context does not exist";
static const char no_argument[] = "its argument does not exist";
static const char too_many[] = "the packet was changed too often";

/* @n changes at ICM address @addr. */
static const char *list_at(struct steer_walk *w, uint64_t addr, uint32_t n,
			   const uint8_t **list)
{
	*list = n ? hca_sw_icm_bytes(w->hca, addr, (uint64_t)n * CHANGE) : NULL;
	if (!*list)
		return no_list;
	w->stes += n;
	return w->stes > STES_MAX ? too_many : NULL;
}

static const char *encapsulate(const struct steer_walk *w, struct steer_work *work, uint32_t id,
			       bool l3)
{
	const struct hca_packet_reformat *r = core_ids_get(&w->hca->packet_reformats, id);
	struct hca_packet_reformat as = { .type = l3 ? PRM_REFORMAT_L2_TO_L3_TUNNEL
						     : PRM_REFORMAT_L2_TO_L2_TUNNEL };

	if (!r || !r->data)
		return no_reformat;
	as.size = r->size;
	as.data = r->data;
	return steer_encapsulate(work, &as) ? NULL : no_memory;
}

/* ---- format 0 ---- */

enum { TYPE_TX = 1, TYPE_RX = 2, TYPE_MODIFY = 6 };
enum { PUSH = 1, ENCAP_L3 = 3, ENCAP_L2 = 4 };
enum { TUNNEL_NONE, TUNNEL_ENABLE, DECAP_L2, DECAP_L3, POP };

#define TAG_ENABLED 0x80000000u

/* The Ethernet header that the list of an L3 decapsulation describes: words 0 and 1 are the
 * addresses, word 2 has the type at 32, the kind of tag at 48, and the tag at 0. */
static void l2_header(const uint8_t *list, uint32_t n, uint8_t *header, bool tagged)
{
	uint64_t word[3] = { 0 };

	for (uint32_t i = 0; i < n; i++, list += CHANGE) {
		uint32_t to = list[1], at = ste_bits(list, 0, 13, 8);

		if (to < ARRAY_SIZE(word))
			word[to] |= (uint64_t)core_be32(list + 4) << at;
	}
	for (size_t i = 0; i < 6; i++) {
		header[i] = word[0] >> (40 - 8 * i);
		header[6 + i] = word[1] >> (40 - 8 * i);
	}
	if (tagged) {
		core_put_be16(header + 12, (word[2] >> 48 & 3) == 1 ? 0x88a8 : 0x8100);
		core_put_be16(header + 14, word[2]);
	}
	core_put_be16(header + (tagged ? 16 : 12), word[2] >> 32);
}

static const char *modify_0(struct steer_walk *w, struct steer_work *work, const uint8_t *b)
{
	uint32_t n = ste_bits(b, 3, 31, 16);
	const uint8_t *list;
	const char *why = list_at(w, HCA_ICM_AT(HCA_ICM_MODIFY, core_be32(b + 16)), n, &list);

	if (why)
		return why;
	if (ste_bits(b, 5, 30, 28) == DECAP_L3) {
		bool tagged = ste_bits(b, 5, 27, 24);
		uint8_t header[18];

		l2_header(list, n, header, tagged);
		return steer_decapsulate(work, header, tagged ? 18 : 14, true) ? NULL
									       : no_memory;
	}
	for (uint32_t i = 0; i < n; i++, list += CHANGE)
		if (list[0] && !ste_change(0, work, list)) /* 0: nothing */
			return no_change;
	return NULL;
}

static const char *send_0(struct steer_walk *w, struct steer_work *work, const uint8_t *b)
{
	switch (ste_bits(b, 3, 25, 23)) {
	case 0:
		return NULL;
	case PUSH:
		return steer_push(work, core_be32(b + 16)) ? NULL : no_memory;
	case ENCAP_L2:
		return encapsulate(w, work, core_be32(b + 16), false);
	case ENCAP_L3:
		return encapsulate(w, work, core_be32(b + 16), true);
	default:
		return no_action;
	}
}

static const char *receive_0(struct steer_work *work, const uint8_t *b)
{
	uint32_t tag = core_be32(b + 16);

	if (tag & TAG_ENABLED)
		work->p.meta.flow_tag = tag & 0xffffff;
	switch (ste_bits(b, 5, 30, 28)) {
	case TUNNEL_NONE:
	case TUNNEL_ENABLE:
		return NULL;
	case DECAP_L2:
		return steer_decapsulate(work, NULL, 0, false) ? NULL : no_memory;
	case POP:
		return steer_pop(work) ? NULL : no_memory;
	default:
		return no_action;
	}
}

static bool acts_0(const uint8_t *b)
{
	switch (b[0] >> 4) {
	case TYPE_TX:
		return ste_bits(b, 3, 25, 23);
	case TYPE_RX:
		return ste_bits(b, 5, 30, 28) || core_be32(b + 16);
	default:
		return true;
	}
}

static const char *act_0(struct steer_walk *w, struct steer_work *work, const uint8_t *b)
{
	switch (b[0] >> 4) {
	case TYPE_TX:
		return send_0(w, work, b);
	case TYPE_RX:
		return receive_0(work, b);
	default:
		return modify_0(w, work, b);
	}
}

/* ---- format 1 ---- */

static bool is_double(uint8_t id)
{
	return (id >= COPY_1 && id <= ADD_1) || id == INSERT_INLINE || id == INSERT_POINTER ||
	       id == PATTERN;
}

/* The byte at which header @which begins. False: the packet has no such header; an action at it
 * changes nothing. */
static bool anchor(const struct steer_work *work, uint32_t which, size_t *at)
{
	const struct steer_headers *h = &work->h;

	switch (which) {
	case START:
		*at = 0;
		return true;
	case TAG_1:
		*at = h->outer.vlan[0];
		return h->outer.vlans;
	case IP:
		*at = h->outer.l3;
		return h->outer.version;
	case INNER_MAC:
		*at = h->inner.l2;
		return h->inner.has_l2;
	case INNER_IP:
		*at = h->inner.l3;
		return h->inner.version;
	default:
		return false;
	}
}

/* The header at which an action begins. */
static uint32_t start_of(uint8_t format, const uint8_t *a)
{
	return format == 3 ? ste_bits(a, 0, 23, 17) : ste_bits(a, 0, 21, 16);
}

/* From the first tag on, it removes no more than the tags. */
static const char *remove_size(uint8_t format, struct steer_work *work, const uint8_t *a)
{
	uint32_t from = start_of(format, a);
	size_t at, size = 2 * ste_bits(a, 0, 5, 0);

	if (!anchor(work, from, &at))
		return NULL;
	at += 2 * (format == 3 ? ste_bits(a, 0, 16, 9) : ste_bits(a, 0, 13, 7));
	if (from == TAG_1 && size > 4u * work->h.outer.vlans)
		size = 4u * work->h.outer.vlans;
	return steer_splice(work, at, size, NULL, 0) ? NULL : no_memory;
}

static const char *remove_headers(uint8_t format, struct steer_work *work, const uint8_t *a)
{
	uint32_t end = format == 3 ? ste_bits(a, 0, 16, 10) : ste_bits(a, 0, 13, 8);
	size_t from, to;

	if (!anchor(work, start_of(format, a), &from) || !anchor(work, end, &to) || to < from)
		return NULL;
	if (ste_bits(a, 0, 3, 3))
		steer_cut_padding(work);
	return steer_splice(work, from, to - from, NULL, 0) ? NULL : no_memory;
}

/* An offset at which something is inserted, in bytes. */
static size_t offset_of(uint8_t format, const uint8_t *a)
{
	return 2 * (format == 3 ? ste_bits(a, 0, 16, 9) : ste_bits(a, 0, 15, 9));
}

static const char *insert_inline(uint8_t format, struct steer_work *work, const uint8_t *a)
{
	size_t at;

	if (!anchor(work, start_of(format, a), &at))
		return NULL;
	return steer_splice(work, at + offset_of(format, a), 0, a + 4, 4) ? NULL : no_memory;
}

/* The bytes of an argument: headers of a tunnel, which get their lengths, or others. */
static const char *insert_argument(const struct steer_walk *w, struct steer_work *work,
				   const uint8_t *a)
{
	uint32_t size = 2 * ste_bits(a, 0, 8, 3);
	const uint8_t *data = hca_argument(w->hca, core_be32(a + 4) & ~HCA_STE_ARGUMENT, size);
	size_t at;

	if (!data)
		return no_argument;
	if (!anchor(work, start_of(ste_format(w), a), &at))
		return NULL;
	at += offset_of(ste_format(w), a);
	if (ste_bits(a, 0, 0, 0) && !at) {
		struct hca_packet_reformat as = { .type = PRM_REFORMAT_L2_TO_L2_TUNNEL,
						  .size = (uint16_t)size,
						  .data = (uint8_t *)data };

		return steer_encapsulate(work, &as) ? NULL : no_memory;
	}
	return steer_splice(work, at, 0, data, size) ? NULL : no_memory;
}

/* In front of the packet: what the library makes of it. */
static const char *insert_pointer(const struct steer_walk *w, struct steer_work *work,
				  const uint8_t *a)
{
	if (core_be32(a + 4) & HCA_STE_ARGUMENT)
		return insert_argument(w, work, a);
	if (start_of(ste_format(w), a) != START || offset_of(ste_format(w), a))
		return no_action;
	return encapsulate(w, work, core_be32(a + 4), false);
}

/* One that can be in a list, too. */
static const char *single(const struct steer_walk *w, struct steer_work *work, const uint8_t *a)
{
	switch (a[0]) {
	case NOP_1:
		return NULL;
	case COPY_1:
	case SET_1:
	case ADD_1:
		return ste_change(ste_format(w), work, a) ? NULL : no_change;
	case REMOVE_SIZE:
		return remove_size(ste_format(w), work, a);
	case REMOVE_HEADERS:
		return remove_headers(ste_format(w), work, a);
	case INSERT_INLINE:
		return insert_inline(ste_format(w), work, a);
	case INSERT_POINTER:
		return insert_pointer(w, work, a);
	default:
		return no_action;
	}
}

static const char *list_1(struct steer_walk *w, struct steer_work *work, const uint8_t *a)
{
	const uint8_t *list;
	uint32_t n = ste_bits(a, 0, 23, 16);
	const char *why =
		list_at(w, HCA_ICM_AT(HCA_ICM_MODIFY, ste_bits(a, 0, 15, 0)), n, &list);

	for (uint32_t i = 0; i < n && !why; i++)
		why = single(w, work, list + (size_t)i * CHANGE);
	return why;
}

/* A pattern in ICM, or that of an object. */
static const char *pattern_at(struct steer_walk *w, uint32_t number, uint32_t n,
			      const uint8_t **list)
{
	const struct hca_pattern *p = core_ids_get(&w->hca->patterns, number);

	if (number < HCA_PATTERN_FIRST)
		return list_at(w, HCA_ICM_AT(HCA_ICM_PATTERN, number), n, list);
	if (!p || n > p->n)
		return no_list;
	*list = p->change[0];
	w->stes += n;
	return w->stes > STES_MAX ? too_many : NULL;
}

/* An argument has space for the data of 8 changes. */
static const char *pattern(struct steer_walk *w, struct steer_work *work, const uint8_t *a)
{
	uint32_t n = ste_bits(a, 1, 31, 24), number = ste_bits(a, 1, 23, 0);
	const uint8_t *list = NULL;
	const char *why = pattern_at(w, ste_bits(a, 0, 23, 0), n, &list);
	const uint8_t *data = why ? NULL : hca_argument(w->hca, number, n * CHANGE);

	if (!why && !data)
		why = no_argument;
	for (uint32_t i = 0; i < n && !why; i++) {
		uint8_t change[CHANGE];

		memcpy(change, list + (size_t)i * CHANGE, CHANGE);
		if (change[0] == SET_1 || change[0] == ADD_1 || change[0] == INSERT_INLINE)
			memcpy(change + 4, data + (size_t)i * CHANGE + 4, 4);
		why = single(w, work, change);
	}
	return why;
}

static const char *word(struct steer_walk *w, struct steer_work *work, const uint8_t *a)
{
	switch (a[0]) {
	case FLOW_TAG:
		work->p.meta.flow_tag = ste_bits(a, 0, 23, 0);
		return NULL;
	case PATTERN:
		return pattern(w, work, a);
	case LIST:
		return list_1(w, work, a);
	default:
		return single(w, work, a);
	}
}

static const uint8_t *words_of(const struct ste *s, size_t *n)
{
	*n = s->lookup >> 8 == STE_JUMBO ? 0 : s->match ? 12 : 8;
	return s->bytes + 32 - *n;
}

static bool acts_1(const struct ste *s)
{
	size_t n;
	const uint8_t *a = words_of(s, &n);

	for (size_t i = 0; i < n; i++)
		if (a[i])
			return true;
	return false;
}

static const char *act_1(struct steer_walk *w, struct steer_work *work, const struct ste *s)
{
	const char *why = NULL;
	size_t n;
	const uint8_t *a = words_of(s, &n);

	while (n >= 4 && !why) {
		size_t size = is_double(a[0]) ? 8 : 4;

		why = size > n ? no_action : word(w, work, a);
		a += size;
		n -= size > n ? n : size;
	}
	return why;
}

/* ---- both ---- */

const char *ste_act(struct steer_walk *w, struct steer_work *work, const struct ste *s)
{
	bool old = !ste_format(w);
	const char *why;

	if (!(old ? acts_0(s->bytes) : acts_1(s)))
		return NULL;
	if (!steer_own(work))
		return no_memory;
	why = old ? act_0(w, work, s->bytes) : act_1(w, work, s);
	if (why)
		return why;
	return steer_work_again(work) ? NULL : no_memory;
}
