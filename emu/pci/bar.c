/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BAR 0:
 *
 *	0x0000	initialization segment (PRM, "Initialization Segment"; <linux/mlx5/device.h>), big-endian
 *	0x2000	MSI-X table
 *	0x3000	MSI-X pending bits
 *	0x4000	UAR page 4, 0x5000 UAR page 5 …
 *	HCA_MEMIC_START	device memory
 *
 * Every access is a message, so every store is seen. The stores to UAR pages are the engine's,
 * but for those to doorbells of event queues.
 */
#include <endian.h>
#include <string.h>
#include <syslog.h>

#include "event/event.h"
#include "pci/inside.h"
#include "prm/prm.h"

#define SEGMENT	       PRM_SZ(initial_seg)
#define SEGMENT_END    0x2000u
#define CMDIF_REV      5 /* mlx5_core, cmd.c: CMD_IF_REV */
#define CMDQ_HIGH      0x010u
#define CMDQ_LOW       0x014u
#define CMDQ_BELL      0x018u
#define CMDQ_PAGE      0xfffu
#define INTERNAL_TIMER 0x1000u
#define NIC_DISABLED   1 /* MLX5_INITIAL_SEG_NIC_INTERFACE_DISABLED */
#define NIC_RESET      7 /* mlx5_core.h: MLX5_NIC_IFC_SW_RESET */
#define INITIALIZING   0x1fc
#define CAN_RESET      0x40 /* of its first byte; health.c: MLX5_FW_RESET_SUPPORTED_OFFSET */
#define COUNT_NS       10000000 /* the health counter counts them */
#define EQ_ARM	       0x40u /* of a UAR page; <linux/mlx5/device.h>: MLX5_EQ_DOORBEL_OFFSET */
#define EQ_NO_ARM      0x48u
#define EQ_END	       0x50u

static void put_health(const struct pci *p, uint8_t *seg, uint64_t now)
{
	uint8_t *buffer = PRM_ADDR(initial_seg, seg, health_buffer);
	uint64_t at = p->hung_since ? p->hung_since : now;

	PRM_SET(initial_seg, seg, health_counter, at / COUNT_NS & 0xffffff);
	PRM_SET(health_buffer, buffer, fw_version, fw_version(p->made.kind->fw_ver));
	PRM_SET(health_buffer, buffer, hw_id, p->made.kind->pci_id);
	PRM_SET(health_buffer, buffer, synd, p->health);
	if (!p->health)
		return;
	PRM_SET(health_buffer, buffer, rfr, p->reset_required);
	PRM_SET(health_buffer, buffer, valid, 1);
	PRM_SET(health_buffer, buffer, severity, LOG_ERR); /* mlx5_core, health.c */
}

static void put_version(const struct pci *p, uint8_t *seg)
{
	uint32_t version = fw_version(p->made.kind->fw_ver);

	PRM_SET(initial_seg, seg, fw_rev_major, version >> 24);
	PRM_SET(initial_seg, seg, fw_rev_minor, version >> 16 & 0xff);
	PRM_SET(initial_seg, seg, fw_rev_subminor, version & 0xffff);
}

/* The function needs no time to initialise. */
static void put_segment(const struct pci *p, uint8_t *seg)
{
	uint64_t now = core_now_ns(), ticks = htobe64(hca_ticks(&p->hca, now));

	put_version(p, seg);
	PRM_SET(initial_seg, seg, cmd_interface_rev, CMDIF_REV);
	PRM_SET(initial_seg, seg, cmdq_phy_addr_63_32, p->cmdq >> 32);
	PRM_SET(initial_seg, seg, cmdq_phy_addr_31_12, (uint32_t)p->cmdq >> 12);
	PRM_SET(initial_seg, seg, nic_interface, p->nic_state);
	PRM_SET(initial_seg, seg, log_cmdq_size, PCI_LOG_COMMANDS);
	PRM_SET(initial_seg, seg, log_cmdq_stride, PCI_LOG_ENTRY);
	PRM_SET(initial_seg, seg, nic_interface_supported, 1u << NIC_DISABLED);
	seg[INITIALIZING] |= CAN_RESET;
	put_health(p, seg, now);
	memcpy(seg + INTERNAL_TIMER, &ticks, sizeof(ticks));
}

/* The device memory at @at in the BAR; NULL: there is none. */
static uint8_t *device_memory(const struct pci *p, uint64_t at, uint32_t len)
{
	bool is = p->hca.memic && at >= HCA_MEMIC_START &&
		  at + len <= HCA_MEMIC_START + HCA_MEMIC_BYTES;

	return is ? p->hca.memic + (at - HCA_MEMIC_START) : NULL;
}

void pci_bar_read(struct pci *p, uint64_t at, uint8_t *to, uint32_t len)
{
	const uint8_t *memory = device_memory(p, at, len);
	uint8_t seg[SEGMENT] = { 0 };

	memset(to, 0, len);
	if (at < SEGMENT_END && len <= SEGMENT_END - at) {
		put_segment(p, seg);
		memcpy(to, seg + at, len);
	} else if (at >= PCI_TABLE_AT && at + len <= PCI_TABLE_AT + sizeof(p->msix)) {
		memcpy(to, p->msix + (at - PCI_TABLE_AT), len);
	} else if (memory) {
		memcpy(to, memory, len);
	}
	/* UAR pages are for writing: they read as 0. */
}

/* mlx5_core, health.c, reset_fw_if_needed: the driver asks for a reset after a fatal error, and
 * waits until the interface is disabled. */
static void write_cmdq(struct pci *p, uint32_t value)
{
	uint32_t nic_state = value >> 8 & 7;

	if (nic_state == NIC_RESET) {
		pci_restart(p);
		p->nic_state = NIC_DISABLED;
		return;
	}
	p->cmdq = (uint64_t)p->cmdq_high << 32 | (value & ~CMDQ_PAGE);
	p->nic_state = nic_state & 3;
}

static void write_segment(struct pci *p, uint32_t at, uint32_t value)
{
	switch (at) {
	case CMDQ_HIGH:
		p->cmdq_high = value;
		break;
	case CMDQ_LOW:
		write_cmdq(p, value);
		break;
	case CMDQ_BELL:
		pci_cmdq_ring(p, value);
		break;
	}
}

/* Big-endian {eqn, ci}. */
static void ring_eq(struct pci *p, const struct hca_uar *uar, uint32_t value, bool arm)
{
	struct hca_eq *eq = core_ids_get(&p->hca.eqs, value >> 24);

	if (!eq || eq->uar != uar || !event_eq_update(&p->hca, eq, value & 0xffffff, arm))
		core_check(CORE_EQ_RUNG, "UAR page", uar->index, "doorbell 0x%08x", value);
}

static void write_uar(struct pci *p, uint64_t at, const uint8_t *from, uint32_t len)
{
	struct engine_store s = { .uar = (uint32_t)(at >> HCA_PAGE_SHIFT),
				  .offset = at & (HCA_PAGE_SIZE - 1),
				  .len = (uint8_t)len,
				  .thread = 1 };
	const struct hca_uar *uar = core_ids_get(&p->hca.uars, s.uar);

	if (uar && s.offset >= EQ_ARM && s.offset < EQ_END) {
		if (len == sizeof(uint32_t) && !(s.offset % (EQ_NO_ARM - EQ_ARM)))
			ring_eq(p, uar, core_be32(from), s.offset == EQ_ARM);
		return;
	}
	memcpy(s.bytes, from, len);
	hca_unlock(&p->hca);
	engine_store(p->engine, &s);
	hca_lock(&p->hca);
}

/* A store to a UAR page is of 64 bytes at most, and within the page; the registers of the
 * segment have 4. */
void pci_bar_write(struct pci *p, uint64_t at, const uint8_t *from, uint32_t len)
{
	uint8_t *memory = device_memory(p, at, len);
	struct engine_store s;

	if (at < SEGMENT_END) {
		if (len == sizeof(uint32_t))
			write_segment(p, (uint32_t)at, core_be32(from));
	} else if (at >= PCI_TABLE_AT && at + len <= PCI_TABLE_AT + sizeof(p->msix)) {
		memcpy(p->msix + (at - PCI_TABLE_AT), from, len);
	} else if (memory) {
		memcpy(memory, from, len);
	} else if (at >> HCA_PAGE_SHIFT >= PCI_FIRST_UAR && len <= sizeof(s.bytes) &&
		   (at & (HCA_PAGE_SIZE - 1)) + len <= HCA_PAGE_SIZE) {
		write_uar(p, at, from, len);
	}
}
