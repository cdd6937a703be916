/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers added up by hand from the InfiniBand specification, and IEEE 802.3. */
#include <criterion/criterion.h>

#include "model/wire.h"

static const struct wire_link roce = { .ethernet = true, .gbps = 100, .mtu = 1024 },
			      v6 = { .ethernet = true, .gbps = 100, .mtu = 1024, .ipv6 = true },
			      v1 = { .ethernet = true, .gbps = 100, .mtu = 1024, .grh = true },
			      edr = { .gbps = 100, .mtu = 4096 };

static const struct {
	const struct wire_link *link;
	enum op op;
	enum service service;
	uint32_t size;
	double out, back; /* 0: not looked at */
} rows[] = {
	/* 20 + 14 + 20 + 8 + 12 + 16 + 4 + 4 = 98 bytes beside the payload, which is padded */
	{ &roce, OP_WRITE, SERVICE_RC, 8, 106, 0 },
	{ &roce, OP_WRITE, SERVICE_RC, 5, 106, 0 },
	{ &roce, OP_WRITE_IMM, SERVICE_RC, 8, 110, 0 },
	/* 20 + 14 + 20 + 8 + 12 + 4 + 8 + 4 + 4 back; its request is longer */
	{ &roce, OP_READ, SERVICE_RC, 8, 98, 94 },
	/* AtomicETH 28 out; AETH 4 and AtomicAckETH 8 back */
	{ &roce, OP_ATOMIC, SERVICE_RC, 8, 110, 94 },
	/* 3 packets of 82 bytes beside 1024, 1024 and 452; RETH 16 in the first only */
	{ &roce, OP_WRITE, SERVICE_RC, 2500, 3 * 82 + 16 + 2500, 0 },
	{ &roce, OP_WRITE_IMM, SERVICE_RC, 2500, 3 * 82 + 20 + 2500, 0 },
	{ &roce, OP_SEND, SERVICE_RC, 1024, 82 + 1024, 0 },
	{ &roce, OP_SEND, SERVICE_XRC, 2048, 2 * 86 + 2048, 0 },
	/* an AETH in the first and the last packet of the answer, none in the middle */
	{ &roce, OP_READ, SERVICE_RC, 3072, 98, 3 * 82 + 8 + 3072 },
	/* 14 + 20 + 8 + 12 + 4 + 4 = 62: below the least frame of 64 */
	{ &roce, OP_SEND, SERVICE_RC, 0, 84, 0 },
	/* a GRH of 40 in place of IPv4 and UDP */
	{ &v1, OP_WRITE, SERVICE_RC, 8, 118, 0 },
	{ &v6, OP_WRITE, SERVICE_RC, 8, 126, 0 },
	/* 8 + 12 + 16 + 4 + 2 = 42 bytes beside the payload */
	{ &edr, OP_WRITE, SERVICE_RC, 8, 50, 0 },
};

Test(wire, bytes_of_operations)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wire_bytes bytes;

		cr_assert(wire_op_bytes(rows[i].link, rows[i].op, rows[i].service, rows[i].size,
					&bytes));
		cr_expect_float_eq(bytes.out, rows[i].out, 1e-9, "row %zu: %g", i, bytes.out);
		if (rows[i].back > 0)
			cr_expect_float_eq(bytes.back, rows[i].back, 1e-9, "row %zu: %g", i,
					   bytes.back);
	}
}

/* Half of the operations may come the other way: each direction carries half of both. */
static const struct {
	const struct wire_link *link;
	enum op op;
	enum service service;
	uint32_t size;
	bool both;
	double mops, off;
} rates[] = {
	{ &roce, OP_WRITE, SERVICE_RC, 8, false, 117.9, 0.05 },
	{ &roce, OP_WRITE, SERVICE_RC, 32, false, 96.2, 0.05 },
	{ &roce, OP_WRITE, SERVICE_RC, 64, false, 77.2, 0.05 },
	{ &roce, OP_WRITE, SERVICE_RC, 128, false, 55.3, 0.05 },
	{ &roce, OP_WRITE, SERVICE_RC, 256, false, 35.3, 0.05 },
	{ &roce, OP_SEND, SERVICE_UD, 8, false, 127.6, 0.05 },
	{ &roce, OP_READ, SERVICE_RC, 8, false, 12500 / 98.0, 1e-9 },
	{ &edr, OP_WRITE, SERVICE_RC, 8, false, 250, 0.05 },
	{ &edr, OP_WRITE, SERVICE_RC, 64, false, 118, 0.1 },
	{ &roce, OP_WRITE, SERVICE_RC, 8, true, 2 * 12500 / 106.0, 1e-9 },
	{ &roce, OP_READ, SERVICE_RC, 8, true, 12500 / 96.0, 1e-9 },
};

Test(wire, rates_of_operations)
{
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		struct wire_bytes bytes;
		double mops;

		cr_assert(wire_op_bytes(rates[i].link, rates[i].op, rates[i].service,
					rates[i].size, &bytes));
		mops = wire_mops(rates[i].link, &bytes, rates[i].both);
		cr_expect_float_eq(mops, rates[i].mops, rates[i].off, "row %zu: %g", i, mops);
	}
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
