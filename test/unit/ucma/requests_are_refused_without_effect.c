/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every command with an answer that does not fit, a request whose last byte cannot be read, an
 * id that does not exist or is another file's, an answer that cannot be written: the error is
 * the kernel's (ucma.c), and nothing has changed: the same request is accepted then. The same
 * for each allocation that fails; where only the event needs it, there is no event.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/steps.h"
#include "rig.h"
#include "ucma/id.h"

#define PAGE 4096

static struct side other; /* another file of left */
static uint8_t answer[512];
static uint8_t *pages; /* one that can be read, one that cannot */

static void begin(void)
{
	rig_start();
	other = left;
	other.f = ucma_open(left.u, true, &other.fd);
	cr_assert(other.f);
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
}

static void end(void)
{
	ucma_release(other.f);
	close(other.fd);
	munmap(pages, 2 * PAGE);
	rig_end();
}

TestSuite(refused, .init = begin, .fini = end);

/* ---- ids in the states that the commands need ---- */

static struct sockaddr_in6 ipv4(uint32_t address)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
	struct sockaddr_in6 out = { 0 };

	memcpy(&out, &in, sizeof(in));
	return out;
}

static uint32_t idle(void)
{
	return create(&left, RDMA_PS_TCP, 1);
}

static uint32_t bound(uint16_t ps)
{
	uint32_t id = create(&left, ps, 1);

	cr_assert_eq(bind_ip(&left, id, LEFT_IP, 0), 0);
	return id;
}

static uint32_t resolved(void)
{
	uint32_t id = idle();

	cr_assert_eq(resolve(&left, id, 0x0a000002, PORT), 0);
	expect(&left, EV_ADDR_RESOLVED, 0);
	return id;
}

static uint32_t routed(void)
{
	return ready(&left, RDMA_PS_TCP, 0x0a000002, PORT);
}

static uint32_t asked(void)
{
	listener(&left, RDMA_PS_TCP, PORT);
	return requested(ready(&right, RDMA_PS_TCP, LEFT_IP, PORT));
}

static uint32_t accepted(void)
{
	uint32_t id = asked();

	cr_assert_eq(accept_id(&left, id, 1, ""), 0);
	return id;
}

/* ---- requests that are accepted; they return their id ---- */

static uint32_t create_id(void *at)
{
	*(struct rdma_ucm_create_id *)at = (struct rdma_ucm_create_id){ .ps = RDMA_PS_TCP };
	return 0;
}

static uint32_t a_bind_ip(void *at)
{
	((struct rdma_ucm_bind_ip *)at)->addr = ipv4(LEFT_IP);
	return idle();
}

static uint32_t a_bind(void *at)
{
	struct rdma_ucm_bind *cmd = at;
	struct sockaddr_in6 a = ipv4(LEFT_IP);

	cmd->addr_size = sizeof(struct sockaddr_in);
	memcpy(&cmd->addr, &a, sizeof(a));
	return idle();
}

static uint32_t resolve_ip(void *at)
{
	((struct rdma_ucm_resolve_ip *)at)->dst_addr = ipv4(0x0a000002);
	return idle();
}

static uint32_t resolve_addr(void *at)
{
	struct rdma_ucm_resolve_addr *cmd = at;
	struct sockaddr_in6 a = ipv4(0x0a000002);

	cmd->dst_size = sizeof(struct sockaddr_in);
	memcpy(&cmd->dst_addr, &a, sizeof(a));
	return idle();
}

static uint32_t resolve_route(void *at)
{
	((struct rdma_ucm_resolve_route *)at)->timeout_ms = 1;
	return resolved();
}

static uint32_t of_bound(void *at)
{
	(void)at;
	return bound(RDMA_PS_TCP);
}

static uint32_t a_connect(void *at)
{
	((struct rdma_ucm_connect *)at)->conn_param.valid = 1;
	return routed();
}

static uint32_t an_accept(void *at)
{
	((struct rdma_ucm_accept *)at)->conn_param.valid = 1;
	return asked();
}

static uint32_t of_asked(void *at)
{
	(void)at;
	return asked();
}

static uint32_t of_connected(void *at)
{
	(void)at;
	return connected().server;
}

static uint32_t qp_attr(void *at)
{
	((struct rdma_ucm_init_qp_attr *)at)->qp_state = 1; /* INIT */
	return bound(RDMA_PS_TCP);
}

static uint32_t an_option(void *at)
{
	static uint8_t tos;
	struct rdma_ucm_set_option *cmd = at;

	cmd->optval = (uintptr_t)&tos;
	cmd->optname = RDMA_OPTION_ID_TOS;
	cmd->optlen = 1;
	return idle();
}

static uint32_t a_notify(void *at)
{
	((struct rdma_ucm_notify *)at)->event = 4; /* IBV_EVENT_COMM_EST */
	return accepted();
}

static uint32_t join_ip(void *at)
{
	((struct rdma_ucm_join_ip_mcast *)at)->addr = ipv4(0xef010203);
	return bound(RDMA_PS_UDP);
}

static uint32_t join(void *at)
{
	struct rdma_ucm_join_mcast *cmd = at;
	struct sockaddr_in6 a = ipv4(0xef010203);

	cmd->addr_size = sizeof(struct sockaddr_in);
	memcpy(&cmd->addr, &a, sizeof(a));
	return bound(RDMA_PS_UDP);
}

static uint32_t leave(void *at)
{
	struct rdma_ucm_join_ip_mcast cmd = { .response = (uintptr_t)at };
	uint32_t number;

	cmd.id = join_ip(&cmd);
	cr_assert_eq(CALL(&left, JOIN_IP_MCAST, cmd, 4), 0);
	expect(&left, EV_MULTICAST_JOIN, 0);
	memcpy(&number, at, sizeof(number));
	return number;
}

static uint32_t migrate(void *at)
{
	((struct rdma_ucm_migrate_id *)at)->fd = left.fd;
	return bound(RDMA_PS_TCP);
}

static uint32_t an_event(void *at)
{
	struct rdma_ucm_resolve_ip cmd = { 0 };

	(void)at;
	cmd.id = resolve_ip(&cmd);
	cr_assert_eq(CALL(&left, RESOLVE_IP, cmd, 0), 0);
	return 0;
}

/* ---- the commands ---- */

#define NONE 0xffff

struct row {
	const char *name;
	uint32_t cmd;
	uint32_t (*fill)(void *at);
	uint16_t in, id, response; /* bytes; offsets in it, or NONE */
	uint16_t out;		   /* bytes that the answer needs */
	uint16_t least;		   /* bytes of the request that are enough, if it counts them */
	bool reads_first;	   /* before it looks at the length of the answer */
	bool goes_on;		   /* and is done, also if the answer cannot be written */
};

#define OF(request, member) offsetof(struct rdma_ucm_##request, member)
#define CMD(command, request, filled)                                        \
	.name = #command, .cmd = RDMA_USER_CM_CMD_##command, .fill = filled, \
	.in = sizeof(struct rdma_ucm_##request)
#define NO_ID(command, request, filled) \
	CMD(command, request, filled), .id = NONE, .response = OF(request, response)
#define ASKS(command, request, filled) \
	CMD(command, request, filled), .id = OF(request, id), .response = NONE
#define ANSWERS(command, request, filled) \
	CMD(command, request, filled), .id = OF(request, id), .response = OF(request, response)

static const struct row rows[] = {
	{ NO_ID(CREATE_ID, create_id, create_id), .out = 4 },
	{ ANSWERS(DESTROY_ID, destroy_id, of_bound), .out = 4, .goes_on = true },
	{ ASKS(BIND_IP, bind_ip, a_bind_ip) },
	{ ASKS(RESOLVE_IP, resolve_ip, resolve_ip) },
	{ ASKS(RESOLVE_ROUTE, resolve_route, resolve_route) },
	{ ANSWERS(QUERY_ROUTE, query, of_bound), .out = OF(query_route_resp, ibdev_index) },
	{ ASKS(CONNECT, connect, a_connect), .least = OF(connect, ece) },
	{ ASKS(LISTEN, listen, of_bound) },
	{ ASKS(ACCEPT, accept, an_accept), .least = OF(accept, ece) },
	{ ASKS(REJECT, reject, of_asked) },
	{ ASKS(DISCONNECT, disconnect, of_connected) },
	{ ANSWERS(INIT_QP_ATTR, init_qp_attr, qp_attr), .out = 144 },
	{ NO_ID(GET_EVENT, get_event, an_event), .out = OF(event_resp, reserved) },
	{ ASKS(SET_OPTION, set_option, an_option) },
	{ ASKS(NOTIFY, notify, a_notify) },
	{ ANSWERS(JOIN_IP_MCAST, join_ip_mcast, join_ip), .out = 4, .reads_first = true },
	{ ANSWERS(LEAVE_MCAST, destroy_id, leave), .out = 4, .goes_on = true },
	{ ANSWERS(MIGRATE_ID, migrate_id, migrate), .goes_on = true },
	{ ASKS(BIND, bind, a_bind) },
	{ ASKS(RESOLVE_ADDR, resolve_addr, resolve_addr) },
	{ ANSWERS(JOIN_MCAST, join_mcast, join), .out = 4, .reads_first = true },
};

/* All that a command could leave. */
struct counts {
	uint32_t ids, conns, memberships, waiting, frames, ports;
};

static struct counts counted(void)
{
	struct counts c = { left.u->ids.used,
			    left.u->conns.used,
			    left.u->memberships.used,
			    left.f->waiting + other.f->waiting,
			    nseen,
			    0 };

	for (struct core_list *p = left.u->ports.next; p != &left.u->ports; p = p->next)
		c.ports++;
	return c;
}

/* @len bytes of the request can be read, and the header says so. */
static int ask(struct side *s, const struct row *r, const void *request, size_t len, size_t in,
	       size_t out)
{
	struct rdma_ucm_cmd_hdr hdr = { r->cmd, in, out };
	uint8_t *at = pages + PAGE - len;
	uint32_t unused;
	ssize_t ret;

	memcpy(at - sizeof(hdr), &hdr, sizeof(hdr));
	memcpy(at, request, len);
	ret = ucma_write(s->f, s->fd, (uintptr_t)(at - sizeof(hdr)), sizeof(hdr) + in, &unused);
	return ret < 0 ? ret : ret == (ssize_t)(sizeof(hdr) + in) ? 0 : 1;
}

#define REFUSED(expected, ...)                                                            \
	do {                                                                              \
		struct counts before_ = counted(), after_;                                \
		int ret_ = ask(__VA_ARGS__);                                              \
                                                                                          \
		pump();                                                                   \
		after_ = counted();                                                       \
		cr_expect_eq(ret_, expected, "%s: %d, line %d", r->name, ret_, __LINE__); \
		cr_expect_arr_eq(&before_, &after_, sizeof(before_),                      \
				 "%s: line %d leaves something", r->name, __LINE__);      \
	} while (0)

static void point_to(const struct row *r, void *request, const void *to)
{
	uint64_t va = (uintptr_t)to;

	if (r->response != NONE)
		memcpy((uint8_t *)request + r->response, &va, sizeof(va));
}

static void wrong_id(const struct row *r, uint8_t *request, uint32_t id)
{
	uint32_t none = id + 50;

	memcpy(request + r->id, &none, sizeof(none));
	REFUSED(-ENOENT, &left, r, request, r->in, r->in, r->out);
	memcpy(request + r->id, &id, sizeof(id));
	if (r->cmd != RDMA_USER_CM_CMD_MIGRATE_ID) /* that is its purpose */
		REFUSED(-EINVAL, &other, r, request, r->in, r->in, r->out);
}

static void each(const struct row *r)
{
	uint8_t request[512] = { 0 };
	size_t len = r->least ? r->least : r->in;
	uint32_t id = r->fill(request);

	pump();
	if (r->id != NONE)
		memcpy(request + r->id, &id, sizeof(id));
	point_to(r, request, answer);
	if (r->out)
		REFUSED(-ENOSPC, &left, r, request, r->in, r->in, r->out - 1);
	if (r->out)
		REFUSED(r->reads_first ? -EFAULT : -ENOSPC, &left, r, request, r->in - 1, r->in,
			r->out - 1);
	REFUSED(-EFAULT, &left, r, request, len - 1, len, r->out);
	if (r->least)
		REFUSED(-EINVAL, &left, r, request, len, len - 1, r->out);
	if (r->id != NONE)
		wrong_id(r, request, id);
	point_to(r, request, pages + PAGE);
	if (r->response != NONE && !r->goes_on)
		REFUSED(-EFAULT, &left, r, request, r->in, r->in, r->out);
	if (r->goes_on) {
		cr_expect_eq(ask(&left, r, request, r->in, r->in, r->out), -EFAULT, "%s",
			     r->name);
		cr_expect_eq(ask(&left, r, request, r->in, r->in, r->out),
			     r->cmd == RDMA_USER_CM_CMD_MIGRATE_ID ? -EFAULT : -ENOENT, "%s",
			     r->name);
		return;
	}
	point_to(r, request, answer);
	/* Only CONNECT and ACCEPT look at the length that the header has for the request. */
	cr_expect_eq(ask(&left, r, request, len, r->least, r->out), 0, "%s", r->name);
}

Test(refused, before_anything_changes)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		each(&rows[i]);
		end();
		begin();
	}
}

/* With the n-th allocation failing: false if there are not so many. */
static bool without_memory(const struct row *r, unsigned int n)
{
	uint8_t request[512] = { 0 };
	uint32_t id = r->fill(request);
	struct counts before, after;
	bool failed;
	int ret;

	pump();
	if (r->id != NONE)
		memcpy(request + r->id, &id, sizeof(id));
	point_to(r, request, answer);
	before = counted();
	steps.fail_at = n;
	ret = ask(&left, r, request, r->in, r->in, r->out);
	failed = !steps.fail_at;
	steps.fail_at = 0;
	pump();
	after = counted();
	if (!failed) {
		cr_expect_eq(ret, 0, "%s: %d", r->name, ret);
	} else if (ret) {
		cr_expect_eq(ret, -ENOMEM, "%s, %u: %d", r->name, n, ret);
		cr_expect_arr_eq(&before, &after, sizeof(before), "%s, %u", r->name, n);
		ret = ask(&left, r, request, r->in, r->in, r->out);
		cr_expect_eq(ret, 0, "%s, %u: %d", r->name, n, ret);
	} else if (after.waiting == before.waiting) {
		ret = ask(&left, r, request, r->in, r->in, r->out);
		cr_expect(ret == -EINVAL || ret == -EISCONN || after.ids > before.ids ||
				  after.memberships > before.memberships,
			  "%s, %u: %d", r->name, n, ret);
	}
	end();
	begin();
	return failed;
}

Test(refused, without_memory)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned int n = 1; without_memory(&rows[i], n); n++)
			;
}

/* A REQ or SIDR_REQ that there is no memory for is refused as by a full backlog. */
Test(refused, request_of_the_peer_without_memory)
{
	bool failed = true;

	for (unsigned int i = 0; i < 2; failed = true, i++)
		for (unsigned int n = 1; failed; n++) {
			uint16_t ps = i ? RDMA_PS_UDP : RDMA_PS_TCP;
			struct counts before;

			asked(); /* both have the rings to each other */
			listener(&left, ps, PORT + 1);
			before = counted();
			connect_id(&right, ready(&right, ps, LEFT_IP, PORT + 1), "");
			steps.fail_at = n;
			drain(&left);
			failed = !steps.fail_at;
			steps.fail_at = 0;
			pump();
			before.frames = nseen;
			if (failed) {
				struct counts after = counted();

				expect(&right, i ? EV_UNREACHABLE : EV_REJECTED,
				       i ? CM_SIDR_REJECT : CM_REJ_CONSUMER);
				cr_expect_arr_eq(&before, &after, sizeof(before), "%u", n);
			}
			end();
			begin();
		}
}

/* The numbers below 64 that are not in use. */
static int unused(void)
{
	int n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) < 0;
	return n;
}

/* A file needs three descriptors: an end of the pipe for the application, and two. */
Test(refused, open_without_a_descriptor)
{
	struct rlimit was, few;
	int taken[64], n = 0, fd;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
	few = was;
	few.rlim_cur = 64;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	while ((fd = dup(0)) >= 0)
		taken[n++] = fd;
	for (int there = 0; there <= 3; there++) {
		long allocations = steps.allocations;
		struct ucma_file *f = ucma_open(left.u, there & 1, &fd);

		cr_expect_eq(!f, there < 3, "with %d", there);
		if (f) {
			cr_expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
			ucma_release(f);
			close(fd);
		} else {
			cr_expect_eq(errno, EMFILE);
		}
		cr_expect_eq(unused(), there);
		cr_expect_eq(steps.allocations, allocations);
		close(taken[--n]);
	}
	while (n)
		close(taken[--n]);
	setrlimit(RLIMIT_NOFILE, &was);
	steps.fail_at = 1;
	cr_expect_null(ucma_open(left.u, true, &fd));
	cr_expect_eq(errno, ENOMEM);
	other.f = (ucma_release(other.f), close(other.fd), ucma_open(left.u, false, &other.fd));
	cr_expect_eq(fcntl(other.fd, F_GETFD), 0);
	cr_expect_eq(fcntl(other.fd, F_GETFL) & O_NONBLOCK, 0);
}
