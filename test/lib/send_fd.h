/* SPDX-License-Identifier: BSD-2-Clause */
/* A message with a file descriptor, of a socket (unix(7)). */
#ifndef TEST_LIB_SEND_FD_H
#define TEST_LIB_SEND_FD_H

#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

/* sendmsg(2) of the @len bytes with @fd; -1: without one. */
static inline ssize_t send_with_fd(int to, void *bytes, size_t len, int fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { bytes, len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(to, &m, 0);
}

#endif
