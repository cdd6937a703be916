/* SPDX-License-Identifier: BSD-2-Clause */
/* Is it a status of a command that firmware gives? */
#ifndef TEST_FUZZ_STATUS_H
#define TEST_FUZZ_STATUS_H

#include <string.h>

#include "fw/fw.h"

static inline bool firmware_says(uint8_t status)
{
	static const uint8_t all[] = { FW_OK,	       FW_INT_ERR,	 FW_BAD_OP,
				       FW_BAD_PARAM,   FW_BAD_SYS_STATE, FW_BAD_RES,
				       FW_RES_BUSY,    FW_LIM_ERR,	 FW_BAD_RES_STATE,
				       FW_IX_ERR,      FW_NO_RES,	 FW_BAD_QP_STATE,
				       FW_BAD_INP_LEN, FW_BAD_OUTP_LEN };

	return memchr(all, status, sizeof(all));
}

#endif
