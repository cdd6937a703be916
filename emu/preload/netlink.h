/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA netlink sockets of the application. Each is a real netlink socket of protocol
 * NETLINK_USERSOCK, so that bind, getsockname, poll and socket options are the kernel's affair;
 * only what is sent is taken here, and answered by a socket of ours:
 *
 *	sendmsg(fd) --hook--> nldev --answers--> own socket --NETLINK_USERSOCK--> fd: recvmsg
 *
 * The application's socket is connected to ours, so no other process can send to it
 * (netlink(7)). Messages that do not fit its queue wait here, until the application reads.
 */
#ifndef EMU_PRELOAD_NETLINK_H
#define EMU_PRELOAD_NETLINK_H

#include <stdbool.h>
#include <sys/socket.h>

/* socket(AF_NETLINK, @type, NETLINK_RDMA) */
int netlink_socket(int type);

bool netlink_has(int fd);
/* Answers a request; returns the result of sendmsg() and sendto(). */
ssize_t netlink_send(int fd, const struct msghdr *m);
ssize_t netlink_send_bytes(int fd, const void *buf, size_t len, const void *name,
			   socklen_t name_len);
/* Before a read: more of the answers that wait. */
void netlink_deliver(int fd);

void netlink_closed(int fd);
void netlink_closed_range(unsigned int first, unsigned int last);
void netlink_duplicated(int from, int to);

/* Before other handlers of fork(2): theirs then run while its lock is not held. */
void netlink_watch_fork(void);

#endif
