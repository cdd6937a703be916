/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of every message, by hand from the tables of the InfiniBand specification, volume
 * 1, chapter 12. Random values (ids, transaction, PSN) are compared where they have to recur.
 */
#include <stdio.h>

#include "rig.h"
#include "ucma/id.h"

TestSuite(message, .init = rig_start, .fini = rig_end);

static void bytes(const uint8_t *mad, size_t at, const char *hex)
{
	for (size_t i = 0; hex[2 * i]; i++) {
		unsigned int want;

		sscanf(hex + 2 * i, "%2x", &want);
		cr_assert_eq(mad[at + i], want, "byte %zu: %02x, not %02x", at + i, mad[at + i],
			     want);
	}
}

Test(message, req)
{
	uint32_t id;
	const uint8_t *m;

	listener(&left, RDMA_PS_TCP, PORT);
	id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	done(connect_id(&right, id, "hello"));
	m = last(CM_REQ);
	bytes(m, 0,
	      "01070203"		  /* version 1, CM, class version 2, Send */
	      "00000000");		  /* status */
	bytes(m, 16, "0010000000000000"); /* ConnectRequest */
	cr_assert_eq(m[24], 2);		  /* local communication id: of slot 2 */
	bytes(m, 28,
	      "00000000"
	      "0000000001061c06" /* service: TCP port 7174 */
	      "00c5c0000a000002" /* CA GUID */
	      "0000000000000000" /* reserved, Q_Key */
	      "020abc"		 /* QPN */
	      "03"		 /* responder resources */
	      "00000005"	 /* EECN, initiator depth */
	      "000000a0");	 /* EECN, 20 << 3 | RC << 1 | no flow control */
	/* 68: starting PSN, chance */
	bytes(m, 71,
	      "a6"	 /* 20 << 3 | retry count 6 */
	      "ffff"	 /* P_Key */
	      "37"	 /* MTU 1024, no RDC, RNR retry 7 */
	      "f0"	 /* 15 CM retries, no SRQ */
	      "ffffffff" /* permissive LIDs */
	      "00000000000000000000ffff0a000002"
	      "00000000000000000000ffff0a000001");
	bytes(m, 115,
	      "10"     /* rate 100 Gb/s */
	      "004000" /* class, hop limit 64, SL 0 and not subnet local */
	      "98");   /* ack timeout 19 << 3 */
	bytes(m, 120,
	      "0000000000000000000000000000000000000000000000000000000000000000"
	      "000000000000000000000000"); /* no alternate path */
	bytes(m, 164, "0040");		   /* CMA header: version 0, IPv4 */
	bytes(m, 168,
	      "0000000000000000000000000a000002" /* from */
	      "0000000000000000000000000a000001" /* to */
	      "68656c6c6f00000000");		 /* hello */
	/* the flow label is made of the ports */
	cr_assert_eq(core_be32(m + 112) >> 12,
		     ((uint32_t)(m[166] << 8 | m[167]) * 31 + PORT) & 0xfffff);
}

Test(message, rep_and_rtu)
{
	const uint8_t *req, *rep, *rtu;

	connected();
	req = last(CM_REQ);
	rep = last(CM_REP);
	rtu = last(CM_RTU);
	bytes(rep, 0, "0107020300000000");
	cr_assert_arr_eq(rep + 8, req + 8, 8); /* same transaction */
	bytes(rep, 16, "0013000000000000");
	cr_assert_eq(rep[24], 1);		 /* of slot 1 */
	cr_assert_arr_eq(rep + 28, req + 24, 4); /* for whom */
	bytes(rep, 32,
	      "00000000"   /* Q_Key */
	      "010def00"   /* QPN */
	      "00000000"); /* EECN */
	bytes(rep, 47,
	      "00"
	      "04" /* responder resources */
	      "02" /* initiator depth */
	      "80" /* target ack delay 16 << 3 */
	      "e0" /* RNR retry 7 << 5, no SRQ */
	      "00c5c0000a000001"
	      "77656c636f6d6500"); /* welcome */
	bytes(rtu, 0, "0107020300000000");
	cr_assert_arr_eq(rtu + 8, req + 8, 8);
	bytes(rtu, 16, "0014000000000000");
	cr_assert_arr_eq(rtu + 24, req + 24, 4);
	cr_assert_arr_eq(rtu + 28, rep + 24, 4);
	for (int i = 32; i < MAD_BYTES; i++)
		cr_assert_eq(rtu[i], 0);
}

Test(message, dreq_and_drep)
{
	struct link l = connected();
	const uint8_t *req = last(CM_REQ), *rep = last(CM_REP), *dreq, *drep;

	done(disconnect_id(&right, l.client));
	done(disconnect_id(&left, l.server));
	dreq = last(CM_DREQ);
	drep = last(CM_DREP);
	bytes(dreq, 16, "0015000000000000");
	cr_assert_arr_eq(dreq + 24, req + 24, 4);
	cr_assert_arr_eq(dreq + 28, rep + 24, 4);
	bytes(dreq, 32, "010def00"); /* whose QP it is that ends */
	bytes(drep, 16, "0016000000000000");
	cr_assert_arr_eq(drep + 8, dreq + 8, 8);
	cr_assert_arr_eq(drep + 24, rep + 24, 4);
	cr_assert_arr_eq(drep + 28, req + 24, 4);
}

Test(message, rej)
{
	const uint8_t *req, *rej;
	uint32_t id, server;

	listener(&left, RDMA_PS_TCP, PORT);
	id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	server = requested(id);
	done(reject_id(&left, server, 0, "no"));
	req = last(CM_REQ);
	rej = last(CM_REJ);
	bytes(rej, 16, "0012000000000000");
	cr_assert_arr_eq(rej + 28, req + 24, 4);
	bytes(rej, 32,
	      "00"     /* of the REQ */
	      "00"     /* no information */
	      "001c"); /* 28: the consumer's decision */
	bytes(rej, 108, "6e6f00");
}

/* A REQ and a REP that no connection is there for, and a REQ that is given up, by its GUID. */
Test(message, rej_of_a_process_without_the_connection)
{
	uint32_t id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), server;
	const uint8_t *rej;

	done(connect_id(&right, id, ""));
	rej = last(CM_REJ);
	cr_assert_arr_eq(rej + 8, last(CM_REQ) + 8, 8);
	bytes(rej, 24, "00000000");
	cr_assert_arr_eq(rej + 28, last(CM_REQ) + 24, 4);
	bytes(rej, 32,
	      "00"	 /* of a REQ */
	      "000008"); /* invalid service */
	expect(&right, EV_REJECTED, 8);
	listener(&left, RDMA_PS_TCP, PORT);
	id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT);
	server = requested(id);
	destroy(&right, id, NULL);
	left.cut_off = true; /* does not get the REJ */
	pump();
	left.cut_off = false;
	done(accept_id(&left, server, 1, ""));
	rej = last(CM_REJ);
	cr_assert_arr_eq(rej + 8, last(CM_REP) + 8, 8);
	cr_assert_arr_eq(rej + 24, last(CM_REP) + 28, 4);
	cr_assert_arr_eq(rej + 28, last(CM_REP) + 24, 4);
	bytes(rej, 32,
	      "40"	 /* of a REP */
	      "000006"); /* invalid communication id */
	done(connect_id(&right, id = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), ""));
	destroy(&right, id, NULL);
	pump();
	bytes(last(CM_REJ), 32,
	      "80"   /* of neither */
	      "10"   /* 8 << 1 bytes of information */
	      "0004" /* timeout */
	      "00c5c0000a000002");
}

/* kernel, <rdma/ib_verbs.h>, rdma_get_udp_sport: of the flow label, 31 * 50000 + 7174 & fffff,
 * 7c2b6; of an answer without one, of 1. */
Test(message, is_in_this_frame)
{
	struct rdma_ucm_resolve_route route = { create(&right, RDMA_PS_TCP, 1), 1 };
	struct rdma_ucm_set_option tos = { (uintptr_t) & (uint8_t){ 0xa4 }, route.id,
					   RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 1 };
	const struct wire_packet *p;

	cr_assert_eq(CALL(&right, SET_OPTION, tos, 0), 0);
	cr_assert_eq(bind_ip(&right, route.id, 0x0a000002, 50000), 0);
	cr_assert_eq(resolve(&right, route.id, LEFT_IP, PORT), 0);
	cr_assert_eq(CALL(&right, RESOLVE_ROUTE, route, 0), 0);
	done(connect_id(&right, route.id, ""));
	cr_assert_eq(nseen, 2, "REQ, REJ");
	p = &seen[0].p;
	cr_expect_eq(p->udp_sport, 0xc2a9, "%#x", p->udp_sport);
	EQUALS(E(p->tclass, 0xa4), E(p->hop_limit, 64), E(p->psn, 0));
	p = &seen[1].p;
	cr_expect_eq(p->udp_sport, 0xc001, "%#x", p->udp_sport);
	EQUALS(E(p->tclass, 0), E(p->hop_limit, 64), E(p->psn, 0));
	drop_events(&right);
	connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), "");
	right.u->psn = 0xffffff;
	connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), "");
	done(connect_id(&right, ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), ""));
	cr_expect_eq(core_be32(seen[3].mad + 12), core_be32(seen[2].mad + 12) + 1,
		     "transaction");
	cr_expect_neq(memcmp(seen[2].mad + 8, (uint8_t[8]){ 0 }, 8), 0);
	EQUALS(E(seen[2].p.psn, 1), E(seen[3].p.psn, 0xffffff), E(seen[4].p.psn, 0));
}

Test(message, sidr_req_and_rep)
{
	const uint8_t *req, *rep;
	uint32_t id, server;

	listener(&left, RDMA_PS_UDP, PORT);
	id = ready(&right, RDMA_PS_UDP, LEFT_IP, PORT);
	done(connect_id(&right, id, "hi"));
	server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	done(accept_id(&left, server, 0x3000, "yes"));
	req = last(CM_SIDR_REQ);
	rep = last(CM_SIDR_REP);
	bytes(req, 16, "0017000000000000");
	cr_assert_eq(req[24], 2);
	bytes(req, 28,
	      "ffff0000"	 /* P_Key */
	      "0000000001111c06" /* UDP port 7174 */
	      "0040");
	bytes(req, 44,
	      "0000000000000000000000000a000002"
	      "0000000000000000000000000a000001"
	      "686900");
	bytes(rep, 16, "0018000000000000");
	cr_assert_arr_eq(rep + 8, req + 8, 8);
	cr_assert_arr_eq(rep + 24, req + 24, 4);
	bytes(rep, 28,
	      "00000000" /* valid */
	      "010def00" /* QPN */
	      "0000000001111c06"
	      "01234567"); /* Q_Key */
	bytes(rep, 120, "79657300");
	/* The next request is another transaction. */
	drop_events(&right);
	done(connect_id(&right, ready(&right, RDMA_PS_UDP, LEFT_IP, PORT), ""));
	cr_expect_eq(core_be32(last(CM_SIDR_REQ) + 12), core_be32(req + 12) + 1);
}

/* A field is these bits of 8 bytes, and setting it changes no other. */
Test(message, fields_have_neighbours)
{
	static const struct {
		enum mad_field field;
		uint8_t at;
		const char *bits;
	} rows[] = {
		{ MAD_TID, 8, "ffffffffffffffff" },
		{ REQ_QPN, 24 + 32, "ffffff0000000000" },
		{ REQ_REMOTE_RESPONSE_TIMEOUT, 24 + 43, "f800000000000000" },
		{ REQ_TRANSPORT, 24 + 43, "0600000000000000" },
		{ REQ_FLOW_CONTROL, 24 + 43, "0100000000000000" },
		{ REQ_MTU, 24 + 50, "f000000000000000" },
		{ REQ_RNR_RETRY_COUNT, 24 + 50, "0700000000000000" },
		{ REQ_SRQ, 24 + 51, "0800000000000000" },
		{ REQ_FLOW_LABEL, 24 + 88, "fffff00000000000" },
		{ REQ_RATE, 24 + 88, "0000003f00000000" },
		{ MRA_MESSAGE, 24 + 8, "c000000000000000" },
		{ REJ_INFO_LENGTH, 24 + 8, "00fe000000000000" },
		{ REP_FAILOVER_ACCEPTED, 24 + 26, "0600000000000000" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int ones = 0; ones < 2; ones++) {
			uint8_t mad[MAD_BYTES], was = ones ? 0 : 0xff;

			memset(mad, was, sizeof(mad));
			mad_set(mad, rows[i].field, ones ? UINT64_MAX : 0);
			for (size_t k = 0; k < sizeof(mad); k++)
				mad[k] ^= was;
			bytes(mad, rows[i].at, rows[i].bits);
			cr_expect(!mad[rows[i].at - 1] && !mad[rows[i].at + 8], "row %zu", i);
		}
}
