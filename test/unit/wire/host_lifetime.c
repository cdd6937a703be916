/* SPDX-License-Identifier: BSD-2-Clause */
/* An address is on the fabric while any process of its host is. */
#include <errno.h>

#include "unit/wire/packet.h"

#define HOST 0x0a000001u

Test(wire, a_host_is_present_while_one_of_its_processes_is)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric(), *c = join_test_fabric();

	cr_expect(!wire_host_there(c, HOST));
	cr_assert_eq(wire_host(a, HOST), 0);
	cr_assert_eq(wire_host(b, HOST), 0);
	cr_expect(wire_host_there(a, HOST));
	cr_expect(wire_host_there(c, HOST));
	for (int byte = 0; byte < 4; byte++)
		cr_expect(!wire_host_there(c, HOST ^ 1u << 8 * byte));
	wire_close(a);
	cr_expect(wire_host_there(b, HOST), "the other one is left");
	cr_expect(wire_host_there(c, HOST));
	a = join_test_fabric();
	cr_assert_eq(wire_host(a, HOST), 0);
	wire_close(b);
	cr_expect(wire_host_there(c, HOST));
	wire_close(a);
	cr_expect(!wire_host_there(c, HOST));
	wire_close(c);
}

/* Slots are 1 to 255. */
Test(wire, a_host_has_255_processes)
{
	struct wire *a = join_test_fabric();
	char name[32];

	for (int n = 1; n < 256; n++)
		cr_assert_eq(wire_host(a, HOST), 0, "%d", n);
	cr_expect_eq(wire_host(a, HOST), -EADDRINUSE);
	for (int n = 1; n < 256; n++) {
		cr_expect(wire_host_there(a, HOST), "%d", n);
		snprintf(name, sizeof(name), "host/10.0.0.1/%d", n);
		wire_disclaim(a, name);
	}
	cr_expect(!wire_host_there(a, HOST));
	wire_close(a);
}
