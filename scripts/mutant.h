/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included first in every file that scripts/mutate.py changes. The code chooses
 * between its text and the wrong one by dvkit_mutant(number):
 *
 *	DVKIT_MUTANT=N		change N is made, no other
 *	DVKIT_MUTANTS=FILE	the byte at N of FILE becomes 1 when place N is reached
 */
#ifndef DVKIT_MUTANT_H
#define DVKIT_MUTANT_H

#ifdef __cplusplus
static inline int dvkit_mutant(int)
{
	return 0;
}
#else
#include <asm/unistd.h>

/* A declaration here, and instructions: a file may have its own read(), programs and tests
 * replace functions of libc, and syscall() is one that the emulator has itself. */
extern char *getenv(const char *name);

static inline long dvkit_mutant_call(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return number;
}

/* All files map the record at this address, each over the mapping of the one before. A hole
 * that the kernel chooses may be one that a test has made to see what is mapped there. */
#define DVKIT_MUTANT_AT 0x500000000000

static __attribute__((unused, noinline)) int dvkit_mutant_find(volatile unsigned char **reached)
{
	const char *number = getenv("DVKIT_MUTANT"), *file = getenv("DVKIT_MUTANTS");
	int chosen = 0;
	long fd, at;

	for (; number && *number; number++)
		chosen = chosen * 10 + *number - '0';
	/* AT_FDCWD, O_RDWR | O_CLOEXEC; PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED */
	fd = file ? dvkit_mutant_call(__NR_openat, -100, (long)file, 02000002, 0, 0) : -1;
	if (fd < 0) /* no descriptor is free: the next time */
		return file ? -1 : chosen;
	at = dvkit_mutant_call(__NR_mmap, DVKIT_MUTANT_AT, 65536, 3, 0x11, fd);
	if (at > 0)
		*reached = (volatile unsigned char *)at;
	dvkit_mutant_call(__NR_close, fd, 0, 0, 0, 0);
	return chosen;
}

static __attribute__((unused)) int dvkit_mutant(int number)
{
	static volatile unsigned char *reached;
	static int chosen = -1;

	if (chosen < 0)
		chosen = dvkit_mutant_find(&reached);
	if (reached)
		reached[number] = 1;
	return chosen == number;
}
#endif

#endif
