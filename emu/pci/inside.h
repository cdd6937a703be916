/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of pci: the function, and what its files do for each other. The device lock is
 * held in all of them, but for those of message.c and serve.c. */
#ifndef EMU_PCI_INSIDE_H
#define EMU_PCI_INSIDE_H

#include "engine/engine.h"
#include "pci/pci.h"

#define PCI_CONFIG_BYTES 4096u
#define PCI_VECTORS	 64u /* of MSI-X */
#define PCI_VECTOR_BYTES 16u /* of its table */
#define PCI_TABLE_AT	 0x2000u
#define PCI_PENDING_AT	 0x3000u
#define PCI_FIRST_UAR	 4u		       /* pages before it are not UAR pages */
#define PCI_BAR_BYTES	 (HCA_MEMIC_START * 2) /* a power of two */

#define PCI_LOG_COMMANDS 5 /* entries of the command queue */
#define PCI_COMMANDS	 (1u << PCI_LOG_COMMANDS)
#define PCI_LOG_ENTRY	 6 /* bytes of one */

struct message;

struct pci {
	struct hca hca;
	struct wire *wire;
	struct net *net;
	struct engine *engine;
	struct pci_config made;
	struct options options;

	struct message *message; /* the one that is handled, or was */
	uint8_t config[PCI_CONFIG_BYTES];
	uint32_t tickets;			      /* for the semaphore in it */
	uint8_t msix[PCI_VECTORS * PCI_VECTOR_BYTES]; /* software's; interrupts are eventfds */
	struct {
		int fd; /* -1: none */
		bool pending;
	} vector[PCI_VECTORS];

	uint64_t cmdq;	    /* bus address; 0: there is none yet */
	uint32_t cmdq_high; /* written before the lower half */
	uint8_t nic_state;  /* initial_seg.nic_interface */

	/* faults, see control.c */
	int control; /* the FIFO; -1: none */
	char control_path[108];
	char line[512]; /* the part of one that has come */
	uint32_t line_len;
	uint8_t health; /* health_buffer.synd */
	bool reset_required;
	uint64_t hung_since; /* 0: it is not */
	uint32_t lost_interrupts;
};

/* function.c: the state after a reset; the same without PCI, after one of the firmware */
void pci_reset(struct pci *p);
void pci_restart(struct pci *p);

/* config.c */
void pci_config_reset(struct pci *p);
void pci_config_read(struct pci *p, uint32_t at, uint8_t *to, uint32_t len);
/* True: a reset is wanted (FLR). */
bool pci_config_write(struct pci *p, uint32_t at, const uint8_t *from, uint32_t len);
/* May the function read and write memory? */
bool pci_is_master(const struct pci *p);

/* bar.c; at, len are within the BAR. The engine is called without the lock: see there. */
void pci_bar_read(struct pci *p, uint64_t at, uint8_t *to, uint32_t len);
void pci_bar_write(struct pci *p, uint64_t at, const uint8_t *from, uint32_t len);

/* cmdq.c: executes the entries of @vector */
void pci_cmdq_ring(struct pci *p, uint32_t vector);

/* dma.c; both: 0 or a positive errno value. @fd: -1: memory that cannot be shared, and is not
 * accessible */
int pci_dma_map(struct pci *p, uint64_t bus, uint64_t len, int prot, int fd, uint64_t offset);
int pci_dma_unmap(struct pci *p, uint64_t bus, uint64_t len);
void pci_dma_unmap_all(struct pci *p);

/* control.c, without the lock: executes all that can be read from the FIFO */
void pci_control_read(struct pci *p);
void pci_control_end(struct pci *p);
/* With the lock: after a reset there are no faults. */
void pci_control_reset(struct pci *p);

/* irq.c */
void pci_irq(struct hca *hca, struct hca_eq *eq);
/* Takes over the descriptor. */
void pci_irq_set(struct pci *p, uint32_t vector, int fd);
void pci_irq_trigger(struct pci *p, uint32_t vector);
void pci_irq_end(struct pci *p);

#endif
