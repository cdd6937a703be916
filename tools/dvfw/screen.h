/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A terminal that is drawn again and again, and the wait between two drawings.
 */
#ifndef DVFW_SCREEN_H
#define DVFW_SCREEN_H

#include <stdbool.h>

/* Whether standard output is a terminal; then it is cleared, keys are read unbuffered and not
 * echoed, and screen_end(), which exit() calls too, puts all back. SIGINT and SIGTERM end the wait
 * from now on, terminal or not. */
bool screen_begin(void);
void screen_end(void);

/* Clears the screen and moves to the upper left corner. */
void screen_home(void);
/* Lines that fit; 0: no terminal. */
int screen_lines(void);

/* Waits. False: q or ^C was pressed, SIGTERM received, or the other end of the output closed. */
bool screen_wait(double seconds);

/* Between them SIGINT and SIGTERM only end the wait; the second returns which it was, or 0. */
void screen_catch(void);
int screen_release(void);

#endif
