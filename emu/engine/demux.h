/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from the wire, and the QPs that they are for. */
#ifndef EMU_ENGINE_DEMUX_H
#define EMU_ENGINE_DEMUX_H

#include "engine/loop.h"

/* Takes the frames that arrived, up to a bound; false when there was none. */
bool demux_poll(struct engine *e);
/* A RoCE frame arrived from the process in slot @from. */
void demux_take(struct engine *e, const uint8_t *frame, size_t len, uint8_t from);
/* Is @gid one of the port, or of a group that a QP is attached to? */
bool demux_is_own(const struct engine *e, const uint8_t gid[16]);

#endif
