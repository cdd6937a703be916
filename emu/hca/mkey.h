/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory keys; part of hca.h.
 *
 *	PA, MTT		pages		bus addresses; or process addresses
 *	MEMIC, SW_ICM	pages		memory of the device
 *	KLM, KSM	list		bytes of other keys, one entry after the other
 *	KLM, strided	list, repeat	the list again and again, each entry a stride further on
 *	alias, crossing	target		bytes of a key of another function
 *
 * Firmware makes them, UMR work requests (engine) change those that have entries, or were made
 * with space for pages, mem looks bytes up. State only.
 */
#ifndef EMU_HCA_MKEY_H
#define EMU_HCA_MKEY_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/kind.h"
#include "hca/ring.h"

struct hca_pd;
struct hca_memic;
struct hca_general;
struct hca_umem;

#define HCA_MKEY_LOG_PAGE_MIN 12 /* log2 of the bytes of a page */
#define HCA_MKC_SIZE	      64 /* bytes of mkc, kept as last set (checked against prm in fw) */

enum hca_access { /* the rights of an mkey: mkc.{lr,lw,rr,rw,a} */
		  HCA_LOCAL_READ = 1,
		  HCA_LOCAL_WRITE = 2,
		  HCA_REMOTE_READ = 4,
		  HCA_REMOTE_WRITE = 8,
		  HCA_REMOTE_ATOMIC = 16,
};

/* Keys of no memory, which every protection domain has, for local access: reads give zeros,
 * writes are discarded. They have the last index, which no mkey gets. */
#define HCA_KEY_DUMP_FILL 0xffffff00u
#define HCA_KEY_NULL	  0xffffff01u

/* An entry of an indirect mkey: bytes of another one. */
struct hca_klm {
	uint32_t len, key; /* len: not of KSM */
	uint64_t addr;
	uint32_t stride; /* of a strided key: bytes from one repetition to the next */
};

/* Whose bytes a key of another function are. An alias is of one object, which its owner
 * allowed; a crossing mkey names a key of a function that its own may control. */
struct hca_target {
	enum { HCA_TARGET_NONE, HCA_TARGET_ALIAS, HCA_TARGET_CROSSING } kind;
	uint8_t vhca_id;
	uint32_t key;	 /* alias: number of the mkey; crossing: the key */
	uint64_t epoch;	 /* of the function */
	uint64_t serial; /* alias: of the grant; 0: there was none */
};

/* Indirect mkeys that refer to one another in a chain, at most: cmd_hca_cap.max_indirection. */
#define HCA_MAX_INDIRECTION 4

struct hca_mkey {
	HCA_OBJECT(index); /* 24 bits; key = index << 8 | variant */
	uint8_t variant;
	struct hca_pd *pd;
	uint8_t access; /* enum hca_access */
	bool length64;	/* covers the whole address space */
	uint64_t start, len;
	struct hca_ring pages;	    /* translation; page_offset: of start, in device memory */
	struct hca_memic *memic;    /* the device memory that it covers; NULL: none */
	struct hca_general *sw_icm; /* the same; at most one of both */

	bool stale; /* mem: it was reported that the application unmapped its pages */
	struct hca_umem *umem; /* where its pages are from; NULL: they were listed */

	/* access modes KLM and KSM: no pages, but entries; owned */
	struct hca_klm *list;
	uint32_t entries;   /* of the list in use */
	uint32_t capacity;  /* octowords that UMR may change: an entry, or two pages; 0: none */
	uint8_t log_entity; /* KSM: log2 of the bytes of each; 0: KLM, each has its own */
	uint32_t repeat;    /* strided: how often the list is repeated; 0: it is a plain list */

	bool window;	/* the driver's own KLM: bytes of another mkey, once bound */
	bool free;	/* cannot be used until UMR says otherwise; window: not bound */
	bool umr_en;	/* UMR work requests may change it */
	bool en_rinval; /* a peer may invalidate it */
	uint32_t qpn;	/* the only QP that may use it; 0: all of its PD */

	struct hca_target target; /* no pages and no list: another function has the bytes */
	uint64_t grant;		  /* other functions may alias it: serial; 0: they may not */
	uint32_t grant_at;	  /* index in hca_vhca.grants */

	uint32_t umr_batch; /* --check: hca_req.umr_batch of the UMR WQE that changed it */
	uint8_t mkc[HCA_MKC_SIZE];
};

/* Does it cover memory of the device? Its addresses count from 0 then. */
static inline bool hca_mkey_is_of_device(const struct hca_mkey *m)
{
	return m->memic || m->sw_icm;
}

/* Protocol state of a signature pipeline: a number for work requests to name. */
struct hca_psv {
	HCA_OBJECT(psvn);
	struct hca_pd *pd;
};

#endif
