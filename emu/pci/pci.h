/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pci: the adapter as a function of PCI Express, for a virtual machine. Below it are the
 * firmware and the engine, as below uverbs; above it is the driver of an operating system.
 *
 *	QEMU, vfio-user-pci --socket--> message --> config	configuration space
 *	                                            bar		initialization segment, UAR pages
 *	                                              cmdq	command queue --> fw_exec()
 *	                                            dma		--> core_bus_map()
 *	                                            irq		MSI-X: eventfd
 *
 * The protocol is vfio-user (QEMU, docs/interop/vfio-user.rst), of which this is the server.
 * One thread serves it; it takes the device lock for each message.
 *
 * A process has one function at most: bus addresses are those of its virtual machine
 * (core_bus_guest).
 */
#ifndef EMU_PCI_H
#define EMU_PCI_H

#include "fw/fw.h"
#include "options/options.h"

struct pci;

struct pci_config {
	const struct options *options;
	const struct fw_device *kind;
	const struct fw_image *image; /* of --device FILE; NULL: @kind is one of ours */
};

/* Makes the function, as it is after a reset. NULL: @why, @len bytes, says why not. */
struct pci *pci_open(const struct pci_config *c, char *why, size_t len);
void pci_close(struct pci *p);

/* Receives a message on @fd and answers it. False: the peer has closed, or breaks the
 * protocol. */
bool pci_message(struct pci *p, int fd);
/* The peer has closed: ends its mappings and interrupts, and resets the function. */
void pci_forget(struct pci *p);

/* Makes the FIFO @path. While peers are served, each line that is written to it is a request:
 * a fault, see control.c. 0, or a positive errno value. */
int pci_control_open(struct pci *p, const char *path);
/* Such a line, which is changed. EINVAL: it is no request; ENOENT: no such command; ENOMEM. */
int pci_control(struct pci *p, char *line);

/* Serves one peer after the other at the socket @path until a byte can be read from @stop.
 * 0, or a positive errno value. */
int pci_serve(struct pci *p, const char *path, int stop);

#endif
