/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers added up by hand from the InfiniBand specification, and IEEE 802.3. */
#include <criterion/criterion.h>

#include "model/wire.h"

static const struct wire_link roce = { .ethernet = true, .gbps = 100, .mtu = 1024 };
static const struct wire_link edr = { .gbps = 100, .mtu = 4096 };

static double mops(const struct wire_link *link, enum op op, enum service service,
		   uint32_t size)
{
	struct wire_bytes bytes;

	cr_assert(wire_op_bytes(link, op, service, size, &bytes));
	return wire_mops(link, &bytes, false);
}

static double out(const struct wire_link *link, enum op op, enum service service, uint32_t size)
{
	struct wire_bytes bytes;

	cr_assert(wire_op_bytes(link, op, service, size, &bytes));
	return bytes.out;
}

/* 20 + 14 + 20 + 8 + 12 + 16 + 4 + 4 = 98 bytes beside the payload. */
Test(wire, writes_on_100_gigabit_ethernet)
{
	cr_assert_float_eq(out(&roce, OP_WRITE, SERVICE_RC, 8), 106, 1e-9);
	cr_assert_float_eq(mops(&roce, OP_WRITE, SERVICE_RC, 8), 117.9, 0.05);
	cr_assert_float_eq(mops(&roce, OP_WRITE, SERVICE_RC, 32), 96.2, 0.05);
	cr_assert_float_eq(mops(&roce, OP_WRITE, SERVICE_RC, 64), 77.2, 0.05);
	cr_assert_float_eq(mops(&roce, OP_WRITE, SERVICE_RC, 128), 55.3, 0.05);
	cr_assert_float_eq(mops(&roce, OP_WRITE, SERVICE_RC, 256), 35.3, 0.05);
}

Test(wire, datagrams_and_answers)
{
	struct wire_bytes bytes;

	cr_assert_float_eq(mops(&roce, OP_SEND, SERVICE_UD, 8), 127.6, 0.05);
	/* 20 + 14 + 20 + 8 + 12 + 4 + 8 + 4 + 4 back, 133 M/s; its request is longer: 98 */
	cr_assert(wire_op_bytes(&roce, OP_READ, SERVICE_RC, 8, &bytes));
	cr_assert_float_eq(bytes.out, 98, 1e-9);
	cr_assert_float_eq(bytes.back, 94, 1e-9);
	cr_assert_float_eq(wire_mops(&roce, &bytes, false), 12500.0 / 98, 1e-9);
	/* AtomicETH 28 out; AETH 4 and AtomicAckETH 8 back */
	cr_assert(wire_op_bytes(&roce, OP_ATOMIC, SERVICE_RC, 8, &bytes));
	cr_assert_float_eq(bytes.out, 110, 1e-9);
	cr_assert_float_eq(bytes.back, 94, 1e-9);
}

/* 8 + 12 + 16 + 4 + 2 = 42 bytes beside the payload. */
Test(wire, writes_on_infiniband)
{
	cr_assert_float_eq(mops(&edr, OP_WRITE, SERVICE_RC, 8), 250, 0.05);
	cr_assert_float_eq(mops(&edr, OP_WRITE, SERVICE_RC, 64), 118, 0.1);
}

Test(wire, long_messages_go_in_packets_of_the_mtu)
{
	struct wire_bytes bytes;

	/* 3 packets of 82 bytes beside 1024, 1024 and 452; RETH 16 in the first only */
	cr_assert_float_eq(out(&roce, OP_WRITE, SERVICE_RC, 2500), 3 * 82 + 16 + 2500, 1e-9);
	cr_assert_float_eq(out(&roce, OP_WRITE_IMM, SERVICE_RC, 2500), 3 * 82 + 20 + 2500,
			   1e-9);
	cr_assert_float_eq(out(&roce, OP_WRITE_IMM, SERVICE_RC, 8), 110, 1e-9);
	cr_assert_float_eq(out(&roce, OP_SEND, SERVICE_RC, 1024), 82 + 1024, 1e-9);
	cr_assert_float_eq(out(&roce, OP_SEND, SERVICE_XRC, 2048), 2 * 86 + 2048, 1e-9);
	/* an AETH in the first and the last packet of the answer, none in the middle */
	cr_assert(wire_op_bytes(&roce, OP_READ, SERVICE_RC, 3072, &bytes));
	cr_assert_float_eq(bytes.back, 3 * 82 + 8 + 3072, 1e-9);
}

Test(wire, payload_is_padded_and_frames_have_a_least_size)
{
	cr_assert_float_eq(out(&roce, OP_WRITE, SERVICE_RC, 5), 106, 1e-9);
	/* 14 + 20 + 8 + 12 + 4 + 4 = 62: below the least frame of 64 */
	cr_assert_float_eq(out(&roce, OP_SEND, SERVICE_RC, 0), 84, 1e-9);
}

Test(wire, other_networks)
{
	struct wire_link v6 = roce, v1 = roce;

	v6.ipv6 = true;
	v1.grh = true;
	cr_assert_float_eq(out(&v6, OP_WRITE, SERVICE_RC, 8), 126, 1e-9);
	/* a GRH of 40 in place of IPv4 and UDP */
	cr_assert_float_eq(out(&v1, OP_WRITE, SERVICE_RC, 8), 118, 1e-9);
}

/* Half of the operations come the other way: each direction carries half of both. */
Test(wire, both_ways)
{
	struct wire_bytes bytes;

	cr_assert(wire_op_bytes(&roce, OP_WRITE, SERVICE_RC, 8, &bytes));
	cr_assert_float_eq(wire_mops(&roce, &bytes, true), 2 * 12500.0 / 106, 1e-9);
	cr_assert(wire_op_bytes(&roce, OP_READ, SERVICE_RC, 8, &bytes));
	cr_assert_float_eq(wire_mops(&roce, &bytes, true), 12500 / 96.0, 1e-9);
}

Test(wire, no_model)
{
	struct wire_bytes bytes;

	cr_assert_not(wire_op_bytes(&roce, OP_NOP, SERVICE_RC, 8, &bytes));
	cr_assert_not(wire_op_bytes(&roce, OP_WRITE, SERVICE_DC, 8, &bytes));
}

/* Speed and width as ibv_query_port(3) has them: EDR is 32, four lanes 2. */
Test(wire, speeds_of_ports)
{
	cr_assert_float_eq(wire_gbps(true, 32, 2), 100, 1e-9);
	cr_assert_float_eq(wire_gbps(false, 32, 2), 100, 1e-9);
	cr_assert_float_eq(wire_gbps(true, 4, 2), 40, 1e-9);  /* 40 GbE */
	cr_assert_float_eq(wire_gbps(false, 4, 2), 32, 1e-9); /* QDR: 8b/10b */
	cr_assert_float_eq(wire_gbps(true, 32, 1), 25, 1e-9);
	cr_assert_float_eq(wire_gbps(false, 64, 16), 100, 1e-9); /* HDR100: two lanes */
	cr_assert_float_eq(wire_gbps(true, 0, 2), 0, 1e-9);
	cr_assert_float_eq(wire_gbps(true, 32, 0), 0, 1e-9);
}
