/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast groups: part of hca.h. ATTACH_TO_MCG adds a UD QP to a group, which exists as long
 * as a QP is attached to it. A packet for a group is delivered to each of them.
 *
 *	bucket of the GID -> {GID 1, QP} -> {GID 1, QP} -> {GID 2, QP} …
 */
#ifndef EMU_HCA_MCG_H
#define EMU_HCA_MCG_H

#include "hca/kind.h"

/* The destination QP of multicast packets (InfiniBand specification, chapter 10.5, "Multicast
 * services"). */
#define HCA_MULTICAST_QPN 0xffffffu
#define HCA_GSI_QPN	  1 /* general services: management datagrams */

#define HCA_MCG_BUCKETS 256

struct hca_qp;
struct hca_vhca;

/* A QP attached to a group. */
struct hca_mcg {
	HCA_OBJECT(id); /* which no command shows */
	uint8_t gid[16];
	struct hca_qp *qp;
	struct core_list in_bucket; /* hca.mcg_bucket */
};

/* Publishes to other processes whether @gid's bucket has QPs (hca_vhca.groups). */
void hca_mcg_publish(struct hca *hca, const uint8_t gid[16]);
/* Does @v have QPs in the bucket of @gid? Two groups in one bucket are as one. */
bool hca_mcg_published(const struct hca_vhca *v, const uint8_t gid[16]);
/* The bucket of @gid. */
struct core_list *hca_mcg_bucket(struct hca *hca, const uint8_t gid[16]);
/* Is @gid of a group: ff00::/8, or the IPv4 address 224.0.0.0/4 (kernel, <rdma/ib_addr.h>,
 * rdma_is_multicast_addr)? */
bool hca_is_multicast(const uint8_t gid[16]);
/* The MAC address of a group: RFC 1112, 01:00:5e and the low 23 bits; RFC 2464, 33:33 and the
 * low 32 bits. */
void hca_multicast_mac(const uint8_t gid[16], uint8_t mac[6]);

#endif
