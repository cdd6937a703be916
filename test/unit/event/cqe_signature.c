/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte 62 of a CQE: with it, the XOR of all bytes of the CQE and of its index is 0xff. The
 * golden CQEs are dumps of adapters.
 */
#include "queues.h"

TestSuite(cqe_signature, .init = setup, .fini = teardown);

/* Writes @cqe, but for signature and owner, at @index of the CQ; the signature that it has
 * there. */
static uint8_t signed_at(uint32_t index, const uint8_t cqe[64])
{
	uint8_t entry[128] = { 0 };

	memcpy(entry + 64, cqe, 64);
	entry[126] = 0;
	entry[127] &= 0xfe;
	cq->pi = index;
	record[0] = htobe32(index & 0xffffff);
	cr_assert(event_cqe(&hca, cq, entry, false));
	return ring[index & 3][62];
}

/* Juniper/warp17, issue 81: the slots are at offset 0 and 0x80 of their rings. */
Test(cqe_signature, equals_that_of_adapters)
{
	static const uint8_t first[64] = {
		[35] = 0x13, [52] = 0x9d, 0,	0x53, 0x04, 0x0a, 0,
		0x15,	     0x42,	  0x00, 0x19, 0xb0, 0xd2,
	};
	static const uint8_t third[64] = {
		[35] = 0x0c, [52] = 0x9d, 0,	0x53, 0x04, 0x0a, 0,
		0x15,	     0x34,	  0x00, 0x5a, 0x98, 0xd2,
	};

	cr_expect_eq(signed_at(0, first), 0xb0);
	cr_expect_eq(signed_at(2, third), 0x98);
}

/* The patch on netdev, 2022-10-25: the three bytes of the index. With the owner of index
 * 0x030201 in a ring of four, which is 0: 0x20 ^ 3 ^ 2 ^ 1 ^ 0xff. */
Test(cqe_signature, covers_24_bits_of_the_index)
{
	static const uint8_t cqe[64] = { [63] = 0x20 };

	cr_expect_eq(signed_at(0x030201, cqe), 0xdf);
	cr_expect_eq(signed_at(0x050000, cqe), 0xda, "0x20 ^ 5 ^ 0xff");
	cr_expect_eq(signed_at(4, cqe), 0xda, "with the owner bit: 0x21 ^ 4 ^ 0xff");
}

/* Two entries of 128 bytes have the memory of four of 64. */
static uint8_t signed_behind(uint8_t op_own)
{
	uint8_t entry[128] = { 0x55, [127] = op_own };

	cq->cqe_size_log = 7;
	cq->log_size = 1;
	cq->pi = 0;
	cr_assert(event_cqe(&hca, cq, entry, false));
	return ring[1][62];
}

Test(cqe_signature, covers_data_in_front_of_the_cqe)
{
	cr_expect_eq(signed_behind(0x28), 0x28 ^ 0x55 ^ 0xff);
}

Test(cqe_signature, does_not_cover_bytes_that_were_not_written)
{
	cr_expect_eq(signed_behind(0x24), 0x24 ^ 0xff);
}
