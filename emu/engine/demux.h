/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from the wire, and the QPs that they are for. */
#ifndef EMU_ENGINE_DEMUX_H
#define EMU_ENGINE_DEMUX_H

#include "engine/loop.h"

/* Takes the frames that arrived, up to a bound; false when there was none. */
bool demux_poll(struct engine *e);

#endif
