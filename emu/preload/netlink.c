/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of RDMA netlink sockets, by descriptor, and the way of the answers.
 *
 * Looking up a descriptor that is not in the table costs one load. The lock is never held while
 * another one is waited for.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "nldev/nldev.h"
#include "preload/boot.h"
#include "preload/netlink.h"
#include "preload/real.h"

#define FDS	    65536
#define REQUEST_MAX 65536

/* A datagram for the application. */
struct waiting {
	struct waiting *next;
	size_t len;
	uint8_t bytes[];
};

struct netlink {
	unsigned int refs; /* descriptors */
	struct waiting *first, **end;
};

static _Atomic(struct netlink *) sockets[FDS];
static _Atomic pid_t owner; /* whose descriptors these are */
static int own_fd = -1;	    /* answers come from here */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* As files_has(): a child of vfork() runs in its parent's memory. */
bool netlink_has(int fd)
{
	return fd >= 0 && fd < FDS &&
	       atomic_load_explicit(&sockets[fd], memory_order_acquire) != NULL &&
	       atomic_load_explicit(&owner, memory_order_relaxed) == getpid();
}

static void fork_prepare(void)
{
	core_lock(&lock);
}

static void fork_parent(void)
{
	core_unlock(&lock);
}

static void fork_child(void)
{
	atomic_store_explicit(&owner, getpid(), memory_order_relaxed);
	if (core_own_has(own_fd))
		core_own_close(own_fd);
	own_fd = -1;
	core_unlock(&lock);
}

static void register_fork(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

void netlink_watch_fork(void)
{
	pthread_once(&fork_once, register_fork);
}

/* ---- the table; lock held ---- */

static void drop(struct netlink *n)
{
	if (!n || --n->refs)
		return;
	while (n->first) {
		struct waiting *next = n->first->next;

		free(n->first);
		n->first = next;
	}
	free(n);
}

static void set(int fd, struct netlink *n)
{
	struct netlink *before = sockets[fd];

	atomic_store_explicit(&sockets[fd], n, memory_order_release);
	drop(before);
}

ssize_t netlink_send_bytes(int fd, const void *buf, size_t len, const void *name,
			   socklen_t name_len)
{
	struct iovec part = { (void *)buf, len };
	struct msghdr m = { .msg_name = (void *)name,
			    .msg_namelen = name_len,
			    .msg_iov = &part,
			    .msg_iovlen = 1 };

	return netlink_send(fd, &m);
}

void netlink_closed(int fd)
{
	if (!netlink_has(fd))
		return;
	core_enter();
	core_lock(&lock);
	set(fd, NULL);
	core_unlock(&lock);
	core_leave();
}

void netlink_closed_range(unsigned int first, unsigned int last)
{
	if (!atomic_load_explicit(&owner, memory_order_relaxed))
		return; /* there never was one */
	for (unsigned int fd = first; fd <= last && fd < FDS; fd++)
		netlink_closed(fd);
}

void netlink_duplicated(int from, int to)
{
	struct netlink *n;

	if (from == to || to < 0 || to >= FDS || (!netlink_has(from) && !netlink_has(to)))
		return;
	core_lock(&lock);
	n = netlink_has(from) ? sockets[from] : NULL;
	if (n)
		n->refs++;
	set(to, n);
	core_unlock(&lock);
}

static int add(int fd)
{
	struct netlink *n = fd < FDS ? calloc(1, sizeof(*n)) : NULL;

	if (!n)
		return fd < FDS ? ENOMEM : EMFILE;
	n->refs = 1;
	n->end = &n->first;
	netlink_watch_fork();
	core_lock(&lock);
	atomic_store_explicit(&owner, getpid(), memory_order_relaxed);
	set(fd, n);
	core_unlock(&lock);
	return 0;
}

int netlink_socket(int type)
{
	int fd, err;

	core_enter();
	fd = REAL(socket)(AF_NETLINK, type, NETLINK_USERSOCK);
	err = fd < 0 ? errno : add(fd);
	core_leave();
	if (!err)
		return fd;
	close(fd);
	errno = err;
	return -1;
}

/* ---- answers ---- */

static bool port_of(int fd, uint32_t *port)
{
	struct sockaddr_nl a;
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len) || a.nl_family != AF_NETLINK)
		return false;
	*port = a.nl_pid;
	return true;
}

/* Lock held. Our own socket; another one in a child that closed it. */
static bool open_own(uint32_t *port)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };

	if (own_fd >= 0 && port_of(own_fd, port))
		return true;
	own_fd = core_own(REAL(socket)(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				       NETLINK_USERSOCK));
	return own_fd >= 0 && !bind(own_fd, (struct sockaddr *)&any, sizeof(any)) &&
	       port_of(own_fd, port);
}

/* Connects @fd to our socket, so that it receives from no other; its port id is in *@port. */
static bool connect_to_us(int fd, uint32_t *port)
{
	struct sockaddr_nl us = { .nl_family = AF_NETLINK };
	bool ok;

	core_lock(&lock);
	ok = open_own(&us.nl_pid);
	core_unlock(&lock);
	return ok && !connect(fd, (struct sockaddr *)&us, sizeof(us)) && port_of(fd, port);
}

/* Lock held. */
static void deliver(struct netlink *n, uint32_t port)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK, .nl_pid = port };

	while (n->first) {
		struct waiting *w = n->first;

		if (REAL(sendto)(own_fd, w->bytes, w->len, MSG_DONTWAIT | MSG_NOSIGNAL,
				 (struct sockaddr *)&to, sizeof(to)) < 0 &&
		    (errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM))
			return;
		n->first = w->next;
		if (!n->first)
			n->end = &n->first;
		free(w);
	}
}

void netlink_deliver(int fd)
{
	int saved = errno;
	uint32_t port;

	if (!netlink_has(fd))
		return;
	core_enter();
	core_lock(&lock);
	if (netlink_has(fd) && sockets[fd]->first && port_of(fd, &port))
		deliver(sockets[fd], port);
	core_unlock(&lock);
	core_leave();
	errno = saved;
}

/* The list that nldev fills: its head and where it ends. */
struct answers {
	struct waiting *first, **end;
};

static void take(void *to, const void *bytes, size_t len)
{
	struct answers *a = to;
	struct waiting *w = malloc(sizeof(*w) + len);

	if (!w)
		return;
	w->next = NULL;
	w->len = len;
	memcpy(w->bytes, bytes, len);
	*a->end = w;
	a->end = &w->next;
}

static void answer(int fd, uint32_t port, const void *request, size_t len)
{
	struct answers a = { .end = &a.first };
	struct nldev_device d[OPTIONS_FUNCTIONS];
	size_t n = boot_identity(d);

	nldev_request(d, n, port, request, len, take, &a);
	core_lock(&lock);
	if (a.first && netlink_has(fd)) {
		struct netlink *n = sockets[fd];

		*n->end = a.first;
		n->end = a.end;
		a.first = NULL;
		deliver(n, port);
	}
	core_unlock(&lock);
	while (a.first) {
		struct waiting *next = a.first->next;

		free(a.first);
		a.first = next;
	}
}

/* The request in one piece; -errno. */
static ssize_t gather(const struct msghdr *m, uint8_t *to)
{
	size_t len = 0;

	for (size_t i = 0; i < m->msg_iovlen; i++) {
		const struct iovec *part = &m->msg_iov[i];

		if (part->iov_len > REQUEST_MAX - len)
			return -EMSGSIZE;
		if (!core_peek(to + len, (uintptr_t)part->iov_base, part->iov_len))
			return -EFAULT;
		len += part->iov_len;
	}
	return len;
}

static ssize_t send_request(int fd, const struct msghdr *m)
{
	const struct sockaddr_nl *to = m->msg_name;
	uint8_t *request;
	uint32_t port;
	ssize_t len;

	if (to && (m->msg_namelen < sizeof(*to) || to->nl_family != AF_NETLINK))
		len = -EINVAL;
	else if (to && (to->nl_pid || to->nl_groups))
		len = -ECONNREFUSED; /* only the kernel listens there */
	else if (!connect_to_us(fd, &port))
		len = -ENOBUFS;
	else
		len = 0;
	request = len ? NULL : malloc(REQUEST_MAX);
	if (!len)
		len = request ? gather(m, request) : -ENOMEM;
	if (len > 0)
		answer(fd, port, request, len);
	free(request);
	return len;
}

ssize_t netlink_send(int fd, const struct msghdr *m)
{
	ssize_t len;

	core_enter();
	len = send_request(fd, m);
	core_leave();
	if (len >= 0)
		return len;
	errno = -len;
	return -1;
}
