/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores to UAR pages one by one, in program order, which polling cannot see.
 */
#ifndef EMU_ENGINE_UAR_STORE_H
#define EMU_ENGINE_UAR_STORE_H

#include "engine/loop.h"

/* Reports incomplete BlueFlame copies. Device lock held. */
void uar_store_unfinished(struct hca *hca);

#endif
