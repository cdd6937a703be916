/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ids that may have the same port (kernel, cma.c: cma_check_port, rdma_listen), and the numbers
 * of ports that are chosen.
 */
#include <arpa/inet.h>

#include "rig.h"
#include "ucma/id.h"

static void begin(void)
{
	rig_begin(0x0a000002);
}

TestSuite(port, .init = begin, .fini = rig_end);

enum { ANY4 = 1, ONE4, ANY6, ONE6, ADDRESS = 7, REUSE = 8, ONLY = 16 };

static int set(uint32_t id, uint32_t option, uint32_t value)
{
	struct rdma_ucm_set_option cmd = { (uintptr_t)&value, id, RDMA_OPTION_ID, option, 4 };

	return call(&left, RDMA_USER_CM_CMD_SET_OPTION, &cmd, sizeof(cmd), 0);
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
	return call(&left, RDMA_USER_CM_CMD_BIND_IP, &cmd, sizeof(cmd), 0);
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

/* The next number that is drawn is the last of the range. */
static void draw_last(void)
{
	uint64_t state = 0;

	do
		left.u->chance = ++state;
	while (ucma_chance(left.u) % 28232 != 28231);
	left.u->chance = state;
}

static uint16_t chosen(bool last)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);
	struct rdma_ucm_query_route_resp r;
	struct rdma_ucm_query cmd = { (uintptr_t)&r, id, 0 };

	if (last)
		draw_last();
	cr_assert_eq(bind_ip(&left, id, LEFT_IP, 0), 0);
	cr_assert_eq(call(&left, RDMA_USER_CM_CMD_QUERY_ROUTE, &cmd, sizeof(cmd), sizeof(r)),
		     0);
	return ntohs(r.src_addr.sin6_port);
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
