/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mem: from (protection domain, key, address, length, rights) to bytes, or to the reason of the
 * refusal. Every use of a key is checked here; nothing is cached between uses, so a key is
 * invalid as soon as it is deregistered.
 *
 *	address in the region -> mkey -> page list -> address in the process -> bytes
 *	address in an indirect key -> mkey -> KLM -> address in another key -> …
 *
 * The order of the checks is the order in which they are listed in enum mem_status. The bytes
 * move by core_fetch/core_store, of on-demand memory by core_peek/core_poke: memory that was
 * unmapped after registration is a MEM_FAULT, and the application gets no signal.
 */
#ifndef EMU_MEM_H
#define EMU_MEM_H

#include "hca/hca.h"

enum mem_status {
	MEM_OK,
	MEM_BAD_KEY, /* no such mkey, or a stale variant */
	MEM_BAD_PD,  /* the mkey belongs to another protection domain */
	MEM_OTHER,   /* the bytes are those of another function (mem_target) */
	MEM_FREE,    /* a memory window or other mkey that is not bound */
	MEM_BAD_QP,  /* a memory window that is bound to another QP */
	MEM_RIGHTS,  /* a right is missing */
	MEM_BOUNDS,  /* a byte is outside [start, start + len), or after the last entry */
	MEM_DEPTH,   /* more than HCA_MAX_INDIRECTION nested indirect keys */
	MEM_FAULT,   /* the pages are not mapped any more */
};

/* An access of the engine: all of @rights (enum hca_access) on [addr, addr + len). */
struct mem_ref {
	const struct hca_pd *pd;
	uint32_t key;
	uint64_t addr;
	uint64_t len;
	uint32_t qpn; /* of the QP that requests it: for keys that are for one QP only */
	uint8_t rights;
};

/* Checks without touching a byte. A length of 0 needs no valid key (IBA: C10 o9-…; RXE and
 * hardware do not check the key of an empty access). */
enum mem_status mem_check(struct hca *hca, const struct mem_ref *ref);

/* Where the bytes of ref->key are if they are another function's; NULL: they are not, or the
 * key is refused anyway. */
const struct hca_target *mem_target(struct hca *hca, const struct mem_ref *ref);

/* Checks, then copies ref->len bytes out of / into the region. After MEM_FAULT a prefix may
 * have been copied, as by a DMA that was interrupted; also if a later entry of an indirect key
 * is refused. */
enum mem_status mem_read(struct hca *hca, const struct mem_ref *ref, void *dst);
enum mem_status mem_write(struct hca *hca, const struct mem_ref *ref, const void *src);
/* mem_check() and mem_write(): not a byte is written if any entry is refused. */
enum mem_status mem_check_and_write(struct hca *hca, const struct mem_ref *ref,
				    const void *src);

#endif
