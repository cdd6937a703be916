/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of a connection in each state: what RDMA netlink reports of it, which attributes its
 * QP may get, which message its peer gets when it is destroyed; and each message once more.
 */
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "rig.h"

TestSuite(end, .init = rig_start, .fini = rig_end);

/* ---- states ---- */

static uint32_t client, server; /* of the connection that is made */

static uint32_t of_route(void)
{
	return ready(&left, RDMA_PS_TCP, RIGHT_IP, PORT);
}

static uint32_t of_bound(void)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	cr_assert_eq(bind_ip(&left, id, LEFT_IP, PORT), 0);
	return id;
}

static uint32_t of_resolved(void)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	cr_assert_eq(resolve(&left, id, RIGHT_IP, PORT), 0);
	return id;
}

static uint32_t of_listener(void)
{
	return listener(&left, RDMA_PS_TCP, PORT);
}

/* left is the client here: REQ is under way. */
static uint32_t req_sent(void)
{
	listener(&right, RDMA_PS_TCP, PORT);
	client = of_route();
	done(connect_id(&left, client, ""));
	return client;
}

static uint32_t rep_rcvd(void)
{
	req_sent();
	server = expect(&right, EV_CONNECT_REQUEST, 0).id;
	done(accept_id(&right, server, 0x3000, ""));
	return client;
}

/* left is the server. */
static uint32_t ask(uint16_t ps)
{
	listener(&left, ps, PORT);
	client = ready(&right, ps, LEFT_IP, PORT);
	return server = requested(client);
}

static uint32_t req_rcvd(void)
{
	return ask(RDMA_PS_TCP);
}

static uint32_t sidr_req_rcvd(void)
{
	return ask(RDMA_PS_UDP);
}

static uint32_t rep_sent(void)
{
	req_rcvd();
	done(accept_id(&left, server, 0x3000, ""));
	return server;
}

static uint32_t established(void)
{
	return connected().server;
}

static uint32_t dreq_sent(void)
{
	uint32_t id = established();

	done(disconnect_id(&left, id));
	return id;
}

static uint32_t dreq_rcvd(void)
{
	struct link l = connected();

	done(disconnect_id(&right, l.client));
	return l.server;
}

static uint32_t timewait(void)
{
	uint32_t id = dreq_rcvd();

	done(disconnect_id(&left, id));
	return id;
}

static uint32_t rejected(void)
{
	req_sent();
	done(reject_id(&right, expect(&right, EV_CONNECT_REQUEST, 0).id, 0, ""));
	return client;
}

/* ---- INIT_QP_ATTR ---- */

/* kernel, cma.c, rdma_init_qp_attr; cm.c, cm_init_qp_*_attr. */
Test(end, qp_attributes_of_each_state)
{
	enum { NO = -EINVAL };
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		int result[8]; /* to RESET, INIT, RTR, RTS, SQD, SQE, ERR, 7 */
	} rows[] = {
		/* without a connection any state has attributes: those of INIT */
		{ "bound", of_bound, { 0, 0, 0, 0, 0, 0, 0, NO } },
		{ "route known", of_route, { 0, 0, 0, 0, 0, 0, 0, NO } },
		{ "datagrams", sidr_req_rcvd, { 0, 0, 0, 0, 0, 0, 0, NO } },
		{ "listener on all", of_listener, { NO, NO, NO, NO, NO, NO, NO, NO } },
		{ "REQ sent", req_sent, { NO, 0, NO, NO, NO, NO, NO, NO } },
		{ "REQ received", req_rcvd, { NO, 0, 0, 0, NO, NO, NO, NO } },
		{ "REP sent", rep_sent, { NO, 0, 0, 0, NO, NO, NO, NO } },
		{ "REP received", rep_rcvd, { NO, 0, 0, 0, NO, NO, NO, NO } },
		{ "established", established, { NO, 0, 0, 0, NO, NO, NO, NO } },
		{ "DREQ sent", dreq_sent, { NO, NO, NO, NO, NO, NO, NO, NO } },
		{ "DREQ received", dreq_rcvd, { NO, NO, NO, NO, NO, NO, NO, NO } },
		{ "time-wait", timewait, { NO, NO, NO, NO, NO, NO, NO, NO } },
		{ "rejected", rejected, { NO, NO, NO, NO, NO, NO, NO, NO } },
	};
	struct ib_uverbs_qp_attr a;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id = rows[i].make();

		for (uint32_t to = 0; to < 8; to++) {
			int ret = attributes(&left, id, to, &a);

			cr_expect_eq(ret, rows[i].result[to], "%s to %u: %d", rows[i].name, to,
				     ret);
			cr_expect(ret || a.qp_state == to, "%s to %u", rows[i].name, to);
		}
		rig_again();
	}
}

/* A QP that lets its peer start no READ does not get the right. */
Test(end, rights_follow_the_responder_resources)
{
	static const struct {
		uint8_t depth; /* of the peer, as initiator */
		uint32_t rights;
	} rows[] = { { 0, IBV_ACCESS_REMOTE_WRITE },
		     { 1, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				  IBV_ACCESS_REMOTE_ATOMIC } };

	for (int i = 0; i < 2; i++) {
		struct rdma_ucm_accept cmd = { .conn_param = { .valid = 1 } };
		struct ib_uverbs_qp_attr a;

		cmd.id = req_rcvd();
		cmd.conn_param.responder_resources = rows[i].depth;
		cr_assert_eq(CALL(&left, ACCEPT, cmd, 0), 0);
		cr_assert_eq(attributes(&left, cmd.id, IBV_QPS_INIT, &a), 0);
		cr_expect_eq(a.qp_access_flags, rows[i].rights);
		rig_again();
	}
}

/* ---- destruction ---- */

/* kernel, cm.c: cm_destroy_id, cm_format_rej. */
Test(end, destroyed_sends_one_message)
{
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		uint16_t says, reason; /* attribute, 0: nothing; of a REJ: reason, or status */
		uint8_t about;	       /* of a REJ: 0 REQ, 1 REP, 2 other */
	} rows[] = {
		{ "bound", of_bound, 0, 0, 0 },
		{ "route known", of_route, 0, 0, 0 },
		{ "REQ sent", req_sent, CM_REJ, 4, 2 },
		{ "REQ received", req_rcvd, CM_REJ, 28, 0 },
		{ "REP sent", rep_sent, CM_REJ, 28, 2 },
		{ "REP received", rep_rcvd, CM_REJ, 28, 1 },
		{ "established", established, CM_DREQ, 0, 0 },
		{ "DREQ sent", dreq_sent, 0, 0, 0 },
		{ "DREQ received", dreq_rcvd, CM_DREP, 0, 0 },
		{ "time-wait", timewait, 0, 0, 0 },
		{ "rejected", rejected, 0, 0, 0 },
		{ "SIDR_REQ received", sidr_req_rcvd, CM_SIDR_REP, 2, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id = rows[i].make();
		unsigned int before = nseen, more = rows[i].says ? 1 : 0;
		const uint8_t *m = seen[before].mad;

		destroy(&left, id, NULL);
		pump();
		cr_expect_eq(nseen, before + more, "%s: %u messages", rows[i].name,
			     nseen - before);
		if (more)
			cr_expect_eq(mad_get(m, MAD_ATTR_ID), rows[i].says, "%s", rows[i].name);
		if (rows[i].says == CM_REJ) {
			cr_expect_eq(mad_get(m, REJ_REASON), rows[i].reason, "%s",
				     rows[i].name);
			cr_expect_eq(mad_get(m, REJ_MESSAGE), rows[i].about, "%s",
				     rows[i].name);
			cr_expect_eq(mad_get(m, REJ_INFO_LENGTH), rows[i].reason == 4 ? 8 : 0);
		} else if (rows[i].says == CM_SIDR_REP) {
			cr_expect_eq(mad_get(m, SIDR_REP_STATUS), rows[i].reason);
		}
		rig_again();
	}
}

static int reject_it(uint32_t id)
{
	return reject_id(&left, id, 0, "");
}

static int refuse_it(uint32_t id)
{
	return reject_id(&right, id == client ? server : client, 0, "");
}

static int hang_up(uint32_t id)
{
	return destroy(&left, id, NULL);
}

static int accept_it(uint32_t id)
{
	return accept_id(&left, id, 0x3000, id == client ? NULL : "");
}

/* A message that has its answer is not sent again, and nothing else is, for minutes. */
Test(end, that_is_over_is_silent)
{
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		int (*act)(uint32_t id);
	} rows[] = {
		{ "REQ sent, rejected by both", req_sent, reject_it },
		{ "REQ received, rejected", req_rcvd, reject_it },
		{ "REP sent, rejected", rep_sent, reject_it },
		{ "REP sent, rejected by the peer", rep_sent, refuse_it },
		{ "REP received, rejected", rep_rcvd, reject_it },
		{ "REP received, accepted", rep_rcvd, accept_it },
		{ "REQ sent, destroyed", req_sent, hang_up },
		{ "REP sent, destroyed", rep_sent, hang_up },
		{ "established", established, NULL },
		{ "rejected", rejected, NULL },
		{ "DREQ received", dreq_rcvd, NULL },
		{ "time-wait", timewait, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id = rows[i].make();
		unsigned int n;

		if (rows[i].act)
			cr_expect_eq(rows[i].act(id), 0, "%s", rows[i].name);
		pump();
		drop_events(&left);
		n = nseen;
		for (int k = 0; k < 30; k++)
			due_at(&left, 10 * SECOND);
		cr_expect_eq(nseen, n, "%s: %u messages", rows[i].name, nseen - n);
		cr_expect_eq(event(&left).event,
			     rows[i].make == timewait ? EV_TIMEWAIT_EXIT : NO_EVENT, "%s",
			     rows[i].name);
		rig_again();
	}
}

/* ---- messages that come twice ---- */

/* kernel, cm.c: cm_dup_req_handler, cm_dup_rep_handler, cm_issue_drep. No event comes twice. */
Test(end, message_that_comes_twice)
{
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		uint16_t again, answer; /* the last of that attribute; attribute, 0: none */
	} rows[] = {
		{ "REQ before it is answered", req_rcvd, CM_REQ, CM_MRA },
		{ "REQ after the REP", rep_sent, CM_REQ, 0 },
		{ "REQ of a connection", established, CM_REQ, 0 },
		{ "REQ after the end", timewait, CM_REQ, CM_REJ },
		{ "REP before it is accepted", rep_rcvd, CM_REP, 0 },
		{ "REP of a connection", established, CM_REP, CM_RTU },
		{ "REP after the end", timewait, CM_REP, 0 },
		{ "RTU", established, CM_RTU, 0 },
		{ "RTU after the end", timewait, CM_RTU, 0 },
		{ "DREQ before it is answered", dreq_rcvd, CM_DREQ, 0 },
		{ "DREQ after the end", timewait, CM_DREQ, CM_DREP },
		{ "DREP", timewait, CM_DREP, 0 },
		{ "REJ", rejected, CM_REJ, 0 },
		{ "SIDR_REQ", sidr_req_rcvd, CM_SIDR_REQ, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int n, k;
		const uint8_t *m;

		rows[i].make();
		for (struct side *s = &left; s; s = s == &left ? &right : NULL)
			drop_events(s);
		n = nseen;
		m = last(rows[i].again);
		k = (unsigned int)((m - seen[0].mad) / sizeof(seen[0]));
		replay((struct side *)seen[k].to, m);
		cr_expect_eq(nseen, n + !!rows[i].answer, "%s: %u answers", rows[i].name,
			     nseen - n);
		if (rows[i].answer)
			cr_expect_eq(mad_get(seen[n].mad, MAD_ATTR_ID), rows[i].answer, "%s",
				     rows[i].name);
		cr_expect_eq(event(&left).event, NO_EVENT, "%s: left", rows[i].name);
		cr_expect_eq(event(&right).event, NO_EVENT, "%s: right", rows[i].name);
		rig_again();
	}
}

/* ---- QUERY_ROUTE ---- */

/* kernel, ucma.c: ucma_query_route, ucma_copy_iboe_route. */
Test(end, route_of_each_state)
{
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		uint32_t paths;
	} rows[] = {
		{ "bound", of_bound, 0 },	 { "resolved", of_resolved, 0 },
		{ "route known", of_route, 1 },	 { "REQ sent", req_sent, 1 },
		{ "REQ received", req_rcvd, 1 }, { "DREQ received", dreq_rcvd, 1 },
		{ "listener", of_listener, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdma_ucm_query_route_resp r = route_of(&left, rows[i].make());
		bool any = rows[i].make == of_listener;

		cr_expect_eq(r.num_paths, rows[i].paths, "%s", rows[i].name);
		cr_expect_eq(r.port_num, !any, "%s", rows[i].name);
		cr_expect_eq(r.ib_route[0].pkey, any ? 0 : htons(0xffff), "%s", rows[i].name);
		cr_expect_eq(r.ib_route[0].sgid[15], any ? 0 : 1, "%s", rows[i].name);
		cr_expect_eq(r.ib_route[0].reversible, rows[i].paths, "%s", rows[i].name);
		EQUALS(E(r.ib_route[0].mtu_selector, 2 * rows[i].paths),
		       E(r.ib_route[0].rate_selector, 2 * rows[i].paths),
		       E(r.ib_route[0].packet_life_time_selector, 2 * rows[i].paths));
		cr_expect_eq(r.ib_route[0].rate, 16 * rows[i].paths, "100 Gb/s");
		cr_expect_eq(!r.ib_route[0].flow_label, !rows[i].paths);
		rig_again();
	}
}

/* The largest MTU of InfiniBand that is not above the port's. */
Test(end, mtu_is_that_of_the_port)
{
	static const struct {
		uint16_t port;
		uint8_t mtu;
	} rows[] = { { 256, 1 },  { 511, 1 },  { 512, 2 },  { 1023, 2 }, { 1024, 3 },
		     { 2048, 4 }, { 4095, 4 }, { 4096, 5 }, { 9000, 5 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ib_uverbs_qp_attr a;

		left.hca.port.mtu = rows[i].port;
		right.hca.port.mtu = 4096;
		cr_assert_eq(attributes(&left, req_rcvd(), IBV_QPS_RTR, &a), 0);
		cr_expect_eq(a.path_mtu, rows[i].mtu, "%u: %u", rows[i].port, a.path_mtu);
		rig_again();
	}
}

/* ---- RDMA netlink ---- */

/* kernel, cma_priv.h: enum rdma_cm_state; nldev.c: fill_res_cm_id_entry. */
Test(end, resource_has_its_state_and_addresses)
{
	static const struct {
		const char *name;
		uint32_t (*make)(void);
		uint8_t state, type;
		uint32_t qpn;
		uint32_t src, dst; /* 0: none */
	} rows[] = {
		{ "bound", of_bound, 7, 2, 0, LEFT_IP, 0 },
		{ "resolved", of_resolved, 2, 2, 0, LEFT_IP, RIGHT_IP },
		{ "route known", of_route, 4, 2, 0, LEFT_IP, RIGHT_IP },
		{ "REQ sent", req_sent, 5, 2, 0x20abc, LEFT_IP, RIGHT_IP },
		{ "REQ received", req_rcvd, 5, 2, 0, LEFT_IP, RIGHT_IP },
		{ "established", established, 5, 2, 0x10def, LEFT_IP, RIGHT_IP },
		{ "DREQ received", dreq_rcvd, 6, 2, 0x10def, LEFT_IP, RIGHT_IP },
		{ "SIDR_REQ received", sidr_req_rcvd, 5, 4, 0, LEFT_IP, RIGHT_IP },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id = rows[i].make();
		struct ucma_resource *all, *r = NULL;
		struct sockaddr_storage none = { 0 };
		struct sockaddr_in src, dst;
		size_t n;

		create(&left, RDMA_PS_TCP, 1); /* has no device, so it is not listed */
		all = ucma_resources(left.u, &n);
		for (size_t k = 0; k < n; k++)
			if (all[k].number == id)
				r = &all[k];
		cr_assert_not_null(r, "%s", rows[i].name);
		memcpy(&src, &r->src, sizeof(src));
		memcpy(&dst, &r->dst, sizeof(dst));
		cr_expect_eq(r->state, rows[i].state, "%s: %u", rows[i].name, r->state);
		cr_expect_eq(r->type, rows[i].type, "%s", rows[i].name);
		cr_expect_eq(r->qpn, rows[i].qpn, "%s: %#x", rows[i].name, r->qpn);
		cr_expect_eq(ntohl(src.sin_addr.s_addr), rows[i].src, "%s", rows[i].name);
		cr_expect_eq(ntohl(dst.sin_addr.s_addr), rows[i].dst, "%s", rows[i].name);
		cr_expect_eq(dst.sin_family, rows[i].dst ? AF_INET : 0, "%s", rows[i].name);
		cr_expect_arr_eq((char *)&r->src + 8, &none, sizeof(none) - 8);
		cr_expect_arr_eq((char *)&r->dst + 8, &none, sizeof(none) - 8);
		cr_expect_leq(n, 2, "%s: with a listener, if any", rows[i].name);
		free(all);
		rig_again();
	}
}

/* ---- identity ---- */

/* Three connections of one listener: each message reaches its own. */
Test(end, of_one_of_three_connections)
{
	uint32_t c[3], s[3];

	listener(&left, RDMA_PS_TCP, PORT);
	for (int i = 0; i < 3; i++) {
		c[i] = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
		cr_assert_eq(connect_id(&right, c[i], ""), 0);
	}
	pump();
	for (int i = 0; i < 3; i++)
		s[i] = expect(&left, EV_CONNECT_REQUEST, 0).id;
	for (int i = 2; i >= 0; i--)
		cr_assert_eq(accept_id(&left, s[i], 0x3000 + i, ""), 0);
	pump();
	for (int i = 2; i >= 0; i--)
		cr_expect_eq(expect(&right, EV_CONNECT_RESPONSE, 0).id, c[i]);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(accept_id(&right, c[i], 0, NULL), 0);
	pump();
	for (int i = 0; i < 3; i++)
		cr_expect_eq(expect(&left, EV_ESTABLISHED, 0).uid, 0x3000u + i);
	done(disconnect_id(&right, c[1]));
	cr_expect_eq(expect(&left, EV_DISCONNECTED, 0).id, s[1]);
	cr_expect_eq(event(&left).event, NO_EVENT);
	destroy(&right, c[0], NULL);
	pump();
	cr_expect_eq(expect(&left, EV_DISCONNECTED, 0).id, s[0]);
	cr_expect_eq(event(&left).event, NO_EVENT);
}

/* ---- IPv6 ---- */

/* fe80::@first:…:@last, RoCE v2, at index 1 of the port. */
static struct sockaddr_in6 link_local(struct side *s, uint8_t last)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	uint8_t ip[16] = { 0xfe, 0x80, [8] = 0, 0xc5, 0x0a, 0xff, 0xfe, 0, 0, last };

	memcpy(&a.sin6_addr, ip, 16);
	if (s) {
		s->hca.port.gid[1].valid = true;
		s->hca.port.gid[1].version = 2;
		memcpy(s->hca.port.gid[1].raw, ip, 16);
	}
	return a;
}

static void check_resource(uint32_t id, const struct sockaddr_in6 *src,
			   const struct sockaddr_in6 *dst)
{
	size_t n, i = 0;
	struct ucma_resource *all = ucma_resources(left.u, &n);
	struct sockaddr_storage s = { 0 }, d = { 0 };

	memcpy(&s, src, sizeof(*src));
	memcpy(&d, dst, sizeof(*dst));
	memcpy(&((struct sockaddr_in6 *)&d)->sin6_port, last(CM_REQ) + REQ_PRIVATE + CMA_PORT,
	       2);
	while (i < n && all[i].number != id)
		i++;
	cr_assert_lt(i, n);
	cr_expect_arr_eq(&all[i].src, &s, sizeof(s));
	cr_expect_arr_eq(&all[i].dst, &d, sizeof(d));
	free(all);
}

/* The header of annex A11 carries both addresses: a listener is found by its own, all of it. */
Test(end, of_a_connection_by_ipv6)
{
	struct sockaddr_in6 here = link_local(&left, 1), there = link_local(&right, 2);
	struct rdma_ucm_bind_ip bind = { .id = create(&left, RDMA_PS_TCP, 0x1000),
					 .addr = here };
	struct rdma_ucm_resolve_ip to = { .id = create(&right, RDMA_PS_TCP, 1),
					  .dst_addr = here };
	struct rdma_ucm_query_route_resp r;
	uint32_t id;
	struct rdma_ucm_resolve_route route = { to.id, 1 };

	rig_ipv6 = true;
	cr_assert_eq(CALL(&left, BIND_IP, bind, 0), 0);
	cr_assert_eq(listen_on(&left, bind.id, 1), 0);
	cr_assert_eq(CALL(&right, RESOLVE_IP, to, 0), 0);
	expect(&right, EV_ADDR_RESOLVED, 0);
	cr_assert_eq(CALL(&right, RESOLVE_ROUTE, route, 0), 0);
	expect(&right, EV_ROUTE_RESOLVED, 0);
	done(connect_id(&right, to.id, ""));
	cr_expect_eq(last(CM_REQ)[REQ_PRIVATE + CMA_IP_VERSION], 0x60);
	cr_expect_arr_eq(last(CM_REQ) + REQ_PRIVATE + CMA_SRC, &there.sin6_addr, 16);
	cr_expect_arr_eq(last(CM_REQ) + REQ_PRIVATE + CMA_DST, &here.sin6_addr, 16);
	id = expect(&left, EV_CONNECT_REQUEST, 0).id;
	r = route_of(&left, id);
	cr_expect_eq(r.src_addr.sin6_family, AF_INET6);
	cr_expect_arr_eq(&r.src_addr.sin6_addr, &here.sin6_addr, 16);
	cr_expect_eq(r.src_addr.sin6_port, htons(PORT));
	cr_expect_arr_eq(&r.dst_addr.sin6_addr, &there.sin6_addr, 16);
	cr_expect_arr_eq(r.ib_route[0].dgid, &there.sin6_addr, 16);
	check_resource(id, &here, &there);
	for (int byte = 0; byte < 16; byte++) { /* of the destination */
		uint8_t req[MAD_BYTES];

		memcpy(req, last(CM_REQ), MAD_BYTES);
		mad_set(req, CM_LOCAL_ID, 0x02000000 + byte);
		req[REQ_PRIVATE + CMA_DST + byte] ^= 1;
		replay(&left, req);
		cr_expect_eq(event(&left).event, NO_EVENT, "byte %d", byte);
	}
}
