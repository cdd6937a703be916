/* SPDX-License-Identifier: BSD-2-Clause */
/* A TCP connection beside the RDMA one: to exchange addresses, and to wait for each other. */
#ifndef SAMPLES_TCP_H
#define SAMPLES_TCP_H

#include <stddef.h>

/* Connects to @host, or, when NULL, waits for a client. Ends the program on failure. */
int tcp_open(const char *host, int port);

/* Sends @ours, receives @theirs, both @size bytes. Ends the program if the peer has closed the
 * connection. */
void tcp_exchange(int fd, const void *ours, void *theirs, size_t size);

/* Returns when the peer has come to the same point. */
void tcp_sync(int fd);

#endif
