/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes on a fabric, in one: each has a device, a wire and a CM, and opens it once.
 * There is no engine: frames are carried by pump(), which remembers them, and time is what
 * due() says. rig_end() looks for memory, ids and names that are left; after each request and
 * message no lock is held.
 *
 *	left (slot 1, 10.0.0.1)  <-- frames -->  right (slot 2, 10.0.0.1 or another)
 */
#ifndef TEST_UCMA_RIG_H
#define TEST_UCMA_RIG_H

#include <criterion/criterion.h>
#include <errno.h>
#include <rdma/rdma_user_cm.h>

#include "lib/equals.h"
#include "ucma/mad.h"
#include "ucma/ucma.h"

#define LEFT_IP	     0x0a000001u
#define RIGHT_IP     0x0a000002u /* of rig_start() */
#define PORT	     7174
#define FRAMES	     64
#define SECOND	     1000000000ull
#define NO_EVENT     0xffffffffu
#define REQ_PATIENCE (6144 * (SECOND / 1000)) /* 2 * 2^(18-8) + 2^(20-8) ms */

struct side {
	struct hca hca;
	struct wire *w;
	struct ucma *u;
	struct ucma_file *f;
	int fd;
	uint64_t now; /* as due() had it last */
	bool cut_off; /* frames to it are lost */
};

extern struct side left, right;

/* Messages to left and right so far, oldest first. */
struct seen {
	const struct side *to;
	struct wire_packet p; /* that had it; without payload */
	uint8_t mad[MAD_BYTES];
};
extern struct seen seen[FRAMES];
extern unsigned int nseen;

/* The release that both answer like; 6.1 unless a test sets it before rig_begin(). */
extern uint16_t rig_kernel;
/* The frames are between the GIDs at index 1, IPv6, and not 3, IPv4. */
extern bool rig_ipv6;

void rig_begin(uint32_t right_ip);
void rig_start(void);
void rig_end(void);
/* The end, then the start. */
void rig_again(void);
/* Delivers what has arrived at @s, as an iteration of the engine does: did anything? */
bool drain(struct side *s);
/* Carries frames until there are none. */
void pump(void);
/* A request that was executed, @ret 0; then pump(). */
void done(int ret);
/* Frames of @attribute that @to got, so far. */
unsigned int count(const struct side *to, enum cm_attribute attribute);
const uint8_t *last(enum cm_attribute attribute);
/* @mad of the other side arrives at @to (once more); then pump(). */
void replay(struct side *to, const uint8_t *mad);
/* Time goes on, for both or for one; then pump(). */
void due(uint64_t ns);
void due_at(struct side *s, uint64_t ns);

/* A request: 0, or -errno. */
int call(struct side *s, uint32_t cmd, const void *in, size_t in_len, size_t out_len);
#define CALL(side, cmd, in, out_len) \
	call(side, RDMA_USER_CM_CMD_##cmd, &(in), sizeof(in), out_len)
uint32_t create(struct side *s, uint16_t ps, uint64_t uid);
int bind_ip(struct side *s, uint32_t id, uint32_t ipv4, uint16_t port);
int resolve(struct side *s, uint32_t id, uint32_t ipv4, uint16_t port);
int listen_on(struct side *s, uint32_t id, uint32_t backlog);
int connect_id(struct side *s, uint32_t id, const char *private_data);
int accept_id(struct side *s, uint32_t id, uint64_t uid, const char *private_data);
int reject_id(struct side *s, uint32_t id, uint8_t reason, const char *private_data);
int disconnect_id(struct side *s, uint32_t id);
int destroy(struct side *s, uint32_t id, uint32_t *reported);
int attributes(struct side *s, uint32_t id, uint32_t state, struct ib_uverbs_qp_attr *a);
struct rdma_ucm_query_route_resp route_of(struct side *s, uint32_t id);

/* The next event; of type NO_EVENT when there is none. */
struct rdma_ucm_event_resp event(struct side *s);
/* Takes all that there are. */
void drop_events(struct side *s);
/* It has to be of @type and @status. */
struct rdma_ucm_event_resp expect(struct side *s, uint32_t type, int status);

/* librdmacm's numbers */
enum {
	EV_ADDR_RESOLVED = 0,
	EV_ROUTE_RESOLVED = 2,
	EV_CONNECT_REQUEST = 4,
	EV_CONNECT_RESPONSE = 5,
	EV_UNREACHABLE = 7,
	EV_REJECTED = 8,
	EV_ESTABLISHED = 9,
	EV_DISCONNECTED = 10,
	EV_MULTICAST_JOIN = 12,
	EV_MULTICAST_ERROR = 13,
	EV_TIMEWAIT_EXIT = 15,
};

/* A listener on @port of @s; an id that knows the way to @ipv4. */
uint32_t listener(struct side *s, uint16_t ps, uint16_t port);
uint32_t ready(struct side *s, uint16_t ps, uint32_t ipv4, uint16_t port);

/* Right's @client asks left's listener: the id of the request. */
uint32_t requested(uint32_t client);

struct link {
	uint32_t listener, server, client;
};

/* A connection from right to left's PORT. */
struct link connected(void);

#endif
