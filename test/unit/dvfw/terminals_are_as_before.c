/* SPDX-License-Identifier: BSD-2-Clause */
/* The screen, keys and signals of a terminal, and its settings afterwards; shell, run, top. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "ask/ask.h"
#include "machine.h"
#include "session/session.h"

static int master, saved[2];
static char text[8192];

/* Standard input and output are a terminal of @rows rows, on which @keys were typed. */
static void terminal_begin(unsigned short rows, const char *keys)
{
	const struct winsize size = { .ws_row = rows, .ws_col = 80 };
	int slave;

	cr_assert_eq(openpty(&master, &slave, NULL, NULL, &size), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	cr_assert_eq(write(master, keys, strlen(keys)), (ssize_t)strlen(keys));
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		saved[i] = dup(i);
		dup2(slave, i);
	}
	close(slave);
}

static void terminal_end(void)
{
	ssize_t n, used = 0;

	fflush(stdout);
	while ((n = read(master, text + used, sizeof(text) - 1 - (size_t)used)) > 0)
		used += n;
	text[used] = '\0';
	for (int i = 0; i < 2; i++)
		dup2(saved[i], i);
	close(master);
}

TestSuite(terminal, .init = machine_begin, .fini = machine_end);

Test(terminal, screen)
{
	struct termios before, now;

	terminal_begin(5, "");
	tcgetattr(0, &before);
	cr_expect_eq(screen_lines(), 0); /* nothing is drawn yet */
	cr_assert(screen_begin());
	tcgetattr(0, &now);
	cr_expect_eq(now.c_lflag, before.c_lflag & ~(tcflag_t)(ICANON | ECHO));
	cr_expect_eq(screen_lines(), 5);
	cr_expect(screen_wait(0.001));
	for (const char *keys = "qQ"; *keys; keys++) {
		cr_assert_eq(write(master, "x", 1) + write(master, keys, 1), 2);
		cr_expect_not(screen_wait(1000));
	}
	screen_home();
	screen_end();
	screen_end();
	tcgetattr(0, &now);
	cr_expect_eq(now.c_lflag, before.c_lflag);
	cr_expect_eq(screen_lines(), 0);
	terminal_end();
	cr_expect_str_eq(text, "\033[?1049h\033[?25l\033[H\033[J\033[?25h\033[?1049l");
}

Test(terminal, rows_of_a_screen)
{
	terminal_begin(4, "");
	cr_assert(screen_begin());
	cr_expect_eq(screen_lines(), 24); /* as it does not say */
	close(master);
	cr_expect_not(screen_wait(1000)); /* closed */
	screen_end();
	cr_assert_geq(master = dup(saved[0]), 0);
}

static void mine(int sig)
{
	(void)sig;
}

Test(terminal, signals)
{
	struct sigaction now;

	for (int i = 0; i < 2; i++) {
		int sig = i ? SIGTERM : SIGINT;

		signal(SIGINT, mine);
		signal(SIGTERM, mine);
		screen_catch();
		raise(sig);
		cr_expect_not(screen_wait(1000));
		cr_expect_eq(screen_release(), sig);
		for (int k = 0; k < 2; k++) {
			sigaction(k ? SIGTERM : SIGINT, NULL, &now);
			cr_expect_eq(now.sa_handler, mine);
		}
		screen_catch();
		cr_expect_eq(screen_release(), 0);
		freopen("/dev/null", "w", stdout);
		cr_expect_not(screen_begin());
		raise(sig);
		cr_expect_not(screen_wait(1000));
	}
}

/* ---- top ---- */

static void top_says(bool json, const char *options, int status, const char *expected)
{
	struct dvfw d = { .json = json };

	cr_expect_eq(machine_run(top_run, &d, options, text, sizeof(text)), status);
	cr_expect_str_eq(text, expected);
}

#define ROW(source, name, number) "     0.0 " source "  " name number "           0.0\n"

Test(terminal, top_prints_lines)
{
	machine.counted = 7;
	machine_file("/sys/mlx5/ports/2/hw_counters/out_of_sequence", "9\n");
	machine_file("/sys/mlx5/ports/2/hw_counters/lifespan", "10\n");
	machine_file("/sys/mlx5/ports/2/hw_counters/.hidden", "11\n");
	machine_file("/sys/mlx5/ports/2/hw_counters/duplicate_request", "8\n");
	top_says(false, "-n 1 -p 2", 0,
		 ROW("vport", "received_errors.packets                     ",
		     "           4294967303 ")
			 ROW("vnic ", "total_error_queues                          ",
			     "                    7 ")
				 ROW("q    ", "duplicate_request                           ",
				     "                    8 ")
					 ROW("q    ",
					     "out_of_sequence                             ",
					     "                    9 "));
	machine_file("/sys/mlx5", NULL);
	machine.fails = "vnic";
	machine.err = EIO;
	top_says(
		true, "-n 1 -p 2", 0,
		"{\"seconds\":0.0,\"counters\":[{\"source\":\"vport\",\"name\":\"received_errors.packets\","
		"\"value\":4294967303,\"rate\":0.0}]}\n");
}

Test(terminal, top_draws_a_table)
{
	struct termios before, now;
	struct dvfw d = { 0 };

	machine.counted = 7;
	machine_file("/sys/mlx5/ports/2/hw_counters/out_of_sequence", "9\n");
	terminal_begin(5, "q");
	tcgetattr(0, &before);
	d.ctx = machine_context;
	machine.made++;
	cr_expect_eq(top_run(&d, 5, (char *[]){ "top", "-p", "2", "-i", "1000", NULL }), 0);
	tcgetattr(0, &now);
	cr_expect_eq(now.c_lflag, before.c_lflag);
	dvfw_disconnect(&d);
	terminal_end();
	cr_expect_str_eq(
		strstr(text, "\033") /* after the echo of the key, if there was one */,
		"\033[?1049h\033[?25l\033[H\033[Jmlx5_0 port 2, every 1000 s; q ends\r\n"
		"from   counter                                                     value     per second\r\n"
		"vport  received_errors.packets                                4294967303            0.0\r\n"
		"vnic   total_error_queues                                              7            0.0\r\n"
		"1 more do not fit\033[?25h\033[?1049l");
}

/* ---- shell, run ---- */

Test(terminal, history)
{
	struct dvfw d = { 0 };
	char path[] = "/tmp/history.XXXXXX", file[64], *word[] = { "shell", NULL };
	FILE *f;

	cr_assert_not_null(mkdtemp(path));
	setenv("TERM", "dumb", 1);
	setenv("XDG_STATE_HOME", path, 1);
	terminal_begin(24, "echo one\n\nbanana\nquit\n");
	cr_expect_eq(shell_run(&d, 1, word), DVFW_OK);
	dvfw_disconnect(&d);
	terminal_end();
	snprintf(file, sizeof(file), "%s/dvfw/history", path);
	f = fopen(file, "r");
	cr_assert_not_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	cr_expect_str_eq(text, "echo one\nbanana\nquit\n");
}

/* A script's lines, and what is printed. */
Test(terminal, scripts)
{
	static const struct {
		const char *script, *says;
		int status;
	} rows[] = {
		{ "echo a \\\nb \\\n\\\n c\necho d\n", "a b c\nd\n", 0 },
		{ "echo a \\\n\nbanana\n", "a\n", 1 },
		{ "echo a\\", "a\\\n", 0 },
		{ "echo a \\\n", "a \\\n", 0 },
		{ "quit\nbanana\n", "", 0 },
		{ "", "", 0 },
	};
	int before = machine_descriptors();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dvfw d = { 0 };
		FILE *f = fopen("/tmp/script", "w");

		fputs(rows[i].script, f);
		fclose(f);
		cr_expect_eq(machine_run(run_run, &d, "/tmp/script", text, sizeof(text)),
			     rows[i].status);
		cr_expect_eq(strncmp(text, rows[i].says, strlen(rows[i].says)), 0, "%s", text);
		cr_expect_str_eq(
			text + strlen(rows[i].says),
			rows[i].status
				? "/tmp/script:3: 'banana' is neither a command nor a verb\n"
				: "");
	}
	cr_expect_eq(machine_descriptors(), before);
}
