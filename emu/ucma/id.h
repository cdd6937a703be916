/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of ucma: the CM, its open files, its ids and pending events.
 *
 *	ucma (host name, ports in use, connection numbers)
 *	  |- ucma_file (one open: a pipe with a byte per waiting event)
 *	  |    |- ucma_id: state of rdma_cm, state of ib_cm, the last message and its timer
 *	  |    '- ucma_event: what GET_EVENT returns next
 *	  '- ucma_port: a port number of a port space, and the ids that are bound to it
 *
 *	write.c    requests, one row each      address.c  addresses: bind, resolve, queries
 *	event.c    files and events            qp_attr.c  INIT_QP_ATTR
 *	id.c       ids, options                port.c     owners of ports, in this process and others
 *	connect.c  REQ, REP, RTU, REJ          close.c    DREQ, DREP, timewait, the end of an id
 *	sidr.c     SIDR_REQ, SIDR_REP          arrive.c   received messages, and their ids
 *	send.c     sent messages, timers           multicast.c  groups
 *
 * The device lock guards all of it.
 */
#ifndef EMU_UCMA_ID_H
#define EMU_UCMA_ID_H

#include <errno.h>
#include <string.h>

#include <rdma/rdma_user_cm.h>

#include "ucma/mad.h"
#include "ucma/ucma.h"

/* librdmacm, rdma_cma.h: enum rdma_cm_event_type */
enum ucma_event_type {
	UCMA_ADDR_RESOLVED = 0,
	UCMA_ROUTE_RESOLVED = 2,
	UCMA_CONNECT_REQUEST = 4,
	UCMA_CONNECT_RESPONSE = 5,
	UCMA_UNREACHABLE = 7,
	UCMA_REJECTED = 8,
	UCMA_ESTABLISHED = 9,
	UCMA_DISCONNECTED = 10,
	UCMA_MULTICAST_JOIN = 12,
	UCMA_MULTICAST_ERROR = 13,
	UCMA_TIMEWAIT_EXIT = 15,
};

/* kernel, cma_priv.h: enum rdma_cm_state, without the states between a query and its result. */
enum ucma_state {
	UCMA_IDLE,
	UCMA_ADDR_BOUND,
	UCMA_ADDR_KNOWN,
	UCMA_ROUTE_KNOWN,
	UCMA_LISTEN,
	UCMA_CONNECT,
	UCMA_DISCONNECT,
};

/* InfiniBand specification, chapter 12, "Communication establishment": states of one end. MRAs
 * only prolong a wait and need no states. */
enum cm_state {
	CM_IDLE,
	CM_REQ_SENT,
	CM_REQ_RCVD,
	CM_REP_SENT,
	CM_REP_RCVD,
	CM_ESTABLISHED,
	CM_DREQ_SENT,
	CM_DREQ_RCVD,
	CM_TIMEWAIT,
	CM_SIDR_REQ_SENT,
	CM_SIDR_REQ_RCVD,
};

/* An IP address in the form of a GID: IPv4 as ::ffff:a.b.c.d. */
struct ucma_addr {
	uint16_t family; /* AF_INET, AF_INET6; 0: none */
	uint16_t port;	 /* host order */
	uint8_t ip[16];
};

struct ucma_port {
	struct core_list on_ucma;
	struct core_list ids; /* ucma_id.on_port */
	uint32_t asked;	      /* ucma_id.asked */
	uint16_t ps, number;  /* this process owns their name on the fabric */
	bool any;	      /* and that of all addresses */
};

/* ib_sa path record, as far as RoCE has one. */
struct ucma_path {
	uint8_t sgid[16], dgid[16];
	uint8_t sgid_index, tclass, hop_limit, life; /* life: 4.096 us << life */
	uint32_t flow_label;
};

/* A message that may have to be sent again. */
struct ucma_sent {
	uint8_t mad[MAD_BYTES];
	uint64_t at; /* ns: when to send it again or give up; 0: never */
	uint64_t wait;
	uint32_t retries; /* left */
};

struct ucma_id {
	uint32_t id;
	uint64_t uid; /* the application's name for it; 0: not known to the application yet */
	struct ucma_file *file;
	struct core_list on_file, on_ucma;
	struct core_list on_port;
	struct ucma_port *port;
	struct ucma_port *asked; /* the port of its request, until that is answered */
	uint32_t reported;	 /* events returned */

	uint16_t ps;
	bool ud;
	enum ucma_state state;
	struct ucma_addr src, dst;
	bool has_device; /* bound to the adapter, that of its source address */
	bool reuseaddr, afonly, tos_set, timeout_set;
	uint8_t tos, timeout;
	uint32_t backlog; /* LISTEN: requests that may still come */
	struct ucma_path path;

	enum cm_state cm;
	uint32_t local_id, remote_id; /* communication ids, 0: none */
	uint8_t slot; /* of the peer, that its messages come from; 0: all of the host, the network */
	uint64_t tid, remote_guid;
	uint32_t seq_num; /* PSN that the peer shall begin with */
	uint32_t qpn, qkey, remote_qpn, sq_psn;
	uint8_t mtu, responder_resources, initiator_depth, retry_count, rnr_retry_count;
	uint8_t ack_timeout; /* of the QP: 4.096 us << ack_timeout */
	bool srq, watched;   /* watched: its peer's slot is checked from time to time */
	struct ucma_sent sent;
	uint8_t dmac[6];
	struct core_list memberships; /* ucma_membership.on_id */
};

/* Membership of an id in a multicast group. */
struct ucma_membership {
	struct core_list on_id;
	struct ucma_id *id;
	uint64_t uid;
	uint32_t number;   /* the application leaves by it; not one of ids */
	uint32_t reported; /* events returned */
	uint8_t mgid[16];
};

struct ucma_event {
	struct core_list on_file;
	struct ucma_id *id;   /* the id that counts the event */
	struct ucma_id *conn; /* CONNECT_REQUEST: the new connection; else NULL */
	struct ucma_membership
		*membership; /* it is about this one, and counts for it, too; or NULL */
	struct rdma_ucm_event_resp resp;
};

struct ucma_file {
	struct ucma *u;
	struct core_list on_ucma;
	struct core_list ids, events;
	uint32_t waiting, bytes; /* events in the list, bytes in the pipe */
	int read_fd, write_fd;	 /* ours; the application reads the same pipe */
	dev_t dev; /* device and inode identify the pipe under any descriptor number */
	ino_t ino;
};

/* A refusal that arrived, until the messages sent before it have arrived, too. */
struct ucma_refusal {
	struct core_list on_ucma;
	uint64_t drained; /* wire_drained() when it arrived */
	uint8_t mad[MAD_BYTES];
};

struct ucma {
	struct hca *hca;
	struct wire *w;
	uint32_t ipv4;
	uint16_t kernel;			/* KERNEL_RELEASE */
	struct core_list on_probed, files, all; /* all: ucma_id.on_ucma */
	struct core_list ports;
	struct core_list refusals;  /* oldest first */
	struct core_ids ids, conns; /* conns: by communication id */
	struct core_ids memberships;
	bool host;	    /* this process owns the host's name */
	uint64_t next_due;  /* ns: the earliest ucma_sent.at; UINT64_MAX: none */
	uint64_t next_look; /* ns: when to check the peers' slots; 0: no peers */
	uint64_t tid, chance;
	uint32_t psn;
};

/* ---- write.c ---- */

/* A request: its header, and the file that it was written to. */
struct ucma_call {
	struct ucma_file *file;
	uint64_t in; /* address of what follows the header */
	uint16_t in_len, out_len;
	int fd; /* the application's descriptor; -1: of a request that has waited */
	uint32_t *seen;
	/* of a row with an id in write.c: the structure of the request, and its id */
	const void *cmd;
	struct ucma_id *id;
};

/* Reads @len bytes of the request: 0, -EFAULT. */
int ucma_get(const struct ucma_call *c, void *dst, size_t len);
int ucma_put(uint64_t va, const void *src, size_t len);
/* The id @number of the caller's file: -ENOENT, or -EINVAL if it is another file's. */
int ucma_find(const struct ucma_call *c, uint32_t number, struct ucma_id **id);

/* One row each in the table of write.c. 0 or -errno. */
int ucma_create_id(struct ucma_call *c);
int ucma_destroy_id(struct ucma_call *c);
int ucma_set_option(struct ucma_call *c);
int ucma_migrate_id(struct ucma_call *c);
int ucma_bind_ip(struct ucma_call *c);
int ucma_bind(struct ucma_call *c);
int ucma_resolve_ip(struct ucma_call *c);
int ucma_resolve_addr(struct ucma_call *c);
int ucma_resolve_route(struct ucma_call *c);
int ucma_query_route(struct ucma_call *c);
int ucma_listen(struct ucma_call *c);
int ucma_connect(struct ucma_call *c);
int ucma_accept(struct ucma_call *c);
int ucma_reject(struct ucma_call *c);
int ucma_disconnect(struct ucma_call *c);
int ucma_init_qp_attr(struct ucma_call *c);
int ucma_notify(struct ucma_call *c);
int ucma_join_ip_mcast(struct ucma_call *c);
int ucma_join_mcast(struct ucma_call *c);
int ucma_leave_mcast(struct ucma_call *c);

/* ---- event.c ---- */

/* Copies the next event of @f to @va and removes it; -EAGAIN: there is none. */
int ucma_get_event(struct ucma_file *f, uint64_t va, size_t len);
/* An empty event of @id; NULL: out of memory, or the event would not be reported. */
struct ucma_event *ucma_event_new(struct ucma_id *id, enum ucma_event_type type, int status);
void ucma_event_conn(struct ucma_event *e, const uint8_t *private_data, size_t len);
void ucma_event_post(struct ucma_event *e);
/* Drops all pending events of @id; connection requests among them are refused. */
void ucma_events_drop(struct ucma_id *id);
/* Drops the pending events of @m. */
void ucma_events_forget(struct ucma_membership *m);
/* Moves the events of @id to its new file. */
void ucma_events_move(struct ucma_id *id, struct ucma_file *to);
struct ucma_file *ucma_file_find(struct ucma *u, int fd);

/* ---- id.c ---- */

struct ucma_id *ucma_id_new(struct ucma_file *f, uint16_t ps, bool ud);
/* Notifies the peer, frees everything; returns how many events the application was given. */
uint32_t ucma_id_free(struct ucma_id *id);
void ucma_enter(struct ucma_id *id, enum cm_state state);

/* ---- port.c ---- */

/* Binds @id to port id->src.port of its port space, 0: any; -EADDRINUSE, -EADDRNOTAVAIL. */
int ucma_port_take(struct ucma_id *id);
/* May @id be the only one that listens there? */
int ucma_port_listen(struct ucma_id *id);
void ucma_port_drop(struct ucma_id *id);
/* The name of @p is kept until request @id, which arrived at @p, is answered; NULL: it is. */
void ucma_port_asked(struct ucma_id *id, struct ucma_port *p);
/* Releases the host's name. */
void ucma_host_leave(struct ucma *u);
/* The listener for @service at @dst. NULL, and *mine: this process refuses for the host. */
struct ucma_id *ucma_port_listener(struct ucma *u, uint64_t service,
				   const struct ucma_addr *dst, bool *mine);
static inline uint64_t ucma_service(const struct ucma_id *id, uint16_t port)
{
	/* kernel, cma.c, rdma_get_service_id; InfiniBand specification, annex A11 */
	return (uint64_t)id->ps << 16 | port;
}

/* ---- address.c ---- */

/* Bytes of a socket address; 0: of no family that the kernel's CM knows. */
size_t ucma_addr_size(uint16_t family);
/* Index of @gid as RoCE v2 in the port's table; -1: not the port's. */
int ucma_gid_index(const struct ucma *u, const uint8_t gid[16]);
bool ucma_addr_is_any(const struct ucma_addr *a);
/* MAC of @gid on this fabric; false: no route. */
bool ucma_mac(const uint8_t gid[16], uint8_t mac[6]);
/* Is its peer on another host of the network? */
bool ucma_is_remote(const struct ucma_id *id);
void ucma_route_fill(struct ucma_id *id);
int ucma_bind_any(struct ucma_id *id);
/* Writes and reads the header before private data; false: not of this format. */
void cma_header_put(uint8_t *data, const struct ucma_id *id);
bool cma_header_get(const uint8_t *data, struct ucma_addr *src, struct ucma_addr *dst);
uint8_t ucma_port_mtu(const struct ucma *u); /* enum ib_mtu */
void ucma_fill_ah(const struct ucma_id *id, struct ib_uverbs_ah_attr *ah);

/* ---- multicast.c ---- */

/* Ends all memberships of @id. */
void ucma_leave_all(struct ucma_id *id);

/* ---- arrive.c ---- */

/* Acts on refusals after which everything sent before them has arrived. */
void ucma_refusals_due(struct ucma *u);
void ucma_refusals_drop(struct ucma *u);

/* ---- send.c ---- */

#define UCMA_RESPONSE_TIMEOUT 20 /* CMA_CM_RESPONSE_TIMEOUT */
#define UCMA_MAX_RETRIES      15 /* CMA_MAX_CM_RETRIES */

/* 4.096 us << exponent, rounded as kernel, cm.c, cm_convert_to_ms does it. */
uint64_t ucma_ns(unsigned int exponent);

/* A message of @id to its peer, both communication ids set. */
void ucma_message(struct ucma_id *id, enum cm_attribute attribute, uint8_t mad[MAD_BYTES]);
/* Sends @mad: to the process that has the peer's id, or to all. */
void ucma_send(struct ucma_id *id, const uint8_t mad[MAD_BYTES]);
/* Sends id->sent.mad, and again every @wait ns until ucma_quiet(). */
void ucma_send_until(struct ucma_id *id, uint64_t wait, uint32_t retries);
void ucma_quiet(struct ucma_id *id);
/* Calls ucma_late() for @id in @wait ns. */
void ucma_wait(struct ucma_id *id, uint64_t wait);
/* Sends an answer to the sender of @m, on the reverse path. */
void ucma_answer(struct ucma *u, const struct hca_mad *m, const uint8_t mad[MAD_BYTES]);
void ucma_send_rej(struct ucma_id *id, uint16_t reason, const void *private_data, size_t len);
/* Sends a REJ to a message without an id. */
void ucma_refuse(struct ucma *u, const struct hca_mad *m, enum cm_about about, uint16_t reason);
/* The local CA GUID, in host order. */
uint64_t ucma_guid(const struct ucma *u);
bool ucma_conn_new(struct ucma_id *id); /* assigns a communication id */
struct ucma *ucma_of(const struct hca *hca);

/* ---- connect.c, sidr.c, close.c: messages, and expired timers ---- */

void ucma_take_req(struct ucma *u, const struct hca_mad *m);
void ucma_take_rep(struct ucma_id *id, const struct hca_mad *m);
void ucma_take_rtu(struct ucma_id *id, const struct hca_mad *m);
void ucma_take_rej(struct ucma_id *id, const struct hca_mad *m);
void ucma_take_mra(struct ucma_id *id, const struct hca_mad *m);
void ucma_take_dreq(struct ucma_id *id, const struct hca_mad *m);
void ucma_take_drep(struct ucma_id *id);
void ucma_take_sidr_req(struct ucma *u, const struct hca_mad *m);
void ucma_take_sidr_rep(struct ucma_id *id, const struct hca_mad *m);

int ucma_sidr_connect(struct ucma_id *id, const struct rdma_ucm_conn_param *p);
/* @p NULL: nothing. 0 or -errno. */
int ucma_sidr_answer(struct ucma_id *id, enum cm_sidr_status status,
		     const struct rdma_ucm_conn_param *p);
/* A new id for a request from @src to listener @l. NULL: its backlog is full. */
struct ucma_id *ucma_incoming(struct ucma_id *l, const struct hca_mad *m,
			      const struct ucma_addr *src, const struct ucma_addr *dst);
int ucma_check_qkey(struct ucma_id *id);

void ucma_late(struct ucma_id *id);
void ucma_hang_up(struct ucma_id *id); /* of an id that is destroyed */
void ucma_look_after(struct ucma *u);  /* checks the peers' slots */
void ucma_disconnected(struct ucma_id *id, int status);
/* DREP to a DREQ of a connection that does not exist. */
void ucma_answer_drep(struct ucma *u, const struct hca_mad *m);

#endif
