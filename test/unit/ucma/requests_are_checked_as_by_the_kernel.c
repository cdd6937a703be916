/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that the kernel refuses are refused with its errno.
 */
#include <arpa/inet.h>
#include <unistd.h>

#include "rig.h"

static void begin(void)
{
	rig_begin(0x0a000002);
}

TestSuite(request, .init = begin, .fini = rig_end);

#define CALL(cmd, in, out_len) call(&left, RDMA_USER_CM_CMD_##cmd, &(in), sizeof(in), out_len)

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

	cr_assert_eq(CALL(CREATE_ID, cmd, 3), -ENOSPC);
	cr_assert_eq(CALL(CREATE_ID, cmd, 4), -EFAULT);
	cmd.ps = 7;
	cr_assert_eq(CALL(CREATE_ID, cmd, 4), -EINVAL);
}

Test(request, names_an_id_of_its_file)
{
	struct side other = left;
	uint32_t id = create(&left, RDMA_PS_TCP, 1);

	cr_assert_eq(listen_on(&left, id + 1, 1), -ENOENT);
	other.f = ucma_open(left.u, true, &other.fd);
	cr_assert_eq(listen_on(&other, id, 1), -EINVAL);
	ucma_release(other.f);
	close(other.fd);
}

Test(request, comes_in_its_order)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1);
	struct rdma_ucm_resolve_route route = { id, 0 };

	cr_assert_eq(CALL(RESOLVE_ROUTE, route, 0), -EINVAL);
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

/* kernel, cma.c, cma_check_port: the two errors, in all orders. */
Test(request, for_all_addresses_of_a_port_that_is_taken)
{
	static const uint32_t both[2] = { 0, LEFT_IP };

	for (int first = 0; first < 2; first++)
		for (int second = 0; second < 2; second++) {
			uint32_t a = create(&left, RDMA_PS_TCP, 1),
				 b = create(&left, RDMA_PS_TCP, 2);

			cr_assert_eq(bind_ip(&left, a, both[first], PORT), 0);
			cr_expect_eq(bind_ip(&left, b, both[second], PORT),
				     first && second ? -EADDRINUSE : -EADDRNOTAVAIL, "%d, %d",
				     first, second);
			destroy(&left, a, NULL);
			cr_expect_eq(bind_ip(&left, b, both[second], PORT), 0);
			destroy(&left, b, NULL);
		}
}

Test(request, of_family_ib_is_refused)
{
	struct rdma_ucm_bind cmd = { .id = create(&left, RDMA_PS_IB, 1), .addr_size = 48 };

	cmd.addr.ss_family = 27; /* AF_IB */
	cr_assert_eq(CALL(BIND, cmd, 0), -EINVAL);
}

Test(request, may_bind_and_resolve_by_its_longer_form)
{
	struct rdma_ucm_bind bind = { .id = create(&left, RDMA_PS_TCP, 1), .addr_size = 16 };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct rdma_ucm_resolve_addr to = { .id = create(&left, RDMA_PS_TCP, 2),
					    .dst_size = 16 };

	memcpy(&bind.addr, &in, sizeof(in));
	cr_assert_eq(CALL(BIND, bind, 0), 0);
	in.sin_addr.s_addr = htonl(0x0a000002);
	memcpy(&to.dst_addr, &in, sizeof(in));
	cr_assert_eq(CALL(RESOLVE_ADDR, to, 0), 0);
	expect(&left, EV_ADDR_RESOLVED, 0);
}

Test(request, has_private_data_that_fits)
{
	uint32_t client = ready(&right, RDMA_PS_TCP, LEFT_IP, PORT), server;
	char long_words[256];

	memset(long_words, 'x', sizeof(long_words));
	long_words[57] = 0;
	listener(&left, RDMA_PS_TCP, PORT);
	cr_assert_eq(connect_id(&right, client, long_words), -EINVAL);
	long_words[56] = 0;
	cr_assert_eq(connect_id(&right, client, long_words), 0);
	pump();
	server = expect(&left, EV_CONNECT_REQUEST, 0).id;
	memset(long_words, 'x', sizeof(long_words));
	long_words[197] = 0;
	cr_assert_eq(accept_id(&left, server, 1, long_words), -EINVAL);
	long_words[149] = 0;
	cr_assert_eq(reject_id(&left, server, 0, long_words), -EINVAL);
	cr_assert_eq(accept_id(&left, server, 1, long_words), 0);
	cr_assert_eq(accept_id(&left, server, 1, long_words), -EINVAL, "once");
}

Test(request, has_an_option_that_is_known)
{
	uint32_t id = create(&left, RDMA_PS_TCP, 1), on = 1;
	struct rdma_ucm_set_option cmd = { (uintptr_t)&on, id, RDMA_OPTION_ID,
					   RDMA_OPTION_ID_REUSEADDR, 4 };

	cr_assert_eq(CALL(SET_OPTION, cmd, 0), 0);
	cmd.optlen = 1;
	cr_assert_eq(CALL(SET_OPTION, cmd, 0), -EINVAL);
	cmd.optname = RDMA_OPTION_ID_TOS;
	cr_assert_eq(CALL(SET_OPTION, cmd, 0), 0);
	cmd.optname = 9;
	cr_assert_eq(CALL(SET_OPTION, cmd, 0), -ENOSYS);
	cmd.optname = RDMA_OPTION_IB_PATH;
	cmd.level = RDMA_OPTION_IB;
	cr_assert_eq(CALL(SET_OPTION, cmd, 0), -ENOSYS);
}

Test(request, reuses_a_port_where_all_agree)
{
	uint32_t id[2] = { create(&left, RDMA_PS_TCP, 1), create(&left, RDMA_PS_TCP, 1) },
		 on = 1;
	struct rdma_ucm_set_option cmd = { (uintptr_t)&on, 0, RDMA_OPTION_ID,
					   RDMA_OPTION_ID_REUSEADDR, 4 };

	for (int i = 0; i < 2; i++) {
		cmd.id = id[i];
		cr_assert_eq(CALL(SET_OPTION, cmd, 0), 0);
		cr_assert_eq(bind_ip(&left, id[i], 0, PORT), 0);
	}
	cr_assert_eq(listen_on(&left, id[0], 1), -EADDRNOTAVAIL, "but only one listens");
	destroy(&left, id[1], NULL);
	cr_assert_eq(listen_on(&left, id[0], 1), 0);
}

Test(request, about_the_route_is_answered)
{
	uint32_t id = ready(&left, RDMA_PS_TCP, 0x0a000002, PORT);
	struct rdma_ucm_query_route_resp r;
	struct rdma_ucm_query cmd = { (uintptr_t)&r, id, 0 };
	struct sockaddr_in dst;

	cr_assert_eq(CALL(QUERY_ROUTE, cmd, sizeof(r)), 0);
	memcpy(&dst, &r.dst_addr, sizeof(dst));
	cr_assert_eq(ntohl(dst.sin_addr.s_addr), 0x0a000002);
	cr_assert_eq(ntohs(dst.sin_port), PORT);
	cr_assert_eq(be64toh(r.node_guid), 0x00c5c0000a000001);
	cr_assert_eq(r.port_num, 1);
	cr_assert_eq(r.num_paths, 1);
	cr_assert_eq(r.ib_route[0].mtu, 3);
	cr_assert_eq(r.ib_route[0].hop_limit, 64);
	cr_assert_eq(r.ib_route[0].packet_life_time, 18);
	cr_assert_eq(r.ib_route[0].dgid[15], 2);
}

/* kernel, cma.c, CMA_IBOE_PACKET_LIFETIME */
static void begin_as_6_12(void)
{
	rig_kernel = KERNEL_RELEASE(6, 12);
	begin();
}

TestSuite(request_of_6_12, .init = begin_as_6_12, .fini = rig_end);

Test(request_of_6_12, about_the_route_has_the_lifetime_of_the_release)
{
	struct rdma_ucm_query_route_resp r;
	struct rdma_ucm_query cmd = { .response = (uintptr_t)&r };

	cmd.id = ready(&left, RDMA_PS_TCP, 0x0a000002, PORT);
	cr_assert_eq(CALL(QUERY_ROUTE, cmd, sizeof(r)), 0);
	cr_assert_eq(r.ib_route[0].packet_life_time, 16);
}
