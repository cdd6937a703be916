/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks on sockets, for RDMA netlink. All others cost one look into its table. */
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "preload/netlink.h"
#include "preload/real.h"

ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
		       __SOCKADDR_ARG name, socklen_t *name_len);

HOOK int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA)
		return netlink_socket(type);
	return REAL(socket)(domain, type, protocol);
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	return netlink_has(fd) ? netlink_send(fd, m) : REAL(sendmsg)(fd, m, flags);
}

HOOK ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return netlink_has(fd) ? netlink_send_bytes(fd, buf, len, NULL, 0)
			       : REAL(send)(fd, buf, len, flags);
}

HOOK ssize_t sendto(int fd, const void *buf, size_t len, int flags, __CONST_SOCKADDR_ARG name,
		    socklen_t name_len)
{
	return netlink_has(fd) ? netlink_send_bytes(fd, buf, len, name.__sockaddr__, name_len)
			       : REAL(sendto)(fd, buf, len, flags, name, name_len);
}

/* Messages from the kernel have port id 0: in what @space, for a name, has of it. */
static void from_kernel(void *name, socklen_t space)
{
	const socklen_t at = offsetof(struct sockaddr_nl, nl_pid), end = at + sizeof(uint32_t);

	if (name && space > at)
		memset((char *)name + at, 0, (space < end ? space : end) - at);
}

HOOK ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	socklen_t space;
	ssize_t ret;

	if (!netlink_has(fd))
		return REAL(recvmsg)(fd, m, flags);
	netlink_deliver(fd);
	space = m->msg_namelen;
	ret = REAL(recvmsg)(fd, m, flags);
	if (ret >= 0)
		from_kernel(m->msg_name, space);
	return ret;
}

static ssize_t receive_from(int fd, void *buf, size_t len, int flags, __SOCKADDR_ARG name,
			    socklen_t *name_len)
{
	socklen_t space;
	ssize_t ret;

	if (!netlink_has(fd))
		return REAL(recvfrom)(fd, buf, len, flags, name, name_len);
	netlink_deliver(fd);
	space = name_len ? *name_len : 0;
	ret = REAL(recvfrom)(fd, buf, len, flags, name, name_len);
	if (ret >= 0)
		from_kernel(name.__sockaddr__, space);
	return ret;
}

HOOK ssize_t recvfrom(int fd, void *buf, size_t len, int flags, __SOCKADDR_ARG name,
		      socklen_t *name_len)
{
	return receive_from(fd, buf, len, flags, name, name_len);
}

static ssize_t receive(int fd, void *buf, size_t len, int flags)
{
	netlink_deliver(fd);
	return REAL(recv)(fd, buf, len, flags);
}

HOOK ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	return receive(fd, buf, len, flags);
}

HOOK ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags)
{
	return len > size ? REAL(__recv_chk)(fd, buf, len, size, flags)
			  : receive(fd, buf, len, flags);
}

HOOK ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
			    __SOCKADDR_ARG name, socklen_t *name_len)
{
	return len > size ? REAL(__recvfrom_chk)(fd, buf, len, size, flags, name, name_len)
			  : receive_from(fd, buf, len, flags, name, name_len);
}
