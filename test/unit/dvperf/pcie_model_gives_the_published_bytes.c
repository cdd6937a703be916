/* SPDX-License-Identifier: BSD-2-Clause */
/* Kalia, Kaminsky, Andersen, USENIX ATC 2016: the numbers that their section 3 gives. */
#include <criterion/criterion.h>
#include <math.h>

#include "model/pcie.h"

static const struct pcie_link gen3x16 = { 3, 16 };

/* Bytes of an operation; NAN: not looked at. */
static const struct {
	struct pcie_op op;
	double to_device, to_host;
} rows[] = {
	/* N = 10 WQEs of D = 65 bytes: two blocks each */
	{ { .blocks = 2, .batch = 10 }, 153.4, NAN },
	{ { .blocks = 2, .batch = 1, .blueflame = true }, 180, NAN },
	{ { .blocks = 2, .batch = 1 }, 184, NAN },
	{ { .blocks = 2, .batch = 32 }, 151.0625, NAN },
	{ { .blocks = 1, .batch = 1, .blueflame = true }, 90, NAN },
	{ { .blocks = 1, .batch = 1 }, 120, NAN },
	{ { .blocks = 1, .batch = 2 }, 92, NAN },
	{ { .blocks = 1, .batch = 4 }, 83.5, NAN },
	{ { .blocks = 1, .batch = 32 }, 76.0625, NAN },
	{ { .blocks = 1, .batch = 1, .gathered = 64 }, 206, NAN },
	{ { .blocks = 1, .batch = 1, .gathered = 256 }, 420, 26 + 26 }, /* a request each */
	/* the last WQE of a batch is written and the others are fetched */
	{ { .blocks = 1, .batch = 4, .blueflame = true },
	  (90 + 3 * 64 + 2 * 22) / 4.0,
	  26 / 4.0 },
	{ { .blocks = 1, .batch = 1, .blueflame = true, .wqes_per_cqe = 1 }, 90, 90 },
	{ { .blocks = 1, .batch = 1, .blueflame = true, .wqes_per_cqe = 4 }, 90, 22.5 },
	{ { .blocks = 1, .batch = 2, .wqes_per_cqe = 4 }, 92, 22.5 + 13 },
};

Test(pcie, bytes_of_operations)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pcie_bytes bytes = pcie_op_bytes(&rows[i].op);

		cr_expect_float_eq(bytes.to_device, rows[i].to_device, 1e-9, "row %zu: %g", i,
				   bytes.to_device);
		if (!isnan(rows[i].to_host))
			cr_expect_float_eq(bytes.to_host, rows[i].to_host, 1e-9, "row %zu: %g",
					   i, bytes.to_host);
	}
}

Test(pcie, gen_3_x16)
{
	cr_assert_float_eq(pcie_link_bytes(gen3x16) / 1e6, 15753.8, 0.1);
	cr_assert_float_eq(pcie_link_lines(gen3x16) / 1e6, 175.0, 0.1);
	cr_assert_float_eq(pcie_link_read_bytes(gen3x16) / 1e6, 13443, 1);
	cr_assert_float_eq(pcie_link_bytes(gen3x16) / 76.0625 / 1e6, 207, 0.5);
}

Test(pcie, a_link_is_read_and_nonsense_refused)
{
	struct pcie_link link;

	cr_assert(pcie_parse("4x8", &link));
	cr_assert_eq(link.generation, 4);
	cr_assert_eq(link.width, 8);
	cr_assert(!pcie_parse("9x8", &link));
	cr_assert(!pcie_parse("3x32", &link));
	cr_assert(!pcie_parse("3x16y", &link));
	cr_assert(!pcie_parse("x16", &link));
}
