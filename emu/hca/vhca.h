/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions (VHCAs) on a fabric, and what they allow one another; part of hca.h.
 *
 *	vhcas[slot]	epoch: of the process in that slot | adapter, role | port, its counters | grants[]
 *	grant		serial | number of an mkey | access key
 *
 * There is no slot 0: the port of that entry counts the changes of all others.
 *
 * The table is in memory that all processes of the fabric map (wire/fabric.h). Each function
 * writes its own entry only, under its device lock; the others read it without a lock. A VHCA
 * id is the slot. Functions with the same IPv4 address are on one adapter. A grant ends with
 * its mkey, and the whole entry with its process: then the slot is free, or has another epoch.
 */
#ifndef EMU_HCA_VHCA_H
#define EMU_HCA_VHCA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hca/counted.h"
#include "hca/mcg.h"

struct hca;
struct hca_mkey;
struct hca_target;

#define HCA_VHCAS	     256  /* slots */
#define HCA_GRANTS	     1024 /* mkeys that one function may allow at a time */
#define HCA_ACCESS_KEY_WORDS 4	  /* of 8 bytes: 256 bits */
#define HCA_ACCESS_KEY_BYTES (8 * HCA_ACCESS_KEY_WORDS)

struct hca_grant {
	_Atomic uint64_t version; /* odd while it is written */
	_Atomic uint64_t serial;  /* 1, 2 … in an epoch; 0: free */
	_Atomic uint64_t mkey;	  /* its number */
	_Atomic uint64_t key[HCA_ACCESS_KEY_WORDS];
};

/* The public state of a port. */
#define HCA_PORT_MAC	 0xffffffffffffull
#define HCA_PORT_PROMISC (1ull << 48) /* it accepts frames for all addresses */
#define HCA_PORT_TAP	 (1ull << 49) /* its process has the TAP interface */

struct hca_vhca {
	_Atomic uint64_t epoch; /* random; 0: the slot was never taken */
	_Atomic uint32_t adapter;
	_Atomic uint32_t role; /* enum hca_role */
	_Atomic uint64_t port; /* HCA_PORT_*; 0: none yet */
	/* Contexts of its process, and QPs that receive what their context sends
	 * (hca_loops_back). */
	_Atomic int32_t contexts, loops;
	struct hca_counted counted;
	_Atomic uint64_t groups[HCA_MCG_BUCKETS / 64]; /* bit: the bucket has QPs (mcg.h) */
	struct hca_grant grants[HCA_GRANTS];
};

/* Publishes what this function is. Once, before other functions can name it. */
void hca_vhca_publish(struct hca *hca, uint32_t adapter);
/* Is @v a function of the adapter of @hca? */
bool hca_of_adapter(const struct hca *hca, const struct hca_vhca *v);
/* Publishes the state of this function's port. */
void hca_port_publish(struct hca *hca);
/* There are so many contexts and QPs more, or less, in this process, that want local loopback
 * of the vport. */
void hca_loopback_need(struct hca *hca, int contexts, int loops);
/* Does the vport loop Ethernet frames of the queues of its function back? The driver has it
 * disabled as long as there is one context at most, and no QP with
 * MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_* (kernel, mlx5_ib, main.c: mlx5_ib_enable_lb; mlx5_core,
 * main.c: mlx5_core_set_hca_defaults). */
bool hca_loops_back(const struct hca *hca);
/* Counts what all functions published of their ports. */
uint64_t hca_port_changes(const struct hca *hca);
/* Function @vhca_id of this function's adapter, which may be this one; NULL: there is none. */
struct hca_vhca *hca_vhca_at(const struct hca *hca, uint32_t vhca_id);

/* Allows @m to other functions that know @key; again: only the key changes. False:
 * HCA_GRANTS. */
bool hca_allow(struct hca *hca, struct hca_mkey *m, const uint8_t *key);
/* Ends it, if there is a grant. */
void hca_revoke(struct hca *hca, struct hca_mkey *m);

/* The serial of the grant of @v for the mkey of number @mkey, 0: there is none. *@same: is @key
 * the access key? */
uint64_t hca_granted(const struct hca_vhca *v, uint32_t mkey, const uint8_t *key, bool *same);

/* Is the function of @t the one that it was, and what it allowed still there? */
bool hca_target_is_good(const struct hca *hca, const struct hca_target *t);

#endif
