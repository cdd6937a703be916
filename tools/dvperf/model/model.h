/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of operations outside the CPU, computed and not measured: bytes on PCI Express and on
 * the wire, the rate that the maker of the adapter states, and what follows from all of them.
 * Nothing here opens a device: what a model needs of it is in struct model_device.
 */
#ifndef DVPERF_MODEL_H
#define DVPERF_MODEL_H

#include "pcie.h"
#include "predict.h"
#include "wire.h"

struct model_device {
	struct pcie_link pcie;
	struct wire_link wire; /* gbps 0: there is no device */
	uint32_t part;	       /* vendor_part_id; 0: there is no device */
};

/* Fills in the modelled metrics of @r; of --remote-vhca none. @blocks: of an operation. */
void model_run(struct result *r, const struct model_device *dev, uint32_t blocks);

#endif
