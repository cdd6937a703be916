/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bursts between processes: datagrams on sockets with abstract names.
 *
 *	socket	"\0dvkit-emu/" and 64 random bits, in hexadecimal
 *	datagram	| key of the receiver 16 | slot of the sender 1 | burst |
 *
 * Such names have no permissions (unix(7)): any process of the machine can see them, send to
 * them, and bind the name of a process that ended. So
 *
 *	- names are random: none can be taken beforehand;
 *	- a datagram without the receiver's key is dropped before it is queued: it uses no space
 *	  there. Keys are in the fabric's file, which other users cannot open;
 *	- a sender connects once to each peer, and checks then that the peer still runs: so the
 *	  socket is the peer's, also if another process binds the name later.
 *
 * Datagrams on AF_UNIX are reliable and ordered, and a full receiver is reported to the sender, so
 * only frames to a free slot are lost.
 */
#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/burst.h"
#include "wire/network.h"

/* Buffer for full queues; the default holds three bursts. */
#define SEND_BUFFER (8 << 20)
#define LAST_MS	    100 /* how long wire_close() waits for full peers */

static_assert(sizeof(struct burst_header) == FABRIC_KEY_BYTES + 1, "no padding in a datagram");

static int new_socket(void)
{
	return core_own(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

static socklen_t address(uint64_t socket, struct sockaddr_un *name)
{
	int len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "dvkit-emu/%016llx",
			   (unsigned long long)socket);

	name->sun_family = AF_UNIX;
	name->sun_path[0] = 0;
	return offsetof(struct sockaddr_un, sun_path) + 1 + len;
}

/* ---- the own socket ---- */

/* The kernel drops datagrams that do not start with the key; a load beyond the end drops too. */
static int require_key(int fd, const uint8_t *key)
{
	struct sock_filter code[10];
	struct sock_fprog prog = { .len = 10, .filter = code };

	for (uint8_t i = 0; i < 4; i++) {
		code[2 * i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4 * i);
		code[2 * i + 1] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, core_be32(key + 4 * i), 0, 7 - 2 * i);
	}
	code[8] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
	code[9] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) ? errno : 0;
}

static int random_bytes(void *to, size_t len)
{
	return getrandom(to, len, 0) == (ssize_t)len ? 0 : errno ? errno : EIO;
}

/* Binds @fd to a name that is free; it is in *@socket. */
static int bind_any(int fd, uint64_t *socket)
{
	struct sockaddr_un name;
	int err;

	do {
		err = random_bytes(socket, sizeof(*socket));
		if (err)
			return err;
	} while (!*socket || (bind(fd, (struct sockaddr *)&name, address(*socket, &name)) &&
			      (err = errno) == EADDRINUSE));
	return err;
}

/* The filter is attached before the name is bound, so that no datagram bypasses it. */
static int take_slot(struct wire *w)
{
	uint64_t socket;
	int err = random_bytes(w->key, sizeof(w->key));

	if (!err)
		err = require_key(w->fd, w->key);
	if (!err)
		err = bind_any(w->fd, &socket);
	if (!err)
		err = fabric_take_slot(&w->fabric, socket, w->key, &w->slot);
	return err;
}

struct wire *wire_open(const char *fabric)
{
	struct wire *w = calloc(1, sizeof(*w));
	int err = ENOMEM;

	if (!w)
		return NULL; /* errno is calloc's */
	w->fd = w->pcap_fd = w->poll_fd = w->fabric.fd = -1;
	for (int i = 0; i < SLOTS; i++)
		w->peers[i].fd = -1;
	w->loop_end = &w->loop;
	w->in = calloc(1, sizeof(*w->in));
	if (!w->in)
		goto close;
	err = fabric_open(&w->fabric, fabric ? fabric : "0");
	if (err)
		goto close;
	w->fd = new_socket();
	err = w->fd < 0 ? errno : take_slot(w);
	if (!err)
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

static void hang_up(struct wire_peer *p)
{
	core_own_close(p->fd);
	p->fd = -1;
}

void wire_abandon(struct wire *w)
{
	for (int slot = 0; slot < SLOTS; slot++)
		hang_up(&w->peers[slot]);
	core_own_close(w->fd);
	core_own_close(w->poll_fd);
	w->fd = w->poll_fd = -1;
	network_close(w->network);
	w->network = NULL;
	fabric_abandon(&w->fabric);
}

/* What was sent last, perhaps an ACK, may wait for a peer that is full; a peer that does not read any more is not
 * waited for long. */
static void send_last(struct wire *w)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	wire_flush(w);
	for (unsigned int i = 0; i < LAST_MS && w->ndirty; i++) {
		nanosleep(&ms, NULL);
		wire_flush(w);
	}
}

void wire_close(struct wire *w)
{
	if (!w)
		return;
	if (w->fabric.fd >= 0)
		send_last(w);
	fabric_close(&w->fabric);
	wire_abandon(w);
	core_own_close(w->pcap_fd);
	for (int slot = 0; slot < SLOTS; slot++)
		free(w->out[slot]);
	fault_close(w);
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

bool wire_alone(const struct wire *w)
{
	return fabric_alone(&w->fabric);
}

struct hca_vhca *wire_vhcas(const struct wire *w)
{
	return w->fabric.vhcas;
}

bool wire_present(const struct wire *w, uint8_t slot)
{
	return slot == w->slot || fabric_has(&w->fabric, slot);
}

int wire_claim(struct wire *w, const char *name)
{
	return -fabric_claim(&w->fabric, name);
}

void wire_disclaim(struct wire *w, const char *name)
{
	fabric_disclaim(&w->fabric, name);
}

bool wire_claimed(const struct wire *w, const char *name)
{
	return fabric_claimed(&w->fabric, name);
}

int wire_fd(const struct wire *w)
{
	return w->poll_fd >= 0 ? w->poll_fd : w->fd;
}

/* ---- peers ---- */

/* More than the administrator's limit where that is allowed, else up to it. SO_RCVBUF has
 * no effect on these sockets (unix(7)). */
static void widen(int fd)
{
	int size = SEND_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/* If a peer ended, another process may have bound its name; its entry is valid until it ends. */
static void call(struct wire *w, uint8_t slot)
{
	struct fabric_entry *e = &w->fabric.entries[slot];
	struct wire_peer *p = &w->peers[slot];
	struct sockaddr_un name;
	int fd = new_socket();

	if (fd < 0)
		return; /* no free descriptor: lost, as in a full switch */
	p->socket = atomic_load_explicit(&e->socket, memory_order_acquire);
	memcpy(p->key, e->key, sizeof(p->key));
	if (!connect(fd, (struct sockaddr *)&name, address(p->socket, &name)) &&
	    fabric_has(&w->fabric, slot) &&
	    atomic_load_explicit(&e->socket, memory_order_acquire) == p->socket) {
		widen(fd);
		p->fd = fd;
		return;
	}
	core_own_close(fd);
}

/* The socket that sends to the process in @slot; NULL: it is free. */
static struct wire_peer *peer_at(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = &w->peers[slot];
	uint64_t now;

	if (!w->fabric.entries)
		return NULL; /* abandoned */
	now = atomic_load_explicit(&w->fabric.entries[slot].socket, memory_order_acquire);
	if (p->socket != now) {
		hang_up(p);
		call(w, slot);
	}
	return p->fd >= 0 ? p : NULL;
}

/* A datagram counts as the sender's until it is received (unix(7), SIOCOUTQ). */
bool wire_unread(const struct wire *w, uint8_t slot)
{
	int fd = w->peers[slot].fd, bytes;

	return fd >= 0 && !ioctl(fd, SIOCOUTQ, &bytes) && bytes > 0;
}

bool socket_send(struct wire *w, uint8_t slot, const struct burst *b)
{
	struct wire_peer *p = peer_at(w, slot);
	struct burst_header head = { .from = w->slot };
	struct iovec parts[2] = { { &head, sizeof(head) }, { (void *)b->bytes, b->len } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t sent;

	if (!p)
		return true;
	memcpy(head.key, p->key, sizeof(head.key));
	do
		sent = sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return true;
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM)
		return false;
	hang_up(p); /* it ended (ECONNREFUSED, ENOTCONN); the burst is lost */
	return true;
}

bool socket_receive(struct wire *w, struct burst *b)
{
	struct burst_header head;
	struct iovec parts[2] = { { &head, sizeof(head) }, { b->bytes, BURST_BYTES } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t len;

	b->len = b->pos = 0;
	for (;;) {
		len = recvmsg(w->fd, &m, MSG_DONTWAIT | MSG_TRUNC);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return false;
		if (len < (ssize_t)sizeof(head) || m.msg_flags & MSG_TRUNC || !head.from ||
		    memcmp(head.key, w->key, sizeof(head.key)))
			continue;
		b->from = head.from;
		b->len = len - sizeof(head);
		return true;
	}
}
