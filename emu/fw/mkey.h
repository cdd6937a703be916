/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of CREATE_MKEY: what an access mode makes of the command.
 *
 *	mkey.c --PA, MTT, MEMIC, SW_ICM--> mkey_pages.c --> pages, memic, sw_icm, umem
 *	       --KLM, KSM--------> mkey_list.c ---> list
 *	       --CROSSING-------------------------> target
 */
#ifndef EMU_FW_MKEY_H
#define EMU_FW_MKEY_H

#include "fw/command.h"

#define MKEY_OCTWORD 16 /* bytes: two MTT entries, or one KLM or KSM */

/* The translation of a new key. References are not counted yet; pages.pas and list are
 * owned. */
struct mkey_parts {
	struct hca_ring pages;
	struct hca_memic *memic;
	struct hca_general *sw_icm;
	struct hca_umem *umem;
	struct hca_klm *list;
	uint32_t entries, capacity;
	uint8_t log_entity;
	bool window;
	struct hca_target target;
};

static inline const uint8_t *mkey_context(const struct fw_cmd *c)
{
	return PRM_ADDR(create_mkey_in, c->in, memory_key_mkey_entry);
}

static inline uint8_t mkey_mode(const uint8_t *mkc)
{
	return (uint8_t)(PRM_GET(mkc, mkc, access_mode_4_2) << 2 |
			 PRM_GET(mkc, mkc, access_mode_1_0));
}

/* Checks and translates. On refusal nothing is owned. */
enum fw_status mkey_pages(struct fw_cmd *c, struct mkey_parts *parts);
enum fw_status mkey_list(struct fw_cmd *c, struct mkey_parts *parts);

/* Appends the entries of @m to the outbox at @offset, as far as it is long enough. */
void mkey_put_list(struct fw_cmd *c, size_t offset, const struct hca_mkey *m);

#endif
