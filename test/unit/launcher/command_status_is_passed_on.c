/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The launcher ends as its command does, and says what it can of commands that cannot work.
 */
#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
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

/* elf(5), ld.so(8): a program that never sees LD_PRELOAD. */
Test(command, that_ignores_the_library_is_reported)
{
	static const char *const is_static = "it is statically linked",
				 *const is_secure = "it is set-user-ID or set-group-ID";
	static const struct {
		const char *says; /* NULL: it sees the adapter */
		uint16_t segments;
		uint32_t type[2]; /* of the segments; 0: it ends before that one */
		uint8_t class, magic;
		mode_t mode;
		uid_t uid;
		gid_t gid;
	} rows[] = {
		{ is_static, 0, { 0 }, ELFCLASS64, 'E', 0700, 0, 0 },
		{ is_static, 2, { PT_LOAD, PT_NOTE }, ELFCLASS64, 'E', 0700, 0, 0 },
		{ is_static, 0, { 0 }, ELFCLASS64, 'E', 06700, 0, 0 },
		{ NULL, 2, { PT_LOAD, PT_INTERP }, ELFCLASS64, 'E', 0700, 0, 0 },
		{ NULL, 1, { PT_INTERP }, ELFCLASS64, 'E', 0700, 0, 0 },
		{ NULL, 2, { PT_LOAD }, ELFCLASS64, 'E', 0700, 0, 0 },
		{ NULL, 0, { 0 }, ELFCLASS32, 'E', 0700, 0, 0 },
		{ NULL, 0, { 0 }, ELFCLASS64, 'F', 0700, 0, 0 },
		{ NULL, 0, { 0 }, 0, '#', 06700, 0, 0 },
		{ NULL, 0, { 0 }, 0, '#', 0700, 1, 1 },
		{ is_secure, 0, { 0 }, 0, '#', 04700, 1, 0 },
		{ NULL, 0, { 0 }, 0, '#', 04700, 0, 1 },
		{ is_secure, 0, { 0 }, 0, '#', 02700, 0, 1 },
		{ NULL, 0, { 0 }, 0, '#', 02700, 1, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		Elf64_Ehdr head = { .e_ident = { 0x7f, rows[i].magic, 'L', 'F', rows[i].class },
				    .e_phoff = sizeof(head),
				    .e_phnum = rows[i].segments };
		char path[] = "/tmp/command.XXXXXX";
		const char *says;
		int fd = mkstemp(path);

		cr_assert_eq(write(fd, &head, sizeof(head)), sizeof(head));
		for (int k = 0; k < 2 && rows[i].type[k]; k++) {
			Elf64_Phdr seg = { .p_type = rows[i].type[k] };

			cr_assert_eq(write(fd, &seg, sizeof(seg)), sizeof(seg));
		}
		if (!fchown(fd, geteuid() + rows[i].uid, getegid() + rows[i].gid)) {
			cr_assert_eq(fchmod(fd, rows[i].mode), 0);
			says = command_obstacle(path);
			cr_expect(says == rows[i].says ||
					  (says && rows[i].says && !strcmp(says, rows[i].says)),
				  "row %zu: %s", i, says);
		}
		close(fd);
		unlink(path);
	}
}

/* As execvp(3) searches: the first executable one; an empty name is the current directory. */
Test(command, is_searched_in_the_path)
{
	static const struct {
		const char *path;
		bool found;
	} rows[] = { { "yes", true },	 { "no", false },	{ "none:no:yes", true },
		     { "plain", false }, { "plain:yes", true }, { "", true },
		     { "no:", true },	 { ":no", true },	{ "no::yes", true } };
	char dir[] = "/tmp/path.XXXXXX";
	const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 } };

	cr_assert(mkdtemp(dir) && !chdir(dir));
	cr_assert(!mkdir("yes", 0700) && !mkdir("no", 0700) && !mkdir("plain", 0700));
	for (int i = 0; i < 3; i++) {
		int fd = open((const char *[]){ "yes/it", "plain/it", "it" }[i],
			      O_WRONLY | O_CREAT, i == 1 ? 0600 : 0700);

		cr_assert_eq(write(fd, &head, sizeof(head)), sizeof(head));
		close(fd);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setenv("PATH", rows[i].path, 1);
		cr_expect_eq(command_obstacle("it") != NULL, rows[i].found, "PATH=%s",
			     rows[i].path);
		cr_expect_not_null(command_obstacle("./it"));
	}
	unsetenv("PATH");
	cr_expect_null(command_obstacle("it"));
	cr_assert(!unlink("yes/it") && !unlink("plain/it") && !unlink("it"));
	cr_assert(!rmdir("yes") && !rmdir("no") && !rmdir("plain") && !rmdir(dir));
}

/* Signals that were blocked or ignored are so in the command; SIGCHLD is the launcher's. */
Test(command, signals_are_as_they_were)
{
	char *mask[] = { "grep", "-q", "SigBlk:.0*200$", "/proc/self/status", NULL };
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	cr_expect_eq(run("kill -USR2 $$; exit 5"), 5);
	cr_expect_eq(command_run(mask, false), 0);
}

/* Ctrl-C is for the processes of the terminal: the launcher does not pass it on to others. */
Test(command, signals_of_the_terminal_are_not_passed_on)
{
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
	char c;

	if (!pid)
		_exit(run("exec setsid sh -c \"trap 'exit 3' INT; trap 'exit 1' USR1; echo\n"
			  "while :; do :; done\""));
	cr_assert_eq(read(terminal, &c, 1), 1);
	cr_assert_eq(write(terminal, "\3", 1), 1);
	while (c != 'C') /* it is shown as ^C after the signal */
		cr_assert_eq(read(terminal, &c, 1), 1);
	cr_assert_eq(kill(pid, SIGUSR1), 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%x", status);
	close(terminal);
}

/* A child that the command leaves is reaped: its status and its SIGCHLD are not for it. */
Test(command, orphans_are_not_the_command)
{
	cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	cr_expect_eq(run("(sleep 0.01; exit 9) & sleep 0.2; exit 4"), 4);
	cr_expect_eq(run("p=$(sleep 99 >&2 & echo $!); trap 'exit 3' CHLD; kill $p\n"
			 "while kill -0 $p; do :; done 2>&-; exit 4"),
		     4);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "one is left");
}

Test(command, killed_one_has_no_summary)
{
	char *argv[] = { "sh", "-c", "kill -KILL $$", NULL },
	     *other[] = { "sh", "-c", "exit 9", NULL };
	char said[200] = { 0 };
	int ends[2];

	cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], 2);
	cr_expect_eq(command_run(other, true), 9);
	cr_expect_eq(command_run(argv, false), 128 + 9);
	cr_expect_eq(read(ends[0], said, sizeof(said)), -1, "%s", said);
	cr_expect_eq(command_run(argv, true), 128 + 9);
	cr_expect_gt(read(ends[0], said, sizeof(said) - 1), 0);
	cr_expect_str_eq(said, "dvkit-emu: check: no summary: the command was killed\n");
}
