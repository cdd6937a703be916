/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside steer: entries that software writes into ICM (STEs), in the formats 0 (ConnectX-5), 1
 * (6 Dx), 2 (7), which differs from 1 in the numbers of registers, and 3 (8), which differs
 * from 2 in the actions that insert and remove headers.
 *
 *	STE of 64 bytes:	control and actions 32 | tag, mask 16 each, or tag 32
 *
 *	address -> STE: is the packet, seen by the STE's lookup and masked, the tag?
 *		   no  -> miss address
 *		   yes -> actions -> table of n STEs: that at the hash of the packet,
 *				     seen by the next lookup
 *
 * A lookup is what an STE sees of a packet: 16 bytes with fields at certain places
 * (lookup.c), or 32 whose layout and mask a match definer has (definer.c). Layouts and
 * numbers: rdma-core, providers/mlx5: mlx5_ifc.h, dr_ste_v0.c to dr_ste_v3.c.
 */
#ifndef EMU_STEER_STE_H
#define EMU_STEER_STE_H

#include "prm/prm.h"
#include "steer/work.h"

#define STE_SIZE    64
#define STE_TAG	    16
#define STE_DEFINER 32 /* the tag of an STE that is compared by a match definer */
/* assumed(entries_of_a_packet_are_bounded): a packet that hits more than 4096 entries of
 * software, or as many with the changes in their lists, is dropped. */
#define STES_MAX 4096u

/* Bits @hi … @lo of dword @dw. */
static inline uint32_t ste_bits(const uint8_t *p, uint32_t dw, uint32_t hi, uint32_t lo)
{
	return (uint32_t)prm_load(p, 32 * dw + 31 - hi, hi - lo + 1);
}

struct ste {
	uint64_t addr, miss;
	uint64_t next;	      /* the table that follows a hit */
	uint32_t entries;     /* of that table; 0: none follows */
	const uint8_t *bytes; /* STE_SIZE, in ICM */
	const uint8_t *tag, *mask;
	uint16_t lookup, next_lookup; /* format 1: mode << 8 | index */
	uint16_t byte_mask; /* of the next lookup: which bytes are hashed; bit 15: the first */
	uint32_t counter;   /* 0: none */
	bool match;	    /* format 1, MATCH: the tag is of a match definer */
};

/* Format 1: the mode of a lookup, which is the format of the STE. MATCH has the number of a
 * match definer in place of an index, or that of the lookup that every packet hits. */
enum { STE_BWC_BYTE, STE_BWC_DW, STE_MASK_BYTE, STE_MASK_DW, STE_MATCH };
#define STE_ANY (STE_MATCH << 8 | 0x0f)

static inline uint8_t ste_format(const struct steer_walk *w)
{
	return PRM_GET(cmd_hca_cap, w->hca->caps[PRM_CAP_GENERAL], steering_format_version);
}

/* The packet goes from STE to STE, from that at @addr on. The address after the last of them;
 * 0: it is dropped. */
uint64_t ste_walk(struct steer_walk *w, struct steer_work *work, uint64_t addr);

/* STEs are not as they should be: a finding, and the reason of the drop that follows. */
void ste_fault(struct steer_walk *w, uint64_t addr, const char *why);

/* The bytes that lookup @number of @format sees of the packet; false: there is no such
 * lookup. */
bool ste_lookup(uint8_t format, uint16_t number, const struct steer_work *w,
		uint8_t tag[STE_TAG]);

/* The bytes that match definer @number sees of the packet, those of its mask; false: it does
 * not exist, or it sees fields that the emulator does not have. */
bool ste_definer(const struct steer_walk *w, const struct steer_work *work, uint8_t number,
		 uint8_t tag[STE_DEFINER]);

/* Where the bits of an STE are, of which the packet has @seen, and what they are called. */
struct ste_names {
	const uint8_t *mask, *tag, *seen;
	uint32_t n;
	struct steer_bits bits[STEER_BITS];
};

/* Add the fields of the mask; of match definer @number. */
void ste_lookup_names(uint8_t format, uint16_t number, const struct steer_work *w,
		      struct ste_names *to);
void ste_definer_names(const struct steer_walk *w, uint8_t number, struct ste_names *to);

/* The actions of an STE that was hit; NULL, or why they cannot be executed. */
const char *ste_act(struct steer_walk *w, struct steer_work *work, const struct ste *s);

/* Executes @a, 8 bytes of a list or of an STE that set, add to or copy a field. False: the
 * field or the kind of change does not exist. */
bool ste_change(uint8_t format, struct steer_work *work, const uint8_t *a);

#endif
