/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of the emulator: pause the adapter, execute it step by step, read its
 * counters. For tests and for tools that count.
 *
 * The functions are in the library that dvkit-emu preloads; there is nothing to link with. The
 * references are weak: in a program that runs without dvkit-emu, that is on a real adapter, they
 * are NULL. dvkit_emu_present() returns which of the two it is:
 *
 *	if (dvkit_emu_present()) {
 *		dvkit_emu_pause();
 *		… post WQEs: none is executed …
 *		while (dvkit_emu_step())
 *			;
 *		dvkit_emu_resume();
 *	}
 *
 * A function that an older emulator does not have is NULL too; test it by its name.
 *
 * Each process that opens the device has its own adapter, and controls no other. A process that
 * has not opened the device has no adapter, nor has a child after fork() until it opens the device:
 * ENODEV.
 *
 * A process may have two devices, the functions of a DPU (dvkit-emu(1), --as). A call is then for all that
 * it has opened; one that it opens later is not paused.
 *
 * Threads: all functions are thread-safe. Each takes the device lock, so it waits for a command or
 * an iteration of the engine that is under way. None may be called from a signal handler.
 *
 * Functions that return int return 0 or a positive errno value.
 */
#ifndef DVKIT_EMU_H
#define DVKIT_EMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak, and by the GOT also in code that is not position independent: the linker would make any
 * other reference in it 0. */
#ifdef __clang__
#ifndef __PIC__
#error "clang: compile with -fPIE or -fPIC, or dvkit_emu_present() is always false"
#endif
#define DVKIT_EMU_API __attribute__((weak, visibility("default")))
#else
#define DVKIT_EMU_API __attribute__((weak, noplt, visibility("default")))
#endif

/* Since the device was opened; of two devices the sums. Members are only added, at the end. */
struct dvkit_emu_counters {
	uint64_t iterations;   /* iterations of the engine that found work */
	uint64_t doorbells;    /* values read from doorbell registers */
	uint64_t empty_rings;  /* doorbells after which no queue had a new doorbell record */
	uint64_t shared_rings; /* queues served by a doorbell that named another queue */
	uint64_t wqes;	       /* send WQEs completed, with success or with an error */
	uint64_t cqes;	       /* CQEs written */
	uint64_t tx_frames, rx_frames, rx_dropped;
	uint64_t retransmits;
};

/*
 * Pauses the engine: when this returns, no iteration is under way, and none begins before
 * dvkit_emu_step() or dvkit_emu_resume(). Firmware commands are executed as before. Frames of
 * other processes wait. Pauses are not counted: one resume ends any number of them. ENODEV.
 */
DVKIT_EMU_API int dvkit_emu_pause(void);
DVKIT_EMU_API int dvkit_emu_resume(void);

/* One iteration of the paused engine, of two devices one of each: reads doorbells and frames, lets each
 * QP with work send, serves timers. False: it found no work, or the engine is not paused, or no device is open. */
DVKIT_EMU_API bool dvkit_emu_step(void);

/* In C++ the function hides the constructor of the struct. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
/* Writes the counters to the first @size bytes of @c, where @size is sizeof(*c). A member that the
 * emulator does not have reads 0. ENODEV. */
DVKIT_EMU_API int dvkit_emu_counters(struct dvkit_emu_counters *c, size_t size);
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

/*
 * Completes what was posted on the send queue of QP @qpn without executing it: one CQE of success
 * for the last WQE, and no frame. For programs that compare or count posted WQEs and do not want
 * them sent. Works while paused. ENODEV; ENOENT: no such QP; EINVAL: no WQE is pending, or the QP is
 * not in RTS.
 */
DVKIT_EMU_API int dvkit_emu_retire(uint32_t qpn);

/* True: the firmware has the command @opcode. Others end with status BAD_OP. Needs no open device. */
DVKIT_EMU_API bool dvkit_emu_executes(uint16_t opcode);

/*
 * The number of objects of the firmware, those of the driver included; 0 while no device is open.
 * In @text, @size bytes, if it is not NULL: how many of each kind, "pd 1, cq 2", cut off at @size. Of two
 * devices the sum, and in @text first mlx5_0, then mlx5_1: "pd 1, cq 2; pd 1".
 */
DVKIT_EMU_API uint32_t dvkit_emu_objects(char *text, size_t size);

/* True: the program runs on the emulator, and the functions above can be called. */
static inline bool dvkit_emu_present(void)
{
	return dvkit_emu_pause != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
