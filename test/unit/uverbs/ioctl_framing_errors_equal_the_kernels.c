/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMA_VERBS_IOCTL: every way in which a buffer can be wrong, and the kernel's answer. */
#include "bench.h"

#define SUITE	     ioctl_framing_errors_equal_the_kernels
#define SUITE_DEVICE ioctl_framing_errors_equal_the_kernels_with_device
#define SUITE_ALONE  ioctl_framing_errors_equal_the_kernels_alone

CONTEXT_SUITE(SUITE);
DEVICE_SUITE(SUITE_DEVICE);

static struct call query_port(uint64_t port, void *resp, uint16_t len)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

	call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, port);
	call_out(&c, UVERBS_ATTR_QUERY_PORT_RESP, resp, len);
	return c;
}

Test(SUITE, another_request_number_is_enotty)
{
	struct call c = query_port(1, NULL, 0);

	cr_assert_eq(uverbs_ioctl(b.f, 0x5401, (uintptr_t)&c), -ENOTTY);
	cr_assert_eq(uverbs_ioctl(b.f, RDMA_VERBS_IOCTL + 1, (uintptr_t)&c), -ENOTTY);
}

Test(SUITE, the_header_is_checked)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct call good = query_port(1, &resp, sizeof(resp)), c = good;

	call_run = call_once; /* a call of 255 attributes that are not there */
	cr_assert_eq(call_run(&b, &c), 0);
	c.hdr.length--;
	cr_assert_eq(call_run(&b, &c), -EINVAL, "length is 24 + 16 * num_attrs");
	c = good;
	c.hdr.num_attrs = 255;
	c.hdr.length = 24 + 16 * 255;
	cr_assert_eq(call_run(&b, &c), -EINVAL, "more than a page");
	WITH(c, good, c.hdr.reserved1 = 1, call_run(&b, &c), -EPROTONOSUPPORT);
	WITH(c, good, c.hdr.reserved2 = 1, call_run(&b, &c), -EPROTONOSUPPORT);
	WITH(c, good, c.hdr.driver_id = RDMA_DRIVER_RXE, call_run(&b, &c), -EINVAL);
}

Test(SUITE, unknown_is_not_the_same_as_not_here)
{
	struct {
		uint16_t object, method;
	} known[] = {
		{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES },
		{ UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_ESP_CREATE },
		{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR },
	};
	struct {
		uint16_t object, method;
	} unknown[] = {
		{ UVERBS_OBJECT_DEVICE, 7 },
		{ UVERBS_OBJECT_DEVICE, 0x1001 },
		{ UVERBS_OBJECT_COMP_CHANNEL, 0 },
		{ UVERBS_OBJECT_QP, 2 },
		{ UVERBS_OBJECT_MR, 5 },
		{ UVERBS_OBJECT_ASYNC_EVENT + 1, 0 },
		{ MLX5_IB_OBJECT_DEVX, 0 },
		{ MLX5_IB_OBJECT_UAR, 0x1002 },
		{ 0x100a, 0x1000 },
		{ 0xffff, 0xffff },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct call c = call(known[i].object, known[i].method);

		cr_assert_eq(call_run(&b, &c), -EOPNOTSUPP, "%x.%x", known[i].object,
			     known[i].method);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct call c = call(unknown[i].object, unknown[i].method);

		cr_assert_eq(call_run(&b, &c), -EPROTONOSUPPORT, "%x.%x", unknown[i].object,
			     unknown[i].method);
	}
}

Test(SUITE, attributes_are_checked)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct call good = query_port(1, &resp, sizeof(resp)), c;

	c = good;
	call_u32(&c, 99, 0);
	cr_assert_eq(call_run(&b, &c), -EPROTONOSUPPORT, "unknown and mandatory");
	c.attr[2].flags = 0;
	cr_assert_eq(call_run(&b, &c), 0, "unknown and optional");
	c = good;
	call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1);
	cr_assert_eq(call_run(&b, &c), -EINVAL, "twice");
	c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1);
	cr_assert_eq(call_run(&b, &c), -EINVAL, "mandatory one missing");
	WITH(c, good, c.attr[0].attr_data.reserved = 1, call_run(&b, &c), -EINVAL);
	WITH(c, good, c.attr[0].len = 2, call_run(&b, &c), -EINVAL, "too short");
	WITH(c, good, c.attr[0].len = 9, call_run(&b, &c), -EINVAL, "too long");
	WITH(c, good, c.attr[1].len = 8, call_run(&b, &c), -EINVAL, "output too short");
}

Test(SUITE, outputs_are_marked_and_their_tail_is_zeroed)
{
	uint8_t resp[96];
	struct call c = query_port(1, resp, sizeof(resp));

	memset(resp, 0xaa, sizeof(resp));
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_eq(c.attr[1].flags, UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT);
	cr_assert_eq(c.attr[0].flags, UVERBS_ATTR_F_MANDATORY);
	for (size_t i = sizeof(struct ib_uverbs_query_port_resp_ex); i < sizeof(resp); i++)
		cr_assert_eq(resp[i], 0);
}

Test(SUITE_ALONE, libibverbs_finds_out_that_ioctl_carries_write)
{
	struct bench b;

	bench_up(&b); /* no context: has_ioctl_write() asks first */
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0, NULL, 0), -ENOSPC);
	bench_down(&b);
}

Test(SUITE, write_commands_are_checked)
{
	struct ib_uverbs_query_device_resp resp;
	uint64_t in[2] = { 0 };

	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, in, 8, &resp, sizeof(resp)),
		     0);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, in, 8, &resp, 100), -ENOSPC);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, in, 4, &resp, sizeof(resp)),
		     -ENOSPC);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, in, 16, &resp, sizeof(resp)),
		     0, "longer, but zero");
	in[1] = 1;
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, in, 16, &resp, sizeof(resp)),
		     -EOPNOTSUPP);
	cr_assert_eq(write_cmd(&b, 0x100, in, 8, &resp, sizeof(resp)), -EINVAL);
	const uint64_t not_here[] = { IB_USER_VERBS_CMD_OPEN_QP,
				      IB_USER_VERBS_CMD_POST_SRQ_RECV };
	for (size_t i = 0; i < sizeof(not_here) / sizeof(not_here[0]); i++)
		cr_assert_eq(write_cmd(&b, not_here[i], in, 16, &resp, sizeof(resp)),
			     -EOPNOTSUPP, "command %#lx", (unsigned long)not_here[i]);
}

Test(SUITE_DEVICE, nothing_goes_without_a_context)
{
	struct ib_uverbs_query_port_resp_ex resp;
	struct call c = query_port(1, &resp, sizeof(resp));
	struct ib_uverbs_query_device_resp dev;
	uint64_t in = 0;

	cr_assert_eq(call_run(&b, &c), -EINVAL);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, &in, 8, &dev, sizeof(dev)),
		     -EINVAL);
}
