/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of libmlx5 that make no command, replaced: umems, UARs, EQ numbers, answers to
 * asynchronous queries. fake.err (fake.h) refuses these too.
 */
#ifndef TEST_UNIT_DEVX_FAKE_MEMORY_H
#define TEST_UNIT_DEVX_FAKE_MEMORY_H

#include <stdbool.h>

#include "fake.h"

enum { FAKE_UMEM_ID = 0x55, FAKE_UAR_PAGE = 0x321 };

struct fake_memory {
	bool no_ex;			 /* umem_reg_ex is EPROTONOSUPPORT */
	bool no_bf, no_dedicated;	 /* UARs that are EOPNOTSUPP */
	struct mlx5dv_devx_umem_in umem; /* the last one */
	uint32_t uar_flags;
	int umems, uars, channels; /* alive */
};

extern struct fake_memory fake_memory;

/* The register page of all UARs. */
extern uint8_t fake_page[4096];

/* Criterion's .init, with fake_reset() in it. */
void fake_memory_reset(void);

#endif
