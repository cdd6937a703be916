/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes on PCI Express by the model of ATC 2016, and the settings of a PCI Express capability.
 */
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
		if (op->batch > 1) { /* the others are fetched */
			b.to_device += fetched(wqe * (op->batch - 1));
			b.to_device /= op->batch;
			b.to_host = (double)REQUEST / op->batch;
		}
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

enum { GENERATIONS = 5 };

double pcie_link_bytes(struct pcie_link link)
{
	/* PCI Express Base Specification: transfers per second and lane, and the line code */
	static const double lane[GENERATIONS + 1] = { 0,
						      2.5e9 * 8 / 10,
						      5e9 * 8 / 10,
						      8e9 * 128 / 130,
						      16e9 * 128 / 130,
						      32e9 * 128 / 130 };

	if (link.generation > GENERATIONS)
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

/* ---- configuration space ---- */

/* Offsets: PCI Local Bus Specification, chapter 6; of the capability: PCI Express Base
 * Specification. */
enum {
	STATUS = 0x06,
	STATUS_HAS_CAPABILITIES = 1 << 4,
	CAPABILITIES = 0x34,
	CAP_EXPRESS = 0x10,
	DEVICE_CONTROL = 0x08,
	LINK_CONTROL = 0x10,
	LINK_STATUS = 0x12,
	EXPRESS_SIZE = 0x14, /* so much of it is read here */
	MAX_CAPABILITIES = 48,
};

static unsigned int word(const uint8_t *at)
{
	return at[0] | (unsigned int)at[1] << 8;
}

/* NULL: it is not within @size bytes. */
static const uint8_t *express_capability(const uint8_t *config, size_t size)
{
	size_t at;

	if (size <= CAPABILITIES || !(word(config + STATUS) & STATUS_HAS_CAPABILITIES))
		return NULL;
	at = config[CAPABILITIES] & ~3u;
	for (int i = 0; i < MAX_CAPABILITIES && at && at + EXPRESS_SIZE <= size; i++) {
		if (config[at] == CAP_EXPRESS)
			return config + at;
		at = config[at + 1] & ~3u;
	}
	return NULL;
}

bool pcie_settings_of(const uint8_t *config, size_t size, struct pcie_settings *s)
{
	const uint8_t *cap = express_capability(config, size);
	unsigned int control, status;

	if (!cap)
		return false;
	control = word(cap + DEVICE_CONTROL);
	status = word(cap + LINK_STATUS);
	*s = (struct pcie_settings){
		.max_payload = 128u << (control >> 5 & 7),
		.max_read_request = 128u << (control >> 12 & 7),
		.relaxed_ordering = control & 1 << 4,
		.extended_tags = control & 1 << 8,
		.aspm = word(cap + LINK_CONTROL) & 3,
		.link = { .generation = status & 15, .width = status >> 4 & 63 },
	};
	return true;
}

/* PCI Express Base Specification: the widths of a link. */
static bool is_width(unsigned int lanes)
{
	return lanes == 12 || (lanes >= 1 && lanes <= 16 && !(lanes & (lanes - 1)));
}

bool pcie_parse(const char *text, struct pcie_link *link)
{
	char rest;

	return sscanf(text, "%ux%u%c", &link->generation, &link->width, &rest) == 2 &&
	       is_width(link->width) && pcie_link_bytes(*link) > 0;
}

const char *pcie_check(const char *text)
{
	static char complaint[160];
	struct pcie_link link;

	if (!text || pcie_parse(text, &link))
		return NULL;
	snprintf(
		complaint, sizeof(complaint),
		"--pcie: '%.40s' is not GENxWIDTH like 4x16: the generation is 1 to %d, the width 1, 2, 4, 8, 12 or 16",
		text, GENERATIONS);
	return complaint;
}
