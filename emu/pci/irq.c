/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSI-X: an EQE in an armed event queue raises the vector of the queue (eqc.intr), an eventfd
 * of the peer. Masks are the peer's: a vector without eventfd is pending until it has one.
 */
#include <unistd.h>

#include "pci/inside.h"

void pci_irq_trigger(struct pci *p, uint32_t vector)
{
	const uint64_t one = 1;

	if (vector >= PCI_VECTORS)
		return;
	if (p->lost_interrupts) {
		p->lost_interrupts--;
		return;
	}
	p->vector[vector].pending = p->vector[vector].fd < 0;
	/* A counter that is full wakes the peer as well. */
	if (p->vector[vector].fd >= 0 &&
	    write(p->vector[vector].fd, &one, sizeof(one)) != sizeof(one))
		return;
}

void pci_irq(struct hca *hca, struct hca_eq *eq)
{
	if (!eq->armed)
		return;
	eq->armed = false;
	pci_irq_trigger(core_container(hca, struct pci, hca), eq->intr);
}

void pci_irq_set(struct pci *p, uint32_t vector, int fd)
{
	if (p->vector[vector].fd >= 0)
		close(p->vector[vector].fd);
	p->vector[vector].fd = fd;
	if (fd >= 0 && p->vector[vector].pending)
		pci_irq_trigger(p, vector);
}

void pci_irq_end(struct pci *p)
{
	for (uint32_t i = 0; i < PCI_VECTORS; i++) {
		p->vector[i].pending = false;
		pci_irq_set(p, i, -1);
	}
}
