/* SPDX-License-Identifier: BSD-2-Clause */
/* What the operations of a result are on PCI Express, by the model of pcie.h. */
#include <math.h>

#include "modes.h"
#include "pcie.h"

/* Whether the WQEs of @o go to the register whole, as far as one can tell from outside. */
static bool is_blueflame(const struct options *o, uint32_t blocks)
{
	if (o->batch > 1 || blocks > 4 || o->uar == UAR_NC || o->barriers != BARRIERS_DEFAULT)
		return false;
	if (o->api == API_DIRECT && o->doorbell == DOORBELL_AUTO)
		return options_is_inline(o);
	/* libmlx5 prefers it for every single WQE (post_send_db() of rdma-core) */
	return o->api != API_DIRECT || o->doorbell == DOORBELL_BF;
}

void model_run(struct result *r, const struct device *dev, uint32_t blocks)
{
	const struct options *o = &r->o;
	bool known, gathers = (o->op == OP_WRITE || o->op == OP_SEND) && !options_is_inline(o);
	struct pcie_link link = device_link(dev, o, &known);
	struct pcie_op op = { .blocks = blocks,
			      .batch = o->batch,
			      .blueflame = is_blueflame(o, blocks),
			      .gathered = gathers ? o->size : 0,
			      .wqes_per_cqe = options_signal_interval(o) };
	struct pcie_bytes bytes;
	double most;

	if (o->op == OP_READ || o->op == OP_ATOMIC)
		op.scattered = o->size;
	bytes = pcie_op_bytes(&op);
	most = fmax(bytes.to_device, bytes.to_host);
	r->m[METRIC_PCIE_DOWN] = bytes.to_device;
	r->m[METRIC_PCIE_UP] = bytes.to_host;
	r->m[METRIC_PCIE_LIMIT] = pcie_link_bytes(link) / most / 1e6;
	if (!isnan(r->m[METRIC_MOPS]))
		r->m[METRIC_PCIE_PART] = 100 * r->m[METRIC_MOPS] / r->m[METRIC_PCIE_LIMIT];
}
