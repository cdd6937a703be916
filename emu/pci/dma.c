/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of the virtual machine: what the peer maps for the function is mapped here, and
 * its addresses are bus addresses (core/bus.h).
 */
#include <errno.h>
#include <sys/mman.h>

#include "pci/inside.h"

int pci_dma_map(struct pci *p, uint64_t bus, uint64_t len, int prot, int fd, uint64_t offset)
{
	void *va;

	(void)p;
	if (!len || bus % HCA_PAGE_SIZE || len % HCA_PAGE_SIZE || bus + len < bus)
		return EINVAL;
	if (fd < 0)
		return 0;
	va = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);
	if (va == MAP_FAILED)
		return errno;
	if (core_bus_map(bus, len, va))
		return 0;
	munmap(va, len);
	return EEXIST;
}

int pci_dma_unmap(struct pci *p, uint64_t bus, uint64_t len)
{
	void *va = core_bus_unmap(bus, len);

	(void)p;
	/* Memory that cannot be shared was not mapped. */
	if (va)
		munmap(va, len);
	return 0;
}

void pci_dma_unmap_all(struct pci *p)
{
	uint64_t bus, len;

	while (core_bus_mapped(&bus, &len))
		pci_dma_unmap(p, bus, len);
}
