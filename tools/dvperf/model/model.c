/* SPDX-License-Identifier: BSD-2-Clause */
/* Costs of the operations of a result on PCI Express and on the wire, by the models of pcie.h
 * and wire.h; and the rate that the maker of the adapter gives. */
#include <math.h>
#include <string.h>

#include "model.h"

/* Whether the WQEs of @o go to the register whole, as far as one can tell from outside. */
static bool is_blueflame(const struct options *o, uint32_t blocks)
{
	bool last = o->doorbell == DOORBELL_BF_LAST;

	if ((o->batch > 1 && !last) || blocks > 4 || (o->op == OP_MMO && blocks > 1) ||
	    o->uar == UAR_NC || o->barriers != BARRIERS_DEFAULT)
		return false;
	if (o->api == API_DIRECT && o->doorbell == DOORBELL_AUTO)
		return options_is_inline(o);
	/* libmlx5 prefers it for every single WQE (post_send_db() of rdma-core) */
	return o->api != API_DIRECT || o->doorbell > DOORBELL_DB;
}

static void model_wire(struct result *r, const struct wire_link *link)
{
	const struct options *o = &r->o;
	struct wire_bytes bytes;

	if (link->gbps <= 0 || !wire_op_bytes(link, o->op, o->service, o->size, &bytes))
		return;
	r->m[METRIC_WIRE_LIMIT] = wire_mops(link, &bytes, o->bidirectional);
	if (!isnan(r->m[METRIC_MOPS]))
		r->m[METRIC_WIRE_GBPS] =
			r->m[METRIC_MOPS] / r->m[METRIC_WIRE_LIMIT] * link->gbps;
}

/* The manufacturer's rate of an adapter, if published. */
static double nic_mops(uint32_t part)
{
	/* ConnectX-6: "215 million messages per second", product brief of NVIDIA */
	return part == 0x101b ? 215 : NAN;
}

/* An adaptive one is as large as it was. */
static unsigned int batch_of(const struct result *r)
{
	double achieved = r->m[METRIC_BATCH];

	return r->o.adaptive && achieved >= 1 ? (unsigned int)lround(achieved) : r->o.batch;
}

void model_run(struct result *r, const struct model_device *dev, uint32_t blocks)
{
	const struct options *o = &r->o;
	bool gathers = o->op != OP_READ && o->op != OP_ATOMIC && o->op != OP_NOP &&
		       !options_is_inline(o);
	struct pcie_op op = { .blocks = blocks,
			      .batch = batch_of(r),
			      .blueflame = is_blueflame(o, blocks),
			      .gathered = gathers && !o->dm ? o->size : 0,
			      .wqes_per_cqe = options_signal_interval(o) };
	struct pcie_bytes bytes;
	double most;

	if (o->remote_vhca) /* no model: the two memories are on different links */
		return;
	if ((o->op == OP_READ || o->op == OP_ATOMIC || o->op == OP_MMO) && !o->dm)
		op.scattered = o->size;
	bytes = pcie_op_bytes(&op);
	most = fmax(bytes.to_device, bytes.to_host);
	r->m[METRIC_PCIE_DOWN] = bytes.to_device;
	r->m[METRIC_PCIE_UP] = bytes.to_host;
	model_wire(r, &dev->wire);
	if (o->op != OP_MMO) /* it is about messages */
		r->m[METRIC_NIC_LIMIT] = nic_mops(dev->part);
	r->m[METRIC_PCIE_LIMIT] = pcie_link_bytes(dev->pcie) / most / 1e6;
	if (!isnan(r->m[METRIC_MOPS]))
		r->m[METRIC_PCIE_PART] = 100 * r->m[METRIC_MOPS] / r->m[METRIC_PCIE_LIMIT];
}
