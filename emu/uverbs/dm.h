/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside uverbs: device memory, which is either of the BAR (dm.c) or ICM (dm_icm.c).
 */
#ifndef EMU_UVERBS_DM_H
#define EMU_UVERBS_DM_H

#include "uverbs/mr.h"

/* Type and length of @dm are set; its address is a multiple of 1 << @log_align. 0 or -errno. */
int uverbs_dm_icm_alloc(struct uverbs_call *c, struct uverbs_dm *dm, uint32_t log_align);
int uverbs_dm_icm_destroy(struct uverbs *u, struct uverbs_dm *dm);

#endif
