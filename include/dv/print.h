/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs, CQEs and syndromes as text, for traces, debuggers and people who learn. Two styles:
 *
 *	DV_LINE      RDMA_WRITE qpn 0x45 idx 7 ds 3 signalled | raddr 0x7f… rkey 0x1a00 | …
 *	DV_FIELDS    a field a line, with its offset in the WQE or CQE; ends with a newline
 *
 * The formatters return what snprintf() would: the length of the whole text without its NUL;
 * no more than @size bytes are written, and with @size > 0 always a NUL. Any bytes will do:
 * what makes no sense is shown as numbers. They only read memory, so they are thread-safe.
 */
#ifndef DV_PRINT_H
#define DV_PRINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum dv_style {
	DV_LINE,
	DV_FIELDS,
};

/* A send WQE, of which @len bytes are there to read; SEND is taken for that of RC or UC. */
size_t dv_wqe_format(char *buf, size_t size, const void *wqe, size_t len, enum dv_style style);

/* A CQE of @len bytes: 64 as from dv_cq_poll(), or 128 for a whole slot. */
size_t dv_cqe_format(char *buf, size_t size, const void *cqe, size_t len, enum dv_style style);

/* What the syndrome of an error CQE says, and what to check first. Never NULL. */
const char *dv_syndrome_str(uint8_t syndrome);
const char *dv_syndrome_hint(uint8_t syndrome);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
