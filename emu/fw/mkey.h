/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of CREATE_MKEY: what an access mode makes of the command.
 *
 *	mkey.c --PA, MTT, MEMIC--> mkey_pages.c --> pages, memic, umem
 *	       --KLM, KSM--------> mkey_list.c ---> list
 */
#ifndef EMU_FW_MKEY_H
#define EMU_FW_MKEY_H

#include "fw/command.h"

enum mkey_mode { /* access_mode_4_2, access_mode_1_0: mlx5_ifc.h, MLX5_MKC_ACCESS_MODE_* */
		 MKEY_PA = 0,
		 MKEY_MTT = 1,
		 MKEY_KLM = 2,
		 MKEY_KSM = 3,
		 MKEY_MEMIC = 5,
};

#define MKEY_OCTWORD 16 /* bytes: two MTT entries, or one KLM or KSM */

/* The translation of a new key. What it refers to is not counted yet; pages.pas and list are
 * owned. */
struct mkey_parts {
	struct hca_ring pages;
	struct hca_memic *memic;
	struct hca_umem *umem;
	struct hca_klm *list;
	uint32_t entries, room;
	uint8_t log_entity;
	bool window;
};

static inline const uint8_t *mkey_context(const struct fw_cmd *c)
{
	return PRM_ADDR(create_mkey_in, c->in, memory_key_mkey_entry);
}

static inline enum mkey_mode mkey_mode(const uint8_t *mkc)
{
	return (enum mkey_mode)(PRM_GET(mkc, mkc, access_mode_4_2) << 2 |
				PRM_GET(mkc, mkc, access_mode_1_0));
}

/* Checks and translates. On refusal nothing is owned. */
enum fw_status mkey_pages(struct fw_cmd *c, struct mkey_parts *parts);
enum fw_status mkey_list(struct fw_cmd *c, struct mkey_parts *parts);

/* Appends the entries of @m to the outbox at @offset, as far as it is long enough. */
void mkey_put_list(struct fw_cmd *c, size_t offset, const struct hca_mkey *m);

#endif
