/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs and CQEs as lines. dv prints them (dv/print.h); its names are those of mlx5dv. The
 * queue precedes them if the bytes do not contain it.
 *
 *	wqe      RDMA_WRITE qpn 0x10041 idx 7 ds 3 signalled | raddr 0x7f… rkey 0x1a00 | …
 *	cqe      cq 0x10003 ci 5  REQ of RDMA_WRITE qpn 0x10041 wqe_counter 7
 *
 * And what dv_wqe_check() (dv/check.h) says of a WQE that the engine ended in an error. The two
 * are independent: the engine reads WQEs with its own tables.
 */
#include <string.h>

#include <dv/check.h>

#include "explain/lines.h"
#include "prm/value.h"

/* A WQE that does not come with its queue is taken for one of RC. */
static struct core_trace_queue queue_of(const struct core_trace *t)
{
	struct core_trace_queue queue = { .service = PRM_QPC_ST_RC };

	if (t->out_len == sizeof(queue))
		memcpy(&queue, t->out, sizeof(queue));
	return queue;
}

static enum dv_transport transport(uint8_t service)
{
	switch (service) {
	case PRM_QPC_ST_UC:
		return DV_UC;
	case PRM_QPC_ST_UD:
		return DV_UD;
	case PRM_QPC_ST_XRC:
		return DV_XRC;
	case PRM_QPC_ST_DCI:
		return DV_DCI;
	default:
		return DV_RC;
	}
}

void line_wqe(struct line *l, const struct core_trace *t)
{
	struct core_trace_queue queue = queue_of(t);
	size_t space;
	char *end = line_end(l, &space);

	l->len +=
		dv_wqe_format(end, space, t->in, t->in_len, transport(queue.service), DV_LINE);
}

void line_cqe(struct line *l, const struct core_trace *t)
{
	size_t space;
	char *end;

	line_put(l, "cq 0x%x ci %u  ", t->obj, t->index);
	end = line_end(l, &space);
	l->len += dv_cqe_format(end, space, t->in, t->in_len, DV_LINE);
}

void check_failed_wqe(const struct core_trace *t)
{
	struct core_trace_queue queue = queue_of(t);
	struct dv_queue_facts q = { .transport = transport(queue.service),
				    .qpn = t->obj,
				    .wqe_cnt = queue.blocks };
	struct dv_finding found[4];
	size_t n = dv_wqe_check(&q, t->in, t->in_len, (uint16_t)t->index, found, 4);

	for (size_t i = 0; i < n && i < 4; i++)
		core_check(CORE_MALFORMED, "QP", t->obj, "%s; it ended in a %s", found[i].text,
			   dv_syndrome_str(queue.syndrome));
}
