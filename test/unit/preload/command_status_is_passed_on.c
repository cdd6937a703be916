/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The launcher ends as its command does, and says what it can of commands that cannot work.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "launcher/command.h"

static int run(const char *script)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };

	return command_run(argv, false);
}

Test(command, exit_status)
{
	cr_assert_eq(run("exit 0"), 0);
	cr_assert_eq(run("exit 7"), 7);
}

Test(command, death_by_signal)
{
	cr_assert_eq(run("kill -TERM $$"), 128 + 15);
	cr_assert_eq(run("kill -KILL $$"), 128 + 9);
}

/* $PPID is the launcher: what it is sent, the command gets. */
Test(command, signals_are_passed_on)
{
	cr_assert_eq(run("trap 'exit 33' USR1; kill -USR1 $PPID; while :; do sleep 0.01; done"),
		     33);
}

Test(command, not_found_and_not_executable)
{
	char *missing[] = { "/nonexistent/command", NULL };
	char *directory[] = { "/tmp", NULL };

	cr_assert_eq(command_run(missing, false), COMMAND_NOT_FOUND);
	cr_assert_eq(command_run(directory, false), COMMAND_NOT_EXECUTABLE);
}

Test(command, a_dynamic_command_has_no_obstacle)
{
	cr_assert_null(command_obstacle("sh"));
	cr_assert_null(command_obstacle("/nonexistent/command"));
}

/* An ELF header without program headers: no interpreter, so static. */
Test(command, a_static_command_is_reported)
{
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 } };
	char path[] = "/tmp/static-test.XXXXXX";
	int fd = mkstemp(path);

	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, &head, sizeof(head)), sizeof(head));
	close(fd);
	cr_expect_str_eq(command_obstacle(path), "it is statically linked");
	unlink(path);
}
