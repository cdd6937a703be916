/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vector registers of a thread that a signal interrupted, in the layout of XSAVE (Intel SDM, volume 1, chapter 13):
 *
 *	0    FXSAVE: XMM0 … XMM15, low 16 bytes of the others
 *	512  XSTATE_BV: which components are not in their initial state, all zero
 *	     AVX, component 2		bytes 16 … 31 of registers 0 … 15
 *	     ZMM_Hi256, component 6	bytes 32 … 63
 *	     Hi16_ZMM, component 7	registers 16 … 31
 *
 * CPUID has the offsets of the components.
 */
#ifndef EMU_PRELOAD_STORE_VECTOR_H
#define EMU_PRELOAD_STORE_VECTOR_H

#if defined(__x86_64__)

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define STORE_VECTOR_MAX 64u /* bytes */

/* The low @len bytes, 16, 32 or 64, of register @n. False: the signal did not save them. */
bool store_vector_get(const ucontext_t *uc, unsigned int n, unsigned int len, uint8_t *bytes);
/* The low 16 bytes of register 0 … 15. */
void store_vector_set(ucontext_t *uc, unsigned int n, const uint8_t *bytes);

#endif

#endif
