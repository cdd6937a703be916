/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of libmlx5 and libc that make no command, replaced: umems, UARs, MRs, AHs, ports,
 * GIDs, EQ numbers, the number of a PD, answers to asynchronous queries, random numbers.
 * fake.err (fake.h) refuses these too.
 */
#ifndef TEST_UNIT_DEVX_FAKE_MEMORY_H
#define TEST_UNIT_DEVX_FAKE_MEMORY_H

#include <stdbool.h>

#include "fake.h"

enum { FAKE_UMEM_ID = 0x55, FAKE_UAR_PAGE = 0x321, FAKE_PDN = 0x123456 };

struct fake_memory {
	bool no_ex;			 /* umem_reg_ex is EPROTONOSUPPORT */
	bool busy;			 /* umem_dereg is EINVAL */
	int interrupts;			 /* of the next calls of getrandom() */
	bool no_bf, no_dedicated;	 /* UARs that are EOPNOTSUPP */
	struct mlx5dv_devx_umem_in umem; /* the last one */
	uint32_t uar_flags;
	int uars_asked;
	bool infiniband;		     /* the link layer; else Ethernet */
	enum ibv_gid_type gid_type;	     /* of all GIDs */
	struct mlx5_wqe_av av;		     /* of all AHs */
	int umems, uars, channels, mrs, ahs; /* alive */
};

extern struct fake_memory fake_memory;

/* The register page of all UARs. */
extern uint8_t fake_page[4096];

/* Criterion's .init, with fake_reset() in it. */
void fake_memory_reset(void);

#endif
