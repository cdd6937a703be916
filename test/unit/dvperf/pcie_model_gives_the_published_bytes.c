/* SPDX-License-Identifier: BSD-2-Clause */
/* Kalia, Kaminsky, Andersen, USENIX ATC 2016: the numbers that their section 3 gives. */
#include <criterion/criterion.h>

#include "model/pcie.h"

static const struct pcie_link gen3x16 = { 3, 16 };

static double to_device(unsigned int blocks, unsigned int batch, bool blueflame)
{
	struct pcie_op op = { .blocks = blocks, .batch = batch, .blueflame = blueflame };

	return pcie_op_bytes(&op).to_device;
}

/* N = 10 WQEs of D = 65 bytes: two blocks each. */
Test(pcie, ten_wqes_of_65_bytes)
{
	cr_assert_float_eq(10 * to_device(2, 10, false), 1534, 1e-9);
	cr_assert_float_eq(10 * to_device(2, 1, true), 1800, 1e-9);
}

Test(pcie, gen_3_x16)
{
	cr_assert_float_eq(pcie_link_bytes(gen3x16) / 1e6, 15753.8, 0.1);
	cr_assert_float_eq(pcie_link_lines(gen3x16) / 1e6, 175.0, 0.1);
	cr_assert_float_eq(pcie_link_read_bytes(gen3x16) / 1e6, 13443, 1);
}

Test(pcie, one_block_by_batch)
{
	cr_assert_float_eq(to_device(1, 1, true), 90, 1e-9);
	cr_assert_float_eq(to_device(1, 1, false), 120, 1e-9);
	cr_assert_float_eq(to_device(1, 2, false), 92, 1e-9);
	cr_assert_float_eq(to_device(1, 4, false), 83.5, 1e-9);
	cr_assert_float_eq(to_device(1, 32, false), 76.0625, 1e-9);
	cr_assert_float_eq(pcie_link_bytes(gen3x16) / to_device(1, 32, false) / 1e6, 207, 0.5);
}

Test(pcie, two_blocks_and_gathered_data)
{
	struct pcie_op op = { .blocks = 1, .batch = 1, .gathered = 64 };

	cr_assert_float_eq(to_device(2, 1, false), 184, 1e-9);
	cr_assert_float_eq(to_device(2, 32, false), 151.0625, 1e-9);
	cr_assert_float_eq(pcie_op_bytes(&op).to_device, 206, 1e-9);
	op.gathered = 256;
	cr_assert_float_eq(pcie_op_bytes(&op).to_device, 420, 1e-9);
	cr_assert_float_eq(pcie_op_bytes(&op).to_host, 26 + 26, 1e-9, "a request each");
}

/* The last WQE of a batch is written and the others are fetched: 90 + 3 * 64 + 2 * 22 for
 * four. */
Test(pcie, blueflame_of_a_batch)
{
	struct pcie_op op = { .blocks = 1, .batch = 4, .blueflame = true };

	cr_assert_float_eq(pcie_op_bytes(&op).to_device, 326 / 4., 1e-9);
	cr_assert_float_eq(pcie_op_bytes(&op).to_host, 26 / 4., 1e-9);
}

Test(pcie, cqes_and_read_requests_go_to_the_host)
{
	struct pcie_op op = { .blocks = 1, .batch = 1, .blueflame = true, .wqes_per_cqe = 1 };

	cr_assert_float_eq(pcie_op_bytes(&op).to_host, 90, 1e-9);
	op.wqes_per_cqe = 4;
	cr_assert_float_eq(pcie_op_bytes(&op).to_host, 22.5, 1e-9);
	op.blueflame = false;
	op.batch = 2;
	cr_assert_float_eq(pcie_op_bytes(&op).to_host, 22.5 + 13, 1e-9);
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
