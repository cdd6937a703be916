/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/steps.h"
#include "rig.h"
#include "ucma/id.h"

struct side left, right;
struct seen seen[FRAMES];
unsigned int nseen;
static long allocations; /* before rig_begin() */

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

uint16_t rig_kernel = KERNEL_RELEASE(6, 1);
bool rig_ipv6;

static void begin_side(struct side *s, const char *fabric, uint32_t ip)
{
	uint8_t mac[6] = { 2, 0xc5, ip >> 24, ip >> 16, ip >> 8, ip };

	*s = (struct side){ .now = core_now_ns() };
	s->w = wire_open(fabric);
	cr_assert(s->w);
	cr_assert_eq(hca_init(&s->hca, wire_slot(s->w)), 0);
	memcpy(s->hca.port.mac, mac, 6);
	s->hca.port.mtu = 1024;
	s->hca.port.node_guid = 0x00c5c00000000000 | ip;
	s->hca.port.gid[3].valid = true;
	s->hca.port.gid[3].version = 2;
	memcpy(s->hca.port.gid[3].raw, mapped, 12);
	memcpy(s->hca.port.gid[3].raw + 12, mac + 2, 4);
	memcpy(s->hca.port.gid[3].mac, mac, 6);
	s->u = ucma_probe(&s->hca, s->w, ip, rig_kernel);
	s->f = ucma_open(s->u, true, &s->fd);
	cr_assert(s->f);
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
}

void rig_begin(uint32_t right_ip)
{
	char fabric[32];

	alarm(60); /* a test that waits for ever ends, with its name */
	allocations = steps.allocations;
	snprintf(fabric, sizeof(fabric), "unit-ucma-%d", getpid());
	begin_side(&left, fabric, LEFT_IP);
	begin_side(&right, fabric, right_ip);
	nseen = 0;
}

void rig_start(void)
{
	rig_begin(RIGHT_IP);
}

void rig_again(void)
{
	rig_end();
	rig_start();
}

/* A closed file leaves nothing. */
static void end_side(struct side *s)
{
	ucma_release(s->f);
	close(s->fd);
	EQUALS(E(s->u->ids.used, 0), E(s->u->conns.used, 0), E(s->u->memberships.used, 0));
	cr_expect(core_list_empty(&s->u->ports));
	ucma_remove(s->u);
	ucma_free(s->u);
	hca_fini(&s->hca);
	wire_close(s->w);
	cr_expect_not(core_inside(), "a lock is held");
}

void rig_end(void)
{
	end_side(&left);
	end_side(&right);
	cr_expect_eq(core_own_next(0), -1, "a descriptor is left");
	cr_expect_eq(steps.allocations, allocations, "%ld are left",
		     steps.allocations - allocations);
}

/* No lock is held, and the pipe has a byte for each event. */
static void settled(const struct side *s)
{
	int bytes = -1;

	cr_expect_not(core_inside(), "a lock is held");
	if (s->f && !ioctl(s->f->read_fd, FIONREAD, &bytes))
		cr_expect_eq(bytes, (int)s->f->waiting);
}

static void unlock(struct side *s)
{
	hca_unlock(&s->hca);
	settled(s);
}

/* The addresses of @p are those of its sender and receiver. */
static void check_addresses(const struct wire_packet *p, const struct side *from,
			    const struct side *to)
{
	cr_expect_arr_eq(p->sgid, from->hca.port.gid[rig_ipv6 ? 1 : 3].raw, 16);
	cr_expect_arr_eq(p->smac, from->hca.port.mac, 6);
	cr_expect_arr_eq(p->dmac, to->hca.port.mac, 6);
	cr_expect_eq(p->pkey, 0xffff);
	cr_expect_geq(p->udp_sport, 0xc000);
}

/* As the engine handles a frame to QP1. */
static void deliver(struct side *s, const uint8_t *frame, size_t len, uint8_t from)
{
	struct wire_packet p;
	struct hca_mad m = { .from = from };

	cr_assert(wire_unpack(&p, frame, len));
	EQUALS(E(p.opcode, WIRE_UD | WIRE_SEND_ONLY), E(p.dqpn, 1), E(p.src_qpn, 1),
	       E(p.qkey, 0x80010000), E(p.payload_len, MAD_BYTES));
	if (memcmp(p.dgid, s->hca.port.gid[rig_ipv6 ? 1 : 3].raw, 16) || s->cut_off)
		return;
	check_addresses(&p, from == wire_slot(left.w) ? &left : &right, s);
	cr_assert_lt(nseen, FRAMES);
	seen[nseen].to = s;
	seen[nseen].p = p;
	memcpy(seen[nseen++].mad, p.payload, MAD_BYTES);
	m.sgid = p.sgid;
	m.dgid = p.dgid;
	m.smac = p.smac;
	m.bytes = p.payload;
	hca_lock(&s->hca);
	s->hca.mad(&s->hca, &m);
	unlock(s);
}

void replay(struct side *to, const uint8_t *mad)
{
	const struct side *from = to == &left ? &right : &left;
	uint8_t copy[MAD_BYTES];
	struct hca_mad m = { .sgid = from->hca.port.gid[3].raw,
			     .dgid = to->hca.port.gid[3].raw,
			     .smac = from->hca.port.mac,
			     .bytes = copy,
			     .from = wire_slot(from->w) };

	memcpy(copy, mad, MAD_BYTES);
	hca_lock(&to->hca);
	to->hca.mad(&to->hca, &m);
	unlock(to);
	pump();
}

bool drain(struct side *s)
{
	const uint8_t *frame;
	bool any = false;
	uint8_t from;
	size_t len;

	while ((frame = wire_next(s->w, &len, &from))) {
		deliver(s, frame, len, from);
		any = true;
	}
	hca_lock(&s->hca);
	s->hca.due(&s->hca, 0); /* no timer expires */
	unlock(s);
	return any;
}

void pump(void)
{
	bool any = true;

	while (any) {
		any = drain(&left);
		any |= drain(&right);
	}
}

void done(int ret)
{
	cr_assert_eq(ret, 0);
	pump();
}

unsigned int count(const struct side *to, enum cm_attribute attribute)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < nseen; i++)
		n += seen[i].to == to && mad_get(seen[i].mad, MAD_ATTR_ID) == attribute;
	return n;
}

const uint8_t *last(enum cm_attribute attribute)
{
	for (unsigned int i = nseen; i-- > 0;)
		if (mad_get(seen[i].mad, MAD_ATTR_ID) == attribute)
			return seen[i].mad;
	cr_assert_fail("no message %#x", attribute);
	return NULL;
}

/* From now on; the clock itself went on, too. */
static void pass(struct side *s, uint64_t ns)
{
	uint64_t now = core_now_ns();

	s->now = (s->now > now ? s->now : now) + ns;
	hca_lock(&s->hca);
	s->hca.due(&s->hca, s->now);
	unlock(s);
}

void due_at(struct side *s, uint64_t ns)
{
	pass(s, ns);
	pump();
}

void due(uint64_t ns)
{
	pass(&left, ns);
	due_at(&right, ns);
}

/* ---- requests ---- */

int call(struct side *s, uint32_t cmd, const void *in, size_t in_len, size_t out_len)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		uint8_t bytes[1024];
	} r = { .hdr = { cmd, in_len, out_len } };
	size_t len = sizeof(r.hdr) + in_len;
	ssize_t ret = -ERESTART;
	uint32_t seen;

	memcpy(r.bytes, in, in_len);
	for (int fd = s->fd; ret == -ERESTART; fd = -1) {
		ret = ucma_write(s->f, fd, (uintptr_t)&r, len, &seen);
		if (ret == -ERESTART)
			cr_assert_eq(ucma_wait_event(seen), 0);
	}
	settled(s);
	if (ret < 0)
		return ret;
	cr_assert_eq((size_t)ret, len);
	return 0;
}

uint32_t create(struct side *s, uint16_t ps, uint64_t uid)
{
	struct rdma_ucm_create_id_resp r;
	struct rdma_ucm_create_id cmd = { .uid = uid, .response = (uintptr_t)&r, .ps = ps };

	cr_assert_eq(CALL(s, CREATE_ID, cmd, sizeof(r)), 0);
	return r.id;
}

static struct sockaddr_in6 address(uint32_t ipv4, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(ipv4) };
	struct sockaddr_in6 out = { 0 };

	memcpy(&out, &in, sizeof(in));
	return out;
}

int bind_ip(struct side *s, uint32_t id, uint32_t ipv4, uint16_t port)
{
	struct rdma_ucm_bind_ip cmd = { .addr = address(ipv4, port), .id = id };

	return CALL(s, BIND_IP, cmd, 0);
}

int resolve(struct side *s, uint32_t id, uint32_t ipv4, uint16_t port)
{
	struct rdma_ucm_resolve_ip cmd = { .dst_addr = address(ipv4, port),
					   .id = id,
					   .timeout_ms = 2000 };

	return CALL(s, RESOLVE_IP, cmd, 0);
}

int listen_on(struct side *s, uint32_t id, uint32_t backlog)
{
	struct rdma_ucm_listen cmd = { id, backlog };

	return CALL(s, LISTEN, cmd, 0);
}

static struct rdma_ucm_conn_param param(uint32_t qpn, const char *private_data)
{
	struct rdma_ucm_conn_param p = { .qp_num = qpn,
					 .responder_resources = 3,
					 .initiator_depth = 5,
					 .retry_count = 6,
					 .rnr_retry_count = 7,
					 .valid = 1 };

	p.private_data_len = strlen(private_data);
	memcpy(p.private_data, private_data, p.private_data_len);
	return p;
}

int connect_id(struct side *s, uint32_t id, const char *private_data)
{
	struct rdma_ucm_connect cmd = { .conn_param = param(0x20abc, private_data), .id = id };

	return CALL(s, CONNECT, cmd, 0);
}

int accept_id(struct side *s, uint32_t id, uint64_t uid, const char *private_data)
{
	struct rdma_ucm_accept cmd = { .uid = uid, .id = id };

	if (private_data) {
		cmd.conn_param = param(0x10def, private_data);
		cmd.conn_param.responder_resources = 4;
		cmd.conn_param.initiator_depth = 2;
	}
	return CALL(s, ACCEPT, cmd, 0);
}

int reject_id(struct side *s, uint32_t id, uint8_t reason, const char *private_data)
{
	struct rdma_ucm_reject cmd = { .id = id,
				       .private_data_len = strlen(private_data),
				       .reason = reason };

	memcpy(cmd.private_data, private_data, cmd.private_data_len);
	return CALL(s, REJECT, cmd, 0);
}

int disconnect_id(struct side *s, uint32_t id)
{
	struct rdma_ucm_disconnect cmd = { id };

	return CALL(s, DISCONNECT, cmd, 0);
}

int destroy(struct side *s, uint32_t id, uint32_t *reported)
{
	struct rdma_ucm_destroy_id_resp r = { 0 };
	struct rdma_ucm_destroy_id cmd = { .response = (uintptr_t)&r, .id = id };
	int ret = CALL(s, DESTROY_ID, cmd, sizeof(r));

	if (reported)
		*reported = r.events_reported;
	return ret;
}

int attributes(struct side *s, uint32_t id, uint32_t state, struct ib_uverbs_qp_attr *a)
{
	struct rdma_ucm_init_qp_attr cmd = { (uintptr_t)a, id, state };

	return CALL(s, INIT_QP_ATTR, cmd, sizeof(*a));
}

struct rdma_ucm_query_route_resp route_of(struct side *s, uint32_t id)
{
	struct rdma_ucm_query_route_resp r;
	struct rdma_ucm_query cmd = { (uintptr_t)&r, id, 0 };

	cr_assert_eq(CALL(s, QUERY_ROUTE, cmd, sizeof(r)), 0);
	return r;
}

struct rdma_ucm_event_resp event(struct side *s)
{
	struct rdma_ucm_event_resp r = { 0 };
	struct rdma_ucm_get_event cmd = { (uintptr_t)&r };
	int ret = CALL(s, GET_EVENT, cmd, sizeof(r));

	if (ret == -EAGAIN)
		r.event = NO_EVENT;
	else
		cr_assert_eq(ret, 0);
	return r;
}

void drop_events(struct side *s)
{
	while (event(s).event != NO_EVENT)
		;
}

struct rdma_ucm_event_resp expect(struct side *s, uint32_t type, int status)
{
	struct rdma_ucm_event_resp r = event(s);

	cr_assert_eq(r.event, type, "event %d, not %u", (int)r.event, type);
	cr_assert_eq((int)r.status, status, "status %d, not %d", (int)r.status, status);
	return r;
}

uint32_t listener(struct side *s, uint16_t ps, uint16_t port)
{
	uint32_t id = create(s, ps, 0x1000);

	cr_assert_eq(bind_ip(s, id, 0, port), 0);
	cr_assert_eq(listen_on(s, id, 10), 0);
	return id;
}

uint32_t ready(struct side *s, uint16_t ps, uint32_t ipv4, uint16_t port)
{
	uint32_t id = create(s, ps, 0x2000);
	struct rdma_ucm_resolve_route cmd = { id, 2000 };

	cr_assert_eq(resolve(s, id, ipv4, port), 0);
	expect(s, EV_ADDR_RESOLVED, 0);
	cr_assert_eq(CALL(s, RESOLVE_ROUTE, cmd, 0), 0);
	expect(s, EV_ROUTE_RESOLVED, 0);
	return id;
}

uint32_t requested(uint32_t client)
{
	cr_assert_eq(connect_id(&right, client, ""), 0);
	pump();
	return expect(&left, EV_CONNECT_REQUEST, 0).id;
}

struct link connected(void)
{
	struct link l = { .listener = listener(&left, RDMA_PS_TCP, PORT) };

	l.client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	cr_assert_eq(connect_id(&right, l.client, "hello"), 0);
	pump();
	l.server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	cr_assert_eq(accept_id(&left, l.server, 0x3000, "welcome"), 0);
	pump();
	expect(&right, EV_CONNECT_RESPONSE, 0);
	cr_assert_eq(accept_id(&right, l.client, 0, NULL), 0);
	pump();
	expect(&left, EV_ESTABLISHED, 0);
	return l;
}
