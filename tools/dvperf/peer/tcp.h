/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCP connection of the two sides: made, and watched over. */
#ifndef DVPERF_TCP_H
#define DVPERF_TCP_H

/* Waits for a client on @port where @host is NULL, else connects to it; refuses when no client
 * connects or no server listens. A machine that stops responding is detected within seconds. */
int tcp_meet(const char *host, int port);

#endif
