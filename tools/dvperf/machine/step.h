/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exact instruction counts: one process runs the code, another one walks it through, an
 * instruction at a time.
 *
 *	main: fork --- child: ... STEP_BEGIN(); code; STEP_END(); n = step_count(); ...
 *	         '--- parent: waits for a mark, then PTRACE_SINGLESTEP up to the next one
 *
 * Works for every instruction that the CPU has, AVX-512 and the sfence of a doorbell included,
 * and counts what ran: nothing is sampled or modelled. An instruction with a rep prefix counts
 * once per repetition. The kernel's code does not count, in the vDSO neither: its clock tries
 * again after each tick, so that a slow walk would have more. Outside the marks the child runs
 * at full speed; of its threads only the one that called step_run() is walked. x86-64 only:
 * elsewhere, and where ptrace is forbidden, the child runs unwalked and step_possible is false.
 */
#ifndef DVPERF_STEP_H
#define DVPERF_STEP_H

#include <stdbool.h>
#include <stdint.h>

struct step_count {
	uint64_t instructions; /* between the marks */
	uint64_t calls;	       /* of them, calls: direct, through a register, through the PLT */
	uint64_t repeats;      /* of them, repetitions by a rep prefix, after the first */
};

/* The marks are breakpoints, passed over while step_off is set: for callers that only want to
 * run the code. The compiler moves no memory access across them. */
extern bool step_off;
extern bool step_possible;
#if defined(__x86_64__)
#define STEP_MARK() \
	__asm__ volatile("cmpb $0, %0; jne 1f; int3; 1:" : : "m"(step_off) : "memory", "cc")
#else
#define STEP_MARK() __asm__ volatile("" : : : "memory")
#endif
#define STEP_BEGIN() STEP_MARK()
#define STEP_END()   STEP_MARK()

/* Runs @child under a stepping parent and returns its exit status; in a program without threads
 * yet. The parent leaves ^C to the child. */
int step_run(int (*child)(void));

/* In the child: the latest count, without what the marks themselves cost. */
struct step_count step_count(void);

#endif
