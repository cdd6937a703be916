/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file by which the processes of a fabric find each other, and which only their user can
 * open.
 *
 *	/run/dvkit-emu/FABRIC.NETNS	of root; of other users /tmp/dvkit-emu-UID/FABRIC.NETNS
 *
 *	byte ranges that are locked	0		every process on the fabric (shared)
 *					1 … 255		the process that has the slot
 *					257 … 511	that process, when its entry is written
 *					2^32 + hash	the process that holds a name
 *	contents			an entry a slot: name of the socket, key; that of slot 0: the
 *					format of all this; then a flag a slot
 *					then a struct hca_vhca a slot, zeroed when it is taken
 *					then HCA_ADAPTERS struct hca_adapter, zeroed when no slot is taken
 *
 * The kernel releases the locks of a process when it ends, also if it is killed
 * (fcntl_locking(2), open file description locks). The file is mapped and stays open, so a
 * process that changed its user id or its root directory stays on the fabric. Its last user
 * removes it; files of killed processes are removed by the next process that creates one.
 * NETNS, the inode of the network namespace, separates fabrics as it separates their sockets
 * (network_namespaces(7)).
 */
#ifndef EMU_WIRE_FABRIC_H
#define EMU_WIRE_FABRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hca/hca.h"

#define SLOTS		 256
#define FABRIC_KEY_BYTES 16

struct fabric_entry {
	_Atomic uint64_t socket; /* 0: the slot was never taken, or is being taken */
	uint8_t key[FABRIC_KEY_BYTES];
};

struct fabric {
	int fd;
	char path[160];
	struct fabric_entry *entries; /* SLOTS of them, shared */
	_Atomic uint32_t *mail;	      /* the same: the process should look at its socket */
	struct hca_vhca *vhcas;	      /* the same */
	struct hca_adapter *adapters; /* HCA_ADAPTERS of them */
	uint64_t *names;	      /* offsets of the locks held for names */
	size_t nnames;
};

/* Opens the file of @name. 0 or a positive errno value (EPROTO: processes of another version,
 * which uses it differently, are on the fabric). */
int fabric_open(struct fabric *f, const char *name);
/* Leaves the fabric; the last process removes the file. */
void fabric_close(struct fabric *f);
/* Only closes the file: in a child whose parent stays on the fabric. */
void fabric_abandon(struct fabric *f);

/* Takes the lowest free slot, with @socket and @key in its entry; EUSERS: all are taken. */
int fabric_take_slot(struct fabric *f, uint64_t socket, const uint8_t *key, uint8_t *slot);
/* Has another process @slot, and is its entry valid? */
bool fabric_has(const struct fabric *f, uint8_t slot);
/* Has another process a slot from @first on? */
bool fabric_has_from(const struct fabric *f, unsigned int first);

/* 0, EADDRINUSE, or another errno value. */
int fabric_claim(struct fabric *f, const char *name);
void fabric_disclaim(struct fabric *f, const char *name);
bool fabric_claimed(const struct fabric *f, const char *name);

#endif
