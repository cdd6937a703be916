/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls by the machine's instruction: unlike syscall(2), no library sees them. */
#ifndef TEST_LIB_RAW_CALL_H
#define TEST_LIB_RAW_CALL_H

#include <unistd.h>

/* Returns the kernel's value: -errno for an error. Not x86-64: syscall(2). */
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret = number;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#else
	return syscall(number, a, b, c, d, e, f);
#endif
}

#endif
