/* SPDX-License-Identifier: BSD-2-Clause */
/* Which costs the model gives a result: whole WQEs or doorbells, data that is fetched and
 * written, the wire, the adapter's own limit. */
#include <criterion/criterion.h>

#include <math.h>

#include "base/base.h"
#include "model/model.h"
#include "unit/dvperf/given.h"

static const struct {
	const char *options;
	uint32_t blocks;
	struct pcie_op op; /* as which it counts */
} rows[] = {
	{ "size=8 inline_size=8", 1, { .batch = 1, .blueflame = true } },
	{ "size=8", 1, { .batch = 1, .gathered = 8 } },
	{ "size=8 doorbell=bf", 1, { .batch = 1, .blueflame = true, .gathered = 8 } },
	{ "size=8 inline_size=8 doorbell=db", 1, { .batch = 1 } },
	{ "size=8 batch=2 inline_size=8 doorbell=bf", 1, { .batch = 2 } },
	{ "size=8 batch=2 inline_size=8 doorbell=bf-last",
	  1,
	  { .batch = 2, .blueflame = true } },
	{ "size=8 api=wr", 4, { .batch = 1, .blueflame = true, .gathered = 8 } },
	{ "size=8 api=verbs", 5, { .batch = 1, .gathered = 8 } },
	{ "size=8 api=wr uar=nc", 1, { .batch = 1, .gathered = 8 } },
	{ "size=8 barriers=pre loopback=on", 1, { .batch = 1, .gathered = 8 } },
	{ "size=8 api=wr dm=on", 1, { .batch = 1, .blueflame = true } },
	{ "size=8 api=wr op=mmo",
	  1,
	  { .batch = 1, .blueflame = true, .gathered = 8, .scattered = 8 } },
	{ "size=8 api=wr op=mmo", 2, { .batch = 1, .gathered = 8, .scattered = 8 } },
	{ "size=8 api=wr op=read", 1, { .batch = 1, .blueflame = true, .scattered = 8 } },
	{ "api=wr op=atomic", 1, { .batch = 1, .blueflame = true, .scattered = 8 } },
	{ "size=8 api=wr op=read dm=on", 1, { .batch = 1, .blueflame = true } },
	{ "size=8 op=nop", 1, { .batch = 1 } },
	{ "size=8 op=send signal=7", 1, { .batch = 1, .gathered = 8 } },
};

static void metric(const struct result *r, enum metric m, double want)
{
	cr_expect(isnan(want) ? isnan(r->m[m]) : fabs(r->m[m] - want) < 1e-6, "%s: %g, not %g",
		  metric_name(m), r->m[m], want);
}

Test(model, of_each_kind)
{
	const struct model_device dev = { .pcie = { 3, 16 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options o = given(rows[i].options);
		struct pcie_op op = rows[i].op;
		struct pcie_bytes bytes;
		struct result r = result_new(&o);

		op.blocks = rows[i].blocks;
		op.wqes_per_cqe = options_signal_interval(&o);
		bytes = pcie_op_bytes(&op);
		model_run(&r, &dev, rows[i].blocks);
		cr_expect(fabs(r.m[METRIC_PCIE_DOWN] - bytes.to_device) < 1e-9 &&
				  fabs(r.m[METRIC_PCIE_UP] - bytes.to_host) < 1e-9,
			  "%s: %g, %g", rows[i].options, r.m[METRIC_PCIE_DOWN],
			  r.m[METRIC_PCIE_UP]);
		metric(&r, METRIC_PCIE_LIMIT,
		       pcie_link_bytes(dev.pcie) / fmax(bytes.to_device, bytes.to_host) / 1e6);
		metric(&r, METRIC_PCIE_PART, NAN);
		metric(&r, METRIC_WIRE_LIMIT, NAN);
		metric(&r, METRIC_NIC_LIMIT, NAN);
	}
}

/* 106 bytes of a WRITE of 8 on the wire: 12500 / 106 M/s; of READ to both sides the half of
 * 98 + 94. */
Test(model, of_a_rate)
{
	const struct model_device cx6 = {
		.pcie = { 4, 16 },
		.wire = { .ethernet = true, .gbps = 100, .mtu = 1024 },
		.part = 0x101b
	};
	struct options o = given("size=8");
	struct result r = result_new(&o);

	r.m[METRIC_MOPS] = 50;
	model_run(&r, &cx6, 1);
	metric(&r, METRIC_WIRE_LIMIT, 12500.0 / 106);
	metric(&r, METRIC_WIRE_GBPS, 50 * 106 * 8 / 1e3);
	metric(&r, METRIC_NIC_LIMIT, 215);
	metric(&r, METRIC_PCIE_PART, 100 * 50 / r.m[METRIC_PCIE_LIMIT]);
	o = given("size=8 op=read bidirectional=on");
	r = result_new(&o);
	model_run(&r, &cx6, 1);
	metric(&r, METRIC_WIRE_LIMIT, 12500.0 / 96);
	metric(&r, METRIC_WIRE_GBPS, NAN);
	o = given("size=8 op=mmo");
	r = result_new(&o);
	model_run(&r, &cx6, 1);
	metric(&r, METRIC_WIRE_LIMIT, NAN);
	metric(&r, METRIC_NIC_LIMIT, NAN);
	o = given("size=8 op=mmo remote-vhca=read host=a");
	r = result_new(&o);
	model_run(&r, &cx6, 1);
	metric(&r, METRIC_PCIE_LIMIT, NAN);
}

/* As large as it was, rounded; half of the depth where that is not known. */
Test(model, of_an_adaptive_batch)
{
	static const struct {
		double achieved;
		unsigned int batch;
	} of[] = { { 2.6, 3 }, { 1, 1 }, { 0.9, 64 }, { NAN, 64 } };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct options o = given("size=8 batch=adaptive");
		struct pcie_op op = { .blocks = 1,
				      .batch = of[i].batch,
				      .gathered = 8,
				      .wqes_per_cqe = options_signal_interval(&o) };
		struct result r = result_new(&o);

		r.m[METRIC_BATCH] = of[i].achieved;
		model_run(&r, &(struct model_device){ .pcie = { 3, 16 } }, 1);
		metric(&r, METRIC_PCIE_DOWN, pcie_op_bytes(&op).to_device);
	}
}
