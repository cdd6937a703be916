/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware steering: what a program makes by general objects, so that WQEs can write entries
 * (STEs) in the place of commands; part of hca.h.
 *
 *	STE range	memory for 2^n STEs, at an ICM address
 *	STC range	2^n actions, each part of an STE: a program sets them one by one
 *	RTC		a hash table, or an array, of the STEs of a range
 *	pattern		a list of changes of headers; their data are in an argument
 *
 *	flow table -> RTC: STE of the packet's hash -> … -> miss: flow table
 *
 * An STE is what software steering writes (sw_icm.h); here it is made of an STC for each of its
 * parts and of the words of a WQE, which are added to them.
 */
#ifndef EMU_HCA_HWS_H
#define EMU_HCA_HWS_H

#include "hca/kind.h"

struct hca;
struct hca_general;
struct hca_pd;
struct hca_flow_table;

#define HCA_STE_SIZE	   64u
#define HCA_STE_DWORDS	   (HCA_STE_SIZE / 4)
#define HCA_LOG_STES	   22 /* log2 of the STEs of a range, at most */
#define HCA_LOG_STCS	   12 /* of its STCs */
#define HCA_LOG_RTC_DEPTH  4
#define HCA_PATTERN_MAX	   32	    /* changes of a pattern */
#define HCA_PATTERN_FIRST  0x10000u /* numbers of patterns: above those of the units of ICM */
#define HCA_STE_ARGUMENT   0x80000000u /* in an STE: the number is that of an argument */
#define HCA_DEFINER_ALWAYS 15u	       /* the built-in match definer that every packet hits */

struct hca_ste_range {
	HCA_OBJECT(id);
	uint8_t type; /* PRM_FT_TYPE_* */
	uint8_t log_size;
	uint64_t addr;	/* a multiple of its bytes */
	uint8_t *bytes; /* owned */
};

/* Dwords at @at of an STE. */
struct hca_stc {
	bool set;
	uint8_t at;
	uint8_t action;		/* PRM_STC_ACTION_TYPE_* */
	uint32_t word[2];	/* of the STE, from dword @at on */
	uint32_t takes[2];	/* bits that a WQE may add */
	struct hca_object *use; /* NULL: none, as is also */
	struct hca_object *also;
};

struct hca_stc_range {
	HCA_OBJECT(id);
	uint8_t type;
	uint8_t log_size;
	struct hca_stc *stc; /* owned */
};

struct hca_rtc {
	HCA_OBJECT(id);
	uint8_t type;
	uint8_t log_rows, log_depth;
	bool jumbo;	 /* the tag of its STEs is 11 dwords long, and they have no actions */
	bool by_offset;	 /* WQEs say where an STE is; else its hash does */
	uint8_t definer; /* of its STEs */
	uint8_t hashed;	 /* the match definer of whose tag the hash is */
	uint32_t first;	 /* of the STEs of its range */
	struct hca_pd *pd;
	struct hca_ste_range *stes;
	struct hca_stc_range *stcs;
	struct hca_flow_table *miss; /* NULL: the default of its type */
	struct hca_general *uses[2]; /* the match definers; NULL: HCA_DEFINER_ALWAYS */
	uint8_t ctx[0x80];
};

struct hca_pattern {
	HCA_OBJECT(id);
	uint32_t n;
	uint8_t change[HCA_PATTERN_MAX][8]; /* as STEs have them */
	uint8_t obj[0x20 + 8 * HCA_PATTERN_MAX];
};

/* Bytes of the STE at @addr of a range; NULL: there is none. */
uint8_t *hca_ste_at(struct hca *hca, uint64_t addr);
/* Gives @r, whose size is set, an address and memory. False: there is no space for it. */
bool hca_ste_range_place(struct hca *hca, struct hca_ste_range *r);

/* ---- hooks of the kinds ---- */

void hca_ste_range_fini(struct hca *hca, void *obj);
void hca_stc_range_fini(struct hca *hca, void *obj);
void hca_stc_range_refer(const void *obj, int by);

#endif
