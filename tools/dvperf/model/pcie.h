/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of an operation on PCI Express: a model, no measurement. Kalia, Kaminsky and
 * Andersen, "Design Guidelines for High Performance RDMA Systems" (USENIX ATC 2016), section 3,
 * with their constants: a request has 26 bytes of headers, a completion 22, reads are answered
 * in pieces of 128 bytes.
 *
 *	host                                             adapter
 *	  doorbell (8 + 26) --------------------------->           once per batch
 *	        <-------------------------- read request (26)      for the WQEs of the batch
 *	  WQEs (64 a block + 22 per 128) -------------->
 *	  or: BlueFlame (64 + 26 a block) ------------->           in place of all of that
 *	        <-------------------------- read request (26)      for data that is not inline
 *	  data (+ 22 per 128) ------------------------->
 *	        <-------------------------- CQE (64 + 26)          one for so many WQEs
 *
 * A lower bound: acknowledgements and flow control of the link (below 5 %) are not in it.
 */
#ifndef DVPERF_PCIE_H
#define DVPERF_PCIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pcie_link {
	unsigned int generation, width;
};

/* Parameters of one operation. */
struct pcie_op {
	unsigned int blocks; /* WQEBBs of its WQE */
	unsigned int batch;  /* WQEs per doorbell */
	bool blueflame;	     /* written to the register whole: the last of a batch */
	uint32_t gathered;   /* bytes that the adapter fetches from memory */
	uint32_t scattered;  /* bytes that it writes there: READ */
	double wqes_per_cqe;
};

struct pcie_bytes {
	double to_device, to_host; /* per operation */
};

struct pcie_bytes pcie_op_bytes(const struct pcie_op *op);

/* Bytes per second in one direction, after the line code; 0: no such generation. */
double pcie_link_bytes(struct pcie_link link);

/* 64-byte lines per second that BlueFlame can carry; and useful bytes per second of reads. */
double pcie_link_lines(struct pcie_link link);
double pcie_link_read_bytes(struct pcie_link link);

/* Fields of a device's PCI Express capability (PCI Express Base Specification, chapter
 * 7.5.3). */
struct pcie_settings {
	unsigned int max_payload, max_read_request; /* bytes */
	bool relaxed_ordering, extended_tags;
	bool aspm; /* the link may sleep: L0s or L1 */
	struct pcie_link link;
};

/* Reads them from the first @size bytes of the configuration space. False: the capability is
 * not in them (only root may read more than 64), or does not exist. */
bool pcie_settings_of(const uint8_t *config, size_t size, struct pcie_settings *s);

/* "3x16". False: it is not of that form. */
bool pcie_parse(const char *text, struct pcie_link *link);

/* NULL, or what is wrong with --pcie, which may be NULL: not given. The text is static. */
const char *pcie_check(const char *text);

#endif
