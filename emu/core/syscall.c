/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by the machine's instruction. libc's syscall(2) is a function that the preloaded
 * library hooks, and that programs may replace.
 */
#include <errno.h>

#include "core/core.h"

#if defined(__x86_64__)

static long enter(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret = number;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__)

static long enter(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e, x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#else
#error "how this machine enters the kernel: syscall(2)"
#endif

long core_syscall_6(long number, long a, long b, long c, long d, long e, long f)
{
	long ret = enter(number, a, b, c, d, e, f);

	if (ret >= 0 || ret < -4095)
		return ret;
	errno = (int)-ret;
	return -1;
}
