/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which register an x86-64 store takes its address from.
 */
#ifndef EMU_PRELOAD_STORE_INSN_H
#define EMU_PRELOAD_STORE_INSN_H

#include <stdint.h>

/*
 * The number (0: rax … 15: r15) of the base register of the instruction at @code, if it stores
 * to memory, does nothing else, and stays the same store when that register is changed. -1:
 * none such.
 */
int store_base(const uint8_t *code);

#endif
