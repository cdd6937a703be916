/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of how a process ends. */
#ifndef TEST_UNIT_PRELOAD_CHILD_H
#define TEST_UNIT_PRELOAD_CHILD_H

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

/* The status of a child in which @act is called; the alarm ends one that hangs. */
static inline int child(void (*act)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(100);
		act();
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	return status;
}

#endif
