/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "pcie.h"

enum {
	REQUEST = 26,	 /* headers of a memory read or write */
	COMPLETION = 22, /* headers of a read's answer */
	PIECE = 128,	 /* bytes of an answer at most */
	LINE = 64,
	DOORBELL = 8,
	CQE = 64,
};

static double pieces(double bytes)
{
	uint64_t whole = (uint64_t)bytes;

	return (double)((whole + PIECE - 1) / PIECE);
}

/* @bytes fetched by the adapter in one go: what goes down to it. */
static double fetched(double bytes)
{
	return bytes + COMPLETION * pieces(bytes);
}

struct pcie_bytes pcie_op_bytes(const struct pcie_op *op)
{
	double wqe = (double)LINE * op->blocks;
	struct pcie_bytes b = { 0 };

	if (op->blueflame) {
		b.to_device = (double)(LINE + REQUEST) * op->blocks;
	} else {
		b.to_device = (DOORBELL + REQUEST + fetched(wqe * op->batch)) / op->batch;
		b.to_host = (double)REQUEST / op->batch;
	}
	if (op->gathered) {
		b.to_device += fetched(op->gathered);
		b.to_host += REQUEST;
	}
	if (op->scattered) /* written in pieces too, each with a header */
		b.to_host += op->scattered + REQUEST * pieces(op->scattered);
	if (op->wqes_per_cqe > 0)
		b.to_host += (CQE + REQUEST) / op->wqes_per_cqe;
	return b;
}

double pcie_link_bytes(struct pcie_link link)
{
	/* PCI Express Base Specification: transfers per second and lane, and the line code */
	static const double lane[] = { 0,
				       2.5e9 * 8 / 10,
				       5e9 * 8 / 10,
				       8e9 * 128 / 130,
				       16e9 * 128 / 130,
				       32e9 * 128 / 130 };

	if (link.generation >= sizeof(lane) / sizeof(*lane))
		return 0;
	return lane[link.generation] * link.width / 8;
}

double pcie_link_lines(struct pcie_link link)
{
	return pcie_link_bytes(link) / (LINE + REQUEST);
}

double pcie_link_read_bytes(struct pcie_link link)
{
	return pcie_link_bytes(link) * PIECE / (PIECE + COMPLETION);
}

bool pcie_parse(const char *text, struct pcie_link *link)
{
	char rest;

	return sscanf(text, "%ux%u%c", &link->generation, &link->width, &rest) == 2 &&
	       link->width >= 1 && link->width <= 16 && pcie_link_bytes(*link) > 0;
}
