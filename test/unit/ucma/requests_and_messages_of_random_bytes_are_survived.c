/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages and requests of chance, with just enough sense in them to get past the first check,
 * on a CM that has listeners and connections.
 */

#include "rig.h"

static uint64_t state = 88172645463325252ull;

static uint64_t chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

TestSuite(garbage, .init = rig_start, .fini = rig_end);

static void forget(void)
{
	drop_events(&left);
	drop_events(&right);
	nseen = 0;
}

Test(garbage, messages)
{
	struct link l = connected();
	uint8_t conn[8], mad[MAD_BYTES];
	struct hca_mad m = { .sgid = right.hca.port.gid[3].raw,
			     .dgid = left.hca.port.gid[3].raw,
			     .smac = right.hca.port.mac,
			     .bytes = mad,
			     .from = 2 };

	memcpy(conn, last(CM_RTU) + MAD_DATA, 8);
	cr_assert_eq(l.listener, 1);
	for (int i = 0; i < 20000; i++) {
		mad_new(mad, CM_REQ + chance() % 12, chance());
		for (int k = MAD_DATA; k < MAD_BYTES; k++)
			mad[k] = chance() % 4 ? 0 : chance();
		if (chance() % 2)
			memcpy(mad + MAD_DATA, conn, 8);
		if (chance() % 2)
			memcpy(mad + REQ_PRIVATE, "\0\x40", 2);
		if (chance() % 2)
			mad_set(mad, REQ_SERVICE_ID, 0x1060000 | PORT);
		left.hca.mad(&left.hca, &m);
		left.now += chance() % SECOND;
		left.hca.due(&left.hca, left.now);
		pump();
		forget();
	}
}

Test(garbage, requests)
{
	uint8_t buffer[1024];
	uint64_t in[64];

	connected();
	for (int i = 0; i < 20000; i++) {
		for (size_t k = 0; k < 64; k++)
			in[k] = chance() % 3 ? 0 : chance() % 4 ? chance() % 8 : chance();
		in[0] = chance() % 4 ? (uintptr_t)buffer : in[0];
		/* GET_EVENT and what it needs are the business of forget(). */
		call(&left, chance() % 24, in, chance() % 513, chance() % 1025);
		pump();
		forget();
	}
}
