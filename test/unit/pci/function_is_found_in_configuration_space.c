/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers that a bus driver reads: identity, BAR, capabilities. */

#include "guest.h"

GUEST_SUITE(config);

static uint32_t read_le(uint32_t at, uint32_t len)
{
	uint32_t v = 0;

	guest_read(&g, CONFIG, at, &v, len);
	return v;
}

Test(config, names_the_adapter)
{
	cr_assert_eq(read_le(0, 4), 0x101715b3);
	cr_assert_eq(read_le(0x0a, 2), 0x0200);
	cr_assert_eq(read_le(0x2c, 2), 0x15b3);
}

/* All ones are written, and the bits that stay say how large the BAR is. */
Test(config, bar_has_a_size)
{
	const uint64_t ones = UINT64_MAX;
	uint64_t bar;

	guest_write(&g, CONFIG, 0x10, &ones, 8);
	guest_read(&g, CONFIG, 0x10, &bar, 8);
	cr_assert_eq(bar & 0xf, 0xc, "64 bits, prefetchable");
	cr_assert_eq(~(bar & ~0xfull) + 1, 32u << 20);
}

/* The list of capabilities: PCI Express, MSI-X with 64 vectors in BAR 0, and the end. */
Test(config, has_express_and_msix)
{
	uint32_t express = read_le(0x34, 1), msix = read_le(express + 1, 1);

	cr_assert_eq(read_le(6, 2) & 0x10, 0x10);
	cr_assert_eq(read_le(express, 1), 0x10);
	cr_assert_eq(read_le(msix, 1), 0x11);
	cr_assert_eq(read_le(read_le(msix + 1, 1), 2), 9, "vendor specific, the last");
	cr_assert_eq(read_le(msix + 2, 2) & 0x7ff, 63);
	cr_assert_eq(read_le(msix + 4, 4), 0x2000);
	cr_assert_eq(read_le(msix + 8, 4), 0x3000);
}

Test(config, identity_is_read_only)
{
	const uint32_t ones = UINT32_MAX;

	guest_write(&g, CONFIG, 0, &ones, 4);
	cr_assert_eq(read_le(0, 4), 0x101715b3);
	guest_write(&g, CONFIG, 4, &ones, 4);
	cr_assert_eq(read_le(4, 2), 0x546, "memory, bus master, parity, SERR, no INTx");
}

Test(config, access_beyond_the_end_is_refused)
{
	struct {
		uint64_t offset;
		uint32_t region, count;
	} what[] = {
		{ 4093, CONFIG, 4 }, { 4096, CONFIG, 1 },	   { UINT64_MAX, CONFIG, 2 },
		{ 0, CONFIG, 0 },    { (32u << 20) - 3, BAR0, 4 }, { 0, 1, 4 },
		{ 0, 9, 4 },	     { 0, UINT32_MAX, 4 }
	};
	struct answer a;

	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
		guest_ask(&g, 9, &what[i], 16, -1, &a);
		cr_assert_eq(a.error, 22, "access %zu", i);
	}
}

/* The gateway: a ticket from the counter takes the semaphore, another one does not, 0 gives
 * it back. No address space is there. */
Test(config, gateway_has_a_semaphore)
{
	uint32_t at = 0xc0, ticket = read_le(at + 8, 4), other = read_le(at + 8, 4), zero = 0;
	const uint16_t space = 7;

	cr_assert_neq(ticket, other);
	guest_write(&g, CONFIG, at + 12, &ticket, 4);
	guest_write(&g, CONFIG, at + 12, &other, 4);
	cr_assert_eq(read_le(at + 12, 4), ticket);
	guest_write(&g, CONFIG, at + 12, &zero, 4);
	cr_assert_eq(read_le(at + 12, 4), 0);
	guest_write(&g, CONFIG, at + 4, &space, 2);
	cr_assert_eq(read_le(at + 4, 4) >> 29, 0);
}
