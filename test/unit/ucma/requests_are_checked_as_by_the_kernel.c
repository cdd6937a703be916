/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that the kernel refuses are refused with its errno.
 */
#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include "rig.h"

TestSuite(request, .init = rig_start, .fini = rig_end);

Test(request, has_a_header)
{
	struct rdma_ucm_cmd_hdr hdr = { 0, 8, 0 };
	uint32_t seen;

	cr_assert_eq(ucma_write(left.f, left.fd, (uintptr_t)&hdr, 7, &seen), -EINVAL);
	cr_assert_eq(ucma_write(left.f, left.fd, (uintptr_t)&hdr, 8, &seen), -EINVAL,
		     "in is too long");
	cr_assert_eq(ucma_write(left.f, left.fd, 8, 16, &seen), -EFAULT);
	hdr = (struct rdma_ucm_cmd_hdr){ 23, 0, 0 };
	cr_assert_eq(ucma_write(left.f, left.fd, (uintptr_t)&hdr, 8, &seen), -EINVAL,
		     "no such command");
	hdr.cmd = RDMA_USER_CM_CMD_GET_OPTION;
	cr_assert_eq(ucma_write(left.f, left.fd, (uintptr_t)&hdr, 8, &seen), -ENOSYS);
}

Test(request, has_space_for_its_answer)
{
	struct rdma_ucm_create_id cmd = { .response = 8, .ps = RDMA_PS_TCP };

	cr_assert_eq(CALL(&left, CREATE_ID, cmd, 3), -ENOSPC);
	cr_assert_eq(CALL(&left, CREATE_ID, cmd, 4), -EFAULT);
	cmd.ps = 7;
	cr_assert_eq(CALL(&left, CREATE_ID, cmd, 4), -EINVAL);
}

/* A connection request that left has got. */
static uint32_t asked(uint16_t ps)
{
	return requested(ready(&right, ps, LEFT_IP, PORT));
}

/* kernel, ucma.c: ucma_get_qp_type */
Test(request, to_create_an_id_has_its_service)
{
	static const struct {
		uint16_t ps, type;
		int result;
		bool ud;
	} rows[] = {
		{ RDMA_PS_TCP, IBV_QPT_UD, 0, false },
		{ RDMA_PS_UDP, IBV_QPT_RC, 0, true },
		{ RDMA_PS_IPOIB, IBV_QPT_RC, 0, true },
		{ RDMA_PS_IB, IBV_QPT_UD, 0, true },
		{ RDMA_PS_IB, IBV_QPT_RC, 0, false },
		{ RDMA_PS_TCP + 1, 0, -EINVAL, false },
		{ RDMA_PS_IPOIB - 1, 0, -EINVAL, false },
		{ 0, 0, -EINVAL, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdma_ucm_create_id_resp r;
		struct rdma_ucm_create_id cmd = { .response = (uintptr_t)&r,
						  .ps = rows[i].ps,
						  .qp_type = rows[i].type };
		struct ib_uverbs_qp_attr a;

		cr_expect_eq(CALL(&left, CREATE_ID, cmd, sizeof(r)), rows[i].result, "row %zu",
			     i);
		if (rows[i].result)
			continue;
		cr_assert_eq(bind_ip(&left, r.id, LEFT_IP, 0), 0);
		if (attributes(&left, r.id, IBV_QPS_INIT, &a)) /* of IPoIB there is no Q_Key */
			a.qp_attr_mask = IBV_QP_QKEY;
		cr_expect_eq(!!(a.qp_attr_mask & IBV_QP_QKEY), rows[i].ud, "row %zu", i);
	}
}

/* kernel, cma.c, cma_ib_new_conn_id: a connection has the options of its listener. */
Test(request, of_the_peer_gets_the_options_of_the_listener)
{
	uint8_t tos = 0x28, timeout = 7;
	uint32_t tcp = listener(&left, RDMA_PS_TCP, PORT),
		 udp = listener(&left, RDMA_PS_UDP, PORT);
	struct rdma_ucm_set_option options[3] = {
		{ (uintptr_t)&timeout, tcp, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, 1 },
		{ (uintptr_t)&tos, udp, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, 1 },
	};
	struct ib_uverbs_qp_attr a;

	for (int i = 0; i < 2; i++)
		cr_assert_eq(CALL(&left, SET_OPTION, options[i], 0), 0);
	cr_assert_eq(attributes(&left, asked(RDMA_PS_TCP), IBV_QPS_RTS, &a), 0);
	cr_expect_eq(a.timeout, 7);
	drop_events(&right);
	cr_expect_eq(route_of(&left, asked(RDMA_PS_UDP)).ib_route[0].traffic_class, 0x28);
}

/* kernel, cm.c, cm_ack_timeout, with the adapter's delay of 16; cma.c: the lifetime of a packet
 * is one less than the time-out that was set. */
Test(request, to_connect_has_the_timeout_that_was_set)
{
	static const uint8_t rows[][2] = { { 1, 16 },  { 14, 16 }, { 15, 17 }, { 16, 17 },
					   { 17, 18 }, { 18, 18 }, { 31, 31 }, { 0, 19 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdma_ucm_resolve_route route = { create(&left, RDMA_PS_TCP, 1), 1 };
		struct rdma_ucm_set_option cmd = { (uintptr_t)&rows[i][0], route.id,
						   RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT,
						   1 };

		cr_assert_eq(CALL(&left, SET_OPTION, cmd, 0), 0);
		cr_assert_eq(resolve(&left, route.id, 0x0a000002, PORT), 0);
		cr_assert_eq(CALL(&left, RESOLVE_ROUTE, route, 0), 0);
		done(connect_id(&left, route.id, ""));
		cr_expect_eq(last(CM_REQ)[119], rows[i][1] << 3, "%u: %u", rows[i][0],
			     last(CM_REQ)[119] >> 3);
	}
}

Test(request, comes_in_its_order)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);
	struct rdma_ucm_resolve_route route = { id, 1 };

	cr_assert_eq(listen_on(&left, create(&left, RDMA_PS_TCP, 1), 1), 0, "binds it");
	cr_assert_eq(CALL(&left, RESOLVE_ROUTE, route, 0), -EINVAL);
	cr_assert_eq(connect_id(&left, id, ""), -EINVAL);
	cr_assert_eq(accept_id(&left, id, 1, ""), -EINVAL);
	cr_assert_eq(disconnect_id(&left, id), -EINVAL);
	cr_assert_eq(bind_ip(&left, id, 0, PORT), 0);
	cr_assert_eq(bind_ip(&left, id, 0, PORT + 1), -EINVAL, "bound already");
	cr_assert_eq(listen_on(&left, id, 1), 0);
	cr_assert_eq(listen_on(&left, id, 1), -EINVAL);
	cr_assert_eq(resolve(&left, id, LEFT_IP, PORT), -EINVAL);
}

Test(request, has_an_address_of_the_port)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	cr_assert_eq(bind_ip(&left, id, 0x0a000063, PORT), -EADDRNOTAVAIL);
	cr_assert_eq(bind_ip(&left, id, INADDR_LOOPBACK, PORT), 0, "another name of the port");
	id = create(&left, RDMA_PS_TCP, 1);
	cr_assert_eq(bind_ip(&left, id, LEFT_IP, PORT), -EADDRINUSE, "the same address");
}

/* kernel, ucma.c: rdma_addr_size_in6(), rdma_addr_size_kss(). AF_IB, 27, is not emulated. */
Test(request, has_an_address_of_its_family_and_size)
{
	static const struct {
		uint16_t family, size;
		int bind, bind_ip, from, to;
	} rows[] = {
		{ AF_INET, 16, 0, 0, 0, 0 },
		{ AF_INET, 15, -EINVAL, 0, -EINVAL, -EINVAL },
		{ AF_INET, 17, -EINVAL, 0, -EINVAL, -EINVAL },
		{ AF_INET, 28, -EINVAL, 0, -EINVAL, -EINVAL },
		{ AF_INET, 0, -EINVAL, 0, 0, -EINVAL },
		{ AF_INET6, 28, 0, 0, -EINVAL, -ENETUNREACH }, /* the port has none */
		{ AF_INET6, 27, -EINVAL, 0, -EINVAL, -EINVAL },
		{ 27, 48, -EINVAL, -EINVAL, -EINVAL, -EINVAL },
		{ 0, 16, -EINVAL, -EINVAL, -EINVAL, -EINVAL },
		{ 99, 16, -EINVAL, -EINVAL, -EINVAL, -EINVAL },
	};
	struct sockaddr_in good = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(LEFT_IP) };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t id[4];
		struct rdma_ucm_bind bind = { .addr_size = rows[i].size };
		struct rdma_ucm_bind_ip ip = { .addr.sin6_family = rows[i].family };
		struct rdma_ucm_resolve_addr from = { .src_size = rows[i].size,
						      .dst_size = 16 };
		struct rdma_ucm_resolve_addr to = { .dst_size = rows[i].size };

		for (int k = 0; k < 4; k++)
			id[k] = create(&left, RDMA_PS_TCP, 1);
		bind.id = id[0];
		ip.id = id[1];
		from.id = id[2];
		to.id = id[3];
		bind.addr.ss_family = from.src_addr.ss_family = to.dst_addr.ss_family =
			rows[i].family;
		memcpy(&from.dst_addr, &good, sizeof(good));
		cr_expect_eq(CALL(&left, BIND, bind, 0), rows[i].bind, "BIND, row %zu", i);
		cr_expect_eq(CALL(&left, BIND_IP, ip, 0), rows[i].bind_ip, "BIND_IP, row %zu",
			     i);
		cr_expect_eq(CALL(&left, RESOLVE_ADDR, from, 0), rows[i].from,
			     "source, row %zu", i);
		cr_expect_eq(CALL(&left, RESOLVE_ADDR, to, 0), rows[i].to,
			     "destination, row %zu", i);
		bind.reserved = 1;
		cr_expect_eq(CALL(&left, BIND, bind, 0), -EINVAL, "reserved");
		from.reserved = 1;
		cr_expect_eq(CALL(&left, RESOLVE_ADDR, from, 0), -EINVAL, "reserved");
	}
}

Test(request, may_bind_and_resolve_by_its_longer_form)
{
	struct rdma_ucm_bind bind = { .id = create(&left, RDMA_PS_TCP, 1), .addr_size = 16 };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct rdma_ucm_resolve_addr to = { .id = create(&left, RDMA_PS_TCP, 2),
					    .dst_size = 16 };

	memcpy(&bind.addr, &in, sizeof(in));
	cr_assert_eq(CALL(&left, BIND, bind, 0), 0);
	in.sin_addr.s_addr = htonl(0x0a000002);
	memcpy(&to.dst_addr, &in, sizeof(in));
	cr_assert_eq(CALL(&left, RESOLVE_ADDR, to, 0), 0);
	expect(&left, EV_ADDR_RESOLVED, 0);
}

static int rejects(struct side *s, uint32_t id, uint64_t uid, const char *words)
{
	(void)uid;
	return reject_id(s, id, 0, words);
}

/* InfiniBand specification, chapter 12: the private data of each message; of requests the 36
 * bytes of annex A11 are taken. */
Test(request, has_private_data_that_fits)
{
	static const struct {
		const char *name;
		uint16_t ps;
		size_t most;
		int (*answer)(struct side *s, uint32_t id, uint64_t uid, const char *words);
	} rows[] = {
		{ "REQ", RDMA_PS_TCP, 92 - 36, NULL },
		{ "SIDR_REQ", RDMA_PS_UDP, 216 - 36, NULL },
		{ "REP", RDMA_PS_TCP, 196, accept_id },
		{ "SIDR_REP", RDMA_PS_UDP, 136, accept_id },
		{ "REJ", RDMA_PS_TCP, 148, rejects },
		{ "SIDR_REP", RDMA_PS_UDP, 136, rejects },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t l = listener(&left, rows[i].ps, PORT), id;
		char words[256];

		memset(words, 'x', sizeof(words));
		words[rows[i].most + 1] = 0;
		for (int fits = 0; fits < 2; fits++, words[rows[i].most] = 0) {
			int expected = fits ? 0 : -EINVAL, ret;

			pump();
			drop_events(&right);
			id = rows[i].answer ? asked(rows[i].ps)
					    : ready(&right, rows[i].ps, LEFT_IP, PORT);
			ret = rows[i].answer ? rows[i].answer(&left, id, 1, words)
					     : connect_id(&right, id, words);
			cr_expect_eq(ret, expected, "%s: %d", rows[i].name, ret);
		}
		destroy(&left, l, NULL);
	}
}

/* kernel, cma.c: rdma_accept */
Test(request, to_accept_that_is_refused_refuses_the_connection)
{
	uint32_t id;

	listener(&left, RDMA_PS_TCP, PORT);
	id = asked(RDMA_PS_TCP);
	cr_assert_eq(accept_id(&left, id, 1, NULL), -EINVAL, "no answer to a REP");
	pump();
	expect(&right, EV_REJECTED, CM_REJ_CONSUMER);
	cr_assert_eq(accept_id(&left, id, 1, ""), -EINVAL, "it is over");
}

/* kernel, ucma.c, ucma_set_option; cma.c, rdma_set_*. In the states IDLE, ADDR_BOUND,
 * ADDR_RESOLVED, LISTEN. */
Test(request, has_an_option_that_is_known)
{
	static const int never[4] = { -EINVAL, -EINVAL, -EINVAL, -EINVAL };
	static const int unknown[4] = { -ENOSYS, -ENOSYS, -ENOSYS, -ENOSYS }, any[4];
	static const int until_listen[4] = { 0, 0, 0, -EINVAL };
	static const int idle[4] = { 0, -EINVAL, -EINVAL, -EINVAL };
	static const int bound[4] = { 0, 0, -EINVAL, -EINVAL };
	static const int unread[4] = { -EFAULT, -EFAULT, -EFAULT, -EFAULT };
	enum { ID = RDMA_OPTION_ID, IB = RDMA_OPTION_IB };
	static const uint32_t value[2] = { 0, 1 };
	const struct {
		const char *name;
		uint16_t ps, level, option, len;
		const void *at;
		const int *results;
	} rows[] = {
		{ "TOS", RDMA_PS_TCP, ID, 0, 1, &value[1], any },
		{ "TOS, of UDP", RDMA_PS_UDP, ID, 0, 1, &value[1], any },
		{ "TOS, 0 bytes", RDMA_PS_TCP, ID, 0, 0, &value[1], never },
		{ "TOS, 2 bytes", RDMA_PS_TCP, ID, 0, 2, &value[1], never },
		{ "TOS, not readable", RDMA_PS_TCP, ID, 0, 1, (void *)8, unread },
		{ "REUSEADDR 1", RDMA_PS_TCP, ID, 1, 4, &value[1], until_listen },
		{ "REUSEADDR 0", RDMA_PS_TCP, ID, 1, 4, &value[0], idle },
		{ "REUSEADDR, 3 bytes", RDMA_PS_TCP, ID, 1, 3, &value[1], never },
		{ "REUSEADDR, 5 bytes", RDMA_PS_TCP, ID, 1, 5, &value[1], never },
		{ "AFONLY 1", RDMA_PS_TCP, ID, 2, 4, &value[1], bound },
		{ "AFONLY 0", RDMA_PS_TCP, ID, 2, 4, &value[0], bound },
		{ "AFONLY, 1 byte", RDMA_PS_TCP, ID, 2, 1, &value[1], never },
		{ "ACK_TIMEOUT", RDMA_PS_TCP, ID, 3, 1, &(uint8_t){ 31 }, any },
		{ "ACK_TIMEOUT, of UDP", RDMA_PS_UDP, ID, 3, 1, &(uint8_t){ 1 }, never },
		{ "ACK_TIMEOUT, 4 bytes", RDMA_PS_TCP, ID, 3, 4, &value[1], never },
		{ "option 4", RDMA_PS_TCP, ID, 4, 4, &value[1], unknown },
		{ "option 4, not readable", RDMA_PS_TCP, ID, 4, 4, (void *)8, unread },
		{ "IB_PATH", RDMA_PS_TCP, IB, RDMA_OPTION_IB_PATH, 4, &value[1], unknown },
		{ "level 2", RDMA_PS_TCP, 2, 0, 1, &value[1], unknown },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int state = 0; state < 4; state++) {
			struct rdma_ucm_set_option cmd = { (uintptr_t)rows[i].at,
							   create(&left, rows[i].ps, 1),
							   rows[i].level, rows[i].option,
							   rows[i].len };
			int ret;

			if (state == 1 || state == 3)
				cr_assert_eq(bind_ip(&left, cmd.id, 0, 0), 0);
			if (state == 3)
				cr_assert_eq(listen_on(&left, cmd.id, 1), 0);
			if (state == 2)
				cr_assert_eq(resolve(&left, cmd.id, 0x0a000002, PORT), 0);
			ret = CALL(&left, SET_OPTION, cmd, 0);
			cr_expect_eq(ret, rows[i].results[state], "%s in state %d: %d",
				     rows[i].name, state, ret);
			destroy(&left, cmd.id, NULL);
		}
}

Test(request, about_the_route_is_answered)
{
	uint32_t id = ready(&left, RDMA_PS_TCP, 0x0a000002, PORT);
	struct rdma_ucm_query_route_resp r = route_of(&left, id);
	struct sockaddr_in dst;

	memcpy(&dst, &r.dst_addr, sizeof(dst));
	cr_assert_eq(ntohl(dst.sin_addr.s_addr), 0x0a000002);
	cr_assert_eq(ntohs(dst.sin_port), PORT);
	cr_assert_eq(be64toh(r.node_guid), 0x00c5c0000a000001);
	EQUALS(E(r.port_num, 1), E(r.num_paths, 1), E(r.ib_route[0].mtu, 3),
	       E(r.ib_route[0].hop_limit, 64), E(r.ib_route[0].packet_life_time, 18),
	       E(r.ib_route[0].dgid[15], 2));
}

/* kernel, cma.c, CMA_IBOE_PACKET_LIFETIME */
static void begin_as_6_12(void)
{
	rig_kernel = KERNEL_RELEASE(6, 12);
	rig_start();
}

TestSuite(request_of_6_12, .init = begin_as_6_12, .fini = rig_end);

Test(request_of_6_12, about_the_route_has_the_lifetime_of_the_release)
{
	uint32_t id = ready(&left, RDMA_PS_TCP, 0x0a000002, PORT);

	cr_assert_eq(route_of(&left, id).ib_route[0].packet_life_time, 16);
}
