/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration spaces by hand; offsets from the PCI Express Base Specification. */
#include <criterion/criterion.h>
#include <string.h>

#include "model/pcie.h"

enum { SIZE = 256 };

static uint8_t c[SIZE];
static struct pcie_settings s;

/* Power management at 0x40, then PCI Express at 0x60. */
static void fill(void)
{
	memset(c, 0, SIZE);
	c[0x06] = 0x10; /* status: there are capabilities */
	c[0x34] = 0x40;
	c[0x40] = 0x01;
	c[0x41] = 0x60;
	c[0x60] = 0x10;
	c[0x61] = 0x00;
	/* device control: 0x5136: payload 1 (256), relaxed ordering, extended tags, reads 5
	 * (4096) */
	c[0x68] = 0x36;
	c[0x69] = 0x51;
	/* link control: ASPM off; link status 0x1103: 8 GT/s, 16 lanes */
	c[0x70] = 0x40;
	c[0x72] = 0x03;
	c[0x73] = 0x11;
}

TestSuite(pcie_settings, .init = fill);

Test(pcie_settings, of_an_adapter)
{
	cr_assert(pcie_settings_of(c, SIZE, &s));
	cr_assert_eq(s.max_payload, 256);
	cr_assert_eq(s.max_read_request, 4096);
	cr_assert(s.relaxed_ordering);
	cr_assert(s.extended_tags);
	cr_assert_not(s.aspm);
	cr_assert_eq(s.link.generation, 3);
	cr_assert_eq(s.link.width, 16);
}

Test(pcie_settings, without_relaxed_ordering)
{
	c[0x68] = 0x06; /* payload 0 (128) */
	c[0x69] = 0x20; /* reads 2 (512) */
	c[0x70] = 0x42; /* L1 */
	cr_assert(pcie_settings_of(c, SIZE, &s));
	cr_assert_eq(s.max_payload, 128);
	cr_assert_eq(s.max_read_request, 512);
	cr_assert_not(s.relaxed_ordering);
	cr_assert_not(s.extended_tags);
	cr_assert(s.aspm);
}

/* Without root a program reads 64 bytes. */
Test(pcie_settings, unreadable)
{
	cr_assert_not(pcie_settings_of(c, 64, &s));
	cr_assert_not(pcie_settings_of(c, 0, &s));
	cr_assert_not(pcie_settings_of(c, 0x73, &s)); /* its last byte is not there */
	cr_assert(pcie_settings_of(c, 0x74, &s));
}

Test(pcie_settings, no_list_or_a_circular_one)
{
	c[0x06] = 0;
	cr_assert_not(pcie_settings_of(c, SIZE, &s));
	fill();
	c[0x60] = 0x05;
	cr_assert_not(pcie_settings_of(c, SIZE, &s));
	c[0x61] = 0x40;
	cr_assert_not(pcie_settings_of(c, SIZE, &s));
}
