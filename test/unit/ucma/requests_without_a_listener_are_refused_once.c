/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes of one host: a request reaches both, and exactly one answers.
 */
#include "rig.h"
#include "ucma/id.h"

static void begin(void)
{
	rig_begin(LEFT_IP); /* both have it */
}

TestSuite(refusal, .init = begin, .fini = rig_end);

static void refused(uint32_t client, int reason)
{
	done(connect_id(&right, client, ""));
	expect(&right, EV_REJECTED, reason);
	cr_assert_eq(count(&right, CM_REJ), 1, "%u refusals", count(&right, CM_REJ));
}

Test(refusal, where_no_process_has_the_port)
{
	refused(ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), CM_REJ_INVALID_SERVICE_ID);
	/* One process answers for the host, until it ends. */
	cr_expect(wire_claimed(left.w, "cm/10.0.0.1"));
	ucma_host_leave(left.u);
	ucma_host_leave(right.u);
	cr_expect_not(wire_claimed(left.w, "cm/10.0.0.1"));
}

Test(refusal, comes_from_the_holder_of_a_port_that_does_not_listen)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	cr_assert_eq(bind_ip(&left, id, 0, PORT), 0);
	refused(ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), CM_REJ_INVALID_SERVICE_ID);
}

Test(refusal, of_a_full_backlog)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 0x1000);

	bind_ip(&left, id, 0, PORT);
	listen_on(&left, id, 1);
	done(connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), ""));
	refused(ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), CM_REJ_CONSUMER);
	expect(&left, EV_CONNECT_REQUEST, 0);
	done(connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), ""));
	expect(&left, EV_CONNECT_REQUEST, 0);
}

Test(refusal, by_the_application_carries_its_words)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), server;
	struct rdma_ucm_event_resp e;

	listener(&left, RDMA_PS_TCP, PORT);
	server = requested(client);
	cr_assert_eq(reject_id(&left, server, 9, ""), -EINVAL, "no reason of an application");
	done(reject_id(&left, server, 0, "not today"));
	e = expect(&right, EV_REJECTED, CM_REJ_CONSUMER);
	cr_assert_eq(e.param.conn.private_data_len, 148);
	cr_assert_str_eq((char *)e.param.conn.private_data, "not today");
}

/* left answers and closes its port before right, whose own ring is read first, sees its copy of
 * the request: right refuses, since no process has the port, and the refusal is read before
 * left's answer. */
Test(refusal, of_a_late_process_is_no_answer)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), server;
	uint32_t id = listener(&left, RDMA_PS_TCP, PORT);
	struct rdma_ucm_event_resp e;

	drain(&right); /* from now on its own ring is the first */
	connect_id(&right, client, "");
	drain(&left);
	server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	cr_assert_eq(reject_id(&left, server, 0, "not today"), 0);
	destroy(&left, server, NULL);
	destroy(&left, id, NULL);
	pump();
	cr_assert_eq(count(&right, CM_REJ), 2, "right did not refuse");
	e = expect(&right, EV_REJECTED, CM_REJ_CONSUMER);
	cr_assert_str_eq((char *)e.param.conn.private_data, "not today");
	cr_assert_eq(event(&right).event, NO_EVENT);
}

Test(refusal, of_a_late_process_is_no_answer_of_a_datagram_service)
{
	uint32_t client = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT), server;
	uint32_t id = listener(&left, RDMA_PS_UDP, PORT);

	drain(&right);
	connect_id(&right, client, "");
	drain(&left);
	server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	cr_assert_eq(accept_id(&left, server, 0x3000, "me"), 0);
	destroy(&left, server, NULL);
	destroy(&left, id, NULL);
	pump();
	cr_assert_eq(count(&right, CM_SIDR_REP), 2, "right did not refuse");
	expect(&right, EV_ESTABLISHED, 0);
	cr_assert_eq(event(&right).event, NO_EVENT);
}

Test(refusal, of_a_request_that_was_never_read)
{
	uint32_t id = listener(&left, RDMA_PS_TCP, PORT), udp;

	done(connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), ""));
	destroy(&left, id, NULL);
	pump();
	expect(&right, EV_REJECTED, CM_REJ_CONSUMER);
	/* That of a datagram service is freed, too. */
	udp = listener(&left, RDMA_PS_UDP, PORT);
	done(connect_id(&right, ready(&right, RDMA_PS_UDP, LEFT_IP, PORT), ""));
	destroy(&left, udp, NULL);
	cr_expect_eq(left.u->ids.used, 0);
}

/* The listener is closed as soon as it has its connection; right's own copy of the REQ, for
 * which right would have to refuse if no other process answered, comes last. */
Test(refusal, does_not_come_late)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	uint32_t id = listener(&left, RDMA_PS_TCP, PORT), server;
	static uint8_t req[MAD_BYTES], rej[MAD_BYTES];
	struct hca_mad m = { .sgid = left.hca.port.gid[3].raw,
			     .dgid = left.hca.port.gid[3].raw,
			     .smac = left.hca.port.mac,
			     .bytes = req,
			     .from = 2 };

	done(connect_id(&right, client, ""));
	memcpy(req, last(CM_REQ), MAD_BYTES);
	server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	destroy(&left, id, NULL);
	right.hca.mad(&right.hca, &m);
	pump();
	cr_assert_eq(count(&right, CM_REJ), 0, "the port is kept until there is an answer");
	done(accept_id(&left, server, 0x3000, ""));
	expect(&right, EV_CONNECT_RESPONSE, 0);
	mad_new(rej, CM_REJ, 1);
	mad_set(rej, CM_REMOTE_ID, mad_get(req, CM_LOCAL_ID));
	mad_set(rej, REJ_REASON, CM_REJ_INVALID_SERVICE_ID);
	m.bytes = rej;
	right.hca.mad(&right.hca, &m);
	cr_assert_eq(event(&right).event, NO_EVENT, "one answer, no others");
	done(accept_id(&right, client, 0, NULL));
	expect(&left, EV_ESTABLISHED, 0);
}

Test(refusal, of_a_port_that_another_process_has)
{
	uint32_t a = create(&left, RDMA_PS_TCP, 1), b = create(&right, RDMA_PS_TCP, 1);

	cr_assert_eq(bind_ip(&left, a, 0, PORT), 0);
	cr_assert_eq(bind_ip(&right, b, 0, PORT), -EADDRNOTAVAIL);
	cr_assert_eq(bind_ip(&right, b, LEFT_IP, PORT), -EADDRNOTAVAIL, "the other has all");
	cr_assert_eq(bind_ip(&right, create(&right, RDMA_PS_UDP, 1), 0, PORT), 0);
	destroy(&left, a, NULL);
	cr_assert_eq(bind_ip(&right, b, 0, PORT), 0);
}

Test(refusal, of_a_datagram_service)
{
	uint32_t client = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT), server;
	struct rdma_ucm_event_resp e;

	done(connect_id(&right, client, ""));
	expect(&right, EV_UNREACHABLE, CM_SIDR_UNSUPPORTED);
	listener(&left, RDMA_PS_UDP, PORT);
	client = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT);
	server = requested(client);
	done(reject_id(&left, server, 0, ""));
	expect(&right, EV_UNREACHABLE, CM_SIDR_REJECT);
	client = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT);
	done(connect_id(&right, client, "who"));
	e = expect(&left, EV_CONNECT_REQUEST, 0);
	cr_assert_eq(e.param.ud.private_data_len, 180);
	cr_assert_str_eq((char *)e.param.ud.private_data, "who");
	done(accept_id(&left, e.id, 0x3000, "me"));
	e = expect(&right, EV_ESTABLISHED, 0);
	EQUALS(E(e.param.ud.qp_num, 0x10def), E(e.param.ud.qkey, 0x01234567),
	       E(e.param.ud.ah_attr.grh.sgid_index, 3), E(e.param.ud.private_data_len, 136));
}

/* @mad of a process of this host, or of the network: is it taken from the engine? */
static bool arrives(struct side *s, uint8_t from, const uint8_t *mad)
{
	struct hca_mad m = { .sgid = left.hca.port.gid[3].raw,
			     .dgid = right.hca.port.gid[3].raw,
			     .smac = left.hca.port.mac,
			     .bytes = mad,
			     .from = from };
	bool taken;

	hca_lock(&s->hca);
	taken = s->hca.mad(&s->hca, &m);
	hca_unlock(&s->hca);
	return taken;
}

/* It waits until all that was sent before has arrived: here that never happens. */
Test(refusal, that_waits_ends_with_the_process)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	uint8_t rej[MAD_BYTES];

	connect_id(&right, client, "");
	for (int i = 0; i < 2; i++) {
		mad_new(rej, CM_REJ, 1);
		mad_set(rej, CM_REMOTE_ID, 2 << 24 | 1);
		mad_set(rej, REJ_REASON, CM_REJ_INVALID_SERVICE_ID);
		cr_expect(arrives(&right, 1, rej));
	}
	cr_expect_eq(event(&right).event, NO_EVENT);
}

/* Messages of other hosts reach each process of this one, which takes those for its slot, 2;
 * they are not reported as taken, and neither are requests. */
Test(refusal, of_another_host_is_for_one_process)
{
	static const enum cm_attribute attributes[] = { CM_REQ,	 CM_MRA,      CM_REJ,
							CM_REP,	 CM_RTU,      CM_DREQ,
							CM_DREP, CM_SIDR_REQ, CM_SIDR_REP };
	static const uint8_t slots[] = { 3, 0, 130, 2 };
	uint8_t mad[MAD_BYTES];
	uint32_t conn;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		mad_new(mad, attributes[i], 1);
		cr_expect_not(arrives(&right, WIRE_NETWORK, mad), "%#x", attributes[i]);
		cr_expect_eq(arrives(&right, 1, mad),
			     attributes[i] != CM_REQ && attributes[i] != CM_SIDR_REQ, "%#x",
			     attributes[i]);
	}
	for (int udp = 0; udp < 2; udp++) {
		uint16_t ps = udp ? RDMA_PS_UDP : RDMA_PS_TCP;

		left.cut_off = true;
		done(connect_id(&right, ready(&right, ps, 0x0a000003, PORT), ""));
		conn = 0;
		cr_assert_not_null(core_ids_next(&right.u->conns, &conn));
		for (int i = 0; i < 4; i++) {
			mad_new(mad, udp ? CM_SIDR_REP : CM_REJ, 1);
			mad_set(mad, udp ? SIDR_REQUEST_ID : CM_REMOTE_ID,
				(conn & 0xffffff) | (uint32_t)slots[i] << 24);
			mad_set(mad, udp ? SIDR_REP_STATUS : REJ_REASON, udp ? 1 : 8);
			cr_expect_not(arrives(&right, WIRE_NETWORK, mad));
			cr_expect_eq(event(&right).event,
				     slots[i] != 2 ? NO_EVENT
				     : udp	   ? EV_UNREACHABLE
						   : EV_REJECTED,
				     "slot %u, %d", slots[i], udp);
		}
		rig_end();
		begin();
	}
}
