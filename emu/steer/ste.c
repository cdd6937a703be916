/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk of a packet from STE to STE: ste.h. */
#include <inttypes.h>
#include <string.h>

#include "steer/ste.h"

#define AREA_OF(addr) ((addr) & ~(HCA_ICM_AREA - 1))

void ste_fault(struct steer_walk *w, uint64_t addr, const char *why)
{
	w->why = why;
	if (!w->sink->dry)
		core_check(CORE_STE, "STE", (uint32_t)(addr % HCA_ICM_AREA / HCA_ICM_UNIT),
			   "at ICM address 0x%" PRIx64 ": %s; the packet is dropped", addr,
			   why);
}

/* ---- reading ---- */

/* The address of the next table has its number of entries in it: the lowest bit that is set.
 * @v: the address in units of 32 bytes. */
static void read_next(struct ste *s, uint64_t v)
{
	s->entries = (uint32_t)(v & -v);
	s->next = (v & ~(uint64_t)s->entries) << 5;
}

static bool read_0(struct ste *s)
{
	const uint8_t *b = s->bytes;
	uint32_t type = ste_bits(b, 0, 31, 28);

	s->lookup = ste_bits(b, 0, 23, 16);
	s->byte_mask = ste_bits(b, 0, 15, 0);
	s->next_lookup = ste_bits(b, 1, 15, 8);
	read_next(s, (uint64_t)ste_bits(b, 1, 7, 0) << 27 | ste_bits(b, 2, 31, 5));
	s->counter = ste_bits(b, 6, 15, 8) << 16 | ste_bits(b, 5, 15, 0);
	s->miss = (uint64_t)ste_bits(b, 6, 7, 0) << 32 | ste_bits(b, 7, 31, 6) << 6;
	s->tag = b + 32;
	s->mask = b + 48;
	return type == 1 || type == 2 || type == 6;
}

static bool read_1(struct ste *s)
{
	const uint8_t *b = s->bytes;
	uint32_t mode = b[0];

	s->lookup = mode << 8 | ste_bits(b, 1, 15, 8);
	s->counter = ste_bits(b, 0, 23, 0);
	s->miss = (uint64_t)ste_bits(b, 1, 7, 0) << 32 | ste_bits(b, 2, 31, 6) << 6;
	s->next_lookup = ste_bits(b, 3, 15, 8);
	read_next(s, (uint64_t)ste_bits(b, 3, 7, 0) << 27 | ste_bits(b, 4, 31, 5));
	s->match = mode == STE_MATCH || mode == STE_JUMBO;
	s->tag = b + STE_SIZE - ste_tag_size(s->lookup);
	if (s->match) {
		s->next_lookup |= STE_MATCH << 8;
	} else {
		s->mask = b + 32;
		s->byte_mask = ste_bits(b, 5, 31, 16);
		s->next_lookup |= ste_bits(b, 5, 15, 15) << 8;
	}
	return mode <= STE_JUMBO;
}

static bool fetch(const struct steer_walk *w, uint64_t addr, struct ste *s)
{
	bool hws = AREA_OF(addr) == HCA_ICM_HWS;

	*s = (struct ste){ .addr = addr,
			   .bytes = hws ? hca_ste_at(w->hca, addr)
					: hca_sw_icm_bytes(w->hca, addr, STE_SIZE) };
	/* An STE of a range that no WQE wrote has no format. */
	if (!s->bytes || (hws && !s->bytes[0]))
		return false;
	return ste_format(w) ? read_1(s) : read_0(s);
}

/* ---- comparing ---- */

/* The bytes that the last lookup saw: the STEs of a chain of collisions have the same one. */
struct seen {
	bool valid;
	uint16_t lookup;
	uint8_t tag[STE_JUMBO_TAG];
};

static bool look(const struct steer_walk *w, const struct steer_work *work, uint16_t lookup,
		 struct seen *seen)
{
	if (!seen->valid || seen->lookup != lookup)
		seen->valid = lookup >> 8 >= STE_MATCH && ste_format(w)
				      ? ste_definer(w, work, lookup, seen->tag)
				      : ste_lookup(ste_format(w), lookup, work, seen->tag);
	seen->lookup = lookup;
	return seen->valid;
}

/* With a mask of zeros, or as STE_ANY, an STE hits or misses whatever the packet is. libmlx5
 * writes such STEs with lookups that do not exist: where match definers of format 26 and 6
 * follow each other, those of the second table that are not in use (dr_ste_v1.c,
 * dr_ste_v1_get_next_lu_type). */
static bool sees(const struct ste *s)
{
	if (s->match)
		return s->lookup != STE_ANY;
	for (size_t i = 0; i < STE_TAG; i++)
		if (s->mask[i])
			return true;
	return false;
}

static bool equals(const struct ste *s, const uint8_t *tag)
{
	if (s->match)
		return !memcmp(s->tag, tag, ste_tag_size(s->lookup));
	for (size_t i = 0; i < STE_TAG; i++)
		if ((tag[i] & s->mask[i]) != s->tag[i])
			return false;
	return true;
}

/* CRC-32 of IEEE 802.3, its bits reflected, from 0 on and without a final inversion, its bytes
 * swapped (rdma-core, dr_crc32.c). */
uint32_t ste_hash(const uint8_t *p, size_t n)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return __builtin_bswap32(crc);
}

/* The address of the STE to look at in the table that follows @s; false: its lookup is not
 * known. */
static bool next_of(const struct steer_walk *w, const struct steer_work *work,
		    const struct ste *s, struct seen *seen, uint64_t *addr)
{
	uint8_t tag[STE_DEFINER] = { 0 };
	size_t n = s->match ? STE_DEFINER : STE_TAG;

	*addr = s->next;
	if (s->entries == 1 || (!s->match && !s->byte_mask))
		return true;
	if (!look(w, work, s->next_lookup, seen))
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->match || s->byte_mask >> (15 - i) & 1)
			tag[i] = seen->tag[i];
	*addr += (uint64_t)STE_SIZE * (ste_hash(tag, n) & (s->entries - 1));
	return true;
}

/* ---- walking ---- */

/* Finds an address that is come to again by misses alone, after at most three rounds (Brent's
 * algorithm: an address is kept for twice as many steps as the one before). */
struct loop {
	uint64_t kept;
	uint32_t steps, until;
};

static bool is_again(struct loop *l, uint64_t addr)
{
	if (addr == l->kept)
		return true;
	if (l->steps++ >= l->until) {
		l->kept = addr;
		l->until = 2 * l->until + 1;
		l->steps = 0;
	}
	return false;
}

/* assumed(software_entries_count_before_they_act): an entry that software wrote counts the
 * packet as it is when it hits, before its actions, and without FCS. */
static const char *count(const struct steer_walk *w, const struct ste *s, size_t len)
{
	struct hca_flow_counter *c = core_ids_get(&w->hca->flow_counters, s->counter);

	if (!s->counter)
		return NULL;
	if (!c)
		return "its counter does not exist";
	if (!w->sink->dry) {
		c->traffic[s->counter - c->id].packets++;
		c->traffic[s->counter - c->id].octets += len;
	}
	return NULL;
}

/* Bits of the mask that are in none of the fields: of each dword. */
static void add_unnamed(struct ste_names *names)
{
	uint32_t fields = names->n;

	for (uint8_t dword = 0; dword < STE_TAG / 4 && names->n < STEER_BITS; dword++) {
		uint32_t left = ste_bits(names->mask, dword, 31, 0);

		for (uint32_t i = 0; i < fields; i++)
			if (names->bits[i].dword == dword)
				left &= ~(names->bits[i].mask << names->bits[i].low);
		if (left)
			names->bits[names->n++] = (struct steer_bits){
				.dword = dword,
				.width = 32,
				.mask = left,
				.tag = ste_bits(names->tag, dword, 31, 0) & left,
				.packet = ste_bits(names->seen, dword, 31, 0) & left,
			};
	}
}

static void report(const struct steer_walk *w, const struct steer_work *work,
		   const struct ste *s, const struct seen *seen, enum steer_did did)
{
	struct ste_names names = { .mask = s->mask, .tag = s->tag, .seen = seen->tag };

	if (w->sink->step && s->match && s->lookup != STE_ANY) {
		ste_definer_names(w, s->lookup, &names);
	} else if (w->sink->step && !s->match) {
		ste_lookup_names(ste_format(w), s->lookup, work, &names);
		add_unnamed(&names);
	}
	steer_report(w, &(struct steer_step){ .did = did,
					      .type = w->type,
					      .p = &work->p,
					      .icm = s->addr,
					      .ste = s->bytes,
					      .lookup = s->lookup,
					      .bits = names.bits,
					      .n_bits = (uint16_t)names.n });
}

/* Its actions. A query reports changes to what entries are compared with. */
static const char *act(struct steer_walk *w, struct steer_work *work, const struct ste *s)
{
	uint8_t before[HCA_MATCH_SIZE];
	const char *why;

	if (!w->sink->step)
		return ste_act(w, work, s);
	memcpy(before, work->match, sizeof(before));
	why = ste_act(w, work, s);
	if (!why && memcmp(before, work->match, sizeof(before)) != 0)
		steer_report(w, &(struct steer_step){
					.did = STEER_CHANGED, .type = w->type, .p = &work->p });
	return why;
}

/* The STE was hit: its actions, and the address of the next one. NULL, or why not. */
static const char *hit(struct steer_walk *w, struct steer_work *work, const struct ste *s,
		       struct seen *seen, uint64_t *addr)
{
	const char *why;

	report(w, work, s, seen, STEER_STE_HIT);
	if (w->stes++ >= STES_MAX)
		return "the packet has hit too many";
	why = count(w, s, work->p.len);
	if (!why)
		why = act(w, work, s);
	if (why)
		return why;
	seen->valid = false;
	if (!s->entries)
		return "no address follows its hit";
	return next_of(w, work, s, seen, addr) ? NULL : "the next lookup is not known";
}

uint64_t ste_walk(struct steer_walk *w, struct steer_work *work, uint64_t addr)
{
	struct seen seen = { 0 };
	struct loop loop = { 0 };
	struct ste s;

	while (AREA_OF(addr) == HCA_ICM_STEERING || AREA_OF(addr) == HCA_ICM_HWS) {
		const char *why = NULL;

		if (!fetch(w, addr, &s)) {
			why = "there is no STE";
		} else if (sees(&s) && !look(w, work, s.lookup, &seen)) {
			why = "its lookup is not known";
		} else if (s.lookup == STE_ANY || equals(&s, seen.tag)) {
			why = hit(w, work, &s, &seen, &addr);
			loop = (struct loop){ 0 };
		} else {
			report(w, work, &s, &seen, STEER_STE_MISS);
			addr = s.miss;
			if (is_again(&loop, addr))
				why = "its misses lead to it again";
		}
		if (why) {
			ste_fault(w, s.addr, why);
			return 0;
		}
	}
	return addr;
}
