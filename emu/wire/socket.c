/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sockets of the processes on a fabric. Their datagrams hand over rings, and wake those who
 * sleep; frames are in the rings.
 *
 *	socket	"\0dvkit-emu/" and 64 random bits, in hexadecimal
 *	datagram	| key of the receiver 16 | slot of the sender 1 |, perhaps with the memfd of a ring
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
 * An engine that is awake does not call the kernel to find out that there is no datagram: the
 * sender of one that brings something new sets the receiver's flag in the fabric's file (mail).
 *
 * No other process has the memory of a ring: it has no name, and lasts as long as one of the
 * two maps it. Frames that a process sent before it ended are still read, and frames to one
 * that ended are lost.
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

#include "wire/inside.h"
#include "wire/network.h"

#define LAST_MS	  100	  /* how long wire_close() waits for full peers */
#define OFFER_NS  1000000 /* then a ring that was not attached is offered again */
#define DATAGRAMS 8	  /* in one system call */

static_assert(sizeof(struct datagram) == FABRIC_KEY_BYTES + 1, "no padding in a datagram");

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

/* The kernel drops datagrams that do not start with the key; a load beyond the end drops
 * too. */
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
	int err;

	if (!w)
		return NULL; /* errno is calloc's */
	w->fd = w->pcap_fd = w->poll_fd = w->fabric.fd = -1;
	for (int i = 0; i < SLOTS; i++)
		w->peers[i].fd = w->peers[i].memory = -1;
	err = fabric_open(&w->fabric, fabric ? fabric : "0");
	if (!err)
		err = (w->fd = new_socket()) < 0 ? errno : take_slot(w);
	if (!err)
		err = inbox_open(w);
	if (!err)
		return w;
	wire_close(w);
	errno = err;
	return NULL;
}

static void drop_memory(struct wire_peer *p)
{
	core_own_close(p->memory);
	p->memory = -1;
}

static void hang_up(struct wire_peer *p)
{
	core_own_close(p->fd);
	p->fd = -1;
	drop_memory(p);
	ring_unmap(&p->ring);
	p->offered_ns = 0;
	p->used = p->resident = false;
}

void wire_abandon(struct wire *w)
{
	for (int slot = 0; slot < SLOTS; slot++)
		hang_up(&w->peers[slot]);
	inbox_close(w);
	core_own_close(w->fd);
	core_own_close(w->poll_fd);
	w->fd = w->poll_fd = -1;
	network_close(w->network);
	w->network = NULL;
	fabric_abandon(&w->fabric);
}

/* The last frames, perhaps an ACK, may be in a ring that its receiver does not know yet; a
 * receiver whose socket is full is not waited for long. */
static void send_last(struct wire *w)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	wire_flush(w);
	for (unsigned int i = 0; i < LAST_MS && w->dirty.n; i++) {
		nanosleep(&ms, NULL);
		wire_flush(w);
	}
	for (int slot = 0; slot < SLOTS; slot++)
		if (w->peers[slot].ring.memory)
			atomic_store(&w->peers[slot].ring.memory->closed, 1);
}

void wire_close(struct wire *w)
{
	if (!w)
		return;
	if (w->fabric.entries) {
		send_last(w);
		inbox_leave(w);
	}
	fabric_close(&w->fabric);
	wire_abandon(w);
	core_own_close(w->pcap_fd);
	fault_close(w);
	free(w->burst);
	free(w);
}

uint8_t wire_slot(const struct wire *w)
{
	return w->slot;
}

bool wire_alone(const struct wire *w)
{
	return !fabric_has_from(&w->fabric, 1);
}

bool wire_has_more_than(const struct wire *w, unsigned int n)
{
	return w->slot > n || fabric_has_from(&w->fabric, n + 1);
}

struct hca_vhca *wire_vhcas(const struct wire *w)
{
	return w->fabric.vhcas;
}

struct hca_adapter *wire_adapters(const struct wire *w)
{
	return w->fabric.adapters;
}

static bool is_present(const struct wire *w, uint8_t slot)
{
	return slot == w->slot || fabric_has(&w->fabric, slot);
}

bool wire_present(const struct wire *w, uint8_t slot)
{
	return is_present(w, slot);
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

/* If a peer ended, another process may have bound its name; its entry is valid until it
 * ends. */
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
	if (p->socket && !connect(fd, (struct sockaddr *)&name, address(p->socket, &name)) &&
	    is_present(w, slot) &&
	    atomic_load_explicit(&e->socket, memory_order_acquire) == p->socket) {
		p->fd = fd;
		return;
	}
	core_own_close(fd);
}

/* The process in @slot may be another one than before. */
static bool is_same(const struct wire *w, uint8_t slot)
{
	return w->peers[slot].socket ==
	       atomic_load_explicit(&w->fabric.entries[slot].socket, memory_order_acquire);
}

/* The socket that sends to the process in @slot; NULL: it is free. */
static struct wire_peer *peer_at(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = &w->peers[slot];

	if (!w->fabric.entries)
		return NULL; /* abandoned */
	if (!is_same(w, slot)) {
		hang_up(p);
		call(w, slot);
	}
	return p->fd >= 0 ? p : NULL;
}

struct ring *socket_ring(struct wire *w, uint8_t slot)
{
	struct wire_peer *p;

	if (slot == w->slot)
		return w->own.ring.memory ? &w->own.ring : NULL;
	p = peer_at(w, slot);
	if (!p)
		return NULL;
	if (p->ring.memory)
		return &p->ring;
	p->memory = ring_create(&p->ring);
	return p->memory < 0 ? NULL : &p->ring;
}

/* True if the peer has it; false if it can be sent later. A peer that ended has it, too. */
static bool send_datagram(struct wire *w, struct wire_peer *p, int memory)
{
	struct datagram d = { .from = w->slot };
	struct iovec part = { &d, sizeof(d) };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
			     .cmsg_level = SOL_SOCKET,
			     .cmsg_type = SCM_RIGHTS } };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	memcpy(d.key, p->key, sizeof(d.key));
	if (memory >= 0) {
		memcpy(CMSG_DATA(&with.head), &memory, sizeof(memory));
		m.msg_control = &with;
		m.msg_controllen = sizeof(with.bytes);
	}
	do
		sent = sendmsg(p->fd, &m, 0);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return true;
	if (errno != ECONNREFUSED && errno != ENOTCONN && errno != EPIPE)
		return false; /* full, or too many descriptors are on their way */
	hang_up(p);	      /* it ended; its frames are lost */
	return true;
}

/* The receiver looks at its socket, although it is awake. */
static void set_mail(struct wire *w, uint8_t slot)
{
	atomic_store(&w->fabric.mail[slot], 1);
}

/* Hands the ring over. The descriptor is kept until the peer has attached it: a process that
 * has no free one does not receive it. */
static bool offer(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = &w->peers[slot];
	uint64_t now;
	int unread;

	if (atomic_load(&p->ring.memory->attached)) {
		drop_memory(p);
		return true;
	}
	now = core_now_ns();
	if (p->offered_ns &&
	    (now - p->offered_ns < OFFER_NS || ioctl(p->fd, SIOCOUTQ, &unread) || unread))
		return true;
	if (!send_datagram(w, p, p->memory))
		return false;
	p->offered_ns = p->fd < 0 ? 0 : now;
	set_mail(w, slot);
	return true;
}

void socket_wake(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = peer_at(w, slot);

	/* If the queue is full, the peer wakes anyway. */
	if (p)
		send_datagram(w, p, -1);
}

bool socket_flush(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = &w->peers[slot];
	struct ring *r = slot == w->slot ? &w->own.ring : &p->ring;
	enum ring_reader reader;

	if (!r->memory)
		return false;
	if (slot != w->slot && (!is_same(w, slot) || atomic_load(&r->memory->abandoned))) {
		hang_up(p);
		return false;
	}
	p->used = p->resident = true;
	w->top = slot > w->top ? slot : w->top;
	reader = ring_publish(r);
	if (reader != RING_AWAKE)
		socket_wake(w, slot);
	if (reader == RING_PARKED)
		set_mail(w, slot);
	return p->memory >= 0 && !offer(w, slot);
}

bool socket_is_dead(struct wire *w, uint8_t slot)
{
	struct wire_peer *p = &w->peers[slot];

	if (!p->ring.memory || slot == w->slot)
		return false;
	if (!atomic_load(&p->ring.memory->abandoned) && is_same(w, slot) && is_present(w, slot))
		return false;
	hang_up(p);
	return true;
}

bool wire_unread(const struct wire *w, uint8_t slot)
{
	const struct wire_peer *p = &w->peers[slot];

	return p->ring.memory && !ring_is_read(&p->ring) && is_same(w, slot) &&
	       is_present(w, slot);
}

/* ---- receiving ---- */

struct arrival {
	struct datagram datagram;
	struct iovec part;
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} with;
};

/* The descriptor that came with a datagram; -1: none. */
static int memory_of(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return core_own(fd);
}

static void take_datagram(struct wire *w, const struct arrival *a, struct mmsghdr *m)
{
	int memory = memory_of(&m->msg_hdr);

	if (memory >= 0 && m->msg_len == sizeof(a->datagram) &&
	    !(m->msg_hdr.msg_flags & MSG_TRUNC) && a->datagram.from &&
	    a->datagram.from != w->slot && !memcmp(a->datagram.key, w->key, sizeof(w->key)))
		inbox_attach(w, a->datagram.from, memory);
	core_own_close(memory);
}

void socket_look(struct wire *w)
{
	struct arrival a[DATAGRAMS];
	struct mmsghdr m[DATAGRAMS];
	int got;

	do {
		for (int i = 0; i < DATAGRAMS; i++) {
			a[i].part = (struct iovec){ &a[i].datagram, sizeof(a[i].datagram) };
			m[i].msg_hdr =
				(struct msghdr){ .msg_iov = &a[i].part,
						 .msg_iovlen = 1,
						 .msg_control = &a[i].with,
						 .msg_controllen = CMSG_LEN(sizeof(int)) };
		}
		do
			got = recvmmsg(w->fd, m, DATAGRAMS, MSG_DONTWAIT | MSG_CMSG_CLOEXEC,
				       NULL);
		while (got < 0 && errno == EINTR);
		for (int i = 0; i < got; i++)
			take_datagram(w, &a[i], &m[i]);
	} while (got == DATAGRAMS);
}
