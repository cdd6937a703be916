/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that get lost, peers that take their time, and peers that never answer.
 */
#include "rig.h"

TestSuite(lost, .init = rig_start, .fini = rig_end);

static uint32_t client_of_listener(void)
{
	listener(&left, RDMA_PS_TCP, PORT);
	return ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
}

Test(lost, a_req_is_sent_again)
{
	uint32_t client = client_of_listener();

	left.cut_off = true;
	done(connect_id(&right, client, ""));
	left.cut_off = false;
	due(REQ_PATIENCE - SECOND);
	cr_assert_eq(count(&left, CM_REQ), 0, "not yet");
	due(2 * SECOND);
	cr_assert_eq(count(&left, CM_REQ), 1);
	expect(&left, EV_CONNECT_REQUEST, 0);
	due(REQ_PATIENCE - 2 * SECOND);
	cr_assert_eq(count(&left, CM_REQ), 1, "each time as late");
	due(3 * SECOND);
	cr_assert_eq(count(&left, CM_REQ), 2);
}

Test(lost, no_answer_ever_arrives)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);

	left.cut_off = true;
	connect_id(&right, client, "");
	for (int i = 0; i < 15; i++) {
		due(REQ_PATIENCE + SECOND / 10);
		cr_assert_eq(event(&right).event, NO_EVENT, "after %d of 15 retries", i);
	}
	due(REQ_PATIENCE + SECOND / 10);
	expect(&right, EV_UNREACHABLE, -ETIMEDOUT);
	due(100 * SECOND);
	cr_assert_eq(event(&right).event, NO_EVENT);
}

Test(lost, a_rep_is_sent_again)
{
	uint32_t client = client_of_listener(), server;

	server = requested(client);
	right.cut_off = true;
	done(accept_id(&left, server, 0x3000, ""));
	right.cut_off = false;
	due_at(&left, 5 * SECOND);
	expect(&right, EV_CONNECT_RESPONSE, 0);
}

Test(lost, an_rtu_is_sent_again_for_a_rep)
{
	uint32_t client = client_of_listener(), server;

	server = requested(client);
	done(accept_id(&left, server, 0x3000, ""));
	expect(&right, EV_CONNECT_RESPONSE, 0);
	left.cut_off = true;
	done(accept_id(&right, client, 0, NULL));
	left.cut_off = false;
	cr_assert_eq(event(&left).event, NO_EVENT);
	due(5 * SECOND);
	cr_assert_eq(count(&right, CM_REP), 2);
	expect(&left, EV_ESTABLISHED, 0);
	cr_assert_eq(event(&right).event, NO_EVENT, "one response is enough");
}

Test(lost, a_server_that_thinks_is_waited_for)
{
	uint32_t client = client_of_listener();

	done(connect_id(&right, client, ""));
	due(REQ_PATIENCE + SECOND / 10);
	cr_assert_eq(count(&left, CM_REQ), 2);
	cr_assert_eq(count(&right, CM_MRA), 1);
	expect(&left, EV_CONNECT_REQUEST, 0);
	cr_assert_eq(event(&left).event, NO_EVENT, "the same request");
	/* The MRA asked for 2^(24-8) ms. */
	due(60 * SECOND);
	cr_assert_eq(count(&left, CM_REQ), 2);
	due(10 * SECOND);
	cr_assert_eq(count(&left, CM_REQ), 3);
}

Test(lost, a_dreq_is_sent_again_and_at_last_given_up)
{
	struct link l = connected();

	left.cut_off = true;
	disconnect_id(&right, l.client);
	for (int i = 0; i < 15; i++) {
		due(REQ_PATIENCE + SECOND / 10);
		cr_assert_eq(event(&right).event, NO_EVENT);
	}
	due(REQ_PATIENCE + SECOND / 10);
	expect(&right, EV_DISCONNECTED, -ETIMEDOUT);
}

Test(lost, a_drep_is_given_again)
{
	struct link l = connected();

	done(disconnect_id(&right, l.client));
	expect(&left, EV_DISCONNECTED, 0);
	right.cut_off = true;
	done(disconnect_id(&left, l.server));
	right.cut_off = false;
	due(REQ_PATIENCE + SECOND / 10);
	cr_assert_eq(count(&left, CM_DREQ), 2);
	expect(&right, EV_DISCONNECTED, 0);
}

Test(lost, an_unknown_peer_gets_a_drep)
{
	struct link l = connected();

	right.cut_off = true;
	destroy(&left, l.server, NULL);
	pump();
	right.cut_off = false;
	done(disconnect_id(&right, l.client));
	expect(&right, EV_DISCONNECTED, 0);
}

Test(lost, who_gives_up_waiting_is_not_connected_later)
{
	uint32_t client = client_of_listener(), server;

	server = requested(client);
	destroy(&right, client, NULL);
	done(accept_id(&left, server, 0x3000, ""));
	expect(&left, EV_REJECTED, CM_REJ_INVALID_COMM_ID);
}
