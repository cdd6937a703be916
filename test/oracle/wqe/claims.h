/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More than the emulator promises: what the kernel answers to libmlx5 is changed on its way, so
 * that the installed libmlx5 posts what no device here would execute. Nothing of libmlx5
 * changes, and nothing is executed: the device is paused.
 *
 *	signature, crypto  QUERY_HCA_CAP claims them; CREATE_PSV and the creation of a DEK are
 *	                   answered here; the memory key is made without
 *	checksums, TSO     QUERY_DEVICE_EX claims them
 *	inline headers     none, where asked for: GET_CONTEXT says so
 *
 * The library calls ioctl(); this program's own ioctl() precedes the emulator's.
 */
#ifndef TEST_ORACLE_WQE_CLAIMS_H
#define TEST_ORACLE_WQE_CLAIMS_H

#include <stdbool.h>

enum {
	CLAIMED_TSO = 1 << 16, /* bytes */
	CLAIMED_DEK = 0x4567,  /* the data encryption key that libmlx5 is given */
};

/* Without it, ioctl() is the emulator's. Before the device is opened. */
void claims_begin(bool no_inline_headers);

#endif
