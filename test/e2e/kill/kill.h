/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages between the driver and its peers, a line each, over the peer's stdin and stdout.
 *
 *	peer -> driver   struct card        who I am and where my buffer is
 *	driver -> peer   struct card        who the other one is
 *	peer -> driver   struct report      how it ended
 */
#ifndef TEST_KILL_H
#define TEST_KILL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct card {
	pid_t pid;
	uint32_t qpn, rkey;
	uint64_t addr;
	uint8_t gid[16];
};

struct report {
	int first;	      /* enum ibv_wc_status of the first error; 0: none came */
	unsigned int flushed; /* completions after it that say IBV_WC_WR_FLUSH_ERR */
	unsigned int other;   /* and those that say something else */
	unsigned int done;    /* successes before */
	uint64_t ns;	      /* CLOCK_MONOTONIC of the first error */
	bool touched;	      /* someone wrote into the buffer of a newcomer */
};

#define KILL_PSN   0x1000
#define KILL_RETRY 3

/* Streams until an error; a newcomer only listens until its stdin ends. */
int peer_main(unsigned int timeout, bool newcomer);

#endif
