/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a port with one IPv4 address, for tests of the driver. */
#ifndef TEST_UNIT_ADDRESSES_H
#define TEST_UNIT_ADDRESSES_H

#include "uverbs/uverbs.h"

#define TEST_ADDRESSES 2

/* The link-local address of MAC 02:c5:0a:00:00:01, and 10.0.0.1. */
static const uint8_t test_addresses[TEST_ADDRESSES][16] = {
	{ 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xc5, 0x0a, 0xff, 0xfe, 0, 0, 1 },
	{ [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 },
};

#endif
