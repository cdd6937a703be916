/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The function itself: firmware, engine and network, as preload's boot.c connects them for
 * programs.
 *
 *	wire_open -> slot -> hca_init -> port -> fw_init -> upcalls -> net -> engine_start -> reset
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pci/inside.h"

static bool present(const struct hca *hca, uint8_t vhca_id)
{
	return wire_present(core_container(hca, struct pci, hca)->wire, vhca_id);
}

static void catch_up(struct hca *hca, struct hca_qp *qp)
{
	engine_catch_up(core_container(hca, struct pci, hca)->engine, qp);
}

static int join(struct hca *hca, const uint8_t gid[16])
{
	return wire_join(core_container(hca, struct pci, hca)->wire, gid);
}

static void leave(struct hca *hca, const uint8_t gid[16])
{
	wire_leave(core_container(hca, struct pci, hca)->wire, gid);
}

static void make_firmware(struct pci *p)
{
	if (p->made.image)
		fw_init_image(&p->hca, p->made.image);
	else
		fw_init(&p->hca, p->made.kind);
	fw_guest_caps(&p->hca);
}

static void make_port(struct pci *p)
{
	struct hca_port *port = &p->hca.port;
	uint8_t mac[6];

	options_port_mac(&p->options, false, mac);
	memcpy(port->mac, mac, sizeof(mac));
	port->sys_image_guid = port->node_guid = options_guid(mac);
	port->mtu = p->options.mtu;
	p->hca.role = p->made.kind->dpu ? HCA_ROLE_HOST : HCA_ROLE_NIC;
}

void pci_restart(struct pci *p)
{
	fw_reset(&p->hca);
	make_firmware(p);
	p->cmdq = p->cmdq_high = p->nic_state = 0;
	pci_control_reset(p);
}

void pci_reset(struct pci *p)
{
	pci_restart(p);
	pci_config_reset(p);
	memset(p->msix, 0, sizeof(p->msix));
	for (uint32_t i = 0; i < PCI_VECTORS; i++)
		p->vector[i].pending = false;
}

static bool fail(char *why, size_t len, const char *what, int err)
{
	snprintf(why, len, "%s: %s", what, strerror(err));
	return false;
}

static bool connect_network(struct pci *p, char *why, size_t len)
{
	struct options_fault faults[OPTIONS_FAULTS];
	int n = options_faults(p->options.faults, faults), err;

	err = n < 0 ? EINVAL : wire_faults(p->wire, faults, n);
	if (err)
		return fail(why, len, "faults", err);
	if (*p->options.pcap && (err = wire_pcap(p->wire, p->options.pcap)))
		return fail(why, len, p->options.pcap, err);
	p->net = net_open(&p->hca, p->wire);
	if (!p->net)
		return fail(why, len, "network", errno);
	err = *p->options.tap ? net_tap(p->net, p->options.tap) : 0;
	if (!err)
		p->engine = engine_start(&p->hca, p->wire, p->net);
	if (!err && p->engine)
		return true;
	net_close(p->net);
	return err ? fail(why, len, p->options.tap, err) : fail(why, len, "engine", errno);
}

/* On the fabric, with a slot. */
static bool start(struct pci *p, char *why, size_t len)
{
	int err = wire_host(p->wire, p->options.ipv4);

	if (err)
		return fail(why, len, p->options.fabric, -err);
	err = hca_init(&p->hca, wire_slot(p->wire));
	if (err)
		return fail(why, len, "device", err);
	p->hca.uar_first = PCI_FIRST_UAR;
	make_port(p);
	make_firmware(p);
	p->hca.vhcas = wire_vhcas(p->wire);
	p->hca.adapters = wire_adapters(p->wire);
	p->hca.present = present;
	p->hca.irq = pci_irq;
	p->hca.kick = engine_kick;
	p->hca.join = join;
	p->hca.leave = leave;
	hca_vhca_publish(&p->hca, p->options.ipv4);
	pci_reset(p);
	if (connect_network(p, why, len)) {
		p->hca.catch_up = catch_up;
		return true;
	}
	hca_fini(&p->hca);
	return false;
}

struct pci *pci_open(const struct pci_config *c, char *why, size_t len)
{
	struct pci *p = calloc(1, sizeof(*p));

	if (!p) {
		fail(why, len, "memory", ENOMEM);
		return NULL;
	}
	p->made = *c;
	p->options = *c->options;
	for (uint32_t i = 0; i < PCI_VECTORS; i++)
		p->vector[i].fd = -1;
	p->control = -1;
	core_bus_guest();
	p->wire = wire_open(p->options.fabric);
	if (!p->wire)
		fail(why, len, p->options.fabric, errno);
	else if (start(p, why, len))
		return p;
	else
		wire_close(p->wire);
	free(p);
	return NULL;
}

void pci_forget(struct pci *p)
{
	hca_lock(&p->hca);
	pci_irq_end(p);
	pci_dma_unmap_all(p);
	pci_reset(p);
	hca_unlock(&p->hca);
}

void pci_close(struct pci *p)
{
	pci_control_end(p);
	pci_forget(p);
	hca_lock(&p->hca);
	p->hca.catch_up = NULL;
	hca_unlock(&p->hca);
	engine_stop(p->engine);
	net_close(p->net);
	wire_close(p->wire);
	hca_fini(&p->hca);
	free(p->message);
	free(p);
}
