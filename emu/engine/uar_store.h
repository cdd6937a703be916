/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores to UAR pages one by one, in program order, which polling cannot see.
 */
#ifndef EMU_ENGINE_UAR_STORE_H
#define EMU_ENGINE_UAR_STORE_H

#include "engine/loop.h"

/* Stores it in the page, where it is polled for. Device lock held. */
void uar_store_to_page(const struct hca_uar *uar, const struct engine_store *s);

/* Reports incomplete BlueFlame copies. Device lock held. */
void uar_store_unfinished(struct hca *hca);

#endif
