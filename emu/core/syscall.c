/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls by the machine's instruction. libc's syscall(2) is a function that the preloaded library hooks, and that
 * programs may replace. What is asked so needs no memory of the heap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "core/core.h"

#define ARGUMENTS 6 /* syscall(2) */
#define PAGE	  4096ull

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

/* ---- page sizes ---- */

struct file {
	int fd;
	char text[1024];
	size_t n, at;
};

/* The first bytes of the next line, without its end; false: there is none. */
static bool next_line(struct file *f, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		if (f->at == f->n) {
			long n = core_syscall(SYS_read, f->fd, f->text, sizeof(f->text));

			f->n = n > 0 ? (size_t)n : 0;
			f->at = 0;
			if (!f->n)
				return false;
		}
		if (f->text[f->at++] == '\n')
			break;
		if (len < size - 1)
			line[len++] = f->text[f->at - 1];
	}
	line[len] = '\0';
	return true;
}

/* In bytes, as proc(5) describes smaps; 0: there is no such mapping. */
static uint64_t page_size_in_smaps(uint64_t va)
{
	struct file f = { .fd = (int)core_syscall(SYS_openat, AT_FDCWD, "/proc/self/smaps",
						  O_RDONLY | O_CLOEXEC) };
	unsigned long start, end, kilobytes = 0;
	bool inside = false;
	char line[64];

	while (f.fd >= 0 && !kilobytes && next_line(&f, line, sizeof(line))) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = start <= va && va < end;
		else if (inside)
			sscanf(line, "KernelPageSize: %lu", &kilobytes);
	}
	core_syscall(SYS_close, f.fd);
	return (uint64_t)kilobytes << 10;
}

/* mremap(2) refuses an address inside of a huge page with EINVAL, and otherwise does nothing if it is
 * called so; to read smaps takes time. */
uint64_t core_page_size(uint64_t va)
{
	uint64_t page = 0;

	if (core_syscall(SYS_mremap, va | PAGE, PAGE, PAGE, 0) == -1 && errno == EINVAL)
		page = page_size_in_smaps(va);
	return page ? page : PAGE;
}
