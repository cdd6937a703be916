/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal: the alternate screen, so that its previous contents are restored.
 *
 *	screen_begin   ESC[?1049h   no echo, no lines     SIGINT, SIGTERM set a flag
 *	screen_home    ESC[H
 *	screen_end     ESC[?1049l   as it was
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/base.h"

static struct termios before;
static bool keys, drawn;	      /* to be put back */
static volatile sig_atomic_t stopped; /* the signal */

static struct sigaction was_int, was_term; /* before screen_catch() */

static void stop(int sig)
{
	stopped = sig;
}

void screen_catch(void)
{
	struct sigaction on_stop = { .sa_handler = stop };

	stopped = 0;
	sigaction(SIGINT, &on_stop, &was_int);
	sigaction(SIGTERM, &on_stop, &was_term);
}

int screen_release(void)
{
	sigaction(SIGINT, &was_int, NULL);
	sigaction(SIGTERM, &was_term, NULL);
	return stopped;
}

bool screen_begin(void)
{
	struct sigaction on_stop = { .sa_handler = stop };
	struct termios raw;

	sigaction(SIGINT, &on_stop, NULL);
	sigaction(SIGTERM, &on_stop, NULL);
	if (!isatty(STDOUT_FILENO))
		return false;
	atexit(screen_end);
	if (isatty(STDIN_FILENO) && !tcgetattr(STDIN_FILENO, &before)) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		keys = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	drawn = true;
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
	return true;
}

void screen_end(void)
{
	if (keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	if (drawn) {
		fputs("\033[?25h\033[?1049l", stdout);
		fflush(stdout);
	}
	keys = drawn = false;
}

void screen_home(void)
{
	fputs("\033[H\033[J", stdout);
}

int screen_lines(void)
{
	struct winsize size;

	if (!drawn || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_row > 4 ? size.ws_row : 24;
}

/* True: a key to end was pressed. */
static bool quit_key(void)
{
	char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	return n == 0 || (n == 1 && (key == 'q' || key == 'Q'));
}

bool screen_wait(double seconds)
{
	/* The output is polled only for being closed by its reader or terminal. */
	struct pollfd fds[] = { { .fd = keys ? STDIN_FILENO : -1, .events = POLLIN },
				{ .fd = STDOUT_FILENO } };
	double end = dvfw_now() + seconds;

	while (!stopped) {
		double left = end - dvfw_now();
		int n;

		if (left <= 0)
			return true;
		n = poll(fds, 2, (int)(left * 1000) + 1);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0 && (fds[1].revents || quit_key()))
			return false;
	}
	return false;
}
