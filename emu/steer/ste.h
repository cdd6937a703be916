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

#define STE_SIZE      64
#define STE_TAG	      16
#define STE_DEFINER   32 /* the tag of an STE that is compared by a match definer */
#define STE_JUMBO_TAG 44 /* … where its actions would be, too */
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
	bool match;	    /* format 1, MATCH, JUMBO: the tag is of a match definer */
};

/* Format 1: the mode of a lookup, which is the format of the STE. MATCH and JUMBO have the
 * number of a match definer in place of an index, or that of the lookup that every packet
 * hits. */
enum { STE_BWC_BYTE, STE_BWC_DW, STE_MASK_BYTE, STE_MASK_DW, STE_MATCH, STE_JUMBO };
#define STE_ANY (STE_MATCH << 8 | HCA_DEFINER_ALWAYS)

/* Format 1: the first byte of an action, which is the type of an STC where there is one, and
 * the headers at which an action begins or ends. */
enum {
	NOP_1 = 0x00,
	COPY_1 = PRM_STC_ACTION_COPY,
	SET_1 = PRM_STC_ACTION_SET,
	ADD_1 = PRM_STC_ACTION_ADD,
	REMOVE_SIZE = PRM_STC_ACTION_REMOVE_WORDS,
	REMOVE_HEADERS = PRM_STC_ACTION_HEADER_REMOVE,
	INSERT_INLINE = 0x0a,
	INSERT_POINTER = PRM_STC_ACTION_HEADER_INSERT,
	FLOW_TAG = PRM_STC_ACTION_TAG,
	PATTERN = PRM_STC_ACTION_MODIFY_LIST,
	LIST = 0x0f,
};
enum { START = 0x00, TAG_1 = 0x02, IP = 0x07, INNER_MAC = 0x13, INNER_IP = 0x19 };

static inline uint8_t ste_format(const struct steer_walk *w)
{
	return PRM_GET(cmd_hca_cap, w->hca->caps[PRM_CAP_GENERAL], steering_format_version);
}

/* The packet goes from STE to STE, from that at @addr on. The address after the last of them;
 * 0: it is dropped. */
uint64_t ste_walk(struct steer_walk *w, struct steer_work *work, uint64_t addr);

/* The address at which a packet enters an RTC: that of an STE, or of the table that follows a
 * miss. 0: the match definer sees fields that the emulator does not have. */
uint64_t ste_enter(const struct steer_walk *w, const struct steer_work *work,
		   const struct hca_rtc *r);

/* STEs are not as they should be: a finding, and the reason of the drop that follows. */
void ste_fault(struct steer_walk *w, uint64_t addr, const char *why);

/* The bytes that lookup @number of @format sees of the packet; false: there is no such
 * lookup. */
bool ste_lookup(uint8_t format, uint16_t number, const struct steer_work *w,
		uint8_t tag[STE_TAG]);

/* The bytes that a match definer sees of the packet, those of its mask; false: it does not
 * exist, or it sees fields that the emulator does not have. @lookup: the mode, MATCH or JUMBO,
 * and its number. */
bool ste_definer(const struct steer_walk *w, const struct steer_work *work, uint16_t lookup,
		 uint8_t tag[STE_JUMBO_TAG]);

/* The hash of a tag: which entry of a table it is. */
uint32_t ste_hash(const uint8_t *tag, size_t n);
/* Bytes of the tag of a lookup. */
static inline size_t ste_tag_size(uint16_t lookup)
{
	return lookup >> 8 == STE_JUMBO	  ? STE_JUMBO_TAG
	       : lookup >> 8 == STE_MATCH ? STE_DEFINER
					  : STE_TAG;
}

/* Match definers that select dwords and bytes (definer_select.c): @obj is a match_definer. */
void ste_select(const struct steer_work *work, const uint8_t *obj, uint8_t tag[STE_JUMBO_TAG]);

/* Where the bits of an STE are, of which the packet has @seen, and what they are called. */
struct ste_names {
	const uint8_t *mask, *tag, *seen;
	uint32_t n;
	struct steer_bits bits[STEER_BITS];
};

/* Add the fields of the mask; of match definer @number. */
void ste_lookup_names(uint8_t format, uint16_t number, const struct steer_work *w,
		      struct ste_names *to);
void ste_definer_names(const struct steer_walk *w, uint16_t lookup, struct ste_names *to);
void ste_select_names(const uint8_t *obj, uint16_t lookup, struct ste_names *to);

/* The actions of an STE that was hit; NULL, or why they cannot be executed. */
const char *ste_act(struct steer_walk *w, struct steer_work *work, const struct ste *s);

/* Bits of a word of the device. */
struct ste_bits {
	uint8_t word, shift, length;
};

/* Where @to->length bits of a field of the PRM are in format 1 and later, as an action says it;
 * with length 0 all of them. False: nowhere. */
bool ste_place(uint8_t format, uint16_t field, uint8_t offset, struct ste_bits *to);

/* Executes @a, 8 bytes of a list or of an STE that set, add to or copy a field. False: the
 * field or the kind of change does not exist. */
bool ste_change(uint8_t format, struct steer_work *work, const uint8_t *a);

#endif
