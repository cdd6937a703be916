/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs, CQEs, EQEs and syndromes as text, for traces, debuggers and people who learn. Two
 * styles:
 *
 *	DV_LINE      RDMA_WRITE qpn 0x45 idx 7 ds 3 signalled | raddr 0x7f… rkey 0x1a00 | …
 *	DV_FIELDS    a field a line, with its offset in the WQE or CQE; ends with a newline
 *
 * The formatters return what snprintf() would: the length of the whole text without its NUL;
 * no more than @size bytes are written, and with @size > 0 always a NUL. Any bytes will do:
 * what makes no sense is shown as numbers, what has no public layout as bytes. They only read
 * memory, so they are thread-safe.
 *
 * Fields keep the names of <infiniband/mlx5dv.h> and the PRM. Whether the WQE is one that the
 * device would take is the question of check.h.
 */
#ifndef DV_PRINT_H
#define DV_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum dv_style {
	DV_LINE,
	DV_FIELDS,
};

/* The queue that a WQE is for: an opcode has other segments on another transport. */
enum dv_transport {
	DV_RC,
	DV_UC,
	DV_UD,
	DV_UD_LSO, /* of IPoIB: an Ethernet segment after the address vector */
	DV_DCI,
	DV_XRC, /* the initiator */
	DV_ETH, /* raw packets; SQs made by a firmware command */
};

enum {
	DV_WQE_MAX_BYTES = 63 * 16, /* of a WQE: ds has 6 bits */
};

/* A send WQE, of which @len bytes are there to read. */
size_t dv_wqe_format(char *buf, size_t size, const void *wqe, size_t len,
		     enum dv_transport transport, enum dv_style style);

/* Copies the WQE with index @idx out of a ring of @wqe_cnt blocks, a power of two, in which it
 * may lie around the edge: libmlx5's do, dv's do not. Returns its length as its ds says, of 16
 * bytes or more, but not more than the ring has. */
size_t dv_wqe_copy(uint8_t wqe[DV_WQE_MAX_BYTES], const void *ring, uint32_t wqe_cnt,
		   uint16_t idx);

/* How a receive WQE begins; data segments follow in all of them. */
enum dv_recv_kind {
	DV_RECV_PLAIN,
	DV_RECV_SIGNATURE, /* with a signature segment */
	DV_RECV_LINKED,	   /* with the index of the next: SRQ, linked striding RQ */
};

/* A receive WQE of @len bytes: its slot in the ring. */
size_t dv_recv_wqe_format(char *buf, size_t size, const void *wqe, size_t len,
			  enum dv_recv_kind kind, enum dv_style style);

/* A CQE of @len bytes: 64 as from dv_cq_poll(), or 128 for a whole slot. */
size_t dv_cqe_format(char *buf, size_t size, const void *cqe, size_t len, enum dv_style style);

/* Prints the 64-byte CQE at @cqe to @out as one line; of an error CQE the line ends with what
 * to check first, dv_syndrome_hint(). */
void dv_cqe_print(FILE *out, const void *cqe);

/* The same to stderr, after @what and a colon, as perror(3) does. */
void dv_cqe_perror(const char *what, const void *cqe);

/* The 64-byte slot at @slot as an array of @n mini CQEs (mini.h), 8 at most. @format: an enum
 * dv_mini_format, or DV_MINI_OF_REQUESTER for those of a send queue, which have another one.
 * Nothing in the slot says what it is: the CQE before it does (format compressed). */
enum {
	DV_MINI_OF_REQUESTER = -1,
};
size_t dv_minis_format(char *buf, size_t size, const void *slot, unsigned int n, int format,
		       enum dv_style style);

/* An EQE of @len bytes: 64. */
size_t dv_eqe_format(char *buf, size_t size, const void *eqe, size_t len, enum dv_style style);

/* The meaning of the syndrome of an error CQE, and what to check first. Never NULL. */
const char *dv_syndrome_str(uint8_t syndrome);
const char *dv_syndrome_hint(uint8_t syndrome);

/* The meaning of a vendor syndrome, if a public source has it; otherwise the error with which
 * public logs show it. For a report. Never NULL. */
const char *dv_vendor_syndrome_str(uint8_t vendor_syndrome);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
