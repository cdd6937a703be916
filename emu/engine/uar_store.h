/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores to UAR pages, one by one, in the order of the program: what polling cannot tell.
 */
#ifndef EMU_ENGINE_UAR_STORE_H
#define EMU_ENGINE_UAR_STORE_H

#include "engine/loop.h"

/* Reports copies that ended in the midst. Device lock held. */
void uar_store_unfinished(struct hca *hca);

#endif
