/* SPDX-License-Identifier: BSD-2-Clause */
/* A name on the fabric has one holder; a frame to all reaches every process. */
#include <errno.h>

#include "unit/wire/fabric.h"

TWO_PROCESSES(names);

Test(names, a_name_has_one_holder)
{
	int name = wire_claim(a, "port/1");

	cr_assert_eq(name, 0);
	cr_expect_eq(wire_claim(b, "port/1"), -EADDRINUSE);
	cr_expect_eq(wire_claim(a, "port/1"), -EADDRINUSE);
	cr_expect(wire_claimed(a, "port/1"));
	cr_expect(wire_claimed(b, "port/1"));
	cr_expect(!wire_claimed(b, "port/2"));
	wire_disclaim(b, "port/1");
	cr_expect(wire_claimed(b, "port/1"), "it is not b's");
	wire_disclaim(a, "port/1");
	cr_expect(!wire_claimed(a, "port/1"));
	cr_expect_eq(wire_claim(b, "port/1"), 0, "free again");
}

/* Any one of five names is given back: it is free, and the four others are held. */
Test(names, a_name_that_is_given_back_is_the_only_one)
{
	static const char *const names[5] = { "port/1", "port/2", "port/3", "port/12", "port" };

	for (int back = 0; back < 5; back++) {
		for (int i = 0; i < 5; i++)
			cr_assert_eq(wire_claim(a, names[i]), 0, "%s", names[i]);
		wire_disclaim(a, names[back]);
		for (int i = 0; i < 5; i++) {
			cr_expect_eq(wire_claimed(a, names[i]), i != back, "%s", names[i]);
			cr_expect_eq(wire_claimed(b, names[i]), i != back, "%s", names[i]);
			cr_expect_eq(wire_claim(b, names[i]), i == back ? 0 : -EADDRINUSE);
			wire_disclaim(i == back ? b : a, names[i]);
		}
	}
}

Test(names, a_slot_is_present_while_its_process_lives)
{
	cr_expect(wire_present(a, 2));
	cr_expect(wire_present(a, 1), "oneself, too");
	cr_expect(!wire_present(a, 3));
	wire_close(b);
	b = NULL;
	cr_expect(!wire_present(a, 2));
}

Test(wire, a_frame_to_all_reaches_every_process_once)
{
	struct wire *w[3] = { join_test_fabric(), join_test_fabric(), join_test_fabric() };
	const struct wire_packet p = { .opcode = WIRE_UD | WIRE_SEND_ONLY, .dqpn = 1 };
	struct wire_packet got;
	uint8_t from;

	cr_assert_eq(wire_send_all(w[1], &p), 14 + 40 + 8 + 12 + 8 + 4);
	wire_flush(w[1]);
	for (int i = 0; i < 3; i++) {
		cr_assert(next_packet(w[i], &got, &from), "slot %d", i + 1);
		cr_expect_eq(from, 2);
		cr_expect_eq(got.dqpn, 1);
		cr_expect_not(next_packet(w[i], &got, &from));
	}
	for (int i = 0; i < 3; i++)
		wire_close(w[i]);
}

Test(names, a_frame_to_all_waits_for_full_peers)
{
	struct wire_packet p = { .opcode = WIRE_UD | WIRE_SEND_ONLY, .dqpn = 1 }, got;
	const uint32_t n =
		500; /* more than a queue of datagrams holds (net.unix.max_dgram_qlen) */
	uint8_t from;

	for (p.psn = 0; p.psn < n; p.psn++)
		wire_send_all(a, &p);
	for (uint32_t seen = 0; seen < n; seen++) {
		if (!next_packet(b, &got, &from)) {
			wire_flush(a);
			cr_assert(next_packet(b, &got, &from), "after %u", seen);
		}
		cr_assert_eq(got.psn, seen);
	}
}
