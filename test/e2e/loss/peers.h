/* SPDX-License-Identifier: BSD-2-Clause */
/* One of two processes whose RC QPs are connected, number i here to number i there. */
#ifndef TEST_LOSS_PEERS_H
#define TEST_LOSS_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#define QPS_MAX 256

/* First message of each process to the other, through a socket. */
struct greeting {
	union ibv_gid gid;
	uint16_t lid;
	uint32_t qpn[QPS_MAX];
	uint64_t addr;
	uint32_t rkey;
};

struct peer {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp[QPS_MAX];
	struct ibv_port_attr port;
	uint8_t gid_index;
	struct greeting peer;
	int fd;
};

extern unsigned int nqps;

/* Ends the process with a line on standard error. */
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *fmt, ...);

/* The connected socket of the two processes, by TCP. The network is another host's then: its
 * timers are those of a slow one. */
int peer_accept(const char *port);
int peer_call(const char *address, const char *port);
/* Makes PD, CQ, MR of @memory and QPs, which are in RESET. */
void peer_open(struct peer *e, void *memory, size_t len, unsigned int sends,
	       unsigned int receives);
/* Exchanges greetings over e->fd, after which e->peer is that of the other process. */
void peer_greet(struct peer *e);
/* Moves QP @i to RTS. */
void peer_connect(const struct peer *e, unsigned int i);
/* All @len bytes of the other process, or to it. */
void peer_read(const struct peer *e, void *bytes, size_t len);
void peer_write(const struct peer *e, const void *bytes, size_t len);
/* False: there is no completion, and another process could run. */
bool peer_poll(const struct peer *e, struct ibv_wc *wc);
unsigned int peer_qp(const struct peer *e, uint32_t qpn);

#endif
