/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data segments of a WQE as one sequence of bytes. A list that was not read before is read
 * from the ring 16 bytes at a time. A cursor has the position, so a long message needs no
 * search.
 *
 *	unit   0      1      2      3
 *	     | ctrl | raddr| data | data |		first = 2, end = 4
 *	     | data | data | {0, 0x100}  |		a receive WQE: ends early
 *	     | ctrl | {0x80000000 | n, bytes …	}	inline: n bytes follow the 4
 */
#ifndef EMU_ENGINE_SG_H
#define EMU_ENGINE_SG_H

#include "mem/mem.h"

struct sg_list {
	struct hca *hca;
	const struct hca_pd *pd;
	const struct hca_wq *wq;
	uint32_t qpn;
	uint64_t start;	      /* byte of the WQE in its queue */
	uint32_t first, end;  /* units */
	const uint8_t *bytes; /* of the whole WQE, if it was read already; else NULL */
	bool recv;
	bool zero_is_empty; /* byte_count 0 is no byte, not 2 GiB: of Ethernet queues */
};

enum sg_status {
	SG_OK,
	SG_SHORT, /* the list has fewer bytes */
	SG_PROT,  /* key, PD, range or rights are wrong */
};

/* The list of send WQE @index with @ds units whose first data segment is unit @data. */
struct sg_list sg_of_send(struct hca *hca, const struct hca_qp *qp, uint16_t index,
			  const struct hca_req_wqe *w);
/* The same of a WQE of which all @bytes were read already. */
static inline struct sg_list sg_of_fetched(struct hca *hca, const struct hca_qp *qp,
					   const uint8_t *bytes, const struct hca_req_wqe *w)
{
	return (struct sg_list){ .hca = hca,
				 .pd = qp->pd,
				 .qpn = qp->qpn,
				 .bytes = bytes,
				 .first = w->data,
				 .end = w->ds };
}

/* The list of WQE @index of receive queue @wq, from unit @first of the WQE on. */
struct sg_list sg_of_recv(struct hca *hca, const struct hca_pd *pd, const struct hca_wq *wq,
			  uint16_t index, uint32_t first);

/* Bytes of the list; false if an inline segment exceeds it. @inl: those that are inline. */
bool sg_total(const struct sg_list *l, uint64_t *total, uint64_t *inl);

/* The key of the data segment at *@unit, or of the next one that points to memory; *@unit is
 * then the unit after it. False: no such segment. */
bool sg_next_key(const struct sg_list *l, uint32_t *unit, uint32_t *key);

/* Segments of the list. */
uint32_t sg_count(const struct sg_list *l);
/* Bytes of the segment after what @c has passed; @c is at its start then. 0: there is none. */
uint64_t sg_segment(const struct sg_list *l, struct hca_cursor *c);

/* Each advances @c by @len. After a failure the cursor is where it occurred. */
enum sg_status sg_gather(const struct sg_list *l, struct hca_cursor *c, uint8_t *dst,
			 uint32_t len);
enum sg_status sg_scatter(const struct sg_list *l, struct hca_cursor *c, const uint8_t *src,
			  uint32_t len);
enum sg_status sg_skip(const struct sg_list *l, struct hca_cursor *c, uint32_t len);

/* @len bytes of the queue from byte @off of it, across its end; zeros where the ring cannot be
 * read (lost.h). */
void sg_ring_copy(const struct hca_wq *wq, uint64_t off, uint8_t *dst, uint32_t len);

#endif
