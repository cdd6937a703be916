/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by the machine's instruction. libc's syscall(2) is a function that the preloaded library hooks, and that
 * programs may replace.
 */
#include <errno.h>
#include <stdarg.h>

#include "core/core.h"

#define ARGUMENTS 6 /* syscall(2) */

#if defined(__x86_64__)

static long enter(long number, const long a[ARGUMENTS])
{
	register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4],
			  r9 __asm__("r9") = a[5];
	long ret = number;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__)

static long enter(long number, const long a[ARGUMENTS])
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2], x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#else
#error "how this machine enters the kernel: syscall(2)"
#endif

long core_syscall(long number, ...)
{
	long a[ARGUMENTS], ret;
	va_list args;

	va_start(args, number);
	for (int i = 0; i < ARGUMENTS; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	ret = enter(number, a);
	if (ret >= 0 || ret < -4095)
		return ret;
	errno = (int)-ret;
	return -1;
}
