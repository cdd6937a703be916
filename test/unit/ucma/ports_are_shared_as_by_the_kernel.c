/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ids that may have the same port (kernel, cma.c: cma_check_port, rdma_listen), and the numbers
 * of ports that are chosen.
 */
#include <arpa/inet.h>

#include "rig.h"
#include "ucma/id.h"

TestSuite(port, .init = rig_start, .fini = rig_end);

enum { ANY4 = 1, ONE4, ANY6, ONE6, ADDRESS = 7, REUSE = 8, ONLY = 16 };

static int set(uint32_t id, uint32_t option, uint32_t value)
{
	struct rdma_ucm_set_option cmd = { (uintptr_t)&value, id, RDMA_OPTION_ID, option, 4 };

	return CALL(&left, SET_OPTION, cmd, 0);
}

/* An id that is not bound yet, with the options of @what. */
static uint32_t new_id(int what)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	if (what & REUSE)
		cr_assert_eq(set(id, RDMA_OPTION_ID_REUSEADDR, 1), 0);
	if (what & ONLY)
		cr_assert_eq(set(id, RDMA_OPTION_ID_AFONLY, 1), 0);
	return id;
}

static int bind_as(uint32_t id, int what, uint16_t port)
{
	static const uint8_t ip[16] = { 0xfe, 0x80, [15] = 1 };
	struct rdma_ucm_bind_ip cmd = {
		.id = id, .addr = { .sin6_family = AF_INET6, .sin6_port = htons(port) }
	};

	if ((what & ADDRESS) < ANY6)
		return bind_ip(&left, id, (what & ADDRESS) == ONE4 ? LEFT_IP : 0, port);
	left.hca.port.gid[1].valid = true;
	left.hca.port.gid[1].version = 2;
	memcpy(left.hca.port.gid[1].raw, ip, 16);
	if ((what & ADDRESS) == ONE6)
		memcpy(&cmd.addr.sin6_addr, ip, 16);
	return CALL(&left, BIND_IP, cmd, 0);
}

Test(port, is_shared_by_two_ids_that_agree)
{
	enum { USED = -EADDRINUSE, NOT = -EADDRNOTAVAIL };
	static const struct {
		int first, second, bind, listen; /* of the second */
	} rows[] = {
		{ ANY4, ANY4, NOT, 0 },
		{ ANY4, ONE4, NOT, 0 },
		{ ONE4, ANY4, NOT, 0 },
		{ ONE4, ONE4, USED, 0 },
		{ ONE4, ONE6, 0, 0 },
		{ ONE6, ONE6, USED, 0 },
		{ ANY4, ANY6, NOT, 0 },
		{ ANY4, ONE6, NOT, 0 },
		{ ANY4 | ONLY, ANY6 | ONLY, 0, 0 },
		{ ANY4 | ONLY, ANY6, NOT, 0 },
		{ ANY4, ANY6 | ONLY, NOT, 0 },
		{ ANY4 | ONLY, ANY4 | ONLY, NOT, 0 },
		{ ANY4 | ONLY, ONE6 | ONLY, 0, 0 },
		{ ANY4 | REUSE, ANY4 | REUSE, 0, NOT },
		{ ANY4 | REUSE, ANY4, NOT, 0 },
		{ ANY4, ANY4 | REUSE, NOT, 0 },
		{ ONE4 | REUSE, ONE4 | REUSE, 0, USED },
		{ ANY4 | REUSE, ONE4 | REUSE, 0, NOT },
		{ ANY4 | REUSE | ONLY, ANY6 | REUSE | ONLY, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t a = new_id(rows[i].first), b = new_id(rows[i].second);

		cr_assert_eq(bind_as(a, rows[i].first, PORT), 0);
		cr_expect_eq(bind_as(b, rows[i].second, PORT), rows[i].bind, "row %zu", i);
		if (!rows[i].bind)
			cr_expect_eq(listen_on(&left, b, 1), rows[i].listen, "row %zu", i);
		destroy(&left, a, NULL);
		if (rows[i].bind) /* nothing is left of the refusal */
			cr_expect_eq(bind_as(b, rows[i].second, PORT), 0, "row %zu", i);
		destroy(&left, b, NULL);
	}
}

/* cma.c, cma_match_net_dev and cma_any_addr: who listens for which address. */
Test(port, has_a_listener_for_an_address)
{
	static const struct {
		int listener;
		bool four, other_four, six, other_six;
	} rows[] = {
		{ ANY4, true, true, false, false },
		{ ONE4, true, false, false, false },
		{ ANY6, true, true, true, true },
		{ ONE6, false, false, true, false },
		{ ANY4 | ONLY, true, true, false, false },
		{ ANY6 | ONLY, false, false, true, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ucma_addr to[4] = {
			{ .family = AF_INET, .ip = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 } },
			{ .family = AF_INET, .ip = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 3 } },
			{ .family = AF_INET6, .ip = { 0xfe, 0x80, [15] = 1 } },
			{ .family = AF_INET6, .ip = { 0xfe, 0x80, [15] = 2 } }
		};
		const bool hears[4] = { rows[i].four, rows[i].other_four, rows[i].six,
					rows[i].other_six };
		uint32_t id = new_id(rows[i].listener);
		uint64_t service = (uint64_t)RDMA_PS_TCP << 16 | PORT;
		bool mine;

		cr_assert_eq(bind_as(id, rows[i].listener, PORT), 0);
		cr_expect_null(ucma_port_listener(left.u, service, &to[0], &mine),
			       "bound only");
		cr_assert_eq(listen_on(&left, id, 1), 0);
		for (int k = 0; k < 4; k++) {
			const struct ucma_id *l =
				ucma_port_listener(left.u, service, &to[k], &mine);

			cr_expect_eq(!!l, hears[k], "row %zu, address %d", i, k);
			cr_expect(!l || l->id == id);
			cr_expect(mine);
		}
		cr_expect_null(ucma_port_listener(left.u, service | 1ull << 32, &to[0], &mine));
		cr_expect_null(ucma_port_listener(left.u, service + 1, &to[0], &mine));
		cr_expect_null(ucma_port_listener(left.u, service + 0x10000, &to[0], &mine));
		destroy(&left, id, NULL);
	}
}

/* rdma_listen: a listener is not one that shares any more. */
Test(port, of_a_listener_is_not_shared)
{
	uint32_t a = new_id(REUSE), b = new_id(REUSE), c = new_id(REUSE);

	cr_assert_eq(bind_as(a, ANY4, PORT), 0);
	cr_assert_eq(bind_as(b, ANY4, PORT), 0);
	cr_assert_eq(listen_on(&left, a, 1), -EADDRNOTAVAIL, "but only one listens");
	destroy(&left, b, NULL);
	cr_assert_eq(listen_on(&left, a, 1), 0);
	cr_assert_eq(bind_as(c, ANY4, PORT), -EADDRNOTAVAIL);
}

/* 127.0.0.0/8 and ::1 are names of the port's addresses. */
Test(port, has_addresses_of_the_loopback_interface)
{
	static const uint8_t ip[16] = { 0xfe, 0x80, [15] = 1 };

	for (uint8_t last = 0; last < 4; last++) {
		struct rdma_ucm_bind_ip cmd = { .addr.sin6_family = AF_INET6 };
		struct rdma_ucm_query_route_resp r;
		int expected = last < 2 ? 0 : -EADDRNOTAVAIL;

		destroy(&left, cmd.id = new_id(ONE6), NULL);
		bind_as(cmd.id = new_id(ONE6), ONE6, 0); /* the port has fe80::1 */
		cmd.id = new_id(0);
		cmd.addr.sin6_addr.s6_addr[15] = last;
		cr_expect_eq(CALL(&left, BIND_IP, cmd, 0), expected, "::%u", last);
		r = route_of(&left, cmd.id);
		EQUALS(E(r.src_addr.sin6_scope_id, 0), E(r.src_addr.sin6_flowinfo, 0));
		if (last == 1)
			cr_expect_arr_eq(&r.src_addr.sin6_addr, ip, 16);
	}
	for (uint32_t first = 126; first < 129; first++)
		cr_expect_eq(bind_ip(&left, new_id(0), first << 24 | 0x10203, 0),
			     first == 127 ? 0 : -EADDRNOTAVAIL);
}

/* librdmacm, indexer.h: numbers below 65535, without 0. The slot is the highest byte of a
 * communication id. */
Test(port, has_no_more_ids_than_librdmacm)
{
	struct rdma_ucm_create_id_resp r;
	struct rdma_ucm_create_id cmd = { .response = (uintptr_t)&r, .ps = RDMA_PS_TCP };
	unsigned int n = 0;

	while (n < 70000 && !CALL(&left, CREATE_ID, cmd, sizeof(r)))
		cr_assert_eq(r.id, ++n);
	cr_expect_eq(n, 65534);
	cr_expect_eq(left.u->conns.limit, 1u << 24);
	cr_expect_eq(left.u->memberships.limit, 1u << 24);
	cr_expect_eq(left.u->conns.base, 1u << 24);
}

/* The next number that is drawn is the last of the range. */
static void draw_last(void)
{
	uint64_t state = 0;

	do
		left.u->chance = ++state;
	while (core_random(&left.u->chance) % 28232 != 28231);
	left.u->chance = state;
}

static uint16_t chosen(bool last)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	if (last)
		draw_last();
	cr_assert_eq(bind_ip(&left, id, LEFT_IP, 0), 0);
	return ntohs(route_of(&left, id).src_addr.sin6_port);
}

/* Another process of the host can have it then, and an id that had one address did not have
 * all. */
Test(port, is_free_again_with_its_addresses)
{
	uint32_t here, there;

	rig_end();
	rig_begin(LEFT_IP);
	for (int what = ANY4; what <= ONE4; what++) {
		here = new_id(what);
		there = create(&right, RDMA_PS_TCP, 1);
		cr_assert_eq(bind_as(here, what, PORT), 0);
		cr_expect_eq(bind_ip(&right, there, LEFT_IP, PORT),
			     what == ANY4 ? -EADDRNOTAVAIL : -EADDRINUSE);
		cr_expect_eq(bind_ip(&right, there, 0, PORT), -EADDRNOTAVAIL);
		destroy(&left, here, NULL);
		cr_expect_eq(bind_ip(&right, there, LEFT_IP, PORT), 0);
		here = new_id(ONE4);
		cr_expect_eq(bind_as(here, ONE4, PORT), -EADDRINUSE, "the other has one");
		destroy(&left, here, NULL);
		destroy(&right, there, NULL);
	}
}

/* ip_local_port_range: 32768 to 60999. After the last comes the first, and those that are taken
 * are left out, here or in another process. */
Test(port, is_chosen_from_the_range_of_the_kernel)
{
	uint32_t other;

	cr_expect_eq(chosen(true), 60999);
	cr_expect_eq(chosen(true), 32768);
	cr_expect_eq(chosen(true), 32769);
	rig_end();
	rig_begin(LEFT_IP); /* one host */
	other = create(&right, RDMA_PS_TCP, 1);
	cr_assert_eq(bind_ip(&right, other, 0, 60999), 0);
	cr_expect_eq(chosen(true), 32768);
	for (int i = 0; i < 50; i++) {
		uint16_t port = chosen(false);

		cr_expect(port >= 32768 && port <= 60999, "%u", port);
	}
}
