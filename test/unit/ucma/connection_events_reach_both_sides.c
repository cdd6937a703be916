/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From CONNECT to TIMEWAIT_EXIT: events on both sides, what they carry, how the QP is modified.
 */
#include <infiniband/verbs.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "rig.h"
#include "ucma/id.h"

TestSuite(connection, .init = rig_start, .fini = rig_end);

static bool readable(const struct side *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

Test(connection, events_carry_what_the_peer_said)
{
	uint32_t listen_id = listener(&left, RDMA_PS_TCP, PORT);
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	struct rdma_ucm_event_resp e;

	cr_assert_not(readable(&left));
	done(connect_id(&right, client, "hello"));
	cr_assert(readable(&left));
	e = expect(&left, EV_CONNECT_REQUEST, 0);
	cr_assert_not(readable(&left));
	cr_assert_eq(e.uid, 0x1000, "the listener's");
	cr_assert_neq(e.id, listen_id);
	cr_assert_eq(e.param.conn.qp_num, 0x20abc);
	cr_assert_eq(e.param.conn.responder_resources, 5, "what the peer will start");
	EQUALS(E(e.param.conn.initiator_depth, 3), E(e.param.conn.retry_count, 6),
	       E(e.param.conn.rnr_retry_count, 7), E(e.param.conn.private_data_len, 56));
	cr_assert_str_eq((char *)e.param.conn.private_data, "hello");
	done(accept_id(&left, e.id, 0x3000, "welcome"));
	e = expect(&right, EV_CONNECT_RESPONSE, 0);
	EQUALS(E(e.uid, 0x2000), E(e.id, client), E(e.param.conn.qp_num, 0x10def),
	       E(e.param.conn.responder_resources, 2), E(e.param.conn.initiator_depth, 4),
	       E(e.param.conn.private_data_len, 196));
	cr_assert_str_eq((char *)e.param.conn.private_data, "welcome");
	cr_assert_eq(event(&left).event, NO_EVENT, "not before the RTU");
	done(accept_id(&right, client, 0, NULL));
	e = expect(&left, EV_ESTABLISHED, 0);
	cr_assert_eq(e.uid, 0x3000, "the one of the accept");
}

/* The right side connects; the event that the listener on the left has of it. */
static struct rdma_ucm_event_resp request(struct rdma_ucm_connect *connect)
{
	connect->id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	cr_assert_eq(CALL(&right, CONNECT, *connect, 0), 0);
	pump();
	return expect(&left, EV_CONNECT_REQUEST, 0);
}

/* Flow control and SRQ, each alone, of each side. */
Test(connection, flags_are_passed_each_by_itself)
{
	for (unsigned int i = 0; i < 16; i++) {
		struct rdma_ucm_conn_param p = { .valid = 1,
						 .flow_control = i & 1,
						 .srq = i >> 1 & 1 };
		struct rdma_ucm_connect connect = { .conn_param = p };
		struct rdma_ucm_accept accept = {
			.conn_param = { .valid = 1, .flow_control = i >> 2 & 1, .srq = i >> 3 }
		};
		struct rdma_ucm_event_resp e;
		uint32_t id = listener(&left, RDMA_PS_TCP, PORT);

		e = request(&connect);
		cr_expect_eq(e.param.conn.flow_control, i & 1, "%u", i);
		cr_expect_eq(e.param.conn.srq, i >> 1 & 1, "%u", i);
		accept.id = e.id;
		cr_assert_eq(CALL(&left, ACCEPT, accept, 0), 0);
		pump();
		e = expect(&right, EV_CONNECT_RESPONSE, 0);
		cr_expect_eq(e.param.conn.flow_control, i >> 2 & 1, "%u", i);
		cr_expect_eq(e.param.conn.srq, i >> 3, "%u", i);
		destroy(&left, id, NULL);
		rig_again();
	}
}

/* Counts have 3 bits in REQ and REP; the sender's is the least of both. */
Test(connection, counts_of_retries_are_passed)
{
	static const uint8_t rows[][4] = { { 0, 1, 0, 1 }, { 1, 0, 1, 0 }, { 6, 5, 6, 5 },
					   { 7, 7, 7, 7 }, { 8, 9, 7, 7 }, { 255, 8, 7, 7 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdma_ucm_connect connect = { .conn_param = { .valid = 1,
								    .retry_count = rows[i][0],
								    .rnr_retry_count =
									    rows[i][1] } };
		struct rdma_ucm_accept accept = {
			.conn_param = { .valid = 1, .rnr_retry_count = rows[i][0] }
		};
		struct rdma_ucm_event_resp e;
		struct ib_uverbs_qp_attr a;
		uint32_t id = listener(&left, RDMA_PS_TCP, PORT);

		e = request(&connect);
		cr_expect_eq(e.param.conn.retry_count, rows[i][2], "row %zu", i);
		cr_expect_eq(e.param.conn.rnr_retry_count, rows[i][3], "row %zu", i);
		accept.id = e.id;
		cr_assert_eq(attributes(&left, e.id, IBV_QPS_RTS, &a), 0);
		cr_expect_eq(a.retry_cnt, rows[i][2], "row %zu", i);
		cr_expect_eq(a.rnr_retry, rows[i][3], "row %zu", i);
		cr_assert_eq(CALL(&left, ACCEPT, accept, 0), 0);
		pump();
		e = expect(&right, EV_CONNECT_RESPONSE, 0);
		cr_expect_eq(e.param.conn.rnr_retry_count, rows[i][2], "row %zu", i);
		cr_assert_eq(attributes(&right, connect.id, IBV_QPS_RTS, &a), 0);
		cr_expect_eq(a.retry_cnt, rows[i][2], "row %zu", i);
		cr_expect_eq(a.rnr_retry, rows[i][2], "row %zu", i);
		destroy(&left, id, NULL);
		rig_again();
	}
}

/* A process that exits: its adapter is removed before its files are closed. */
Test(connection, of_a_process_that_exits_ends)
{
	connected();
	ucma_remove(left.u);
	cr_expect_eq(left.u->ids.used, 0);
	drain(&right);
	expect(&right, EV_DISCONNECTED, 0);
	cr_expect_not(core_inside());
}

static void check_rtr(const struct ib_uverbs_qp_attr *a, uint32_t qpn, uint8_t last_of_ip)
{
	static const uint8_t gid[15] = { [10] = 0xff, [11] = 0xff, 10, 0, 0 };

	cr_assert_eq(a->qp_attr_mask, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	EQUALS(E(a->qp_state, IBV_QPS_RTR), E(a->path_mtu, IBV_MTU_1024),
	       E(a->dest_qp_num, qpn));
	cr_assert_arr_eq(a->ah_attr.grh.dgid, gid, 15);
	cr_assert_eq(a->ah_attr.grh.dgid[15], last_of_ip);
	cr_assert_eq(a->ah_attr.grh.sgid_index, 3, "RoCE v2");
	EQUALS(E(a->ah_attr.grh.hop_limit, 64), E(a->ah_attr.is_global, 1),
	       E(a->ah_attr.port_num, 1));
}

Test(connection, qp_attributes_of_both_ends_fit)
{
	struct ib_uverbs_qp_attr s, c;
	struct link l = connected();

	cr_assert_eq(attributes(&left, l.server, IBV_QPS_INIT, &s), 0);
	cr_assert_eq(s.qp_attr_mask,
		     IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT);
	cr_assert_eq(s.qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
						IBV_ACCESS_REMOTE_ATOMIC);
	EQUALS(E(s.port_num, 1), E(s.pkey_index, 0));
	cr_assert_eq(attributes(&left, l.server, IBV_QPS_RTR, &s), 0);
	cr_assert_eq(attributes(&right, l.client, IBV_QPS_RTR, &c), 0);
	check_rtr(&s, 0x20abc, 2);
	check_rtr(&c, 0x10def, 1);
	EQUALS(E(s.max_dest_rd_atomic, 4), E(c.max_dest_rd_atomic, 2),
	       E(s.ah_attr.grh.flow_label, c.ah_attr.grh.flow_label));
	uint32_t server_rq = s.rq_psn, client_rq = c.rq_psn;

	cr_assert_eq(attributes(&left, l.server, IBV_QPS_RTS, &s), 0);
	cr_assert_eq(attributes(&right, l.client, IBV_QPS_RTS, &c), 0);
	cr_assert_eq(s.qp_attr_mask, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT |
					     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
					     IBV_QP_TIMEOUT);
	EQUALS(E(s.sq_psn, client_rq), E(c.sq_psn, server_rq), E(s.retry_cnt, 6),
	       E(s.rnr_retry, 7), E(s.max_rd_atomic, 2), E(c.max_rd_atomic, 4),
	       E(s.timeout, 19), E(c.timeout, 19));
	cr_assert_eq(attributes(&right, l.client, IBV_QPS_SQD, &c), -EINVAL);
}

Test(connection, before_it_is_connected_a_qp_may_go_to_init)
{
	uint32_t id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	struct ib_uverbs_qp_attr a;

	cr_assert_eq(attributes(&right, id, IBV_QPS_INIT, &a), 0);
	EQUALS(E(a.qp_access_flags, 0), E(a.port_num, 1));
	cr_assert_eq(a.qp_attr_mask,
		     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	id = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT);
	cr_assert_eq(attributes(&right, id, IBV_QPS_INIT, &a), 0);
	cr_assert_eq(a.qp_attr_mask,
		     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	EQUALS(E(a.qkey, 0x01234567), E(a.port_num, 1));
	cr_assert_eq(attributes(&right, create(&right, RDMA_PS_TCP, 1), IBV_QPS_INIT, &a),
		     -EINVAL, "no adapter yet");
}

Test(connection, ends_with_dreq_and_drep_and_a_wait)
{
	struct link l = connected();

	done(disconnect_id(&right, l.client));
	expect(&left, EV_DISCONNECTED, 0);
	cr_assert_eq(event(&right).event, NO_EVENT, "not before the DREP");
	done(disconnect_id(&left, l.server));
	expect(&right, EV_DISCONNECTED, 0);
	due(SECOND);
	cr_assert_eq(event(&left).event, NO_EVENT);
	due(2 * SECOND);
	expect(&left, EV_TIMEWAIT_EXIT, 0);
	expect(&right, EV_TIMEWAIT_EXIT, 0);
}

Test(connection, that_is_destroyed_says_so)
{
	struct link l = connected();
	uint32_t reported;

	cr_assert_eq(destroy(&right, l.client, &reported), 0);
	cr_assert_eq(reported, 3, "two resolved, one response");
	pump();
	cr_assert_eq(count(&left, CM_DREQ), 1);
	expect(&left, EV_DISCONNECTED, 0);
	cr_assert_eq(destroy(&left, l.server, &reported), 0);
	cr_assert_eq(reported, 2, "established, disconnected; the request was the listener's");
	cr_assert_eq(destroy(&left, l.listener, &reported), 0);
	cr_assert_eq(reported, 1);
}

Test(connection, of_a_file_that_is_closed_ends)
{
	int fd = right.fd;

	connected();
	ucma_release(right.f);
	right.f = NULL;
	close(fd);
	pump();
	expect(&left, EV_DISCONNECTED, 0);
	right.f = ucma_open(right.u, true, &right.fd);
}

Test(connection, of_a_peer_that_vanished_ends)
{
	struct wire *other = right.w;
	struct ib_uverbs_qp_attr a;
	struct link l = connected();

	due(SECOND);
	cr_assert_eq(event(&left).event, NO_EVENT);
	wire_abandon(other); /* as if killed */
	left.now += SECOND;
	left.hca.due(&left.hca, left.now);
	expect(&left, EV_DISCONNECTED, 0);
	cr_assert_eq(attributes(&left, l.server, IBV_QPS_RTS, &a), -EINVAL, "it is over");
	due_at(&left, SECOND);
	cr_assert_eq(event(&left).event, NO_EVENT);
}

Test(connection, early_data_establishes_it)
{
	uint32_t client, server;
	struct rdma_ucm_notify cmd;

	listener(&left, RDMA_PS_TCP, PORT);
	client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	server = requested(client);
	cmd = (struct rdma_ucm_notify){ server, IBV_EVENT_COMM_EST };
	cr_assert_eq(CALL(&left, NOTIFY, cmd, 0), -EINVAL, "before the REP");
	cr_assert_eq(event(&left).event, NO_EVENT);
	accept_id(&left, server, 0x3000, "");
	cr_assert_eq(CALL(&left, NOTIFY, cmd, 0), 0);
	expect(&left, EV_ESTABLISHED, 0);
	cr_assert_eq(CALL(&left, NOTIFY, cmd, 0), -EISCONN);
	cmd.event = IBV_EVENT_PATH_MIG;
	cr_assert_eq(CALL(&left, NOTIFY, cmd, 0), -EINVAL);
}

Test(connection, moves_to_another_file_with_its_events)
{
	struct link l = connected();
	struct rdma_ucm_migrate_resp r;
	struct rdma_ucm_migrate_id cmd = { (uintptr_t)&r, l.server, left.fd };
	struct side to = left;

	done(disconnect_id(&right, l.client));
	to.f = ucma_open(left.u, true, &to.fd);
	fcntl(to.fd, F_SETFL, O_NONBLOCK);
	cr_assert_eq(CALL(&to, MIGRATE_ID, cmd, sizeof(r)), 0);
	cr_assert_eq(r.events_reported, 1);
	cr_assert_eq(event(&left).event, NO_EVENT);
	cr_assert_not(readable(&left));
	cr_assert(readable(&to));
	expect(&to, EV_DISCONNECTED, 0);
	cr_assert_eq(disconnect_id(&left, l.server), -EINVAL, "another file's");
	cr_assert_eq(disconnect_id(&to, l.server), 0);
	cmd.fd = 0;
	cr_assert_eq(CALL(&to, MIGRATE_ID, cmd, sizeof(r)), -EINVAL, "not a file of rdma_cm");
	ucma_release(to.f);
	close(to.fd);
}
