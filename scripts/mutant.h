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

/* Declarations here, and system calls: a file may have its own read(), and programs
 * and tests replace functions of libc. */
extern char *getenv(const char *name);
extern long syscall(long number, ...);

static __attribute__((unused, noinline)) int dvkit_mutant_find(volatile unsigned char **reached)
{
	const char *number = getenv("DVKIT_MUTANT"), *file = getenv("DVKIT_MUTANTS");
	int chosen = 0;
	long fd, at;

	for (; number && *number; number++)
		chosen = chosen * 10 + *number - '0';
	/* AT_FDCWD, O_RDWR | O_CLOEXEC; PROT_READ | PROT_WRITE, MAP_SHARED */
	fd = file ? syscall(__NR_openat, -100, file, 02000002, 0) : -1;
	if (fd < 0)
		return chosen;
	at = syscall(__NR_mmap, 0, 65536, 3, 1, fd, 0);
	if (at != -1)
		*reached = (volatile unsigned char *)at;
	syscall(__NR_close, fd);
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
