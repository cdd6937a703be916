/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hostile virtual machine and its PCI function, by messages of vfio-user.
 *
 *	main.c     rounds
 *	guest.c    the machine: its memory, its messages, its command queue
 *	session.c  the commands of an honest driver, and whether the function still works
 *	hostile.c  the same with something wrong: fields, lists, mailboxes, entries, doorbells
 *
 * Its memory on the bus, and bytes that the function must not touch:
 *
 *	HOME      command queue, mailboxes, pages of the firmware
 *	TWIN      queues, buffers, records. This process has other memory at the same address,
 *	          which a bus address that is taken for a pointer changes
 *	FIXED     may be read, not written
 *	CLOSED    may be neither read nor written
 *
 * Each is between two pages of its file that are not on the bus, and the function's mapping
 * of it between two other pages (mmap is wrapped).
 */
#ifndef TEST_FUZZ_PCI_H
#define TEST_FUZZ_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fuzz/chance.h"
#include "fuzz/round.h"
#include "fw/fw.h"
#include "prm/prm.h"
#include "prm/table.h"

#define PAGE 4096u

/* ---- guest.c ---- */

enum area { HOME, TWIN, FIXED, CLOSED, AREAS };

#define HOME_PAGES 256u
#define TWIN_PAGES 64u
#define FEW_PAGES  2u

enum { BAR0 = 0, CONFIG = 7 }; /* VFIO_PCI_*_REGION_INDEX */
enum { CMDQ = 0x0000, IN = 0x2000, OUT = 0x8000, PAGES = 0x40000 }; /* in HOME */
#define BOX 2048u /* bytes of an inbox or outbox */

struct command {
	uint16_t opcode;
	size_t in_len, out_len;
	uint8_t in[BOX];
};

void guest_open(void);
void guest_close(void);
uint64_t guest_bus(enum area a, uint32_t page);
uint8_t *guest_at(enum area a, uint32_t page);
/* Bytes that are not on the bus, or may not be written, are as they were. */
void guest_check(void);

/* Sends a message with @fd, -1: none. The reply's errno value. */
uint32_t guest_ask(uint16_t command, const void *payload, uint32_t len, int fd);
void guest_write(uint32_t region, uint64_t at, const void *from, uint32_t len);
void guest_read(uint32_t region, uint64_t at, uint32_t len);
uint32_t guest_map(enum area a);
uint32_t guest_unmap(enum area a);

/* Bus master, with the address of the command queue. */
void guest_master(void);
void guest_reset(void);

/* Entry 0 and its mailboxes. */
void guest_fill(const struct command *c);
uint8_t *guest_box(bool in, unsigned int n);
unsigned int guest_boxes(size_t len);
void guest_ring(uint32_t vector);
/* False: the entry is still the function's. */
bool guest_taken(uint8_t *delivery, uint8_t *out, size_t out_len);

/* ---- session.c ---- */

#define SESSION 64u
extern struct command session[SESSION];
extern unsigned int nsession;

/* Numbers of its objects. */
struct numbers {
	uint32_t uar, pd, eq, cq, mkey, bus_mkey, qp, td, tis, sq, rq, tir, table, group;
};
extern struct numbers numbers;

/* In TWIN: pages of rings, records, buffers. */
enum { EQ_AT = 1, CQ_AT, QP_AT, SQ_AT = QP_AT + 2, RQ_AT, RECORDS, FROM, TO };

/* Begins with a reset. Every command of it is executed. */
void session_begin(void);
/* WRITEs from FROM to TO. */
void session_works(void);
/* A WRITE of @len bytes in the QP's ring, and its record. */
void session_post(uint32_t key, uint64_t from, uint64_t to, uint32_t len);

/* ---- hostile.c ---- */

struct tally {
	uint64_t cases, executed, refused, undelivered, doorbells;
};
extern struct tally tally;

void hostile(void);

#endif
