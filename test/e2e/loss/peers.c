/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/connect.h"
#include "lib/device.h"
#include "peers.h"

#define TIMEOUT	       10 /* 4.096 us * 2^10 */
#define TIMEOUT_BY_TCP 15 /* 134 ms */
#define RIGHTS                                                                       \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

unsigned int nqps = 64;
static uint8_t timeout = TIMEOUT;

void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static struct addrinfo *resolve(const char *address, const char *port)
{
	const struct addrinfo hints = { .ai_flags = address ? 0 : AI_PASSIVE,
					.ai_family = AF_INET,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *info;
	int status = getaddrinfo(address, port, &hints, &info);

	if (status)
		fail("port %s: %s", port, gai_strerror(status));
	timeout = TIMEOUT_BY_TCP;
	return info;
}

int peer_accept(const char *port)
{
	struct addrinfo *info = resolve(NULL, port);
	int on = 1, fd, listener = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, info->ai_addr, info->ai_addrlen) || listen(listener, 1) ||
	    (fd = accept(listener, NULL, NULL)) < 0)
		fail("port %s: %s", port, strerror(errno));
	freeaddrinfo(info);
	close(listener);
	return fd;
}

int peer_call(const char *address, const char *port)
{
	struct addrinfo *info = resolve(address, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, info->ai_addr, info->ai_addrlen))
		fail("%s, port %s: %s", address, port, strerror(errno));
	freeaddrinfo(info);
	return fd;
}

void peer_open(struct peer *e, void *memory, size_t len, unsigned int sends,
	       unsigned int receives)
{
	struct ibv_device *device = device_find();
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = sends,
						  .max_recv_wr = receives,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };

	e->ctx = device ? ibv_open_device(device) : NULL;
	if (!e->ctx)
		fail("no mlx5 device");
	e->pd = ibv_alloc_pd(e->ctx);
	e->cq = ibv_create_cq(e->ctx, (sends + receives) * nqps, NULL, NULL, 0);
	e->mr = ibv_reg_mr(e->pd, memory, len, RIGHTS);
	if (!e->pd || !e->cq || !e->mr || ibv_query_port(e->ctx, 1, &e->port))
		fail("PD, CQ, MR or port: %s", strerror(errno));
	e->gid_index = device_gid_index(e->ctx, &e->port);
	init.send_cq = init.recv_cq = e->cq;
	for (unsigned int i = 0; i < nqps; i++) {
		e->qp[i] = ibv_create_qp(e->pd, &init);
		if (!e->qp[i])
			fail("QP %u: %s", i, strerror(errno));
	}
}

void peer_read(const struct peer *e, void *bytes, size_t len)
{
	for (uint8_t *at = bytes; len;) {
		ssize_t n = read(e->fd, at, len);

		if (n <= 0)
			fail("the other process ended");
		at += n;
		len -= n;
	}
}

void peer_write(const struct peer *e, const void *bytes, size_t len)
{
	if (send(e->fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len)
		fail("the other process ended");
}

void peer_greet(struct peer *e)
{
	struct greeting own = { .lid = e->port.lid,
				.addr = (uintptr_t)e->mr->addr,
				.rkey = e->mr->rkey };

	if (ibv_query_gid(e->ctx, 1, e->gid_index, &own.gid))
		fail("GID");
	for (unsigned int i = 0; i < nqps; i++)
		own.qpn[i] = e->qp[i]->qp_num;
	peer_write(e, &own, sizeof(own));
	peer_read(e, &e->peer, sizeof(e->peer));
}

void peer_connect(const struct peer *e, unsigned int i)
{
	struct ibv_qp_attr a = {
		.qp_access_flags = RIGHTS,
		.path_mtu = e->port.active_mtu,
		.dest_qp_num = e->peer.qpn[i],
		.rq_psn = 0xfffff0 + i, /* it wraps soon */
		.sq_psn = 0xfffff0 + i,
		.max_dest_rd_atomic = 8,
		.max_rd_atomic = 8,
		.min_rnr_timer = 20, /* 10 ms: waiting requests do not occupy the processors */
		.timeout = timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = path_to(e->peer.gid, e->gid_index),
	};

	a.ah_attr.dlid = e->peer.lid;
	if (connect_qp(e->qp[i], &a))
		fail("QP %u to RTS", i);
}

bool peer_poll(const struct peer *e, struct ibv_wc *wc)
{
	int n = ibv_poll_cq(e->cq, 1, wc);

	if (n < 0)
		fail("ibv_poll_cq");
	if (!n)
		sched_yield();
	return n;
}

unsigned int peer_qp(const struct peer *e, uint32_t qpn)
{
	for (unsigned int i = 0; i < nqps; i++)
		if (e->qp[i]->qp_num == qpn)
			return i;
	fail("a completion of QP 0x%x, which this process does not have", qpn);
}
