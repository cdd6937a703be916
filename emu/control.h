/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of the emulator, for tests: hold the device still, look inside, let
 * it go on. A program that runs under dvkit-emu finds these functions in the preloaded
 * library; elsewhere they are NULL, so ask dvkit_emu_present() first.
 *
 *	if (dvkit_emu_present()) {
 *		dvkit_emu_pause();
 *		… post WQEs: nothing moves …
 *		while (dvkit_emu_step())
 *			;
 *		dvkit_emu_resume();
 *	}
 *
 * All of them are thread-safe. Before the device is opened they return ENODEV (or false).
 */
#ifndef DVKIT_EMU_CONTROL_H
#define DVKIT_EMU_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dvkit_emu_counters {
	uint64_t turns;	       /* turns of the engine that found work */
	uint64_t doorbells;    /* doorbell register values taken */
	uint64_t empty_rings;  /* rings after which no queue had a new record */
	uint64_t shared_rings; /* queues served by a ring that named another queue */
	uint64_t wqes;	       /* send WQEs completed, in success or error */
	uint64_t cqes;	       /* CQEs written */
	uint64_t tx_frames, rx_frames, rx_dropped;
	uint64_t retransmits;
};

#define DVKIT_EMU_API __attribute__((weak, visibility("default")))

/* Paused, the engine does nothing by itself; step makes one turn and says whether it found
 * work. 0 or a positive errno value. */
DVKIT_EMU_API int dvkit_emu_pause(void);
DVKIT_EMU_API int dvkit_emu_resume(void);
DVKIT_EMU_API bool dvkit_emu_step(void);
DVKIT_EMU_API int dvkit_emu_counters(struct dvkit_emu_counters *c);

/* Completes what was posted on send queue @qpn without executing it: one success CQE for the
 * last WQE. Works while paused. ENOENT: no such QP; EINVAL: nothing pending. */
DVKIT_EMU_API int dvkit_emu_retire(uint32_t qpn);

/* Does the firmware execute commands of this opcode? Otherwise they end in BAD_OP. */
DVKIT_EMU_API bool dvkit_emu_executes(uint16_t opcode);

/* How many objects the firmware has, the driver's own included; 0 before the device is opened. In
 * @words, if it is not NULL, how many of each kind: "pd 1, cq 2". */
DVKIT_EMU_API uint32_t dvkit_emu_objects(char *words, size_t size);

static inline bool dvkit_emu_present(void)
{
	return dvkit_emu_pause != 0;
}

#ifdef __cplusplus
}
#endif

#endif
