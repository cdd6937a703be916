/* SPDX-License-Identifier: BSD-2-Clause */
/* What the operations of a result are on PCI Express and on the wire, by the models of pcie.h and
 * wire.h; and the rate that the maker of the adapter gives. */
#include <math.h>
#include <string.h>

#include "run/run.h"
#include "pcie.h"
#include "wire.h"

/* Whether the WQEs of @o go to the register whole, as far as one can tell from outside. */
static bool is_blueflame(const struct options *o, uint32_t blocks)
{
	bool last = o->doorbell == DOORBELL_BF_LAST;

	if ((o->batch > 1 && !last) || blocks > 4 || o->uar == UAR_NC ||
	    o->barriers != BARRIERS_DEFAULT)
		return false;
	if (o->api == API_DIRECT && o->doorbell == DOORBELL_AUTO)
		return options_is_inline(o);
	/* libmlx5 prefers it for every single WQE (post_send_db() of rdma-core) */
	return o->api != API_DIRECT || o->doorbell > DOORBELL_DB;
}

static struct wire_link link_of(const struct device *dev)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	struct wire_link link = { .ethernet =
					  dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET,
				  .mtu = 128u << dev->mtu };
	struct ibv_gid_entry entry;

	link.gbps = wire_gbps(link.ethernet, dev->port_attr.active_speed,
			      dev->port_attr.active_width);
	link.ipv6 = memcmp(dev->gid.raw, v4, sizeof(v4));
	/* between IB ports of one subnet nobody sets a GRH (lane_connect()) */
	if (link.ethernet && !ibv_query_gid_ex(dev->ctx, dev->port, dev->gid_index, &entry, 0))
		link.grh = entry.gid_type == IBV_GID_TYPE_ROCE_V1;
	return link;
}

static void model_wire(struct result *r, const struct device *dev)
{
	const struct options *o = &r->o;
	struct wire_bytes bytes;
	struct wire_link link;

	if (!dev->ctx)
		return;
	link = link_of(dev);
	if (link.gbps <= 0 || !wire_op_bytes(&link, o->op, o->service, o->size, &bytes))
		return;
	r->m[METRIC_WIRE_LIMIT] = wire_mops(&link, &bytes, o->bidirectional);
	if (!isnan(r->m[METRIC_MOPS]))
		r->m[METRIC_WIRE_GBPS] =
			r->m[METRIC_MOPS] / r->m[METRIC_WIRE_LIMIT] * link.gbps;
}

/* Of adapters whose maker gives a number. */
static double nic_mops(const struct device *dev)
{
	/* ConnectX-6: "215 million messages per second", product brief of NVIDIA */
	return dev->ctx && dev->attr.vendor_part_id == 0x101b ? 215 : NAN;
}

/* An adaptive one is as large as it was. */
static unsigned int batch_of(const struct result *r)
{
	double achieved = r->m[METRIC_BATCH];

	return r->o.adaptive && achieved >= 1 ? (unsigned int)lround(achieved) : r->o.batch;
}

void model_run(struct result *r, const struct device *dev, uint32_t blocks)
{
	const struct options *o = &r->o;
	bool known, gathers = o->op != OP_READ && o->op != OP_ATOMIC && o->op != OP_NOP &&
			      !options_is_inline(o);
	struct pcie_link link = device_link(dev, o, &known);
	struct pcie_op op = { .blocks = blocks,
			      .batch = batch_of(r),
			      .blueflame = is_blueflame(o, blocks),
			      .gathered = gathers && !o->dm ? o->size : 0,
			      .wqes_per_cqe = options_signal_interval(o) };
	struct pcie_bytes bytes;
	double most;

	if ((o->op == OP_READ || o->op == OP_ATOMIC) && !o->dm)
		op.scattered = o->size;
	bytes = pcie_op_bytes(&op);
	most = fmax(bytes.to_device, bytes.to_host);
	r->m[METRIC_PCIE_DOWN] = bytes.to_device;
	r->m[METRIC_PCIE_UP] = bytes.to_host;
	model_wire(r, dev);
	r->m[METRIC_NIC_LIMIT] = nic_mops(dev);
	r->m[METRIC_PCIE_LIMIT] = pcie_link_bytes(link) / most / 1e6;
	if (!isnan(r->m[METRIC_MOPS]))
		r->m[METRIC_PCIE_PART] = 100 * r->m[METRIC_MOPS] / r->m[METRIC_PCIE_LIMIT];
}
