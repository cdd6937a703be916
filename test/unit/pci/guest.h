/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A virtual machine of one function: hand-written messages of vfio-user, command queue entries
 * and mailboxes. Its memory is a memfd at bus address GUEST_BASE; the function runs in the
 * same thread.
 */
#ifndef TEST_UNIT_PCI_GUEST_H
#define TEST_UNIT_PCI_GUEST_H

#include <criterion/criterion.h>

#include "pci/pci.h"

#define GUEST_BASE \
	0x100000000ull /* above 32 bits: an address that loses its high half is another */
#define GUEST_BYTES (256u << 12)
#define GUEST_CMDQ  0x0000u /* offsets in the memory */
#define GUEST_IN    0x2000u /* mailboxes of the inbox, 1 KiB each */
#define GUEST_OUT   0x8000u
#define GUEST_PAGES 0x40000u /* for the function */

enum { BAR0 = 0, CONFIG = 7 }; /* VFIO_PCI_*_REGION_INDEX */

struct guest {
	struct pci *p;
	int fd, other; /* both ends of the socket */
	int memory_fd;
	uint8_t *memory;
	uint16_t id; /* of the next message */
	uint8_t token;
};

struct answer {
	uint32_t error, len;
	uint8_t bytes[8192];
};

/* The function is there, and the socket; nothing is mapped. */
void guest_open(struct guest *g);
void guest_close(struct guest *g);

/* Sends a message with @fd, -1: none; the answer. */
void guest_ask(struct guest *g, uint16_t command, const void *payload, uint32_t len, int fd,
	       struct answer *a);
/* The same, when an answer without error is expected. */
void guest_tell(struct guest *g, uint16_t command, const void *payload, uint32_t len, int fd);

uint32_t guest_map(struct guest *g, uint64_t bus, uint64_t len, int fd, uint64_t offset);
uint32_t guest_unmap(struct guest *g, uint64_t bus, uint64_t len);

void guest_read(struct guest *g, uint32_t region, uint64_t at, void *to, uint32_t len);
void guest_write(struct guest *g, uint32_t region, uint64_t at, const void *from, uint32_t len);
uint32_t guest_read32(struct guest *g, uint64_t at); /* BAR 0, big-endian */
void guest_write32(struct guest *g, uint64_t at, uint32_t value);

/* Maps the memory, becomes bus master, writes the address of the command queue. */
void guest_boot(struct guest *g);
void guest_enable(struct guest *g); /* the last two, after a reset */

/* Writes entry @slot with its mailboxes. guest_cmd() rings for it too, and takes the
 * outbox; it returns the status of the delivery. */
void guest_fill(struct guest *g, unsigned int slot, const void *in, uint32_t in_len,
		uint32_t out_len);
void guest_ring(struct guest *g, uint32_t vector);
uint8_t guest_take(struct guest *g, unsigned int slot, void *out, uint32_t out_len);
uint8_t guest_cmd(struct guest *g, const void *in, uint32_t in_len, void *out,
		  uint32_t out_len);

/* The entry of @slot, and mailbox @n of its inbox or outbox. */
uint8_t *guest_entry(struct guest *g, unsigned int slot);
uint8_t *guest_in(struct guest *g, unsigned int n);
uint8_t *guest_out(struct guest *g, unsigned int n);
/* Makes the exclusive or of the bytes 0xff, by the last one of them, or the one at @sig. */
void guest_sign(uint8_t *bytes, uint32_t len, uint32_t sig);

/* A command of 16 bytes: opcode, op_mod, two words. Its delivery is 0; the status of the
 * outbox. */
uint8_t guest_simple(struct guest *g, uint16_t opcode, uint16_t op_mod, uint32_t a, uint32_t b,
		     uint8_t out[16]);
/* ENABLE_HCA … INIT_HCA: the function runs. */
void guest_start(struct guest *g);

/* The machine of a test whose suite is made so. */
extern struct guest g;
void guest_open_g(void);
void guest_close_g(void);

#define GUEST_SUITE(name) TestSuite(name, .init = guest_open_g, .fini = guest_close_g)

#endif
