/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ucma: connections by address. Emulates /dev/infiniband/rdma_cm, that is rdma_ucm, rdma_cm
 * and ib_cm of the kernel (ucma.c, cma.c, cm.c). Its only user is librdmacm.
 *
 *	write(fd, request) -> id: bind, resolve, listen, connect …	<- GET_EVENT
 *	                       |                                           ^
 *	                       v                                           | event
 *	                  MAD to QP1 ------- wire -------> MAD ----> id or listener
 *
 * A host is an IP address; several processes can belong to one host, and each has its own CM:
 *
 *	REQ, SIDR_REQ     to all processes of the fabric; the owner of the port answers, and if it has
 *	                  no owner, the owner of the host's name (port.c)
 *	everything else   to one: the slot from which the peer's message came
 *
 * The functions take the device lock, except ucma_mad and ucma_due, the upcalls of hca.
 * Pointers of the application are only accessed by core_peek/core_poke: -EFAULT, no signal. Not
 * implemented: alternate paths, addresses of family AF_IB.
 */
#ifndef EMU_UCMA_H
#define EMU_UCMA_H

#include <sys/socket.h>
#include <sys/types.h>

#include "hca/hca.h"
#include "kernel/kernel.h"
#include "wire/wire.h"

struct ucma;	  /* the CM of this process */
struct ucma_file; /* one open /dev/infiniband/rdma_cm */

/* @ipv4, in host order, is the port's address; @kernel a KERNEL_RELEASE. NULL with errno. */
struct ucma *ucma_probe(struct hca *hca, struct wire *w, uint32_t ipv4, uint16_t kernel);
/* Frees the ids of all files; the peers are notified. @u stays: another thread may be about to
 * close a file of it. NULL is allowed. */
void ucma_remove(struct ucma *u);
/* After ucma_remove(), when no file is open. NULL is allowed. */
void ucma_free(struct ucma *u);

/* *fd is the application's descriptor, which poll() finds readable while events wait. NULL with
 * errno. */
struct ucma_file *ucma_open(struct ucma *u, bool cloexec, int *fd);
/* A request written to the application's @fd of @f; @len or -errno. -ERESTART, of GET_EVENT:
 * there is no event yet, and @fd blocks. Then ucma_wait_event(*seen), and once more with -1 for
 * @fd, as the number may be another file's by then. */
ssize_t ucma_write(struct ucma_file *f, int fd, uint64_t buf, size_t len, uint32_t *seen);
/* Waits until ucma_events_seen() differs from *seen, as the kernel's interruptible sleep: 0 or
 * -EINTR, SA_RESTART applies; a cancellation point. To be called outside of core_enter(). */
int ucma_wait_event(uint32_t seen);
/* Counts events of all files. */
uint32_t ucma_events_seen(void);
/* Destroys the remaining ids; their peers are notified. */
void ucma_release(struct ucma_file *f);

/* An id that has a device, as RDMA netlink reports it. */
struct ucma_resource {
	uint32_t number, qpn, ps; /* qpn 0: not known */
	uint8_t type, state;	  /* enum ib_qp_type, enum rdma_cm_state of the kernel */
	struct sockaddr_storage src, dst;
};

/* All ids, in an array that the caller frees; NULL if there are no ids. */
struct ucma_resource *ucma_resources(struct ucma *u, size_t *n);

/* Upcalls of hca: a MAD arrived for QP1; timers may have expired at @now. Device lock held. */
bool ucma_mad(struct hca *hca, const struct hca_mad *m);
void ucma_due(struct hca *hca, uint64_t now);

#endif
