/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slot is a datagram socket with an abstract name (unix(7)):
 *
 *	\0 dvkit-emu / UID / FABRIC / SLOT          SLOT 1 … 255, decimal
 *
 * The kernel gives a name to one socket at a time and takes it back when the socket is gone,
 * whatever way its process ended: binding is how a slot is claimed, lowest first, and there
 * is nothing to clean up. The name of the sender tells its slot. Who may send is not
 * checked, as on a network; what does not parse is dropped.
 *
 * Datagrams on AF_UNIX are reliable and ordered, and a full receiver is reported to the
 * sender, so nothing is lost on this way but what was sent to a slot that nobody holds. All
 * peers share one send buffer: where the administrator keeps it small (net.core.wmem_max),
 * a peer that was stopped with its queue full can hold up the others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/burst.h"

/* Room for full queues at several peers; the default holds three bursts. */
#define SEND_BUFFER (8 << 20)

static socklen_t address(const struct wire *w, uint8_t slot, struct sockaddr_un *name)
{
	size_t len = w->prefix_len;

	name->sun_family = AF_UNIX;
	memcpy(name->sun_path, w->prefix, len);
	len += snprintf(name->sun_path + len, sizeof(name->sun_path) - len, "%u", slot);
	return offsetof(struct sockaddr_un, sun_path) + len;
}

/* The slot that @name of @len bytes stands for; 0: not of this fabric. */
static uint8_t slot_of(const struct wire *w, const struct sockaddr_un *name, socklen_t len)
{
	const char *digits = name->sun_path + w->prefix_len;
	size_t head = offsetof(struct sockaddr_un, sun_path) + w->prefix_len;
	unsigned int slot = 0;

	if (len <= head || len > head + 3 || name->sun_path[0] ||
	    memcmp(name->sun_path, w->prefix, w->prefix_len) || *digits == '0')
		return 0;
	for (size_t i = 0; i < len - head; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return 0;
		slot = slot * 10 + digits[i] - '0';
	}
	return slot < SLOTS ? slot : 0;
}

static int bind_lowest(struct wire *w)
{
	struct sockaddr_un name;

	for (unsigned int slot = 1; slot < SLOTS; slot++) {
		socklen_t len = address(w, slot, &name);

		if (!bind(w->fd, (struct sockaddr *)&name, len)) {
			w->slot = slot;
			return 0;
		}
		if (errno != EADDRINUSE)
			return errno;
	}
	return ENOSPC;
}

static int name_fabric(struct wire *w, const char *fabric)
{
	/* 3 digits of slot have to fit behind. */
	size_t room = sizeof(w->prefix) - 1;
	int len = snprintf(w->prefix + 1, room, "dvkit-emu/%u/%s/", (unsigned int)getuid(),
			   fabric ? fabric : "0");

	if (len < 0 || (size_t)len >= room)
		return ENAMETOOLONG;
	w->prefix_len = len + 1;
	return 0;
}

/* More than the administrator's limit where that is allowed, else up to it. SO_RCVBUF has
 * no effect on these sockets (unix(7)). */
static void widen(int fd)
{
	int size = SEND_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

struct wire *wire_open(const char *fabric)
{
	struct wire *w = calloc(1, sizeof(*w));
	int err = ENOMEM;

	if (!w)
		return NULL; /* errno is calloc's */
	w->fd = w->pcap_fd = -1;
	w->loop_end = &w->loop;
	w->in = calloc(1, sizeof(*w->in));
	if (!w->in)
		goto close;
	err = name_fabric(w, fabric);
	if (err)
		goto close;
	w->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	err = w->fd < 0 ? errno : bind_lowest(w);
	if (err)
		goto close;
	widen(w->fd);
	return w;
close:
	wire_close(w);
	errno = err;
	return NULL;
}

static void free_list(struct burst *b)
{
	while (b) {
		struct burst *next = b->next;

		free(b);
		b = next;
	}
}

void wire_close(struct wire *w)
{
	if (!w)
		return;
	wire_flush(w); /* a last acknowledge may be in there */
	if (w->fd >= 0)
		close(w->fd);
	if (w->pcap_fd >= 0)
		close(w->pcap_fd);
	for (int slot = 0; slot < SLOTS; slot++)
		free(w->out[slot]);
	free_list(w->loop);
	free_list(w->spare);
	free(w->own);
	free(w->in);
	free(w);
}

uint8_t wire_slot(const struct wire *w)
{
	return w->slot;
}

/* Of a datagram socket connect() sends nothing; it fails where the name is nobody's. */
bool wire_alone(const struct wire *w)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un name;
	bool alone = fd >= 0;

	for (unsigned int slot = 1; slot < SLOTS && alone; slot++) {
		socklen_t len = address(w, slot, &name);

		alone = slot == w->slot || connect(fd, (struct sockaddr *)&name, len);
	}
	if (fd >= 0)
		close(fd);
	return alone;
}

/* ---- names: sockets that nobody sends to ---- */

static socklen_t named(const struct wire *w, const char *text, struct sockaddr_un *name)
{
	size_t len = w->prefix_len, more = strlen(text);

	if (len + more > sizeof(name->sun_path))
		return 0;
	name->sun_family = AF_UNIX;
	memcpy(name->sun_path, w->prefix, len);
	memcpy(name->sun_path + len, text, more);
	return offsetof(struct sockaddr_un, sun_path) + len + more;
}

int wire_claim(const struct wire *w, const char *text)
{
	struct sockaddr_un name;
	socklen_t len = named(w, text, &name);
	int fd, err;

	if (!len)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&name, len))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

/* As wire_alone() does it. Only ECONNREFUSED says that nobody is there: a process without a
 * descriptor to spare knows nothing. */
static bool held(const struct sockaddr_un *name, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool yes = len && (fd < 0 || !connect(fd, (const struct sockaddr *)name, len) ||
			   errno != ECONNREFUSED);

	if (fd >= 0)
		close(fd);
	return yes;
}

bool wire_claimed(const struct wire *w, const char *text)
{
	struct sockaddr_un name;

	return held(&name, named(w, text, &name));
}

bool wire_present(const struct wire *w, uint8_t slot)
{
	struct sockaddr_un name;

	return held(&name, address(w, slot, &name));
}

int wire_fd(const struct wire *w)
{
	return w->fd;
}

bool socket_send(struct wire *w, uint8_t slot, const struct burst *b)
{
	struct sockaddr_un name;
	socklen_t len = address(w, slot, &name);
	ssize_t sent;

	do
		sent = sendto(w->fd, b->bytes, b->len, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (struct sockaddr *)&name, len);
	while (sent < 0 && errno == EINTR);
	/* Any other error (ECONNREFUSED: nobody holds the slot) loses the burst. */
	return sent >= 0 ||
	       (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS && errno != ENOMEM);
}

bool socket_receive(struct wire *w, struct burst *b)
{
	struct sockaddr_un name;
	socklen_t name_len;
	ssize_t len;

	b->len = b->pos = 0;
	for (;;) {
		name_len = sizeof(name);
		len = recvfrom(w->fd, b->bytes, BURST_BYTES, MSG_DONTWAIT | MSG_TRUNC,
			       (struct sockaddr *)&name, &name_len);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return false;
		b->from = slot_of(w, &name, name_len);
		if (!b->from || len > BURST_BYTES)
			continue;
		b->len = len;
		return true;
	}
}
