/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software-managed ICM: memory of the adapter that software steering writes by RDMA WRITE, and
 * that steering reads; part of hca.h. An ICM address has 40 bits, and names what steering can
 * go to:
 *
 *	area			what is there
 *	HCA_ICM_END		the ends of a way: drop, allow
 *	HCA_ICM_TIR		a TIR, by its number
 *	HCA_ICM_TABLE		a flow table of firmware, by its number
 *	HCA_ICM_SAMPLER		a sampler, by its number
 *	HCA_ICM_STEERING	entries (STEs) of 64 bytes
 *	HCA_ICM_MODIFY		lists of changes of headers, 8 bytes each
 *	HCA_ICM_PATTERN		the same without their data, which is in arguments
 *	HCA_ICM_HWS		STEs that WQEs write (hws.h)
 *
 * There is memory in the last four only, where a program allocated it.
 */
#ifndef EMU_HCA_SW_ICM_H
#define EMU_HCA_SW_ICM_H

#include "hca/hws.h"

struct hca;
struct hca_general;

#define HCA_LOG_ARGUMENTS 7   /* log2 of the numbers of one argument object, at most */
#define HCA_ARGUMENT	  64u /* bytes of each number of an argument */
#define HCA_ICM_UNIT	  64u /* bytes of an STE; addresses of what is not memory count in it */
#define HCA_ICM_AREA	  0x1000000000ull
#define HCA_ICM_END	  (1 * HCA_ICM_AREA)
#define HCA_ICM_TIR	  (2 * HCA_ICM_AREA)
#define HCA_ICM_TABLE	  (3 * HCA_ICM_AREA)
#define HCA_ICM_STEERING  (4 * HCA_ICM_AREA)
#define HCA_ICM_MODIFY	  (5 * HCA_ICM_AREA)
#define HCA_ICM_PATTERN	  (6 * HCA_ICM_AREA)
#define HCA_ICM_SAMPLER	  (7 * HCA_ICM_AREA)
#define HCA_ICM_HWS	  (8 * HCA_ICM_AREA)

/* rdma-core, dr_domain.c, dr_domain_check_icm_memory_caps: 2^20 STEs and 2^12 actions at least,
 * of which it takes an eighth at a time. */
/* assumed(sizes_of_software_icm): an adapter has 256 MiB of ICM for entries of software, 4 MiB
 * for lists of changes of headers and 4 MiB for their patterns, in blocks of 64 KiB. */
#define HCA_ICM_LOG_BLOCK    16 /* allocations are multiples of it */
#define HCA_ICM_LOG_STEERING 28
#define HCA_ICM_LOG_MODIFY   22
#define HCA_ICM_LOG_PATTERN  22
#define HCA_ICM_BLOCKS	     (1u << (HCA_ICM_LOG_STEERING - HCA_ICM_LOG_BLOCK))

/* Ends of a walk through STEs, numbered: the address is HCA_ICM_AT(HCA_ICM_END, number). */
enum hca_icm_end { HCA_ICM_RX_DROP, HCA_ICM_TX_DROP, HCA_ICM_TX_ALLOW, HCA_ICM_RX_ALLOW };

#define HCA_ICM_AT(area, number) ((area) + (uint64_t)HCA_ICM_UNIT * (number))

/* The allocation that has a byte in [addr, addr + len), len not 0; NULL: none. */
struct hca_general *hca_sw_icm_in(struct hca *hca, uint64_t addr, uint64_t len);
/* @len bytes of the arguments of changes of headers from number @id on: general objects
 * MODIFY_HEADER_ARG; NULL: they are not of one object. */
uint8_t *hca_argument(struct hca *hca, uint32_t id, uint32_t len);
/* The bytes at [addr, addr + len), which are in one allocation; NULL: they are not. */
uint8_t *hca_sw_icm_bytes(struct hca *hca, uint64_t addr, uint64_t len);

#endif
