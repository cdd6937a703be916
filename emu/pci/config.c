/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Configuration space (PCI Express Base Specification, chapter 7; <linux/pci_regs.h>).
 *
 *	0x00	header of type 0; BAR 0 is of 64 bits, prefetchable
 *	0x60	PCI Express: an endpoint, which can be reset (FLR)
 *	0x9c	MSI-X: table and pending bits in BAR 0
 *	0xc0	vendor specific: the gateway to address spaces of the device, of which there are none
 *	0x100	an empty list of extended capabilities
 */
#include <endian.h>
#include <linux/pci_regs.h>
#include <string.h>

#include "pci/inside.h"

#define VENDOR	  0x15b3
#define SUBSYSTEM 0x0008
#define EXPRESS	  0x60
#define MSIX	  0x9c
#define GATEWAY	  0xc0 /* mlx5_core, lib/pci_vsc.c */
#define LAST_CAP  0

/* Registers of the gateway. Its control register answers that no space is supported. */
#define GATEWAY_BYTES	  0x18
#define GATEWAY_CONTROL	  0x04
#define GATEWAY_COUNTER	  0x08
#define GATEWAY_SEMAPHORE 0x0c

#define EXPRESS_V2  2
#define DEVICE_CAPS (PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR | 2) /* payload of 512 bytes */
#define LINK_8GT    3
#define LINK_X16    (16u << 4)

static void put16(struct pci *p, uint32_t at, uint16_t value)
{
	value = htole16(value);
	memcpy(p->config + at, &value, sizeof(value));
}

static void put32(struct pci *p, uint32_t at, uint32_t value)
{
	value = htole32(value);
	memcpy(p->config + at, &value, sizeof(value));
}

static uint16_t get16(const struct pci *p, uint32_t at)
{
	return (uint16_t)(p->config[at] | p->config[at + 1] << 8);
}

void pci_config_reset(struct pci *p)
{
	memset(p->config, 0, sizeof(p->config));
	put16(p, PCI_VENDOR_ID, VENDOR);
	put16(p, PCI_DEVICE_ID, p->made.kind->pci_id);
	put16(p, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put16(p, PCI_CLASS_DEVICE, 0x0200); /* network controller, Ethernet */
	put32(p, PCI_BASE_ADDRESS_0,
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put16(p, PCI_SUBSYSTEM_VENDOR_ID, VENDOR);
	put16(p, PCI_SUBSYSTEM_ID, SUBSYSTEM);
	p->config[PCI_CAPABILITY_LIST] = EXPRESS;

	put16(p, EXPRESS, PCI_CAP_ID_EXP | MSIX << 8);
	put16(p, EXPRESS + PCI_EXP_FLAGS, EXPRESS_V2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(p, EXPRESS + PCI_EXP_DEVCAP, DEVICE_CAPS);
	put16(p, EXPRESS + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_READRQ_512B);
	put32(p, EXPRESS + PCI_EXP_LNKCAP, LINK_8GT | LINK_X16);
	put16(p, EXPRESS + PCI_EXP_LNKSTA, LINK_8GT | LINK_X16);
	put32(p, EXPRESS + PCI_EXP_LNKCAP2, 0xe);

	put16(p, MSIX, PCI_CAP_ID_MSIX | GATEWAY << 8);
	put16(p, MSIX + PCI_MSIX_FLAGS, PCI_VECTORS - 1);
	put32(p, MSIX + PCI_MSIX_TABLE, PCI_TABLE_AT);
	put32(p, MSIX + PCI_MSIX_PBA, PCI_PENDING_AT);

	put16(p, GATEWAY, PCI_CAP_ID_VNDR | LAST_CAP << 8);
	p->config[GATEWAY + 2] = GATEWAY_BYTES;
}

/* The bits that software may write, by the byte. */
static uint8_t writable(uint32_t at)
{
	static const struct {
		uint32_t at, len;
		uint64_t bits;
	} fields[] = {
		{ PCI_COMMAND, 2,
		  PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
			  PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE },
		{ PCI_CACHE_LINE_SIZE, 1, 0xff },
		{ PCI_BASE_ADDRESS_0, 8, ~(PCI_BAR_BYTES - 1) },
		{ PCI_INTERRUPT_LINE, 1, 0xff },
		{ EXPRESS + PCI_EXP_DEVCTL, 2, 0x7fff }, /* FLR reads as 0 */
		{ EXPRESS + PCI_EXP_LNKCTL, 2, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_CCC },
		{ EXPRESS + PCI_EXP_DEVCTL2, 2, 0xffff },
		{ MSIX + PCI_MSIX_FLAGS, 2, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL },
		{ GATEWAY + GATEWAY_CONTROL, 2, 0xffff },
		{ GATEWAY + GATEWAY_SEMAPHORE, 4, UINT32_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (at >= fields[i].at && at < fields[i].at + fields[i].len)
			return (uint8_t)(fields[i].bits >> (at - fields[i].at) * 8);
	return 0;
}

static bool covers(uint32_t at, uint32_t len, uint32_t reg)
{
	return at <= reg && len >= 4 && reg - at <= len - 4;
}

/* Each read of the counter is another ticket for the semaphore. */
void pci_config_read(struct pci *p, uint32_t at, uint8_t *to, uint32_t len)
{
	if (covers(at, len, GATEWAY + GATEWAY_COUNTER))
		put32(p, GATEWAY + GATEWAY_COUNTER, ++p->tickets);
	memcpy(to, p->config + at, len);
}

/* The semaphore is taken by a write where it is 0, and given back by one of 0. */
static bool is_taken(const struct pci *p, uint32_t at, const uint8_t *from, uint32_t len)
{
	static const uint8_t zero[4];

	return at == GATEWAY + GATEWAY_SEMAPHORE && len == 4 && memcmp(from, zero, 4) &&
	       memcmp(p->config + at, zero, 4);
}

bool pci_config_write(struct pci *p, uint32_t at, const uint8_t *from, uint32_t len)
{
	const uint32_t high = EXPRESS + PCI_EXP_DEVCTL + 1;

	if (is_taken(p, at, from, len))
		return false;
	for (uint32_t i = 0; i < len; i++) {
		uint8_t mask = writable(at + i), *byte = &p->config[at + i];

		*byte = (uint8_t)((*byte & ~mask) | (from[i] & mask));
	}
	return high >= at && high < at + len && from[high - at] & PCI_EXP_DEVCTL_BCR_FLR >> 8;
}

bool pci_is_master(const struct pci *p)
{
	return get16(p, PCI_COMMAND) & PCI_COMMAND_MASTER;
}
