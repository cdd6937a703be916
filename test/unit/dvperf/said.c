/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in a child, whose two outputs are read when it has ended. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/dvperf/said.h"

enum { SIZE = 16384 };

static const char *text_of(int fd, char *text)
{
	ssize_t n = pread(fd, text, SIZE - 1, 0);

	cr_assert_geq(n, 0);
	text[n] = 0;
	close(fd);
	return text;
}

struct said said_by(void (*function)(const void *of), const void *of)
{
	static char out[SIZE], err[SIZE];
	int to = memfd_create("out", 0), errors = memfd_create("err", 0), status;
	pid_t pid = fork();

	cr_assert(to >= 0 && errors >= 0 && pid >= 0);
	if (!pid) {
		dup2(to, STDOUT_FILENO);
		dup2(errors, STDERR_FILENO);
		function(of);
		fflush(stdout);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "it ended by a signal: %d", status);
	return (struct said){ WEXITSTATUS(status), text_of(to, out), text_of(errors, err) };
}

void said_only(int status, const char *text, void (*function)(const void *of), const void *of)
{
	struct said s = said_by(function, of);

	cr_expect_eq(s.status, status, "%s: status %d: %s", text, s.status, s.err);
	cr_expect(strstr(s.err, text) && strchr(s.err, '\n') == strrchr(s.err, '\n'),
		  "not '%s': %s", text, s.err);
	cr_expect_str_eq(s.out, "");
}

const char *said_words(const char *text)
{
	static char to[SIZE];
	char *at = to;

	for (; *text; text++)
		if (*text != ' ' || (text[1] != ' ' && at > to && at[-1] != '\n'))
			*at++ = *text;
	*at = 0;
	return to;
}
