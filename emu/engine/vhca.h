/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between functions (wire.h). The engine of the function that has the bytes checks
 * each one and copies with its own memory; it is never waited for.
 *
 *	mmo.c  --CHECK, READ, WRITE-->  vhca.c of the other function: grant, mkey, rights, range
 *	       <--answer, bytes-------
 */
#ifndef EMU_ENGINE_VHCA_H
#define EMU_ENGINE_VHCA_H

#include "engine/loop.h"

#define VHCA_BYTES 4096u /* of one READ or WRITE at most */

/* Executes the message of @len bytes that came from slot @from. */
void vhca_take(struct engine *e, const uint8_t *bytes, size_t len, uint8_t from);
/* Sends answers that had to wait; false if there were none. */
bool vhca_run(struct engine *e);
/* At the end: forgets them. */
void vhca_stop(struct engine *e);

/* Sends @m, filled in but for the functions and its serial, to the function of @t; @data: of a
 * WRITE. Its serial; 0: no space now. */
uint32_t vhca_ask(struct engine *e, const struct hca_target *t, struct wire_message *m,
		  const uint8_t *data);
/* Is the process still there in which the bytes of @t are? */
bool vhca_lives(const struct engine *e, const struct hca_target *t);

#endif
