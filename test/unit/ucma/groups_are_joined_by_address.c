/* SPDX-License-Identifier: BSD-2-Clause */
/* JOIN_IP_MCAST, JOIN_MCAST, LEAVE_MCAST: the kernel's checks, and its event (ucma.c, cma.c,
 * multicast.c). */
#include <netinet/in.h>

#include "rig.h"

#define GROUP	 0xef010203u /* 239.1.2.3 */
#define UID	 0xabcdef
#define ENOTSUPP 524
#define SENDER	 1 /* RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER */

TestSuite(group, .init = rig_start, .fini = rig_end);

static struct sockaddr_in ipv4(uint32_t address)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(address) };
}

/* The number of the membership is in *number. */
static int join_ip(struct side *s, uint32_t id, uint32_t address, uint32_t *number)
{
	struct rdma_ucm_join_ip_mcast cmd = { .response = (uintptr_t)number,
					      .uid = UID,
					      .id = id };
	struct sockaddr_in in = ipv4(address);

	memcpy(&cmd.addr, &in, sizeof(in));
	return CALL(s, JOIN_IP_MCAST, cmd, 4);
}

static struct rdma_ucm_join_mcast any(uint32_t id, uint32_t *number)
{
	struct sockaddr_in in = ipv4(GROUP);
	struct rdma_ucm_join_mcast cmd = {
		.response = (uintptr_t)number, .uid = UID, .id = id, .addr_size = sizeof(in)
	};

	memcpy(&cmd.addr, &in, sizeof(in));
	return cmd;
}

static int join(const struct rdma_ucm_join_mcast *cmd, size_t out)
{
	return CALL(&left, JOIN_MCAST, *cmd, out);
}

static int leave(struct side *s, uint32_t number, uint32_t *reported)
{
	struct rdma_ucm_destroy_id cmd = { .response = (uintptr_t)reported, .id = number };

	return CALL(s, LEAVE_MCAST, cmd, 4);
}

static uint32_t bound(uint16_t ps)
{
	uint32_t id = create(&left, ps, 1);

	cr_assert_eq(bind_ip(&left, id, LEFT_IP, 0), 0);
	return id;
}

Test(group, join_event_has_what_an_address_handle_needs)
{
	static const uint8_t mgid[16] = { [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 };
	uint32_t id = bound(RDMA_PS_UDP), number = 0;
	struct rdma_ucm_event_resp e;

	cr_assert_eq(join_ip(&left, id, GROUP, &number), 0);
	e = expect(&left, EV_MULTICAST_JOIN, 0);
	EQUALS(E(e.uid, UID), E(e.id, number), E(e.param.ud.qp_num, 0xffffff),
	       E(e.param.ud.qkey, 0x01234567), E(e.param.ud.private_data_len, 0),
	       E(e.param.ud.ah_attr.is_global, 1), E(e.param.ud.ah_attr.port_num, 1),
	       E(e.param.ud.ah_attr.dlid, 0), E(e.param.ud.ah_attr.sl, 0),
	       E(e.param.ud.ah_attr.static_rate, 0), E(e.param.ud.ah_attr.grh.hop_limit, 64),
	       E(e.param.ud.ah_attr.grh.traffic_class, 0),
	       E(e.param.ud.ah_attr.grh.flow_label, 0));
	cr_expect_arr_eq(e.param.ud.ah_attr.grh.dgid, mgid, 16);
	cr_expect_arr_eq(left.hca.port.gid[e.param.ud.ah_attr.grh.sgid_index].raw + 12,
			 ((uint8_t[]){ 10, 0, 0, 1 }), 4);
}

Test(group, address_may_be_resolved_instead_of_bound)
{
	uint32_t id = create(&left, RDMA_PS_UDP, 1), number;

	cr_assert_eq(resolve(&left, id, GROUP, 0), 0);
	expect(&left, EV_ADDR_RESOLVED, 0);
	cr_assert_eq(join_ip(&left, id, GROUP, &number), 0);
	expect(&left, EV_MULTICAST_JOIN, 0);
}

Test(group, events_count_for_membership_and_id)
{
	uint32_t id = bound(RDMA_PS_UDP), first, second, third, reported = 99;

	cr_assert_eq(join_ip(&left, id, GROUP, &first), 0);
	cr_assert_eq(join_ip(&left, id, GROUP + 1, &second), 0);
	cr_assert_eq(join_ip(&left, id, GROUP + 2, &third), 0);
	cr_assert_neq(first, second);
	cr_expect_eq(expect(&left, EV_MULTICAST_JOIN, 0).id, first);
	cr_assert_eq(leave(&left, first, &reported), 0);
	cr_expect_eq(reported, 1);
	cr_assert_eq(leave(&left, second, &reported), 0);
	cr_expect_eq(reported, 0);
	cr_expect_eq(expect(&left, EV_MULTICAST_JOIN, 0).id, third);
	cr_expect_eq(event(&left).event, NO_EVENT, "of a membership that has ended");
	cr_assert_eq(leave(&left, first, &reported), -ENOENT);
	cr_assert_eq(destroy(&left, id, &reported), 0);
	cr_expect_eq(reported, 2);
}

Test(group, destroyed_id_has_no_memberships)
{
	uint32_t id = bound(RDMA_PS_UDP), number, reported;

	cr_assert_eq(join_ip(&left, id, GROUP, &number), 0);
	cr_assert_eq(destroy(&left, id, &reported), 0);
	cr_expect_eq(event(&left).event, NO_EVENT);
	cr_assert_eq(leave(&left, number, &reported), -ENOENT);
}

Test(group, ids_need_a_device_and_datagrams)
{
	uint32_t number, reported;

	cr_assert_eq(join_ip(&left, 77, GROUP, &number), -ENOENT);
	cr_assert_eq(join_ip(&left, create(&left, RDMA_PS_UDP, 1), GROUP, &number), -EINVAL,
		     "not bound");
	cr_assert_eq(join_ip(&left, bound(RDMA_PS_TCP), GROUP, &number), -EINVAL, "connected");
	cr_assert_eq(leave(&left, 77, &reported), -ENOENT);
}

Test(group, ipoib_has_no_group_to_take_the_qkey_of)
{
	uint32_t number;

	cr_assert_eq(join_ip(&left, bound(RDMA_PS_IPOIB), GROUP, &number), 0);
	expect(&left, EV_MULTICAST_ERROR, -EADDRNOTAVAIL);
}

Test(group, requests_are_checked_before_the_id)
{
	uint32_t id = bound(RDMA_PS_UDP), number;
	struct rdma_ucm_join_mcast cmd = any(77, &number);
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	cr_assert_eq(join(&cmd, 3), -ENOSPC);
	cmd.addr_size = 28;
	cr_assert_eq(join(&cmd, 4), -EINVAL, "of the other family");
	cmd = any(77, &number);
	cmd.join_flags = 2;
	cr_assert_eq(join(&cmd, 4), -EINVAL, "flags");
	cmd = any(77, &number);
	cmd.addr.ss_family = 99;
	cr_assert_eq(join(&cmd, 4), -EINVAL, "family");
	cmd = any(id, &number);
	cmd.addr.ss_family = 27; /* AF_IB */
	cr_assert_eq(join(&cmd, 4), -EINVAL, "of another size");
	cmd.addr_size = 48;
	cr_assert_eq(join(&cmd, 4), -ENOTSUPP);
	cmd = any(77, &number);
	cr_assert_eq(join(&cmd, 4), -ENOENT);
	cr_assert_eq(join_ip(&left, id, 0, &number), -EINVAL, "0.0.0.0");
	cr_assert_eq(join_ip(&left, id, 0x00ffffff, &number), -EINVAL, "0.255.255.255");
	cr_assert_eq(join_ip(&left, id, 0x01000000, &number), 0, "1.0.0.0");
	expect(&left, EV_MULTICAST_JOIN, 0);
	cmd = any(id, &number);
	cmd.join_flags = SENDER;
	cr_assert_eq(join(&cmd, 4), 0);
	expect(&left, EV_MULTICAST_JOIN, 0);
	cmd.response = 16;
	cr_assert_eq(join(&cmd, 4), -EFAULT);
	cr_expect_eq(event(&left).event, NO_EVENT);

	cmd = any(id, &number);
	cmd.addr_size = sizeof(in6);
	memcpy(&cmd.addr, &in6, sizeof(in6));
	cr_assert_eq(join(&cmd, 4), -EINVAL, "::");
	in6.sin6_addr.s6_addr[0] = 0xff;
	in6.sin6_addr.s6_addr[1] = 0x12;
	memcpy(&cmd.addr, &in6, sizeof(in6));
	cr_assert_eq(join(&cmd, 4), -ENOTSUPP, "RoCE v2 and IPv6");
}

Test(group, membership_is_of_one_file)
{
	uint32_t id = bound(RDMA_PS_UDP), number, reported;
	struct ucma_file *first = left.f;
	int fd = left.fd;

	cr_assert_eq(join_ip(&left, id, GROUP, &number), 0);
	left.f = ucma_open(left.u, true, &left.fd);
	cr_assert_not_null(left.f);
	cr_assert_eq(leave(&left, number, &reported), -EINVAL);
	ucma_release(left.f);
	left.f = first;
	left.fd = fd;
	cr_assert_eq(leave(&left, number, &reported), 0);
}
