/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs and CQEs as lines. dv prints them (dv/print.h); its names are those of mlx5dv. The
 * queue stands in front where the bytes themselves do not tell it.
 *
 *	wqe      RDMA_WRITE qpn 0x10041 idx 7 ds 3 signalled | raddr 0x7f… rkey 0x1a00 | …
 *	cqe      cq 0x10003 ci 5  REQ of RDMA_WRITE qpn 0x10041 wqe_counter 7
 */
#include <dv/print.h>

#include "explain/lines.h"

void line_wqe(struct line *l, const struct core_trace *t)
{
	size_t room;
	char *end = line_end(l, &room);

	l->len += dv_wqe_format(end, room, t->in, t->in_len, DV_LINE);
}

void line_cqe(struct line *l, const struct core_trace *t)
{
	size_t room;
	char *end;

	line_put(l, "cq 0x%x ci %u  ", t->obj, t->index);
	end = line_end(l, &room);
	l->len += dv_cqe_format(end, room, t->in, t->in_len, DV_LINE);
}
